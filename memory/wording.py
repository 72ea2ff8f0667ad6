"""Reading a free-text statement: the quantities, periods, names, polarity and words that decide what it is about.

English only; a statement in another language yields its numbers, names and words and no polarity.
"""

import math
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from memory import lexicon

_T = TypeVar("_T")

_CLOSING = re.compile(lexicon.CLOSING)
_BOUND = re.compile(lexicon.BOUND, re.IGNORECASE)
_MONTH = "|".join(lexicon.MONTHS)
_QUOTED = re.compile(r"'([^']{1,30})'|#(?=\d*[A-Fa-f])[0-9A-Fa-f]{6}\b|\b[DMY]{2,4}([./-])[DMY]{2}\2[DMY]{2,4}\b")
_COLUMN = re.compile(r"\b[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+\b|(?<!\S)/\w+")
_CLOCK = re.compile(r"\b(\d{1,2})(?::(\d{2}))? ?(am|pm)\b|\b(\d{1,2}):(\d{2})\b", re.IGNORECASE)
_ISO_DATE = re.compile(r"\b(?P<y>\d{4})-(?P<m>\d{2})(?:-(?P<d>\d{2}))?\b")
_DAY_MONTH = re.compile(rf"\b(?P<d>\d{{1,2}})(?:st|nd|rd|th)? (?P<m>{_MONTH})(?:,? (?P<y>\d{{4}}))?\b", re.IGNORECASE)
_MONTH_DAY = re.compile(rf"\b(?P<m>{_MONTH}) (?P<d>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,? (?P<y>\d{{4}}))?", re.IGNORECASE)
# "may" is a month only with a capital and never at the start of a sentence that asks or permits.
_MONTH_YEAR = re.compile(rf"\b(?P<m>May|(?i:{_MONTH.replace('|may', '')}))\b(?: (?P<y>\d{{4}}))?")
_QUARTER = re.compile(r"\bQ(?P<q>[1-4])\b(?:[ '](?P<y>\d{4}|\d{2})\b)?", re.IGNORECASE)
_YEAR = re.compile(r"\b(?P<y>(?:19|20)\d{2})\b")
_WEEKDAY = re.compile(rf"\b(?P<w>{'|'.join(lexicon.WEEKDAYS)})s?\b", re.IGNORECASE)
_CODE = re.compile(
    r"#[0-9A-Fa-f]{3,}\b|\b[A-Za-z]{1,6}-\d+\b|\b(?!\d+(?:k|m|bn|ms|s|x|h|kg|g|mw|kw|w|st|nd|rd|th)\b)"
    r"(?=\w*\d)(?=\w*[A-Za-z])[A-Za-z]+\d\w*\b",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"\b([A-Za-z]{3,})[ -](\d{1,5})(?![\w%])(?![.,]\d)(?: ([A-Za-z]+))?")
_LETTERED = re.compile(r"\b([A-Z][a-z]+) ([A-Z])(?=[\s.,;)]|$)")
_SUFFIX = "|".join(sorted((re.escape(name) for name in lexicon.UNITS | lexicon.SCALES), key=len, reverse=True))
_QUANTITY = re.compile(
    rf"([$£€]|\beuro )? ?(-?\d[\d,]*(?:\.\d+)?)(?:st|nd|rd|th)?(?: ?((?:{_SUFFIX})s?)(?![\w%]))?", re.IGNORECASE
)
_WORD = re.compile(r"[^\W\d_][^\W\d_']*(?:-[^\W\d_]+)*")
_TOKEN = re.compile(r"[\w#/_-]+(?:[.,]\d+)*%?|'[^']+'")


_BEFORE_QUANTITIES = lexicon.STOP | lexicon.NOT_NAMES | lexicon.OPPOSED | lexicon.APPROXIMATE | lexicon.VERBS
_ROUND_FROM = 1000
"""From here on trailing zeros say that a number was rounded; 90 % is not 95 % rounded."""


@dataclass(frozen=True)
class Quantity:
    """A number as written: in its base unit, with the decimal places that were given."""

    value: float
    unit: str
    places: int
    approximate: bool


