"""r7: a measure that stands still on the newest days, as a feed does that repeats its last value.

Not frozen: zeros, prices, targets and plans, which stand still by nature, and a measure that often stood as long.
"""

from __future__ import annotations

import re

import numpy as np

from datasets.plain import number_text
from datasets.quality._detector import DataQualityFact, Detector, Outcome, Power, quality_claim
from datasets.quality._runs import longest_run
from datasets.quality._scan import Scan
from datasets.quality._words import days_words
from datasets.sql import ident, literal

_MINIMUM_DAYS = 5
_MINIMUM_HISTORY = 20
_P_BELOW = 1e-4
_LONGER_THAN_EARLIER = 1.5
_STANDS_BY_NATURE = re.compile(r"(?i)price|target|plan|budget|quota|goal|rate|tariff|fee|limit|capacity|version")


def _run(scan: Scan) -> Outcome:
    outcome = Outcome()
    for name, values in scan.daily_values.items():
        if scan.daily is None or len(values.days) < _MINIMUM_HISTORY or _STANDS_BY_NATURE.search(name):
            continue
        outcome.powered.append(Power("frozen_tail", name))
        one = values.low == values.high
        same = one[1:] & one[:-1] & (values.low[1:] == values.low[:-1])
        tail = len(same) - int(np.max(np.flatnonzero(~same), initial=-1)) - 1
        days, value = tail + 1, float(values.low[-1])
        before = same[: len(same) - tail]
        if days < _MINIMUM_DAYS or value == 0 or len(before) < _MINIMUM_HISTORY - _MINIMUM_DAYS:
            continue
        stands = (int(before.sum()) + 1) / (len(before) + 2)
        if stands ** (days - 1) >= _P_BELOW or days <= _LONGER_THAN_EARLIER * (longest_run(before) + 1):
            continue
        if (scan.daily.last - values.days[-1]).days > days:
            continue
        t, c, first = ident(scan.daily.column), ident(name), values.days[-days]
        outcome.facts.append(
            DataQualityFact(
                rule="r7",
                kind="frozen_tail",
                column=name,
                statement=(
                    f"{name} stands at {number_text(value)} on the last {days_words(days)} with values, from "
                    f"{first.isoformat()} on; it never stood that long before. The feed may repeat its last value."
                ),
                status="suspected",
                n=len(values.days),
                claim=quality_claim("frozen_tail", name, number=days, unit="days", against=scan.daily.column),
                sql=[
                    f"SELECT {t}::DATE AS day, min({c}) AS lowest, max({c}) AS highest FROM analysis "
                    f"WHERE {t} >= {literal(values.days[max(-len(values.days), -28)])} GROUP BY 1 ORDER BY 1"
                ],
            )
        )
    return outcome


DETECTOR = Detector("r7", "frozen_tail", _run)
