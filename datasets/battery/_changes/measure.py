"""A metric in two spans, the difference between them, and whether it is more than chance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np

from datasets.battery._changes.windows import Pair, days_of
from datasets.battery._rows.calendar import Calendar
from datasets.battery._rows.over_time import rows_sql
from datasets.battery._rows.periods import moment_of
from datasets.battery._statistics.groups import Group, welch_t
from datasets.battery._statistics.rates import poisson_ratio, two_shares
from datasets.battery._wording.phrases import is_share
from datasets.evidence import Effect
from datasets.measures import Filter, Metric, Window, where
from datasets.sql import literal

if TYPE_CHECKING:
    from datasets.view import AnalysisView

_MIN_DAYS = 10
_OVERDISPERSED = 1.5
_RESAMPLES = 2000
_SEED = 7


@dataclass(frozen=True)
class Level:
    """A metric in one span. `mean` and `var` describe its rows where the metric is a mean or a share."""

    value: Any
    n: int
    mean: float
    var: float
    days: float

    @property
    def number(self) -> float | None:
        """The value as a float."""
        return None if self.value is None else float(self.value)


@dataclass(frozen=True)
class Change:
    """After against before. `rate` is the relative change that is tested: of totals per day, of other metrics as it is.

    `low` and `high` are its 95 % interval; test, p and effect are None where no test fits the metric or the data.
    """

    before: Level
    after: Level
    rate: float | None
    low: float | None = None
    high: float | None = None
    test: str | None = None
    p: float | None = None
    effect: Effect | None = None

    @property
    def delta(self) -> float:
        """After minus before."""
        return (self.after.number or 0.0) - (self.before.number or 0.0)

    @property
    def ratio(self) -> float | None:
        """Relative change of the plain values; None where the value before is not above zero."""
        return relative(self.after.number, self.before.number)


def relative(after: float | None, before: float | None) -> float | None:
    """after / before − 1; None where that says nothing, because the base is not above zero."""
    return None if after is None or before is None or before <= 0 else after / before - 1.0


def measure_change(
    view: AnalysisView,
    held: Calendar,
    metric: Metric,
    filters: tuple[Filter, ...],
    pair: Pair,
    *,
    once_per: str | None = None,
) -> tuple[Change, list[str]]:
    """Measure and test a pair of spans; also the SQL that was run."""
    total = metric.aggregate in {"count", "sum"}
    if total and once_per is None and not _overlap(pair):
        return _total_change(view, held, metric, filters, pair)
    sql = _levels_sql(view, held, metric, filters, pair, once_per)
    rows = {str(r[0]): r[1:] for r in view.query(sql).rows}
    before, after = (_level(rows[name], w) for name, w in (("before", pair.before), ("after", pair.after)))
    if total:
        daily_sql = _daily_sql(view, held, metric, filters, pair, once_per)
        days = _by_day(view.query(daily_sql, limit_rows=100_000).rows)
        return _of_total(metric, before, after, _daily(days, pair)), [sql, daily_sql]
    return _of_rows(metric, before, after), [sql]


def _overlap(pair: Pair) -> bool:
    return moment_of(pair.before.end) > moment_of(pair.after.start) and moment_of(pair.after.end) > moment_of(
        pair.before.start
    )


def _total_change(
    view: AnalysisView,
    held: Calendar,
    metric: Metric,
    filters: tuple[Filter, ...],
    pair: Pair,
) -> tuple[Change, list[str]]:
    """Measure totals of both spans and of each of their days in one reading."""
    either = f"(({held.within(pair.before)}) OR ({held.within(pair.after)}))"
    moment = f"{held.sql}::TIMESTAMP"
    rows = rows_sql(view, metric, where(filters, None, either), named=[(moment, "moment")])
    in_before = f"moment >= {literal(moment_of(pair.before.start))} AND moment < {literal(moment_of(pair.before.end))}"
    sql = (
        f"SELECT span, day, {metric.over('v')} AS value, count(v) AS n FROM "
        f"(SELECT v, date_trunc('day', moment) AS day, "
        f"CASE WHEN {in_before} THEN 'before' ELSE 'after' END AS span FROM {rows}) "
        f"GROUP BY GROUPING SETS ((span), (span, day)) ORDER BY span, day"
    )
    found = view.query(sql, limit_rows=200_000).rows
    totals = {str(span): (value, n, None, None) for span, day, value, n in found if day is None}
    days = _by_day([(day, value) for _, day, value, _ in found if day is not None])
    nothing = (None if metric.aggregate == "sum" else 0, 0, None, None)
    before, after = (
        _level(totals.get(name, nothing), w) for name, w in (("before", pair.before), ("after", pair.after))
    )
    return _of_total(metric, before, after, _daily(days, pair)), [sql]


def _levels_sql(
    view: AnalysisView,
    held: Calendar,
    metric: Metric,
    filters: tuple[Filter, ...],
    pair: Pair,
    once_per: str | None,
) -> str:
    spread = "avg(v), var_samp(v)" if metric.aggregate in {"mean", "share"} else "NULL, NULL"
    parts = []
    for name, window in (("before", pair.before), ("after", pair.after)):
        rows = rows_sql(view, metric, where(filters, None, held.within(window)), once_per=once_per)
        parts.append(f"SELECT '{name}' AS period, {metric.over('v')} AS value, count(v) AS n, {spread} FROM {rows}")
    return " UNION ALL ".join(parts)


def _level(row: tuple[Any, ...], window: Window) -> Level:
    value, n, mean, var = row
    return Level(value, int(n), float(mean or 0.0), float(var or 0.0), days_of(window))


def _daily_sql(
    view: AnalysisView,
    held: Calendar,
    metric: Metric,
    filters: tuple[Filter, ...],
    pair: Pair,
    once_per: str | None,
) -> str:
    either = f"(({held.within(pair.before)}) OR ({held.within(pair.after)}))"
    day = (f"date_trunc('day', {held.sql})::TIMESTAMP", "day")
    rows = rows_sql(view, metric, where(filters, None, either), named=[day], once_per=once_per)
    return f"SELECT day, {metric.over('v')} AS value FROM {rows} GROUP BY 1 ORDER BY 1"


def _by_day(rows: Sequence[tuple[Any, ...]]) -> dict[datetime, float]:
    return {moment_of(day): float(value or 0.0) for day, value in rows}


def _daily(found: dict[datetime, float], pair: Pair) -> tuple[list[float], list[float]] | None:
    """The metric on each whole day of both spans, 0 on days without rows; None for spans that are not whole days."""
    series = []
    for window in (pair.before, pair.after):
        days = days_of(window)
        if not days.is_integer() or window.start is None:
            return None
        first = moment_of(window.start)
        series.append([found.get(first + timedelta(days=i), 0.0) for i in range(int(days))])
    return series[0], series[1]


def _of_total(metric: Metric, before: Level, after: Level, daily: tuple[list[float], list[float]] | None) -> Change:
    rate = relative((after.number or 0.0) / after.days, (before.number or 0.0) / before.days)
    if before.number is None or after.number is None:
        return Change(before, after, rate)
    old, new = (np.asarray(d) for d in daily or ([], []))
    if metric.aggregate == "count" and not _overdispersed(old, new):
        p, effect = poisson_ratio(round(after.number), after.days, round(before.number), before.days)
        low, high = (None if effect is None or end is None else end - 1 for end in _ends(effect))
        return Change(before, after, rate, low, high, "Poisson rates", p, effect)
    if min(len(old), len(new)) < _MIN_DAYS:
        return Change(before, after, rate)
    tested = welch_t(_group("after", new), _group("before", old))
    if tested is None:
        return Change(before, after, rate)
    low, high = (_bootstrap(old, new) if rate is not None else None) or (None, None)
    return Change(before, after, rate, low, high, "Welch t of daily values", tested.p, tested.effect)


def _of_rows(metric: Metric, before: Level, after: Level) -> Change:
    rate = relative(after.number, before.number)
    if before.number is None or after.number is None or metric.aggregate not in {"mean", "share"}:
        return Change(before, after, rate)
    if is_share(metric):
        hits = [round(level.mean * level.n) for level in (after, before)]
        found = two_shares(hits[0], after.n, hits[1], before.n)
        if found is None:
            return Change(before, after, rate)
        name, diff = found
        return Change(before, after, rate, diff.low, diff.high, name, diff.p, diff.effect)
    tested = welch_t(*(Group("", level.n, level.mean, level.var) for level in (after, before)))
    if tested is None:
        return Change(before, after, rate)
    base = before.number
    low, high = (tested.low / base, tested.high / base) if base > 0 else (None, None)
    return Change(before, after, rate, low, high, "Welch t", tested.p, tested.effect)


def _ends(effect: Effect | None) -> tuple[float | None, float | None]:
    return (None, None) if effect is None else (effect.low, effect.high)


def _overdispersed(*series: Any) -> bool:
    """Whether daily counts vary by more than a Poisson process does (weekdays, bursts)."""
    spread = sum(float(s.var(ddof=1)) * len(s) for s in series if len(s) > 1)
    level = sum(float(s.mean()) * len(s) for s in series if len(s) > 1)
    return level > 0 and spread / level > _OVERDISPERSED


def _group(name: str, values: Any) -> Group:
    return Group(name, len(values), float(values.mean()), float(values.var(ddof=1)))


def _bootstrap(old: Any, new: Any) -> tuple[float, float] | None:
    """95 % percentile interval of mean(new) / mean(old) − 1 over resampled days; seeded."""
    rng = np.random.default_rng(_SEED)
    means = [values[rng.integers(0, len(values), (_RESAMPLES, len(values)))].mean(axis=1) for values in (old, new)]
    if float(means[0].min()) <= 0:
        return None
    low, high = np.percentile(means[1] / means[0] - 1.0, [2.5, 97.5])
    return (float(low), float(high)) if math.isfinite(float(high)) else None
