"""Whole-number columns that stand for time: years where a dataset has no column of dates."""

import re

from datasets.schema import Column, SchemaCard

_NAMES = frozenset({"year", "yr", "season", "years"})
_FEWEST, _EARLIEST, _LATEST = 2, 1000, 2999


def year_column(card: SchemaCard) -> Column | None:
    """The column of years; None where there is none, or where a column of dates tells the time."""
    if card.time_column is not None and card.column(card.time_column).temporal:
        return None
    for column in card.columns:
        if column.numeric and column.name.casefold().strip() in _NAMES:
            return column
    return next((c for c in card.columns if _holds_years(c)), None)


def _holds_years(column: Column) -> bool:
    """Whether a column is called a year and lies between two of them: "fiscal_year", "Year of release"."""
    ends = [v for v in (column.minimum, column.maximum) if v and re.fullmatch(r"\d{4}(?:\.0)?", v)]
    words = re.findall(r"[a-z]+", column.name.casefold())
    known = len(ends) == 2 and all(_EARLIEST <= float(v) <= _LATEST for v in ends)
    return column.numeric and known and bool(_NAMES & set(words)) and column.distinct >= _FEWEST
