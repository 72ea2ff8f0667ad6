"""Which two spans of time are compared: complete calendar periods, or equal stretches of them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING, Literal

from datasets.battery._rows.calendar import Calendar, calendar
from datasets.battery._rows.periods import Period, floor, label, moment_of, shift
from datasets.errors import DatasetError
from datasets.measures import Grain, Metric, Window

if TYPE_CHECKING:
    from datasets.view import AnalysisView

_CALENDAR_GRAINS: tuple[Grain, ...] = ("year", "quarter", "month", "week", "day")


@dataclass(frozen=True)
class Pair:
    """Two spans to compare. `note` says what is incomplete; `whole` is the full period before a running one."""

    before: Window
    after: Window
    kind: Literal["complete", "running", "given"]
    note: str = ""
    whole: Window | None = None

    @property
    def same_length(self) -> bool:
        """Whether both spans have the same number of days."""
        return abs(days_of(self.before) - days_of(self.after)) < 1e-9


def days_of(window: Window) -> float:
    """Length in days; both ends must be set."""
    if window.start is None or window.end is None:
        raise DatasetError(f"the span {window.words!r} needs a start and an end")
    return (moment_of(window.end) - moment_of(window.start)).total_seconds() / 86400.0


def change_calendar(view: AnalysisView, name: str, grain: Grain | None, metric: Metric) -> Calendar:
    """The calendar for a comparison of periods: months rather than weeks wherever two complete months are there."""
    held = calendar(view, name, grain=grain, metric=metric)
    if grain is None and view.grain is None and held.grain in {"week", "day"}:
        months = calendar(view, name, grain="month", metric=metric)
        if len(months.complete) >= 2:
            return months
    return held


def pairs_of(held: Calendar, window: Window | None, versus: Window | None) -> list[Pair]:
    """The comparisons to make, the one between complete periods first.

    :raises DatasetError: when the data hold nothing to compare.
    """
    running = held.periods[-1]
    started = not running.complete and len(held.periods) >= 2 and held.grain not in {"hour", "day"}
    if window is not None:
        given = _given(held, window, versus)
        goes_on = started and versus is None and given.after.end and moment_of(given.after.end) == running.start
        return [given, *(_running(held, running, held.periods[-2]) if goes_on else [])]
    if versus is not None:
        raise DatasetError("a period to compare with was given, but not the period itself")
    complete = held.complete
    found = []
    if len(complete) >= 2:
        last, before = complete[-1], complete[-2]
        found.append(Pair(window_of(held, before), window_of(held, last), "complete"))
    if started:
        found += _running(held, running, held.periods[-2])
    if not found:
        raise DatasetError(f"the data hold fewer than two complete {held.grain}s, so no change can be measured")
    return found


def window_of(held: Calendar, period: Period) -> Window:
    """A period as a window over the time column."""
    return _window(held.time, period.start, period.end, period.label)


def span_label(start: datetime, end: datetime) -> str:
    """Name a span: a calendar period by its name, other whole days as "1-9 August 2025" or by their dates."""
    for grain in _CALENDAR_GRAINS:
        if floor(start, grain) == start and shift(start, grain, 1) == end:
            return label(start, grain)
    last = end - timedelta(days=1) if end.time() == time() else end
    if start.time() != time() or end.time() != time():
        return f"{start:%Y-%m-%d %H:%M} to {end:%Y-%m-%d %H:%M}"
    if (start.year, start.month) == (last.year, last.month):
        return f"{start.day}-{last.day} {start:%B %Y}" if start.day != last.day else f"{start.day} {start:%B %Y}"
    return f"{start:%Y-%m-%d} to {last:%Y-%m-%d}"


def _running(held: Calendar, running: Period, before: Period) -> list[Pair]:
    """The running period against the same stretch of the one before, when that one has data from its start on."""
    end = datetime.combine(held.last, time()) + timedelta(days=1)
    if not before.complete or end <= running.start:
        return []
    stretch = min(end - running.start, before.end - before.start)
    return [
        Pair(
            _window(held.time, before.start, before.start + stretch),
            _window(held.time, running.start, running.start + stretch),
            "running",
            running.note,
            window_of(held, before),
        )
    ]


def _given(held: Calendar, window: Window, versus: Window | None) -> Pair:
    first = datetime.combine(held.days[0], time())
    data_end = datetime.combine(held.last, time()) + timedelta(days=1)
    start = moment_of(window.start) if window.start is not None else first
    end = moment_of(window.end) if window.end is not None else data_end
    base_start, base_end = _base(start, end, versus, first)
    name, base_name = _named(window, start, end), _named(versus, base_start, base_end)
    if start >= data_end or base_start >= data_end or end <= first or base_end <= first:
        missing = name if start >= data_end or end <= first else base_name
        raise DatasetError(f"no data lie in {missing}; they run from {held.days[0]} to {held.last}")
    if end > data_end and not held.reaches(end):
        stretch = min(data_end - start, base_end - base_start)
        note = f"{name} is incomplete: {(data_end - start).days} of {(end - start).days} days, data end {held.last}"
        return Pair(
            _window(held.time, base_start, base_start + stretch),
            _window(held.time, start, start + stretch),
            "running",
            note,
            _window(held.time, base_start, base_end, base_name),
        )
    return Pair(
        _window(held.time, base_start, base_end, base_name), _window(held.time, start, end, name), "given",
        f"data begin {held.days[0]}, within {base_name}" if base_start < first else "",
    )  # fmt: skip


def _base(start: datetime, end: datetime, versus: Window | None, first: datetime) -> tuple[datetime, datetime]:
    """The span to compare with: the given one, else the calendar period before, else as many days before."""
    if versus is not None:
        base_end = moment_of(versus.end) if versus.end is not None else start
        return moment_of(versus.start) if versus.start is not None else first, base_end
    for grain in _CALENDAR_GRAINS:
        if floor(start, grain) == start and shift(start, grain, 1) == end:
            return shift(start, grain, -1), start
    return start - (end - start), start


def _named(window: Window | None, start: datetime, end: datetime) -> str:
    return window.label if window is not None and window.label else span_label(start, end)


def _window(column: str, start: datetime, end: datetime, name: str = "") -> Window:
    return Window(column=column, start=_day(start), end=_day(end), label=name or span_label(start, end))


def _day(moment: datetime) -> date | datetime:
    return moment.date() if moment.time() == time() else moment
