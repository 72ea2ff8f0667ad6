"""Files that carry their own types: Parquet and JSON."""

from pathlib import Path

import duckdb

from datasets.errors import DatasetError
from datasets.loading.delimited import unique_names
from datasets.sql import ident, literal

ROW = "__row"


def read_parquet(con: duckdb.DuckDBPyConnection, path: Path) -> tuple[tuple[str, ...], list[str]]:
    """Copy a Parquet file into `store.data`, types as they are."""
    return _copy(con, f"read_parquet({literal(str(path))})")


def read_json(con: duckdb.DuckDBPyConnection, path: Path, *, lines: bool) -> tuple[tuple[str, ...], list[str]]:
    """Copy JSON records into `store.data`: one column a key, types decided on all records."""
    layout = "newline_delimited" if lines else "auto"
    return _copy(
        con,
        f"read_json({literal(str(path))}, format={literal(layout)}, sample_size=-1, maximum_object_size=268435456,"
        f" union_by_name=true)",
    )


def _copy(con: duckdb.DuckDBPyConnection, relation: str) -> tuple[tuple[str, ...], list[str]]:
    con.execute(f"CREATE TABLE raw AS SELECT * FROM {relation}")
    columns = [str(r[0]) for r in con.execute("DESCRIBE raw").fetchall()]
    if not columns:
        raise DatasetError("no data in the file: it has no columns")
    names, notes = unique_names(columns)
    cells = ", ".join(f"{ident(old)} AS {ident(new)}" for old, new in zip(columns, names, strict=True))
    con.execute(f"CREATE TABLE store.data AS SELECT rowid AS {ident(ROW)}, {cells} FROM raw")
    con.execute("CREATE TABLE store.rejects (column_name VARCHAR, row_number BIGINT, cell VARCHAR)")
    return names, notes
