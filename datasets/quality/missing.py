"""Columns without any value, or with a value in fewer than half of the rows."""

from __future__ import annotations

from datasets.quality._detector import DataQualityFact, Detector, Outcome, Power, quality_claim
from datasets.quality._scan import Scan
from datasets.quality._words import percent, rows_words
from datasets.schema import Column
from datasets.sql import ident

_MOSTLY_AT_LEAST = 0.5


def _run(scan: Scan) -> Outcome:
    facts = [_fact(c) for c in scan.card.columns if c.rows and c.nulls >= _MOSTLY_AT_LEAST * c.rows]
    return Outcome(facts=facts, powered=[Power("missing", c.name) for c in scan.card.columns if c.rows])


def _fact(column: Column) -> DataQualityFact:
    if column.nulls == column.rows:
        statement = f"{column.name} is empty: no value in any of the {rows_words(column.rows)}."
    else:
        share = percent(column.nulls / column.rows)
        statement = f"{column.name} is missing in {column.nulls:,} of {rows_words(column.rows)} ({share})."
    return DataQualityFact(
        rule="missing",
        kind="missing",
        column=column.name,
        statement=statement,
        status="measured",
        n=column.rows,
        claim=quality_claim("missing", column.name, number=column.nulls, unit="rows"),
        sql=[f"SELECT count(*) - count({ident(column.name)}) AS missing, count(*) AS rows FROM analysis"],
        informational=True,
    )


DETECTOR = Detector("missing", "missing", _run)
