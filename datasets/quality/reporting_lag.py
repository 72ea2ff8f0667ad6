"""r1/r2: rows missing at the newest edge of the event time.

One file cannot tell a lag from a real drop, so the fact is "suspected" until a later delivery fills the days in.
"""

from __future__ import annotations

from datasets.directives import ExcludeRecent
from datasets.quality._detector import DataQualityFact, Detector, Outcome, Power, quality_claim
from datasets.quality._edge import EdgeTail, read_edge
from datasets.quality._scan import Daily, Scan
from datasets.quality._words import days_words, listing
from datasets.sql import ident, literal


def _run(scan: Scan) -> Outcome:
    daily = scan.daily
    if daily is None:
        return Outcome()
    share = _share_of_day_before_the_newest(scan, daily)
    reading = read_edge(daily.rows, daily.first.weekday(), last_day_share=share)
    powered = [Power("reporting_lag", daily.column)] if reading.powered else []
    if reading.tail is None:
        return Outcome(powered=powered)
    return Outcome(facts=[_fact(daily, reading.tail)], powered=powered)


def _share_of_day_before_the_newest(scan: Scan, daily: Daily) -> float:
    """How much of a usual day has passed at the newest event; 1 for dates and for the last quarter hour."""
    clock = daily.newest.time()
    if not daily.clocked or (clock.hour == 23 and clock.minute >= 45):
        return 1.0
    t = ident(daily.column)
    start = daily.day(max(-len(daily.rows), -57))
    before, total = scan.one(
        f"SELECT count(*) FILTER ({t}::TIMESTAMP::TIME <= {literal(clock.isoformat())}::TIME), count(*) FROM analysis "
        f"WHERE {t} >= {literal(start)} AND {t} < {literal(daily.last)}"
    )
    return float(before / total) if total else 1.0


def _fact(daily: Daily, tail: EdgeTail) -> DataQualityFact:
    t = ident(daily.column)
    seen = listing([f"{n:,}" for n in tail.observed])
    per_day = "rows" if len(tail.observed) > 1 or tail.observed[0] != 1 else "row"
    looks = "look" if tail.days > 1 else "looks"
    are = "They are" if tail.days > 1 else "It is"
    each = " a day" if len(tail.observed) > 1 else ""
    return DataQualityFact(
        rule="r1",
        kind="reporting_lag",
        column=daily.column,
        statement=(
            f"The last {days_words(tail.days)} of {daily.column} {looks} incomplete: {seen} {per_day} against about "
            f"{tail.expected:,.0f}{each} expected; suspected reporting lag. "
            f"{are} left out of trends and comparisons."
        ),
        directive=ExcludeRecent(column=daily.column, days=tail.days),
        status="suspected",
        n=int(daily.rows.sum()),
        claim=quality_claim("reporting_lag", daily.column, number=tail.days, unit="days", text="suspected"),
        sql=[
            f"SELECT {t}::DATE AS day, count(*) AS rows FROM analysis WHERE {t} >= {literal(daily.day(-56))} "
            f"GROUP BY 1 ORDER BY 1"
        ],
    )


DETECTOR = Detector("r1", "reporting_lag", _run)
