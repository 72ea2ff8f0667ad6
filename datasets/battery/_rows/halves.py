"""The earlier and the later half of some rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from datasets.measures import Filter, Window, where
from datasets.sql import ident, literal

if TYPE_CHECKING:
    from datasets.view import AnalysisView


def half_sql(
    view: AnalysisView, time: str | None, filters: Sequence[Filter], window: Window | None, *conditions: str
) -> str:
    """1 for the earlier half of the rows and 2 for the later one; equal times share a half, rows without one have none.

    Without a time column 1 and 2 by turns.
    """
    if time is None:
        return "(row_number() OVER () % 2 + 1)::INTEGER"
    column = view.card.column(time)
    t = ident(column.name)
    times = f"SELECT {t} AS t FROM analysis{where(tuple(filters), window, f'{t} IS NOT NULL', *conditions)}"
    # The mean place of the times that equal the median decides on which side of the middle they stand.
    middle = f"SELECT quantile_disc(t, 0.5) AS m FROM ({times})"
    later = view.query(
        f"SELECT (CASE WHEN 2 * count(*) FILTER (WHERE t < m) + count(*) FILTER (WHERE t = m) > count(*) THEN min(m)"
        f" ELSE min(t) FILTER (WHERE t > m) END)::VARCHAR FROM ({times}), ({middle})"
    ).rows[0][0]
    return "NULL::INTEGER" if later is None else f"1 + ({t} >= {literal(later)}::{column.sql_type})::INTEGER"
