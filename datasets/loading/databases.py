"""Databases in one file: their base tables, copied out without running anything that the file brings along."""

import csv
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb

from datasets.errors import DatasetError, reason_of
from datasets.loading.part import Part
from datasets.sql import ident, literal

_BATCH = 10_000
Read = tuple[tuple[Part, ...], tuple[str, ...]]


def read_sqlite(path: Path, name: str, work: Path, *, prefix: str = "") -> Read:
    """Copy the tables of an SQLite database as text, because its cells carry their types one by one.

    The file is opened read-only. Views and virtual tables, which would run code of the file, are left out.

    :raises DatasetError: when it is damaged or holds no table with rows.
    """
    wal = path.with_name(path.name + "-wal").exists()
    uri = path.resolve().as_uri() + ("?mode=ro" if wal else "?mode=ro&immutable=1")
    parts: list[Part] = []
    try:
        with closing(sqlite3.connect(uri, uri=True)) as con:
            con.execute("PRAGMA trusted_schema = OFF")
            con.execute("PRAGMA query_only = ON")
            con.text_factory = lambda raw: raw.decode("utf-8", errors="replace")
            listed = con.execute(
                "SELECT name, type, coalesce(sql, '') LIKE 'CREATE VIRTUAL%' FROM sqlite_master"
                " WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name"
            ).fetchall()
            tables = [str(t) for t, kind, virtual in listed if kind == "table" and not virtual]
            for number, table in enumerate(tables):
                cursor = con.execute(f"SELECT * FROM {ident(table)}")
                header = tuple(str(d[0]) for d in cursor.description)
                target = work / f"{prefix}table-{number}.csv"
                if write_records(target, _batches(cursor)):
                    parts.append(Part(table, target, "records", header=header))
    except (sqlite3.Error, ValueError) as error:
        raise DatasetError(f"the SQLite database {name!r} cannot be read: {reason_of(error)}") from error
    skipped = [str(t) for t, kind, virtual in listed if kind == "view" or virtual]
    return _read("SQLite", name, parts, [t for t in tables if t not in {p.name for p in parts}], skipped)


def read_duckdb(path: Path, name: str, work: Path, *, prefix: str = "") -> Read:
    """Copy the base tables of a DuckDB database, on a connection of its own that can reach no other file.

    Views and macros of the file are never run.

    :raises DatasetError: when it is damaged, of an unknown version, or holds no table with rows.
    """
    link, target = work / f"{prefix}given.duckdb", work / f"{prefix}tables.duckdb"
    link.symlink_to(path.resolve())
    parts: list[Part] = []
    empty: list[str] = []
    con = duckdb.connect(":memory:", config={"threads": 2})
    try:
        con.execute("SET autoinstall_known_extensions=false")
        con.execute("SET autoload_known_extensions=false")
        con.execute(f"ATTACH {literal(str(link))} AS given (READ_ONLY)")
        con.execute(f"ATTACH {literal(str(target))} AS copied")
        con.execute("SET enable_external_access=false")
        con.execute("SET lock_configuration=true")
        listed = con.execute(
            "SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = 'given' AND NOT internal"
            " ORDER BY schema_name, table_name"
        ).fetchall()
        views = con.execute(
            "SELECT view_name FROM duckdb_views() WHERE database_name = 'given' AND NOT internal"
        ).fetchall()
        for schema, table in listed:
            shown = str(table) if schema == "main" else f"{schema}.{table}"
            copy = f"t{len(parts)}"
            con.execute(
                f"CREATE OR REPLACE TABLE copied.{copy} AS SELECT * FROM given.{ident(str(schema))}.{ident(str(table))}"
            )
            found = con.execute(f"SELECT count(*) FROM copied.{copy}").fetchone()
            if found and found[0]:
                parts.append(Part(shown, target, "duckdb", table=copy))
            else:
                empty.append(shown)
        con.execute("CHECKPOINT copied")
    except duckdb.Error as error:
        raise DatasetError(f"the DuckDB database {name!r} cannot be read: {reason_of(error, str(link))}") from error
    finally:
        con.close()
    return _read("DuckDB", name, parts, empty, [str(v) for (v,) in views])


def _read(kind: str, name: str, parts: list[Part], empty: list[str], skipped: list[str]) -> Read:
    if not parts:
        raise DatasetError(f"no data in the {kind} database {name!r}: it has no table with rows")
    notes = [f"empty tables left out: {', '.join(empty[:10])}"] if empty else []
    notes += [f"views are not read: {', '.join(skipped[:10])}"] if skipped else []
    return tuple(parts), tuple(notes)


def _batches(cursor: sqlite3.Cursor) -> Iterator[list[Any]]:
    while rows := cursor.fetchmany(_BATCH):
        yield from rows


def write_records(target: Path, rows: Iterator[Any]) -> int:
    """Write rows of plain values as CSV, every cell quoted, None as an empty cell; return how many there are."""
    count = 0
    with target.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_ALL)
        for row in rows:
            writer.writerow([_text(value) for value in row])
            count += 1
    return count


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bytes):
        return value.hex()
    text = repr(value) if isinstance(value, float) else str(value)
    return text.replace("\x00", "").encode("utf-8", "replace").decode("utf-8")
