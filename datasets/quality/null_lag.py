"""r4: a column that is empty, or zero, at the newest edge while rows keep arriving.

Not a lag: a life cycle. `closed_at` is empty on recent tickets because they are open; a column without nulls then
says so.
"""

from __future__ import annotations

import numpy as np

from datasets.directives import ExcludeRecent
from datasets.quality._detector import DataQualityFact, Detector, Outcome, Power, quality_claim
from datasets.quality._runs import BASE_BELOW, MINIMUM_ROWS_BEFORE, P_BELOW, Run, life_cycle, trailing_run
from datasets.quality._scan import Counts, Daily, Scan
from datasets.quality._words import days_words, percent, rows_words
from datasets.schema import Column
from datasets.sql import ident, literal

_LONGEST_LAG_DAYS = 14
_LONGEST_SHARE_OF_SPAN = 0.2
_MINIMUM_SPAN_DAYS = 21


def _run(scan: Scan) -> Outcome:
    daily = scan.daily
    if daily is None or len(daily.rows) < _MINIMUM_SPAN_DAYS:
        return Outcome()
    facts: list[DataQualityFact] = []
    powered: list[Power] = []
    never = np.zeros_like(daily.rows)
    for column in scan.card.columns:
        if column.name == daily.column or column.role in {"empty", "constant"}:
            continue
        missing = daily.rows - daily.non_null[column.name] if column.name in daily.non_null else never
        if _has_power(daily.rows, missing):
            powered.append(Power("null_lag", column.name))
        for gone, predicate, word in (
            (missing, f"{ident(column.name)} IS NULL", "empty"),
            (daily.zeros.get(column.name, never), f"{ident(column.name)} = 0", "zero"),
        ):
            run = trailing_run(daily.rows, gone, _recent)
            if run and not life_cycle(scan, daily, column, predicate, run.days):
                facts.append(_fact(daily, column, run, predicate, word))
                break
    return Outcome(facts=facts, powered=powered)


def _has_power(rows: Counts, gone: Counts) -> bool:
    """Whether three usual days without a value could not be chance."""
    if rows.sum() < MINIMUM_ROWS_BEFORE:
        return False
    base = (gone.sum() + 1) / (rows.sum() + 2)
    return bool(base < BASE_BELOW and base ** (3 * rows.sum() / len(rows)) < P_BELOW)


def _recent(days: int, span: int) -> bool:
    return days <= _LONGEST_LAG_DAYS and days <= _LONGEST_SHARE_OF_SPAN * span


def _fact(daily: Daily, column: Column, run: Run, predicate: str, word: str) -> DataQualityFact:
    t = ident(daily.column)
    many = "all" if run.gone == run.rows else f"{run.gone:,} of"
    usual = "never before" if run.base_share == 0 else f"{percent(run.base_share)} of the rows before"
    days = "That day is" if run.days == 1 else "Those days are"
    return DataQualityFact(
        rule="r4",
        kind="null_lag",
        column=column.name,
        statement=(
            f"{column.name} is {word} on the last {days_words(run.days)} of {daily.column} "
            f"({many} {rows_words(run.rows)}), against {usual}; suspected late values. "
            f"{days} left out where {column.name} is used."
        ),
        directive=ExcludeRecent(column=daily.column, days=run.days, measure=column.name),
        status="suspected",
        n=int(daily.rows.sum()),
        claim=quality_claim("null_lag", column.name, number=run.days, unit="days", text=word, against=daily.column),
        sql=[
            f"SELECT {t}::DATE AS day, count(*) AS rows, count(*) FILTER ({predicate}) AS absent FROM analysis "
            f"WHERE {t} >= {literal(daily.day(max(-len(daily.rows), -56)))} GROUP BY 1 ORDER BY 1"
        ],
    )


DETECTOR = Detector("r4", "null_lag", _run)
