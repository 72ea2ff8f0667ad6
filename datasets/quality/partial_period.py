"""r8: the first or last calendar period is not complete. A fact of the calendar, not a defect."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np

from datasets.measures import Grain
from datasets.quality._detector import DataQualityFact, Detector, Outcome, Power, quality_claim
from datasets.quality._scan import Daily, Scan
from datasets.sql import ident

_MONTHS_FROM_DAYS = 62
_WEEKS_FROM_DAYS = 21
_MOST_IDLE_DAYS = 7
"""With wider usual gaps between dates, an end of the month without rows says nothing."""


def _run(scan: Scan) -> Outcome:
    daily = scan.daily
    grain = _grain(daily) if daily else None
    if daily is None or grain is None:
        return Outcome()
    facts = []
    gap = _usual_gap(daily)
    first_start, first_end = _period(daily.first, grain)
    last_start, last_end = _period(daily.last, grain)
    if (daily.first - first_start).days >= gap:
        facts.append(_fact(daily, grain, first_start, first_end, edge="first"))
    if (last_end - daily.last).days > gap:
        facts.append(_fact(daily, grain, last_start, last_end, edge="last"))
    return Outcome(facts=facts, powered=[Power("partial_period", daily.column)])


def _grain(daily: Daily) -> Grain | None:
    """Months for spans of two months and more, weeks below; none where dates are themselves periods."""
    span = len(daily.rows)
    if span < _WEEKS_FROM_DAYS or _usual_gap(daily) > _MOST_IDLE_DAYS:
        return None
    return "month" if span >= _MONTHS_FROM_DAYS else "week"


def _usual_gap(daily: Daily) -> int:
    """Days between dates that are nothing unusual: the 95th percentile, so a weekend at the edge is no gap."""
    gaps = np.diff(np.flatnonzero(daily.rows))
    return max(1, int(np.quantile(gaps, 0.95)))


def _period(day: date, grain: Grain) -> tuple[date, date]:
    """Start of the period that holds the day, and start of the next one."""
    if grain == "week":
        start = day - timedelta(days=day.weekday())
        return start, start + timedelta(days=7)
    start = day.replace(day=1)
    return start, (start + timedelta(days=32)).replace(day=1)


def _fact(daily: Daily, grain: Grain, start: date, end: date, *, edge: str) -> DataQualityFact:
    length = (end - start).days
    covered = (daily.last - start).days + 1 if edge == "last" else (end - daily.first).days
    name = f"{start:%Y-%m}" if grain == "month" else f"The week from {start.isoformat()}"
    limit = f"end {daily.last.isoformat()}" if edge == "last" else f"begin {daily.first.isoformat()}"
    t = ident(daily.column)
    return DataQualityFact(
        rule="r8",
        kind="partial_period",
        column=daily.column,
        statement=(
            f"{name} is incomplete: the data {limit} ({covered} of {length} days). "
            f"It is not compared with complete {grain}s."
        ),
        status="measured",
        n=int(daily.rows.sum()),
        claim=quality_claim(
            "partial_period", daily.column, number=covered, unit="days", text=name, period=f"{edge} {grain}"
        ),
        sql=[f"SELECT min({t}) AS oldest, max({t}) AS newest FROM analysis"],
        informational=True,
    )


DETECTOR = Detector("r8", "partial_period", _run)
