"""r3: a lag that a later delivery measured, as a fact; it takes the place of the suspicion of the same name."""

from __future__ import annotations

from datasets.directives import ExcludeRecent
from datasets.plain import counted
from datasets.quality._detector import DataQualityFact, quality_claim
from datasets.quality._words import days_words, listing, percent
from datasets.snapshot import MeasuredLag
from datasets.sql import ident, literal


def lag_fact(lag: MeasuredLag, *, rows: int) -> DataQualityFact:
    """Say a measured lag of at least a day; `rows`: the rows of the delivery that measured it."""
    t = ident(lag.column)
    late = lag.measure is not None
    span = f"{lag.first.isoformat()} to {lag.last.isoformat()}" if lag.days > 1 else lag.last.isoformat()
    shares = listing([percent(s) for s in lag.complete_0_1])
    held = f"the values of {lag.measure}" if late else "the rows"
    one = lag.days == 1
    was = f"The last {days_words(lag.days)} of an earlier delivery ({span}) {'has' if one else 'have'} filled up since"
    recent = f"The last {days_words(lag.days)} of {lag.column}"
    what = f"Values of {lag.measure}" if late else "Rows"
    deliveries = "three" if lag.amounts else "two"
    if lag.amounts:
        what, held = f"Corrections of {lag.measure}", f"the {lag.measure}"
    where = f" where {lag.measure} is used" if late else " of trends and comparisons"
    count = f", count({ident(lag.measure)}) AS present" if lag.measure is not None else ""
    return DataQualityFact(
        rule="r3",
        kind="null_lag" if late else "reporting_lag",
        column=lag.measure or lag.column,
        statement=(
            f"{what} arrive up to {counted(lag.days, 'day')} late, "
            f"measured on {deliveries} deliveries. {was}: {'it' if one else 'they'} held {shares} of {held} known now. "
            f"{recent} {'is' if one else 'are'} left out{where}."
        ),
        directive=ExcludeRecent(column=lag.column, days=lag.days, measure=lag.measure),
        status="measured",
        n=rows,
        claim=quality_claim(
            "null_lag" if late else "reporting_lag",
            lag.measure or lag.column,
            number=lag.days,
            unit="days",
            text="measured",
            against=lag.column if late else None,
        ),
        sql=[
            f"SELECT {t}::DATE AS day, count(*) AS rows{count} FROM analysis "
            f"WHERE {t}::DATE BETWEEN {literal(lag.first)} AND {literal(lag.last)} GROUP BY 1 ORDER BY 1"
        ],
    )
