"""Time words of a question → windows over the event time, resolved against the newest event of the data."""

import re
from calendar import monthrange
from collections.abc import Callable
from datetime import date, timedelta

from analyst.times.calendar_units import MONTHS, Span, Unit, add_months, last_complete, period, period_label
from analyst.times.ranges import bounded, in_one_year

_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?"
    r"|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?"
    r"|dec(?:ember)?)\.?"
)
_YEAR = r"(?:19|20)\d\d"
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_NUMBERS = {
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "twelve": 12,
}
_QUARTERS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4, "last": 4}


def spans(text: str, newest: date | None) -> list[Span]:
    """Time expressions of a text in order of place; relative ones count from the newest event, a day of the data.

    "last month" is the last month that the data covers to its end; "Q4" without a year the latest one that has begun.
    """
    found: list[Span] = []
    for pattern, build in _PATTERNS:
        for match in pattern.finditer(text):
            if any(match.start() < s.end and s.start < match.end() for s in found):
                continue
            span = build(match, newest)
            if span is not None:
                found.append(span)
    return sorted(bounded(text, in_one_year(text, found)), key=lambda s: s.start)


OVER_A_YEAR = re.compile(
    r"\b(?:trend|gone|develop|evolv"
    r"|per (?:day|week|month|quarter)|daily|weekly|monthly|quarterly|by (?:day|week|month|quarter))\w*\b",
    re.I,
)
"""What makes "over 2023" a stretch of time and no bound."""


def _month_number(word: str) -> int:
    return next(i for i, name in enumerate(MONTHS, start=1) if name.startswith(word.lower().rstrip(".")[:3]))


def _latest(month: int, newest: date | None) -> date | None:
    """The first day of the latest month of that number that has begun when the data ends."""
    if newest is None:
        return None
    return date(newest.year if month <= newest.month else newest.year - 1, month, 1)


def _unit_span(match: re.Match[str], since: date | None, unit: Unit) -> Span | None:
    if since is None:
        return None
    first, until = period(unit, since)
    return Span(match.start(), match.end(), first, until, period_label(first, unit), unit)


def _iso(match: re.Match[str], newest: date | None) -> Span | None:
    try:
        day = date(int(match["y"]), int(match["m"]), int(match["d"]))
    except ValueError:
        return None
    return _unit_span(match, day, "day")


def _iso_month(match: re.Match[str], newest: date | None) -> Span | None:
    return _unit_span(match, date(int(match["y"]), int(match["m"]), 1), "month")


def _written_day(match: re.Match[str], newest: date | None) -> Span | None:
    month = _month_number(match["m"])
    year = int(match["y"]) if match["y"] else None
    base = date(year, month, 1) if year else _latest(month, newest)
    day = int(re.sub(r"\D", "", match["d"]))
    if base is None or not 1 <= day <= monthrange(base.year, month)[1]:
        return None
    return _unit_span(match, base.replace(day=day), "day")


def _quarter(match: re.Match[str], newest: date | None) -> Span | None:
    number = int(match["q"]) if match["q"] else _QUARTERS[match["w"].lower()]
    year = match["y"] or match["y2"]
    month = 3 * number - 2
    return _unit_span(match, date(int(year), month, 1) if year else _latest(month, newest), "quarter")


def _half(match: re.Match[str], newest: date | None) -> Span | None:
    number = int(match["h"]) if match["h"] else {"first": 1, "second": 2}[match["w"].lower()]
    base = date(int(match["y"]), 6 * number - 5, 1) if match["y"] else _latest(6 * number - 5, newest)
    if base is None:
        return None
    return Span(match.start(), match.end(), base, add_months(base, 6), f"H{number} {base.year}", "month")


def _month(match: re.Match[str], newest: date | None) -> Span | None:
    number = _month_number(match["m"])
    if match["y"]:
        return _unit_span(match, date(int(match["y"]), number, 1), "month")
    word = match["m"]
    before = match.string[: match.start()].lower().rstrip().rsplit(" ", 1)[-1]
    led = before in {
        "in",
        "of",
        "for",
        "since",
        "until",
        "till",
        "to",
        "and",
        "from",
        "before",
        "after",
        "vs",
        "vs.",
        "versus",
        "during",
        "last",
        "between",
        "than",
        "through",
        "with",
    }
    full = word.lower() in MONTHS or len(word) <= 4
    if not full or (not led and (word[0].islower() or word.lower() in {"may", "march", "mar"})):
        return None
    return _unit_span(match, _latest(number, newest), "month")


