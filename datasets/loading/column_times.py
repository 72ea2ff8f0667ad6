"""Columns of text that are dates, or numbers that stand for moments."""

import re

import duckdb

from datasets.loading.dates import Order, date_reading
from datasets.loading.overrides import Overrides
from datasets.loading.reading import READABLE_SHARE_0_1, Reading, one

_DAY_NAME = re.compile(r"(?i)(^|[^a-z])(date|day|datum|dt|ymd)([^a-z]|$)|(?-i:[a-z]Date)")
_EPOCH_NAME = re.compile(
    r"(?i)epoch|unix|timestamp|_utc$|^ts$|_ts$|[_ ]at$|^time$|_time$"
    r"|^(created|updated|modified|occurred)|(?-i:[a-z]At$)"
)
_NO_DAY = "00000000"
"""How a day that is not known is written among days such as 20240131."""
_SERIAL_DAYS = (20_000, 60_000)
"""Days since 1900 of 1954 and of 2064."""


def as_stamp(con: duckdb.DuckDBPyConnection, name: str, classes: dict[str, int]) -> Reading | None:
    """Dates written as numbers, in columns whose name says so: 20240131, days since 1900, seconds since 1970."""
    if "zero" in classes and _NO_DAY in _zeros(con):
        classes = {kind: n for kind, n in classes.items() if kind != "zero"}
    if not classes or classes.keys() - {"int", "decimal", "dotted"}:
        return None
    low, high = (
        float(x)
        for x in one(con, "SELECT min(v::DOUBLE), max(v::DOUBLE) FROM vals WHERE class NOT IN ('missing', 'zero')")
    )
    whole = classes.keys() == {"int"}
    if whole and _DAY_NAME.search(name) and low >= 18_000_101 and high <= 21_001_231:
        parsed = "try_strptime(v, '%Y%m%d')"
        (odd,) = one(con, f"SELECT count(*) FROM vals WHERE class = 'int' AND {parsed} IS NULL")
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


def _zeros(con: duckdb.DuckDBPyConnection) -> str:
    """The only text that begins with a zero; empty where there are several."""
    low, high = one(con, "SELECT min(v), max(v) FROM vals WHERE class = 'zero'")
    return str(low) if low == high else ""


def as_date(
    con: duckdb.DuckDBPyConnection, name: str, total: int, prefer: Order | None, overrides: Overrides
) -> Reading | None:
    """Dates as they are written, few other cells among them; text with a doubt where their orders are mixed."""
    reading = date_reading(con, total, prefer=prefer, settled=overrides.date_order)
    if reading is None:
        return None
    if reading.cast is None:
        note = f"{name!r} {reading.note}"
        return Reading(name, notes=(note,), doubt=note)
    moment = reading.cast("v")
    (odd,) = one(
        con,
        f"SELECT coalesce(sum(n) FILTER (t IS NULL OR year(t) NOT BETWEEN 1000 AND 9999), 0)::BIGINT"
        f" FROM (SELECT n, {moment} AS t FROM vals WHERE class <> 'missing')",
    )
    if odd > (1 - READABLE_SHARE_0_1) * total and not (reading.order and overrides.date_order):
        return None
    notes = (f"{name!r}: {reading.note}",) if reading.note else ()
    return Reading(name, reading.sql_type, reading.cast, None, int(odd), reading.order, reading.ambiguous, notes)
