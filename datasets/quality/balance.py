"""r16: a balance: one row for each thing and day, whose value today is nearly that of yesterday.

A stock level or an account balance adds up across things, never over time. Not a balance: a flow, even one that grows
(its values of two days following are less alike than .9).
"""

from __future__ import annotations

from datasets.plain import number_text
from datasets.quality._detector import DataQualityFact, Detector, Outcome, Power, quality_claim
from datasets.quality._scan import Scan
from datasets.sql import ident

_AUTOCORRELATION = 0.9
_COVERAGE = 0.8
_MINIMUM_DATES = 12
_MINIMUM_CHANGES = 8
_MOST_ENTITIES_TRIED = 4


def _run(scan: Scan) -> Outcome:
    time = scan.time
    if time is None or time.nulls or time.distinct < _MINIMUM_DATES:
        return Outcome()
    columns = [c for c in scan.card.columns if c.role in {"dimension", "identifier"} and not c.nulls]
    able = [c for c in columns if 2 <= c.distinct <= scan.rows / _MINIMUM_CHANGES]
    able.sort(key=lambda c: abs(c.distinct * time.distinct / scan.rows - 1))
    for entity in able[:_MOST_ENTITIES_TRIED]:
        if scan.rows < _COVERAGE * entity.distinct * time.distinct or not scan.measures:
            continue
        e, t = ident(entity.name), ident(time.name)
        if scan.one(f"SELECT count(DISTINCT hash({e}, {t})) FROM analysis")[0] != scan.rows:
            continue
        return _judged(scan, e, t, entity.name)
    return Outcome()


def _judged(scan: Scan, e: str, t: str, entity: str) -> Outcome:
    outcome = Outcome(powered=[Power("balance", m.name) for m in scan.measures])
    lags = ", ".join(
        f"{ident(m.name)}::DOUBLE AS m{i}, lag({ident(m.name)}::DOUBLE) OVER w AS l{i}"
        for i, m in enumerate(scan.measures)
    )
    likeness = ", ".join(f"corr(m{i}, l{i}) AS r{i}" for i in range(len(scan.measures)))
    inner = f"SELECT {e} AS entity, {lags} FROM analysis WINDOW w AS (PARTITION BY {e} ORDER BY {t})"
    medians = ", ".join(f"median(r{i}) FILTER (isfinite(r{i}))" for i in range(len(scan.measures)))
    by_entity = f"SELECT entity, {likeness} FROM ({inner}) GROUP BY 1 HAVING count(*) > {_MINIMUM_CHANGES}"
    sql = f"SELECT {medians} FROM ({by_entity})"
    for measure, r in zip(scan.measures, scan.one(sql), strict=True):
        if r is None or r <= _AUTOCORRELATION:
            continue
        outcome.facts.append(
            DataQualityFact(
                rule="r16",
                kind="balance",
                column=measure.name,
                statement=(
                    f"{measure.name} looks like a balance: there is one row for each {entity} and "
                    f"{scan.card.time_column}, and its value follows the one before (correlation {number_text(r)}). "
                    f"It is not added up over time."
                ),
                status="suspected",
                n=scan.rows,
                claim=quality_claim("balance", measure.name, number=round(float(r), 3), against=entity),
                sql=[sql],
            )
        )
    return outcome


DETECTOR = Detector("r16", "balance", _run)
