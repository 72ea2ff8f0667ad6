"""Delimited text: which character separates, where the header is, and every record as text."""

import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import duckdb

from datasets.errors import DatasetError
from datasets.plain import counted
from datasets.sql import literal

csv.field_size_limit(1 << 30)

_SAMPLE_CHARS = 1 << 18
_MAX_TITLES = 20
_DELIMITERS = (",", "\t", ";", "|")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?%?")
_DATE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([ T].*)?")
_NOTE = re.compile(r"(?i)\s*(note|source|quelle|hinweis|\*|\(|†|¹|\[\d|disclaimer|data as of|generated)")
MAX_COLUMNS = 5_000
ROW = "__row"
"""Name of the column that keeps the file order; no column of a file may have it."""


@dataclass(frozen=True)
class Layout:
    """How the text is to be cut into records and cells."""

    delimiter: str
    header_row: int | None
    names: tuple[str, ...]
    quoting: bool = True
    notes: tuple[str, ...] = ()


@dataclass
class RawTable:
    """All cells as text in table `raw` of the connection, columns c0, c1, ... in file order."""

    names: tuple[str, ...]
    notes: list[str] = field(default_factory=list)


def read_delimited(con: duckdb.DuckDBPyConnection, path: Path, work: Path) -> RawTable:
    """Load a UTF-8 text file into table `raw`, nothing but text, in file order.

    :raises DatasetError: when no record can be found.
    """
    layout = find_layout(path)
    table = RawTable(layout.names, list(layout.notes))
    if len(layout.names) > MAX_COLUMNS:
        raise DatasetError(f"the file has {len(layout.names):,} columns; at most {MAX_COLUMNS:,} can be read")
    if len(layout.names) > 1 and _read_regular(con, path, layout):
        return table
    if not _quotes_close(path, layout.delimiter):
        layout = find_layout(path, quoting=False)
        table = RawTable(layout.names, list(layout.notes))
    _read_irregular(con, path, layout, work, table.notes)
    return table


def find_layout(path: Path, *, quoting: bool = True) -> Layout:
    """Decide delimiter and header from the first part of the text."""
    with path.open(encoding="utf-8", newline="") as stream:
        sample = stream.read(_SAMPLE_CHARS)
        complete = not stream.read(1)
    declared = re.match(r"sep=(.)\r?\n", sample)
    delimiter = declared[1] if declared else _delimiter(sample)
    rows = [r for r in _rows(sample, delimiter, quoting=quoting) if r]
    if not complete and len(rows) > 1:
        rows = rows[:-1]
    rows = [r for r in rows if any(cell.strip() for cell in r)]
    if declared:
        rows = rows[1:]
    if not rows:
        raise DatasetError("no data in the file: all cells are empty")
    layout = _layout(rows, delimiter, quoting, only_rows=complete)
    if not declared:
        return layout
    return replace(layout, header_row=(0 if layout.header_row is None else layout.header_row + 1))


def _rows(text: str, delimiter: str, *, quoting: bool) -> list[list[str]]:
    lines = text.splitlines(keepends=True) if not quoting else text.split("\n")
    source = (line if not quoting else line + "\n" for line in lines)
    return list(_reader(source, delimiter, quoting=quoting))


def _reader(lines: Iterator[str], delimiter: str, *, quoting: bool) -> Iterator[list[str]]:
    if quoting:
        return csv.reader(lines, delimiter=delimiter, doublequote=True)
    return csv.reader(lines, delimiter=delimiter, quoting=csv.QUOTE_NONE)


def _delimiter(sample: str) -> str:
    best, best_score = ",", (0.0, 0)
    for candidate in _DELIMITERS:
        rows = [r for r in _rows(sample, candidate, quoting=True) if r][:2_000]
        widths = Counter(len(r) for r in rows)
        wide = [(count, width) for width, count in widths.items() if width > 1]
        if not wide:
            continue
        count, width = max(wide)
        score = (round(count / len(rows), 2), width)
        if score > best_score:
            best, best_score = candidate, score
    return best


def _quotes_close(path: Path, delimiter: str) -> bool:
    """Whether quotation marks are used as such: False when one opens a cell and is never closed."""
    with path.open(encoding="utf-8", newline="") as stream:
        try:
            for _ in csv.reader(stream, delimiter=delimiter, doublequote=True, strict=True):
                pass
        except csv.Error as error:
            return "unexpected end of data" not in str(error)
    return True


def _layout(rows: Sequence[Sequence[str]], delimiter: str, quoting: bool, *, only_rows: bool) -> Layout:
    width = _common_width(rows)
    start = 0 if _one_cell_short(rows, width) else _titles(rows, width)
    notes = [f"{counted(start, 'title line')} above the header set aside"] if start else []
    head, below = list(rows[start]), rows[start + 1 : start + 201]
    if start == 0 and _one_cell_short(rows, width):
        if not any(row[-1].strip() for row in below):
            width -= 1  # every record ends with a delimiter
        else:
            head = ["", *head]  # the first column, the names of the rows, has no name
    width = max(width, len(head))
    if _is_header(head, below):
        if not below and only_rows:
            notes.append("the file holds a header and no rows")
        names, remarks = unique_names(head + [""] * (width - len(head)))
        return Layout(delimiter, start, names, quoting, (*notes, *remarks))
    names = tuple(f"column{i + 1}" for i in range(width))
    notes.append("the file has no header: columns are numbered")
    return Layout(delimiter, start - 1 if start else None, names, quoting, tuple(notes))


def _one_cell_short(rows: Sequence[Sequence[str]], width: int) -> bool:
    """Whether the first row heads all columns but one: row names without a heading, or a delimiter at each end."""
    below = rows[1:201]
    if len(rows[0]) != width - 1 or not below or any(len(row) != width for row in below):
        return False
    return not any(map(_typed, rows[0])) and any(map(_typed, below[0]))


