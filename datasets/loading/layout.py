"""Where a text has its header, what separates its cells, and what its columns are called."""

import csv
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from datasets.errors import DatasetError
from datasets.loading.headings import second_row
from datasets.loading.overrides import Overrides
from datasets.loading.periods import periods_among
from datasets.plain import counted

csv.field_size_limit(1 << 30)

ROW = "__row"
"""Name of the column that keeps the file order; no column of a file may have it."""
_SAMPLE_CHARS = 1 << 18
_MAX_TITLES = 20
_JUDGED_ROWS = 2_000
_DELIMITERS = (",", "\t", ";", "|")
_RARE_DELIMITERS = ("\x01", "\x1f", "~", "^")
"""Taken where none of the others separates anything."""
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?%?")
_DATE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([ T].*)?")


@dataclass(frozen=True)
class Layout:
    """How the text is to be cut into records and cells."""

    delimiter: str
    header_row: int | None
    names: tuple[str, ...]
    quoting: bool = True
    notes: tuple[str, ...] = ()
    header: tuple[str, ...] = ()
    """The cells of the header as they are written; empty without one."""
    heading_rows: int = 1
    """How many rows, the header row the last of them, head the columns."""
    blank_first: bool = False
    """Whether blank records stand above everything else."""
    escape: str | None = None
    """What stands before a quotation mark that is part of a cell, where it is not another one."""


def find_layout(path: Path, overrides: Overrides, *, quoting: bool = True) -> Layout:
    """Decide delimiter and header from the first part of the text, where the catalogue does not settle them."""
    with path.open(encoding="utf-8", newline="") as stream:
        sample = stream.read(_SAMPLE_CHARS)
        complete = not stream.read(1)
    declared = re.match(r"sep=(.)\r?\n", sample)
    delimiter = overrides.delimiter or (declared[1] if declared else separating(sample))
    escape = _escape(sample, delimiter) if quoting else None
    every = list(_rows(sample, delimiter, quoting=quoting, escape=escape))
    if not complete and len(every) > 1:
        every = every[:-1]
    rows = [r for r in every if any(cell.strip() for cell in r)]
    if declared:
        rows = rows[1:]
    if not rows:
        raise DatasetError("no data in the file: all cells are empty")
    if overrides.header_line is not None:
        return replace(_headed(rows, overrides.header_line - 1, delimiter, quoting), escape=escape)
    layout = replace(
        _layout(rows, delimiter, quoting, only_rows=complete), blank_first=every[0] not in rows, escape=escape
    )
    if not declared:
        return layout
    return replace(layout, header_row=(0 if layout.header_row is None else layout.header_row + 1))


def _headed(rows: Sequence[Sequence[str]], at: int, delimiter: str, quoting: bool) -> Layout:
    """The layout of a text whose header line a person has named."""
    if at >= len(rows):
        raise DatasetError(f"the header cannot be record {at + 1:,}: only {len(rows):,} were found at the beginning")
    names, remarks = unique_names(rows[at])
    titles = (f"{counted(at, 'title line')} above the header set aside",) if at else ()
    return Layout(delimiter, at, names, quoting, (*titles, *remarks), tuple(rows[at]))


def _rows(text: str, delimiter: str, *, quoting: bool, escape: str | None = None) -> Iterator[list[str]]:
    lines = text.splitlines(keepends=True) if not quoting else text.split("\n")
    source = (line if not quoting else line + "\n" for line in lines)
    return records(source, delimiter, quoting=quoting, escape=escape)


def records(lines: Iterator[str], delimiter: str, *, quoting: bool, escape: str | None = None) -> Iterator[list[str]]:
    """Cut lines into records; `escape` stands before a quotation mark that is part of a cell."""
    if quoting:
        return csv.reader(lines, delimiter=delimiter, doublequote=True, escapechar=escape)
    return csv.reader(lines, delimiter=delimiter, quoting=csv.QUOTE_NONE)


def _escape(sample: str, delimiter: str) -> str | None:
    """A backslash, where records have one width only if it keeps the quotation mark behind it from closing a cell."""
    if '\\"' not in sample:
        return None
    uneven = {e: _uneven(list(_rows(sample, delimiter, quoting=True, escape=e))) for e in (None, "\\")}
    return "\\" if uneven["\\"] < uneven[None] else None


def _uneven(rows: Sequence[Sequence[str]]) -> int:
    widths = Counter(len(r) for r in rows if r)
    return sum(widths.values()) - max(widths.values(), default=0)


def separating(sample: str) -> str:
    """The sign that separates the cells of a text."""
    return _best_of(_DELIMITERS, sample) or _best_of(_RARE_DELIMITERS, sample) or ","


