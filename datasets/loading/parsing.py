"""Parse one file, or a folder of files, into a DuckDB database of its own."""

import csv
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import duckdb

from datasets.errors import DatasetError, reason_of
from datasets.loading.columns import decide
from datasets.loading.copies import without_copies
from datasets.loading.delimited import RawTable, read_delimited, read_records, unwrap_formulas
from datasets.loading.layout import ROW
from datasets.loading.links import StoredTable
from datasets.loading.nested import TypedTable, beyond_sql, decide_typed, read_database, read_json, read_parquet
from datasets.loading.numbers import MISSING
from datasets.loading.overrides import Overrides
from datasets.loading.part import Part
from datasets.loading.reading import Reading, trimmed
from datasets.loading.relations import combine
from datasets.loading.source import prepare
from datasets.loading.stacking import Loaded, drop_raw, is_view, keep_apart, stacked
from datasets.loading.totals import set_totals_aside, told
from datasets.loading.wide import unpivoted
from datasets.plain import counted
from datasets.sql import ident, literal, literals

PARSER_VERSION = 5
TABLE = "data"


@dataclass(frozen=True)
class Parsed:
    """What the database at the target now holds.

    `data`: the rows, `__row` first · `rejects`: cells that could not be read · `set_aside`: records that are no rows.
    """

    units: dict[str, str]
    notes: tuple[str, ...]
    ambiguous: tuple[str, ...]
    """Date columns whose day and month cannot be told apart."""
    doubts: tuple[str, ...]
    """What makes answers about some columns uncertain, one sentence each."""
    looked_up: dict[str, str] = field(default_factory=dict)
    """Columns that repeat on several rows, as those of joined tables do, each with the column that holds their key."""


@dataclass
class _Written:
    """A typed table in the store, and what is known of it."""

    stored: StoredTable
    readings: list[Reading]
    notes: list[str] = field(default_factory=list)
    looked_up: dict[str, str] = field(default_factory=dict)
    doubts: tuple[str, ...] = ()


def parse(path: Path, target: Path, work: Path, overrides: Overrides) -> Parsed:
    """Parse the data into a new database at `target`, using `work` for scratch files.

    :raises DatasetError: when there is no data or it cannot be read; what was written so far is scratch.
    """
    source = prepare(path, work, overrides)
    con = duckdb.connect(str(work / "ingest.duckdb"), config={"threads": 2, "memory_limit": "1200MB"})
    try:
        con.execute(f"SET temp_directory={literal(str(work / 'spill'))}")
        con.execute("SET preserve_insertion_order=true")
        with suppress(duckdb.InvalidInputException):  # in a notebook that cannot draw one, there is none to switch off
            con.execute("SET enable_progress_bar=false")
        con.execute("SET TimeZone='UTC'")
        con.execute("SET autoinstall_known_extensions=false")
        con.execute("SET autoload_known_extensions=false")
        con.execute(f"ATTACH {literal(str(target))} AS store")
        con.execute("CREATE TABLE store.rejects (source VARCHAR, column_name VARCHAR, row_number BIGINT, cell VARCHAR)")
        con.execute("CREATE TABLE store.set_aside (source VARCHAR, reason VARCHAR, content VARCHAR)")
        parsed = _parse(con, source.parts, source.notes, work, overrides)
        con.execute("CHECKPOINT store")
        con.execute("DETACH store")
    except (duckdb.Error, csv.Error) as error:
        raise DatasetError(f"{path.name!r} cannot be read: {reason_of(error, f'{work}/')}") from error
    finally:
        con.close()
    return parsed


