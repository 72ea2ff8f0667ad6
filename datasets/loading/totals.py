"""Rows that sum up other rows: found by their label, believed only where the numbers agree, then set aside."""

import duckdb

from datasets.loading.columns import trimmed
from datasets.plain import counted
from datasets.sql import literal

_LABEL = (
    r"(?i)(grand[ -]?|sub[ -]?)?totals?\b.*|(?i).*\b(sub|grand )?total:?|(?i)(summe|gesamt|insgesamt|gesamtsumme)\b.*"
)
_MAX_SHARE = 0.5
_TOLERANCE = 0.001


def set_totals_aside(con: duckdb.DuckDBPyConnection, width: int) -> list[str]:
    """Move total and subtotal rows of table `raw` (c0, c1, ...) to table `store.totals`; notes say how many.

    A row is a total when a cell says so and at least one of its numbers is the sum, within 0.1 %, of the rows since the
    previous total or of all rows that are not totals, and no more of its numbers disagree than agree.
    """
    con.execute("CREATE OR REPLACE TABLE store.totals (row_number BIGINT, label VARCHAR)")
    labels = " OR ".join(f"regexp_full_match({trimmed(f'c{i}')}, {literal(_LABEL)})" for i in range(width))
    candidates = [int(r) for (r,) in con.execute(f"SELECT rowid FROM raw WHERE {labels} ORDER BY rowid").fetchall()]
    row = con.execute("SELECT count(*) FROM raw").fetchone()
    rows = int(row[0]) if row else 0
    if not candidates or len(candidates) > max(1, _MAX_SHARE * rows) or rows - len(candidates) < 2:
        return []
    listed = ", ".join(str(c) for c in candidates)
    numbers = [f"TRY_CAST(replace({trimmed(f'c{i}')}, ',', '') AS DOUBLE)" for i in range(width)]
    sums = ", ".join(f"sum({n})" for n in numbers)
    everything = con.execute(f"SELECT {sums} FROM raw WHERE rowid NOT IN ({listed})").fetchone() or ()
    confirmed: list[int] = []
    since = -1
    for candidate in candidates:
        values = con.execute(f"SELECT {', '.join(numbers)} FROM raw WHERE rowid = {candidate}").fetchone() or ()
        block = con.execute(
            f"SELECT {sums} FROM raw WHERE rowid > {since} AND rowid < {candidate} AND rowid NOT IN ({listed})"
        ).fetchone()
        if _adds_up(values, block or ()) or _adds_up(values, everything):
            confirmed.append(candidate)
        since = candidate
    if not confirmed:
        return []
    chosen = ", ".join(str(c) for c in confirmed)
    con.execute(
        f"INSERT INTO store.totals SELECT rowid, concat_ws(' | ', {', '.join(f'c{i}' for i in range(width))})"
        f" FROM raw WHERE rowid IN ({chosen})"
    )
    con.execute(f"DELETE FROM raw WHERE rowid IN ({chosen})")
    return [f"{counted(len(confirmed), 'total row')} set aside, the sums of other rows"]


def _adds_up(values: tuple[float | None, ...], sums: tuple[float | None, ...]) -> bool:
    agree = disagree = 0
    for value, total in zip(values, sums, strict=False):
        if value is None or total is None or (value == 0 and total == 0):
            continue
        if abs(value - total) <= _TOLERANCE * max(abs(value), abs(total)):
            agree += 1
        else:
            disagree += 1
    return agree > 0 and agree >= disagree
