"""r11: a code for "no value" among the values: -999, 9999, 1900-01-01."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Any

from datasets.directives import NullSentinel
from datasets.measures import Value
from datasets.plain import number_text
from datasets.quality._detector import DataQualityFact, Detector, Outcome, Power, quality_claim
from datasets.quality._keys import looks_like_id
from datasets.quality._scan import Scan
from datasets.quality._words import listing, percent, rows_words
from datasets.schema import Column
from datasets.sql import ident, literals

_LOW = (-1, -9, -99, -999, -9999, -99999, -999999, -9999999)
_HIGH = (999, 9999, 99999, 999999, 9999999, 99999999, 999999999)
_DAYS = ("0001-01-01", "1899-12-30", "1899-12-31", "1900-01-01", "1970-01-01", "2999-12-31", "9999-12-31")
_MINIMUM_ROWS = 3
_MINIMUM_SHARE = 0.001
_FEW_VALUES = 5
_BOLD = 99
"""Codes smaller than this are believed only beside many other values, none of them negative."""
_PRICE_LIKE = 999
"""Also an ordinary price; believed only far above everything else."""


def _run(scan: Scan) -> Outcome:
    facts: list[DataQualityFact] = []
    powered: list[Power] = []
    for column in scan.card.columns:
        if column.role in {"constant", "empty"} or looks_like_id(column) or column.distinct < 3:
            continue
        if column.numeric:
            powered.append(Power("sentinel", column.name))
            if _extreme_in(column, _LOW + _HIGH):
                facts += _numbers(scan, column)
        elif column.temporal:
            powered.append(Power("sentinel", column.name))
            if str(column.minimum)[:10] in _DAYS or str(column.maximum)[:10] in _DAYS:
                facts += _dates(scan, column)
    return Outcome(facts=facts, powered=powered)


def _extreme_in(column: Column, codes: tuple[int, ...]) -> bool:
    """A code far outside the other values is the smallest or the largest value, so the card settles most columns."""
    try:
        ends = {float(column.minimum or "nan"), float(column.maximum or "nan")}
    except ValueError:
        return True
    return bool(ends & {float(code) for code in codes})


def _numbers(scan: Scan, column: Column) -> list[DataQualityFact]:
    c = ident(column.name)
    found = scan.all(f"SELECT {c}, count(*) FROM analysis WHERE {c} IN {literals(_LOW + _HIGH)} GROUP BY 1 ORDER BY 1")
    codes = [int(value) for value, _ in found]
    low, high, q1, q3, distinct = scan.one(
        f"SELECT min({c})::DOUBLE, max({c})::DOUBLE, quantile_cont({c}::DOUBLE, 0.25), "
        f"quantile_cont({c}::DOUBLE, 0.75), count(DISTINCT {c}) FROM analysis WHERE {c} NOT IN {literals(codes)}"
    )
    if low is None or distinct < 2:
        return []
    margin = (q3 - q1) or 0.05 * (high - low)
    needed = max(_MINIMUM_ROWS, _MINIMUM_SHARE * (column.rows - column.nulls))
    kept: list[tuple[Value, int]] = []
    for code, count in zip(codes, (int(n) for _, n in found), strict=True):
        outside = code < low - margin or code > high + margin
        if abs(code) < _BOLD:
            outside = outside and distinct >= 4 * _FEW_VALUES and low >= 0
        if code == _PRICE_LIKE:
            outside = outside and code >= 5 * high
        if outside and count >= needed and min(abs(code - low), abs(code - high)) > 1:
            kept.append((code, count))
    return [_fact(scan, column, kept, number_text(low), number_text(high))] if kept else []


def _dates(scan: Scan, column: Column) -> list[DataQualityFact]:
    c = ident(column.name)
    known = literals(date.fromisoformat(day) for day in _DAYS)
    found = scan.all(
        f"SELECT {c}, count(*) FROM analysis WHERE {c}::DATE IN {known} GROUP BY 1 ORDER BY 1", limit_rows=100
    )
    low, high, q1, q3 = scan.one(
        f"SELECT min({c})::DATE, max({c})::DATE, quantile_disc({c}::DATE, 0.25), quantile_disc({c}::DATE, 0.75) "
        f"FROM analysis WHERE {c}::DATE NOT IN {known}"
    )
    if low is None:
        return []
    margin: timedelta = max(q3 - q1, timedelta(days=1))
    needed = max(_MINIMUM_ROWS, _MINIMUM_SHARE * (column.rows - column.nulls))
    kept: list[tuple[Value, int]] = []
    for value, count in found:
        day = _day(value)
        outside = low - day > margin or day - high > margin
        if outside and count >= needed:
            kept.append((value.isoformat(sep=" ") if isinstance(value, datetime) else value.isoformat(), int(count)))
    return [_fact(scan, column, kept, low.isoformat(), high.isoformat())] if kept else []


def _day(value: Any) -> date:
    return value.date() if isinstance(value, datetime) else value


def _fact(scan: Scan, column: Column, kept: list[tuple[Value, int]], low: str, high: str) -> DataQualityFact:
    c = ident(column.name)
    values = tuple(value for value, _ in kept)
    rows = sum(count for _, count in kept)
    words = [str(value) for value in values]
    it = "It is" if len(values) == 1 else "They are"
    return DataQualityFact(
        rule="r11",
        kind="sentinel",
        column=column.name,
        statement=(
            f"{column.name} holds {listing(words)} in {rows:,} of {rows_words(scan.rows)} "
            f"({percent(rows / scan.rows)}), far outside its other values ({low} to {high}); "
            f"suspected code for a missing value. {it} read as missing."
        ),
        directive=NullSentinel(column=column.name, values=values),
        status="suspected",
        n=scan.rows,
        claim=quality_claim("sentinel", column.name, number=rows, unit="rows", text=", ".join(words)),
        sql=[
            f"SELECT {c} AS value, count(*) AS rows FROM analysis WHERE {c} IN {literals(values)} "
            f"GROUP BY 1 ORDER BY 1",
            f"SELECT min({c}) AS lowest, max({c}) AS highest FROM analysis WHERE {c} NOT IN {literals(values)}",
        ],
    )


DETECTOR = Detector("r11", "sentinel", _run)
