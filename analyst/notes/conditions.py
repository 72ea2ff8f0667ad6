"""Conditions on rows that a sentence names: "status of 9", "temp below -40", "South", "rows without a date"."""

import re
from dataclasses import dataclass

from datasets.measures import Filter, FilterOp, Value
from datasets.schema import Column, SchemaCard

_NUMBER = r"-?\d+(?:[.,]\d+)?"
_VALUE = rf"(?:\"(?P<q>[^\"\n]{{1,60}})\"|'(?P<s>[^'\n]{{1,60}})'|(?P<n>{_NUMBER})(?![\w%])|(?P<w>[A-Za-z][\w-]*))"
_JOIN = r"\s*(?:(?:code|value|number|no\.?|nr\.?|#)\s*)?(?P<link>of|is|are|=+|equals?|equal to|:|with)?\s*"
_MORE = rf"(?P<more>(?:\s*(?:,|and|or)\s*(?:{_NUMBER}|\"[^\"]+\"|'[^']+')(?![\w%]))*)"
_COMPARE: tuple[tuple[str, FilterOp], ...] = (
    (r"(?:<=|at most|up to|no more than)", "le"),
    (r"(?:>=|at least|from|no less than)", "ge"),
    (r"(?:<|below|under|less than|smaller than|lower than|fewer than)", "lt"),
    (r"(?:>|above|over|more than|greater than|larger than|higher than|beyond)", "gt"),
)
_EMPTY = r"(?:without|missing|lacking|with no|that have no|with an? (?:empty|missing)|where|empty|null)"
_GENERIC = frozenset(
    re.findall(r"\w+", "id no num name code key type date time value total count number flag is has in of the a")
)
_WORDY = re.compile(r"[^\W\d_]")
_YES = frozenset({"is", "has", "was", "flag", "yn"})
_INVERSE: dict[FilterOp, FilterOp] = {
    "eq": "ne", "ne": "eq", "in": "not_in", "not_in": "in", "lt": "ge", "ge": "lt", "gt": "le", "le": "gt",
    "is_null": "not_null", "not_null": "is_null",
}  # fmt: skip


@dataclass(frozen=True)
class Condition:
    """A predicate and where in the text it was named."""

    filter: Filter
    start: int
    end: int

    @property
    def slot(self) -> str:
        """Stable name of what is conditioned on: `status=9`, `temp<-40`, `date missing`."""
        f = self.filter
        if f.op in {"is_null", "not_null"}:
            return f"{f.column} missing"
        sign = {"eq": "=", "ne": "=", "in": "=", "not_in": "=", "lt": "<", "ge": "<", "gt": ">", "le": ">"}
        return f"{f.column}{sign.get(f.op, ' ')}{','.join(sorted(str(v) for v in f.values))}"


def inverse(predicate: Filter) -> Filter | None:
    """The predicate that keeps what this one leaves out, or None where there is no single one."""
    op = _INVERSE.get(predicate.op)
    return None if op is None else Filter(column=predicate.column, op=op, values=predicate.values)