@dataclass(frozen=True)
class Statement:
    """What a sentence says, taken apart."""

    text: str
    tokens: tuple[str, ...]
    stems: dict[str, str]
    """Content words by their stem."""
    quantities: tuple[Quantity, ...]
    periods: frozenset[tuple[str, str]]
    """(part, value): ("y", "2024"), ("m", "3"), ("q", "1"), ("w", "sunday"), ("t", "4:00")."""
    names: frozenset[str]
    """Codes and numbered things: "wh07", "stor118"."""
    columns: frozenset[str]
    quoted: frozenset[str]
    capitals: frozenset[str]
    negated: bool
    polarity: int
    """Words of increase less words of decrease."""
    closing: bool
    """Says that something is over or repaired."""
    bounded: bool
    """Its period is a bound (before, since), so that another period changes the value and not the subject."""


def read_statement(text: str) -> Statement:
    """Take a sentence apart."""
    plain = _numerals(unicodedata.normalize("NFKC", text).replace("’", "'").replace("−", "-").replace("–", "-"))
    rest, quoted = _take(plain, _QUOTED, lambda m: [m[0].strip("'").casefold()])
    rest, columns = _take(rest, _COLUMN, lambda m: [m[0].casefold()])
    rest, clock = _take(rest, _CLOCK, lambda m: [("t", _time_of_day(m))])
    periods = set(clock)
    for pattern in (_ISO_DATE, _DAY_MONTH, _MONTH_DAY, _MONTH_YEAR, _QUARTER):
        rest, found = _take(rest, pattern, _period)
        periods |= found
    rest, codes = _take(rest, _CODE, lambda m: [m[0].casefold().replace("-", "")])
    rest, numbered = _take(rest, _NUMBERED, _numbered, keep=3)
    rest, lettered = _take(rest, _LETTERED, _lettered)
    for pattern in (_YEAR, _WEEKDAY):
        rest, found = _take(rest, pattern, _period)
        periods |= found
    quantities = tuple(_quantities(rest))
    written = _WORD.findall(_QUANTITY.sub(" ", rest))
    words = [word.casefold() for word in written]
    parts = [part for word in words for part in word.split("-")]
    return Statement(
        text=text,
        tokens=tuple(token.casefold() for token in _TOKEN.findall(plain)),
        stems={
            stem(part): part for part in parts if part and part not in lexicon.STOP and part not in lexicon.NEGATIONS
        },
        quantities=quantities,
        periods=frozenset(periods),
        names=frozenset(codes | numbered | lettered),
        columns=frozenset(columns),
        quoted=frozenset(quoted),
        capitals=frozenset(w.casefold() for w in written[1:] if len(w) > 1 and w[0].isupper()),
        negated=any(word in lexicon.NEGATIONS or word.endswith("n't") for word in words),
        polarity=sum(word in lexicon.UP for word in words) - sum(word in lexicon.DOWN for word in words),
        closing=bool(_CLOSING.search(plain.casefold())),
        bounded=bool(_BOUND.search(plain)),
    )


def same_quantity(a: Quantity, b: Quantity) -> bool:
    """Whether two quantities are the same: equal, or one of them rounded to the places of the other."""
    if a.unit and b.unit and a.unit != b.unit and {a.unit, b.unit} != {"%", "pp"}:
        return False
    if math.isclose(a.value, b.value, rel_tol=0.002):
        return True
    near = abs(a.value - b.value) <= 0.06 * max(abs(a.value), abs(b.value))
    if a.approximate or b.approximate:
        return near
    rounding = 0.51 * 10.0 ** -min(a.places, b.places)
    return near and a.places != b.places and abs(a.value - b.value) <= rounding


def stem(word: str) -> str:
    """A word without its English ending; crude, and the same for both sides of a comparison."""
    for ending in ("ations", "ation", "ings", "ing", "ies", "ied", "ed", "ly", "ness", "ment", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)] + ("y" if ending in {"ies", "ied"} else "")
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "ls":
        word = word[:-1]
    return word[:-1] if len(word) > 4 and word.endswith("e") else word


