"""Columns that a question changes before it looks at them: "log of price", "normalize age", "fill missing ages by"."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from analyst.reading.matching import Matcher
from analyst.reading.mentions import Mention
from datasets.measures import Measure, Value
from datasets.schema import SchemaCard

_LOG = re.compile(
    r"\b(?:(?P<ln>natural (?:log\w*|logarithm\w*)|ln\b|log1p)|log(?:arithm\w*)?(?=\W|_|\d|$)"
    r"(?!\w*[ -](?:price |stock )?returns?\b)[ -]?(?P<b>10|2)?)",
    re.I,
)
_BASE = re.compile(r"\bbase[ -]?(?P<b>10|2|e)\b|\blog ?(?P<c>10|2)\b", re.I)
_ADDED = re.compile(
    r"(?:constant|value|epsilon|add(?:ing)?)[^.;\d]{0,20}\(?\s*(?P<n>\d+(?:\.\d+)?(?:e[-+]?\d+)?)\s*\)?"
    r"|\+\s*(?P<m>\d+(?:\.\d+)?(?:e[-+]?\d+)?)",
    re.I,
)
_STANDARD = re.compile(
    r"\bstandardi[sz]\w*|\bz-?scores?\b(?= (?:of|for) )(?! \w+ [\w .]{2,40}? (?:above|over|beyond"
    r"|exceed\w*|(?:greater|larger|higher) than) )|\bz-?score normali[sz]\w*",
    re.I,
)
_SCALED = re.compile(r"\bnormali[sz](?!ed? by)\w*|\bmin[- ]?max\b|\b(?:re)?scal(?:e|ed|ing)\b(?! of\b)", re.I)
_NORMAL_ZSCORE = re.compile(r"z-?score|standard ?scal|mean (?:of )?0|zero mean|unit variance", re.I)
_BINARY = re.compile(r"\bbinary\b|\b0 (?:and|or) 1\b|\b0/1\b|\blabel[- ]encod\w*|\bto numeric\w*", re.I)
_ROOT = re.compile(r"\bsquare[- ]roots?\b|\bsqrt\b", re.I)
_FILLED = re.compile(r"\b(?:fill|filling|filled|imput\w+|replac\w+|handl\w+)\b", re.I)
_GAPS = re.compile(r"\b(?:missing|null|nan|na|empty|blank|imput\w+)\b", re.I)
_BY_MEAN = re.compile(r"\b(?:mean|average)s?\b", re.I)
_BY_MEDIAN = re.compile(r"\bmedians?\b", re.I)
_BY_NUMBER = re.compile(r"\b(?:with|by|to|as)\s+(?:a |the )?(?:value (?:of )?)?(?P<n>zeros?|-?\d+(?:\.\d+)?)\b", re.I)
OF_GROUP = re.compile(
    r"\b(?:same|each|every|its|their|respective|corresponding|per|by|within|group\w*)\b"
    r"(?! (?:column|feature|variable|field|row)s?)",
    re.I,
)
_ORIGINAL = re.compile(r"\b(?:before|original\w*|raw|prior to|untransformed|unscaled)\b", re.I)
_APART = re.compile(
    r"[,;]?\s*\b(?:and|then)\b\s+(?=(?:then )?(?:apply|fill|impute|normali[sz]e|transform|take|scale)\b)"
)
_NEAR = 60
_NOT = re.compile(
    r"\b(?:do not|don't|without|no|not)\s+(?:any\s+|apply\s+|further\s+)*(?:normali|scal|transform|imput|fill|log)",
    re.I,
)


@dataclass(frozen=True)
class Changed:
    """A column and what it is changed into."""

    column: str
    measure: Measure


def changes_in(sentences: Sequence[str], matcher: Matcher) -> tuple[Changed, ...]:
    """The changes of columns that the sentences ask for, one for each column, the first that is said of it.

    A fill with the mean of a group is none of them: it is not read.
    """
    found: dict[str, Changed] = {}
    whole = "\n".join(sentences)
    for sentence in sentences:
        for part in _APART.split(sentence):
            for change in _coded(part, matcher):
                found.setdefault(change.column, change)
            for column, values in _read(part, whole, matcher):
                change = Changed(column, Measure(kind="transformed", columns=(column,), values=values))
                found.setdefault(column, change)
    return tuple(found.values())


def says_original(text: str) -> bool:
    """Whether a clause speaks of the values before the change, too."""
    return _ORIGINAL.search(text) is not None


def _read(part: str, whole: str, matcher: Matcher) -> list[tuple[str, tuple[Value, ...]]]:
    numbers = [m for m in matcher.mentions(part) if m.how != "value" and _numeric(matcher.card, m)]
    if not numbers or _NOT.search(part):
        return []
    filled = _filled(part)
    if filled:
        return [(m.column, filled) for m in numbers]
    log = next((m for m in _LOG.finditer(part) if not _inside(m, numbers)), None)
    if log:
        chosen = _nearest(log.start(), numbers)
        return [(chosen.column, _logarithm(log, part, whole))]
    if _STANDARD.search(part):
        return [(m.column, ("zscore",)) for m in _after(_STANDARD, part, numbers)]
    root = _ROOT.search(part)
    if root:
        return [(_nearest(root.start(), numbers).column, ("sqrt",))]
    if _SCALED.search(part):
        how = "zscore" if _NORMAL_ZSCORE.search(whole) and not re.search(r"min[- ]?max", whole, re.I) else "minmax"
        return [(m.column, (how,)) for m in _after(_SCALED, part, numbers)]
    return []


def _coded(part: str, matcher: Matcher) -> list[Changed]:
    """Columns of two values that become 0 and 1, the later in the alphabet 1, as encoders have it."""
    if not _BINARY.search(part):
        return []
    columns = [matcher.card.column(m.column) for m in matcher.mentions(part) if m.how != "value"]
    return [
        Changed(c.name, Measure(kind="indicator", columns=(c.name,), values=(sorted(c.values)[-1],)))
        for c in columns
        if c.distinct == 2 and len(c.values) == 2 and c.sql_type == "VARCHAR"
    ]


def _logarithm(found: re.Match[str], part: str, whole: str) -> tuple[Value, ...]:
    base = found["b"] or next((b["b"] or b["c"] for b in (_BASE.search(part), _BASE.search(whole)) if b), None)
    name = {"10": "log10", "2": "log2"}.get(base or "", "ln") if not found["ln"] else "ln"
    if found["ln"] and found["ln"].lower() == "log1p":
        return (name, 1)
    added = next(
        (a for s in (part, *whole.splitlines()) if _LOG.search(s) or s == part for a in [_ADDED.search(s)] if a), None
    )
    return (name, float(added["n"] or added["m"])) if added else (name,)


def _filled(part: str) -> tuple[Value, ...] | None:
    if not _FILLED.search(part) or not _GAPS.search(part):
        return None
    mean, median = _BY_MEAN.search(part), _BY_MEDIAN.search(part)
    if (mean or median) and OF_GROUP.search(part):
        return None
    if median and (not mean or median.start() < mean.start()):
        return ("filled_median",)
    if mean:
        return ("filled_mean",)
    number = _BY_NUMBER.search(part)
    return ("filled_value", 0.0 if number["n"].startswith("z") else float(number["n"])) if number else None


def _after(pattern: re.Pattern[str], part: str, numbers: list[Mention]) -> list[Mention]:
    """The columns named behind the word, where there are any; else those before it."""
    at = min(m.start() for m in pattern.finditer(part))
    return [m for m in numbers if m.start >= at] or [m for m in numbers if at - m.end <= _NEAR]


def _nearest(at: int, numbers: list[Mention]) -> Mention:
    return min(numbers, key=lambda m: (m.start - at) if m.start >= at else 2 * (at - m.end))


def _inside(found: re.Match[str], mentions: Sequence[Mention]) -> bool:
    return any(m.start <= found.start() < m.end for m in mentions)


def _numeric(card: SchemaCard, mention: Mention) -> bool:
    column = card.column(mention.column)
    return column.numeric and column.role != "identifier"
