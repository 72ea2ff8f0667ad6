"""What a measure is to be: held within quantiles, read from another column, or calculated from others."""

import re

from analyst.notes.acts import Act
from analyst.notes.conditions import columns_named
from datasets.directives import MetricDefinition, UseColumn, Winsorize
from datasets.measures import Measure, MeasureKind
from datasets.schema import Column, SchemaCard

_WINSORIZE = re.compile(
    r"\b(?:winsori[sz]\w*|(?:cap|clip|trim|limit|clamp|hold)(?:ped|ping)?\b(?=.{0,60}(?:percentiles?|quantiles?|%)))",
    re.IGNORECASE,
)
_LEVEL = re.compile(
    r"(?<![\w.])(?P<n>\d{1,2}(?:\.\d+)?)\s*(?:st|nd|rd|th)?\s*(?=%|per ?cent|and\b|to\b|/|-|–|\s*$)", re.I
)
_INSTEAD = re.compile(
    r"\b(?:use|take|read|report|prefer|go by)\b(?P<a>.{2,60}?)\s*,?\s*"
    r"\b(?:instead of|rather than|in place of|not|for|(?:wherever|when(?:ever)?) (?:i|we) say)\b(?P<b>.{2,60})",
    re.IGNORECASE,
)
_DEFINES = re.compile(
    r"(?:\bby\s+(?P<by>[\w ]{2,40}?)\s*,?\s+(?:i|we)\s+mean\b"
    r"|(?P<name>[\w ]{2,40}?)[\"']?\s*(?:\b(?:means?|is (?:defined|calculated) as|is always|is|equals?|should be)\b|=))"
    r"\s*(?:the\s+)?(?P<says>.{3,120})",
    re.IGNORECASE,
)
_SIGNS: tuple[tuple[MeasureKind, str], ...] = (
    ("product_of", r"\b(?:times|multiplied by)\b|\s[*×x]\s"),
    ("ratio_of", r"\b(?:divided by|over|per)\b|\s[/÷]\s"),
    ("difference_of", r"\b(?:minus|less|without)\b|\s[-–]\s"),
    ("sum_of", r"\b(?:plus)\b|\s\+\s"),
)
_LEAD = re.compile(r"^(?:(?:please|note that|remember(?: that)?|for us|here|our|the|in this file|so)\b[,:]?\s*)+", re.I)


def measure_acts(text: str, card: SchemaCard | None) -> list[Act]:
    """Read what is to be done to a measure; at most one act, empty where no column of the card fits."""
    if card is None:
        return []
    return _winsorized(text, card) or _replaced(text, card) or _defined(text, card)


def _winsorized(text: str, card: SchemaCard) -> list[Act]:
    found = _WINSORIZE.search(text)
    columns = [c for c in columns_named(text, card) if c.numeric and c.role == "measure"]
    if not found or len(columns) != 1:
        return []
    levels = sorted(float(m["n"]) / 100 for m in _LEVEL.finditer(text))
    low = levels[0] if levels and levels[0] < 0.5 else 1 - levels[-1] if levels else 0.01
    high = levels[-1] if levels and levels[-1] > 0.5 else 1 - low
    directive = Winsorize(column=columns[0].name, low_0_1=round(low, 4), high_0_1=round(high, 4))
    words = f"{100 * directive.low_0_1:g}% and {100 * directive.high_0_1:g}%"
    name = columns[0].name
    sentence = f"Hold {name} within its {words} quantiles."
    return [Act("measure", f"winsorize:{name}", words, sentence, directive.model_dump(mode="json"))]


def _replaced(text: str, card: SchemaCard) -> list[Act]:
    match = _INSTEAD.search(text)
    if not match:
        return []
    column, former = _only(match["a"], card), _only(match["b"], card)
    if column is None or former is None or column.name == former.name:
        return []
    if not (column.numeric and former.numeric) and column.sql_type != former.sql_type:
        return []
    directive = UseColumn(column=column.name, instead_of=former.name).model_dump(mode="json")
    sentence = f"Use {column.name} instead of {former.name}."
    return [Act("measure", f"column:{former.name}", column.name, sentence, directive)]


def _defined(text: str, card: SchemaCard) -> list[Act]:
    match = _DEFINES.search(text)
    if not match:
        return []
    said = _LEAD.sub("", (match["by"] or match["name"]).strip())
    kind = next((kind for kind, sign in _SIGNS if re.search(sign, match["says"], re.I)), None)
    if kind is None or not said or len(said.split()) > 4:
        return []
    sign = next(pattern for k, pattern in _SIGNS if k == kind)
    parts = [_only(part, card) for part in re.split(sign, match["says"], flags=re.I)]
    inputs = tuple(c.name for c in parts if c is not None and c.numeric)
    if len(inputs) != len(parts) or len(set(inputs)) < 2 or (kind == "ratio_of" and len(inputs) != 2):
        return []
    same = _only(said, card)
    name = same.name if same is not None and same.numeric else said.strip().replace(" ", "_").lower()
    if name in inputs or (same is not None and not same.numeric):
        return []
    expression = Measure(kind=kind, columns=inputs)
    directive = MetricDefinition(metric=name, expression=expression).model_dump(mode="json")
    return [Act("measure", f"definition:{name}", expression.words, f"{name} means {expression.words}.", directive)]


def _only(text: str, card: SchemaCard) -> Column | None:
    """The one column that a few words name."""
    columns = columns_named(text, card)
    exact = [c for c in columns if c.name.casefold() == text.strip().strip("\"'.,;").casefold()]
    chosen = exact or columns
    return chosen[0] if len(chosen) == 1 else None
