"""Files that carry their own types: Parquet, JSON, and tables copied out of a DuckDB database."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import duckdb
from duckdb.sqltypes import DuckDBPyType

from datasets.errors import DatasetError
from datasets.loading.columns import decide, decide_written
from datasets.loading.layout import unique_names
from datasets.loading.numbers import LARGEST, bounded
from datasets.loading.overrides import Overrides
from datasets.loading.part import Part
from datasets.loading.reading import Reading
from datasets.plain import counted
from datasets.sql import ident, literal

_DEEPEST = 4
_MOST_COLUMNS = 1_000
_MOST_BROKEN_SHARE = 0.2


@dataclass
class TypedTable:
    """Relation `raw` (rowid, and columns c0, c1, ... with the types of the file) and its column names."""

    names: tuple[str, ...]
    types: tuple[str, ...]
    notes: list[str] = field(default_factory=list)
    aside: list[tuple[str, str]] = field(default_factory=list)
    inconsistent: frozenset[int] = frozenset()
    """Columns whose cells have several JSON types: they are read like the cells of a text file."""


class TypedReadings(NamedTuple):
    """How each column of `raw` becomes one of the copy: SQL by position, texts read, and numbers to look after."""

    expressions: list[str]
    texts: dict[int, Reading]
    non_finite: list[int]


class _Cell(NamedTuple):
    name: str
    sql: str
    kind: str


def read_parquet(con: duckdb.DuckDBPyConnection, part: Part) -> TypedTable:
    """See a Parquet file as relation `raw`; nothing is copied."""
    source = f"read_parquet({literal(str(part.path))}, file_row_number=true)"
    table = _relation(con, source, without="file_row_number")
    return _as_raw(con, "VIEW", source, "file_row_number", table, list(part.notes))


def read_database(con: duckdb.DuckDBPyConnection, part: Part) -> TypedTable:
    """See a table of a database of our own making as relation `raw`."""
    con.execute(f"ATTACH IF NOT EXISTS {literal(str(part.path))} AS given (READ_ONLY)")
    source = f"given.{ident(part.table)}"
    return _as_raw(con, "VIEW", source, "rowid", _relation(con, source), list(part.notes))


def read_json(con: duckdb.DuckDBPyConnection, part: Part, work: Path) -> TypedTable:
    """Load JSON records into `raw`: a column a key, keys of nested objects joined by dots, types from all records.

    Lines that are no JSON are set aside, as long as they are few.
    """
    path, broken = part.path, list[str]()
    layout = "newline_delimited" if part.kind == "jsonl" else "auto"
    try:
        relation = _json_relation(con, path, layout)
    except duckdb.Error:
        if part.kind != "jsonl":
            raise
        path, broken = _whole_lines(part.path, part.name, work)
        relation = _json_relation(con, path, layout)
    cells = _relation(con, relation)
    table = _as_raw(con, "TABLE", relation, None, cells, list(part.notes))
    table.inconsistent = frozenset(i for i, cell in enumerate(cells) if cell.kind == "JSON")
    if broken:
        table.aside = [("not JSON", line) for line in broken]
        shown = broken[0][:60]
        table.notes.append(
            f"{counted(len(broken), 'line')} set aside that could not be read as JSON (such as {shown!r})"
        )
    return table


def decide_typed(con: duckdb.DuckDBPyConnection, table: TypedTable, overrides: Overrides) -> TypedReadings:
    """Decide how the columns of `raw` are read: text may hold dates, numbers may be infinite."""
    texts = {i: table.names[i] for i, kind in enumerate(table.types) if kind == "VARCHAR"}
    readings = decide_written(con, {i: n for i, n in texts.items() if i not in table.inconsistent}, overrides)
    readings |= decide(con, {i: n for i, n in texts.items() if i in table.inconsistent}, overrides)
    floats = [i for i, kind in enumerate(table.types) if kind in {"FLOAT", "DOUBLE"}]
    non_finite = _any_beyond(con, floats)
    expressions = [
        readings[i].sql(f"c{i}") if i in readings else _widened(con, f"c{i}", kind, i in non_finite)
        for i, kind in enumerate(table.types)
    ]
    return TypedReadings(expressions, readings, non_finite)


def beyond_sql(c: str) -> str:
    """SQL predicate: a number that nothing can be computed with: NaN, infinite, or too large."""
    return f"{c} IS NOT NULL AND NOT (isfinite({c}) AND abs({c}) < {LARGEST!r})"


def _json_relation(con: duckdb.DuckDBPyConnection, path: Path, layout: str) -> str:
    options = f"format={literal(layout)}, sample_size=-1, maximum_object_size=268435456"
    relation = _inside(con, f"read_json({literal(str(path))}, {options}, union_by_name=true)")
    return relation if relation.startswith("(") else _digits_kept(con, relation, path, options)


def _whole_lines(path: Path, name: str, work: Path) -> tuple[Path, list[str]]:
    """Copy the lines that are JSON objects; return the others."""
    broken: list[str] = []
    whole = 0
    target = work / f"{path.stem}-whole.jsonl"
    with path.open(encoding="utf-8", errors="replace") as source, target.open("w", encoding="utf-8") as out:
        for line in filter(str.strip, source):
            if _is_object(line):
                out.write(line if line.endswith("\n") else line + "\n")
                whole += 1
            else:
                broken.append(line.strip())
    if len(broken) > _MOST_BROKEN_SHARE * (whole + len(broken)):
        raise DatasetError(f"{name!r} cannot be read: {len(broken):,} of {whole + len(broken):,} lines are not JSON")
    return target, broken


def _is_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _digits_kept(con: duckdb.DuckDBPyConnection, relation: str, path: Path, options: str) -> str:
    """The relation with whole numbers beyond 64 bit as text, where it would read them as inexact numbers."""
    types = {str(r[0]): str(r[1]) for r in con.execute(f"DESCRIBE SELECT * FROM {relation}").fetchall()}
    doubles = [name for name, kind in types.items() if kind == "DOUBLE"]
    if not doubles:
        return relation
    as_text = ", ".join(f"{literal(name)}: 'VARCHAR'" for name in doubles)
    tests = ", ".join(f"bool_or(regexp_full_match({ident(name)}, '-?[0-9]{{19,}}'))" for name in doubles)
    row = con.execute(
        f"SELECT {tests} FROM read_json({literal(str(path))}, {options}, columns={{{as_text}}})"
    ).fetchone()
    long = [name for name, found in zip(doubles, row or (), strict=True) if found]
    if not long:
        return relation
    known = {name: "VARCHAR" if name in long else kind for name, kind in types.items()}
    columns = ", ".join(f"{literal(name)}: {literal(kind)}" for name, kind in known.items())
    return f"read_json({literal(str(path))}, {options}, columns={{{columns}}})"


def _inside(con: duckdb.DuckDBPyConnection, relation: str) -> str:
    """The records inside a wrapper such as {"next": ..., "results": [...]}; else the relation itself."""
    lists = [str(r[0]) for r in con.execute(f"DESCRIBE SELECT * FROM {relation}").fetchall() if _is_records(str(r[1]))]
    row = con.execute(f"SELECT count(*) FROM (SELECT 1 FROM {relation} LIMIT 2)").fetchone()
    if len(lists) != 1 or row is None or row[0] != 1:
        return relation
    return f"(SELECT unnest(record) FROM (SELECT unnest({ident(lists[0])}) AS record FROM {relation}))"


def _is_records(sql_type: str) -> bool:
    return sql_type.startswith("STRUCT(") and sql_type.endswith("[]")


def _relation(con: duckdb.DuckDBPyConnection, relation: str, *, without: str | None = None) -> list[_Cell]:
    """The columns of a relation, those of nested objects one by one."""
    try:
        found = con.sql(f"SELECT * FROM {relation}")
        columns: Mapping[str, DuckDBPyType] = dict(zip(found.columns, found.types, strict=True))
    except (RuntimeError, UnicodeError) as error:  # names that are no UTF-8
        raise DatasetError("the file cannot be read: the names of its columns are damaged") from error
    cells = [
        cell for name, kind in columns.items() if name != without for cell in _flat(name, ident(name), kind, _DEEPEST)
    ]
    if not cells:
        raise DatasetError("no data in the file: it has no columns")
    if len(cells) > _MOST_COLUMNS:
        cells = [c for name, kind in columns.items() if name != without for c in _flat(name, ident(name), kind, 0)]
    return cells


def _flat(name: str, sql: str, kind: DuckDBPyType, depth: int) -> Iterator[_Cell]:
    if kind.id != "struct" or depth == 0:
        yield _Cell(name, sql, str(kind))
        return
    for inner, inner_kind in kind.children:
        assert isinstance(inner_kind, DuckDBPyType)
        yield from _flat(f"{name}.{inner}", f"struct_extract({sql}, {literal(str(inner))})", inner_kind, depth - 1)


def _as_raw(
    con: duckdb.DuckDBPyConnection, what: str, relation: str, rowid: str | None, cells: list[_Cell], notes: list[str]
) -> TypedTable:
    listed = ", ".join(f"{_unwrapped(cell)} AS c{i}" for i, cell in enumerate(cells))
    numbered = f"{rowid} AS rowid, " if rowid else ""
    con.execute(f"CREATE OR REPLACE {what} raw AS SELECT {numbered}{listed} FROM {relation}")
    names, remarks = unique_names([cell.name for cell in cells])
    kinds = tuple("VARCHAR" if cell.kind == "JSON" else cell.kind for cell in cells)
    return TypedTable(names, kinds, [*notes, *remarks])


def _unwrapped(cell: _Cell) -> str:
    return f"({cell.sql} ->> '$')" if cell.kind == "JSON" else cell.sql


def _widened(con: duckdb.DuckDBPyConnection, c: str, kind: str, beyond: bool) -> str:
    """Small and unsigned whole numbers become BIGINT (sums and differences of them overflow), NaN and infinity NULL."""
    if kind == "DOUBLE":
        return bounded(c) if beyond else c
    if kind == "FLOAT":
        exact = f"CAST(CAST({c} AS VARCHAR) AS DOUBLE)"
        return bounded(exact) if beyond else exact
    if kind in {"TINYINT", "SMALLINT", "INTEGER", "UTINYINT", "USMALLINT", "UINTEGER"}:
        return f"CAST({c} AS BIGINT)"
    if kind == "UBIGINT" and _fits_bigint(con, c):
        return f"CAST({c} AS BIGINT)"
    if kind in {"TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"}:
        return f"CAST({c} AS TIMESTAMP)"
    if kind.startswith(("ENUM", "BIGNUM", "VARINT")) or kind.strip('"') == "NULL":
        return f"CAST({c} AS VARCHAR)"
    return c


def _fits_bigint(con: duckdb.DuckDBPyConnection, c: str) -> bool:
    row = con.execute(f"SELECT coalesce(max({c}) <= 9223372036854775807, true) FROM raw").fetchone()
    return bool(row and row[0])


def _any_beyond(con: duckdb.DuckDBPyConnection, floats: list[int]) -> list[int]:
    """Which of the columns hold a number that nothing can be computed with; all are read in one pass."""
    if not floats:
        return []
    tests = ", ".join(f"bool_or({beyond_sql(f'c{i}')})" for i in floats)
    row = con.execute(f"SELECT {tests} FROM raw").fetchone()
    return [i for i, found in zip(floats, row or (), strict=True) if found]
