"""r15: rows that hold the total of the other rows, under a name such as "All".

Not a total: a category of that name whose numbers are not the sum of the rest.
"""

from __future__ import annotations

from datasets.directives import FilterRows
from datasets.measures import Filter
from datasets.quality._detector import DataQualityFact, Detector, Outcome, Power, quality_claim
from datasets.quality._scan import Scan
from datasets.quality._words import cell, rows_words
from datasets.sql import ident, literal

_LABELS = {
    "total", "totals", "all", "overall", "subtotal", "sub-total", "grand total", "sum", "gesamt", "summe", "insgesamt",
    "any", "all regions", "all products", "all countries", "world", "worldwide", "both",
}  # fmt: skip
_TOLERANCE = 0.01
_MOST_VALUES = 1_000


def _run(scan: Scan) -> Outcome:
    outcome = Outcome()
    for column in scan.card.by_role("dimension"):
        if column.sql_type != "VARCHAR" or not 3 <= column.distinct <= _MOST_VALUES:
            continue
        outcome.powered.append(Power("total_rows", column.name))
        for label in [v for v in column.values if v.strip().casefold() in _LABELS]:
            measure = _agreeing_measure(scan, ident(column.name), label)
            if measure is None:
                continue
            c = ident(column.name)
            (rows,) = scan.one(f"SELECT count(*) FROM analysis WHERE {c} = {literal(label)}")
            outcome.facts.append(
                DataQualityFact(
                    rule="r15",
                    kind="total_rows",
                    column=column.name,
                    statement=(
                        f"{rows_words(rows)} with {column.name} {cell(label)!r} hold the total of the others: their "
                        f"{measure} is the sum of the rest within 1%. They are left out, or all would count twice."
                    ),
                    directive=FilterRows(predicate=Filter(column=column.name, op="ne", values=(label,))),
                    status="suspected",
                    n=scan.rows,
                    claim=quality_claim("total_rows", column.name, number=rows, unit="rows", text=label),
                    sql=[
                        f"SELECT {c} = {literal(label)} AS is_total, sum({ident(measure)}) AS total FROM analysis "
                        f"GROUP BY 1"
                    ],
                )
            )
    return outcome


def _agreeing_measure(scan: Scan, c: str, label: str) -> str | None:
    """A measure whose sum under the label is the sum of all other rows."""
    if not scan.measures:
        return None
    sums = ", ".join(
        f"sum({m}) FILTER ({c} = {literal(label)})::DOUBLE, sum({m}) FILTER ({c} <> {literal(label)})::DOUBLE"
        for m in (ident(x.name) for x in scan.measures)
    )
    row = scan.one(f"SELECT {sums} FROM analysis")
    for i, measure in enumerate(scan.measures):
        total, rest = row[2 * i], row[2 * i + 1]
        if total and rest and abs(total - rest) <= _TOLERANCE * abs(rest):
            return measure.name
    return None


DETECTOR = Detector("r15", "total_rows", _run)
