"""r21: a group that ends where another begins, with as many rows: probably the same group under a new name.

Not renamed: a season's product, a new store, groups of other size.
"""

from __future__ import annotations

from datetime import date, timedelta

from datasets.quality._detector import DataQualityFact, Detector, Outcome, Power, quality_claim
from datasets.quality._scan import Scan
from datasets.quality._words import cell
from datasets.sql import ident

_MOST_VALUES = 40
_MINIMUM_ROWS = 20
_MINIMUM_SPAN_DAYS = 28
_NEAR_DAYS = 3
_MARGIN = 0.1
_SAME_RATE = 0.2
_MOST_FACTS = 3


def _run(scan: Scan) -> Outcome:
    daily = scan.daily
    if daily is None or len(daily.rows) < _MINIMUM_SPAN_DAYS:
        return Outcome()
    outcome = Outcome()
    margin = timedelta(days=max(7, int(_MARGIN * len(daily.rows))))
    for column in scan.card.by_role("dimension"):
        if column.sql_type != "VARCHAR" or not 2 <= column.distinct <= _MOST_VALUES:
            continue
        outcome.powered.append(Power("renamed_category", column.name))
        c, t = ident(column.name), ident(daily.column)
        sql = (
            f"SELECT {c} AS value, min({t})::DATE AS first, max({t})::DATE AS last, count(*) AS rows FROM analysis "
            f"WHERE {c} IS NOT NULL AND {t} IS NOT NULL GROUP BY 1 HAVING count(*) >= {_MINIMUM_ROWS} ORDER BY 2, 1"
        )
        values = scan.all(sql)
        ended = [v for v in values if v[2] <= daily.last - margin and v[1] <= daily.first + margin]
        begun = [v for v in values if v[1] >= daily.first + margin and v[2] >= daily.last - margin]
        if 2 * max(len(ended), len(begun)) > len(values) and len(values) > 2:
            continue  # most groups come and go here
        for old in ended:
            heirs = [new for new in begun if abs((new[1] - old[2]).days) <= _NEAR_DAYS and _same_rate(old, new)]
            if len(heirs) != 1:
                continue
            (new,) = heirs
            outcome.facts.append(
                DataQualityFact(
                    rule="r21",
                    kind="renamed_category",
                    column=column.name,
                    statement=(
                        f"{column.name} {cell(old[0])!r} ends on {old[2].isoformat()}, where {cell(new[0])!r} begins "
                        f"({new[1].isoformat()}) with about as many rows a day; suspected new name of the same group."
                    ),
                    status="suspected",
                    n=scan.rows,
                    claim=quality_claim(
                        "renamed_category", column.name, text=f"{old[0]} → {new[0]}", against=str(old[0])
                    ),
                    sql=[sql],
                )
            )
    return Outcome(facts=outcome.facts[:_MOST_FACTS], powered=outcome.powered)


def _same_rate(old: tuple[str, date, date, int], new: tuple[str, date, date, int]) -> bool:
    before, after = (n / ((last - first).days + 1) for _, first, last, n in (old, new))
    return abs(after / before - 1) <= _SAME_RATE


DETECTOR = Detector("r21", "renamed_category", _run)
