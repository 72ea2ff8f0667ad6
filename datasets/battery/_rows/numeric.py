"""Read a measure as numbers: text that holds numbers, booleans, and floats with NaN or infinity in them."""

import math
import re
from dataclasses import dataclass

from datasets.errors import DatasetError
from datasets.measures import Aggregate, Measure, Metric
from datasets.schema import Column, SchemaCard
from datasets.sql import ident, literal
from datasets.transforms import ratio_sql, transformed_sql

# A number, perhaps with a currency sign before it and a unit, a range in brackets or a footnote mark behind it.
# No dates, scores ("2-1") or addresses. The same text is used by DuckDB (RE2) and here.
NUMBER_IN_TEXT = (
    r"^\s*[$€£¥]?\s*([+-]?(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+)?(?:[eE][+-]?\d+)?)"
    r"\s*(%|[\[(].*|[A-Za-z°µ]{1,6}|[*†‡#]+)?\s*$"
)
_SIGNS = {"sum_of": "+", "difference_of": "-", "product_of": "*"}
_NEEDS_NUMBERS: frozenset[Aggregate] = frozenset(
    ("sum", "mean", "median", "std", "pstd", "var", "share", "quantile", "skewness", "kurtosis", "iqr", "cv", "pooled")
)
_READABLE_SHARE_0_1 = 0.5


@dataclass(frozen=True)
class Reading:
    """A row-level numeric expression, NULL where there is no number.

    `unread`: predicate of the rows whose value is present but no number, None when that cannot be; `words` names such
    values ("no number", "NaN or infinite").
    """

    sql: str
    unread: str | None = None
    words: str = ""


def numeric_sql(card: SchemaCard, measure: Measure) -> Reading:
    """Return the measure as a numeric row-level expression.

    :raises DatasetError: when a column does not exist or holds no numbers.
    """
    columns = [card.column(name) for name in measure.columns]
    if measure.kind == "sum_per":
        raise DatasetError(f"{measure.words} is one number per {measure.columns[1]}, not per row; ask for it by itself")
    if measure.kind == "duration":
        for column in columns:
            if not column.temporal:
                raise DatasetError(f"{column.name!r} holds no dates, so no time can be measured from or to it")
        return Reading(measure.sql)
    if measure.kind == "condition" and len(columns) == 2:
        return Reading(measure.condition_on(numeric_sql(card, measure.model_copy(update={"kind": "duration"})).sql))
    if measure.kind == "in_order":
        raise DatasetError(f"the {measure.words} goes along the rows in their order; ask for it by itself")
    if measure.kind not in {"column", "ratio_of", "mean_of", "condition", "transformed", *_SIGNS}:
        return Reading(measure.sql)
    readings = [_read(column) for column in columns]
    unread = [r.unread for r in readings if r.unread]
    words = next((r.words for r in readings if r.words), "")
    parts = [r.sql for r in readings]
    if measure.kind in _SIGNS:
        sql = "(" + f" {_SIGNS[measure.kind]} ".join(parts) + ")"
    elif measure.kind == "ratio_of":
        sql = ratio_sql(parts, measure.values)
    elif measure.kind == "mean_of":
        sql = f"(({' + '.join(parts)})::DOUBLE / {len(parts)})"
    elif measure.kind == "condition":
        sql = measure.condition_on(parts[0])
    elif measure.kind == "transformed":
        sql = transformed_sql(parts[0], measure.values)
    else:
        sql = parts[0]
    return Reading(sql, " OR ".join(f"({u})" for u in unread) or None, words)


def distinct_values(card: SchemaCard, measure: Measure) -> int | None:
    """At most how many different numbers a measure has, None where only its rows could tell."""
    if measure.kind in {"column", "ratio_of", *_SIGNS}:
        return math.prod(card.column(name).distinct for name in measure.columns)
    return 2 if measure.kind in {"indicator", "at_least"} else None


def reading_of(card: SchemaCard, metric: Metric) -> Reading:
    """Return what the aggregate is taken over: numbers where it needs them, the values as they are otherwise.

    Lowest and highest work on dates and on codes with leading zeros too; on other text they need numbers.
    """
    measure = metric.measure
    if metric.aggregate in {"min", "max"} and measure.kind == "column":
        column = card.column(measure.columns[0])
        if column.temporal or keeps_zeros(column):
            return Reading(measure.sql)
    if metric.aggregate in _NEEDS_NUMBERS or metric.aggregate in {"min", "max"}:
        return numeric_sql(card, measure)
    for name in measure.columns:
        card.column(name)
    return Reading(measure.sql)


def metric_sql(card: SchemaCard, metric: Metric) -> str:
    """Return the aggregate expression of a metric over numbers read by `reading_of`."""
    return metric.over(reading_of(card, metric).sql)


def keeps_zeros(column: Column) -> bool:
    """Whether a text column holds codes such as "00357", which are no numbers: they are ordered as they are written."""
    return column.sql_type == "VARCHAR" and any(re.fullmatch(r"0\d+", v.strip()) for v in column.values)


def _read(column: Column) -> Reading:
    name = ident(column.name)
    if column.sql_type in {"FLOAT", "DOUBLE"} and not _all_finite(column):
        return Reading(f"CASE WHEN isfinite({name}) THEN {name} END", f"NOT isfinite({name})", "NaN or infinite")
    if column.numeric:
        return Reading(name)
    if column.sql_type == "BOOLEAN":
        return Reading(f"{name}::INTEGER")
    if column.sql_type == "VARCHAR" and _mostly_numbers(column):
        _refuse_mixed_units(column)
        sql = f"TRY_CAST(replace(regexp_extract({name}, {literal(NUMBER_IN_TEXT)}, 1), ',', '') AS DOUBLE)"
        return Reading(sql, f"{name} IS NOT NULL AND trim({name}) <> '' AND {sql} IS NULL", "no number")
    if column.role == "empty" or column.rows == column.nulls:
        raise DatasetError(f"{column.name!r} is empty: all {column.rows:,} values are missing")
    holds = "dates" if column.temporal else "text"
    raise DatasetError(f"{column.name!r} holds {holds}, not numbers; count it, or choose a column with numbers")


def _all_finite(column: Column) -> bool:
    """Whether lowest and highest are finite; DuckDB orders NaN above infinity, so they show what is between."""
    bounds = [b for b in (column.minimum, column.maximum) if b is not None]
    return all(math.isfinite(float(b)) for b in bounds)


def _mostly_numbers(column: Column) -> bool:
    seen = [v for v in column.values if v.strip()]
    read = sum(1 for v in seen if (found := re.match(NUMBER_IN_TEXT, v)) and found.group(1))
    return bool(seen) and read >= _READABLE_SHARE_0_1 * len(seen)


def _refuse_mixed_units(column: Column) -> None:
    """A number of grams beside one of kilograms is not a larger one, and 12% is not 12."""
    read = [found for v in column.values if (found := re.match(NUMBER_IN_TEXT, v)) and found.group(1)]
    units = {(found.group(2) or "").strip("*†‡#") for found in read}
    units = {unit for unit in units if not unit.startswith(("[", "("))}
    if len(units) > 1:
        listed = ", ".join(sorted(unit or "none" for unit in units)[:5])
        raise DatasetError(
            f"{column.name!r} holds numbers with different units ({listed}), which cannot be computed with"
        )