def name_pattern(name: str) -> str:
    """A pattern for a column name as people write it: any case, spaces for underscores, a plural s."""
    words = [re.escape(w) for w in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+|[^\W\d_]+", name)]
    return (r"[\s_-]*".join(words) if words else re.escape(name)) + r"s?"


def column_patterns(card: SchemaCard) -> list[tuple[Column, str]]:
    """Names of columns, long ones first, then single telling words that only one column has."""
    whole = [(c, name_pattern(c.name)) for c in sorted(card.columns, key=lambda c: -len(c.name))]
    owners: dict[str, list[Column]] = {}
    for column in card.columns:
        parts = {p.lower() for p in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", column.name)}
        for part in parts if len(parts) > 1 else ():
            if len(part) > 3 and part not in _GENERIC:
                owners.setdefault(part, []).append(column)
    names = {c.name.lower() for c in card.columns}
    parts_only = [(o[0], f"{re.escape(p)}s?") for p, o in owners.items() if len(o) == 1 and p not in names]
    return whole + parts_only


def columns_named(text: str, card: SchemaCard | None) -> list[Column]:
    """Columns whose name stands in the text, in order of appearance."""
    found: dict[str, tuple[int, Column]] = {}
    for column, pattern in column_patterns(card) if card else ():
        match = re.search(rf"(?<![\w-]){pattern}(?![\w-])", text, re.IGNORECASE)
        if match and column.name not in found:
            found[column.name] = (match.start(), column)
    return [column for _, column in sorted(found.values(), key=lambda p: p[0])]


def conditions(text: str, card: SchemaCard | None) -> list[Condition]:
    """Conditions named in a text, in order, not overlapping; values are typed to their column."""
    found: list[Condition] = []
    if card is None:
        return found
    for column, pattern in column_patterns(card):
        name = rf"(?<![\w-])(?:the )?{pattern}(?: column| field)?"
        _add(found, _compared(text, column, name))
        _add(found, _empty(text, column, name))
        _add(found, _equal(text, column, name))
    _add(found, _by_value(text, card))
    _add(found, _flags(text, card))
    return sorted(found, key=lambda c: c.start)


def _add(found: list[Condition], new: list[Condition]) -> None:
    found.extend(n for n in new if not any(n.start < f.end and f.start < n.end for f in found))


def _compared(text: str, column: Column, name: str) -> list[Condition]:
    out = []
    for words, op in _COMPARE:
        for match in re.finditer(rf"{name}s?\s+(?:is |are |values? )?{words}\s*({_NUMBER})(?![\w%])", text, re.I):
            value = typed(column, match.group(1))
            if isinstance(value, int | float):
                out.append(_condition(column, op, (value,), match))
    return out


def _empty(text: str, column: Column, name: str) -> list[Condition]:
    pattern = (
        rf"\b{_EMPTY}\s+(?:an? |any |the )?{name}(?P<tail>\s+is (?:missing|empty|null|blank))?(?!\s*(?:=|of|is \d))"
    )
    return [
        _condition(column, "is_null", (), m)
        for m in re.finditer(pattern, text, re.I)
        if m.group("tail") or not m.group().lower().startswith("where")
    ]


def _equal(text: str, column: Column, name: str) -> list[Condition]:
    out = []
    before = rf"(?P<n1>{_NUMBER})\s+(?:in|for|as)\s+(?:the\s+)?{name}(?![\w-])"
    for match in re.finditer(rf"(?<![\w.-]){before}", text, re.I):
        value = typed(column, match.group("n1"))
        if value is not None:
            out.append(_condition(column, "eq", (value,), match))
    for match in re.finditer(rf"{name}{_JOIN}{_VALUE}{_MORE}", text, re.I):
        raw = next((match.group(g) for g in "qsnw" if match.group(g) is not None), "")
        word = match.group("w")
        if word is not None and not _is_value(column, word, match.group("link")):
            continue
        others = re.findall(rf"{_NUMBER}|\"[^\"]+\"|'[^']+'", match.group("more") or "")
        values = [typed(column, v.strip("\"'")) for v in (raw, *others)]
        known = tuple(v for v in values if v is not None)
        if len(known) == len(values):
            out.append(_condition(column, "eq" if len(known) == 1 else "in", known, match))
    return out


def _is_value(column: Column, word: str, link: str | None) -> bool:
    """Whether a bare word after a column name is one of its values: known, or a code in capitals, or after `=`."""
    if any(v.casefold() == word.casefold() for v in column.values):
        return True
    if column.values or column.numeric:
        return False
    return bool(link and link.startswith("=")) or (word.isupper() and len(word) <= 4 and word != "I")


def _by_value(text: str, card: SchemaCard) -> list[Condition]:
    """Values of dimensions named alone: "South", "the pilot site"; a capital must stay one."""
    lowered = text.casefold()
    return [
        _condition(column, "eq", (value,), match)
        for column in card.by_role("dimension")
        for value in column.values[:200]
        if value.casefold() in lowered and len(value) >= 3 and _WORDY.search(value) and value.lower() not in _GENERIC
        for match in re.finditer(rf"(?<![\w-]){re.escape(value)}(?![\w-])", text, 0 if len(value) < 5 else re.I)
        if match.group()[0].isupper() or value[0].islower()
    ]


def _flags(text: str, card: SchemaCard) -> list[Condition]:
    """Boolean columns named by what they mark: `is_test` by "test orders"."""
    out = []
    for column in card.columns:
        if column.role != "boolean" or column.sql_type != "BOOLEAN":
            continue
        words = [w for w in re.findall(r"[a-z]+", column.name.lower()) if w not in _YES]
        if words:
            pattern = r"[\s_-]*".join(map(re.escape, words))
            out += [_condition(column, "eq", (True,), m) for m in re.finditer(rf"\b{pattern}(?:s|ed)?\b", text, re.I)]
    return out


def typed(column: Column, text: str) -> Value | None:
    """A written value as the type of its column; None where it cannot be one."""
    if column.numeric or (not column.values and re.fullmatch(r"-?\d+", text) and column.role != "text"):
        try:
            number = float(text.replace(",", "."))
        except ValueError:
            return None
        return int(number) if number.is_integer() else number
    if column.sql_type == "BOOLEAN":
        return {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}.get(text.lower())
    if column.temporal:
        return None
    return next((v for v in column.values if v.casefold() == text.casefold()), text)


def _condition(column: Column, op: FilterOp, values: tuple[Value, ...], match: re.Match[str]) -> Condition:
    return Condition(Filter(column=column.name, op=op, values=values), match.start(), match.end())
