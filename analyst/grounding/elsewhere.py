"""Columns, values and aggregates that a sentence names and its findings do not speak of."""

import re

from analyst.grounding.cells import Evidence
from analyst.grounding.names import SPOKEN, name_pattern
from datasets.schema import Column, SchemaCard

_NAME_CHARS = 3
_PLAIN = frozenset(
    [
        "value",
        "count",
        "number",
        "share",
        "rate",
        "level",
        "year",
        "month",
        "day",
        "week",
        "quarter",
        "rank",
        "index",
        "total",
        "average",
    ]
)
"""Names of columns that sentences use as words."""
_WORDS = frozenset(
    ["high", "medium", "other", "none", "unknown", "first", "second", "third", "last", "more", "less", "many", "most",
     "open", "good", "large", "small", "long", "short", "this", "that", "with", "from", "both", "same", "true", "false"]
)  # fmt: skip
"""Values in lower case that are words of any sentence."""
MEANS = re.compile(r"\baverag(?:e[sd]?|ing)\b|\bmeans?\b(?! that)", re.IGNORECASE)
TOTALS = re.compile(r"\btotal (?=[^\W\d])", re.IGNORECASE)
_AGGREGATES = (
    ("an average", MEANS, re.compile(r"average|mean\b|mean\(|typical")),
    ("a total", TOTALS, re.compile(r"\btotal|sum\(|\bsum\b")),
    ("a median", re.compile(r"\bmedians?\b", re.IGNORECASE), re.compile(r"median|typical")),
)  # fmt: skip


def elsewhere(sentence: str, evidence: Evidence, card: SchemaCard) -> str | None:
    """Return what of the dataset a sentence names that its findings do not speak of, or None."""
    words = evidence.words
    for what, said, known in _AGGREGATES:
        if said.search(sentence) and not known.search(words):
            return f"it speaks of {what}, and its findings do not"
    for column in card.columns:
        other = _other_measure(sentence, column, words) or _other_number(sentence, column, words)
        if other is not None:
            return f"{other!r} is not in the evidence"
        if column.role in {"dimension", "text", "identifier"}:
            spoken = column.role == "dimension" and (
                column.name.casefold() in words or any(v.casefold() in SPOKEN for v in column.values[:3])
            )
            value = next((v for v in column.values if _is_other(sentence, v, words, spoken=spoken)), None)
            if value is not None:
                return f"{value!r} is not in the evidence"
    return None


def measure_named(text: str, column: Column) -> bool:
    """Whether a text names a measure of the dataset, with spaces for underscores."""
    name = column.name.casefold()
    if not column.numeric or column.role != "measure" or len(name) < _NAME_CHARS or name in _PLAIN:
        return False
    spoken = r"[\s_]".join(map(re.escape, re.split(r"[\s_]+", name)))
    return re.search(rf"(?<!\w){spoken}s?(?!\w)", text.casefold()) is not None


def _other_measure(sentence: str, column: Column, words: str) -> str | None:
    return column.name if measure_named(sentence, column) and not measure_named(words, column) else None


def _other_number(sentence: str, column: Column, words: str) -> str | None:
    """A group that is a number ("Pclass 1"), where the findings speak of others of that column."""
    pattern = rf"(?<!\w){re.escape(column.name.casefold())}(?: is|:| =)? (\d+)(?!\w|[.,]\d)"
    known = set(re.findall(pattern, words))
    told = set(re.findall(pattern, sentence.casefold()))
    return f"{column.name} {min(told - known)}" if known and told - known else None


def _is_other(sentence: str, value: str, words: str, *, spoken: bool) -> bool:
    """Whether a sentence names a value that the findings do not; only values that look like names are looked for.

    `spoken`: the findings speak of its column, so that a longer word in lower case is a name as well.
    """
    named = value[:1].isupper() or (spoken and len(value) > _NAME_CHARS and value not in _WORDS and value.isalpha())
    if spoken and SPOKEN.get(value.casefold()) and name_pattern(value.casefold()).search(sentence.casefold()):
        return not name_pattern(value.casefold()).search(words)
    if len(value) < _NAME_CHARS or not named or value not in sentence or value.casefold() in words:
        return False
    if not re.search(rf"(?<!\w){re.escape(value)}(?!\w)", sentence):
        return False
    return not (sentence.startswith(value) and len(value.split()) == 1 and len(value) < 4)
