"""r4: a column that is empty, or zero, at the newest edge while rows keep arriving.

Not a lag: a life cycle. `closed_at` is empty on recent tickets because they are open; a column without nulls then
says so.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.stats import binom

from datasets.directives import ExcludeRecent
from datasets.quality._detector import DataQualityFact, Detector, Outcome, Power, quality_claim
from datasets.quality._scan import Counts, Daily, Scan
from datasets.quality._words import days_words, percent, rows_words
from datasets.schema import Column
from datasets.sql import ident, literal, literals

_GONE_AT_LEAST = 0.9
_BASE_BELOW = 0.5
_P_BELOW = 1e-6
_LONGEST_LAG_DAYS = 14
_LONGEST_SHARE_OF_SPAN = 0.2
_MINIMUM_SPAN_DAYS = 21
_MINIMUM_ROWS_BEFORE = 30
_MOST_STATUS_VALUES = 20


class _Run(NamedTuple):
    days: int
    gone: int
    rows: int
    base_share: float


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
            run = _trailing_run(daily.rows, gone)
            if run and not _life_cycle(scan, daily, column, predicate, run):
                facts.append(_fact(daily, column, run, predicate, word))
                break
    return Outcome(facts=facts, powered=powered)


def _has_power(rows: Counts, gone: Counts) -> bool:
    """Whether three usual days without a value could not be chance."""
    if rows.sum() < _MINIMUM_ROWS_BEFORE:
        return False
    base = (gone.sum() + 1) / (rows.sum() + 2)
    return bool(base < _BASE_BELOW and base ** (3 * rows.sum() / len(rows)) < _P_BELOW)


def _trailing_run(rows: Counts, gone: Counts) -> _Run | None:
    """Return the run of newest days without values if chance, habit or age do not explain it."""
    at = np.flatnonzero(rows)
    lost = gone[at] >= _GONE_AT_LEAST * rows[at]
    if not lost[-1] or lost.all():
        return None
    start = len(lost) - int(np.argmin(lost[::-1]))
    length = len(lost) - start
    days = int(len(rows) - at[start])
    if days > _LONGEST_LAG_DAYS or days > _LONGEST_SHARE_OF_SPAN * len(rows):
        return None
    before, tail = at[:start], at[start:]
    n_before, n_tail, gone_tail = int(rows[before].sum()), int(rows[tail].sum()), int(gone[tail].sum())
    base = (int(gone[before].sum()) + 1) / (n_before + 2)
    if n_before < _MINIMUM_ROWS_BEFORE or base >= _BASE_BELOW or binom.sf(gone_tail - 1, n_tail, base) >= _P_BELOW:
        return None
    if _longest_run(lost[:start]) >= length:
        return None
    return _Run(days, gone_tail, n_tail, int(gone[before].sum()) / n_before)


def _longest_run(flags: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> int:
    edges = np.flatnonzero(np.diff(np.concatenate(([0], flags.astype(np.int8), [0]))))
    return int((edges[1::2] - edges[::2]).max()) if len(edges) else 0


def _life_cycle(scan: Scan, daily: Daily, column: Column, predicate: str, run: _Run) -> bool:
    """Whether a status column without nulls says, in 99 of 100 rows both ways, when the value is absent."""
    for status in scan.card.columns:
        if (
            status.nulls
            or not 2 <= status.distinct <= _MOST_STATUS_VALUES
            or status.name in {column.name, daily.column}
        ):
            continue
        b = ident(status.name)
        table = scan.all(f"SELECT {b}, count(*), count(*) FILTER ({predicate}) FROM analysis GROUP BY 1")
        absent = [row for row in table if row[2] > row[1] / 2]
        total_gone = sum(row[2] for row in table)
        covered, said = sum(row[2] for row in absent), sum(row[1] for row in absent)
        if said and covered >= 0.99 * said and covered >= 0.99 * total_gone:
            values = [row[0] for row in absent]
            if not _calendar(scan, daily, b, literals(values), run):
                return True
    return False


def _calendar(scan: Scan, daily: Daily, column_sql: str, values_sql: str, run: _Run) -> bool:
    """Whether the column is a period name (quarter, week), which explains nothing: its values follow one another."""
    t = ident(daily.column)
    start = literal(daily.day(-run.days))
    outside, blocks, distinct = scan.one(
        f"SELECT count(*) FILTER ({column_sql} IN {values_sql}), "
        f"count(*) FILTER ({column_sql} IS DISTINCT FROM value_before), "
        f"count(DISTINCT {column_sql}) FROM (SELECT {column_sql}, lag({column_sql}) OVER (ORDER BY {t}, {column_sql}) "
        f"AS value_before FROM analysis WHERE {t} < {start})"
    )
    return not outside and distinct >= 2 and blocks == distinct


def _fact(daily: Daily, column: Column, run: _Run, predicate: str, word: str) -> DataQualityFact:
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
