"""The type of each column, decided on all of its values."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import duckdb

from datasets.loading.column_numbers import as_number, as_percent, as_quantity
from datasets.loading.column_times import as_date, as_stamp
from datasets.loading.dates import Order
from datasets.loading.numbers import NUMERIC, class_sql
from datasets.loading.overrides import Overrides
from datasets.loading.reading import Reading, one, trimmed
from datasets.sql import ident, literal

_MOSTLY_NUMBERS = 0.8
_RANGED = r"[+-]?[0-9][0-9.,]*( ?\[[^\]]*\])?"


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


class _Classes(NamedTuple):
    """How many cells there are of each class, and whether no cell has white space around it."""

    cells: dict[str, int]
    tidy: bool


def _classify(con: duckdb.DuckDBPyConnection, raw: str) -> _Classes:
    """Fill temp table `vals` with the distinct texts of the column, and count the cells of each class."""
    # To trim every cell costs more than to gather equal ones, and few columns have cells to trim.
    c = ident(raw)
    con.execute(
        f"CREATE OR REPLACE TEMP TABLE texts AS"
        f" SELECT {c} AS v, count(*) AS n, min(rowid) AS first_row FROM raw GROUP BY 1"
    )
    (blank,) = one(con, f"SELECT count(*) FROM texts WHERE v IS NOT NULL AND v IS DISTINCT FROM {trimmed('v')}")
    cells = f"SELECT {trimmed('v')} AS v, sum(n)::BIGINT AS n, min(first_row) AS first_row FROM texts GROUP BY 1"
    con.execute(
        f"CREATE OR REPLACE TEMP TABLE vals AS SELECT v, n, first_row, {class_sql('v')} AS class"
        f" FROM {f'({cells})' if blank else 'texts'} WHERE v IS NOT NULL"
    )
    rows = con.execute("SELECT class, sum(n)::BIGINT FROM vals GROUP BY class").fetchall()
    return _Classes({str(c): int(n) for c, n in rows}, not blank)


def _decide(con: duckdb.DuckDBPyConnection, raw: str, name: str, prefer: Order | None, overrides: Overrides) -> Reading:
    classes, tidy = _classify(con, raw)
    return replace(_decided(con, name, classes, prefer, overrides), tidy=tidy)


def _decided(
    con: duckdb.DuckDBPyConnection, name: str, classes: dict[str, int], prefer: Order | None, overrides: Overrides
) -> Reading:
    missing = classes.pop("missing", 0)
    total = sum(classes.values())
    if total == 0:
        return Reading(name)
    if set(classes) == {"bool"} and not missing:
        return Reading(name, "BOOLEAN", lambda v: f"CAST({v} AS BOOLEAN)")
    stamp = as_stamp(con, name, classes)
    return (
        stamp
        or as_quantity(con, name, classes, total, overrides)
        or as_percent(con, name, classes, total, overrides)
        or as_number(con, name, classes, total, overrides)
        or as_date(con, name, total, prefer, overrides)
        or _text(con, name, classes)
    )


def _decide_written(
    con: duckdb.DuckDBPyConnection, raw: str, name: str, prefer: Order | None, overrides: Overrides
) -> Reading:
    """Dates, and numbers that cannot be labels: digits alone were given as text, amounts and fractions by accident."""
    classes = _classify(con, raw).cells
    total = sum(n for kind, n in classes.items() if kind != "missing")
    if not total:
        return Reading(name)
    found = {kind: n for kind, n in classes.items() if kind != "missing"}
    if found.keys() <= NUMERIC and found.keys() - {"int"} and (number := as_number(con, name, found, total, overrides)):
        note = f"{name!r}: numbers given as text were read as numbers"
        return replace(number, notes=(*number.notes, *([note] if number.cast else [])))
    return as_date(con, name, total, prefer, overrides) or Reading(name)


def _text(con: duckdb.DuckDBPyConnection, name: str, classes: dict[str, int]) -> Reading:
    """Text; where most cells are numbers, a note says what the others look like."""
    total = sum(classes.values())
    numeric = sum(n for kind, n in classes.items() if kind in NUMERIC)
    (ranged, bracketed) = one(
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
    (example,) = one(con, f"SELECT v FROM vals WHERE class NOT IN ({kinds}, 'missing') ORDER BY n DESC, v LIMIT 1")
    note = f"{numeric:,} of {total:,} cells are numbers, others are not (such as {str(example)[:40]!r}); kept as text"
    return Reading(name, notes=(f"{name!r}: {note}",))