def _titles(rows: Sequence[Sequence[str]], width: int) -> int:
    """How many rows above the header are titles: clearly narrower than the table."""
    narrow = max(2, width // 2)
    for start, row in enumerate(rows[:_MAX_TITLES]):
        if len(row) >= width:
            return start
        if width == 1 or len(row) > narrow or sum(bool(cell.strip()) for cell in row) >= width:
            return 0
    return 0


def _typed(cell: str) -> bool:
    return bool(_NUMBER.fullmatch(cell.strip()) or _DATE.fullmatch(cell.strip()))


def _common_width(rows: Sequence[Sequence[str]]) -> int:
    widths = Counter(len(r) for r in rows[:5_000])
    return max(widths.items(), key=lambda item: (item[1], item[0]))[0]


def _is_header(head: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """A first row is data only where its numbers stand over numbers and nothing in it labels a number."""
    if not below:
        return True
    cells = [c.strip() for c in head]
    numeric = [i for i, c in enumerate(cells) if _typed(c)]
    if not numeric:
        return True
    if len({c for c in cells if c}) < len([c for c in cells if c]):
        return False

    def over_numbers(i: int) -> bool:
        column = [r[i] for r in below if i < len(r) and r[i].strip()]
        return bool(column) and sum(map(_typed, column)) >= 0.9 * len(column)

    labels = [i for i, c in enumerate(cells) if c and i not in numeric]
    if any(over_numbers(i) for i in labels):
        return True
    years = [int(cells[i]) for i in numeric if re.fullmatch(r"(1[89]|20|21)\d\d", cells[i])]
    return len(years) == len(numeric) > 1 and years == sorted(set(years))


def unique_names(cells: Sequence[str]) -> tuple[tuple[str, ...], list[str]]:
    """Column names from header cells: empty ones become "Unnamed: 3" (position from 0), repeats get a suffix."""
    seen = {ROW}
    names: list[str] = []
    renamed: list[str] = []
    for position, cell in enumerate(cells):
        name = re.sub(r"[\x00-\x1f\x7f]+", " ", cell).strip().strip("\ufeff").strip() or f"Unnamed: {position}"
        base, suffix = name, 0
        while name.casefold() in seen:
            suffix += 1
            name = f"{base}.{suffix}"
        if suffix:
            renamed.append(name)
        seen.add(name.casefold())
        names.append(name)
    notes = [f"repeated column names were told apart: {', '.join(renamed[:10])}"] if renamed else []
    return tuple(names), notes


def _read_regular(con: duckdb.DuckDBPyConnection, path: Path, layout: Layout) -> bool:
    """The fast way, for files in which every record has all cells; False when one has not."""
    columns = ", ".join(f"{literal(f'c{i}')}: 'VARCHAR'" for i in range(len(layout.names)))
    skip = 0 if layout.header_row is None else layout.header_row + 1
    if layout.header_row:
        return False
    try:
        con.execute(
            f"CREATE OR REPLACE TABLE raw AS SELECT * FROM read_csv({literal(str(path))}, auto_detect=false,"
            f" header={'true' if skip else 'false'}, delim={literal(layout.delimiter)}, quote='\"', escape='\"',"
            f" columns={{{columns}}}, strict_mode=true, null_padding=false, max_line_size=100000000,"
            f" nullstr='', allow_quoted_nulls=true)"
        )
    except duckdb.Error:
        return False
    return True


def _read_irregular(con: duckdb.DuckDBPyConnection, path: Path, layout: Layout, work: Path, notes: list[str]) -> None:
    """The careful way: record by record, short ones padded, long ones cut, blank ones left out; all counted."""
    width = len(layout.names)
    clean = work / "records.csv"
    with (
        path.open(encoding="utf-8", newline="") as source,
        clean.open("w", encoding="utf-8", newline="") as out,
    ):
        records = _Records(csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_ALL), layout)
        for row in _reader(iter(source), layout.delimiter, quoting=layout.quoting):
            records.take(row)
        notes += records.finish()
    columns = ", ".join(f"{literal(f'c{i}')}: 'VARCHAR'" for i in range(width))
    if clean.stat().st_size == 0:
        con.execute(f"CREATE OR REPLACE TABLE raw ({', '.join(f'c{i} VARCHAR' for i in range(width))})")
    else:
        con.execute(
            f"CREATE OR REPLACE TABLE raw AS SELECT * FROM read_csv({literal(str(clean))}, auto_detect=false,"
            f" header=false, delim=',', quote='\"', escape='\"', columns={{{columns}}}, max_line_size=100000000,"
            f" nullstr='', allow_quoted_nulls=true, parallel=false)"
        )
        clean.unlink()
    if not layout.quoting:
        notes.append("a quotation mark is never closed: quotation marks were read as ordinary characters")


class _Records:
    """Writes records of one width; narrow records at the very end may be footnotes and wait for their turn."""

    def __init__(self, writer: Any, layout: Layout) -> None:
        self._writer = writer
        self._width = len(layout.names)
        self._skip = -1 if layout.header_row is None else layout.header_row
        self._number = -1
        self._short = self._long = self._blank = 0
        self._after_blank = False
        self._waiting: list[tuple[list[str], bool]] = []

    def take(self, row: list[str]) -> None:
        if not any(cell.strip() for cell in row):
            self._blank += self._number >= self._skip
            self._after_blank = True
            return
        self._number += 1
        if self._number > self._skip:
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
                f"{counted(self._long, 'record')} with more cells than the header: the cells beyond it left out"
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
            self._long += any(cell.strip() for cell in row[self._width :])
            row = row[: self._width]
        self._writer.writerow(row)
