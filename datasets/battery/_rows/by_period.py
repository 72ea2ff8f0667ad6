"""A metric per calendar period, for all rows or for each segment of a dimension."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from datasets.battery._rows.calendar import Calendar
from datasets.battery._rows.over_time import rows_sql
from datasets.battery._rows.periods import Period, moment_of
from datasets.measures import Filter, Metric, Window, where
from datasets.sql import ident, literals

if TYPE_CHECKING:
    from datasets.view import AnalysisView

_ZERO_WITHOUT_ROWS = {"count", "distinct", "missing"}
_UNEVEN = {"month", "quarter", "year"}
_LIMIT_ROWS = 100_000


@dataclass(frozen=True)
class Spot:
    """A metric in one period: the value as the database gave it, None where it is not defined.

    `error` is the standard deviation that chance gives the value: sampling error of a mean, Poisson noise of a total.
    """

    period: Period
    value: Any
    n: int
    error: float = 0.0


@dataclass(frozen=True)
class Series:
    """A metric over all periods of a calendar."""

    metric: Metric
    calendar: Calendar
    spots: tuple[Spot, ...]

    @property
    def usable(self) -> tuple[Spot, ...]:
        """The complete periods with a value, in order."""
        return tuple(s for s in self.spots if s.period.complete and s.value is not None)

    @property
    def per_day(self) -> bool:
        """Whether periods differ in length so that totals must be compared per day."""
        return self.metric.additive and self.calendar.grain in _UNEVEN

    def level(self, spot: Spot) -> float:
        """The value that a test compares: per day for totals of months, quarters and years."""
        value = float(spot.value)
        return value / spot.period.days if self.per_day else value

    @property
    def n(self) -> int:
        """Rows behind the usable values."""
        return sum(s.n for s in self.usable)


def series_sql(
    view: AnalysisView,
    calendar: Calendar,
    metric: Metric,
    filters: tuple[Filter, ...],
    *,
    window: Window | None = None,
    by: str | None = None,
    segments: Sequence[str] = (),
    once_per: str | None = None,
) -> str:
    """The SQL of the metric per period, and per segment of `by` where it is given."""
    kept = [f"{ident(calendar.time)} IS NOT NULL", calendar.within(window)]
    named = [(calendar.bucket, "period")]
    if by is not None:
        named.insert(0, (f"{ident(by)}::VARCHAR", "segment"))
        kept.append(f"{ident(by)}::VARCHAR IN {literals(segments)}")
    rows = rows_sql(view, metric, where(filters, None, *kept), named=named, once_per=once_per)
    groups = ", ".join(name for _, name in named)
    return (
        f"SELECT {groups}, {metric.over('v')} AS value, count(v) AS n, {_error_sql(metric)} AS error"
        f" FROM {rows} GROUP BY ALL ORDER BY ALL"
    )


def overall(
    view: AnalysisView,
    calendar: Calendar,
    metric: Metric,
    filters: tuple[Filter, ...],
    window: Window | None = None,
    once_per: str | None = None,
) -> tuple[Series, str]:
    """Measure the metric per period; also the SQL."""
    sql = series_sql(view, calendar, metric, filters, window=window, once_per=once_per)
    rows = view.query(sql, limit_rows=_LIMIT_ROWS).rows
    found = {moment_of(p): (value, int(n), float(error or 0.0)) for p, value, n, error in rows}
    return _series(calendar, metric, found), sql


def by_segment(
    view: AnalysisView,
    calendar: Calendar,
    metric: Metric,
    filters: tuple[Filter, ...],
    by: str,
    segments: Sequence[str],
    window: Window | None = None,
    once_per: str | None = None,
) -> tuple[dict[str, Series], str]:
    """Measure the metric per period in each of the segments (text of the dimension's values); also the SQL."""
    sql = series_sql(view, calendar, metric, filters, window=window, by=by, segments=segments, once_per=once_per)
    found: dict[str, dict[datetime, tuple[Any, int, float]]] = {s: {} for s in segments}
    for segment, period, value, n, error in view.query(sql, limit_rows=_LIMIT_ROWS).rows:
        found[str(segment)][moment_of(period)] = (value, int(n), float(error or 0.0))
    return {s: _series(calendar, metric, values) for s, values in found.items()}, sql


def _series(calendar: Calendar, metric: Metric, found: dict[datetime, tuple[Any, int, float]]) -> Series:
    return Series(
        metric,
        calendar,
        tuple(Spot(p, *found.get(p.start, (_without_rows(calendar, metric, p), 0, 0.0))) for p in calendar.periods),
    )


def _error_sql(metric: Metric) -> str:
    """The error of the value of one group, NULL where it is not known."""
    if metric.aggregate in {"mean", "share"}:
        return "stddev_samp(v) / sqrt(count(v))"
    if metric.aggregate == "sum":
        return "sqrt(sum(v::DOUBLE ** 2))"
    return "sqrt(count(*))" if metric.aggregate in {"count", "missing"} else "NULL"


def _without_rows(calendar: Calendar, metric: Metric, period: Period) -> int | None:
    """What a period without rows of the selection says: nothing happened (0), or nothing is known (None)."""
    if metric.aggregate in _ZERO_WITHOUT_ROWS:
        return None if calendar.spaced else 0
    return 0 if metric.aggregate == "sum" and period.rows else None
