"""Values said beside the name of their column: "third class", "high priority", "class 3", "grade A"."""

import re

from analyst.reading.conditions import negated
from analyst.reading.mentions import Mention
from analyst.reading.values import typed
from analyst.reading.words import likeness, name_words
from datasets.measures import Filter
from datasets.schema import Column

_ORDINALS = {
    word: n
    for n, words in enumerate(
        (("first", "1st"), ("second", "2nd"), ("third", "3rd"), ("fourth", "4th"), ("fifth", "5th"), ("sixth", "6th")),
        start=1,
    )
    for word in words
}
_WORD_BEFORE = re.compile(r"(?P<w>[\w-]+)[ -]+[\"'`]?$")
_WORD_AFTER = re.compile(r"[\"'`]?\s+[\"'`]?(?P<w>[A-Za-z]\w*)\b")
_MOST_VALUES = 40
_LEADING_RANK = re.compile(r"^\s*\d+\s*[-–.:)]\s*")
_NOT_SAID = frozenset({"all", "each", "every", "other", "same", "no", "the", "a", "any", "of", "by", "per", "in", "is"})


def beside(text: str, mention: Mention, column: Column) -> tuple[Filter, int, int] | None:
    """The value that stands beside a mentioned column, as a condition, and its place; None where none does."""
    if mention.how == "value" or not 1 < column.distinct <= _MOST_VALUES or column.role not in _GROUPED:
        return None
    before = _WORD_BEFORE.search(text[: mention.start])
    if before and before["w"].lower() not in _NOT_SAID:
        value = _ordinal(before["w"], column) or _spelled(before["w"], column)
        if value is not None:
            return _condition(text, before.start(), mention.end, column, value)
    after = _WORD_AFTER.match(text, mention.end)
    if after and mention.how in {"name", "quoted", "words"} and after["w"][0].isupper():
        value = _spelled(after["w"], column)
        if value is not None:
            return _condition(text, mention.start, after.end(), column, value)
    return None


_GROUPED = frozenset({"dimension", "boolean"})


def _condition(text: str, start: int, end: int, column: Column, value: str) -> tuple[Filter, int, int]:
    op: str = "ne" if negated(text, start) else "eq"
    return Filter.model_validate({"column": column.name, "op": op, "values": (typed(column, value),)}), start, end


def _ordinal(word: str, column: Column) -> str | None:
    """ "third" of a class that is numbered, or whose values begin with their number: "3", "3 - Moderate", "3rd"."""
    number = _ORDINALS.get(word.lower())
    if number is None:
        return None
    return next((v for v in column.values if re.match(rf"\s*{number}(?:\.0+)?(?:st|nd|rd|th)?(?![\w.])", v)), None)


def _spelled(word: str, column: Column) -> str | None:
    """The value that is this one word, its rank before it aside: "high" for "2 - High"."""
    for value in column.values:
        words = name_words(_LEADING_RANK.sub("", value))
        if len(words) == 1 and not column.numeric and likeness(word.lower(), words[0]) >= 0.95:
            return value
    return None
