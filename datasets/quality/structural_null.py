"""r9: a value that is missing exactly where another column says that it cannot be there. A rule, not a gap."""

from __future__ import annotations

from datasets.quality._detector import DataQualityFact, Detector, Outcome, quality_claim
from datasets.quality._keys import looks_like_id
from datasets.quality._scan import Scan
from datasets.quality._words import cell, listing, rows_words
from datasets.sql import ident

_MINIMUM_ROWS = 50
_MOST_VALUES = 20
_BOTH_WAYS = 0.99
_MOST_STATUS_COLUMNS = 12
_MOST_FACTS = 5


def _run(scan: Scan) -> Outcome:
    gappy = [c for c in scan.card.columns if 0 < c.nulls < c.rows and min(c.nulls, c.rows - c.nulls) >= _MINIMUM_ROWS]
    said: dict[str, DataQualityFact] = {}
    for status in [c for c in scan.card.columns if _may_explain(c.distinct) and not c.nulls and not looks_like_id(c)][
        :_MOST_STATUS_COLUMNS
    ]:
        open_columns = [c for c in gappy if c.name not in said and c.name != status.name]
        if not open_columns:
            break
        b = ident(status.name)
        gone = ", ".join(f"count(*) - count({ident(c.name)})" for c in open_columns)
        table = scan.all(f"SELECT {b}, count(*), {gone} FROM analysis GROUP BY 1")
        for i, column in enumerate(open_columns):
            absent = [row for row in table if row[2 + i] > row[1] / 2]
            covered, rows = sum(row[2 + i] for row in absent), sum(row[1] for row in absent)
            if not rows or covered < _BOTH_WAYS * rows or covered < _BOTH_WAYS * column.nulls:
                continue
            named = listing([cell(row[0]) for row in absent], most=4)
            said[column.name] = DataQualityFact(
                rule="r9",
                kind="structural_null",
                column=column.name,
                statement=(
                    f"{column.name} is missing where {status.name} is {named}: {covered:,} of {rows_words(rows)}, and "
                    f"hardly anywhere else. It does not apply there; these are no gaps."
                ),
                status="measured",
                n=scan.rows,
                claim=quality_claim("structural_null", column.name, number=covered, unit="rows", against=status.name),
                sql=[
                    f"SELECT {b} AS value, count(*) AS rows, count(*) - count({ident(column.name)}) AS missing "
                    f"FROM analysis GROUP BY 1 ORDER BY 2 DESC"
                ],
                informational=True,
            )
    return Outcome(facts=list(said.values())[:_MOST_FACTS])


def _may_explain(distinct: int) -> bool:
    return 2 <= distinct <= _MOST_VALUES


DETECTOR = Detector("r9", "structural_null", _run)
