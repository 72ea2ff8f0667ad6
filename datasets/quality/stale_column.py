"""r5: a column that stopped being filled long ago while rows keep arriving: longer than any lag.

Not a stale column: a value that a status explains, or one that is absent for as long every year (a wind chill).
"""

from __future__ import annotations

import numpy as np

from datasets.quality._detector import DataQualityFact, Detector, Outcome, Power, quality_claim
from datasets.quality._runs import life_cycle, trailing_run
from datasets.quality._scan import Scan
from datasets.quality._words import percent, rows_words
from datasets.sql import ident, literal

_LONGER_THAN_DAYS = 14
_LONGER_THAN_SHARE = 0.2
_MINIMUM_SPAN_DAYS = 28
_HABIT = 0.5


def _stale(days: int, span: int) -> bool:
    return days > _LONGER_THAN_DAYS or days > _LONGER_THAN_SHARE * span


def _run(scan: Scan) -> Outcome:
    daily = scan.daily
    if daily is None or len(daily.rows) < _MINIMUM_SPAN_DAYS:
        return Outcome()
    outcome = Outcome()
    for column in scan.card.columns:
        if column.name == daily.column or column.role in {"empty", "constant"}:
            continue
        outcome.powered.append(Power("stale_column", column.name))
        present = daily.non_null.get(column.name)
        if present is None:
            continue
        run = trailing_run(daily.rows, daily.rows - present, _stale, earlier_share=_HABIT)
        c, t = ident(column.name), ident(daily.column)
        if run is None or life_cycle(scan, daily, column, f"{c} IS NULL", run.days):
            continue
        last = daily.day(int(np.flatnonzero(present[: len(present) - run.days])[-1]))
        before = "always filled before" if run.base_share == 0 else f"missing in {percent(run.base_share)} before"
        outcome.facts.append(
            DataQualityFact(
                rule="r5",
                kind="stale_column",
                column=column.name,
                statement=(
                    f"{column.name} is no longer filled since {last.isoformat()}: it is empty in {run.gone:,} of the "
                    f"{rows_words(run.rows)} after that day, {before}. Numbers of it say nothing about the time since."
                ),
                status="suspected",
                n=int(daily.rows.sum()),
                claim=quality_claim("stale_column", column.name, text=last.isoformat(), against=daily.column),
                sql=[
                    f"SELECT count(*) AS rows, count({c}) AS present FROM analysis "
                    f"WHERE {t} >= {literal(daily.day(-run.days))}"
                ],
            )
        )
    return outcome


DETECTOR = Detector("r5", "stale_column", _run)
