"""One table of a source, before it is read."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

PartKind = Literal["delimited", "records", "parquet", "json", "jsonl", "duckdb"]


@dataclass(frozen=True)
class Part:
    """A local file (a name without special characters) and how it is to be read.

    delimited: text as it came, in UTF-8 · records: a CSV file of our own making, every cell quoted, no header, its
    columns in `header` · duckdb: table `table` of a database of our own making.
    """

    name: str
    """As the source calls it: a file, a sheet, a table. Data, never SQL."""
    path: Path
    kind: PartKind
    header: tuple[str, ...] = ()
    table: str = ""
    notes: tuple[str, ...] = ()
    aside: tuple[tuple[str, str], ...] = ()
    """(reason, text) of the rows that were set aside already."""
