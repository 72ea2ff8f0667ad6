"""Records that have not ended yet: an average of durations leaves them out, and makes recent ones look short."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from datasets.battery._rows.by_period import Series
from datasets.battery._rows.numeric import reading_of
from datasets.battery._wording.phrases import percent_text
from datasets.battery._wording.scope import Scope
from datasets.measures import Filter, where
from datasets.sql import ident, literal

if TYPE_CHECKING:
    from datasets.view import AnalysisView

_MANY, _MORE, _FURTHER = 0.05, 3.0, 0.15
_ALWAYS, _MOST_ENDS = 0.99, 6


def open_rows(view: AnalysisView, scope: Scope) -> list[str]:
    """Rows that an average leaves out because they have no value, such as records that are still open."""
    metric = scope.metric
    if metric.measure.kind != "duration" or metric.aggregate in {"count", "missing", "missing_share"}:
        return []
    measure = reading_of(view.card, metric).sql
    sql = f"SELECT count(*) - count({measure}), count(*) FROM analysis{where(scope.filters, scope.window)}"
    missing, rows = view.query(sql).rows[0]
    if not missing:
        return []
    return [
        f"{missing:,} of {rows:,} rows have no {metric.measure.columns[1]} and are left out; recent ones may be open"
    ]


def still_open(view: AnalysisView, series: Series, scope: Scope) -> str:
    """A sentence with a leading space where a decrease may come from records that have not ended yet.

    Of the newest records only the quick ones have ended, so that durations, and counts or shares of ended records, seem
    to fall although nothing has changed. Nothing where the newest quarter of the periods is as complete as the others.
    """
    end = _end_of(view, scope)
    if end is None:
        return ""
    usable = series.usable
    newest = usable[-max(1, len(usable) // 4) :]
    time, start = ident(series.calendar.time), literal(newest[0].period.start)
    late, early = (f"FILTER (WHERE {time} {sign} {start})" for sign in (">=", "<"))
    sql = (
        f"SELECT (count(*) {late} - count({end.sql}) {late})::DOUBLE / nullif(count(*) {late}, 0), "
        f"(count(*) {early} - count({end.sql}) {early})::DOUBLE / nullif(count(*) {early}, 0) "
        f"FROM analysis{where(end.filters, scope.window, f'{time} IS NOT NULL')}"
    )
    newer, older = (float(v or 0.0) for v in view.query(sql).rows[0])
    if newer < _MANY or (newer < _MORE * older and newer - older < _FURTHER):
        return ""
    missing = "the longest are still missing" if end.duration else "those may still get there"
    return (
        f" Of the rows since {newest[0].period.label}, {percent_text(newer)} have no {end.column} yet"
        f" ({percent_text(older)} before): {missing}, so this need be no real decrease."
    )


@dataclass(frozen=True)
class _End:
    """What says that a record has ended, and the filters that hold for ended and open records alike."""

    column: str
    sql: str
    filters: tuple[Filter, ...]
    duration: bool


def _end_of(view: AnalysisView, scope: Scope) -> _End | None:
    """The end of a duration; or the date that is missing just where a row is not among those counted."""
    metric = scope.metric
    if metric.measure.kind == "duration":
        if metric.aggregate not in {"mean", "median", "sum", "max", "quantile"}:
            return None
        return _End(metric.measure.columns[1], reading_of(view.card, metric).sql, scope.filters, duration=True)
    counted = [f for f in scope.filters if f.op in {"eq", "in"}]
    if metric.measure.kind == "indicator":
        counted.append(Filter(column=metric.measure.columns[0], op="in", values=metric.measure.values))
    ends = [c for c in view.card.columns if c.temporal and c.nulls and c.name != scope.calendar.time]
    for condition in counted if ends else ():
        same = ", ".join(
            f"avg((({condition.sql}) = ({ident(c.name)} IS NOT NULL))::INTEGER)" for c in ends[:_MOST_ENDS]
        )
        rest = tuple(f for f in scope.filters if f is not condition)
        agreed = view.query(f"SELECT {same} FROM analysis{where(rest, scope.window)}").rows[0]
        for column, share in zip(ends, agreed, strict=False):
            if share is not None and float(share) >= _ALWAYS:
                return _End(column.name, ident(column.name), rest, duration=False)
    return None
