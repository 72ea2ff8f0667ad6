"""Several tables in one text, one below the other with blank lines between them."""

import csv
from collections.abc import Sequence
from pathlib import Path

from datasets.loading.layout import is_typed, records, separating

_LARGEST_BYTES = 4 << 20
_FEWEST_RECORDS = 3
_MOST_TABLES = 50

Record = list[str]


def tables_apart(path: Path, work: Path, *, prefix: str, delimiter: str | None = None) -> list[Path]:
    """Write each table of a text to a file of its own; empty where it holds one table, or is larger than 4 MiB.

    A block between blank lines is a table where words head a column of numbers or dates and no other block has the same
    heading, which blank lines, notes and pages within one table do not have.
    """
    if path.stat().st_size > _LARGEST_BYTES:
        return []
    text = path.read_text(encoding="utf-8")
    sign = delimiter or separating(text)
    blocks = _blocks(list(records(iter(text.splitlines(keepends=True)), sign, quoting=True)))
    tables = [b for b in blocks if _is_table(b)]
    headings = {tuple(cell.strip().casefold() for cell in b[0]) for b in tables}
    if not 2 <= len(tables) <= _MOST_TABLES or len(headings) < len(tables) or len(tables) < len(blocks) - 1:
        return []
    files = []
    for number, block in enumerate(tables):
        file = work / f"{prefix}table-{number}.csv"
        with file.open("w", encoding="utf-8", newline="") as out:
            csv.writer(out, delimiter=sign, lineterminator="\n").writerows(block)
        files.append(file)
    return files


def _blocks(rows: Sequence[Record]) -> list[list[Record]]:
    blocks: list[list[Record]] = [[]]
    for row in rows:
        if any(cell.strip() for cell in row):
            blocks[-1].append(row)
        elif blocks[-1]:
            blocks.append([])
    return [b for b in blocks if b]


def _is_table(block: Sequence[Record]) -> bool:
    head, rows = block[0], block[1:]
    if len(block) < _FEWEST_RECORDS or len(head) < 2 or not all(cell.strip() for cell in head):
        return False
    if any(map(is_typed, head)) or any(len(row) != len(head) for row in rows):
        return False
    return any(all(is_typed(row[i]) for row in rows) for i in range(len(head)))
