"""Tables whose columns are periods become tables with a row for each period, so that time is a column."""

import re
from collections.abc import Sequence
from dataclasses import replace

import duckdb

from datasets.loading.delimited import RawTable
from datasets.loading.layout import unique_names
from datasets.loading.numbers import NUMERIC, class_sql
from datasets.loading.periods import Periods, periods_among
from datasets.loading.reading import trimmed
from datasets.loading.stacking import SOURCE, named_as_deliveries
from datasets.plain import counted
from datasets.sql import literal, literals

_MOST_ROWS = 20_000_000
_JUDGED_ROWS = 2_000
_NUMBERS_0_1 = 0.9
_MEASURE = "value"
_SERIES = re.compile(r"(?i)(^|[^a-z])(indicator|series|variable|metric|measure|kpi|item|subject)s?($|[^a-z])")
_SUM = re.compile(r"(?i)(grand |row |year(ly)? )?(total|sum)s?|ytd|summe|gesamt(summe)?|jahr|somme")


def unpivoted(con: duckdb.DuckDBPyConnection, table: RawTable) -> RawTable:
    """Give relation `raw` a row for each record and period where its columns are periods; else leave both as they are.

    Every record has as many rows as there are periods, those of empty cells among them. Only columns of numbers count:
    under names such as 2019 and 2020 words and dates say something else.
    """
    periods = periods_among(table.names)
    if periods is None or not _numbers(con, periods):
        return table
    others = [i for i in range(len(table.names)) if i not in periods.positions]
    sums = [i for i in others if len(periods.places) == 1 and _is_sum(con, table.names[i], i, periods)]
    others = [i for i in others if i not in sums]
    if not others:
        return table
    row = con.execute("SELECT count(*) FROM raw").fetchone()
    rows = (row[0] if row else 0) * len(periods.labels)
    kind = "month" if periods.kind == "month of the year" else periods.kind
    first, last = (table.names[p] for p in (min(periods.positions), max(periods.positions)))
    what = f"{counted(len(periods.positions), 'column')} are {kind}s ({first!r} to {last!r})"
    if rows > _MOST_ROWS:
        note = f"{what}; they stay columns, as a row for each would make {rows:,} rows"
        return replace(table, notes=[*table.notes, note])
    measures = [name or _MEASURE for name in periods.places]
    names, _ = unique_names([*(table.names[i] for i in others), kind, *measures])
    key = _key(con, others)
    cells = [f"c{p} AS c{i}" for i, p in enumerate(others)]
    cells.append(f"unnest([{', '.join(map(literal, periods.labels))}]) AS c{len(others)}")
    cells += [
        f"unnest([{', '.join(f'c{p}' for p in places)}]) AS c{len(others) + 1 + i}"
        for i, places in enumerate(periods.places.values())
    ]
    con.execute("ALTER TABLE raw RENAME TO wide")
    con.execute(f"CREATE TABLE raw AS SELECT {', '.join(cells)} FROM wide ORDER BY wide.rowid")
    con.execute("DROP TABLE wide")
    held = ", ".join(repr(name) for name in names[len(others) + 1 :])
    note = (
        f"{what}: each record became {counted(len(periods.labels), 'row')}, with the {kind} in"
        f" {names[len(others)]!r} and the cell in {held}"
    )
    left = [f"{table.names[i]!r} left out: it is the sum of the {kind}s" for i in sums]
    looked_up = {} if key is None else {names[i]: names[key] for i in range(len(others)) if i != key}
    beyond = [(row * len(periods.labels), text) for row, text in table.beyond]
    return RawTable(
        names,
        [*table.notes, note, *left],
        table.header,
        table.aside,
        beyond,
        looked_up,
        _mixed(con, names[: len(others)], names[-1]),
    )


def _mixed(con: duckdb.DuckDBPyConnection, names: Sequence[str], value: str) -> tuple[str, ...]:
    """Say so where the records are of several indicators: people and dollars in one column cannot be added."""
    for i, name in enumerate(names):
        if not _SERIES.search(name) and name != SOURCE:
            continue
        found = con.execute(
            f"SELECT DISTINCT {trimmed(f'c{i}')} AS v FROM raw WHERE v IS NOT NULL LIMIT 1000"
        ).fetchall()
        things = [str(v) for (v,) in found]
        if len(things) > 1 and not (name == SOURCE and named_as_deliveries(things)):
            return (f"{value!r} holds {len(things):,} different things, told apart by {name!r}: ask about one of them",)
    return ()


def _numbers(con: duckdb.DuckDBPyConnection, periods: Periods) -> bool:
    """Whether the cells below the periods are numbers, as far as they are filled."""
    cells = ", ".join(trimmed(f"c{i}") for i in sorted(periods.positions))
    row = con.execute(
        f"SELECT count(*) FILTER (class <> 'missing'), count(*) FILTER (class IN {literals(sorted(NUMERIC))})"
        f" FROM (SELECT {class_sql('v')} AS class FROM"
        f" (SELECT unnest([{cells}]) AS v FROM (SELECT * FROM raw LIMIT {_JUDGED_ROWS})) WHERE v IS NOT NULL)"
    ).fetchone()
    return row is not None and row[0] > 0 and row[1] >= _NUMBERS_0_1 * row[0]


def _is_sum(con: duckdb.DuckDBPyConnection, name: str, at: int, periods: Periods) -> bool:
    """Whether a column called a total is, in every record, the sum of the periods."""
    if not _SUM.fullmatch(name.strip()):
        return False
    (places,) = periods.places.values()
    total, *parts = (f"coalesce(TRY_CAST(replace({trimmed(f'c{i}')}, ',', '') AS DOUBLE), 0)" for i in (at, *places))
    added = " + ".join(parts)
    row = con.execute(f"SELECT bool_and(abs({total} - ({added})) <= 0.001 * abs({total}) + 0.01) FROM raw").fetchone()
    return bool(row and row[0])


def _key(con: duckdb.DuckDBPyConnection, others: Sequence[int]) -> int | None:
    """Which of the other columns tells the records apart, by its place among them: words rather than numbers."""
    counts = ", ".join(
        f"count(DISTINCT c{i}) = count(*), count(TRY_CAST({trimmed(f'c{i}')} AS DOUBLE)) = 0" for i in others
    )
    row = con.execute(f"SELECT {counts} FROM raw").fetchone() or ()
    unique = [n for n in range(len(others)) if row[2 * n]]
    return next((n for n in unique if row[2 * n + 1]), next(iter(unique), None))
