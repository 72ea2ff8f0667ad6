"""Which segments a change comes from: parts of a total that add up to it, or mix against rate for an average."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from datasets.battery._changes.measure import Change
from datasets.battery._changes.windows import Pair
from datasets.battery._rows.calendar import Calendar
from datasets.battery._rows.over_time import rows_sql
from datasets.battery._wording.words import name_text
from datasets.measures import Filter, Metric, where
from datasets.sql import ident

if TYPE_CHECKING:
    from datasets.view import AnalysisView

MISSING = "(missing)"
_LIMIT_SEGMENTS = 5_000


@dataclass(frozen=True)
class Part:
    """One segment in both spans; a value is None where the segment has no rows in that span.

    `name` is how statements call it. `n` counts the rows that the metric reads. `delta` is what the segment adds to the
    change.
    """

    segment: str
    name: str
    before: float | None
    after: float | None
    n_before: int
    n_after: int
    delta: float

    @property
    def new(self) -> bool:
        """In the later span only."""
        return self.n_before == 0 and self.n_after > 0

    @property
    def vanished(self) -> bool:
        """In the earlier span only."""
        return self.n_after == 0 and self.n_before > 0


@dataclass(frozen=True)
class MixAndRate:
    """A change of an average split in two (Kitagawa, 1955): `rate` + `mix` is the change."""

    rate: float
    mix: float
    parts: tuple[Part, ...]


def segments_sql(
    view: AnalysisView,
    held: Calendar,
    metric: Metric,
    filters: tuple[Filter, ...],
    pair: Pair,
    dimension: str,
    *,
    once_per: str | None = None,
) -> str:
    """The SQL of the metric in each segment and span; rows without a value of the dimension form a segment."""
    before, after = held.within(pair.before), held.within(pair.after)
    named = [
        (f"coalesce({ident(dimension)}::VARCHAR, '{MISSING}')", "segment"),
        (f"({before})", "in_before"),
        (f"({after})", "in_after"),
    ]
    rows = rows_sql(view, metric, where(filters, None, f"(({before}) OR ({after}))"), named=named, once_per=once_per)
    value = metric.over("v")
    return (
        f"SELECT segment, {value} FILTER (WHERE in_before) AS before, {value} FILTER (WHERE in_after) AS after,"
        f" count(v) FILTER (WHERE in_before) AS n_before, count(v) FILTER (WHERE in_after) AS n_after"
        f" FROM {rows} GROUP BY 1 ORDER BY abs(coalesce(after, 0) - coalesce(before, 0)) DESC, segment"
    )


def segments_of_all(
    view: AnalysisView,
    held: Calendar,
    metric: Metric,
    filters: tuple[Filter, ...],
    pair: Pair,
    dimensions: Sequence[str],
) -> tuple[dict[str, list[tuple[Any, ...]]], str]:
    """The rows of `segments_sql` for several dimensions, read in one pass; also the SQL."""
    before, after = held.within(pair.before), held.within(pair.after)
    named = [(f"coalesce({ident(d)}::VARCHAR, '{MISSING}')", f"s{i}") for i, d in enumerate(dimensions)]
    named += [(f"({before})", "in_before"), (f"({after})", "in_after")]
    rows = rows_sql(view, metric, where(filters, None, f"(({before}) OR ({after}))"), named=named)
    value = metric.over("v")
    places = [f"s{i}" for i in range(len(dimensions))]
    which = " ".join(f"WHEN grouping({s}) = 0 THEN {i}" for i, s in enumerate(places))
    sql = (
        f"SELECT CASE {which} END AS which, coalesce({', '.join(places)}) AS segment,"
        f" {value} FILTER (WHERE in_before) AS before, {value} FILTER (WHERE in_after) AS after,"
        f" count(v) FILTER (WHERE in_before) AS n_before, count(v) FILTER (WHERE in_after) AS n_after"
        f" FROM {rows} GROUP BY GROUPING SETS ({', '.join(f'({s})' for s in places)}) ORDER BY which, segment"
    )
    found: dict[str, list[tuple[Any, ...]]] = {d: [] for d in dimensions}
    for which_, *row in view.query(sql, limit_rows=_LIMIT_SEGMENTS).rows:
        found[dimensions[int(which_)]].append(tuple(row))
    return found, sql


def read_segments(view: AnalysisView, sql: str) -> list[tuple[Any, ...]]:
    """The rows of `segments_sql`."""
    return view.query(sql, limit_rows=_LIMIT_SEGMENTS).rows


def additive_parts(
    view: AnalysisView, rows: Sequence[tuple[Any, ...]], change: Change, dimension: str, *, per_day: bool
) -> list[Part]:
    """The segments, largest contribution first; their deltas add up to the change (per day, when `per_day`)."""
    scale_before, scale_after = (change.before.days, change.after.days) if per_day else (1.0, 1.0)
    parts = []
    for segment, before, after, n_before, n_after in rows:
        delta = float(after or 0.0) / scale_after - float(before or 0.0) / scale_before
        parts.append(_part(view, dimension, segment, before, after, n_before, n_after, delta))
    return sorted(parts, key=lambda p: (-abs(p.delta), p.segment))


def mix_and_rate(view: AnalysisView, rows: Sequence[tuple[Any, ...]], dimension: str) -> MixAndRate | None:
    """Split the change of a mean or share over segments; None where a span holds no values.

    rate_i = mean of its two weights × change of its average; mix_i = mean of its two averages × change of its weight.
    A segment of one span only has no rate effect.
    """
    total_before, total_after = (sum(int(r[i]) for r in rows) for i in (3, 4))
    if not total_before or not total_after:
        return None
    parts: list[Part] = []
    rate_sum = mix_sum = 0.0
    for segment, before, after, n_before, n_after in rows:
        if not n_before and not n_after:
            continue
        w0, w1 = int(n_before) / total_before, int(n_after) / total_after
        m0 = float(before) if before is not None else float(after)
        m1 = float(after) if after is not None else m0
        rate, mix = (w0 + w1) / 2 * (m1 - m0), (m0 + m1) / 2 * (w1 - w0)
        rate_sum, mix_sum = rate_sum + rate, mix_sum + mix
        parts.append(_part(view, dimension, segment, before, after, n_before, n_after, rate + mix))
    return MixAndRate(rate_sum, mix_sum, tuple(sorted(parts, key=lambda p: (-abs(p.delta), p.segment))))


def _part(
    view: AnalysisView, dimension: str, segment: Any, before: Any, after: Any, n_before: Any, n_after: Any, delta: float
) -> Part:
    name = name_text(view.card, dimension, segment) if segment != MISSING else MISSING
    return Part(str(segment), name, _number(before), _number(after), int(n_before), int(n_after), delta)


def _number(value: Any) -> float | None:
    return None if value is None else float(value)