def _parse(
    con: duckdb.DuckDBPyConnection, parts: Sequence[Part], before: tuple[str, ...], work: Path, overrides: Overrides
) -> Parsed:
    if len(parts) == 1:
        if overrides.table is not None and overrides.table != parts[0].name:
            raise DatasetError(f"no table {overrides.table!r} in this dataset; it has: {parts[0].name!r}")
        written = _write(con, parts[0].name, _load(con, parts[0], work, overrides), TABLE, overrides)
        _settled(written.stored.columns, overrides)
        return _of_one(written, [*before, *written.notes])
    notes = list(before)
    tables: list[_Written] = []
    loaded: list[Loaded] = []
    for number, part in enumerate(parts):
        try:
            loaded.append(keep_apart(con, part.name, _load(con, part, work, overrides), number))
        except (duckdb.Error, csv.Error, DatasetError) as error:
            notes.append(f"{part.name!r} was left out: {reason_of(error, f'{work}/')}")
    if not loaded:
        raise DatasetError(f"none of the {len(parts):,} tables can be read: {notes[-1]}")
    loaded, copies = without_copies(con, loaded, wanted=overrides.table)
    notes += copies
    for number, group in enumerate(stacked(con, loaded, alone=overrides.table)):
        tables.append(_write(con, group.name, group.restored(con), f"t{number}", overrides))
        name = f"{group.name!r}: " if len(loaded) > len(group.members) else ""
        notes += [*group.notes, *(f"{name}{note}" for note in tables[-1].notes)]
    if len(tables) == 1:
        con.execute(f"ALTER TABLE store.t0 RENAME TO {TABLE}")
        return _of_one(tables[0], notes)
    combined = combine(con, [t.stored for t in tables], TABLE, overrides.table)
    for table in tables:
        con.execute(f"DROP TABLE store.{table.stored.table}")
    _settled(combined.names, overrides)
    known = {(t.stored.name, r.name): r for t in tables for r in t.readings}
    kept = {n: known[o] for n, o in zip(combined.names, combined.origin, strict=True) if o in known}
    units = {name: r.unit for name, r in kept.items() if r.unit}
    report = _report([*combined.notes, *notes], list(kept.values()), units, names=list(kept))
    main = next(t for t in tables if t.stored is combined.main)
    return replace(report, looked_up={**main.looked_up, **combined.looked_up}, doubts=(*report.doubts, *main.doubts))


def _of_one(written: _Written, notes: list[str]) -> Parsed:
    units = {r.name: r.unit for r in written.readings if r.unit}
    report = _report(notes, written.readings, units)
    return replace(report, looked_up=written.looked_up, doubts=(*report.doubts, *written.doubts))


def _settled(names: Sequence[str], overrides: Overrides) -> None:
    for name in overrides.as_text:
        if name not in names:
            raise DatasetError(f"the catalogue keeps {name!r} as text, but there is no such column; mend the entry")


def _report(
    notes: list[str], readings: list[Reading], units: dict[str, str], *, names: list[str] | None = None
) -> Parsed:
    called = names or [r.name for r in readings]
    ambiguous = tuple(n for n, r in zip(called, readings, strict=True) if r.ambiguous)
    doubts = tuple(dict.fromkeys(r.doubt for r in readings if r.doubt))
    return Parsed(units, tuple(dict.fromkeys(notes)), ambiguous, doubts)


def _load(con: duckdb.DuckDBPyConnection, part: Part, work: Path, overrides: Overrides) -> RawTable | TypedTable:
    """Load a part into relation `raw`."""
    drop_raw(con)
    if part.kind == "delimited":
        table = read_delimited(con, part.path, work, overrides)
        table.notes[:0] = part.notes
        return table
    if part.kind == "records":
        return read_records(con, part)
    if part.kind == "parquet":
        return read_parquet(con, part)
    if part.kind == "duckdb":
        return read_database(con, part)
    return read_json(con, part, work)


