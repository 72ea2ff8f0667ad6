"""Reading a free-text statement: the quantities, periods, names, sides and words that decide what it is about.

English only; a statement in another language yields its numbers, names and words and no sides.
"""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Literal, NamedTuple

from memory.identity import lexicon
from memory.identity.phrases import PHRASES
from memory.identity.quantities import Quantity, quantities, spell_out
from memory.identity.thesaurus import key, lemma

ItemKind = Literal["word", "quantity", "period", "name", "column", "quoted", "mark"]

_FIRST_HELD = 0xE000  # private-use characters stand for what was taken out of the text
_MOST_HELD = 6_000
_CLOSING = re.compile(lexicon.CLOSING)
_BOUND = re.compile(lexicon.BOUND, re.IGNORECASE)
_MONTH = "|".join(lexicon.MONTHS)
_QUOTED = re.compile(
    r"(?<!\w)'([^']{1,30})'(?!\w)|\"([^\"]{1,30})\"|#(?=\d*[A-Fa-f])[0-9A-Fa-f]{6}\b"
    r"|\b[DMY]{2,4}([./-])[DMY]{2}\3[DMY]{2,4}\b"
)
_COLUMN = re.compile(r"\b[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+\b|(?<!\S)/\w+")
_CLOCK = re.compile(r"\b(\d{1,2})(?::(\d{2}))? ?(am|pm)\b|\b(\d{1,2}):(\d{2})\b", re.IGNORECASE)
_ISO_DATE = re.compile(r"\b(?P<y>\d{4})-(?P<m>\d{2})(?:-(?P<d>\d{2}))?\b")
_DAY_MONTH = re.compile(rf"\b(?P<d>\d{{1,2}})(?:st|nd|rd|th)? (?P<m>{_MONTH})(?:,? (?P<y>\d{{4}}))?\b", re.IGNORECASE)
_MONTH_DAY = re.compile(rf"\b(?P<m>{_MONTH}) (?P<d>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,? (?P<y>\d{{4}}))?", re.IGNORECASE)
# "may" is a month only with a capital and never at the start of a sentence that asks or permits.
_MONTH_YEAR = re.compile(rf"\b(?P<m>May|(?i:{_MONTH.replace('|may', '')}))\b(?: (?P<y>\d{{4}}))?")
_PART_OF_YEAR = re.compile(r"\b(?:Q(?P<q>[1-4])|H(?P<h>[12]))\b(?:[ '](?P<y>\d{4}|\d{2})\b)?", re.IGNORECASE)
_WEEK = re.compile(r"\bweek (?P<k>\d{1,2})\b", re.IGNORECASE)
_YEAR = re.compile(r"\b(?P<y>(?:19|20)\d{2})\b(?! ?%)")
_WEEKDAY = re.compile(rf"\b(?P<w>{'|'.join(lexicon.WEEKDAYS)})s?\b", re.IGNORECASE)
_CODE = re.compile(
    r"#[0-9A-Fa-f]{3,}\b|\b[A-Za-z]{1,6}-\d+\b|\b(?!\d+(?:k|m|mn|bn|ms|s|x|h|kg|g|km|mw|kw|w|st|nd|rd|th)\b)"
    r"(?=\w*\d)(?=\w*[A-Za-z])[A-Za-z]+\d\w*\b",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"\b([A-Za-z]{3,})[ -](\d{1,5}(?:\.\d+)*)(?![\w%])(?! ?[.,]\d)(?: ([A-Za-z]+))?")
_LETTERED = re.compile(r"\b([A-Za-z][a-z]+) ([A-Z])(?=[\s.,;)]|$)")
_RECONFIRMED = re.compile(
    r"^(?:still|checked|confirmed|as before|again|unchanged|same as)\b[^:,;]{0,60}[:,;]", re.IGNORECASE
)
_STILL_SO = re.compile(
    r"^(?:still (?:true|so|valid|correct|the case|holds)|(?:re-?)?(?:checked|confirmed)(?: again)?|as before|unchanged|"
    r"same as (?:before|last time))\b[^:,;.]{0,50}:\s*",
    re.IGNORECASE,
)
"""What leads in to a statement that is repeated as it was."""
_SAMPLE_SIZE = re.compile(r"\((?:n|N) ?= ?\d[^)]*\)")  # how many were asked is not what was found
_FIRST_OF_ALL = re.compile(
    rf"\bthe (?:\w+ )?(?:{'|'.join(lexicon.SUPERLATIVES)})\b|"
    r"^most \w+ (?:[\w%()]+ ){0,4}(?:comes?|came|stems?|stemmed) from\b",
    re.IGNORECASE,
)
_TOKEN = re.compile(r"[\w#/_-]+(?:[.,]\d+)*%?|'[^']+'")
_ITEM = re.compile(r"[\uE000-\uF8FF]|[^\W\d_][^\W\d_']*(?:'[a-z]+)?|[.,;:()]")
_BEFORE_QUANTITIES = lexicon.STOP | lexicon.NOT_NAMES | lexicon.OPPOSED | lexicon.APPROXIMATE | lexicon.VERBS

