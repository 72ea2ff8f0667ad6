"""Dates in sentences: each must be a day, month, quarter or year that the evidence speaks of."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta

_MONTHS = {
    m: n
    for n, names in enumerate(
        (
            "january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug",
            "september sep sept", "october oct", "november nov", "december dec",
        ),
        1,
    )
    for m in names.split()
}  # fmt: skip
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_TIMES = re.compile(
    r"(?P<iso>\b(?P<y1>\d{4})-(?P<m1>\d{2})(?:-(?P<d1>\d{2}))?(?:[T ]\d{2}:\d{2}(?::\d{2})?)?\b)"
    rf"|(?P<dmy>\b(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?(?:\s?[-\u2013]\s?(?P<d2b>\d{{1,2}}))?\s(?P<m2>{_MONTH})\b\.?,?(?:\s(?P<y2>\d{{4}})\b)?)"
    rf"|(?P<mdy>\b(?P<m3>{_MONTH})\b\.?\s(?P<d3>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,?\s(?P<y3>\d{{4}})\b)?)"
    rf"|(?P<my>\b(?P<m4>{_MONTH})\b\.?,?\s(?P<y4>\d{{4}})\b)"
    r"|(?P<qy>\bQ(?P<q1>\d)(?:\s|/)?(?:of\s)?(?P<y5>\d{4})?\b)|(?P<yq>\b(?P<y6>\d{4})[\s-]?Q(?P<q2>\d)\b)"
    r"|(?P<wk>\b(?P<y8>\d{4})-W(?P<w1>\d{2})\b)"
    r"|(?P<year>(?<![\d.,$€£])\b(?P<y7>(?:19|20)\d{2})\b(?![,.]\d|\s?%))",
    re.IGNORECASE,
)  # fmt: skip


@dataclass(frozen=True)
class Moment:
    """A time as a text names it; what is not named is None."""

    start: int
    end: int
    year: int | None = None
    quarter: int | None = None
    month: int | None = None
    days: tuple[int, ...] = ()


def moments_in(text: str) -> list[Moment]:
    """Return the times that a text names, in order."""
    found = []
    for m in _TIMES.finditer(text):
        year = next((int(m[g]) for g in ("y1", "y2", "y3", "y4", "y5", "y6", "y7", "y8") if m[g]), None)
        month = int(m["m1"]) if m["m1"] else next((_MONTHS[m[g].lower()] for g in ("m2", "m3", "m4") if m[g]), None)
        quarter = next((int(m[g]) for g in ("q1", "q2") if m[g]), None)
        days = tuple(int(m[g]) for g in ("d1", "d2", "d2b", "d3") if m[g])
        found.append(Moment(m.start(), m.end(), year, quarter, month, days))
    return found


def spoken_of(texts: Iterable[str]) -> frozenset[tuple[str, int, int, int]]:
    """Return what times texts speak of, from days up to the years that hold them."""
    known: set[tuple[str, int, int, int]] = set()
    for text in texts:
        for moment in moments_in(text):
            known |= _levels(moment)
    return frozenset(known)


def last_day(end: str) -> str:
    """Return the last day of a span that ends before a day, in ISO form; what is no day stays as it is."""
    try:
        return (date.fromisoformat(end[:10]) - timedelta(days=1)).isoformat()
    except (ValueError, OverflowError):
        return end


def is_spoken_of(moment: Moment, known: frozenset[tuple[str, int, int, int]]) -> bool:
    """Whether a time of a sentence is among those of the evidence, at the level at which it is named."""
    if moment.days and moment.month:
        return all(
            any(k[0] == "day" and k[3] == d and k[2] == moment.month and moment.year in {None, k[1]} for k in known)
            for d in moment.days
        )
    level, part = ("month", moment.month) if moment.month else ("quarter", moment.quarter)
    if part:
        return any(k[0] == level and k[2] == part and moment.year in {None, k[1]} for k in known)
    return ("year", moment.year or 0, 0, 0) in known


def _levels(moment: Moment) -> set[tuple[str, int, int, int]]:
    levels: set[tuple[str, int, int, int]] = set()
    year = moment.year or 0
    if year:
        levels.add(("year", year, 0, 0))
    if moment.quarter:
        levels.add(("quarter", year, moment.quarter, 0))
    if moment.month:
        levels |= {("month", year, moment.month, 0), ("quarter", year, (moment.month + 2) // 3, 0)}
    for day in moment.days:
        levels.add(("day", year, moment.month or 0, day))
    return levels
