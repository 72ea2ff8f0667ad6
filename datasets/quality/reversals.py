"""r24: negative amounts that take back positive ones: refunds and reversals. Net or gross is a choice."""

from __future__ import annotations

from datasets.quality._detector import DataQualityFact, Detector, Outcome, quality_claim
from datasets.quality._keys import looks_like_id
from datasets.quality._scan import Scan
from datasets.quality._words import percent, rows_words
from datasets.schema import Column
from datasets.sql import ident

_FROM, _TO = 0.001, 0.3
_MINIMUM_ROWS = 100
_MINIMUM_NEGATIVE = 5
_MATCHED = 0.6
_MINIMUM_VALUES = 50
_MORE_THAN_CHANCE = 4.0
_RARELY_EQUAL = 0.7
"""Without an identifier, equal amounts mean something only where amounts are rarely equal."""


def _run(scan: Scan) -> Outcome:
    facts = []
    ids = [c for c in scan.card.columns if looks_like_id(c) and not c.nulls and c.distinct < 0.98 * c.rows][:3]
    for column in scan.measures:
        present = column.rows - column.nulls
        if present < _MINIMUM_ROWS or column.distinct < _MINIMUM_VALUES or float(column.minimum or 0) >= 0:
            continue
        c = ident(column.name)
        (negative,) = scan.one(f"SELECT count(*) FILTER ({c} < 0) FROM analysis")
        if negative < _MINIMUM_NEGATIVE or not _FROM <= negative / present <= _TO:
            continue
        sql = _matching(c, ids)
        matched, by_chance = scan.one(sql)
        chance = matched < _MORE_THAN_CHANCE * (by_chance + 1) or column.distinct < _RARELY_EQUAL * present
        if matched < _MATCHED * negative or (not ids and chance):
            continue
        facts.append(
            DataQualityFact(
                rule="r24",
                kind="reversals",
                column=column.name,
                statement=(
                    f"{negative:,} of {rows_words(present)} ({percent(negative / present)}) have a negative "
                    f"{column.name}, {matched:,} of them the amount of a positive row taken back. "
                    f"Totals are net of them."
                ),
                status="suspected",
                n=present,
                claim=quality_claim("reversals", column.name, number=negative, unit="rows"),
                sql=[sql],
                informational=True,
            )
        )
    return Outcome(facts=facts)


def _matching(c: str, ids: list[Column]) -> str:
    """SQL: negative rows whose opposite stands in a positive row (of the same id); and in none but half a cent off."""
    keys = [ident(i.name) for i in ids]
    same = "".join(f" AND p.{k} = n.{k}" for k in keys[:1])
    chosen = ", ".join([f"{c} AS v", *keys[:1]])
    found = f"EXISTS (SELECT 1 FROM positive p WHERE p.v = -n.v{same})"
    near = f"EXISTS (SELECT 1 FROM positive p WHERE p.v = round(-n.v::DOUBLE * 1.0137, 2){same})"
    return (
        f"WITH positive AS (SELECT {chosen} FROM analysis WHERE {c} > 0) "
        f"SELECT count(*) FILTER ({found}), count(*) FILTER ({near}) "
        f"FROM (SELECT {chosen} FROM analysis WHERE {c} < 0) n"
    )


DETECTOR = Detector("r24", "reversals", _run)