_REACH_OF_TURNING_POINT = 6
"""Items: "stopped sending its readings to us on 4 March"."""


@cache
def _verbs() -> frozenset[str]:
    """Dictionary forms; made at the first use, as they need the dictionary."""
    return frozenset(lemma(verb) for verb in lexicon.VERBS)


class Item(NamedTuple):
    """One thing a sentence says, in its place."""

    kind: ItemKind
    text: str
    key: str
    """What stands for it in comparisons; for a word the name of its group."""
    quantity: Quantity | None = None


@dataclass(frozen=True)
class Statement:
    """What a sentence says, taken apart."""

    text: str
    tokens: tuple[str, ...]
    items: tuple[Item, ...]
    quantities: tuple[Quantity, ...]
    periods: frozenset[tuple[str, str]]
    """(part, value): ("y", "2024"), ("m", "3"), ("q", "1"), ("w", "sunday"), ("t", "4:00")."""
    names: frozenset[str]
    """Codes and numbered things: "wh07", "store118"."""
    columns: frozenset[str]
    quoted: frozenset[str]
    capitals: frozenset[str]
    """Words with a capital inside the sentence, in lower case."""
    closing: bool
    """Says that something is over or repaired."""
    first_of_all: bool
    """Says of its subject that it is the highest, the best, the most."""
    superlative: bool
    """Says which comes first, so that another name or period changes the value and not the subject."""
    bounds: frozenset[tuple[str, str]]
    """Periods that are a bound (before, since), so that another one changes the value and not the subject."""


@lru_cache(maxsize=4_096)
def read_statement(text: str) -> Statement:
    """Take a sentence apart."""
    plain = unicodedata.normalize("NFKC", text).replace("’", "'").replace("−", "-").replace("–", "-")
    plain = _STILL_SO.sub("", plain)
    plain = _SAMPLE_SIZE.sub(" ", re.sub(r"[\uE000-\uF8FF]", " ", plain))
    held: list[Item] = []
    periods: set[tuple[str, str]] = set()

    def take(
        text: str,
        pattern: re.Pattern[str],
        kind: ItemKind,
        read: Callable[[re.Match[str]], str],
        keep: int | None = None,
    ) -> str:
        def replace(match: re.Match[str]) -> str:
            value = read(match) if len(held) < _MOST_HELD else ""
            if not value:
                return match[0]
            held.append(Item(kind, match[0], value))
            return f" {chr(_FIRST_HELD + len(held) - 1)} {(match[keep] or '') if keep else ''}"

        return pattern.sub(replace, text)

    def period(match: re.Match[str]) -> str:
        found = _period(match)
        periods.update(found)
        return " ".join(sorted(f"{part}{value}" for part, value in found))

    def clock(match: re.Match[str]) -> str:
        value = _time_of_day(match)
        periods.add(("t", value))
        return f"t{value}"

    rest = take(plain, _QUOTED, "quoted", lambda m: (m[1] or m[2] or m[0]).casefold())
    rest = take(rest, _COLUMN, "column", lambda m: m[0].casefold())
    rest = spell_out(rest)
    for phrase, instead in PHRASES:
        rest = phrase.sub(instead, rest)
    rest = take(rest, _CLOCK, "period", clock)
    for pattern in (_ISO_DATE, _DAY_MONTH, _MONTH_DAY, _MONTH_YEAR, _PART_OF_YEAR, _WEEK):
        rest = take(rest, pattern, "period", period)
    rest = take(rest, _CODE, "name", lambda m: m[0].casefold().replace("-", ""))
    rest = take(rest, _NUMBERED, "name", _numbered, keep=3)
    rest = take(rest, _LETTERED, "name", _lettered)
    for pattern in (_YEAR, _WEEKDAY):
        rest = take(rest, pattern, "period", period)
    measured, end, parts = list(quantities(rest)), 0, []
    for start, stop, quantity in measured:
        if len(held) >= _MOST_HELD:
            break
        parts.append(f"{rest[end:start]} {chr(_FIRST_HELD + len(held))} ")
        held.append(Item("quantity", rest[start:stop], f"{quantity.value:g}{quantity.unit}", quantity))
        end = stop
    items = tuple(_items("".join(parts) + rest[end:], held))
    return Statement(
        text=text,
        tokens=tuple(token.casefold() for token in _TOKEN.findall(plain)),
        items=items,
        quantities=tuple(quantity for _, _, quantity in measured),
        periods=frozenset(periods),
        names=_keys(held, "name"),
        columns=_keys(held, "column"),
        quoted=_keys(held, "quoted"),
        capitals=frozenset(
            item.text.casefold()
            for item in items[1:]
            if item.kind == "word" and item.text[:1].isupper() and len(item.text) > 1
        ),
        first_of_all=bool(_FIRST_OF_ALL.search(plain)),
        superlative=any(item.text.casefold() in lexicon.SUPERLATIVES for item in items),
        closing=bool(_CLOSING.search(_RECONFIRMED.sub("", plain).casefold())),
        bounds=frozenset(_bounds(items, periods)),
    )


