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
    # The mean place of equal times decides on which side of the middle they stand.
    counted = (
        f"SELECT {t} AS t, count(*) AS n FROM analysis{where(tuple(filters), window, f'{t} IS NOT NULL', *conditions)}"
    )
    placed = f"SELECT t, n, sum(n) OVER (ORDER BY t) AS upto, sum(n) OVER () AS total FROM ({counted} GROUP BY 1)"
    later = view.query(f"SELECT min(t) FILTER (WHERE 2 * upto - n > total)::VARCHAR FROM ({placed})").rows[0][0]
    return "NULL::INTEGER" if later is None else f"1 + ({t} >= {literal(later)}::{column.sql_type})::INTEGER"
