"""Parse one file into a DuckDB database of its own."""

from dataclasses import dataclass
from pathlib import Path

import duckdb

from datasets.errors import DatasetError
from datasets.loading.columns import Reading, decide, trimmed
from datasets.loading.delimited import RawTable, read_delimited
from datasets.loading.nested import read_json, read_parquet
from datasets.loading.source import prepare
from datasets.sql import ident, literal

PARSER_VERSION = 1
TABLE = "data"
ROW = "__row"


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
            raw = read_delimited(con, source.path, work)
            readings = decide(con, raw.names)
            notes = _write_text_columns(con, raw, readings)
            units = {r.name: r.unit for r in readings if r.unit}
            names = raw.names
        elif source.kind == "parquet":
            names, notes = read_parquet(con, source.path)
            units = {}
        else:
            names, notes = read_json(con, source.path, lines=source.kind == "jsonl")
            units = {}
        con.execute("CHECKPOINT store")
        con.execute("DETACH store")
    except duckdb.Error as error:
        raise DatasetError(f"{path.name!r} cannot be read: {str(error).splitlines()[0]}") from error
    finally:
        con.close()
    return Parsed(names, units, (*source.notes, *notes))


def _write_text_columns(con: duckdb.DuckDBPyConnection, raw: RawTable, readings: list[Reading]) -> list[str]:
    cells = [f"{r.sql(ident(f'c{i}'))} AS {ident(r.name)}" for i, r in enumerate(readings)]
    con.execute(f"CREATE TABLE store.{TABLE} AS SELECT rowid AS {ident(ROW)}, {', '.join(cells)} FROM raw")
    con.execute("CREATE TABLE store.rejects (column_name VARCHAR, row_number BIGINT, cell VARCHAR)")
    notes = list(raw.notes)
    for i, reading in enumerate(readings):
        notes += reading.notes
        if reading.unreadable:
            cell = ident(f"c{i}")
            con.execute(
                f"INSERT INTO store.rejects SELECT {literal(reading.name)}, r.rowid, r.{cell} FROM raw r"
                f" JOIN store.{TABLE} d ON d.{ident(ROW)} = r.rowid WHERE d.{ident(reading.name)} IS NULL"
                f" AND {trimmed('r.' + cell)} IS NOT NULL"
                f" AND lower({trimmed('r.' + cell)}) NOT IN (SELECT unnest({_missing_list()}))"
            )
            notes.append(
                f"{reading.name!r}: {reading.unreadable:,} cells could not be read as {reading.sql_type}; they count as"
                f" missing and are kept in the rejects of the parsed copy"
            )
    return notes


def _missing_list() -> str:
    from datasets.loading.numbers import MISSING

    return "[" + ", ".join(literal(word) for word in MISSING) + "]"