def _best_of(candidates: Sequence[str], sample: str) -> str | None:
    best, best_score = None, (0.0, 0)
    for candidate in candidates:
        rows = list(islice(filter(None, _rows(sample, candidate, quoting=True)), _JUDGED_ROWS))
        widths = Counter(len(r) for r in rows)
        wide = [(count, width) for width, count in widths.items() if width > 1]
        if not wide:
            continue
        count, width = max(wide)
        torn = sum(any(cell.count('"') % 2 for cell in row) for row in rows)  # cut through what is quoted
        ragged = sum(n for n, _ in wide)  # records of other widths speak for the delimiter as well
        score = (round((count + ragged - torn) / (2 * len(rows)), 2), width)
        if score > best_score:
            best, best_score = candidate, score
    return best


def quotes_close(path: Path, delimiter: str) -> bool:
    """Whether quotation marks are used as such: False when one opens a cell and is never closed."""
    with path.open(encoding="utf-8", newline="") as stream:
        try:
            for _ in csv.reader(stream, delimiter=delimiter, doublequote=True, strict=True):
                pass
        except csv.Error as error:
            return "unexpected end of data" not in str(error)
    return True


def _layout(rows: Sequence[Sequence[str]], delimiter: str, quoting: bool, *, only_rows: bool) -> Layout:
    remarks_above = _comments(rows)
    if remarks_above:
        layout = _layout(rows[remarks_above:], delimiter, quoting, only_rows=only_rows)
        at = remarks_above + (-1 if layout.header_row is None else layout.header_row)
        told = f"{counted(remarks_above, 'line')} of remarks (#) above the header set aside"
        return replace(layout, header_row=at, notes=(told, *layout.notes))
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
        second = second_row(head + [""] * (width - len(head)), below)
        if second:
            names, remarks = unique_names(second.names)
            notes += [second.remark, *remarks]
            return Layout(
                delimiter, start + second.rows, names, quoting, tuple(notes), tuple(head), heading_rows=1 + second.rows
            )
        if not below and only_rows:
            notes.append("the file holds a header and no rows")
        names, remarks = unique_names(head + [""] * (width - len(head)))
        return Layout(delimiter, start, names, quoting, (*notes, *remarks), tuple(head))
    names = tuple(f"column{i + 1}" for i in range(width))
    notes.append("the file has no header: columns are numbered")
    return Layout(delimiter, start - 1 if start else None, names, quoting, tuple(notes))


def _comments(rows: Sequence[Sequence[str]]) -> int:
    """How many rows at the top are remarks behind a #; one as wide as what follows them names the columns instead."""
    above = next((i for i, row in enumerate(rows) if not row[0].lstrip().startswith("#")), 0)
    width = len(rows[above])
    return next((i for i in range(above) if len(rows[i]) >= width > 1), above) if width > 1 else 0


def _one_cell_short(rows: Sequence[Sequence[str]], width: int) -> bool:
    """Whether the first row heads all columns but one: row names without a heading, or a delimiter at each end."""
    below = rows[1:201]
    if len(rows[0]) != width - 1 or not below or any(len(row) != width for row in below):
        return False
    return not any(map(is_typed, rows[0])) and any(map(is_typed, below[0]))


def _titles(rows: Sequence[Sequence[str]], width: int) -> int:
    """How many rows above the header are titles: clearly narrower than the table."""
    narrow = max(2, width // 2)
    for start, row in enumerate(rows[:_MAX_TITLES]):
        if len(row) >= width:
            return start
        if width == 1 or len(row) > narrow or sum(bool(cell.strip()) for cell in row) >= width:
            return 0
    return 0


def is_typed(cell: str) -> bool:
    """Whether a cell is a number or a date and no word."""
    return bool(_NUMBER.fullmatch(cell.strip()) or _DATE.fullmatch(cell.strip()))


def _common_width(rows: Sequence[Sequence[str]]) -> int:
    widths = Counter(len(r) for r in rows[:5_000])
    return max(widths.items(), key=lambda item: (item[1], item[0]))[0]


def _is_header(head: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """A first row is data only where its numbers stand over numbers and nothing in it labels a number."""
    if not below:
        return True
    cells = [c.strip() for c in head]
    numeric = [i for i, c in enumerate(cells) if is_typed(c)]
    if not numeric:
        return True
    if len({c for c in cells if c}) < len([c for c in cells if c]):
        return False

    def over(i: int, held: Callable[[str], object]) -> bool:
        column = [r[i].strip() for r in below if i < len(r) and r[i].strip()]
        return bool(column) and sum(bool(held(cell)) for cell in column) >= 0.9 * len(column)

    labels = [i for i, c in enumerate(cells) if c and i not in numeric]
    if any(over(i, is_typed) for i in labels):
        return True
    years = [int(cells[i]) for i in numeric if re.fullmatch(r"(1[89]|20|21)\d\d", cells[i])]
    if len(years) == len(numeric) > 1 and years == sorted(set(years)):
        return True
    periods = periods_among(cells)
    return periods is not None and all(i in periods.positions and over(i, _NUMBER.fullmatch) for i in numeric)


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
