"""r13/r14: rows that repeat an earlier row exactly.

Only a key turns a repeat into a fault: tables without one (a survey, a list of measurements) repeat rows by nature.
"""

from __future__ import annotations

from datasets.directives import Dedupe
from datasets.quality._detector import DataQualityFact, Detector, Outcome, Power, quality_claim
from datasets.quality._keys import Key, record_key
from datasets.quality._scan import Scan
from datasets.quality._words import listing, percent, rows_words
from datasets.sql import ident

_GROUPED = "(SELECT *, count(*) AS copies_of_row FROM analysis GROUP BY ALL HAVING count(*) > 1)"


def _run(scan: Scan) -> Outcome:
    columns = [ident(c.name) for c in scan.card.columns]
    powered = [Power("duplicates", None)]
    # Equal rows have equal hashes, so as many hashes as rows prove that there is none; a collision is settled below.
    if not columns or scan.one(f"SELECT count(DISTINCT hash({', '.join(columns)})) FROM analysis")[0] == scan.rows:
        return Outcome(powered=powered)
    sql = f"SELECT count(*) AS repeated, sum(copies_of_row) AS rows, max(copies_of_row) AS most FROM {_GROUPED}"
    records, rows, most = scan.one(sql)
    if not records:
        return Outcome(powered=powered)
    extra = int(rows) - int(records)
    key = record_key(scan, scan.rows - extra)
    return Outcome(facts=[_fact(scan, extra, int(records), int(most), key, sql)], powered=powered)


def _fact(scan: Scan, extra: int, records: int, most: int, key: Key | None, sql: str) -> DataQualityFact:
    repeat = "repeats" if extra == 1 else "repeat"
    found = f"{extra:,} of {rows_words(scan.rows)} ({percent(extra / scan.rows)}) {repeat} an earlier row exactly"
    once = " (one record alone stands there {0:,} times)".format(most) if records == 1 and most > 2 else ""
    if key is None:
        rest = "No column identifies a record, so they may be separate records that look alike; they are kept."
    else:
        rest = (
            f"Such rows share their {listing(key.columns)}, which no two different rows do: the same "
            f"{'record' if records == 1 else 'records'} delivered more than once. Each is counted once."
        )
    return DataQualityFact(
        rule="r14",
        kind="duplicates",
        statement=f"{found}{once}. {rest}",
        directive=Dedupe() if key else None,
        status="measured",
        n=scan.rows,
        claim=quality_claim(
            "duplicates", None, number=extra, unit="rows", text=", ".join(key.columns) if key else None
        ),
        sql=[sql],
        informational=key is None,
    )


DETECTOR = Detector("r14", "duplicates", _run)
