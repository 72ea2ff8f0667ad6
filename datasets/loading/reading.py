"""How one raw text column becomes a typed one."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import duckdb

from datasets.loading.dates import Order
from datasets.loading.numbers import Decimal

READABLE_SHARE_0_1 = 0.995
"""So many of the cells of a column have to fit the type that it gets."""
_TRIM = "' ' || chr(9) || chr(10) || chr(13) || chr(160)"


@dataclass(frozen=True)
class Reading:
    """How one raw text column becomes a typed one."""

    name: str
    sql_type: str = "VARCHAR"
    cast: Callable[[str], str] | None = None
    unit: str | None = None
    unreadable: int = 0
    order: Order | None = None
    ambiguous: bool = False
    notes: tuple[str, ...] = field(default=())
    decimal: Decimal | None = None
    """The decimal sign that the cells prove."""
    open_decimal: bool = False
    """Whether the cells are numbers that the other decimal sign would read otherwise: 1.234 and 1,234."""
    doubt: str | None = None
    """Why no answer that leans on this column is certain."""

    tidy: bool = False
    """Whether no cell has white space around it: to trim each of them takes longer than to read it."""

    def sql(self, raw: str) -> str:
        """SQL expression over the raw column: the typed value; NULL for empty and unreadable cells."""
        filled = f"nullif({raw}, '')"
        return filled if self.cast is None else self.cast(filled if self.tidy else trimmed(raw))


def trimmed(raw: str) -> str:
    """SQL expression: the cell without surrounding white space; NULL when nothing is left."""
    return f"nullif(trim({raw}, {_TRIM}), '')"


def one(con: duckdb.DuckDBPyConnection, sql: str) -> tuple[Any, ...]:
    """The single row that the query has."""
    row: tuple[Any, ...] | None = con.execute(sql).fetchone()
    assert row is not None
    return row
