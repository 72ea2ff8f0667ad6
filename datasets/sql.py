"""The only two ways a name or a value enters SQL text.

SQL is kept with the evidence and must run again as it stands, so values are rendered as literals, not bound.
"""

import math
from collections.abc import Iterable
from datetime import date, datetime
from decimal import Decimal

Scalar = str | int | float | bool | Decimal | date | datetime | None


def ident(name: str) -> str:
    """Quote a column or relation name."""
    if "\x00" in name:
        raise ValueError(f"a name cannot hold a NUL character: {name!r}")
    return '"' + name.replace('"', '""') + '"'


def literal(value: Scalar) -> str:
    """Render a value as a DuckDB literal.

    :raises ValueError: for NaN and infinity, which have no literal that compares as a reader expects.
    """
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int | Decimal):
        return str(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"not a comparable number: {value!r}")
        return repr(value)
    if isinstance(value, datetime):
        return f"TIMESTAMP '{value.replace(tzinfo=None).isoformat(sep=' ')}'"
    if isinstance(value, date):
        return f"DATE '{value.isoformat()}'"
    if "\x00" in value:
        raise ValueError("a text value cannot hold a NUL character")
    return "'" + value.replace("'", "''") + "'"


def literals(values: Iterable[Scalar]) -> str:
    """Render a parenthesised list for IN."""
    return "(" + ", ".join(literal(v) for v in values) + ")"
