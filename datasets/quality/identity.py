"""r17: a measure that is the product or the sum of two others, and the rows in which it is not."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from datasets.quality._detector import DataQualityFact, Detector, Outcome, Power, quality_claim
from datasets.quality._scan import Scan
from datasets.quality._words import percent, rows_words
from datasets.sql import ident

_HOLDS = 0.97
_TOLERANCE = 0.005
_MINIMUM_ROWS = 50
_SAMPLE = 2_000
_MOST_MEASURES = 9
_MOST_FACTS = 4


def _run(scan: Scan) -> Outcome:
    measures = [c for c in scan.card.columns if c.numeric and c.role in {"measure", "dimension"} and c.distinct > 2]
    measures = measures[:_MOST_MEASURES]
    if len(measures) < 3 or scan.rows < _MINIMUM_ROWS:
        return Outcome()
    names = [c.name for c in measures]
    cells = ", ".join(f"{ident(n)}::DOUBLE" for n in names)
    rows = scan.all(f"SELECT {cells} FROM analysis USING SAMPLE reservoir({_SAMPLE} ROWS) REPEATABLE (17)")
    table = np.array(rows, dtype=np.float64)
    outcome = Outcome(powered=[Power("identity", name) for name in names])
    claimed: set[frozenset[str]] = set()
    for a in range(len(names)):
        for b, c in combinations([i for i in range(len(names)) if i != a], 2):
            for sign in ("*", "+"):
                involved = frozenset((names[a], names[b], names[c]))
                if involved in claimed or not _holds(table[:, a], table[:, b], table[:, c], sign):
                    continue
                fact = _checked(scan, names[a], names[b], names[c], sign)
                if fact is not None:
                    claimed.add(involved)
                    outcome.facts.append(fact)
    return Outcome(facts=outcome.facts[:_MOST_FACTS], powered=outcome.powered)


def _holds(a: NDArray[np.float64], b: NDArray[np.float64], c: NDArray[np.float64], sign: str) -> bool:
    made = b * c if sign == "*" else b + c
    known = np.isfinite(a) & np.isfinite(made) & (a != 0) & (b != 0) & (c != 0)
    if known.sum() < min(_MINIMUM_ROWS, 0.5 * len(a)) or np.mean(np.isclose(a[known], b[known])) > 0.5:
        return False
    return bool(np.mean(np.abs(a - made)[known] <= _TOLERANCE * np.abs(a[known]) + 0.0051) >= _HOLDS)


def _checked(scan: Scan, a: str, b: str, c: str, sign: str) -> DataQualityFact | None:
    """Check the whole table, not the sample alone."""
    x, made = ident(a), f"{ident(b)}::DOUBLE {sign} {ident(c)}"
    broken = f"abs({x} - ({made})) > {_TOLERANCE} * abs({x}) + 0.0051"
    known = f"{x} <> 0 AND {ident(b)} <> 0 AND {ident(c)} <> 0"
    rows, exceptions = scan.one(f"SELECT count(*), count(*) FILTER ({broken}) FROM analysis WHERE {known}")
    if rows <= _MINIMUM_ROWS or exceptions > (1 - _HOLDS) * rows:
        return None
    rule = f"{a} = {b} {'×' if sign == '*' else '+'} {c}"
    share = percent(1 - exceptions / rows)
    but = f"but not in {exceptions:,} of them" if exceptions else "without exception"
    return DataQualityFact(
        rule="r17",
        kind="identity",
        column=a,
        statement=f"{rule} holds in {share} of {rows_words(rows)}, {but}.",
        status="measured",
        n=rows,
        claim=quality_claim("identity", a, number=exceptions, unit="rows", text=rule, against=f"{b} {sign} {c}"),
        sql=[f"SELECT {x}, {ident(b)}, {ident(c)} FROM analysis WHERE {known} AND {broken}"],
        informational=not exceptions,
    )


DETECTOR = Detector("r17", "identity", _run)
