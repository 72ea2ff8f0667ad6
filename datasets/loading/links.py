"""Which table refers to which: columns of one that hold the key of another."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import duckdb

from datasets.sql import ident

_KEY_NAME = re.compile(r"(?i)(^|[_\W])(id|uuid|key|code|no|nr|number|sku|email)$|(?-i:[a-z](Id|ID|Key|Code|No)$)")
_NO_KEY = re.compile(
    r"(?i)^Unnamed: |^(row|rows|line|record|index|idx|seq|n|i|#)$|date|time|name|amount|price|qty|value"
)
_NO_KEY_PART = re.compile(
    r"(?i)^Unnamed: |^source$|amount|price|qty|quantity|value|total|cost|revenue|sales$|note|text"
)
"""Columns that are no part of a key of several, where a date or the number of a line can be one."""
_DAY = re.compile(r"(?i)date|day|datum")
_ENDING = re.compile(r"(?i)(\.(csv|tsv|tab|txt|psv|parquet|pq|json|jsonl|ndjson|gz|bz2|xz|zst|zip|xls[xmb]?|ods))+$")
_BARE = frozenset({"id", "key", "code"})
"""A key of this name is another one in every table: only the name of the table tells which."""
_FOUND_AT_LEAST = 0.9
_NEARLY = 0.3
"""A table whose key holds fewer of the values than this is not the one that is meant."""
_FEWEST_DAYS = 5
_MOST_PARTS = 3
_MOST_SHARED = 8


@dataclass(frozen=True)
class StoredTable:
    """A typed table of the store: its name in the source, its name in the store, its columns and rows."""

    name: str
    table: str
    columns: tuple[str, ...]
    rows: int


class Link(NamedTuple):
    """Columns `child_columns` of one table hold the key `parent_columns` of another, part by part."""

    child: StoredTable
    child_columns: tuple[str, ...]
    parent: StoredTable
    parent_columns: tuple[str, ...]
    found_0_1: float
    orphans: int
    """Rows of the child whose key is not in the parent; rows without a key are not among them."""
    unused: int
    """Rows of the parent that no row of the child refers to: a join from the child does not bring them in."""
    repeats: bool
    """Whether several rows of the child refer to one of the parent."""

    @property
    def sure(self) -> bool:
        """Whether enough of the child is found to join on it."""
        return self.found_0_1 >= _FOUND_AT_LEAST


def stem(name: str) -> str:
    """The name of a file without folders and extensions; of a sheet or a table the name itself."""
    last = name.rsplit("/", 1)[-1]
    return _ENDING.sub("", last) or last


def find_links(con: duckdb.DuckDBPyConnection, tables: Sequence[StoredTable]) -> list[Link]:
    """The best link between each two tables, among them those not `sure`, which only tell why nothing was joined.

    A key of several columns is looked for where no single one leads from the child to the parent.
    """
    links: list[Link] = []
    for parent in tables:
        keys = _unique_columns(con, parent)
        known: dict[tuple[str, ...], bool] = {}
        if not any(map(_KEY_NAME.search, keys)):
            keys += _unique_days(con, parent)
        for child in tables:
            if child is parent:
                continue
            single = [x for key in keys for x in _by_one(con, child, parent, key)]
            found = single if any(x.sure for x in single) else [*single, *_by_several(con, child, parent, keys, known)]
            best = max(found, key=lambda x: (x.found_0_1, bool(_KEY_NAME.search(x.parent_columns[0]))), default=None)
            links += [best] if best else []
    return links


def _unique_columns(con: duckdb.DuckDBPyConnection, table: StoredTable) -> list[str]:
    """Columns that tell the rows of a table apart, none of them empty, and that are no mere row number."""
    able = [c for c in table.columns if not _NO_KEY.search(c) or _KEY_NAME.search(c)]
    if table.rows < 2 or not able:
        return []
    counts = ", ".join(f"count(DISTINCT {ident(c)}::VARCHAR)" for c in able)
    row = con.execute(f"SELECT {counts} FROM store.{table.table}").fetchone() or ()
    return [c for c, n in zip(able, row, strict=True) if n == table.rows]


def _unique_days(con: duckdb.DuckDBPyConnection, table: StoredTable) -> list[str]:
    """The column of days of a table with one row a day, such as the visits or the weather of each."""
    kinds = con.execute(f"DESCRIBE store.{table.table}").fetchall()
    days = [str(name) for name, kind, *_ in kinds if kind == "DATE"]
    return [c for c in days if table.rows >= _FEWEST_DAYS and _tells_apart(con, table, (c,))] if len(days) == 1 else []


def _by_one(con: duckdb.DuckDBPyConnection, child: StoredTable, parent: StoredTable, key: str) -> Iterator[Link]:
    for column in child.columns:
        link = _measured(con, child, (column,), parent, (key,)) if _same_thing(column, key, parent) else None
        if link and (link.repeats or (child.rows >= parent.rows and _KEY_NAME.search(key))):
            yield link


def _by_several(
    con: duckdb.DuckDBPyConnection,
    child: StoredTable,
    parent: StoredTable,
    keys: Sequence[str],
    known: dict[tuple[str, ...], bool],
) -> Iterator[Link]:
    """Links by the fewest columns of the same name that tell the rows of the parent apart together.

    :param keys: columns of the parent that do so alone; anything beside one of them would.
    :param known: which of its columns were found to do so together; added to.
    """
    if parent.rows < 2:
        return
    whole = {c.casefold(): c for c in child.columns}
    kinds = {str(r[0]): str(r[1]) for r in con.execute(f"DESCRIBE store.{parent.table}").fetchall()}
    shared = [
        c
        for c in parent.columns
        if c.casefold() in whole
        and c.casefold() not in _BARE
        and c not in keys
        and not _NO_KEY_PART.search(c)
        and kinds[c] not in {"DOUBLE", "FLOAT", "BOOLEAN"}
    ][:_MOST_SHARED]
    for size in range(2, _MOST_PARTS + 1):
        tried = list(combinations(shared, size))
        known.update({key: _tells_apart(con, parent, key) for key in tried if key not in known})
        unique = [key for key in tried if known[key]]
        for key in unique:
            link = _measured(con, child, tuple(whole[c.casefold()] for c in key), parent, key)
            if link and link.sure and (link.repeats or child.rows >= parent.rows):
                yield link
        if unique:
            return


def _tells_apart(con: duckdb.DuckDBPyConnection, table: StoredTable, key: Sequence[str]) -> bool:
    cells = ", ".join(map(ident, key))
    filled = " AND ".join(f"{ident(c)} IS NOT NULL" for c in key)
    row = con.execute(f"SELECT count(*) FROM (SELECT DISTINCT {cells} FROM store.{table.table} WHERE {filled})")
    return row.fetchone() == (table.rows,)


def _measured(
    con: duckdb.DuckDBPyConnection,
    child: StoredTable,
    columns: tuple[str, ...],
    parent: StoredTable,
    key: tuple[str, ...],
) -> Link | None:
    """The link by these columns; None where too few of the values are found for it to be meant."""
    value, known = (" || chr(31) || ".join(f"{ident(c)}::VARCHAR" for c in of) for of in (columns, key))
    row = con.execute(
        f"SELECT count(*), count(DISTINCT x), count(*) FILTER (f), count(DISTINCT x) FILTER (f) FROM"
        f" (SELECT x, x IN (SELECT {known} FROM store.{parent.table}) AS f"
        f" FROM (SELECT {value} AS x FROM store.{child.table}) WHERE x IS NOT NULL)"
    ).fetchone()
    if row is None or row[0] == 0 or row[2] < _NEARLY * row[0]:
        return None
    repeats = row[1] < child.rows
    return Link(child, columns, parent, key, row[2] / row[0], row[0] - row[2], parent.rows - row[3], repeats)


def _same_thing(column: str, key: str, parent: StoredTable) -> bool:
    """Same name, or `customer_id` for the `id` of customers."""
    if column.casefold() == key.casefold():
        return key.casefold() not in _BARE
    if key.casefold() not in _BARE:
        return False
    singular = stem(parent.name).casefold().rstrip("s")
    whole = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", column).casefold()
    return whole in {f"{singular}_{key.casefold()}", f"{singular}s_{key.casefold()}", f"{singular}{key.casefold()}"}
