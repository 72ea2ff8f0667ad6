"""Remembered predicates against the types that a column has today."""

import math
from collections.abc import Sequence
from datetime import date, datetime

from datasets.measures import Filter, Value
from datasets.schema import Column
from datasets.sql import ident, literal

_SIGNS = {"lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_TRUE = {"true", "yes", "y", "t", "1"}
_FALSE = {"false", "no", "n", "f", "0"}


class Misfit(Exception):
    """A directive does not fit the data; the text says why."""


def predicate_sql(column: Column, predicate: Filter) -> str:
    """SQL of the predicate where the type of the column and of the value may differ: 9 also meets "9", and "9" meets 9.

    NULL cells match as in `Filter.sql`.

    :raises Misfit: when the values cannot be compared with the column at all.
    """
    op, values = predicate.op, predicate.values
    if op in {"is_null", "not_null", "contains"}:
        if op == "contains" and not values:
            raise Misfit(f"the filter on {column.name!r} has no value")
        return predicate.sql
    if len(values) < (2 if op == "between" else 1):
        raise Misfit(f"the filter on {column.name!r} has no value")
    if op in {"eq", "in"}:
        return equals_any(column, values)
    if op in {"ne", "not_in"}:
        return f"({equals_any(column, values)}) IS NOT TRUE"
    if op == "between":
        return f"({_compare(column, '>=', values[0])} AND {_compare(column, '<=', values[1])})"
    if op not in _SIGNS:
        raise Misfit(f"the filter on {column.name!r} compares rows with one another and cannot be kept for all data")
    return _compare(column, _SIGNS[op], values[0])


def equals_any(column: Column, values: Sequence[Value]) -> str:
    """SQL: the cell is one of the values, as a number, a truth value, a day or a text, whatever both can be read as.

    :raises Misfit: when there are no values, or none can be compared with the column.
    """
    tests = [test for value in values if (test := _equals(column, value)) is not None]
    if not tests:
        shown = ", ".join(repr(v) for v in values) or "no values"
        raise Misfit(f"{column.name!r} is {column.sql_type} here and cannot be compared with {shown}")
    return "(" + " OR ".join(tests) + ")"


def _equals(column: Column, value: Value) -> str | None:
    c = ident(column.name)
    if column.sql_type == "BOOLEAN":
        truth = _truth(value)
        return None if truth is None else f"{c} = {literal(truth)}"
    if column.temporal:
        moment = _moment(value)
        if moment is None:
            return None
        return (
            f"{c}::TIMESTAMP = {literal(moment)}"
            if _has_time(value)
            else f"CAST({c} AS DATE) = {literal(moment.date())}"
        )
    number = _number(value)
    if column.numeric:
        return None if number is None else f"{c} = {literal(number)}"
    tests = [f"{c}::VARCHAR = {literal(_text(value))}"]
    if number is not None and not isinstance(value, str):
        tests.append(f"TRY_CAST({c}::VARCHAR AS DOUBLE) = {literal(number)}")
    if isinstance(value, bool):
        tests = [f"lower({c}::VARCHAR) = {literal(_text(value))}"]
    return "(" + " OR ".join(tests) + ")"


def _compare(column: Column, sign: str, value: Value) -> str:
    c = ident(column.name)
    if column.temporal:
        moment = _moment(value)
        if moment is None:
            raise Misfit(f"{column.name!r} is a date here and cannot be compared with {value!r}")
        if _has_time(value):
            return f"{c}::TIMESTAMP {sign} {literal(moment)}"
        return f"CAST({c} AS DATE) {sign} {literal(moment.date())}"
    number = _number(value)
    if column.numeric:
        if number is None:
            raise Misfit(f"{column.name!r} is a number here and cannot be compared with {value!r}")
        return f"{c} {sign} {literal(number)}"
    if number is not None and not isinstance(value, str):
        return f"TRY_CAST({c}::VARCHAR AS DOUBLE) {sign} {literal(number)}"
    return f"{c}::VARCHAR {sign} {literal(_text(value))}"


def _number(value: Value) -> int | float | None:
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int):
        return value
    try:
        number = float(value)
    except ValueError:
        return None
    if not math.isfinite(number):
        return None
    return int(value) if isinstance(value, str) and value.strip().lstrip("+-").isdigit() else number


def _truth(value: Value) -> bool | None:
    text = str(value).strip().lower().removesuffix(".0")
    return True if text in _TRUE else False if text in _FALSE else None


def _moment(value: Value) -> datetime | None:
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value.strip())
    except ValueError:
        return None
    return moment.replace(tzinfo=None)


def _has_time(value: Value) -> bool:
    try:
        date.fromisoformat(str(value).strip())
    except ValueError:
        return True
    return False


def _text(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
