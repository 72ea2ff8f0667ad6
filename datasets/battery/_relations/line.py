"""The least-squares line of one measure over another, told beside their relation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from datasets.battery._rows.numeric import numeric_sql
from datasets.evidence import Candidate
from datasets.measures import Filter, Measure, Window, where
from datasets.plain import number_text

if TYPE_CHECKING:
    from datasets.view import AnalysisView


def with_line(
    view: AnalysisView,
    candidate: Candidate,
    x: Measure,
    y: Measure,
    filters: Sequence[Filter],
    window: Window | None,
) -> Candidate:
    """Add "Least squares: y = a + b * x" to a relation; as it is where the line is not defined (x without spread)."""
    over, of = numeric_sql(view.card, x).sql, numeric_sql(view.card, y).sql
    sql = (
        f"SELECT regr_slope({of}, {over}), regr_intercept({of}, {over}), regr_r2({of}, {over}) "
        f"FROM analysis{where(tuple(filters), window)}"
    )
    slope, intercept, r2 = view.query(sql).rows[0]
    if slope is None or slope != slope:
        return candidate
    sign = "-" if slope < 0 else "+"
    line = (
        f"{y.words} = {_text(intercept)} {sign} {_text(abs(slope))} × {x.words} "
        f"(slope {_text(slope)}, intercept {_text(intercept)}, R² {_text(r2)})"
    )
    table = [*candidate.table, {"slope": float(slope), "intercept": float(intercept), "r_squared": float(r2)}]
    return candidate.model_copy(
        update={
            "statement": f"{candidate.statement} Least squares: {line}.",
            "table": table,
            "sql": [*candidate.sql, sql],
        }
    )


def _text(value: float) -> str:
    return number_text(round(value, 4) if abs(value) >= 0.01 else float(f"{value:.4g}"))
