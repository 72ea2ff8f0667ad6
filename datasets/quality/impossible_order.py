"""r18: a time that should follow another and sometimes lies before it: closed before opened.

Not a fault: two times without an order, which is shown by more exceptions.
"""

from __future__ import annotations

from itertools import permutations

from datasets.quality._detector import DataQualityFact, Detector, Outcome, Power, quality_claim
from datasets.quality._scan import Scan
from datasets.quality._words import percent, rows_words
from datasets.sql import ident

_FROM, _BELOW = 0.85, 0.999
_MINIMUM_ROWS = 50
_MOST_COLUMNS = 6


def _run(scan: Scan) -> Outcome:
    times = [c.name for c in scan.card.columns if c.temporal and c.distinct > 2][:_MOST_COLUMNS]
    pairs = list(permutations(times, 2))
    if not pairs:
        return Outcome()
    counts = ", ".join(
        f"count(*) FILTER ({ident(a)} IS NOT NULL AND {ident(b)} IS NOT NULL), count(*) FILTER ({_after(a, b)}), "
        f"count(*) FILTER ({_after(b, a)})"
        for a, b in pairs
    )
    row = scan.one(f"SELECT {counts} FROM analysis")
    outcome = Outcome()
    for i, (a, b) in enumerate(pairs):
        both, wrong, right = row[3 * i : 3 * i + 3]
        if both < _MINIMUM_ROWS:
            continue
        outcome.powered.append(Power("impossible_order", a))
        if not _FROM <= 1 - wrong / both < _BELOW or right < _FROM * (right + wrong):
            continue
        outcome.facts.append(
            DataQualityFact(
                rule="r18",
                kind="impossible_order",
                column=a,
                statement=(
                    f"{b} lies before {a} in {wrong:,} of {rows_words(both)} ({percent(wrong / both)}), though it "
                    f"follows it in all others. Times between the two are negative there."
                ),
                status="measured",
                n=both,
                claim=quality_claim("impossible_order", a, number=wrong, unit="rows", against=b),
                sql=[f"SELECT count(*) AS rows FROM analysis WHERE {_after(a, b)}"],
            )
        )
    return outcome


def _after(a: str, b: str) -> str:
    return f"{ident(a)}::TIMESTAMP > {ident(b)}::TIMESTAMP"


DETECTOR = Detector("r18", "impossible_order", _run)
