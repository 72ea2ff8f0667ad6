"""Delimited text: every record as text, in file order."""

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb

from datasets.errors import DatasetError
from datasets.loading.layout import Layout, find_layout, quotes_close, records, unique_names
from datasets.loading.overrides import Overrides
from datasets.loading.part import Part
from datasets.plain import counted
from datasets.sql import literal

MAX_COLUMNS = 5_000
_CHUNK = 1 << 20
_BLANKS = "' ' || chr(65279)"
"""SQL: what may stand around a cell of a repeated header: files put end to end keep their byte order marks."""
_RULE = re.compile(r"[-=_+*]{3,}")
_NOTE = re.compile(r"(?i)\s*(note|source|quelle|hinweis|\*|\(|†|¹|\[\d|disclaimer|data as of|generated)")


@dataclass
class RawTable:
    """All cells as text in table `raw` of the connection, columns c0, c1, ... in file order.

    `aside`: (reason, text) of the records that are no rows; `beyond`: (row, text) of cells that no column holds.
    """

    names: tuple[str, ...]
    notes: list[str] = field(default_factory=list)
    header: tuple[str, ...] = ()
    aside: list[tuple[str, str]] = field(default_factory=list)
    beyond: list[tuple[int, str]] = field(default_factory=list)
    looked_up: dict[str, str] = field(default_factory=dict)
    """Columns that are the same on all rows of one record of the file, each with the column that tells the record."""
    doubts: tuple[str, ...] = ()
    """What makes sums of some columns uncertain, one sentence each."""


def read_delimited(con: duckdb.DuckDBPyConnection, path: Path, work: Path, overrides: Overrides) -> RawTable:
    """Load a UTF-8 text file into table `raw`, nothing but text, in file order.

    :raises DatasetError: when no record can be found.
    """
    layout = find_layout(path, overrides)
    _check_width(layout.names)
    if len(layout.names) > 1 and _read_regular(con, path, layout):
        table = RawTable(layout.names, list(layout.notes), layout.header)
        _leave_out_blank_rows(con, table)
    else:
        if layout.escape is None and not quotes_close(path, layout.delimiter):
            layout = find_layout(path, overrides, quoting=False)
            _check_width(layout.names)
        table = RawTable(layout.names, list(layout.notes), layout.header)
        _read_irregular(con, path, layout, work, table)
    _set_headers_aside(con, table)
    return table


def read_records(con: duckdb.DuckDBPyConnection, part: Part) -> RawTable:
    """Load records of our own making into table `raw`."""
    _check_width(part.header)
    names, remarks = unique_names(part.header)
    _load_clean(con, part.path, len(names))
    return RawTable(names, [*part.notes, *remarks], aside=list(part.aside))


def unwrap_formulas(con: duckdb.DuckDBPyConnection, width: int) -> None:
    """Take the text out of cells such as ="00123", with which exports keep spreadsheets from reading numbers."""
    tests = ", ".join(f"coalesce(bool_or(starts_with(c{i}, '=\"')), false)" for i in range(width))
    found = con.execute(f"SELECT {tests} FROM raw").fetchone() or ()
    for i in (i for i, wrapped in enumerate(found) if wrapped):
        whole = f'regexp_full_match(c{i}, \'="[^"]*"\')'
        con.execute(f"UPDATE raw SET c{i} = nullif(c{i}[3:-2], '') WHERE {whole}")


def is_footnote(text: str) -> bool:
    """Whether a line reads like a note below a table."""
    return bool(_NOTE.match(text))


def _leave_out_blank_rows(con: duckdb.DuckDBPyConnection, table: RawTable) -> None:
    blank = " AND ".join(f"(c{i} IS NULL OR trim(c{i}) = '')" for i in range(len(table.names)))
    gone = con.execute(f"DELETE FROM raw WHERE {blank}").fetchone()
    if gone and gone[0]:
        table.notes.append(f"{counted(gone[0], 'blank line')} left out")


def _check_width(names: Sequence[str]) -> None:
    if len(names) > MAX_COLUMNS:
        raise DatasetError(f"the file has {len(names):,} columns; at most {MAX_COLUMNS:,} can be read")


def _set_headers_aside(con: duckdb.DuckDBPyConnection, table: RawTable) -> None:
    """Take out records that repeat the header, as printed pages and files put end to end do."""
    if sum(bool(cell.strip()) for cell in table.header) < 2:
        return
    same = " AND ".join(
        f"coalesce(trim(c{i}, {_BLANKS}), '') = {literal(cell.strip())}"
        for i, cell in enumerate(table.header)
        if "\x00" not in cell
    )
    gone = con.execute(f"DELETE FROM raw WHERE {same} RETURNING 1").fetchall()
    if gone:
        table.aside += [("header", " | ".join(table.header))] * len(gone)
        table.notes.append(f"the header is repeated {counted(len(gone), 'time')} among the rows; left out")


def _read_regular(con: duckdb.DuckDBPyConnection, path: Path, layout: Layout) -> bool:
    """The fast way, for files in which every record has all cells; False when one has not."""
    columns = ", ".join(f"{literal(f'c{i}')}: 'VARCHAR'" for i in range(len(layout.names)))
    skip = 0 if layout.header_row is None else layout.header_row + 1
    if layout.header_row or layout.blank_first or layout.escape or (skip and not layout.header):
        return False
    # Room for records as long as a file is a buffer for one thread; without quotation marks a line is a record.
    longest = "" if not _quotes(path) else ", max_line_size=100000000"
    try:
        con.execute(
            f"CREATE OR REPLACE TABLE raw AS SELECT * FROM read_csv({literal(str(path))}, auto_detect=false,"
            f" header={'true' if skip else 'false'}, delim={literal(layout.delimiter)}, quote='\"', escape='\"',"
            f" columns={{{columns}}}, strict_mode=true, null_padding=false{longest},"
            f" nullstr='', allow_quoted_nulls=true)"
        )
    except duckdb.Error:
        return False
    return True


