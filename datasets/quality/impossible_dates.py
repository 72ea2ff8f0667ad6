"""r25: a few dates that cannot be: the day on which clocks begin, or far past all others.

Not impossible: due dates, plans and expiry dates, which lie in the future by name.
"""

from __future__ import annotations

import re
from datetime import date, datetime

from datasets.directives import NullSentinel
from datasets.quality._detector import DataQualityFact, Detector, Outcome, Power, quality_claim
from datasets.quality._scan import Scan
from datasets.quality._words import listing, rows_words
from datasets.sql import ident

_AHEAD_BY_NAME = re.compile(
    r"(?i)due|plan|expir|until|valid|deadline|target|schedul|maturity|warranty|renew|end|eta|birth|dob"
)
_FEW = 0.005
_MINIMUM_ROWS = 50
_MOST_VALUES = 5


def _run(scan: Scan) -> Outcome:
    outcome = Outcome()
    for column in scan.card.columns:
        present = column.rows - column.nulls
        if not column.temporal or column.distinct < 5 or present < _MINIMUM_ROWS or _AHEAD_BY_NAME.search(column.name):
            continue
        outcome.powered.append(Power("impossible_dates", column.name))
        c = ident(column.name)
        low, high = scan.one(
            f"SELECT quantile_disc({c}::TIMESTAMP, 0.01), quantile_disc({c}::TIMESTAMP, 0.99) FROM analysis "
            f"WHERE isfinite({c})"
        )
        if low is None:
            continue
        reach = f"greatest(INTERVAL 365 DAY, {_span(low, high)})"
        bounds = f"TIMESTAMP '{low}' - {reach} AND TIMESTAMP '{high}' + {reach}"
        sql = (
            f"SELECT {c} AS value, count(*) AS rows FROM analysis WHERE {c} IS NOT NULL AND "
            f"{c}::TIMESTAMP NOT BETWEEN {bounds} GROUP BY 1 ORDER BY 1"
        )
        found = scan.all(f"{sql} LIMIT {_MOST_VALUES + 1}")
        rows = sum(int(n) for _, n in found)
        if not found or len(found) > _MOST_VALUES or rows > max(2, _FEW * present):
            continue
        values = tuple(_text(value) for value, _ in found)
        outcome.facts.append(
            DataQualityFact(
                rule="r25",
                kind="impossible_dates",
                column=column.name,
                statement=(
                    f"{column.name} holds {listing(list(values))} in {rows:,} of {rows_words(present)}, far from all "
                    f"other dates ({low:%Y-%m-%d} to {high:%Y-%m-%d}). {'It is' if len(values) == 1 else 'They are'} "
                    f"read as missing."
                ),
                directive=NullSentinel(column=column.name, values=values),
                status="suspected",
                n=present,
                claim=quality_claim("impossible_dates", column.name, number=rows, unit="rows", text=", ".join(values)),
                sql=[sql],
            )
        )
    return outcome


def _span(low: datetime, high: datetime) -> str:
    return f"INTERVAL {(high - low).days} DAY"


def _text(value: date | datetime) -> str:
    return value.isoformat(sep=" ") if isinstance(value, datetime) else value.isoformat()


DETECTOR = Detector("r25", "impossible_dates", _run)
