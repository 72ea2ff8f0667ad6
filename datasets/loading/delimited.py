"""Delimited text: which character separates, where the header is, and every record as text."""

import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import duckdb

from datasets.errors import DatasetError
from datasets.sql import ident, literal

csv.field_size_limit(1 << 30)

_SAMPLE_CHARS = 1 << 18
_DELIMITERS = (",", "\t", ";", "|")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?%?")
_DATE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([ T].*)?")
MAX_COLUMNS = 5_000


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
    if len(layout.names) > 1 and layout.quoting and _read_regular(con, path, layout):
        return table
    _read_irregular(con, path, layout, work, table.notes)
    return table


def find_layout(path: Path) -> Layout:
    """Decide delimiter and header from the first part of the text."""
    with path.open(encoding="utf-8", newline="") as stream:
        sample = stream.read(_SAMPLE_CHARS)
        complete = not stream.read(1)
    delimiter = _delimiter(sample)
    quoting = _quotes_close(path, delimiter)
    rows = [r for r in _rows(sample, delimiter, quoting=quoting) if r]
    if not complete and len(rows) > 1:
        rows = rows[:-1]
    if not any(any(cell.strip() for cell in row) for row in rows):
        raise DatasetError("no data in the file: all cells are empty")
    return _layout(rows, delimiter, quoting, only_rows=complete)


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
    """Whether quotes are used as quotes: False when one is opened and never closed."""
    with path.open(encoding="utf-8", newline="") as stream:
        if '"' not in stream.read(_SAMPLE_CHARS):
            return True
        stream.seek(0)
        inside = False
        for line in stream:
            inside ^= bool(line.count('"') % 2)
    return not inside


def _layout(rows: Sequence[Sequence[str]], delimiter: str, quoting: bool, *, only_rows: bool) -> Layout:
    width = _common_width(rows)
    start = 0
    while start < len(rows) - 1 and len(rows[start]) != width and len(rows[start + 1]) <= width:
        start += 1
    if len(rows[start]) < width:
        start = 0
    notes = [f"{start} title lines above the header were set aside"] if start else []
    head, below = rows[start], rows[start + 1 : start + 201]
    width = max(width, len(head))
    if _is_header(head, below):
        if not below and only_rows:
            notes.append("the file holds a header and no rows")
        names, remarks = unique_names(list(head) + [""] * (width - len(head)))
        return Layout(delimiter, start, names, quoting, (*notes, *remarks))
    names = tuple(f"column{i + 1}" for i in range(width))
    notes.append("the file has no header: columns are numbered")
    return Layout(delimiter, start - 1 if start else None, names, quoting, tuple(notes))


def _common_width(rows: Sequence[Sequence[str]]) -> int:
    widths = Counter(len(r) for r in rows[:5_000])
    return max(widths.items(), key=lambda item: (item[1], item[0]))[0]


def _is_header(head: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """A first row is data only where its numbers stand over numbers and nothing in it labels a number."""
    if not below:
        return True
    cells = [c.strip() for c in head]
    numeric = [i for i, c in enumerate(cells) if _NUMBER.fullmatch(c) or _DATE.fullmatch(c)]
    if not numeric:
        return True
    if len({c for c in cells if c}) < len([c for c in cells if c]):
        return False

    def typed(i: int) -> bool:
        column = [r[i].strip() for r in below if i < len(r) and r[i].strip()]
        hits = sum(1 for c in column if _NUMBER.fullmatch(c) or _DATE.fullmatch(c))
        return bool(column) and hits >= 0.9 * len(column)

    labels = [i for i, c in enumerate(cells) if c and i not in numeric]
    if any(typed(i) for i in labels):
        return True
    years = [int(cells[i]) for i in numeric if re.fullmatch(r"(1[89]|20|21)\d\d", cells[i])]
    return len(years) == len(numeric) > 1 and years == sorted(set(years))


def unique_names(cells: Sequence[str]) -> tuple[tuple[str, ...], list[str]]:
    """Column names from header cells: empty ones become "Unnamed: 3" (position from 0), repeats get a suffix."""
    seen: set[str] = set()
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
    short = long = blank = 0
    with (
        path.open(encoding="utf-8", newline="") as source,
        clean.open("w", encoding="utf-8", newline="") as out,
    ):
        writer = csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_ALL)
        skip = -1 if layout.header_row is None else layout.header_row
        number = -1
        for row in _reader(iter(source), layout.delimiter, quoting=layout.quoting):
            if not row or (width > 1 and not any(cell.strip() for cell in row)) or (width == 1 and not row[0].strip()):
                blank += number >= skip
                continue
            number += 1
            if number <= skip:
                continue
            if len(row) < width:
                short += 1
                row += [""] * (width - len(row))
            elif len(row) > width:
                long += any(cell.strip() for cell in row[width:])
                row = row[:width]
            writer.writerow(row)
    columns = ", ".join(f"{literal(f'c{i}')}: 'VARCHAR'" for i in range(width))
    if clean.stat().st_size == 0:
        cells = ", ".join(f"{ident(f'c{i}')} VARCHAR" for i in range(width))
        con.execute(f"CREATE OR REPLACE TABLE raw ({cells})")
    else:
        con.execute(
            f"CREATE OR REPLACE TABLE raw AS SELECT * FROM read_csv({literal(str(clean))}, auto_detect=false,"
            f" header=false, delim=',', quote='\"', escape='\"', columns={{{columns}}}, max_line_size=100000000,"
            f" nullstr='', allow_quoted_nulls=true, parallel=false)"
        )
        clean.unlink()
    if blank:
        notes.append(f"{blank:,} blank lines were left out")
    if short:
        notes.append(f"{short:,} records had fewer cells than the header; the missing cells are empty")
    if long:
        notes.append(f"{long:,} records had more cells than the header; the cells beyond it were left out")
    if not layout.quoting:
        notes.append("a quotation mark is never closed: quotation marks were read as ordinary characters")
