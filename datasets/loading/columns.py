"""The type of each column, decided on all of its values."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import duckdb

from datasets.loading.dates import Order, date_reading
from datasets.loading.numbers import (
    LARGEST,
    NUMERIC,
    Decimal,
    affix_of,
    bounded,
    class_sql,
    decimal_sign,
    number_reading,
    number_sql,
    units_sql,
)
from datasets.loading.overrides import Overrides
from datasets.loading.quantities import common_unit, in_common_unit, unit_sql
from datasets.sql import ident, literal

_READABLE_SHARE = 0.995
_TRIM = "' ' || chr(9) || chr(10) || chr(13) || chr(160)"
_MOSTLY_NUMBERS = 0.8
_RANGED = r"[+-]?[0-9][0-9.,]*( ?\[[^\]]*\])?"
_CODE = r"\d+(\.\d+){2,}.*|[A-Za-z]{1,5}[-_/ ]?\d+.*|\d+[-/]\d+.*|.*[\[\]].*|\d+ ?[A-Za-z]+"
_OTHER_MEANING = f"class IN ('other', 'bool') AND regexp_full_match(v, {literal(_CODE)})"
"""SQL: text beside numbers that shows the numbers to be codes: versions, part numbers, ranges."""
_DAY_NAME = re.compile(r"(?i)(^|[^a-z])(date|day|datum|dt|ymd)([^a-z]|$)|(?-i:[a-z]Date)")
_EPOCH_NAME = re.compile(
    r"(?i)epoch|unix|timestamp|_utc$|^ts$|_ts$|[_ ]at$|^time$|_time$"
    r"|^(created|updated|modified|occurred)|(?-i:[a-z]At$)"
)
_LABEL_NAME = re.compile(r"(?i)version|release|section|chapter|clause|paragraph|\bbuild\b")
"""Columns whose points are no decimal signs where zeros behind them matter."""
_SERIAL_DAYS = (20_000, 60_000)
"""Days since 1900 of 1954 and of 2064."""


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

    def sql(self, raw: str) -> str:
        """SQL expression over the raw column: the typed value; NULL for empty and unreadable cells."""
        return f"nullif({raw}, '')" if self.cast is None else self.cast(trimmed(raw))


def trimmed(raw: str) -> str:
    """SQL expression: the cell without surrounding white space; NULL when nothing is left."""
    return f"nullif(trim({raw}, {_TRIM}), '')"


def decide(
    con: duckdb.DuckDBPyConnection, names: Sequence[str] | Mapping[int, str], overrides: Overrides
) -> dict[int, Reading]:
    """Decide the type of these text columns of table `raw` (columns c0, c1, ...), by position.

    :raises DatasetError: when the catalogue settles a column that is not there.
    """
    named = names if isinstance(names, Mapping) else dict(enumerate(names))
    return _decide_all(con, named, _decide, overrides)


def decide_written(
    con: duckdb.DuckDBPyConnection, names: Mapping[int, str], overrides: Overrides
) -> dict[int, Reading]:
    """Decide which of these text columns of table `raw` (position to name) hold dates or numbers; others stay text."""
    return _decide_all(con, names, _decide_written, overrides)


Decision = Callable[[duckdb.DuckDBPyConnection, str, str, Order | None, Overrides], Reading]


def _decide_all(
    con: duckdb.DuckDBPyConnection, names: Mapping[int, str], decision: Decision, overrides: Overrides
) -> dict[int, Reading]:
    """Decide each column; one whose dates fit both orders follows the others of the file, where these agree."""
    readings = {
        i: Reading(name) if name in overrides.as_text else decision(con, f"c{i}", name, None, overrides)
        for i, name in names.items()
    }
    _follow_decimal_sign(con, readings, decision, overrides)
    orders = {r.order for r in readings.values() if r.order and not r.ambiguous}
    for i, reading in readings.items():
        if not reading.ambiguous:
            continue
        both = f"{reading.name!r}: every date is valid day first and month first"
        if len(orders) == 1:
            order = next(iter(orders))
            again = decision(con, f"c{i}", reading.name, order, overrides)
            note = f"{both}; read {order}, as another column shows"
            readings[i] = replace(again, ambiguous=False, notes=(*again.notes, note))
        else:
            note = f"{both}, so the order cannot be known; read {reading.order}"
            doubt = f"{note}. Settle it with: recallyst datasets add FILE --date-order '{_other(reading.order)}'"
            readings[i] = replace(reading, notes=(*reading.notes, note), doubt=doubt)
    return readings


def _follow_decimal_sign(
    con: duckdb.DuckDBPyConnection, readings: dict[int, Reading], decision: Decision, overrides: Overrides
) -> None:
    """Read numbers such as 1.234 as the other columns of the file write their decimals, where all write a comma."""
    if overrides.decimal is not None or {r.decimal for r in readings.values() if r.decimal} != {"comma"}:
        return
    settled = overrides.model_copy(update={"decimal": "comma"})
    for i, reading in readings.items():
        if reading.open_decimal:
            again = decision(con, f"c{i}", reading.name, None, settled)
            note = f"{reading.name!r}: a comma is read as the decimal sign, as other columns show"
            readings[i] = replace(again, notes=(*again.notes, note))


def _other(order: Order | None) -> Order:
    return "month first" if order == "day first" else "day first"


def _classify(con: duckdb.DuckDBPyConnection, raw: str) -> dict[str, int]:
    """Fill temp table `vals` with the distinct texts of the column, and count the cells of each class."""
    text = trimmed(ident(raw))
    con.execute(
        f"CREATE OR REPLACE TEMP TABLE vals AS SELECT v, n, first_row, {class_sql('v')} AS class FROM ("
        f"SELECT {text} AS v, count(*) AS n, min(rowid) AS first_row FROM raw GROUP BY 1) WHERE v IS NOT NULL"
    )
    rows = con.execute("SELECT class, sum(n)::BIGINT FROM vals GROUP BY class").fetchall()
    return {str(c): int(n) for c, n in rows}


def _decide(con: duckdb.DuckDBPyConnection, raw: str, name: str, prefer: Order | None, overrides: Overrides) -> Reading:
    classes = _classify(con, raw)
    missing = classes.pop("missing", 0)
    total = sum(classes.values())
    if total == 0:
        return Reading(name)
    if set(classes) == {"bool"} and not missing:
        return Reading(name, "BOOLEAN", lambda v: f"CAST({v} AS BOOLEAN)")
    stamp = _stamp(con, name, classes)
    return (
        stamp
        or _quantity(con, name, classes, total, overrides)
        or _percent(con, name, classes, total, overrides)
        or _number(con, name, classes, total, overrides)
        or _date(con, name, total, prefer, overrides)
        or _text(con, name, classes)
    )


def _decide_written(
    con: duckdb.DuckDBPyConnection, raw: str, name: str, prefer: Order | None, overrides: Overrides
) -> Reading:
    """Dates, and numbers that cannot be labels: digits alone were given as text, amounts and fractions by accident."""
    classes = _classify(con, raw)
    total = sum(n for kind, n in classes.items() if kind != "missing")
    if not total:
        return Reading(name)
    found = {kind: n for kind, n in classes.items() if kind != "missing"}
    if found.keys() <= NUMERIC and found.keys() - {"int"} and (number := _number(con, name, found, total, overrides)):
        note = f"{name!r}: numbers given as text were read as numbers"
        return replace(number, notes=(*number.notes, *([note] if number.cast else [])))
    return _date(con, name, total, prefer, overrides) or Reading(name)


def _stamp(con: duckdb.DuckDBPyConnection, name: str, classes: dict[str, int]) -> Reading | None:
    """Dates written as numbers, in columns whose name says so: 20240131, days since 1900, seconds since 1970."""
    if not classes or classes.keys() - {"int", "decimal", "dotted"}:
        return None
    low, high = (
        float(x) for x in _one(con, "SELECT min(v::DOUBLE), max(v::DOUBLE) FROM vals WHERE class <> 'missing'")
    )
    whole = classes.keys() == {"int"}
    if whole and _DAY_NAME.search(name) and low >= 18_000_101 and high <= 21_001_231:
        parsed = "try_strptime(v, '%Y%m%d')"
        (odd,) = _one(con, f"SELECT count(*) FROM vals WHERE class = 'int' AND {parsed} IS NULL")
        if not odd:
            return Reading(name, "DATE", lambda v: f"CAST(try_strptime({v}, '%Y%m%d') AS DATE)")
    if (_DAY_NAME.search(name) or _EPOCH_NAME.search(name)) and low >= _SERIAL_DAYS[0] and high <= _SERIAL_DAYS[1]:
        note = f"{name!r}: numbers of days since 1900, as spreadsheets write dates, were read as dates"
        at = "make_timestamp(round((TRY_CAST({v} AS DOUBLE) - 25569) * 86400)::BIGINT * 1000000)"
        if whole:
            return Reading(name, "DATE", lambda v: f"CAST({at.format(v=v)} AS DATE)", notes=(note,))
        return Reading(name, "TIMESTAMP", lambda v: at.format(v=v), notes=(note,))
    for scale, unit in ((1, "seconds"), (1_000, "milliseconds"), (1_000_000, "microseconds"), (10**9, "nanoseconds")):
        if _EPOCH_NAME.search(name) and low >= 600_000_000 * scale and high <= 4_000_000_000 * scale:
            note = f"{name!r}: {unit} since 1970 were read as dates (UTC)"

            def cast(v: str, scale: int = scale) -> str:
                if whole:
                    number = f"TRY_CAST({v} AS BIGINT)"
                    times = f"* {1_000_000 // scale}" if scale <= 1_000_000 else f"// {scale // 1_000_000}"
                    return f"make_timestamp({number} {times})"
                return f"make_timestamp(round(TRY_CAST({v} AS DOUBLE) * {1_000_000 / scale!r})::BIGINT)"

            return Reading(name, "TIMESTAMP", cast, notes=(note,))
    return None


def _quantity(
    con: duckdb.DuckDBPyConnection, name: str, classes: dict[str, int], total: int, overrides: Overrides
) -> Reading | None:
    """Numbers with a unit in every cell; units of one dimension are brought to the most frequent one."""
    sign, proved = decimal_sign(classes, overrides.decimal)
    if any(affix_of(c) != "quantity" for c in classes) or sum(classes.values()) != total or sign is None:
        return None
    counted_units = f"SELECT {unit_sql('v')}, sum(n)::BIGINT FROM vals WHERE class <> 'missing' GROUP BY 1 ORDER BY 1"
    units = {str(unit): int(n) for unit, n in con.execute(counted_units).fetchall()}
    factors = common_unit(units)
    if factors is None:
        note = f"{name!r}: numbers in units that measure different things ({', '.join(units)}); kept as text"
        return Reading(name, notes=(note,))
    unit = next(u for u, factor in factors.items() if factor == 1.0)
    notes = (f"{name!r}: {', '.join(units)} were brought to {unit}",) if len(units) > 1 else ()
    kinds = ", ".join(literal(k) for k in sorted(classes))

    def cast(v: str, sign: Decimal = sign) -> str:
        return f"CASE WHEN {class_sql(v)} IN ({kinds}) THEN {in_common_unit(v, number_sql(v, sign), factors)} END"

    return Reading(name, "DOUBLE", cast, unit, notes=notes, decimal=proved)


def _percent(
    con: duckdb.DuckDBPyConnection, name: str, classes: dict[str, int], total: int, overrides: Overrides
) -> Reading | None:
    """Some cells with a percent sign and some without: fractions, where none of those without is beyond 1."""
    bare = total - sum(n for c, n in classes.items() if affix_of(c) == "percent")
    sign, proved = decimal_sign(classes, overrides.decimal)
    if (
        not 0 < bare < total
        or sign is None
        or classes.keys() - NUMERIC
        or {affix_of(c) for c in classes} - {"", "percent"}
    ):
        return None
    number = number_sql("v", sign)
    (highest, marked) = _one(
        con,
        f"SELECT max(abs({number})) FILTER (NOT starts_with(class, 'percent')),"
        f" max(abs({number})) FILTER (starts_with(class, 'percent')) FROM vals WHERE class <> 'missing'",
    )
    if highest == 0:
        return None  # a bare 0 means the same either way
    fractions = highest <= 1 < marked
    meant = "read as fractions (0.12 as 12%)" if fractions else "read as percent all the same"
    note = f"{name!r}: {bare:,} of {total:,} cells have no percent sign and the others have one; {meant}"
    kinds = ", ".join(literal(k) for k in sorted(classes))

    def cast(v: str, sign: Decimal = sign) -> str:
        factor = f"CASE WHEN contains({v}, '%') THEN 1 ELSE {100 if fractions else 1} END"
        return f"CASE WHEN {class_sql(v)} IN ({kinds}) THEN round({number_sql(v, sign)} * {factor}, 9) END"

    return Reading(name, "DOUBLE", cast, "%", notes=(note,), decimal=proved, doubt=note)


def _number(
    con: duckdb.DuckDBPyConnection, name: str, classes: dict[str, int], total: int, overrides: Overrides
) -> Reading | None:
    numeric = {k: n for k, n in classes.items() if k in NUMERIC}
    infinite = classes.get("infinite", 0)
    odd = total - infinite - sum(numeric.values())
    if not numeric or odd > (1 - _READABLE_SHARE) * total or "zero" in classes or "long" in classes:
        return None
    if odd and _one(con, f"SELECT count(*) FROM vals WHERE {_OTHER_MEANING}")[0]:
        return None
    found = con.execute(f"SELECT DISTINCT {units_sql('v')} FROM vals WHERE starts_with(class, 'money')").fetchall()
    currencies = sorted(str(unit) for (unit,) in found)
    reading = number_reading(numeric, currencies, overrides.decimal)
    if reading is None:
        if len(currencies) < 2:
            return None
        note = f"{name!r}: amounts in several currencies ({', '.join(currencies)}), which cannot be added; kept as text"
        return Reading(name, notes=(note,))
    if _LABEL_NAME.search(name) and reading.sql_type == "DOUBLE":
        texts, values = _one(con, f"SELECT count(DISTINCT v), count(DISTINCT {reading.cast('v')}) FROM vals")
        if texts > values:
            note = f"{name!r}: cells differ that are the same number (such as 1.1 and 1.10); kept as text"
            return Reading(name, notes=(note,))
    kinds = ", ".join(literal(k) for k in sorted(numeric))
    cast, past = reading.cast, 0
    if reading.sql_type == "DOUBLE":
        beyond = f"coalesce(abs({reading.cast('v')}) >= {LARGEST!r}, true)"
        past = _one(con, f"SELECT coalesce(sum(n) FILTER ({beyond}), 0)::BIGINT FROM vals WHERE class IN ({kinds})")[0]
    if past:

        def cast(v: str, read: Callable[[str], str] = reading.cast) -> str:
            return bounded(read(v))

    if odd or infinite or _one(con, "SELECT count(*) FROM vals WHERE class = 'missing'")[0]:

        def cast(v: str, read: Callable[[str], str] = cast) -> str:
            return f"CASE WHEN {class_sql(v)} IN ({kinds}) THEN {read(v)} END"

    unreadable = odd + infinite + past
    if unreadable > (1 - _READABLE_SHARE) * total and past:
        return None
    return Reading(
        name, reading.sql_type, cast, reading.unit, unreadable,
        decimal=reading.decimal, open_decimal=reading.open_decimal,
    )  # fmt: skip


def _date(
    con: duckdb.DuckDBPyConnection, name: str, total: int, prefer: Order | None, overrides: Overrides
) -> Reading | None:
    reading = date_reading(con, total, prefer=prefer, settled=overrides.date_order)
    if reading is None:
        return None
    if reading.cast is None:
        note = f"{name!r} {reading.note}"
        return Reading(name, notes=(note,), doubt=note)
    moment = reading.cast("v")
    (odd,) = _one(
        con,
        f"SELECT coalesce(sum(n) FILTER (t IS NULL OR year(t) NOT BETWEEN 1000 AND 9999), 0)::BIGINT"
        f" FROM (SELECT n, {moment} AS t FROM vals WHERE class <> 'missing')",
    )
    if odd > (1 - _READABLE_SHARE) * total and not (reading.order and overrides.date_order):
        return None
    notes = (f"{name!r}: {reading.note}",) if reading.note else ()
    return Reading(name, reading.sql_type, reading.cast, None, int(odd), reading.order, reading.ambiguous, notes)


def _text(con: duckdb.DuckDBPyConnection, name: str, classes: dict[str, int]) -> Reading:
    """Text; where most cells are numbers, a note says what the others look like."""
    total = sum(classes.values())
    numeric = sum(n for kind, n in classes.items() if kind in NUMERIC)
    (ranged, bracketed) = _one(
        con,
        f"SELECT coalesce(sum(n) FILTER (regexp_full_match(v, {literal(_RANGED)})), 0)::BIGINT,"
        f" min(v) FILTER (contains(v, '[')) FROM vals",
    )
    if bracketed is not None and ranged >= 0.95 * total:
        note = f"{name!r}: a number with a range in brackets (such as {str(bracketed)[:40]!r}); kept as text"
        return Reading(name, notes=(note,))
    others = total - numeric - classes.get("zero", 0) - classes.get("long", 0)
    if numeric < _MOSTLY_NUMBERS * total or not others:
        return Reading(name)
    kinds = ", ".join(literal(k) for k in sorted(NUMERIC))
    (example,) = _one(con, f"SELECT v FROM vals WHERE class NOT IN ({kinds}, 'missing') ORDER BY n DESC, v LIMIT 1")
    note = f"{numeric:,} of {total:,} cells are numbers, others are not (such as {str(example)[:40]!r}); kept as text"
    return Reading(name, notes=(f"{name!r}: {note}",))


def _one(con: duckdb.DuckDBPyConnection, sql: str) -> tuple[Any, ...]:
    row: tuple[Any, ...] | None = con.execute(sql).fetchone()
    assert row is not None
    return row
