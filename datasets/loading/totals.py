"""Rows that sum up other rows: found by their label, believed only where the numbers agree, then set aside."""

import re

import duckdb

from datasets.loading.reading import trimmed
from datasets.plain import counted
from datasets.sql import literal

_LABEL = (
    r"(?i)(grand[ -]?|sub[ -]?)?totals?\b.*|(?i).*\b(sub|grand )?total:?|(?i)(summe|gesamt|insgesamt|gesamtsumme)\b.*"
)
_AVERAGE = r"(?i:(overall |grand )?(average|mean|avg\.?)( .*)?|durchschnitt|mittelwert)"
_WORDS = ("total", "summe", "gesamt")
_LAST = 10
"""Averages stand below a table, so no more rows than these are searched for them."""
_BARE_LABEL = r"(?i)(grand |sub)?total:?|summe:?|gesamt:?|gesamtsumme:?"
_MAX_SHARE = 0.5
_FEW_ROWS = 2
_SUMS_AT_LEAST = 2
_TOLERANCE = 0.001


def set_totals_aside(con: duckdb.DuckDBPyConnection, width: int) -> list[str]:
    """Take total and subtotal rows out of table `raw` (c0, c1, ...); return each as text.

    A row is a total when a cell says so and at least one of its numbers is the sum, within 0.1 %, of the rows since the
    previous total or of all rows that are not totals, and no more of its numbers disagree than agree. Likewise a row of
    averages, whose numbers are those of all rows that are not totals. A row that holds
    nothing but the word (a total whose formulas were never worked out) is one as well.
    """
    row = con.execute("SELECT count(*), max(rowid) FROM raw").fetchone()
    rows, last = (int(row[0]), int(row[1])) if row and row[0] else (0, 0)
    candidates = _candidates(con, width, last)
    if not candidates and rows > _FEW_ROWS and _sums_up(con, width, last):
        candidates = [last]
    if not candidates or len(candidates) > max(1, _MAX_SHARE * rows) or rows - len(candidates) < 2:
        return []
    listed = ", ".join(str(c) for c in candidates)
    numbers = [f"TRY_CAST(replace({trimmed(f'c{i}')}, ',', '') AS DOUBLE)" for i in range(width)]
    sums = ", ".join(f"sum({n})" for n in numbers)
    averages = ", ".join(f"avg({n})" for n in numbers)
    everything = con.execute(f"SELECT {sums} FROM raw WHERE rowid NOT IN ({listed})").fetchone() or ()
    confirmed: list[int] = []
    since = -1
    for candidate in candidates:
        values = con.execute(f"SELECT {', '.join(numbers)} FROM raw WHERE rowid = {candidate}").fetchone() or ()
        block = con.execute(
            f"SELECT {sums} FROM raw WHERE rowid > {since} AND rowid < {candidate} AND rowid NOT IN ({listed})"
        ).fetchone()
        if _is_average(con, candidate, width):
            means = con.execute(f"SELECT {averages} FROM raw WHERE rowid NOT IN ({listed})").fetchone() or ()
            if _adds_up(values, means):
                confirmed.append(candidate)
        elif _adds_up(values, block or ()) or _adds_up(values, everything) or _bare(con, candidate, width):
            confirmed.append(candidate)
        since = candidate
    if not confirmed:
        return []
    chosen = ", ".join(str(c) for c in confirmed)
    text = f"concat_ws(' | ', {', '.join(f'c{i}' for i in range(width))})"
    return [str(t) for (t,) in con.execute(f"DELETE FROM raw WHERE rowid IN ({chosen}) RETURNING {text}").fetchall()]


def _candidates(con: duckdb.DuckDBPyConnection, width: int, last: int) -> list[int]:
    """Rows with a cell that names a total, and those of the last ones that name an average, in file order."""
    # A search for a word is many times faster than a pattern, and few cells hold one. The last rows are looked at by a
    # statement of their own, because a condition on row numbers beside the words has every pattern tried on every row.
    words = [" OR ".join(f"contains(lower(c{i}), {literal(word)})" for word in _WORDS) for i in range(width)]
    held = " OR ".join(f"({word})" for word in words)
    labels = " OR ".join(
        f"(({word}) AND regexp_full_match({trimmed(f'c{i}')}, {literal(f'{_LABEL}|{_AVERAGE}')}))"
        for i, word in enumerate(words)
    )
    found = con.execute(
        f"SELECT rowid FROM (SELECT rowid, * FROM raw WHERE {held}) WHERE {labels}"
        f" UNION SELECT rowid FROM raw WHERE rowid >= {last - _LAST} AND ({_says_average(width)}) ORDER BY rowid"
    )
    return [int(r) for (r,) in found.fetchall()]


def _sums_up(con: duckdb.DuckDBPyConnection, width: int, last: int) -> bool:
    """Whether the last row lacks the first cell, which all others have, and two or more of its numbers are their sums.

    So end exports that do not name their totals. A single sum that agrees is one by chance too often.
    """
    (first,) = con.execute(f"SELECT {trimmed('c0')} FROM raw WHERE rowid = {last}").fetchone() or (None,)
    if first is not None:
        return False
    numbers = [f"TRY_CAST(regexp_replace({trimmed(f'c{i}')}, '[,$€£₹ ]', '', 'g') AS DOUBLE)" for i in range(1, width)]
    sums = ", ".join(f"sum({n}) FILTER (rowid <> {last}), any_value({n}) FILTER (rowid = {last})" for n in numbers)
    row = con.execute(f"SELECT count(*) FILTER ({trimmed('c0')} IS NULL), {sums} FROM raw").fetchone() or (0,)
    pairs = list(zip(row[1::2], row[2::2], strict=True))
    agree = sum(_adds_up((value,), (total,)) for total, value in pairs)
    return row[0] == 1 and agree >= _SUMS_AT_LEAST and agree == sum(v is not None and v != 0 for _, v in pairs)


def told(rows: list[str]) -> list[str]:
    """What is said of the rows that were set aside."""
    if not rows:
        return []
    averages = sum(any(re.fullmatch(_AVERAGE, cell.strip()) for cell in row.split(" | ")) for row in rows)
    what = "the sums of other rows" if not averages else "the sums and averages of other rows"
    return [
        f"{counted(len(rows), 'total row')} set aside, {what if averages < len(rows) else 'averages of other rows'}"
    ]


def _is_average(con: duckdb.DuckDBPyConnection, row: int, width: int) -> bool:
    """Whether a cell of the row says that its numbers are averages."""
    found = con.execute(f"SELECT {_says_average(width)} FROM raw WHERE rowid = {row}").fetchone()
    return bool(found and found[0])


def _says_average(width: int) -> str:
    cells = (f"coalesce(regexp_full_match({trimmed(f'c{i}')}, {literal(_AVERAGE)}), false)" for i in range(width))
    return " OR ".join(cells)


def _bare(con: duckdb.DuckDBPyConnection, row: int, width: int) -> bool:
    if width < 3:
        return False
    cells = ", ".join(trimmed(f"c{i}") for i in range(width))
    found = con.execute(
        f"SELECT len(l) = 1 AND regexp_full_match(l[1], {literal(_BARE_LABEL)})"
        f" FROM (SELECT list_filter([{cells}], lambda x: x IS NOT NULL) AS l FROM raw WHERE rowid = {row})"
    ).fetchone()
    return bool(found and found[0])


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
