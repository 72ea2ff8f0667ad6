"""Values of columns as a question may write them."""

import re
from collections import defaultdict
from collections.abc import Sequence

from analyst.reading.lexicon import GENERIC, MONEY, STOPWORDS
from analyst.reading.mentions import Mention
from analyst.reading.words import Token, likeness, name_words, stem, weight
from datasets.measures import Value
from datasets.schema import Column, SchemaCard

_PLAIN_ADJECTIVES = frozenset(
    [
        "high",
        "low",
        "other",
        "all",
        "total",
        "new",
        "old",
        "open",
        "none",
        "unknown",
        "best",
        "good",
        "bad",
        "average",
        "normal",
        "first",
        "last",
        "yes",
        "no",
        "true",
        "false",
        "medium",
        "large",
        "small",
        "big",
        "long",
        "short",
        "same",
        "different",
        "general",
        "misc",
        "miscellaneous",
        "active",
        "single",
        "multiple",
        "high-risk",
        "may",
        "march",
    ]
)
_NUMBER_IN_TEXT = re.compile(
    r"^\s*[$€£¥]?\s*[+-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:[eE][+-]?\d+)?\s*(?:%"
    r"|[\[(].*|[A-Za-z°µ]{1,6}|[*†‡#]+)?\s*$"
)
_COMPARING = frozenset({"between", "and", "or", "vs", "versus", "than", "against"})
_LEADING_RANK = re.compile(r"^\s*\d+\s*[-–.:)]\s*")
_SEARCHED = 300
_MANY = 60
_ADJECTIVE = 5
_KIN = {"man": "male", "men": "male", "woman": "female", "women": "female", "girls": "female", "boys": "male"}


_OF_SEX = frozenset({"sex", "gender"})
_SEXES = {"F": "female", "W": "female", "M": "male"}
"""What a letter stands for in a column of sexes."""


class ValueIndex:
    """Looks up which columns hold a value, and where a text names one."""

    def __init__(self, card: SchemaCard) -> None:
        self._signed: dict[str, tuple[str, str]] = {}
        self._many: set[str] = set()
        self._exact: dict[str, list[tuple[str, str]]] = defaultdict(list)
        self._by_first: dict[str, list[tuple[tuple[str, ...], str, str]]] = defaultdict(list)
        for column in sorted(card.columns, key=_trust):
            for value in column.values:
                self._exact[value.casefold().strip()].append((column.name, value))
            if column.role in {"dimension", "boolean", "constant"} and not column.numeric:
                self._many |= {column.name} if column.distinct > _MANY else set()
                for value in column.values[:_SEARCHED]:
                    self._add(column, value)

    def holders(self, content: str) -> list[tuple[str, str]]:
        """(column, value as stored) where a column holds the value, most trusted column first."""
        return list(self._exact.get(content.casefold().strip(), []))

    def found(self, text: str, runs: Sequence[Sequence[Token]]) -> list[Mention]:
        """Places in a text that name a value, longest first where they overlap."""
        found = self._signed_in(text, runs)
        for run in runs:
            at = 0
            while at < len(run):
                if any(m.start <= run[at].start < m.end for m in found):
                    at += 1
                    continue
                hit = self._longest(run, at)
                if hit is None:
                    at += 1
                    continue
                length, holders = hit
                start, end = run[at].start, run[at + length - 1].end
                columns = tuple((column, 0.95) for column, _ in holders)
                found.append(Mention(start, end, text[start:end], columns, "value", holders[0][1]))
                at += length
        return found

    def _signed_in(self, text: str, runs: Sequence[Sequence[Token]]) -> list[Mention]:
        """Values with signs or digits in them that stand in the text as stored: ">50K", "R&D"."""
        found: list[Mention] = []
        lowered = text.lower()
        for wanted, (column, value) in self._signed.items():
            at = lowered.find(wanted)
            end = at + len(wanted)
            free = any(run[0].start <= at and end <= run[-1].end for run in runs if run)
            if at >= 0 and free and not lowered[end : end + 1].isalnum() and not lowered[max(0, at - 1) : at].isalnum():
                found.append(Mention(at, end, text[at:end], ((column, 0.95),), "value", value))
        return found

    def _add(self, column: Column, value: str) -> None:
        letter = _SEXES.get(value.strip().upper()) if _OF_SEX & set(name_words(column.name)) else None
        if letter:
            self._by_first[_key(letter)].append(((letter,), column.name, value))
        if (len(value) >= 3 and not value.replace(" ", "").isalnum()) or (value.isalnum() and not value.isalpha()):
            self._signed.setdefault(value.lower().strip(), (column.name, value))
        for form in {value, _LEADING_RANK.sub("", value)}:
            words = name_words(form)
            if words and not all(w.isdigit() for w in words) and len(words) <= 6:
                self._by_first[_key(words[0])].append((words, column.name, value))

    def _longest(self, run: Sequence[Token], at: int) -> tuple[int, list[tuple[str, str]]] | None:
        first = run[at]
        if not first.is_word:
            return None
        best: dict[str, str] = {}
        length = 0
        found = [hit for form in _forms(first.word) for hit in self._by_first.get(_key(form), ())]
        for words, column, value in found:
            size = _matches(run, at, words, value)
            if size == 1 and column in self._many and run[at].text.islower():
                continue
            if size > length:
                best, length = {column: value}, size
            elif size and size == length:
                best.setdefault(column, value)
        return (length, list(best.items())) if length else None


