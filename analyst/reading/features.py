"""Columns that a question makes up: "FamilySize, the sum of SibSp and Parch", "AgeGroup: 'Child' (0-12), ..."."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from analyst.reading.matching import Matcher
from analyst.reading.sequences import steps_in
from datasets.measures import Filter, FilterOp, Measure, MeasureKind
from datasets.schema import SchemaCard

_NAMED = re.compile(
    r"\b(?:creat\w+|generat\w+|add\w*|defin\w+|comput\w+|calculat\w+"
    r"|engineer\w*|deriv\w+|introduc\w+|mak\w+|build\w*)\s+(?:an? "
    r"|the )?(?:new |additional |derived |extra )*"
    r"(?:feature|column|variable|attribute|metric|field|measure)s?\s*,?\s*(?:called"
    r"|named|labell?ed)?\s*(?P<q>[\"'`])(?P<n>[^\"'`\n]{1,60})(?P=q)",
    re.I,
)
_BARE = re.compile(
    r"\b(?:new|additional|derived)\s+(?:feature|column|variable|attribute"
    r"|metric|field)s?\s+(?:called|named)\s+(?P<n>\w+)",
    re.I,
)
_AS = re.compile(r"\b(?:column|feature|variable|field)\s+(?P<n>\w+)\s*(?:as|=|:|by|from)(?!\w)", re.I)
_UNNAMED = re.compile(
    r"\b(?:new|additional|derived) (?P<n>feature|column|variable|metric)\b,?\s+(?:in the dataset )?"
    r"(?:that|which|as|by|representing|for|containing|equal to)\b",
    re.I,
)
_DEFINED = re.compile(
    r"(?P<q>[\"'`])(?P<n>[^\"'`\n]{1,60})(?P=q)\s+(?:is|are|should be"
    r"|will be|can be)?\s*(?:calculated|defined|computed|obtained)?\s*as\b",
    re.I,
)
_PLAINLY = re.compile(
    r"\b(?:calculat\w+|comput\w+|defin\w+|deriv\w+)\s+(?:the |an? )(?P<n>[a-z][a-z ]{2,30}?)\s+as\b(?! an? )", re.I
)
_PLUS = re.compile(r"\+\s*(?P<c>\d+(?:\.\d+)?(?:e[-+]?\d+)?)\s*\)", re.I)
_TO_DIVISOR = re.compile(
    r"\badd\w*\b.{0,30}?\(?(?P<c>\d+(?:\.\d+)?(?:e[-+]?\d+)?)\)?\s+to (?:the )?(?:denominator|divisor)", re.I
)
_MADE: tuple[tuple[re.Pattern[str], MeasureKind], ...] = (
    (re.compile(r"\b(?:subtract\w*|minus|differences? (?:between|of|in)|time (?:from|between))\b", re.I), "duration"),
    (re.compile(r"\b(?:multiply\w*|multiplied|product of|times)\b|\*", re.I), "product_of"),
    (re.compile(r"\b(?:summing|sum of|adding|addition of|added|plus|total of|combining)\b|\+", re.I), "sum_of"),
    (
        re.compile(r"\b(?:dividing|divided by|ratio (?:of|between)|division of|quotient of)\b|/|\bper\b", re.I),
        "ratio_of",
    ),
)
_N = r"\d+(?:\.\d+)?"
_LABEL = r"(?:['\"](?P<l>[^'\"\n]{1,40})['\"]\s*[(:]|(?<![\w'\"])(?P<w>(?-i:[A-Z][\w-]{1,30}(?: [a-z]+)?))\s*\()\s*"
_BIN = re.compile(
    rf"{_LABEL}(?:ages?\s+|between\s+|from\s+)?(?:(?P<a>{_N})\s*(?:-|–|to|and)\s*(?P<b>{_N})"
    rf"|(?P<up>{_N})\s*(?:years?(?: old)?)?\s*(?:\+|(?:and|or) (?:above|over|older|more|up))"
    rf"|(?P<least>>=?|≥|above|over|at least|from|(?:more|greater|higher|older) than)\s*(?P<up2>{_N})"
    rf"|(?P<most><=?|≤|under|below|up to|at most|(?:less|lower|fewer|younger) than)\s*(?P<down>{_N}))[^)\n,;]*\)?",
    re.I,
)
_OPEN_ENDED: dict[str, FilterOp] = {
    ">": "gt",
    "above": "gt",
    "over": "gt",
    "<=": "le",
    "≤": "le",
    "up to": "le",
    "at most": "le",
}
GROUPED = "group"
GROUPS_INTO = re.compile(r"\b(?:categori[sz]e|classify|group|bin|bucket|divide|split)\b", re.I)
_MEAN_OF = re.compile(r"\b(?:average|mean)\b(?: \w+){0,3}? of\b", re.I)
_DIVIDED = re.compile(r"\b(?:divided by|dividing|ratio)\b", re.I)
_SUBTRACTED = re.compile(r"\bsubtract\w*\b(?P<a>.*?)\bfrom\b(?P<b>.*)", re.I | re.S)


@dataclass(frozen=True)
class Feature:
    """A made-up column: a measure, or named ranges of a column."""

    name: str
    measure: Measure | None = None
    ranges: tuple[tuple[str, Filter], ...] = ()


def features_in(sentences: Sequence[str], matcher: Matcher) -> tuple[Feature, ...]:
    """The columns that sentences define, in order; a definition that cannot be read is left out."""
    found: dict[str, Feature] = {}
    for sentence in sentences:
        named = (
            _NAMED.search(sentence)
            or _BARE.search(sentence)
            or _DEFINED.search(sentence)
            or (_AS.search(sentence) or _UNNAMED.search(sentence) or _plainly(sentence, matcher))
        )
        if named is None:
            ranges = _ranges(sentence, sentence, "", matcher) if GROUPS_INTO.search(sentence) else ()
            if ranges:
                found.setdefault(GROUPED, Feature(GROUPED, ranges=ranges))
            continue
        name = named["n"]
        rest = sentence[named.end() :]
        ranges = _ranges(rest, sentence, name, matcher)
        feature = Feature(name, ranges=ranges) if ranges else Feature(name, measure=_made(rest, sentences, matcher))
        if (feature.measure or feature.ranges) and name not in found:
            found[name] = feature
    return tuple(found.values())


def _plainly(sentence: str, matcher: Matcher) -> re.Match[str] | None:
    """ "Calculate the daily range as High minus Low": a name without quotes, where it is not that of a column."""
    named = _PLAINLY.search(sentence)
    return named if named and not matcher.mentions(named["n"]) else None


def _made(rest: str, sentences: Sequence[str], matcher: Matcher) -> Measure | None:
    """What a definition makes: a step along the rows, or columns composed, with a constant added to a divisor."""
    steps = steps_in(rest, matcher)
    if steps:
        return steps[0][2]
    measure = made(rest, matcher)
    if measure is None or measure.kind != "ratio_of":
        return measure
    added = _PLUS.search(rest) or next((a for s in sentences if (a := _TO_DIVISOR.search(s))), None)
    return measure.model_copy(update={"values": (_plain(added["c"]),)}) if added else measure


def made(text: str, matcher: Matcher) -> Measure | None:
    """The measure that a phrase composes of two or more columns, if it does."""
    card = matcher.card
    for pattern, kind in _MADE:
        if not pattern.search(text) or (kind == "sum_of" and _DIVIDED.search(text)):
            continue
        columns = list(dict.fromkeys(m.column for m in matcher.mentions(text) if m.how != "value"))
        if len(columns) < 2:
            continue
        if kind == "duration":
            return _difference(text, matcher)
        if kind == "product_of" and all(card.column(c).numeric for c in columns):
            return Measure(kind="product_of", columns=tuple(columns))
        if kind == "sum_of" and all(card.column(c).numeric for c in columns):
            return Measure(kind="sum_of", columns=tuple(columns))
        if kind == "ratio_of" and all(card.column(c).numeric for c in columns[:2]):
            return Measure(kind="ratio_of", columns=tuple(columns[:2]))
    averaged = _MEAN_OF.search(text)
    behind = matcher.mentions(text[averaged.end() :]) if averaged else ()
    columns = list(dict.fromkeys(m.column for m in behind if m.how != "value" and card.column(m.column).numeric))
    if len(columns) >= 2:
        return Measure(kind="mean_of", columns=tuple(columns))
    return None


def _difference(text: str, matcher: Matcher) -> Measure | None:
    """ "subtracting A from B" and "time from A to B" → B minus A, for two times."""
    taken = _SUBTRACTED.search(text)
    if taken:
        first = [m.column for m in matcher.mentions(taken["a"]) if m.how != "value"]
        second = [m.column for m in matcher.mentions(taken["b"]) if m.how != "value"]
        columns = [*first[-1:], *second[:1]]
    else:
        columns = list(dict.fromkeys(m.column for m in matcher.mentions(text) if m.how != "value"))[:2]
        if re.search(r"\bminus\b", text, re.I):
            columns.reverse()
    if len(columns) == 2 and all(_is_time(matcher.card, c) for c in columns):
        return Measure(kind="duration", columns=(columns[0], columns[1]), unit=_unit(text))
    if len(columns) == 2 and all(matcher.card.column(c).numeric for c in columns):
        turned = taken is not None or re.search(r"\bminus\b", text, re.I)
        return Measure(kind="difference_of", columns=tuple(reversed(columns) if turned else columns))
    return None


def _ranges(rest: str, sentence: str, name: str, matcher: Matcher) -> tuple[tuple[str, Filter], ...]:
    bins = list(_BIN.finditer(rest))
    if len(bins) < 2:
        return ()
    source = next(
        (c for c in (*[m.column for m in matcher.mentions(f"{name} {sentence[: len(sentence) - len(rest)]}")],
                     *[m.column for m in matcher.mentions(rest[: bins[0].start()])],
                     *[c.name for c in matcher.card.columns if c.name.lower() == "age" and "years old" in rest])
         if matcher.card.column(c).numeric),
        None,
    )  # fmt: skip
    if source is None:
        return ()
    found = []
    for match in bins:
        low = match["a"] or match["up"] or match["up2"]
        high = match["b"] or match["down"]
        if low and high:
            condition = Filter(column=source, op="between", values=(_plain(low), _plain(high)))
        elif low:
            condition = Filter(column=source, op=_end(match["least"], "ge"), values=(_plain(low),))
        else:
            condition = Filter(column=source, op=_end(match["most"], "lt"), values=(_plain(high or "0"),))
        found.append((match["l"] or match["w"], condition))
    return tuple(found)


def _end(said: str | None, usual: FilterOp) -> FilterOp:
    """How an open end is meant: "above 3500" without 3500, "60 and above" with 60."""
    word = (said or "").lower()
    return "gt" if word.endswith(" than") and usual == "ge" else _OPEN_ENDED.get(word, usual)


def _plain(text: str) -> int | float:
    number = float(text)
    return int(number) if number.is_integer() else number


def _unit(text: str) -> Literal["days", "hours", "minutes"]:
    lowered = text.lower()
    return "hours" if "hour" in lowered else "minutes" if "minute" in lowered else "days"


def _is_time(card: SchemaCard, name: str) -> bool:
    return card.column(name).temporal
