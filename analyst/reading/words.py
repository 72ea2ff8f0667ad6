"""Words of a question and words of a column name, brought to forms that can be compared."""

import re
from dataclasses import dataclass
from functools import lru_cache

from analyst.reading.lexicon import ABBREVIATIONS, GENERIC, IRREGULAR, STOPWORDS, SYNONYMS

_TOKEN = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?|\d+(?:[.,]\d+)*|[^\s\w]|_")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_SUFFIXES = (
    "izations", "ization", "ations", "ation", "ements", "ement", "ments", "ment", "ances", "ance", "ences", "ence",
    "ities", "ity", "ings", "ing", "ions", "ion", "ally", "ness", "ers", "ors", "ed", "er", "or",
    "ly", "al", "es", "s", "e",
)  # fmt: skip


_LONG = 8
"""Letters from which "ry" ends a noun made of a verb: "recovery", "delivery", but not "country" or "factory"."""


@dataclass(frozen=True)
class Token:
    """One word, number or sign with its place in the text."""

    text: str
    start: int
    end: int

    @property
    def word(self) -> str:
        """Lower case, possessive dropped."""
        lowered = self.text.casefold()
        return lowered[:-2] if lowered.endswith("'s") else lowered

    @property
    def is_word(self) -> bool:
        """Whether it is a word or a number, not a sign."""
        return self.text[0].isalnum()

    @property
    def is_stop(self) -> bool:
        """Whether it carries no content of its own."""
        return self.word in STOPWORDS


def tokens(text: str) -> list[Token]:
    """Words, numbers and signs in order; "FamilySize" and "per_dem" stay findable by their parts."""
    found = []
    for match in _TOKEN.finditer(text):
        start = match.start()
        for part in _CAMEL.split(match.group()):
            found.append(Token(part, start, start + len(part)))
            start += len(part)
    return found


@lru_cache(maxsize=8192)
def name_words(name: str) -> tuple[str, ...]:
    """The words of a column name or value: split at signs, underscores and capitals, lower case."""
    return tuple(t.word for t in tokens(name) if t.is_word)


@lru_cache(maxsize=8192)
def lemma(word: str) -> str:
    """Singular of a noun, unchanged for everything else as far as spelling tells."""
    if word in IRREGULAR:
        return IRREGULAR[word]
    if len(word) <= 3 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "sses", "xes", "zes")):
        return word[:-2]
    return word[:-1]


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """A cruder form: "assigned", "assignment" and "assignments" meet in "assign"."""
    base = lemma(word)
    for _ in range(2):
        if base.endswith("ry") and len(base) >= _LONG:
            base = base[:-1]
        for suffix in _SUFFIXES:
            if base.endswith(suffix) and len(base) - len(suffix) >= 4 and not (suffix == "s" and base.endswith("ss")):
                base = base[: -len(suffix)]
                break
    if base.endswith("i"):
        base = base[:-1] + "y"
    return base[:-1] if len(base) > 4 and base[-1] == base[-2] and base[-1] not in "aeiouls" else base


@lru_cache(maxsize=65536)
def likeness(asked: str, named: str) -> float:
    """How well a word of a question stands for a word of a name, 0..1.

    1 equal · 0.95 singular/plural · 0.9 same stem or known abbreviation · 0.8 prefix · 0.75 synonym.
    """
    if asked == named:
        return 1.0
    if not asked or not named or asked[0].isdigit() or named[0].isdigit():
        return 0.0
    one, two = lemma(asked), lemma(named)
    if one == two:
        return 0.95
    if one in ABBREVIATIONS.get(two, ()) or two in ABBREVIATIONS.get(one, ()):
        return 0.9
    if len(one) > 4 and len(two) > 4 and stem(one) == stem(two):
        return 0.9
    if two in SYNONYMS.get(one, ()) or one in SYNONYMS.get(two, ()):
        return 0.75
    if 3 <= len(two) < len(one) - 2 and one.startswith(two) and two not in GENERIC:
        return 0.8
    return 0.0


def weight(word: str) -> float:
    """How much a word of a name says: little for "id", "number" or "of", all for the rest."""
    if word in STOPWORDS or word.isdigit():
        return 0.1
    return 0.3 if word in GENERIC else 1.0


def chained(asked: list[str], squashed: str) -> bool:
    """Whether the words in order, each shortened to a prefix of three letters or more, spell the name.

    "life expectancy" spells "lifeexp"; "gdp per capita" spells "gdppercap".
    """
    if not asked:
        return not squashed
    word = asked[0]
    for length in range(min(len(word), len(squashed)), min(2, len(word) - 1), -1):
        if squashed.startswith(word[:length]) and chained(asked[1:], squashed[length:]):
            return True
    return False
