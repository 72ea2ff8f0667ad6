"""Parse one file into a DuckDB database of its own."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb

from datasets.errors import DatasetError
from datasets.loading.columns import Reading, decide, trimmed
from datasets.loading.delimited import RawTable, read_delimited
from datasets.loading.layout import ROW
from datasets.loading.nested import TypedTable, read_json, read_parquet
from datasets.loading.numbers import MISSING
from datasets.loading.source import prepare
from datasets.loading.totals import set_totals_aside
from datasets.plain import counted
from datasets.sql import ident, literal, literals

PARSER_VERSION = 1
TABLE = "data"


@dataclass(frozen=True)
class Parsed:
    """What the database at the target now holds: table `data` (with `__row` first) and table `rejects`."""

    names: tuple[str, ...]
    units: dict[str, str]
    notes: tuple[str, ...]


def parse(path: Path, target: Path, work: Path) -> Parsed:
    """Parse the file into a new database at `target`, using `work` for scratch files.

    :raises DatasetError: when the file has no data or cannot be read; what was written so far is scratch.
    """
    source = prepare(path, work)
    con = duckdb.connect(str(work / "ingest.duckdb"), config={"threads": 2})
    try:
        con.execute(f"SET temp_directory={literal(str(work / 'spill'))}")
        con.execute("SET preserve_insertion_order=true")
        con.execute("SET TimeZone='UTC'")
        con.execute("SET autoinstall_known_extensions=false")
        con.execute("SET autoload_known_extensions=false")
        con.execute(f"ATTACH {literal(str(target))} AS store")
        if source.kind == "delimited":
            parsed = _write_text(con, read_delimited(con, source.path, work), source.notes)
        elif source.kind == "parquet":
            parsed = _write_typed(con, read_parquet(con, source.path), source.notes)
        else:
            parsed = _write_typed(con, read_json(con, source.path, lines=source.kind == "jsonl"), source.notes)
        con.execute("CHECKPOINT store")
        con.execute("DETACH store")
    except (duckdb.Error, csv.Error) as error:
        reason = str(error).splitlines()[0].replace(str(work), "").replace("/source", "source")
        raise DatasetError(f"{path.name!r} cannot be read: {reason}") from error
    finally:
        con.close()
    return parsed


def _write_text(con: duckdb.DuckDBPyConnection, raw: RawTable, before: tuple[str, ...]) -> Parsed:
    notes = [*before, *raw.notes]
    notes += set_totals_aside(con, len(raw.names))
    readings = decide(con, raw.names)
    _write(con, raw.names, [r.sql(f"c{i}") for i, r in enumerate(readings)])
    for i, reading in enumerate(readings):
        notes += reading.notes
        notes += _reject(con, i, reading)
    return Parsed(raw.names, {r.name: r.unit for r in readings if r.unit}, tuple(notes))


def _write_typed(con: duckdb.DuckDBPyConnection, table: TypedTable, before: tuple[str, ...]) -> Parsed:
    notes = [*before, *table.notes]
    _write(con, table.names, table.expressions)
    for i, reading in table.dates.items():
        notes += reading.notes
        notes += _reject(con, i, reading)
    for i in table.non_finite:
        where = f"c{i} IS NOT NULL AND NOT isfinite(c{i})"
        name = table.names[i]
        con.execute(f"INSERT INTO store.rejects SELECT {literal(name)}, rowid, c{i}::VARCHAR FROM raw WHERE {where}")
        row = con.execute(f"SELECT count(*) FILTER (isnan(c{i})), count(*) FROM raw WHERE {where}").fetchone()
        nan, both = (int(row[0]), int(row[1])) if row else (0, 0)
        notes.append(
            f"{name!r}: {counted(nan, 'cell')} NaN and {counted(both - nan, 'cell')} infinite count as missing"
        )
    return Parsed(table.names, {}, tuple(notes))


def _write(con: duckdb.DuckDBPyConnection, names: Sequence[str], expressions: Sequence[str]) -> None:
    cells = ", ".join(f"{cell} AS {ident(name)}" for cell, name in zip(expressions, names, strict=True))
    con.execute(f"CREATE TABLE store.{TABLE} AS SELECT rowid AS {ident(ROW)}, {cells} FROM raw ORDER BY rowid")
    con.execute("CREATE TABLE store.rejects (column_name VARCHAR, row_number BIGINT, cell VARCHAR)")


def _reject(con: duckdb.DuckDBPyConnection, position: int, reading: Reading) -> list[str]:
    """Keep the cells that could not be read, and say how many they are."""
    if not reading.unreadable:
        return []
    text = trimmed(f"r.c{position}")
    con.execute(
        f"INSERT INTO store.rejects SELECT {literal(reading.name)}, r.rowid, r.c{position} FROM raw r"
        f" JOIN store.{TABLE} d ON d.{ident(ROW)} = r.rowid WHERE d.{ident(reading.name)} IS NULL"
        f" AND {text} IS NOT NULL AND lower({text}) NOT IN {literals(MISSING)}"
    )
    example = con.execute(
        f"SELECT cell FROM store.rejects WHERE column_name = {literal(reading.name)} ORDER BY row_number LIMIT 1"
    ).fetchone()
    shown = f" (such as {str(example[0])[:40]!r})" if example else ""
    return [f"{reading.name!r}: {counted(reading.unreadable, 'cell')} could not be read{shown} and count as missing"]
