"""The type of each column, decided on all of its values."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import duckdb

from datasets.loading.dates import Order, date_reading
from datasets.loading.numbers import NUMERIC, class_sql, number_reading, units_sql
from datasets.sql import ident, literal

_READABLE_SHARE = 0.995
_TRIM = "' ' || chr(9) || chr(10) || chr(13) || chr(160)"
_OTHER_MEANING = r"\d+(\.\d+){2,}.*|[A-Za-z]{1,5}[-_/ ]?\d+.*|\d+[-/]\d+.*|.*[\[\]].*|\d+ ?[A-Za-z]+"
"""Text beside numbers that shows the numbers to be codes: versions, part numbers, ranges."""


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

    def sql(self, raw: str) -> str:
        """SQL expression over the raw column: the typed value; NULL for empty and unreadable cells."""
        return f"nullif({raw}, '')" if self.cast is None else self.cast(trimmed(raw))


def trimmed(raw: str) -> str:
    """SQL expression: the cell without surrounding white space; NULL when nothing is left."""
    return f"nullif(trim({raw}, {_TRIM}), '')"


def decide(con: duckdb.DuckDBPyConnection, names: tuple[str, ...]) -> list[Reading]:
    """Decide the type of every column of table `raw` (columns c0, c1, ...)."""
    readings = [_decide(con, f"c{i}", name, None) for i, name in enumerate(names)]
    orders = {r.order for r in readings if r.order and not r.ambiguous}
    for i, reading in enumerate(readings):
        if not reading.ambiguous:
            continue
        if len(orders) == 1:
            order = next(iter(orders))
            again = _decide(con, f"c{i}", names[i], order)
            note = f"{names[i]!r}: every date is valid day first and month first; read {order}, as another column shows"
            readings[i] = replace(again, ambiguous=False, notes=(*again.notes, note))
        else:
            note = (
                f"{names[i]!r}: every date is valid day first and month first, so the order cannot be known;"
                f" read {reading.order}"
            )
            readings[i] = replace(reading, notes=(*reading.notes, note))
    return readings


def _decide(con: duckdb.DuckDBPyConnection, raw: str, name: str, prefer: Order | None) -> Reading:
    text = trimmed(ident(raw))
    con.execute(
        f"CREATE OR REPLACE TEMP TABLE vals AS SELECT v, n, first_row, {class_sql('v')} AS class FROM ("
        f"SELECT {text} AS v, count(*) AS n, min(rowid) AS first_row FROM raw GROUP BY 1) WHERE v IS NOT NULL"
    )
    classes = {
        str(c): int(n) for c, n in con.execute("SELECT class, sum(n)::BIGINT FROM vals GROUP BY class").fetchall()
    }
    missing = classes.pop("missing", 0)
    total = sum(classes.values())
    if total == 0:
        return Reading(name)
    if set(classes) == {"bool"} and not missing:
        return Reading(name, "BOOLEAN", lambda v: f"CAST({v} AS BOOLEAN)")
    return _number(con, name, classes, total) or _date(con, name, total, prefer, classes) or Reading(name)


def _number(con: duckdb.DuckDBPyConnection, name: str, classes: dict[str, int], total: int) -> Reading | None:
    numeric = {k: n for k, n in classes.items() if k in NUMERIC}
    readable = sum(numeric.values())
    if readable < _READABLE_SHARE * total or "zero" in classes or "long" in classes:
        return None
    odd = total - readable
    if odd and _codes_among(con):
        return None
    units = [str(u) for (u,) in con.execute(
        f"SELECT DISTINCT {units_sql('v')} FROM vals WHERE class = 'money'").fetchall()]  # fmt: skip
    reading = number_reading(numeric, units)
    if reading is None:
        return None
    cast = reading.cast
    if odd or _any_missing(con):
        kinds = ", ".join(literal(k) for k in sorted(numeric))

        def cast(v: str, read: Callable[[str], str] = reading.cast) -> str:
            return f"CASE WHEN {class_sql(v)} IN ({kinds}) THEN {read(v)} END"

    return Reading(name, reading.sql_type, cast, reading.unit, unreadable=odd)


def _codes_among(con: duckdb.DuckDBPyConnection) -> bool:
    row = con.execute(
        f"SELECT count(*) FROM vals WHERE class IN ('other', 'bool')"
        f" AND regexp_full_match(v, {literal(_OTHER_MEANING)})"
    ).fetchone()
    return bool(row and row[0])


def _any_missing(con: duckdb.DuckDBPyConnection) -> bool:
    row = con.execute("SELECT count(*) FROM vals WHERE class = 'missing'").fetchone()
    return bool(row and row[0])


def _date(
    con: duckdb.DuckDBPyConnection, name: str, total: int, prefer: Order | None, classes: dict[str, int]
) -> Reading | None:
    reading = date_reading(con, total, prefer=prefer)
    if reading is None:
        return None
    if reading.cast is None:
        return Reading(name, notes=(f"{name!r} {reading.note}",))
    row = con.execute(
        f"SELECT coalesce(sum(n) FILTER (t IS NULL OR year(t) NOT BETWEEN 1000 AND 9999), 0)::BIGINT"
        f" FROM (SELECT n, {reading.cast('v')} AS t FROM vals WHERE class <> 'missing')"
    ).fetchone()
    odd = int(row[0]) if row else total
    if odd > (1 - _READABLE_SHARE) * total:
        return None
    notes = (f"{name!r}: {reading.note}",) if reading.note else ()
    return Reading(name, reading.sql_type, reading.cast, None, odd, reading.order, reading.ambiguous, notes)
