"""Tables of one shape under each other: the sheets of twelve months, the files of a folder of exports."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import duckdb

from datasets.loading.delimited import RawTable
from datasets.loading.layout import unique_names
from datasets.loading.nested import TypedTable
from datasets.loading.relations import stem
from datasets.plain import counted
from datasets.sql import literal

SOURCE = "source"


@dataclass(frozen=True)
class Loaded:
    """A part that waits for its turn as table `raw_{number}`."""

    name: str
    table: RawTable | TypedTable
    number: int
    rows: int

    @property
    def shape(self) -> tuple[bool, frozenset[str]]:
        """Parts of the same shape are one table."""
        return isinstance(self.table, RawTable), frozenset(n.casefold() for n in self.table.names)


@dataclass
class Group:
    """Parts of one shape."""

    name: str
    members: list[Loaded]
    notes: list[str] = field(default_factory=list)

    def restored(self, con: duckdb.DuckDBPyConnection) -> RawTable | TypedTable:
        """Make the members relation `raw` again, under each other, with a column that names the source of a row."""
        first = self.members[0]
        drop_raw(con)
        if len(self.members) == 1:
            con.execute(f"ALTER TABLE raw_{first.number} RENAME TO raw")
            return first.table
        width = len(first.table.names)
        mixed = _mixed_types(self.members)
        selects = []
        for member in self.members:
            at = {n.casefold(): i for i, n in enumerate(member.table.names)}
            places = [at[n.casefold()] for n in first.table.names]
            cells = [f"c{p}::VARCHAR AS c{i}" if i in mixed else f"c{p} AS c{i}" for i, p in enumerate(places)]
            cells.append(f"{literal(stem(member.name))} AS c{width}")
            selects.append(f"SELECT {', '.join(cells)} FROM raw_{member.number}")
        con.execute(f"CREATE TABLE raw AS {' UNION ALL '.join(selects)}")
        for member in self.members:
            con.execute(f"DROP TABLE raw_{member.number}")
        names, _ = unique_names([*first.table.names, SOURCE])
        notes = list(dict.fromkeys(note for m in self.members for note in m.table.notes))
        aside = [row for m in self.members for row in m.table.aside]
        if isinstance(first.table, RawTable):
            return RawTable(names, notes, first.table.header, aside, self._beyond())
        kinds = ["VARCHAR" if i in mixed else kind for i, kind in enumerate(_widest(con, width))]
        return TypedTable(names, (*kinds, "VARCHAR"), notes, aside, first.table.inconsistent | mixed)

    def _beyond(self) -> list[tuple[int, str]]:
        beyond, before = [], 0
        for member in self.members:
            if isinstance(member.table, RawTable):
                beyond += [(before + row, text) for row, text in member.table.beyond]
            before += member.rows
        return beyond


def is_view(con: duckdb.DuckDBPyConnection) -> bool:
    """Whether relation `raw` is a view on a typed file, not a table."""
    row = con.execute(
        "SELECT count(*) FROM duckdb_views() WHERE view_name = 'raw' AND database_name = current_database()"
    ).fetchone()
    return bool(row and row[0])


def drop_raw(con: duckdb.DuckDBPyConnection) -> None:
    """Make room for another relation `raw`."""
    con.execute(f"DROP {'VIEW' if is_view(con) else 'TABLE'} IF EXISTS raw")


def keep_apart(con: duckdb.DuckDBPyConnection, name: str, table: RawTable | TypedTable, number: int) -> Loaded:
    """Keep relation `raw` as `raw_{number}` while others are loaded."""
    columns = ", ".join(f"c{i}" for i in range(len(table.names)))
    con.execute(f"CREATE TABLE raw_{number} AS SELECT {columns} FROM raw")
    row = con.execute(f"SELECT count(*) FROM raw_{number}").fetchone()
    return Loaded(name, table, number, int(row[0]) if row else 0)


def stacked(con: duckdb.DuckDBPyConnection, loaded: Sequence[Loaded], *, alone: str | None) -> list[Group]:
    """Group the parts by shape; the one that the catalogue names stays `alone`."""
    groups: dict[object, list[Loaded]] = {}
    for part in loaded:
        own = alone is not None and alone in {part.name, stem(part.name)}
        groups.setdefault(part.number if own else part.shape, []).append(part)
    return [_group(members) for members in groups.values()]


def _group(members: list[Loaded]) -> Group:
    names = [m.name for m in members]
    if len(members) == 1:
        return Group(names[0], members)
    shared = _common_start([stem(n) for n in names]).strip("-_ .0123456789")
    listed = ", ".join(repr(n) for n in names[:5]) + (f" and {len(names) - 5:,} more" if len(names) > 5 else "")
    note = f"{counted(len(members), 'table')} with the same columns were put under each other: {listed}"
    return Group(shared or stem(names[0]), members, [note])


def _common_start(names: Sequence[str]) -> str:
    first, last = min(names), max(names)
    return first[: next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))]


def _mixed_types(members: Sequence[Loaded]) -> frozenset[int]:
    """Columns whose types differ beyond what one kind of number can hold: they are compared as text."""
    first = members[0].table
    if isinstance(first, RawTable):
        return frozenset()
    mixed = set()
    for i, name in enumerate(first.names):
        kinds = set()
        for member in members:
            if isinstance(member.table, TypedTable):
                at = [n.casefold() for n in member.table.names].index(name.casefold())
                kinds.add(member.table.types[at])
        if len(kinds) > 1 and not all(_is_number(k) for k in kinds):
            mixed.add(i)
    return frozenset(mixed)


def _is_number(kind: str) -> bool:
    return kind.endswith("INT") or kind in {"INTEGER", "FLOAT", "DOUBLE"} or kind.startswith("DECIMAL")


def _widest(con: duckdb.DuckDBPyConnection, width: int) -> list[str]:
    return [str(row[1]) for row in con.execute("DESCRIBE raw").fetchall()][:width]
