"""A second row below the header of a text: the lower half of a heading, or the units of the columns."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from datasets.loading.numbers import MISSING
from datasets.loading.quantities import UNIT

_NUMBER = re.compile(
    r"[(]?[+-]?[^\w\s]{0,3} ?\d[\d.,'\u2019\u00a0\u202f ]*[^\w\s]{0,3}[)]?|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}.*"
)
_UNIT_CELL = re.compile(rf"[\[(].*[\])]|{UNIT}|[%€$£¥#-]|[A-Z]{{3}}|.{{0,6}}[/°²³].{{0,6}}")
_RULE = re.compile(r"\s*:?[-=+]{3,}:?\s*")
_SURVEY_TAG = re.compile(r'\{"ImportId":')
_MOSTLY = 0.9
_QUESTIONS_AT_LEAST = 2
_FEWEST_ROWS = 2


class SecondRow(NamedTuple):
    """What the row below the header is: names that take it in, and a remark."""

    names: list[str]
    remark: str
    rows: int = 1
    """How many rows below the header are no data."""


def second_row(head: Sequence[str], below: Sequence[Sequence[str]]) -> SecondRow | None:
    """Tell whether the first row below the header belongs to it; None where it is data.

    It does where it holds words in columns of numbers: units, names below headings that span several columns, or
    the questions of a survey.
    """
    top = [c.strip() for c in head]
    if below and any(map(_RULE.fullmatch, below[0])) and all(not c.strip() or _RULE.fullmatch(c) for c in below[0]):
        return SecondRow(top, "a ruled line below the header left out")
    if len(below) > 1 and any(map(_SURVEY_TAG.match, below[1])):
        return SecondRow(top, "the questions and the tags of a survey below the header set aside", rows=2)
    below = [r for r in below if [c.strip() for c in r] != top]
    if len(below) <= _FEWEST_ROWS:
        return None
    row = [c.strip() for c in below[0]][: len(top)]
    row += [""] * (len(top) - len(row))
    numbers = [i for i in range(len(top)) if _of_numbers([r[i] for r in below[1:] if i < len(r)])]
    said = [row[i] for i in numbers if row[i]]
    if not said or any(_NUMBER.fullmatch(cell) or cell.lower() in MISSING for cell in said):
        return None
    unnamed = [i for i in range(1, len(top)) if not top[i] and row[i]]
    if unnamed and sum(map(bool, top)) > 1 and top[unnamed[0] - 1] and all(row[i] for i in numbers):
        spanning, joined = "", []
        for upper, lower in zip(top, row, strict=True):
            spanning = upper or (spanning if lower else "")
            joined.append(" ".join(filter(None, (spanning, lower))) if lower else upper)
        return SecondRow(joined, "a heading of 2 rows was joined into one")
    if all(top) and all(_UNIT_CELL.fullmatch(cell) for cell in row if cell):
        units = ", ".join(f"{name} {unit}" for name, unit in zip(top, row, strict=True) if unit)
        return SecondRow(top, f"a row of units below the header set aside: {units[:200]}")
    if all(top) and len(said) == len(numbers) >= _QUESTIONS_AT_LEAST and all(" " in cell for cell in said):
        return SecondRow(top, f"a row of questions below the header set aside: {'; '.join(said)[:200]}")
    return None


def _of_numbers(cells: Sequence[str]) -> bool:
    filled = [c for cell in cells if (c := cell.strip()) and c.lower() not in MISSING]
    return bool(filled) and sum(bool(_NUMBER.fullmatch(c)) for c in filled) >= _MOSTLY * len(filled)
