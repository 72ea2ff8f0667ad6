"""Several tables become one: the table of events, joined to the tables whose key it holds."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import duckdb

from datasets.errors import DatasetError
from datasets.loading.layout import ROW, unique_names
from datasets.plain import counted
from datasets.sql import ident

_KEY_NAME = re.compile(r"(?i)(^|[_\W])(id|uuid|key|code|no|nr|number|sku|email)$|(?-i:[a-z](Id|ID|Key|Code|No)$)")
_NO_KEY = re.compile(
    r"(?i)^Unnamed: |^(row|rows|line|record|index|idx|seq|n|i|#)$|date|time|name|amount|price|qty|value"
)
_ENDING = re.compile(r"(?i)(\.(csv|tsv|tab|txt|psv|parquet|pq|json|jsonl|ndjson|gz|bz2|xz|zst|zip|xls[xmb]?|ods))+$")
_BARE = frozenset({"id", "key", "code"})
"""A key of this name is another one in every table: only the name of the table tells which."""
_FOUND_AT_LEAST = 0.9
_MOST_COLUMNS = 1_000


@dataclass(frozen=True)
class StoredTable:
    """A typed table of the store: its name in the source, its name in the store, its columns and rows."""

    name: str
    table: str
    columns: tuple[str, ...]
    rows: int


class Link(NamedTuple):
    """Column `child_column` of one table holds the key `parent_column` of another."""

    child: StoredTable
    child_column: str
    parent: StoredTable
    parent_column: str
    found_0_1: float
    unused: int
    """Rows of the parent that no row of the child refers to: a join from the child does not bring them in."""


class Combined(NamedTuple):
    """What table `data` was made of.

    `origin`: for each of its columns the (table, column) it comes from · `looked_up`: columns of joined tables, each
    with the column of `data` that holds the key it was joined on.
    """

    main: StoredTable
    names: tuple[str, ...]
    origin: tuple[tuple[str, str], ...]
    looked_up: dict[str, str]
    notes: tuple[str, ...]


def combine(con: duckdb.DuckDBPyConnection, tables: Sequence[StoredTable], target: str, chosen: str | None) -> Combined:
    """Write `store.{target}`: the main table with every row once, and the columns of the tables it refers to.

    The main table is the one that refers to most others, directly or through them; of equals the longest. No join adds
    or drops a row: only keys that are unique are joined on.

    :raises DatasetError: when no table has the `chosen` name.
    """
    links = _links(con, tables)
    main = _chosen(tables, chosen) if chosen else max(tables, key=lambda t: (len(_joined(t, links)), t.rows))
    joined = _joined(main, links)
    sources = [(main, c) for c in main.columns]
    for link in joined:
        sources += [(link.parent, c) for c in link.parent.columns if c != link.parent_column]
    sources = sources[:_MOST_COLUMNS]
    taken = {c.casefold() for c in main.columns}
    plain = [t is main or (c.casefold() not in taken and _once(c, sources)) for t, c in sources]
    wanted = [c if own else f"{stem(t.name)}.{c}" for own, (t, c) in zip(plain, sources, strict=True)]
    names, _ = unique_names(wanted)
    alias = {t.table: f"a{i}" for i, t in enumerate(tables)}
    cells = ", ".join(f"{alias[t.table]}.{ident(c)} AS {ident(n)}" for (t, c), n in zip(sources, names, strict=True))
    joins = " ".join(
        f"LEFT JOIN store.{j.parent.table} {alias[j.parent.table]} ON"
        f" {alias[j.child.table]}.{ident(j.child_column)}::VARCHAR"
        f" = {alias[j.parent.table]}.{ident(j.parent_column)}::VARCHAR"
        for j in joined
    )
    m = alias[main.table]
    con.execute(
        f"CREATE TABLE store.{target} AS SELECT {m}.{ident(ROW)}, {cells} FROM store.{main.table} {m} {joins}"
        f" ORDER BY {m}.{ident(ROW)}"
    )
    name_of = {(t.table, c): name for (t, c), name in zip(sources, names, strict=True)}
    key_of = {j.parent.table: name_of.get((j.child.table, j.child_column)) for j in joined}
    looked_up = {name: key for (table, _), name in name_of.items() if (key := key_of.get(table))}
    return Combined(main, names, tuple((t.name, c) for t, c in sources), looked_up, _notes(main, joined, tables))


def _once(column: str, sources: Sequence[tuple[StoredTable, str]]) -> bool:
    return sum(c.casefold() == column.casefold() for _, c in sources) == 1


def _chosen(tables: Sequence[StoredTable], name: str) -> StoredTable:
    for table in tables:
        if name in {table.name, stem(table.name)}:
            return table
    known = ", ".join(repr(t.name) for t in tables[:20])
    raise DatasetError(f"no table {name!r} in this dataset; it has: {known}")


def stem(name: str) -> str:
    """The name of a file without folders and extensions; of a sheet or a table the name itself."""
    last = name.rsplit("/", 1)[-1]
    return _ENDING.sub("", last) or last


def _links(con: duckdb.DuckDBPyConnection, tables: Sequence[StoredTable]) -> list[Link]:
    links: list[Link] = []
    for parent in tables:
        keys = _unique_columns(con, parent)
        found = (_best_link(con, child, parent, keys) for child in tables if child is not parent)
        links += filter(None, found)
    return links


def _unique_columns(con: duckdb.DuckDBPyConnection, table: StoredTable) -> list[str]:
    """Columns that tell the rows of a table apart, none of them empty, and that are no mere row number."""
    able = [c for c in table.columns if not _NO_KEY.search(c) or _KEY_NAME.search(c)]
    if table.rows < 2 or not able:
        return []
    counts = ", ".join(f"count(DISTINCT {ident(c)}::VARCHAR)" for c in able)
    row = con.execute(f"SELECT {counts} FROM store.{table.table}").fetchone() or ()
    return [c for c, n in zip(able, row, strict=True) if n == table.rows]


def _best_link(
    con: duckdb.DuckDBPyConnection, child: StoredTable, parent: StoredTable, keys: Sequence[str]
) -> Link | None:
    found: list[Link] = []
    for key in keys:
        for column in child.columns:
            if not _same_thing(column, key, parent):
                continue
            c, k = ident(column), ident(key)
            row = con.execute(
                f"SELECT count(*), count(DISTINCT x),"
                f" count(*) FILTER (x IN (SELECT {k}::VARCHAR FROM store.{parent.table})),"
                f" count(DISTINCT x) FILTER (x IN (SELECT {k}::VARCHAR FROM store.{parent.table}))"
                f" FROM (SELECT {c}::VARCHAR AS x FROM store.{child.table} WHERE {c} IS NOT NULL)"
            ).fetchone()
            if row is None or row[0] == 0 or row[2] < _FOUND_AT_LEAST * row[0]:
                continue
            one_to_one = row[1] == child.rows
            if one_to_one and (child.rows < parent.rows or not _KEY_NAME.search(key)):
                continue
            found.append(Link(child, column, parent, key, row[2] / row[0], parent.rows - row[3]))
    return max(found, key=lambda x: (x.found_0_1, bool(_KEY_NAME.search(x.parent_column))), default=None)


def _same_thing(column: str, key: str, parent: StoredTable) -> bool:
    """Same name, or `customer_id` for the `id` of customers."""
    if column.casefold() == key.casefold():
        return key.casefold() not in _BARE
    if key.casefold() not in _BARE:
        return False
    singular = stem(parent.name).casefold().rstrip("s")
    whole = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", column).casefold()
    return whole in {f"{singular}_{key.casefold()}", f"{singular}s_{key.casefold()}", f"{singular}{key.casefold()}"}


def _joined(main: StoredTable, links: Sequence[Link]) -> list[Link]:
    """The links to follow from the main table, each parent once, the surest first."""
    reached = [main.table]
    taken: list[Link] = []
    while True:
        open_links = [x for x in links if x.child.table in reached and x.parent.table not in reached]
        if not open_links:
            return taken
        best = max(open_links, key=lambda x: (-reached.index(x.child.table), x.found_0_1))
        taken.append(best)
        reached.append(best.parent.table)


def _notes(main: StoredTable, joined: Sequence[Link], tables: Sequence[StoredTable]) -> tuple[str, ...]:
    notes = [f"{counted(len(tables), 'table')}: {main.name!r} ({counted(main.rows, 'row')}) is analysed"]
    for link in joined:
        share = "" if link.found_0_1 == 1 else f"; {100 * (1 - link.found_0_1):.2g}% of its values are not found there"
        if link.unused:
            share += f"; {counted(link.unused, 'row')} of {link.parent.name!r} that nothing refers to left out"
        notes.append(
            f"joined with {link.parent.name!r} ({counted(link.parent.rows, 'row')}): {link.child_column!r} of"
            f" {link.child.name!r} is its key {link.parent_column!r}{share}"
        )
    rest = [t for t in tables if t is not main and t.table not in {x.parent.table for x in joined}]
    if rest:
        listed = ", ".join(f"{t.name!r} ({counted(t.rows, 'row')})" for t in rest[:10])
        notes.append(f"not joined, as no key leads there: {listed}")
    return tuple(notes)
