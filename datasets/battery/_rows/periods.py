"""Period arithmetic: calendar periods, their labels and lengths, and whether the first and the last one are complete.

A period at either edge of the data is complete when the stretch without data is one that the data's own rhythm
explains: files of daily rows allow none, event logs allow their usual gaps.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from itertools import pairwise
from typing import NamedTuple

from datasets.errors import DatasetError
from datasets.measures import Grain

MIN_PERIODS = 8
_LIMIT_PERIODS = 5_000
_ORDER: tuple[Grain, ...] = ("hour", "day", "week", "month", "quarter", "year")


class Day(NamedTuple):
    """A day that holds data: how many rows, and the first and the last moment."""

    day: date
    rows: int
    first: datetime
    last: datetime


@dataclass(frozen=True)
class Period:
    """One calendar period, start ≤ t < end. `note` says why it is incomplete; `rows` counts the view's rows in it."""

    start: datetime
    end: datetime
    label: str
    complete: bool
    rows: int
    note: str = ""

    @property
    def days(self) -> float:
        """Length in days."""
        return (self.end - self.start).total_seconds() / 86400.0


def grain_of(days: Sequence[Day]) -> Grain:
    """Choose a grain that gives a readable number of periods for the days of a dataset, in order."""
    span = (days[-1].day - days[0].day).days + 1
    if span <= 2:
        return "hour"
    if span <= 60:
        return "day"
    if span <= 240:
        return "week"
    return "month" if span <= 3660 else "year"


def not_finer(wanted: Grain, days: Sequence[Day]) -> Grain:
    """The wanted grain, or the spacing of the data where that is coarser: monthly figures are not read by week."""
    return max(wanted, _spacing([d.day for d in days]), key=_ORDER.index)


