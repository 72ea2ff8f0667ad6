"""r23: times of day that are no times: midnight in most rows, or a clock that moves by whole hours on one day.

Not a fault: dates without a time of day, and daylight saving, an hour in spring and in autumn.
"""

from __future__ import annotations

from datetime import date, timedelta
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from datasets.quality._detector import DataQualityFact, Detector, Outcome, Power, quality_claim
from datasets.quality._scan import Daily, Scan
from datasets.quality._words import percent
from datasets.sql import ident

_MIDNIGHT = 0.5
_MINIMUM_DAYS_A_SIDE = 14
_MINIMUM_ROWS_A_SIDE = 200
_ALIKE, _GAIN = 0.8, 0.3
_SAVING_MONTHS = {3, 4, 10, 11}


class _Shift(NamedTuple):
    day: int
    hours: int


def _run(scan: Scan) -> Outcome:
    daily = scan.daily
    if daily is None or not daily.clocked:
        return Outcome()
    outcome = Outcome(powered=[Power("clock_shift", daily.column)])
    t = ident(daily.column)
    sql = (
        f"SELECT {t}::DATE AS day, hour({t}) AS hour, count(*) AS rows, "
        f"count(*) FILTER ({t}::TIMESTAMP::TIME = TIME '00:00:00') AS at_midnight FROM analysis "
        f"WHERE {t} IS NOT NULL AND isfinite({t}) GROUP BY 1, 2 ORDER BY 1, 2"
    )
    table = np.zeros((len(daily.rows), 24))
    midnight = 0
    for day, hour, rows, at_midnight in scan.all(sql, limit_rows=1_500_000):
        table[(day - daily.first).days, hour] += rows
        midnight += at_midnight
    share = midnight / table.sum()
    if share >= _MIDNIGHT:
        said = (
            f"{percent(share)} of the times in {daily.column} are exactly midnight: most rows have a day, but no "
            f"time of day. Hours of the day are not to be compared."
        )
        outcome.facts.append(_fact(daily, said, "midnight", sql))
        return outcome
    shift = _shift(table, daily.first)
    if shift:
        day = daily.day(shift.day)
        said = (
            f"From {day.isoformat()} on, the hours of the day in {daily.column} are those of before, moved by "
            f"{shift.hours:+d} h; suspected change of the time zone."
        )
        outcome.facts.append(_fact(daily, said, day.isoformat(), sql))
    return outcome


def _shift(table: NDArray[np.float64], first: date) -> _Shift | None:
    """The day from which the profile of hours is that of before, moved around the clock."""
    total = table.sum(axis=0)
    before = np.cumsum(table, axis=0)
    best: tuple[float, _Shift] | None = None
    for day in range(_MINIMUM_DAYS_A_SIDE, len(table) - _MINIMUM_DAYS_A_SIDE):
        old, new = before[day - 1], total - before[day - 1]
        if min(old.sum(), new.sum()) < _MINIMUM_ROWS_A_SIDE or old.std() == 0 or new.std() == 0:
            continue
        likeness = [float(np.corrcoef(np.roll(old, h), new)[0, 1]) for h in range(24)]
        hours = int(np.argmax(likeness))
        gain = likeness[hours] - likeness[0]
        if likeness[hours] >= _ALIKE and gain >= _GAIN and (best is None or gain > best[0]):
            best = (gain, _Shift(day, hours if hours <= 12 else hours - 24))
    if best is None or (abs(best[1].hours) == 1 and (first + timedelta(days=best[1].day)).month in _SAVING_MONTHS):
        return None
    return best[1]


def _fact(daily: Daily, statement: str, text: str, sql: str) -> DataQualityFact:
    return DataQualityFact(
        rule="r23",
        kind="clock_shift",
        column=daily.column,
        statement=statement,
        status="suspected",
        n=int(daily.rows.sum()),
        claim=quality_claim("clock_shift", daily.column, text=text),
        sql=[sql],
        informational=text == "midnight",
    )


DETECTOR = Detector("r23", "clock_shift", _run)