def _year(match: re.Match[str], newest: date | None) -> Span | None:
    before = match.string[: match.start()].rstrip()
    after = match.string[match.end() :]
    throughout = re.search(r"\bover$", before, re.I) and OVER_A_YEAR.search(before)
    if not throughout and re.search(
        r"[=<>$€£#]$|\b(?:than|least|most|over|under|above|below|exceeds?|top|equals?|id|score|price|value)$",
        before,
        re.I,
    ):
        return None
    if re.match(r"\s*(?:%|rows|records|units|items|[-/.]\d|[A-Za-z])", after) and not re.match(r"\s+\w", after):
        return None
    if re.search(r"[\w.\-/]$", match.string[: match.start()]):
        return None
    return _unit_span(match, date(int(match["y"]), 1, 1), "year")


def _rolling(match: re.Match[str], newest: date | None) -> Span | None:
    if newest is None:
        return None
    number = int(match["n"]) if match["n"].isdigit() else _NUMBERS[match["n"].lower()]
    until = newest + timedelta(days=1)
    unit = match["u"].lower()
    if not 0 < number < 10_000 // (12 if unit == "year" else 1):
        return None
    if unit in {"day", "week"}:
        since = until - timedelta(days=number * (7 if unit == "week" else 1))
    else:
        since = add_months(until, -number * {"month": 1, "quarter": 3, "year": 12}[unit])
    return Span(match.start(), match.end(), since, until, f"the last {number} {unit}s")


def _relative(match: re.Match[str], newest: date | None) -> Span | None:
    if newest is None:
        return None
    unit: Unit = match["u"].lower()  # type: ignore[assignment]
    which = match["w"].lower()
    since = period(unit, newest)[0] if which in {"this", "current"} else last_complete(unit, newest)[0]
    return _unit_span(match, since, unit)


def _to_date(match: re.Match[str], newest: date | None) -> Span | None:
    if newest is None:
        return None
    unit: Unit = "month" if match.group().lower().startswith("m") else "year"
    since, until = period(unit, newest)[0], newest + timedelta(days=1)
    return Span(match.start(), match.end(), since, until, f"{period_label(since, unit)} to date")


_Build = Callable[[re.Match[str], date | None], Span | None]


def _pattern(text: str, build: _Build) -> tuple[re.Pattern[str], _Build]:
    return re.compile(text, re.IGNORECASE), build


_PATTERNS = (
    _pattern(rf"\b(?P<y>{_YEAR})-(?P<m>\d\d)-(?P<d>\d\d)(?:[T ]\d\d:\d\d(?::\d\d)?)?\b", _iso),
    _pattern(rf"\b(?P<y>{_YEAR})-(?P<m>0[1-9]|1[0-2])\b(?!-)", _iso_month),
    _pattern(rf"\b(?P<m>\d{{1,2}})/(?P<d>\d{{1,2}})/(?P<y>{_YEAR})\b", _iso),
    _pattern(rf"\b(?P<d>{_DAY})\s+(?:of\s+)?(?P<m>{_MONTH})(?:,?\s+(?P<y>{_YEAR}))?\b", _written_day),
    _pattern(rf"\b(?P<m>{_MONTH})\s+(?P<d>{_DAY})(?!\d)(?:,?\s+(?P<y>{_YEAR}))?\b", _written_day),
    _pattern(
        rf"\b(?:(?P<y2>{_YEAR})[\s-]*)?(?:Q(?P<q>[1-4])|(?P<w>first|second"
        rf"|third|fourth|last|[1-4](?:st|nd|rd|th))\s+quarter)"
        rf"(?:(?:\s+of|\s+in|,|'|-)?\s*(?P<y>{_YEAR}))?\b",
        lambda m, n: _quarter(m, n) if m["q"] or m["y"] or m["w"].lower() != "last" else None,
    ),
    _pattern(rf"\b(?:H(?P<h>[12])|(?P<w>first|second)\s+half)(?:(?:\s+of)?\s*(?P<y>{_YEAR}))?\b", _half),
    _pattern(rf"\b(?P<m>{_MONTH})(?:,?\s+(?:of\s+)?(?P<y>{_YEAR}))?(?!\w)", _month),
    _pattern(
        rf"\b(?:the\s+)?(?:last|past|previous|trailing)\s+(?P<n>\d+|{'|'.join(_NUMBERS)})\s+(?P<u>d"
        rf"ay|week|month|quarter|year)s?\b",
        _rolling,
    ),
    _pattern(
        r"\b(?:the\s+)?(?P<w>last|previous|latest|this|current)\s+(?P<u>week|month|quarter|year|day)\b", _relative
    ),
    _pattern(r"\b(?:ytd|mtd|year[- ]to[- ]date|month[- ]to[- ]date)\b", _to_date),
    _pattern(rf"(?P<y>{_YEAR})\b", _year),
)