def _bounds(items: tuple[Item, ...], periods: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """Periods shortly after a word such as "before"; "the highest since 2019" bounds nothing."""
    found: set[tuple[str, str]] = set()
    bounding = False
    patience = 0
    for position, item in enumerate(items):
        patience -= 1
        if item.kind == "word" and _BOUND.fullmatch(item.text):
            bounding = not position or items[position - 1].text.casefold() not in lexicon.SUPERLATIVES
            patience = _REACH_OF_TURNING_POINT if item.text.casefold() in lexicon.TURNING_POINT else 0
        elif item.kind == "period" and (bounding or _from_then_on(items, position)):
            said = item.key.split()
            found |= {period for period in periods if "".join(period) in said}
        elif item.text.casefold() not in lexicon.BETWEEN_BOUND_AND_PERIOD and (patience <= 0 or item.kind == "mark"):
            bounding = False
    return found


def _from_then_on(items: tuple[Item, ...], position: int) -> bool:
    """Whether a period opens what has no end: "from 2022-03-01 on"."""
    after = items[position + 1].text.casefold() if position + 1 < len(items) else ""
    return position > 0 and items[position - 1].text.casefold() == "from" and after in {"on", "onward", "onwards"}


def _items(text: str, held: list[Item]) -> list[Item]:
    items = []
    for match in _ITEM.finditer(text):
        token = match[0]
        if "\ue000" <= token[0] <= "\uf8ff":
            items.append(held[ord(token[0]) - _FIRST_HELD])
        elif token[0].isalpha():
            items.append(Item("word", token, key(token)))
        else:
            items.append(Item("mark", token, token))
    return items


def _keys(items: list[Item], kind: ItemKind) -> frozenset[str]:
    return frozenset(item.key for item in items if item.kind == kind)


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


def _numbered(match: re.Match[str]) -> str:
    """Read "store 118 is ..." as a name and leave "list 10 rows" and "cost 9" as quantities."""
    noun, number, after = match[1].casefold(), match[2], (match[3] or "").casefold()
    unit = after.removesuffix("s") in lexicon.UNITS | {"euro": 1, "dollar": 1} or after in lexicon.SCALES
    if noun.removesuffix("s") in lexicon.ENTITIES and not unit:
        return noun.removesuffix("s") + number
    counts = unit or (after.endswith("s") and after not in lexicon.VERBS)
    if (
        counts
        or lemma(noun) != noun
        or noun in _BEFORE_QUANTITIES
        or lemma(noun) in _verbs()
        or _YEAR.fullmatch(number)
    ):
        return ""
    return lemma(noun) + number


def _lettered(match: re.Match[str]) -> str:
    noun = match[1].casefold()
    return "" if noun in _BEFORE_QUANTITIES or match[2] == "I" else lemma(noun) + match[2].casefold()
