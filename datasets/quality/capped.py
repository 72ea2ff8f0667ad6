"""r19: a measure whose highest value stands for "this much or more".

Not a cap: a natural bound (1, 100), a scale of few values.
"""

from __future__ import annotations

from datasets.plain import number_text
from datasets.quality._detector import DataQualityFact, Detector, Outcome, Power, quality_claim
from datasets.quality._scan import Scan
from datasets.quality._words import percent
from datasets.sql import ident

_MASS = 0.005
_TIMES_TYPICAL = 8.0
_MINIMUM_VALUES = 50
_MINIMUM_ROWS = 200
_UPPER_VALUES = 20
_NATURAL_BOUNDS = {1.0, 100.0}


def _run(scan: Scan) -> Outcome:
    outcome = Outcome()
    for column in scan.measures:
        present = column.rows - column.nulls
        if column.distinct < _MINIMUM_VALUES or present < _MINIMUM_ROWS:
            continue
        outcome.powered.append(Power("capped", column.name))
        c = ident(column.name)
        top = scan.all(
            f"SELECT {c}::DOUBLE, count(*) FROM analysis WHERE {c} IS NOT NULL GROUP BY 1 ORDER BY 1 DESC "
            f"LIMIT {_UPPER_VALUES + 1}"
        )
        (highest, at_top), others = top[0], sorted(n for _, n in top[1:])
        typical = others[len(others) // 2]
        if highest in _NATURAL_BOUNDS or at_top < _MASS * present or at_top < _TIMES_TYPICAL * typical:
            continue
        outcome.facts.append(
            DataQualityFact(
                rule="r19",
                kind="capped",
                column=column.name,
                statement=(
                    f"{column.name} is capped at {number_text(highest)}: {at_top:,} values "
                    f"({percent(at_top / present)}) stand there, the values just below have {typical:,} each. "
                    f"Means and totals of it are too low."
                ),
                status="suspected",
                n=present,
                claim=quality_claim("capped", column.name, number=float(highest)),
                sql=[f"SELECT {c} AS value, count(*) AS rows FROM analysis GROUP BY 1 ORDER BY 1 DESC LIMIT 10"],
                informational=True,
            )
        )
    return outcome


DETECTOR = Detector("r19", "capped", _run)
