"""Columns that hold one value, or almost: nothing can vary with them."""

from __future__ import annotations

from datasets.quality._detector import DataQualityFact, Detector, Outcome, Power, quality_claim
from datasets.quality._keys import looks_like_id
from datasets.quality._scan import Scan
from datasets.quality._words import cell, percent, rows_words
from datasets.schema import Column
from datasets.sql import ident

_ALMOST_AT_LEAST = 0.95
_MOST_OTHER_VALUES = 2
_MINIMUM_ROWS = 20


def _run(scan: Scan) -> Outcome:
    facts = [_constant(c) for c in scan.card.columns if _is_constant(c)]
    few = [c for c in scan.card.columns if _may_be_almost(c)]
    if few:
        counts = ", ".join(f"list_max(map_values(histogram({ident(c.name)})))" for c in few)
        for column, most in zip(few, scan.one(f"SELECT {counts} FROM analysis"), strict=True):
            if most >= _ALMOST_AT_LEAST * (column.rows - column.nulls):
                facts.append(_almost(column, int(most)))
    return Outcome(facts=facts, powered=[Power("constant", c.name) for c in scan.card.columns if c.rows > 1])


def _is_constant(column: Column) -> bool:
    return column.rows > 1 and column.distinct == 1


def _may_be_almost(column: Column) -> bool:
    return (
        column.numeric
        and 1 < column.distinct <= 1 + _MOST_OTHER_VALUES
        and column.rows - column.nulls >= _MINIMUM_ROWS
        and not looks_like_id(column)
    )


def _constant(column: Column) -> DataQualityFact:
    present = column.rows - column.nulls
    where = "every row" if not column.nulls else f"each of the {rows_words(present)} that have a value"
    return _fact(
        column,
        f"{column.name} is constant: {cell(column.minimum or next(iter(column.values), None))} in {where}.",
        present,
    )


def _almost(column: Column, most: int) -> DataQualityFact:
    present = column.rows - column.nulls
    value = cell(column.values[0]) if column.values else "one value"
    return _fact(
        column,
        f"{column.name} is almost constant: {most:,} of {rows_words(present)} ({percent(most / present)}) are {value}.",
        most,
    )


def _fact(column: Column, statement: str, rows: int) -> DataQualityFact:
    c = ident(column.name)
    return DataQualityFact(
        rule="constant",
        kind="constant",
        column=column.name,
        statement=statement,
        status="measured",
        n=column.rows,
        claim=quality_claim("constant", column.name, number=rows, unit="rows"),
        sql=[f"SELECT {c} AS value, count(*) AS rows FROM analysis GROUP BY 1 ORDER BY 2 DESC LIMIT 5"],
        informational=True,
    )


DETECTOR = Detector("constant", "constant", _run)
