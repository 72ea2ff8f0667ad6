"""Tables of one shape under each other: the sheets of twelve months, the files of a folder of exports."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import duckdb

from datasets.loading.delimited import RawTable
from datasets.loading.layout import unique_names
from datasets.loading.links import stem
from datasets.loading.nested import TypedTable
from datasets.plain import counted
from datasets.sql import literal

SOURCE = "source"
_MONTHS = (
    "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    "|nov(?:ember)?|dec(?:ember)?"
)
_DATED = rf"(?:(?<![a-z])(?:{_MONTHS}|q[1-4])(?![a-z])|[0-9])+"
_SERIAL = re.compile(rf"{_DATED}(?:[-_. ]*{_DATED})*")
_SHARED = 0.5
"""Of all columns of two deliveries of one table, how many they share at least."""


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
        every = self.columns
        width = len(every)
        mixed = _mixed_types(self.members, every)
        selects = []
        for member in self.members:
            at = {n.casefold(): i for i, n in enumerate(member.table.names)}
            places = [at.get(n.casefold()) for n in every]
            cells = [
                f"{'NULL' if p is None else f'c{p}'}{'::VARCHAR' if i in mixed else ''} AS c{i}"
                for i, p in enumerate(places)
            ]
            cells.append(f"{literal(stem(member.name))} AS c{width}")
            selects.append(f"SELECT {', '.join(cells)} FROM raw_{member.number}")
        con.execute(f"CREATE TABLE raw AS {' UNION ALL '.join(selects)}")
        for member in self.members:
            con.execute(f"DROP TABLE raw_{member.number}")
        names, _ = unique_names([*every, SOURCE])
        notes = list(dict.fromkeys(note for m in self.members for note in m.table.notes))
        aside = [row for m in self.members for row in m.table.aside]
        if isinstance(first.table, RawTable):
            return RawTable(names, notes, first.table.header, aside, self._beyond())
        kinds = ["VARCHAR" if i in mixed else kind for i, kind in enumerate(_widest(con, width))]
        return TypedTable(names, (*kinds, "VARCHAR"), notes, aside, first.table.inconsistent | mixed)

    @property
    def columns(self) -> list[str]:
        """The columns of the first member, and those that others have besides."""
        every = {n.casefold(): n for m in reversed(self.members) for n in reversed(m.table.names)}
        order = dict.fromkeys(n.casefold() for m in self.members for n in m.table.names)
        return [every[n] for n in order]

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
    merged: list[list[Loaded]] = []
    for shape, members in groups.items():
        kin = None if isinstance(shape, int) else next((m for m in merged if _same_series(m, members, alone)), None)
        if kin is None:
            merged.append(members)
        else:
            kin += members
    return [_group(sorted(members, key=lambda m: m.number)) for members in merged]


def named_as_deliveries(names: Sequence[str]) -> bool:
    """Whether names of files or sheets are the same but for numbers and months."""
    return len({_SERIAL.sub("#", stem(name).casefold()) for name in names}) == 1


def _same_series(some: list[Loaded], others: list[Loaded], alone: str | None) -> bool:
    """Whether two groups are deliveries of one table whose columns changed: named alike but for numbers and months."""
    if alone is not None and any(alone in {m.name, stem(m.name)} for m in some):
        return False
    if not named_as_deliveries([m.name for m in (*some, *others)]):
        return False
    (typed, names), (other_typed, other_names) = some[0].shape, others[0].shape
    return typed == other_typed and len(names & other_names) >= _SHARED * len(names | other_names)


def _group(members: list[Loaded]) -> Group:
    names = [m.name for m in members]
    if len(members) == 1:
        return Group(names[0], members)
    shared = _common_start([stem(n) for n in names]).strip("-_ .0123456789")
    listed = ", ".join(repr(n) for n in names[:5]) + (f" and {len(names) - 5:,} more" if len(names) > 5 else "")
    alike = "the same columns" if len({m.shape for m in members}) == 1 else "nearly the same columns"
    group = Group(shared or stem(names[0]), members)
    group.notes.append(f"{counted(len(members), 'table')} with {alike} were put under each other: {listed}")
    group.notes += _only_in_some(group)
    return group


def _only_in_some(group: Group) -> list[str]:
    said = []
    for column in group.columns:
        without = [m.name for m in group.members if column.casefold() not in m.shape[1]]
        if without:
            more = f" and {len(without) - 3:,} more" if len(without) > 3 else ""
            said.append(
                f"{column!r} is missing in {', '.join(map(repr, without[:3]))}{more}: its cells are empty there"
            )
    return said


def _common_start(names: Sequence[str]) -> str:
    first, last = min(names), max(names)
    return first[: next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))]


def _mixed_types(members: Sequence[Loaded], columns: Sequence[str]) -> frozenset[int]:
    """Columns whose types differ beyond what one kind of number can hold: they are compared as text."""
    first = members[0].table
    if isinstance(first, RawTable):
        return frozenset()
    mixed = set()
    for i, name in enumerate(columns):
        kinds = set()
        for member in members:
            if isinstance(member.table, TypedTable) and name.casefold() in member.shape[1]:
                at = [n.casefold() for n in member.table.names].index(name.casefold())
                kinds.add(member.table.types[at])
        if len(kinds) > 1 and not all(_is_number(k) for k in kinds):
            mixed.add(i)
    return frozenset(mixed)


def _is_number(kind: str) -> bool:
    return kind.endswith("INT") or kind in {"INTEGER", "FLOAT", "DOUBLE"} or kind.startswith("DECIMAL")


def _widest(con: duckdb.DuckDBPyConnection, width: int) -> list[str]:
    return [str(row[1]) for row in con.execute("DESCRIBE raw").fetchall()][:width]
