"""A sheet of cells: where its table begins, which rows head it, and what merged cells stand for."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from datasets.loading.delimited import is_footnote
from datasets.plain import counted

Grid = list[list[str]]
_NUMBER = re.compile(r"[+-]?[\d.,]+%?|\d{4}-\d\d-\d\d.*|true|false")
_SEARCHED_ROWS = 60
_SAMPLED_ROWS = 400
_MOST_HEADER_ROWS = 3


class Area(NamedTuple):
    """A merged area, ends included."""

    top: int
    left: int
    bottom: int
    right: int


class SheetTable(NamedTuple):
    """The table of a sheet: names, records of that width, what was decided, and (reason, text) of rows set aside."""

    header: tuple[str, ...]
    rows: Grid
    notes: tuple[str, ...]
    aside: tuple[tuple[str, str], ...]


def find_table(cells: Grid, merged: Sequence[Area], *, header_line: int | None = None) -> SheetTable | None:
    """Find the table of a sheet; None where it holds none (a cover, a chart sheet, a single cell).

    A label merged over several rows holds for each of them; one merged over several columns of a heading heads each.
    Blank rows and columns are left out. Rows above the heading are titles, single cells below a gap are notes.

    :param header_line: the row, from 1, that ends the heading; for sheets in which it is not found.
    """
    used = _used_columns(cells)
    filled = [i for i, row in enumerate(cells) if any(row)]
    if not used or len(filled) < 2:
        return None
    first = filled[0] if header_line is None else header_line - 1
    top = _heading(cells, merged, used) if header_line is None else first
    if top is None or top >= len(cells):
        return None
    depth = _depth(cells, merged, used, top) if header_line is None else 1
    _spread(cells, merged, top, depth)
    names = tuple(_name([cells[r][c] for r in range(top, top + depth)]) for c in used)
    body = [(i, [cells[i][c] for c in used]) for i in range(top + depth, len(cells)) if any(cells[i])]
    footnotes = _footnotes(body, len(used))
    rows = [row for _, row in body[: len(body) - len(footnotes)]]
    if not rows or (len(used) == 1 and len(rows) < 3):
        return None
    titles = [" ".join(filter(None, cells[i])) for i in filled if i < top]
    notes = _notes(titles, footnotes, depth, last=body[-1][0], first=top + depth, kept=len(body))
    aside = (*(("title", t) for t in titles), *(("note", n) for n in footnotes))
    return SheetTable(names, rows, notes, aside)


def _used_columns(cells: Grid) -> list[int]:
    width = max((len(row) for row in cells), default=0)
    for row in cells:
        row.extend([""] * (width - len(row)))
    return [c for c in range(width) if any(row[c] for row in cells)]


def _heading(cells: Grid, merged: Sequence[Area], used: list[int]) -> int | None:
    """The first row that heads most columns; a title spans the sheet or stands alone."""
    wide = {(a.top, a.left): a.right - a.left + 1 for a in merged if a.right > a.left}
    counts = [sum(bool(row[c]) for c in used) for row in cells[:_SAMPLED_ROWS]]
    usual = Counter(n for n in counts if n).most_common(1)[0][0]
    usual = max(usual, max(counts) // 2)
    for i, row in enumerate(cells[:_SEARCHED_ROWS]):
        present = [c for c in used if row[c]]
        covered = sum(wide.get((i, c), 1) for c in present)
        if not present or (len(present) == 1 and len(used) > 1):
            continue
        if covered >= 0.6 * usual:
            return i
    return None


def _depth(cells: Grid, merged: Sequence[Area], used: list[int], top: int) -> int:
    """How many rows the heading has: more than one only where cells of it are merged."""
    over = [a for a in merged if a.top <= top <= a.bottom and a.left in used]
    depth = max((a.bottom - top + 1 for a in over if a.bottom > a.top), default=1)
    if depth == 1 and any(a.right > a.left for a in over) and top + 1 < len(cells):
        below = [cells[top + 1][c] for c in used if cells[top + 1][c]]
        depth = 2 if below and not any(_NUMBER.fullmatch(text) for text in below) else 1
    return min(depth, _MOST_HEADER_ROWS)


def _spread(cells: Grid, merged: Sequence[Area], top: int, depth: int) -> None:
    """Give every cell of a merged area its value: across columns in the heading only, across rows everywhere."""
    for area in merged:
        if area.top < top or area.top >= len(cells) or area.left >= len(cells[area.top]):
            continue
        value = cells[area.top][area.left]
        right = area.right if area.top < top + depth else area.left
        for r in range(area.top, min(area.bottom + 1, len(cells))):
            for c in range(area.left, min(right + 1, len(cells[r]))):
                cells[r][c] = cells[r][c] or value


def _name(levels: list[str]) -> str:
    return " ".join(dict.fromkeys(text for text in levels if text))


def _footnotes(body: list[tuple[int, list[str]]], width: int) -> list[str]:
    """Single cells at the end, below a blank row or worded as a note."""
    found: list[str] = []
    for at in range(len(body) - 1, 0, -1):
        present = [cell for cell in body[at][1] if cell]
        gap = body[at][0] - body[at - 1][0] > 1
        if width < 3 or len(present) != 1 or not (gap or is_footnote(present[0])):
            break
        found.insert(0, present[0])
    return found


def _notes(titles: list[str], footnotes: list[str], depth: int, *, last: int, first: int, kept: int) -> tuple[str, ...]:
    notes = [f"{counted(len(titles), 'title line')} above the header set aside"] if titles else []
    notes += [f"a heading of {depth} rows was joined into one"] if depth > 1 else []
    blank = last - first + 1 - kept
    notes += [f"{counted(blank, 'blank row')} left out"] if blank > 0 else []
    if footnotes:
        quoted = "; ".join(repr(text[:120]) for text in footnotes[-3:])
        notes.append(f"{counted(len(footnotes), 'note')} below the table set aside: {quoted}")
    return tuple(notes)