def _quotes(path: Path) -> bool:
    """Whether a quotation mark stands anywhere in a text."""
    with path.open("rb") as stream:
        return any(b'"' in chunk for chunk in iter(lambda: stream.read(_CHUNK), b""))


def _read_irregular(con: duckdb.DuckDBPyConnection, path: Path, layout: Layout, work: Path, table: RawTable) -> None:
    """The careful way: record by record, short ones padded, long ones cut, blank ones left out; all counted."""
    clean = work / "records.csv"
    with (
        path.open(encoding="utf-8", newline="") as source,
        clean.open("w", encoding="utf-8", newline="") as out,
    ):
        writing = _Records(csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_ALL), layout)
        for row in records(iter(source), layout.delimiter, quoting=layout.quoting, escape=layout.escape):
            writing.take(row)
        table.notes += writing.finish()
    table.aside += writing.aside
    table.beyond += writing.beyond
    _load_clean(con, clean, len(layout.names))
    clean.unlink()
    if not layout.quoting:
        table.notes.append("a quotation mark is never closed: quotation marks were read as ordinary characters")


def _load_clean(con: duckdb.DuckDBPyConnection, path: Path, width: int) -> None:
    """Load a CSV file that was written here: every cell quoted, no header, all records of one width."""
    if path.stat().st_size == 0:
        con.execute(f"CREATE OR REPLACE TABLE raw ({', '.join(f'c{i} VARCHAR' for i in range(width))})")
        return
    columns = ", ".join(f"{literal(f'c{i}')}: 'VARCHAR'" for i in range(width))
    con.execute(
        f"CREATE OR REPLACE TABLE raw AS SELECT * FROM read_csv({literal(str(path))}, auto_detect=false,"
        f" header=false, delim=',', quote='\"', escape='\"', columns={{{columns}}}, max_line_size=100000000,"
        f" nullstr='', allow_quoted_nulls=true, parallel=false)"
    )


_END_OF_FILE = "\x1a"
"""What old systems write behind the last record."""


class _Records:
    """Writes records of one width; narrow records at the very end may be footnotes and wait for their turn."""

    def __init__(self, writer: Any, layout: Layout) -> None:
        self._writer = writer
        self._width = len(layout.names)
        self._skip = -1 if layout.header_row is None else layout.header_row
        self._titles_end = self._skip - (layout.heading_rows - 1) + (not layout.header)
        self._second = layout.heading_rows > 1
        self._number = -1
        self._written = 0
        self._short = self._long = self._blank = 0
        self.aside: list[tuple[str, str]] = []
        self.beyond: list[tuple[int, str]] = []
        self._after_blank = False
        self._waiting: list[tuple[list[str], bool]] = []

    def take(self, row: list[str]) -> None:
        if not any(cell.strip() for cell in row) or row == [_END_OF_FILE]:
            self._blank += self._number >= self._skip
            self._after_blank = True
            return
        self._number += 1
        if len(row) == 1 < self._width and self._number > self._skip and _RULE.fullmatch(row[0].strip()):
            self.aside.append(("rule", row[0]))
            return
        if self._number < self._titles_end:
            self.aside.append(("title", " ".join(filter(None, row))))
        elif self._titles_end < self._number <= self._skip and self._second:
            self.aside.append(("heading", " | ".join(row)))
        elif self._number > self._skip:
            if len(row) == 1 < self._width - 1 or (self._waiting and sum(bool(c.strip()) for c in row) == 1):
                self._waiting.append((row, self._after_blank))
            else:
                self._flush()
                self._write(row)
        self._after_blank = False

    def finish(self) -> list[str]:
        footnotes = []
        while self._waiting and (self._waiting[0][1] or _NOTE.match(self._waiting[-1][0][0])):
            footnotes.append(self._waiting.pop()[0][0].strip())
        self._flush()
        self.aside += [("note", text) for text in reversed(footnotes)]
        notes = []
        if footnotes:
            quoted = "; ".join(repr(text[:120]) for text in reversed(footnotes[-3:]))
            notes.append(f"{counted(len(footnotes), 'note')} below the table set aside: {quoted}")
        if self._blank:
            notes.append(f"{counted(self._blank, 'blank line')} left out")
        if self._short:
            notes.append(
                f"{counted(self._short, 'record')} with fewer cells than the header: the missing cells are empty"
            )
        if self._long:
            notes.append(
                f"{counted(self._long, 'record')} with more cells than the header: the cells beyond it were set aside"
            )
        return notes

    def _flush(self) -> None:
        for row, _ in self._waiting:
            self._write(row)
        self._waiting.clear()

    def _write(self, row: list[str]) -> None:
        if len(row) < self._width:
            self._short += 1
            row = row + [""] * (self._width - len(row))
        elif len(row) > self._width:
            if any(cell.strip() for cell in row[self._width :]):
                self._long += 1
                self.beyond.append((self._written, " | ".join(row[self._width :])))
            row = row[: self._width]
        self._writer.writerow(row)
        self._written += 1
