"""Records that have not ended yet: an average of durations leaves them out, and makes recent ones look short."""

from __future__ import annotations

from typing import TYPE_CHECKING

from datasets.battery._by_period import Series
from datasets.battery._numeric import reading_of
from datasets.battery._phrases import percent_text
from datasets.battery._scope import Scope
from datasets.measures import where
from datasets.sql import ident, literal

if TYPE_CHECKING:
    from datasets.view import AnalysisView

_MANY, _MORE = 0.05, 3.0


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
    """A sentence with a leading space where the newest quarter of the periods holds most of the records without end.

    Of those only the quick ones have ended, so that durations seem to fall although nothing has changed.
    """
    metric, usable = scope.metric, series.usable
    if metric.measure.kind != "duration" or metric.aggregate not in {"mean", "median", "sum", "max", "quantile"}:
        return ""
    newest = usable[-max(1, len(usable) // 4) :]
    time, start = ident(series.calendar.time), literal(newest[0].period.start)
    measure = reading_of(view.card, metric).sql
    late, early = (f"FILTER (WHERE {time} {sign} {start})" for sign in (">=", "<"))
    sql = (
        f"SELECT (count(*) {late} - count({measure}) {late})::DOUBLE / nullif(count(*) {late}, 0), "
        f"(count(*) {early} - count({measure}) {early})::DOUBLE / nullif(count(*) {early}, 0) "
        f"FROM analysis{where(scope.filters, scope.window, f'{time} IS NOT NULL')}"
    )
    newer, older = (float(v or 0.0) for v in view.query(sql).rows[0])
    if newer < _MANY or newer < _MORE * older:
        return ""
    return (
        f" Of the rows since {newest[0].period.label}, {percent_text(newer)} have no {metric.measure.columns[1]} yet"
        f" ({percent_text(older)} before): the longest are still missing, so this need be no real decrease."
    )
