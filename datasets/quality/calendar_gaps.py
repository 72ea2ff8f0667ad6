"""r10: days without rows on weekdays that usually have some. Often holidays: listed, no alarm."""

from __future__ import annotations

from datetime import timedelta

import numpy as np

from datasets.plain import counted
from datasets.quality._detector import DataQualityFact, Detector, Outcome, Power, quality_claim
from datasets.quality._scan import Scan
from datasets.quality._words import listing, percent

_MINIMUM_SPAN_DAYS = 28
_OPEN_ABOVE = 0.3
_COVERAGE = 0.9


def _run(scan: Scan) -> Outcome:
    daily = scan.daily
    if daily is None or len(daily.rows) < _MINIMUM_SPAN_DAYS:
        return Outcome()
    weekday = (daily.first.weekday() + np.arange(len(daily.rows))) % 7
    opens = np.array([np.mean(daily.rows[weekday == d] > 0) > _OPEN_ABOVE for d in range(7)])[weekday]
    gaps = np.flatnonzero(opens & (daily.rows == 0))
    coverage = 1 - len(gaps) / max(1, int(opens.sum()))
    powered = [Power("calendar_gaps", daily.column)]
    if not len(gaps) or coverage < _COVERAGE:
        return Outcome(powered=powered)
    named = listing([(daily.first + timedelta(days=int(i))).isoformat() for i in gaps], most=5)
    fact = DataQualityFact(
        rule="r10",
        kind="calendar_gaps",
        column=daily.column,
        statement=(
            f"{counted(len(gaps), 'day')} without rows among the {int(opens.sum()):,} on which rows usually arrive "
            f"(coverage {percent(coverage)}): {named}. Holidays look the same."
        ),
        status="measured",
        n=int(daily.rows.sum()),
        claim=quality_claim("calendar_gaps", daily.column, number=len(gaps), unit="days"),
        sql=[daily.sql],
        informational=True,
    )
    return Outcome(facts=[fact], powered=powered)


DETECTOR = Detector("r10", "calendar_gaps", _run)
