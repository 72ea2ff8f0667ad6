"""r20: as many rows as an export holds at most, cut off where the order of the rows ends.

Not truncated: a sample, which is in no order.
"""

from __future__ import annotations

from datasets.quality._detector import DataQualityFact, Detector, Outcome, Power, quality_claim
from datasets.quality._scan import Scan
from datasets.sql import ident

_LIMITS = frozenset(
    {
        1_000, 2_000, 5_000, 10_000, 20_000, 25_000, 30_000, 32_767, 50_000, 65_535, 65_536, 100_000, 150_000, 200_000,
        250_000, 500_000, 1_000_000, 1_048_575, 1_048_576,
    }
)  # fmt: skip
_SORTED = 0.999
_MINIMUM_TIMES = 20


def _run(scan: Scan) -> Outcome:
    time = scan.time
    if time is None or time.distinct < _MINIMUM_TIMES:
        return Outcome()
    outcome = Outcome(powered=[Power("truncated", None)])
    if scan.rows not in _LIMITS and scan.rows + 1 not in _LIMITS:
        return outcome
    t = ident(time.name)
    sql = (
        f"SELECT count(*) FILTER (x >= before), count(*) FILTER (x <= before), count(*) FROM "
        f"(SELECT {t} AS x, lag({t}) OVER () AS before FROM analysis) WHERE before IS NOT NULL"
    )
    rising, falling, pairs = scan.one(sql)
    if max(rising, falling) < _SORTED * pairs:
        return outcome
    missing = "newest" if rising >= falling else "oldest"
    outcome.facts.append(
        DataQualityFact(
            rule="r20",
            kind="truncated",
            column=time.name,
            statement=(
                f"The file has {scan.rows:,} rows in order of {time.name}, as many as some exports hold at most; it "
                f"may be cut off, and its {missing} rows missing."
            ),
            status="suspected",
            n=scan.rows,
            claim=quality_claim("truncated", time.name, number=scan.rows, unit="rows"),
            sql=[sql],
            informational=scan.rows < 32_000,
        )
    )
    return outcome


DETECTOR = Detector("r20", "truncated", _run)
