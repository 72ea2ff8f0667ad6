"""Files that carry their own types: Parquet and JSON."""

from dataclasses import dataclass, field
from pathlib import Path

import duckdb

from datasets.errors import DatasetError
from datasets.loading.columns import Reading, decide_dates
from datasets.loading.layout import unique_names
from datasets.sql import ident, literal


@dataclass
class TypedTable:
    """Table `raw` (columns c0, c1, ... with the types of the file) and how each becomes a column of the copy."""

    names: tuple[str, ...]
    expressions: list[str]
    dates: dict[int, Reading]
    non_finite: list[int]
    notes: list[str] = field(default_factory=list)


def read_parquet(con: duckdb.DuckDBPyConnection, path: Path) -> TypedTable:
    """Load a Parquet file, its types kept apart from what `_widened` says."""
    return _load(con, f"read_parquet({literal(str(path))})")


def read_json(con: duckdb.DuckDBPyConnection, path: Path, *, lines: bool) -> TypedTable:
    """Load JSON records: one column a key, types decided on all records."""
    layout = "newline_delimited" if lines else "auto"
    options = f"format={literal(layout)}, sample_size=-1, maximum_object_size=268435456"
    relation = _inside(con, f"read_json({literal(str(path))}, {options}, union_by_name=true)")
    return _load(con, relation if relation.startswith("(") else _digits_kept(con, relation, path, options))


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


def _load(con: duckdb.DuckDBPyConnection, relation: str) -> TypedTable:
    described = con.execute(f"DESCRIBE SELECT * FROM {relation}").fetchall()
    if not described:
        raise DatasetError("no data in the file: it has no columns")
    cells = ", ".join(f"{ident(str(row[0]))} AS c{i}" for i, row in enumerate(described))
    con.execute(f"CREATE OR REPLACE TABLE raw AS SELECT {cells} FROM {relation}")
    names, notes = unique_names([str(row[0]) for row in described])
    types = [str(row[1]) for row in described]
    dates = decide_dates(con, {i: names[i] for i, kind in enumerate(types) if kind == "VARCHAR"})
    expressions = [
        dates[i].sql(f"c{i}") if i in dates else _widened(f"c{i}", kind, _fits_bigint(con, f"c{i}", kind))
        for i, kind in enumerate(types)
    ]
    non_finite = [i for i, kind in enumerate(types) if kind in {"FLOAT", "DOUBLE"} and _any_non_finite(con, f"c{i}")]
    return TypedTable(names, expressions, dates, non_finite, notes)


def _widened(c: str, kind: str, fits: bool) -> str:
    """Small and unsigned whole numbers become BIGINT (sums and differences of them overflow), NaN and infinity NULL."""
    if kind == "DOUBLE":
        return f"CASE WHEN isfinite({c}) THEN {c} END"
    if kind == "FLOAT":
        return f"CASE WHEN isfinite({c}) THEN CAST(CAST({c} AS VARCHAR) AS DOUBLE) END"
    if kind in {"TINYINT", "SMALLINT", "INTEGER", "UTINYINT", "USMALLINT", "UINTEGER"} or (kind == "UBIGINT" and fits):
        return f"CAST({c} AS BIGINT)"
    if kind in {"TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"}:
        return f"CAST({c} AS TIMESTAMP)"
    if kind == "JSON":
        return f"({c} ->> '$')"
    if kind.startswith(("ENUM", "BIGNUM", "VARINT")) or kind.strip('"') == "NULL":
        return f"CAST({c} AS VARCHAR)"
    return c


def _fits_bigint(con: duckdb.DuckDBPyConnection, c: str, kind: str) -> bool:
    if kind != "UBIGINT":
        return True
    row = con.execute(f"SELECT coalesce(max({c}) <= 9223372036854775807, true) FROM raw").fetchone()
    return bool(row and row[0])


def _any_non_finite(con: duckdb.DuckDBPyConnection, c: str) -> bool:
    row = con.execute(f"SELECT count(*) FROM raw WHERE {c} IS NOT NULL AND NOT isfinite({c})").fetchone()
    return bool(row and row[0])