def typed(column: Column, value: str) -> Value:
    """A stored value as the type of its column, for use in a filter."""
    if column.sql_type == "BOOLEAN":
        return value.casefold() in {"true", "t", "1", "yes"}
    if column.numeric:
        number = float(value)
        return int(number) if number.is_integer() else number
    return value


def holds_numbers(column: Column) -> bool:
    """Whether most values are numbers, perhaps with a sign, a unit or a range in brackets: "630308[495000-801000]"."""
    if column.numeric:
        return True
    if column.sql_type != "VARCHAR" or column.distinct < 2:
        return False
    sample = column.values[:60]
    return sum(_NUMBER_IN_TEXT.match(v) is not None for v in sample) > 0.5 * len(sample)


def _matches(run: Sequence[Token], at: int, words: tuple[str, ...], value: str) -> int:
    """Number of tokens that spell the value from one place on, 0 when they do not."""
    i = at
    for word in words:
        while i < len(run) and i > at and not run[i].is_word and run[i].text in "-_/&'.":
            i += 1
        if i >= len(run) or not _same(run[i], word):
            return 0
        i += 1
    plain = all(w in STOPWORDS or w in GENERIC or w in _PLAIN_ADJECTIVES or w in MONEY or len(w) <= 2 for w in words)
    if plain:
        written = run[at].text
        stored = _LEADING_RANK.sub("", value)
        cased = stored.startswith(written) and written != written.lower()
        begins = at == 0 and not written.isupper()
        if len(words) == 1 and len(words[0]) > 2 and at and run[at - 1].word in {"than", "vs", "versus"}:
            return i - at
        if not cased or begins or (written in {"A", "I"} and not _stands_for_itself(run, at)):
            return 0
    return i - at


def _stands_for_itself(run: Sequence[Token], at: int) -> bool:
    """Whether a capital A or I is a name and no article or pronoun: "between A and B", "B vs A", "is B above A?"."""
    before = run[at - 1] if at else None
    after = run[at + 1] if at + 1 < len(run) else None
    if (before and before.word in _COMPARING) or (after and after.word in _COMPARING):
        return run[at].text == "A" or bool(before and before.word in _COMPARING - {"and", "or"})
    return run[at].text == "A" and before is not None and (after is None or not after.is_word) and before.is_word


def _same(token: Token, word: str) -> bool:
    asked = _KIN.get(token.word, token.word)
    return (
        asked == word
        or word in _forms(asked)
        or (len(word) > 2 and weight(word) >= 1 and likeness(asked, word) >= 0.95)
    )


_OF_PLACES = (
    ("ean", "e"),
    ("ian", "ia"),
    ("ian", "y"),
    ("an", "a"),
    ("an", "as"),
    ("ern", ""),
    ("ese", ""),
    ("ish", ""),
)


def _forms(word: str) -> tuple[str, ...]:
    """A word, and the names that it may be the adjective of: "african" of "africa", "northern" of "north"."""
    if len(word) < _ADJECTIVE:
        return (word,)
    return (word, *(word[: -len(end)] + noun for end, noun in _OF_PLACES if word.endswith(end)))


def _key(word: str) -> str:
    return stem(_KIN.get(word, word))


def _trust(column: Column) -> tuple[bool, int]:
    return (column.role not in {"dimension", "boolean"}, column.distinct)
