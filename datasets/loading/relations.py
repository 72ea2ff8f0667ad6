"""Several tables become one: the table of events, joined to the tables whose key it holds."""

from collections.abc import Sequence
from typing import NamedTuple

import duckdb

from datasets.errors import DatasetError
from datasets.loading.layout import ROW, unique_names
from datasets.loading.links import Link, StoredTable, find_links, stem
from datasets.plain import counted
from datasets.sql import ident

_MOST_COLUMNS = 1_000


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
    every = find_links(con, tables)
    links = [x for x in every if x.sure]
    main = _chosen(tables, chosen) if chosen else max(tables, key=lambda t: (len(_joined(t, links)), t.rows))
    joined = _joined(main, links)
    sources = [(main, c) for c in main.columns]
    for link in joined:
        sources += [(link.parent, c) for c in link.parent.columns if c not in link.parent_columns]
    sources = sources[:_MOST_COLUMNS]
    taken = {c.casefold() for c in main.columns}
    plain = [t is main or (c.casefold() not in taken and _once(c, sources)) for t, c in sources]
    wanted = [c if own else f"{stem(t.name)}.{c}" for own, (t, c) in zip(plain, sources, strict=True)]
    composed = [j for j in joined if len(j.child_columns) > 1 and j.repeats]
    names, _ = unique_names([*wanted, *(f"{' + '.join(j.child_columns)} key" for j in composed)])
    alias = {t.table: f"a{i}" for i, t in enumerate(tables)}
    cells = ", ".join(f"{alias[t.table]}.{ident(c)} AS {ident(n)}" for (t, c), n in zip(sources, names, strict=False))
    for j, name in zip(composed, names[len(sources) :], strict=True):
        cells += f", {_text_of(alias[j.child.table], j.child_columns)} AS {ident(name)}"
    joins = " ".join(
        f"LEFT JOIN store.{j.parent.table} {alias[j.parent.table]} ON"
        + " AND ".join(
            f" {alias[j.child.table]}.{ident(c)}::VARCHAR = {alias[j.parent.table]}.{ident(k)}::VARCHAR"
            for c, k in zip(j.child_columns, j.parent_columns, strict=True)
        )
        for j in joined
    )
    m = alias[main.table]
    con.execute(
        f"CREATE TABLE store.{target} AS SELECT {m}.{ident(ROW)}, {cells} FROM store.{main.table} {m} {joins}"
        f" ORDER BY {m}.{ident(ROW)}"
    )
    name_of = {(t.table, c): name for (t, c), name in zip(sources, names, strict=False)}
    key_of: dict[str, str | None] = {}
    for j in joined:  # a child comes before its parents
        alone = len(j.child_columns) == 1
        key_of[j.parent.table] = (
            name_of.get((j.child.table, j.child_columns[0])) if alone else key_of.get(j.child.table)
        )
    key_of |= {j.parent.table: name for j, name in zip(composed, names[len(sources) :], strict=True)}
    looked_up = {name: key for (table, _), name in name_of.items() if (key := key_of.get(table))}
    origin = (*((t.name, c) for t, c in sources), *(("", name) for name in names[len(sources) :]))
    return Combined(main, names, origin, looked_up, _notes(main, joined, tables, every))


def _text_of(alias: str, columns: Sequence[str]) -> str:
    """SQL expression: a key of several columns as one text; NULL where a part is missing."""
    return " || '/' || ".join(f"{alias}.{ident(c)}::VARCHAR" for c in columns)


def _once(column: str, sources: Sequence[tuple[StoredTable, str]]) -> bool:
    return sum(c.casefold() == column.casefold() for _, c in sources) == 1


def _chosen(tables: Sequence[StoredTable], name: str) -> StoredTable:
    for table in tables:
        if name in {table.name, stem(table.name)}:
            return table
    known = ", ".join(repr(t.name) for t in tables[:20])
    raise DatasetError(f"no table {name!r} in this dataset; it has: {known}")


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


def _notes(
    main: StoredTable, joined: Sequence[Link], tables: Sequence[StoredTable], links: Sequence[Link]
) -> tuple[str, ...]:
    notes = [f"{counted(len(tables), 'table')}: {main.name!r} ({counted(main.rows, 'row')}) is analysed"]
    for link in joined:
        share = _without(link)
        if link.unused:
            share += f"; {counted(link.unused, 'row')} of {link.parent.name!r} that nothing refers to left out"
        several = "are" if len(link.child_columns) > 1 else "is"
        notes.append(
            f"joined with {link.parent.name!r} ({counted(link.parent.rows, 'row')}): {_named(link.child_columns)} of"
            f" {link.child.name!r} {several} its key {_named(link.parent_columns)}{share}"
        )
    reached = {main.table, *(x.parent.table for x in joined)}
    rest = [t for t in tables if t.table not in reached]
    notes += [
        f"not joined with {x.parent.name!r} by {_named(x.child_columns)} of {x.child.name!r}{_without(x)}"
        for x in links
        if not x.sure and x.child.table in reached and x.parent in rest
    ]
    if rest:
        listed = ", ".join(f"{t.name!r} ({counted(t.rows, 'row')})" for t in rest[:10])
        notes.append(f"not joined, as no key leads there: {listed}")
    return tuple(notes)


def _without(link: Link) -> str:
    if not link.orphans:
        return ""
    share = f"{100 * (1 - link.found_0_1):.2g}% of its values are not found there"
    return f"; {counted(link.orphans, 'row')} without a match: {share}"


def _named(columns: Sequence[str]) -> str:
    return " + ".join(map(repr, columns))
