"""A total that is repeated on every row of its record: an order total on each order line.

Summing such a column over rows counts it once per line. Only amounts of a record qualify. A price or an age is constant
within a product or a customer too, but it describes the thing and is not a part of a total. Amounts that a join brought
in from another table repeat by construction; for others the rows have to show it.
"""

from __future__ import annotations

import re

from datasets.quality._detector import DataQualityFact, Detector, Outcome, Power, quality_claim
from datasets.quality._keys import looks_like_id
from datasets.quality._scan import Scan
from datasets.quality._words import rows_words
from datasets.schema import Column
from datasets.sql import ident

_MINIMUM_KEYS = 10
_SEVERAL_ROWS_AT_LEAST = 0.3
_MOST_ROWS_PER_KEY = 100.0
_VARIES_AT_LEAST = 0.3
_MOST_KEYS_TRIED = 4
_NOT_ADDITIVE = re.compile(
    r"(^|[_\s])(price|rate|ratio|pct|percent|percentage|share|age|year|month|day|week|hour|quarter|lat|latitude|lon|lng|"
    r"longitude|score|rating|rank|level|index|temp|temperature|height|weight|width|length|tenure|zip|postal|phone|"
    r"code|prob|probability|avg|average|mean|median|min|max|std|per)([_\s]|$)",
    re.IGNORECASE,
)
_PERIOD = re.compile(r"(^|_)(year|month|quarter|week|period|season|date|day|time)(_|$)", re.IGNORECASE)


def _run(scan: Scan) -> Outcome:
    measures = [c for c in scan.card.by_role("measure") if _may_add_up(c)]
    brought = [c for c in scan.card.by_role("measure", "dimension") if c.looked_up_by and _may_add_up(c)]
    facts = [_fact(scan, _key(scan, c), c) for c in brought if _shared(_key(scan, c))]
    powered = [Power("repeated_value", fact.column) for fact in facts]
    claimed = {fact.column for fact in facts}
    for key in _record_keys(scan):
        open_measures = [c for c in measures if c.name not in claimed and c.name != key.name]
        if not open_measures:
            break
        looked, constant = _constant_within(scan, key, open_measures)
        if not looked:
            continue
        powered += [Power("repeated_value", c.name) for c in open_measures]
        for column in constant:
            if not _explained_by_a_group(scan, key, column):
                facts.append(_fact(scan, key, column))
                claimed.add(column.name)
    return Outcome(facts=facts, powered=powered)


def _may_add_up(column: Column) -> bool:
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", column.name)
    return column.numeric and column.distinct > 2 and not _NOT_ADDITIVE.search(words) and column.unit != "%"


def _shared(key: Column) -> bool:
    return 0 < key.distinct < key.rows - key.nulls


def _key(scan: Scan, column: Column) -> Column:
    """The key by which a column was looked up in another table."""
    return scan.card.column(column.looked_up_by or column.name)


def _record_keys(scan: Scan) -> list[Column]:
    """Identifiers that several rows share, the finest first."""
    keys = [
        c
        for c in scan.card.columns
        if looks_like_id(c)
        and c.distinct >= _MINIMUM_KEYS
        and 1.2 * c.distinct <= c.rows - c.nulls <= _MOST_ROWS_PER_KEY * c.distinct
    ]
    return sorted(keys, key=lambda c: -c.distinct)[:_MOST_KEYS_TRIED]


def _constant_within(scan: Scan, key: Column, measures: list[Column]) -> tuple[bool, list[Column]]:
    """Measures with one value in every key. The first part is False where the key is not that of one event.

    The rows of one event happen on one day and differ in something; those of a customer or product share no day.
    """
    k = ident(key.name)
    names = [ident(c.name) for c in measures]
    inner = [
        f"min({m}) IS DISTINCT FROM max({m}) OR (count({m}) > 0 AND count({m}) < count(*)) AS v{i}"
        for i, m in enumerate(names)
    ]
    others = [ident(c.name) for c in scan.card.columns if c.name != key.name and c.role not in {"constant", "empty"}]
    table = (
        f"SELECT count(*) AS n, {_days_apart(scan, key)} AS days, count(DISTINCT hash({', '.join(others)})) AS kinds, "
        f"{', '.join(inner)} FROM analysis WHERE {k} IS NOT NULL GROUP BY {k}"
    )
    flags = ", ".join(f"count(*) FILTER (v{i})" for i in range(len(names)))
    keys, several, apart, varied, *changed = scan.one(
        f"SELECT count(*), count(*) FILTER (n > 1), count(*) FILTER (n > 1 AND days > 1), "
        f"count(*) FILTER (n > 1 AND kinds > 1), {flags} "
        f"FROM ({table})"
    )
    if several < _MINIMUM_KEYS or several < _SEVERAL_ROWS_AT_LEAST * keys:
        return False, []
    if apart > 0.05 * several or varied < 0.5 * several:
        return False, []
    return True, [
        column
        for column, broken in zip(measures, changed, strict=True)
        if broken == 0 and column.distinct >= _VARIES_AT_LEAST * keys
    ]


def _days_apart(scan: Scan, key: Column) -> str:
    """SQL for the days between the rows of one key; a year or month in a column of its own counts as far apart."""
    columns = [c for c in scan.card.columns if c.name != key.name and c.role not in {"constant", "empty"}]
    times = [c for c in columns if c.temporal]
    if scan.time or times:
        t = ident((scan.time or times[0]).name)
        return f"max({t}::DATE) - min({t}::DATE)"
    periods = [ident(c.name) for c in columns if _PERIOD.search(c.name)]
    return f"CASE WHEN min({periods[0]}) = max({periods[0]}) THEN 0 ELSE 365 END" if periods else "0"


def _explained_by_a_group(scan: Scan, key: Column, column: Column) -> bool:
    """Whether a coarser column (region, product) already fixes the value: then it is a rate of that group."""
    x = ident(column.name)
    for group in scan.card.columns:
        if group.name in {key.name, column.name} or group.numeric or group.temporal or group.nulls:
            continue
        if column.distinct <= group.distinct < 0.9 * key.distinct:
            g = ident(group.name)
            (broken,) = scan.one(
                f"SELECT count(*) FROM (SELECT 1 FROM analysis GROUP BY {g} HAVING min({x}) IS DISTINCT FROM max({x}))"
            )
            if broken == 0:
                return True
    return False


def _fact(scan: Scan, key: Column, column: Column) -> DataQualityFact:
    k, x = ident(key.name), ident(column.name)
    present = key.rows - key.nulls
    return DataQualityFact(
        rule="repeated_value",
        kind="repeated_value",
        column=column.name,
        statement=(
            f"{column.name} is the same on every row of one {key.name} ({key.distinct:,} {key.name} values on "
            f"{rows_words(present)}): it belongs to the {key.name}, not to the row. "
            f"Sums and averages of it count each {key.name} once."
        ),
        status="measured",
        n=scan.rows,
        claim=quality_claim(
            "repeated_value", column.name, number=present / key.distinct, unit="rows per value", against=key.name
        ),
        sql=[
            f"SELECT sum({x}) AS once_per_key FROM (SELECT {k}, any_value({x}) AS {x} FROM analysis "
            f"WHERE {k} IS NOT NULL GROUP BY {k})",
            f"SELECT sum({x}) AS once_per_row FROM analysis",
        ],
    )


DETECTOR = Detector("repeated_value", "repeated_value", _run)
