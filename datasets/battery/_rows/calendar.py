"""The calendar of a dataset: which periods its time column covers, and which of them are complete."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING

from datasets.battery._rows.numeric import reading_of
from datasets.battery._rows.periods import Day, Period, cut_off_at_end, grain_of, lay, moment_of, not_finer
from datasets.errors import DatasetError
from datasets.measures import Grain, Metric, Window
from datasets.sql import ident, literal

if TYPE_CHECKING:
    from datasets.view import AnalysisView

_ENDS_WITH_DATA = {"column", "sum_of", "ratio_of", "difference_of", "product_of"}
_COUNTS_NULLS = {"missing", "missing_share"}
_LIMIT_DAYS = 200_000


@dataclass(frozen=True)
class Calendar:
    """The periods from the first to the last event of a time column, without gaps in between.

    `sql` is the time as a TIMESTAMP expression, `bucket` its period start; `days` are the days that hold data,
    in order. `clipped`: later days are left out by a directive.
    """

    time: str
    sql: str
    bucket: str
    grain: Grain
    periods: tuple[Period, ...]
    days: tuple[date, ...]
    clipped: bool

    @property
    def complete(self) -> tuple[Period, ...]:
        """The complete periods, in order."""
        return tuple(p for p in self.periods if p.complete)

    @property
    def incomplete(self) -> tuple[Period, ...]:
        """The first and the last period where they are cut off."""
        return tuple(p for p in self.periods if not p.complete)

    def within(self, window: Window | None) -> str:
        """The window as a predicate on this time, empty without one."""
        if window is None:
            return ""
        ends = ((">=", window.start), ("<", window.end))
        return " AND ".join(f"{self.sql} {op} {literal(moment_of(end))}" for op, end in ends if end is not None)

    @property
    def last(self) -> date:
        """The last day that holds data."""
        return self.days[-1]

    def reaches(self, end: datetime) -> bool:
        """Whether the data go on up to `end`, as far as their rhythm lets one say."""
        missing = (end - timedelta(microseconds=1)).date() - self.last
        return not cut_off_at_end(self.days, missing.days)

    @property
    def spaced(self) -> bool:
        """Whether rows come at a regular step longer than the grain (every fifth year), so that gaps are no zeros."""
        held = [i for i, p in enumerate(self.periods) if p.rows]
        steps = {b - a for a, b in pairwise(held)}
        return len(held) > 2 and len(steps) == 1 and steps != {1}


def time_sql(view: AnalysisView, name: str) -> str:
    """Return the column as a TIMESTAMP expression; whole numbers that can be years count as years.

    :raises DatasetError: when the column holds no time.
    """
    column = view.card.column(name)
    if column.sql_type.startswith("TIMESTAMP WITH"):
        return f"({ident(name)} AT TIME ZONE 'UTC')"
    if column.temporal:
        return f"{ident(name)}::TIMESTAMP"
    if column.numeric and _year(column.minimum) and _year(column.maximum):
        return f"make_date({ident(name)}::INTEGER, 1, 1)::TIMESTAMP"
    raise DatasetError(f"{name!r} holds no dates; choose a time column for a question about periods")


def calendar(
    view: AnalysisView,
    name: str,
    *,
    grain: Grain | None = None,
    metric: Metric | None = None,
    window: Window | None = None,
) -> Calendar:
    """Lay the calendar over a time column of the view, never over filtered rows: a quiet segment is not missing data.

    `metric`: where it reads a column, only rows that have a value count, so that a column whose last days are blank
    ends where its data end. `window` keeps the periods that it touches; those it cuts are incomplete. Without a
    grain the view's preferred one is taken, else one that suits the span.

    :raises DatasetError: when no row has a time.
    """
    sql = time_sql(view, name)
    known = ""
    if metric is not None and metric.measure.kind in _ENDS_WITH_DATA and metric.aggregate not in _COUNTS_NULLS:
        known = f" AND ({reading_of(view.card, metric).sql}) IS NOT NULL"
    table = view.query(
        f"SELECT {sql}::DATE AS day, count(*) AS n, min({sql}) AS first, max({sql}) AS last "
        f"FROM analysis WHERE {ident(name)} IS NOT NULL{known} GROUP BY 1 ORDER BY 1",
        limit_rows=_LIMIT_DAYS,
    )
    if not table.rows:
        raise DatasetError(f"no row has a value in {name!r}, so there are no periods to look at")
    days = [Day(moment_of(r[0]).date(), int(r[1]), moment_of(r[2]), moment_of(r[3])) for r in table.rows]
    chosen = not_finer(grain or view.grain or grain_of(days), days)
    periods = _within(lay(days, chosen), window)
    newest, loaded = view.newest, view.as_loaded_newest
    clipped = name == view.card.time_column and newest is not None and loaded is not None and newest < loaded
    bucket = f"date_trunc('{chosen}', {sql})::TIMESTAMP"
    return Calendar(name, sql, bucket, chosen, periods, tuple(d.day for d in days), clipped)


def _within(periods: tuple[Period, ...], window: Window | None) -> tuple[Period, ...]:
    if window is None:
        return periods
    start = moment_of(window.start) if window.start is not None else periods[0].start
    end = moment_of(window.end) if window.end is not None else periods[-1].end
    kept = []
    for p in periods:
        if p.start < end and p.end > start:
            cut = p.start < start or p.end > end
            note = p.note or f"{p.label} is incomplete: it is cut by {window.words}"
            kept.append(replace(p, complete=False, note=note) if cut else p)
    if not kept:
        raise DatasetError(f"no period lies in {window.words}; data run from {periods[0].label} to {periods[-1].label}")
    return tuple(kept)


def _year(text: str | None) -> bool:
    try:
        return text is not None and 1000 <= int(float(text)) <= 2999
    except ValueError:
        return False
