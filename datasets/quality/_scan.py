"""What detectors share: one pass over the event time, read at most once."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from datasets.schema import Column
from datasets.sql import ident

if TYPE_CHECKING:
    from datasets.view import AnalysisView

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]

_MOST_MEASURES = 12
_LONGEST_SPAN_DAYS = 60_000
"""Beyond 164 years the dense calendar is not worth its memory; such a column is no event time."""


@dataclass(frozen=True)
class Daily:
    """Rows per calendar day from the first to the newest event; days without rows count 0."""

    column: str
    first: date
    rows: Counts
    non_null: dict[str, Counts]
    """Column → values per day; only columns that have nulls."""
    zeros: dict[str, Counts]
    """Measure → zeros per day; only measures that have zeros."""
    clocked: bool
    """Whether the column carries a time of day."""
    newest: datetime
    sql: str

    @property
    def last(self) -> date:
        """The newest day with rows."""
        return self.first + timedelta(days=len(self.rows) - 1)

    def day(self, index: int) -> date:
        """The calendar day at an index; negative counts from the end."""
        return self.first + timedelta(days=index if index >= 0 else len(self.rows) + index)


@dataclass(frozen=True)
class DailyValues:
    """A measure on each day that has values of it: lowest, highest, and geometric mean of its size (NaN: all are 0)."""

    days: list[date]
    low: Floats
    high: Floats
    size: Floats


class Scan:
    """A view with what several detectors need from it. The view must be the data as loaded, without directives."""

    def __init__(self, view: AnalysisView) -> None:
        self.view = view
        self.card = view.card
        self.rows = view.rows

    def all(self, sql: str, *, limit_rows: int = 10_000) -> list[tuple[Any, ...]]:
        """Rows of a query over `analysis`."""
        return list(self.view.query(sql, limit_rows=limit_rows).rows)

    def one(self, sql: str) -> tuple[Any, ...]:
        """The only row of an aggregate query."""
        return self.all(sql, limit_rows=1)[0]

    @cached_property
    def measures(self) -> list[Column]:
        """Up to 12 numeric columns that measure something and vary."""
        return [c for c in self.card.by_role("measure") if c.numeric and c.distinct > 1][:_MOST_MEASURES]

    @cached_property
    def daily_values(self) -> dict[str, DailyValues]:
        """Each measure by day of the event time, in one pass; empty without one."""
        if self.daily is None or not self.measures:
            return {}
        t = ident(self.daily.column)
        cells = ", ".join(
            f"min({m})::DOUBLE, max({m})::DOUBLE, pow(10, avg(log10(abs({m})::DOUBLE)) FILTER ({m} <> 0))"
            for m in (ident(c.name) for c in self.measures)
        )
        table = self.all(
            f"SELECT {t}::DATE, {cells} FROM analysis WHERE {t} IS NOT NULL AND isfinite({t}) GROUP BY 1 ORDER BY 1",
            limit_rows=_LONGEST_SPAN_DAYS,
        )
        found = {}
        for i, column in enumerate(self.measures):
            days = [(row[0], *row[1 + 3 * i : 4 + 3 * i]) for row in table if row[1 + 3 * i] is not None]
            numbers = np.array([d[1:] for d in days], dtype=np.float64).reshape(len(days), 3)
            found[column.name] = DailyValues([d[0] for d in days], numbers[:, 0], numbers[:, 1], numbers[:, 2])
        return found

    @cached_property
    def time(self) -> Column | None:
        """The event time, where it is a date or timestamp with at least two values."""
        name = self.card.time_column
        if name is None or not self.card.has(name):
            return None
        column = self.card.column(name)
        return column if column.temporal and column.distinct > 1 else None

    @cached_property
    def daily(self) -> Daily | None:
        """The table by day of its event time; None without one."""
        if self.time is None:
            return None
        t = ident(self.time.name)
        late = [c.name for c in self.card.columns if 0 < c.nulls < c.rows and c.name != self.time.name]
        zero = [c.name for c in self.card.by_role("measure") if c.numeric and _spans_zero(c)]
        parts = [
            f"{t}::DATE",
            "count(*)",
            f"max({t}::TIMESTAMP)",
            f"count(*) FILTER ({t}::TIMESTAMP::TIME <> TIME '00:00:00')",
        ]
        parts += [f"count({ident(name)})" for name in late] + [f"count(*) FILTER ({ident(name)} = 0)" for name in zero]
        sql = f"SELECT {', '.join(parts)} FROM analysis WHERE {t} IS NOT NULL AND isfinite({t}) GROUP BY 1 ORDER BY 1"
        table = self.all(sql, limit_rows=_LONGEST_SPAN_DAYS)
        if len(table) < 2 or (table[-1][0] - table[0][0]).days >= _LONGEST_SPAN_DAYS:
            return None
        first: date = table[0][0]
        at = np.array([(row[0] - first).days for row in table])
        dense = np.zeros((at[-1] + 1, 1 + len(late) + len(zero)), dtype=np.int64)
        dense[at] = [(row[1], *row[4:]) for row in table]
        return Daily(
            column=self.time.name,
            first=first,
            rows=dense[:, 0],
            non_null={name: dense[:, 1 + i] for i, name in enumerate(late)},
            zeros={name: dense[:, 1 + len(late) + i] for i, name in enumerate(zero)},
            clocked=any(row[3] for row in table),
            newest=max(row[2] for row in table),
            sql=sql,
        )


def _spans_zero(column: Column) -> bool:
    try:
        return float(column.minimum or "nan") <= 0 <= float(column.maximum or "nan")
    except ValueError:
        return True
