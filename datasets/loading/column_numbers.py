"""Columns of text that are numbers: plain ones, shares in percent, and amounts with a unit in every cell."""

import re
from collections.abc import Callable

import duckdb

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
from datasets.loading.reading import READABLE_SHARE_0_1, Reading, one
from datasets.sql import literal

_CODE = r"\d+(\.\d+){2,}.*|[A-Za-z]{1,5}[-_/ ]?\d+.*|\d+[-/]\d+.*|.*[\[\]].*|\d+ ?[A-Za-z]+"
_OTHER_MEANING = f"class IN ('other', 'bool') AND regexp_full_match(v, {literal(_CODE)})"
"""SQL: text beside numbers that shows the numbers to be codes: versions, part numbers, ranges."""
_LABEL_NAME = re.compile(r"(?i)version|release|section|chapter|clause|paragraph|\bbuild\b")
"""Columns whose points are no decimal signs where zeros behind them matter."""


def as_quantity(
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


def as_percent(
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
    (highest, marked) = one(
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


def as_number(
    con: duckdb.DuckDBPyConnection, name: str, classes: dict[str, int], total: int, overrides: Overrides
) -> Reading | None:
    """Numbers of one decimal sign and currency, few other cells among them; text where these show codes or labels."""
    numeric = {k: n for k, n in classes.items() if k in NUMERIC}
    infinite = classes.get("infinite", 0)
    odd = total - infinite - sum(numeric.values())
    if not numeric or odd > (1 - READABLE_SHARE_0_1) * total or "zero" in classes or "long" in classes:
        return None
    if odd and one(con, f"SELECT count(*) FROM vals WHERE {_OTHER_MEANING}")[0]:
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
        texts, values = one(con, f"SELECT count(DISTINCT v), count(DISTINCT {reading.cast('v')}) FROM vals")
        if texts > values:
            note = f"{name!r}: cells differ that are the same number (such as 1.1 and 1.10); kept as text"
            return Reading(name, notes=(note,))
    kinds = ", ".join(literal(k) for k in sorted(numeric))
    cast, past = reading.cast, 0
    if reading.sql_type == "DOUBLE":
        beyond = f"coalesce(abs({reading.cast('v')}) >= {LARGEST!r}, true)"
        past = one(con, f"SELECT coalesce(sum(n) FILTER ({beyond}), 0)::BIGINT FROM vals WHERE class IN ({kinds})")[0]
    if past:

        def cast(v: str, read: Callable[[str], str] = reading.cast) -> str:
            return bounded(read(v))

    if odd or infinite or one(con, "SELECT count(*) FROM vals WHERE class = 'missing'")[0]:

        def cast(v: str, read: Callable[[str], str] = cast) -> str:
            return f"CASE WHEN {class_sql(v)} IN ({kinds}) THEN {read(v)} END"

    unreadable = odd + infinite + past
    if unreadable > (1 - READABLE_SHARE_0_1) * total and past:
        return None
    return Reading(
        name, reading.sql_type, cast, reading.unit, unreadable,
        decimal=reading.decimal, open_decimal=reading.open_decimal,
    )  # fmt: skip