def _write(
    con: duckdb.DuckDBPyConnection, source: str, raw: RawTable | TypedTable, table: str, overrides: Overrides
) -> _Written:
    """Write relation `raw` to `store.{table}`, its unreadable cells to the rejects; notes say what was decided."""
    aside = list(raw.aside)
    notes: list[str] = []
    non_finite: list[int] = []
    if isinstance(raw, RawTable):
        unwrap_formulas(con, len(raw.names))
        totals = set_totals_aside(con, len(raw.names))
        aside += [("total", text) for text in totals]
        notes += told(totals)
        raw = raw if overrides.keep_wide else unpivoted(con, raw)
        readings = decide(con, raw.names, overrides)
        expressions = [readings[i].sql(f"c{i}") for i in range(len(raw.names))]
        _insert(con, "rejects", [(source, None, row, cells) for row, cells in raw.beyond])
    else:
        expressions, readings, non_finite = decide_typed(con, raw, overrides)
    notes[:0] = raw.notes
    _insert(con, "set_aside", [(source, reason, text) for reason, text in aside])
    cells = ", ".join(f"{cell} AS {ident(name)}" for cell, name in zip(expressions, raw.names, strict=True))
    ordered = "" if is_view(con) else " ORDER BY rowid"
    con.execute(f"CREATE TABLE store.{table} AS SELECT rowid AS {ident(ROW)}, {cells} FROM raw{ordered}")
    for i, reading in readings.items():
        notes += [*reading.notes, *_reject(con, source, table, i, reading)]
    notes += [_reject_beyond(con, source, i, raw.names[i]) for i in non_finite]
    found = con.execute(f"SELECT count(*) FROM store.{table}").fetchone()
    stored = StoredTable(source, table, raw.names, found[0] if found else 0)
    if not isinstance(raw, RawTable):
        return _Written(stored, list(readings.values()), notes)
    return _Written(stored, list(readings.values()), notes, raw.looked_up, raw.doubts)


def _insert(con: duckdb.DuckDBPyConnection, table: str, rows: Sequence[tuple[object, ...]]) -> None:
    if rows:
        con.executemany(f"INSERT INTO store.{table} VALUES ({', '.join('?' * len(rows[0]))})", [list(r) for r in rows])


def _reject(con: duckdb.DuckDBPyConnection, source: str, table: str, position: int, reading: Reading) -> list[str]:
    """Keep the cells that could not be read, and say how many they are."""
    if not reading.unreadable:
        return []
    text = trimmed(f"r.c{position}")
    con.execute(
        f"INSERT INTO store.rejects SELECT {literal(source)}, {literal(reading.name)}, r.rowid, r.c{position}"
        f" FROM raw r JOIN store.{table} d ON d.{ident(ROW)} = r.rowid WHERE d.{ident(reading.name)} IS NULL"
        f" AND {text} IS NOT NULL AND lower({text}) NOT IN {literals(MISSING)}"
    )
    example = con.execute(
        f"SELECT cell FROM store.rejects WHERE source = {literal(source)} AND column_name = {literal(reading.name)}"
        f" ORDER BY row_number LIMIT 1"
    ).fetchone()
    shown = f" (such as {str(example[0])[:40]!r})" if example else ""
    return [f"{reading.name!r}: {counted(reading.unreadable, 'cell')} could not be read{shown} and count as missing"]


def _reject_beyond(con: duckdb.DuckDBPyConnection, source: str, position: int, name: str) -> str:
    """Keep the numbers that nothing can be computed with, and say how many they are."""
    c = f"c{position}"
    con.execute(
        f"INSERT INTO store.rejects SELECT {literal(source)}, {literal(name)}, rowid, {c}::VARCHAR FROM raw"
        f" WHERE {beyond_sql(c)}"
    )
    row = con.execute(
        f"SELECT count(*) FILTER (isnan({c})), count(*) FILTER (isinf({c})), count(*) FROM raw WHERE {beyond_sql(c)}"
    ).fetchone()
    nan, infinite, every = (int(n) for n in row) if row else (0, 0, 0)
    large = (
        f" and {counted(every - nan - infinite, 'cell')} beyond what can be computed with"
        if every > nan + infinite
        else ""
    )
    return f"{name!r}: {counted(nan, 'cell')} NaN and {counted(infinite, 'cell')} infinite{large} count as missing"
