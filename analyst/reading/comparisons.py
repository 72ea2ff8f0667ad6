"""Comparisons with a number beside which no column stands: "earn more than 80000", "under 18", "expenses above 500"."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from analyst.reading.conditions import COMPARED, SPOKEN, number_of, years_elsewhere
from analyst.reading.durations import durations
from analyst.reading.matching import Matcher
from analyst.reading.verbs import measure_of_verb
from analyst.reading.words import name_words, stem
from datasets.measures import Filter, FilterOp
from datasets.schema import Column, SchemaCard

_NUMBER = SPOKEN.replace("-?", "")
_UNIT = r"(?:\s*(?P<u>years? old|years? of age|days?|hours?|minutes?|weeks?))?"
_PLAIN = tuple(
    (re.compile(rf"(?<!\w)(?:{words})\s*{_NUMBER}{_UNIT}(?!\s*%|[\d])", re.I), op) for words, op in COMPARED[:4]
)
_WITHIN = re.compile(rf"(?<!\w)(?P<w>within)\s+{_NUMBER}{_UNIT}(?!\s*%|[\d])", re.I)
_SECOND = _NUMBER.replace("<n>", "<n2>").replace("<k>", "<k2>")
_BETWEEN = re.compile(rf"(?<!\w)(?:between|from)\s+{_NUMBER}\s+(?:and|to)\s+{_SECOND}{_UNIT}", re.I)
_OR_MORE = re.compile(
    rf"(?<![\w.]){_NUMBER}{_UNIT}\s*"
    r"(?:(?:and|or) (?P<w>above|over|more|older|higher|up|below|under|less|younger|fewer))",
    re.I,
)
_AGED = re.compile(r"\b(?:older|younger|aged?|years? old|years? of age)\b", re.I)
_OF_PEOPLE = re.compile(
    r"(?:\b(?:is|are|was|were|who|that|those|people|men|women|children|kids?|girls|boys)|\w{2,}s)\s+$"
)
_OLDEST = 130
_LASTED = re.compile(
    r"\b(?:took|takes?|taken|last(?:s|ed)?|need(?:s|ed)?|wait(?:s|ed)?|stay(?:s|ed)?|open|longer|shorter|within|resolved"
    r"|closed|processed|delivered|shipped|completed|finished|answered)\b",
    re.I,
)


@dataclass(frozen=True)
class Comparison:
    """A number with the sign before it, and its place. `unit`: what was said behind it."""

    op: FilterOp
    numbers: tuple[int | float, ...]
    unit: str
    start: int
    end: int


def comparisons(text: str, taken: Sequence[tuple[int, int]]) -> list[Comparison]:
    """The comparisons with numbers that stand outside of the places taken, in order."""
    found: list[Comparison] = []

    def add(match: re.Match[str], op: FilterOp, numbers: tuple[int | float, ...]) -> None:
        start, end = match.span()
        number_at = match.start("n")
        inside = any(s <= number_at < e for s, e in taken)
        if not inside and not any(start < c.end and c.start < end for c in found):
            found.append(Comparison(op, numbers, (match["u"] or "").lower(), start, end))

    for match in _BETWEEN.finditer(text):
        add(match, "between", (number_of(match["n"], match["k"]), number_of(match["n2"], match["k2"])))
    for match in _OR_MORE.finditer(text):
        less = match["w"].lower() in {"below", "under", "less", "younger", "fewer"}
        add(match, "le" if less else "ge", (number_of(match["n"], match["k"]),))
    for match in _WITHIN.finditer(text):
        add(match, "le", (number_of(match["n"], match["k"]),))
    for pattern, op in _PLAIN:
        for match in pattern.finditer(text):
            add(match, op, (number_of(match["n"], match["k"]),))
    return sorted(found, key=lambda c: c.start)


def placed(found: Comparison, text: str, matcher: Matcher, measures: Sequence[str]) -> Filter | None:
    """The condition that a comparison means; None where no column can be told.

    Read by its unit, by the words for age, by the verb before it, by how long something took; else it is on the only
    number that the clause speaks of (`measures`), or that the dataset has.
    """
    card = matcher.card
    said = text[found.start : found.end]
    lead = text[: found.start]
    age = _age(card)
    if age and (found.unit.startswith("year") or _AGED.search(said)):
        return _on(age, found)
    if found.unit in {"day", "days", "hour", "hours", "minute", "minutes", "week", "weeks"}:
        return _lasting(found, text, matcher)
    spoken = measure_of_verb(lead, card, at_end=True)
    if spoken:
        return _on(spoken, found)
    numbers = list(dict.fromkeys(measures))
    if len(numbers) == 1 and card.column(numbers[0]).numeric and not _OF_PEOPLE.search(lead):
        return _on(card.column(numbers[0]), found)
    if age and _OF_PEOPLE.search(lead) and max(found.numbers) <= _OLDEST and not re.search(r"\bthan\b", said):
        return _on(age, found)
    if re.search(r"\w{3,}s\s+(?:of |are |is |were |was )?$", lead):
        column = card.column(numbers[0]) if len(numbers) == 1 else _only_number(card)
        return _on(column, found) if column and column.numeric else None
    return None


def _on(column: Column, found: Comparison) -> Filter | None:
    condition = Filter(column=column.name, op=found.op, values=found.numbers)
    return None if years_elsewhere(condition, column) else condition


def _age(card: SchemaCard) -> Column | None:
    return next((c for c in card.columns if c.numeric and stem(c.name.casefold()) == "age"), None)


def _only_number(card: SchemaCard) -> Column | None:
    measures = card.by_role("measure")
    return measures[0] if len(measures) == 1 else None


def _lasting(found: Comparison, text: str, matcher: Matcher) -> Filter | None:
    """ "took more than 10 days to close": the time from one date to another, or a column that counts such units."""
    weeks = found.unit.startswith("week")
    unit = "days" if weeks else f"{found.unit.rstrip('s')}s"
    numbers = tuple(n * 7 for n in found.numbers) if weeks else found.numbers
    counted = [c for c in matcher.card.by_role("measure") if unit in {*name_words(c.name), c.unit}]
    if len(counted) == 1:
        return Filter(column=counted[0].name, op=found.op, values=numbers)
    if not _LASTED.search(text):
        return None
    spans = durations(matcher.card, text, matcher)
    if not spans or spans[0][1] < 0.6:
        return None
    start, end = spans[0][0].columns
    condition = {"column": start, "until": end, "unit": unit, "op": found.op, "values": numbers}
    return Filter.model_validate(condition)
