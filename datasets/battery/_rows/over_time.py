"""The rows that a metric over time reads: one value each, or one for each key where a value repeats within it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from datasets.battery._rows.numeric import reading_of
from datasets.battery._rows.source import source_of
from datasets.measures import Measure, Metric
from datasets.sql import ident

if TYPE_CHECKING:
    from datasets.view import AnalysisView


def rows_sql(
    view: AnalysisView,
    metric: Metric,
    where_sql: str,
    *,
    named: Sequence[tuple[str, str]] = (),
    once_per: str | None = None,
) -> str:
    """A subselect with the value `v` and further expressions, given as (SQL, name); aggregate it with metric.over("v").

    `once_per`: a key within which the value repeats, so that it counts once (within each of the named expressions).
    """
    if metric.measure.kind == "sum_per":
        value, per = metric.measure.columns
        summed = reading_of(view.card, Metric(aggregate="sum", measure=Measure(kind="column", columns=(value,)))).sql
        columns = "".join(f"{sql} AS {name}, " for sql, name in named)
        k = ident(view.card.column(per).name)
        return f"(SELECT {columns}{k} AS per, sum({summed}) AS v FROM analysis{where_sql} GROUP BY ALL)"
    row = "1" if metric.measure.kind == "rows" else reading_of(view.card, metric).sql
    columns = "".join(f"{sql} AS {name}, " for sql, name in named)
    if once_per is not None and source_of(view, metric, once_per=once_per).once_per is not None:
        key = ident(view.card.column(once_per).name)
        return f"(SELECT {columns}{key} AS once_per, max({row}) AS v FROM analysis{where_sql} GROUP BY ALL)"
    return f"(SELECT {columns}{row} AS v FROM analysis{where_sql})"
