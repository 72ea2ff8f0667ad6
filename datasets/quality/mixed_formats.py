"""r22: one column written in two ways: 1,5 beside 1.5, two currencies, two orders of dates, several units.

Not mixed: identifiers, phone numbers, free text.
"""

from __future__ import annotations

import re

from datasets.quality._detector import DataQualityFact, Detector, Outcome, Power, QualityKind, quality_claim
from datasets.quality._scan import Scan
from datasets.quality._words import cell, listing
from datasets.schema import Column
from datasets.sql import ident, literal

_WAYS = {
    "numbers": {"with a decimal comma": r"[+-]?\d+,\d{1,2}", "with a decimal point": r"[+-]?\d+\.\d{1,2}"},
    "amounts": {
        "in dollars": r"[+-]?(\$|USD) ?[\d.,]+|[\d.,]+ ?(\$|USD)",
        "in euros": r"[+-]?(€|EUR) ?[\d.,]+|[\d.,]+ ?(€|EUR)",
        "in pounds": r"[+-]?(£|GBP) ?[\d.,]+|[\d.,]+ ?(£|GBP)",
    },
    "dates": {
        "like 2024-01-31": r"\d{4}-\d\d?-\d\d?.*", "like 31.01.2024": r"\d\d?\.\d\d?\.\d{4}",
        "day first": r"(1[3-9]|2\d|3[01])/\d\d?/\d{2,4}", "month first": r"\d\d?/(1[3-9]|2\d|3[01])/\d{2,4}",
    },
}  # fmt: skip
_EACH_AT_LEAST = 0.01
_TOGETHER = 0.5
_UNIT_NAME = re.compile(r"(?i)(^|_)(currency|curr|ccy|unit|units_of_measure|uom)(_code)?$")
_MOST_UNITS = 12
_KIND: QualityKind = "mixed_formats"


def _run(scan: Scan) -> Outcome:
    texts = [
        c for c in scan.card.columns if c.sql_type == "VARCHAR" and c.role in {"dimension", "text"} and c.distinct > 3
    ]
    outcome = Outcome(powered=[Power(_KIND, c.name) for c in texts])
    ways = [(kind, way, pattern) for kind, by_way in _WAYS.items() for way, pattern in by_way.items()]
    for column in texts:
        if not any(ch.isdigit() for value in column.values[:50] for ch in value):
            continue
        c = ident(column.name)
        counts = ", ".join(
            f"coalesce(sum(n) FILTER (regexp_full_match(v, {literal(p)})), 0)::BIGINT" for _, _, p in ways
        )
        sql = f"SELECT {counts} FROM (SELECT trim({c}) AS v, count(*) AS n FROM analysis GROUP BY 1)"
        row = scan.one(sql)
        present = column.rows - column.nulls
        for kind in _WAYS:
            found = [(way, int(n)) for (k, way, _), n in zip(ways, row, strict=True) if k == kind]
            both = [(way, n) for way, n in found if n >= max(1, _EACH_AT_LEAST * present)]
            if len(both) > 1 and sum(n for _, n in both) >= _TOGETHER * present:
                named = listing([f"{n:,} {way}" for way, n in both])
                outcome.facts.append(_fact(column, f"{column.name} mixes ways to write {kind}: {named}.", kind, sql))
    if scan.measures:
        outcome.facts.extend(_units(scan))
    return outcome


def _units(scan: Scan) -> list[DataQualityFact]:
    """A column that names the currency or the unit of the numbers beside it."""
    found = []
    for column in scan.card.by_role("dimension"):
        if _UNIT_NAME.search(column.name) and 2 <= column.distinct <= _MOST_UNITS:
            named = listing([cell(v) for v in column.values], most=4)
            said = f"{column.name} names {column.distinct} of them ({named}), so numbers are not to be added across it."
            sql = f"SELECT {ident(column.name)} AS value, count(*) AS rows FROM analysis GROUP BY 1 ORDER BY 2 DESC"
            found.append(_fact(column, said, "units", sql))
    return found


def _fact(column: Column, statement: str, kind: str, sql: str) -> DataQualityFact:
    return DataQualityFact(
        rule="r22",
        kind=_KIND,
        column=column.name,
        statement=statement,
        status="measured",
        n=column.rows,
        claim=quality_claim(_KIND, column.name, text=kind),
        sql=[sql],
    )


DETECTOR = Detector("r22", _KIND, _run)