def floor(moment: datetime, grain: Grain) -> datetime:
    """The start of the period that holds a moment."""
    midnight = datetime.combine(moment.date(), time())
    if grain == "hour":
        return moment.replace(minute=0, second=0, microsecond=0)
    if grain == "day":
        return midnight
    if grain == "week":
        return midnight - timedelta(days=midnight.weekday())
    if grain == "month":
        return midnight.replace(day=1)
    if grain == "quarter":
        return midnight.replace(month=3 * ((midnight.month - 1) // 3) + 1, day=1)
    return midnight.replace(month=1, day=1)


def shift(start: datetime, grain: Grain, steps: int) -> datetime:
    """The start of the period that lies `steps` after (before, when negative) the one that begins at `start`."""
    if grain in {"hour", "day", "week"}:
        hours = {"hour": 1, "day": 24, "week": 168}[grain]
        return start + timedelta(hours=hours * steps)
    months = {"month": 1, "quarter": 3, "year": 12}[grain] * steps + start.month - 1
    return start.replace(year=start.year + months // 12, month=months % 12 + 1)


def label(start: datetime, grain: Grain) -> str:
    """How a person names the period: "January 2023", "Q1 2023", "the week of 2023-01-02"."""
    if grain == "hour":
        return f"{start:%Y-%m-%d %H:00}"
    if grain == "day":
        return f"{start:%Y-%m-%d}"
    if grain == "week":
        return f"the week of {start:%Y-%m-%d}"
    if grain == "month":
        return f"{start:%B %Y}"
    return f"Q{(start.month + 2) // 3} {start.year}" if grain == "quarter" else str(start.year)


def lay(days: Sequence[Day], grain: Grain) -> tuple[Period, ...]:
    """Lay periods without gaps over the days of a dataset, in order.

    :raises DatasetError: when the grain gives too many.
    """
    first, last = floor(days[0].first, grain), floor(days[-1].last, grain)
    starts = [first]
    while starts[-1] < last:
        starts.append(shift(starts[-1], grain, 1))
        if len(starts) > _LIMIT_PERIODS:
            raise DatasetError(f"more than {_LIMIT_PERIODS:,} periods by {grain}; choose a coarser grain")
    rows = _rows_by_period(starts, days, grain)
    built = [
        Period(s, shift(s, grain, 1), label(s, grain), complete=True, rows=n) for s, n in zip(starts, rows, strict=True)
    ]
    edges = _cut_off(built, days, grain)
    return tuple(replace(p, complete=False, note=edges[i]) if i in edges else p for i, p in enumerate(built))


def _rows_by_period(starts: Sequence[datetime], days: Sequence[Day], grain: Grain) -> list[int]:
    found = [0] * len(starts)
    if grain == "hour":
        return [1] * len(starts)
    for day in days:
        found[bisect_right(starts, datetime.combine(day.day, time())) - 1] += day.rows
    return found


def _cut_off(periods: Sequence[Period], held: Sequence[Day], grain: Grain) -> dict[int, str]:
    """Which edge periods are cut off, with the sentence that says so."""
    if grain in {"hour", "day"}:
        return _cut_off_by_clock(periods, held, grain)
    days = [d.day for d in held]
    if _ORDER.index(_spacing(days)) >= _ORDER.index(grain):
        return {}
    found = {}
    length = round(periods[0].days)
    missing = (days[0] - periods[0].start.date()).days
    if _begins_late(days, missing):
        found[0] = f"{periods[0].label} is incomplete: {length - missing} of {length} days, data begin {days[0]}"
    length, last = round(periods[-1].days), len(periods) - 1
    missing = (periods[-1].end.date() - days[-1]).days - 1
    if cut_off_at_end(days, missing):
        sentence = f"{periods[-1].label} is incomplete: {length - missing} of {length} days, data end {days[-1]}"
        begun = last == 0 and 0 in found
        found[last] = f"{periods[0].label} is incomplete: data from {days[0]} to {days[-1]}" if begun else sentence
    return found


def cut_off_at_end(days: Sequence[date], missing: int) -> bool:
    """Whether data that end `missing` days before a period does may be cut off: the stretch is no usual gap.

    Strict, because a running period that passes for a whole one is read as a drop.
    """
    return missing > 0 and missing >= _usual_gap_days(days)


def _begins_late(days: Sequence[date], missing: int) -> bool:
    """Whether data that begin `missing` days after a period does leave out a part of it.

    More lenient for irregular events, since what begins small also begins late: with k event days in the equally
    long stretch that follows, an even rate leaves the first one empty with probability 0.5 ** k.
    """
    usual = _usual_gap_days(days)
    after = bisect_left(days, days[0] + timedelta(days=missing))
    return missing > 0 and missing >= usual and (usual <= 1 or 0.5**after < 0.05)


def _usual_gap_days(days: Sequence[date]) -> int:
    """The 99th percentile of the steps between days that hold data, in days; 1 for daily data."""
    steps = sorted((b - a).days for a, b in pairwise(days))
    return steps[min(len(steps) - 1, int(0.99 * len(steps)))] if steps else 1


def _cut_off_by_clock(periods: Sequence[Period], held: Sequence[Day], grain: Grain) -> dict[int, str]:
    """Whether the first day or hour begins late or the last one ends early on the clock."""
    first, last, end = held[0].first, held[-1].last, len(periods) - 1
    if len(periods) < 3 or all(d.first == d.last and d.first.time() == time() for d in held):
        return {}
    if grain == "hour":
        cut = ({0} if first.minute > 5 else set()) | ({end} if 0 < last.minute < 55 else set())
        return {i: f"{periods[i].label} is incomplete: data from {first:%H:%M} to {last:%H:%M}" for i in cut}
    begins, ends = (sorted(d.first.time() for d in held[1:-1]), sorted(d.last.time() for d in held[1:-1]))
    if not begins:
        return {}
    found = {}
    tail = int(0.05 * len(begins))
    if first.time() > begins[len(begins) - 1 - tail]:
        found[0] = f"{periods[0].label} is incomplete: data begin {first:%Y-%m-%d %H:%M}"
    if last.time() < ends[tail]:
        found[end] = f"{periods[end].label} is incomplete: data end {last:%Y-%m-%d %H:%M}"
    return found


def _spacing(days: Sequence[date]) -> Grain:
    """The finest grain that the days themselves have: the coarsest of which every period holds one day at most."""
    if len(days) < 3:
        return "hour"
    for grain in ("year", "quarter", "month", "week"):
        starts = (floor(datetime.combine(d, time()), grain) for d in days)
        if all(a != b for a, b in pairwise(starts)):  # days are in order, so that equal periods are neighbours
            return grain
    return "hour"


def moment_of(value: object) -> datetime:
    """A date or a timestamp as a timestamp without zone."""
    if isinstance(value, datetime):
        return value.replace(tzinfo=None)
    if isinstance(value, date):
        return datetime.combine(value, time())
    raise DatasetError(f"not a time: {value!r}")
