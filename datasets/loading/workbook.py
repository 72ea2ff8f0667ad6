"""Workbooks (.xlsx, .xlsb, .xls, .ods): each sheet that holds a table becomes one, its merged cells spread out."""

from datetime import date, datetime, time, timedelta
from itertools import chain
from pathlib import Path
from typing import Any

from python_calamine import (
    CalamineError,
    CalamineSheet,
    CalamineWorkbook,
    PasswordError,
    SheetTypeEnum,
    SheetVisibleEnum,
    WorksheetNotFound,
    XmlError,
    ZipError,
)  # fmt: skip

from datasets.errors import DatasetError, reason_of
from datasets.loading.databases import write_records
from datasets.loading.grid import Area, Grid, find_table
from datasets.loading.overrides import Overrides
from datasets.loading.part import Part

_DAMAGE = (CalamineError, WorksheetNotFound, XmlError, ZipError, OSError, ValueError)
Read = tuple[tuple[Part, ...], tuple[str, ...]]


def read_workbook(path: Path, name: str, work: Path, *, prefix: str, overrides: Overrides) -> Read:
    """Write the table of each visible sheet as records; sheets without one are named in the notes.

    :raises DatasetError: when the workbook is damaged or locked by a password, or no sheet holds a table.
    """
    try:
        with path.open("rb") as stream:
            book = CalamineWorkbook.from_filelike(stream)
        shown = [
            s.name
            for s in book.sheets_metadata
            if s.typ == SheetTypeEnum.WorkSheet and (s.visible == SheetVisibleEnum.Visible or s.name == overrides.table)
        ]
        grids = [(sheet, _grid(book.get_sheet_by_name(sheet))) for sheet in shown]
        hidden = [s.name for s in book.sheets_metadata if s.visible != SheetVisibleEnum.Visible and s.name not in shown]
    except PasswordError as error:
        raise DatasetError(f"the workbook {name!r} is locked by a password; save it without one") from error
    except _DAMAGE as error:
        raise DatasetError(f"the workbook {name!r} cannot be read: {reason_of(error)}") from error
    parts: list[Part] = []
    without: list[str] = []
    for number, (sheet, (cells, merged)) in enumerate(grids):
        table = find_table(cells, merged, header_line=overrides.header_line)
        if table is None:
            without.append(sheet)
            continue
        target = work / f"{prefix}sheet-{number}.csv"
        write_records(target, iter(table.rows))
        parts.append(Part(sheet, target, "records", header=table.header, notes=table.notes, aside=table.aside))
    if not parts:
        raise DatasetError(f"no data in the workbook {name!r}: none of its sheets holds a table")
    notes = [f"sheets without a table left out: {', '.join(map(repr, without[:10]))}"] if without else []
    notes += [f"hidden sheets left out: {', '.join(map(repr, hidden[:10]))}"] if hidden else []
    return tuple(parts), tuple(notes)


def _grid(sheet: CalamineSheet) -> tuple[Grid, list[Area]]:
    """The cells of a sheet as text from its first used row and column on, and its merged areas counted from there."""
    rows = sheet.to_python(skip_empty_area=False)
    cells = [[_text(value) for value in row] for row in rows]
    merged = [Area(*chain(first, last)) for first, last in (sheet.merged_cell_ranges or [])]
    return cells, merged


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, datetime):
        at_midnight = value.time() == time(0)
        return value.date().isoformat() if at_midnight else value.isoformat(sep=" ")
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return str(value)
    return str(value).strip() if value is not None else ""
