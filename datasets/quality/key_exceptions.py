"""r14: an identifier that is unique but for a few values, which stand in different rows.

Exact repeats of a row are the business of `duplicates`; here the rows that share an identifier disagree.
"""

from __future__ import annotations

from datasets.quality._detector import DataQualityFact, Detector, Outcome, Power, quality_claim
from datasets.quality._keys import looks_like_id
from datasets.quality._scan import Scan
from datasets.quality._words import cell, listing, rows_words
from datasets.sql import ident

_UNIQUE_AT_LEAST = 0.99
_MINIMUM_ROWS = 50
_MOST_EXAMPLES = 3


def _run(scan: Scan) -> Outcome:
    if any(looks_like_id(c) and c.distinct == c.rows for c in scan.card.columns):
        return Outcome()  # Another column identifies the rows; this one may repeat.
    facts: list[DataQualityFact] = []
    powered: list[Power] = []
    for column in scan.card.columns:
        present = column.rows - column.nulls
        if not looks_like_id(column) or present < _MINIMUM_ROWS or column.distinct < _UNIQUE_AT_LEAST * present:
            continue
        powered.append(Power("key_exceptions", column.name))
        if column.distinct < present:
            facts += _exceptions(scan, column.name)
    return Outcome(facts=facts, powered=powered)


def _exceptions(scan: Scan, name: str) -> list[DataQualityFact]:
    key = ident(name)
    others = ", ".join(ident(c.name) for c in scan.card.columns if c.name != name)
    if not others:
        return []
    repeated = (
        f"SELECT {key} AS value, count(*) AS rows FROM analysis WHERE {key} IS NOT NULL GROUP BY {key} "
        f"HAVING count(DISTINCT hash({others})) > 1"
    )
    values, rows = scan.one(f"SELECT count(*), coalesce(sum(rows), 0) FROM ({repeated})")
    if not values:
        return []
    examples = scan.all(f"{repeated} ORDER BY 2 DESC, 1 LIMIT {_MOST_EXAMPLES}")
    named = listing([cell(row[0]) for row in examples])
    some = f"such as {named}" if values > len(examples) else named
    stand = "value, which stands" if values == 1 else "values, which stand"
    return [
        DataQualityFact(
            rule="r14",
            kind="key_exceptions",
            column=name,
            statement=f"{name} is unique but for {values:,} {stand} in {rows_words(int(rows))} that differ: {some}.",
            status="measured",
            n=scan.rows,
            claim=quality_claim("key_exceptions", name, number=int(values), unit="values"),
            sql=[f"{repeated} ORDER BY 2 DESC, 1"],
        )
    ]


DETECTOR = Detector("r14", "key_exceptions", _run)
