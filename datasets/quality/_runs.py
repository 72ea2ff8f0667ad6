"""Runs of days at an edge on which a column is gone, and whether chance, habit or a life cycle explains them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from datasets.quality._scan import Counts, Daily, Scan
from datasets.schema import Column
from datasets.sql import ident, literal, literals

GONE_AT_LEAST = 0.9
BASE_BELOW = 0.5
P_BELOW = 1e-6
MINIMUM_ROWS_BEFORE = 30
_MOST_STATUS_VALUES = 20


class Run(NamedTuple):
    """The newest days, of which nearly all rows lack the value; `base_share` is what rows before lack."""

    days: int
    gone: int
    rows: int
    base_share: float


def trailing_run(
    rows: Counts, gone: Counts, fits: Callable[[int, int], bool], *, earlier_share: float = 1.0
) -> Run | None:
    """Return the run of newest days without values if chance, habit or length do not explain it.

    :param fits: whether a run of so many days, of so many in all, is what is looked for.
    :param earlier_share: a run in the past of at least this part of its length makes it a habit.
    """
    at = np.flatnonzero(rows)
    lost = gone[at] >= GONE_AT_LEAST * rows[at]
    if not len(at) or not lost[-1] or lost.all():
        return None
    start = len(lost) - int(np.argmin(lost[::-1]))
    length = len(lost) - start
    days = int(len(rows) - at[start])
    if not fits(days, len(rows)):
        return None
    before, tail = at[:start], at[start:]
    n_before, n_tail, gone_tail = int(rows[before].sum()), int(rows[tail].sum()), int(gone[tail].sum())
    base = (int(gone[before].sum()) + 1) / (n_before + 2)
    if n_before < MINIMUM_ROWS_BEFORE or base >= BASE_BELOW or binom.sf(gone_tail - 1, n_tail, base) >= P_BELOW:
        return None
    if longest_run(lost[:start]) >= earlier_share * length:
        return None
    return Run(days, gone_tail, n_tail, int(gone[before].sum()) / n_before)


def longest_run(flags: NDArray[np.bool_]) -> int:
    """The length of the longest unbroken run of True."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], flags.astype(np.int8), [0]))))
    return int((edges[1::2] - edges[::2]).max()) if len(edges) else 0


def life_cycle(scan: Scan, daily: Daily, column: Column, predicate: str, days: int) -> bool:
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
            if not _calendar(scan, daily, b, literals(values), days):
                return True
    return False


def _calendar(scan: Scan, daily: Daily, column_sql: str, values_sql: str, days: int) -> bool:
    """Whether the column is a period name (quarter, week), which explains nothing: its values follow one another."""
    t = ident(daily.column)
    start = literal(daily.day(-days))
    outside, blocks, distinct = scan.one(
        f"SELECT count(*) FILTER ({column_sql} IN {values_sql}), "
        f"count(*) FILTER ({column_sql} IS DISTINCT FROM value_before), "
        f"count(DISTINCT {column_sql}) FROM (SELECT {column_sql}, lag({column_sql}) OVER (ORDER BY {t}, {column_sql}) "
        f"AS value_before FROM analysis WHERE {t} < {start})"
    )
    return not outside and distinct >= 2 and blocks == distinct
