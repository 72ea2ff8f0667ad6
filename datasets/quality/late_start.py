"""r6: a column that is filled only from a later day on. A fact of its history, not a defect.

Not a late start: the first values of a difference or a moving average, which are a few days only.
"""

from __future__ import annotations

import numpy as np

from datasets.quality._detector import DataQualityFact, Detector, Outcome, quality_claim
from datasets.quality._runs import trailing_run
from datasets.quality._scan import Scan
from datasets.quality._words import rows_words
from datasets.sql import ident, literal

_LONGER_THAN_DAYS = 14
_MINIMUM_SPAN_DAYS = 28


def _late(days: int, span: int) -> bool:
    return _LONGER_THAN_DAYS < days < span


def _run(scan: Scan) -> Outcome:
    daily = scan.daily
    if daily is None or len(daily.rows) < _MINIMUM_SPAN_DAYS:
        return Outcome()
    outcome = Outcome()
    for name, present in daily.non_null.items():
        run = trailing_run(daily.rows[::-1], (daily.rows - present)[::-1], _late)
        if run is None:
            continue
        first = daily.day(int(np.flatnonzero(present[run.days :])[0]) + run.days)
        c, t = ident(name), ident(daily.column)
        outcome.facts.append(
            DataQualityFact(
                rule="r6",
                kind="late_start",
                column=name,
                statement=(
                    f"{name} is filled only from {first.isoformat()} on: it is empty in {run.gone:,} of the "
                    f"{rows_words(run.rows)} before."
                ),
                status="measured",
                n=int(daily.rows.sum()),
                claim=quality_claim("late_start", name, text=first.isoformat(), against=daily.column),
                sql=[f"SELECT count(*) AS rows, count({c}) AS present FROM analysis WHERE {t} < {literal(first)}"],
                informational=True,
            )
        )
    return outcome


DETECTOR = Detector("r6", "late_start", _run)
