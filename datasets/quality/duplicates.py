"""r13/r14: rows that repeat an earlier row exactly.

Only a key turns a repeat into a fault: tables without one (a survey, a list of measurements) repeat rows by nature. The
exception is a day on which every row stands an even number of times, twice as many as usual: it was loaded twice.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from datasets.directives import Dedupe
from datasets.plain import plain
from datasets.quality._detector import DataQualityFact, Detector, Outcome, Power, quality_claim
from datasets.quality._keys import record_key
from datasets.quality._scan import Daily, Scan
from datasets.quality._words import cell, listing, percent, rows_words
from datasets.sql import ident

_GROUPED = "(SELECT *, count(*) AS copies_of_row FROM analysis GROUP BY ALL HAVING count(*) > 1)"
_MOST_NAMED = 3
_SORTED_ROWS = 20_000_000
_DOUBLE_DAY_ROWS = 10
_DOUBLE_DAY_TIMES = 1.8
_DOUBLE_DAY_HISTORY = 14


class _Repeats(NamedTuple):
    records: int
    extra: int
    most: int
    sql: str


def _run(scan: Scan) -> Outcome:
    columns = [ident(c.name) for c in scan.card.columns if c.role not in {"constant", "empty"}]
    if len(columns) < 2:
        return Outcome()  # A list of values repeats by nature.
    daily = scan.daily
    powered = [Power("duplicates", None)]
    if daily:
        powered.append(Power("double_load", daily.column))
    repeats = _repeats(scan, columns)
    if repeats is None:
        return Outcome(powered=powered)
    key = record_key(scan, scan.rows - repeats.extra)
    facts = [_fact(scan, repeats, key)]
    if daily and key is None:
        facts += _double_loads(scan, daily)
    return Outcome(facts=facts, powered=powered)


def _repeats(scan: Scan, columns: list[str]) -> _Repeats | None:
    # Equal rows have equal hashes. That two different rows of a table share one of 2^64 is less likely than a fault of
    # the disk, and a record is shown to the reader before anything is done with it.
    hashed = f"hash({', '.join(columns)})"
    records = rows = most = 0
    parts = scan.rows // _SORTED_ROWS + 1
    for part in range(parts):
        # Sorting takes a sixth of the time of grouping, where nearly all rows differ.
        own = f" WHERE {hashed} % {parts} = {part}" if parts > 1 else ""
        hashes = np.sort(scan.view.numbers(f"SELECT {hashed} AS h FROM analysis{own}"))
        ends = np.flatnonzero(np.append(hashes[1:] != hashes[:-1], True))
        copies = np.diff(ends, prepend=-1)
        repeated = copies[copies > 1]
        records += len(repeated)
        rows += int(repeated.sum())
        most = max(most, int(repeated.max(initial=0)))
    grouped = f"SELECT {hashed} AS h, count(*) AS copies FROM analysis GROUP BY 1 HAVING count(*) > 1"
    sql = f"SELECT count(*) AS records, sum(copies) AS rows, max(copies) AS most FROM ({grouped})"
    return _Repeats(records, rows - records, most, sql) if records else None


def _fact(scan: Scan, repeats: _Repeats, key: tuple[str, ...] | None) -> DataQualityFact:
    extra, records = repeats.extra, repeats.records
    repeat = "repeats" if extra == 1 else "repeat"
    found = f"{extra:,} of {rows_words(scan.rows)} ({percent(extra / scan.rows)}) {repeat} an earlier row exactly"
    if records == 1 and repeats.most > 2:
        found += f"; one record alone stands there {repeats.most:,} times"
    if key is None:
        rest = "No column identifies a record, so they may be separate records that look alike; they are kept."
    else:
        rest = (
            f"Such rows share their {listing(key)}, which no two different rows do: the same "
            f"{'record' if records == 1 else 'records'} delivered more than once{_named(scan, records, key)}. "
            f"Each is counted once."
        )
    return DataQualityFact(
        rule="r14",
        kind="duplicates",
        statement=f"{found}. {rest}",
        directive=Dedupe() if key else None,
        status="measured",
        n=scan.rows,
        claim=quality_claim("duplicates", None, number=extra, unit="rows", text=", ".join(key) if key else None),
        sql=[repeats.sql],
        informational=key is None,
    )


def _named(scan: Scan, records: int, key: tuple[str, ...]) -> str:
    """The key values in parentheses where they are few."""
    if records > _MOST_NAMED:
        return ""
    columns = ", ".join(ident(name) for name in key)
    rows = scan.all(f"SELECT {columns} FROM {_GROUPED} ORDER BY ALL", limit_rows=_MOST_NAMED)
    return " (" + "; ".join(" / ".join(cell(plain(value)) for value in row) for row in rows) + ")"


def _double_loads(scan: Scan, daily: Daily) -> list[DataQualityFact]:
    usual = float(np.median(daily.rows[daily.rows > 0]))
    least = max(_DOUBLE_DAY_ROWS, int(np.ceil(_DOUBLE_DAY_TIMES * usual)))
    if len(daily.rows) < _DOUBLE_DAY_HISTORY or not (daily.rows >= least).any():
        return []
    t = ident(daily.column)
    sql = (
        f"SELECT {t}::DATE AS day, sum(copies_of_row) AS rows FROM "
        f"(SELECT *, count(*) AS copies_of_row FROM analysis WHERE {t} IS NOT NULL GROUP BY ALL) GROUP BY 1 "
        f"HAVING bool_and(copies_of_row % 2 = 0) AND sum(copies_of_row) >= {least} ORDER BY 1"
    )
    days = scan.all(sql, limit_rows=100_000)
    if not days:
        return []
    named = listing([day.isoformat() for day, _ in days], most=5)
    were = "was" if len(days) == 1 else "were"
    each = "" if len(days) == 1 else " on each"
    return [
        DataQualityFact(
            rule="r13",
            kind="double_load",
            column=daily.column,
            statement=(
                f"{named} {were} probably loaded twice: every row{each} stands there an even number of times, "
                f"{sum(int(rows) for _, rows in days):,} rows in all against about {usual:,.0f} a day usually."
            ),
            status="suspected",
            n=scan.rows,
            claim=quality_claim("double_load", daily.column, number=len(days), unit="days", text=named),
            sql=[sql],
        )
    ]


DETECTOR = Detector("r14", "duplicates", _run)