def _numerals(text: str) -> str:
    """Spell short forms out and numbers in words as digits."""
    for pattern, plain in lexicon.SHORT_FORMS:
        text = re.sub(pattern, plain, text, flags=0 if pattern.isupper() else re.IGNORECASE)
    digits = {word: str(number) for number, word in enumerate(lexicon.ONES) if number > 1}
    tens = "|".join(lexicon.TENS)

    def ten(match: re.Match[str]) -> str:
        return str(
            10 * (lexicon.TENS.index(match[1].casefold()) + 2)
            + (lexicon.ONES.index(match[2].casefold()) if match[2] else 0)
        )

    def one_in(match: re.Match[str]) -> str:
        return f"about {100 / int(digits.get(match[1].casefold(), match[1])):.0f}%"

    text = re.sub(rf"\bone in (\d+|{'|'.join(digits)})\b", one_in, text, flags=re.IGNORECASE)
    text = re.sub(rf"\b({tens})(?:[- ]({'|'.join(lexicon.ONES[1:10])}))?\b", ten, text, flags=re.IGNORECASE)
    return re.sub(rf"\b({'|'.join(digits)})\b", lambda m: digits[m[1].casefold()], text, flags=re.IGNORECASE)


def _take(
    text: str, pattern: re.Pattern[str], read: Callable[[re.Match[str]], list[_T]], *, keep: int | None = None
) -> tuple[str, set[_T]]:
    """Remove what the pattern matches and `read` accepts, but for the group `keep`; return what it read."""
    found: set[_T] = set()

    def replace(match: re.Match[str]) -> str:
        values = read(match)
        found.update(values)
        return (f" § {match[keep] or ''}" if keep else " § ") if values else match[0]

    return pattern.sub(replace, text), found


def _period(match: re.Match[str]) -> list[tuple[str, str]]:
    values = []
    for part, value in match.groupdict().items():
        if value is None:
            continue
        if part == "m" and not value.isdigit():
            value = str(lexicon.MONTHS.index(value.casefold()) + 1)
        elif part == "y" and len(value) == 2:
            value = f"20{value}"
        values.append((part, str(int(value)) if value.isdigit() else value.casefold()))
    return values


def _time_of_day(match: re.Match[str]) -> str:
    if match[4]:
        return f"{int(match[4])}:{match[5]}"
    return f"{int(match[1]) % 12 + (12 if match[3].casefold() == 'pm' else 0)}:{match[2] or '00'}"


def _numbered(match: re.Match[str]) -> list[str]:
    """Read "store 118 is ..." as a name and leave "list 10 rows" and "cost 9" as quantities."""
    noun, number, after = match[1].casefold(), match[2], (match[3] or "").casefold()
    counts = (after.endswith("s") and after not in lexicon.VERBS) or after.removesuffix("s") in lexicon.UNITS
    if counts or noun.endswith("ed") or noun in _BEFORE_QUANTITIES or _YEAR.fullmatch(number):
        return []
    return [stem(noun) + number]


def _lettered(match: re.Match[str]) -> list[str]:
    noun = match[1].casefold()
    return [] if noun in _BEFORE_QUANTITIES else [stem(noun) + match[2].casefold()]


def _quantities(text: str) -> list[Quantity]:
    found = []
    for match in _QUANTITY.finditer(text):
        digits = match[2].replace(",", "")
        value, unit = float(digits), "money" if match[1] else ""
        whole = digits.lstrip("-")
        places = len(whole.split(".")[1]) if "." in whole else 0
        if not places and float(whole) >= _ROUND_FROM:
            places = len(whole.rstrip("0")) - len(whole)
        suffix = (match[3] or "").casefold()
        factor = lexicon.SCALES.get(suffix)
        if factor is None:
            known = lexicon.UNITS.get(suffix) or lexicon.UNITS.get(suffix.removesuffix("s")) or ("", 1.0)
            unit, factor = known[0] or unit, known[1]
        before = text[max(0, match.start() - 14) : match.start()].casefold().split()
        found.append(
            Quantity(
                value * factor, unit, places - round(math.log10(factor)), not lexicon.APPROXIMATE.isdisjoint(before)
            )
        )
    return found
