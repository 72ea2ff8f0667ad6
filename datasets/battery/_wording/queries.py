"""The result of a query in a sentence and a chart; column names of the result are all that is known of it."""

import re
from collections.abc import Sequence
from typing import Any

from datasets.charts import Bar, Spec, bar_chart
from datasets.plain import number_text

MOST_CELLS = 12
_TOLD_ROWS = 3
_MOST_BARS = 30
_NAME_CHARS = 60


def named_columns(names: Sequence[str]) -> list[str]:
    """The names of a result's columns, each once and not longer than a title."""
    found: list[str] = []
    for name in names:
        short = " ".join(str(name).split())[:_NAME_CHARS] or "value"
        found.append(short if short not in found else f"{short} {len(found) + 1}")
    return found


def number_at(row: dict[str, Any], columns: Sequence[str]) -> float | None:
    """The first number of a row: the leading figure of a result whose answer comes first."""
    found = next((row[c] for c in columns if _is_number(row[c])), None)
    return None if found is None else float(found)


def said(rows: Sequence[dict[str, Any]], columns: Sequence[str]) -> str:
    """Word a result: a figure, one row of figures, or the first rows of several."""
    if len(rows) == 1:
        return f"{', '.join(f'{_words(c)}: {_text(rows[0][c])}' for c in columns)}."
    told = "; ".join(" · ".join(_text(row[c]) for c in columns) for row in rows[:_TOLD_ROWS])
    more = f" (the first {_TOLD_ROWS} of {len(rows):,} rows)" if len(rows) > _TOLD_ROWS else ""
    return f"{', '.join(_words(c) for c in columns)}: {told}{more}."


def chart_of(rows: Sequence[dict[str, Any]], columns: Sequence[str], shows: str) -> Spec | None:
    """Draw bars where a result has a name and a number a row; anything else is a table."""
    name = next((c for c in columns if all(isinstance(row[c], str) for row in rows)), None)
    value = next((c for c in columns if all(_is_number(row[c]) for row in rows)), None)
    if name is None or value is None or not 2 <= len(rows) <= _MOST_BARS:
        return None
    bars = [Bar(row[name], float(row[value])) for row in rows]
    title = " ".join(shows.split()) or f"{_words(value)} by {_words(name)}"
    return bar_chart(bars, title=title, value_title=_words(value), name_title=_words(name), ordered=True)


def _words(name: str) -> str:
    plain_name = re.sub(r"_+", " ", name).strip() or "value"
    return plain_name[:1].upper() + plain_name[1:] if name == name.lower() else plain_name


def _text(value: Any) -> str:
    if value is None:
        return "nothing"
    if _is_number(value):
        return number_text(value)
    text = " ".join(str(value).split())
    return text if len(text) <= _NAME_CHARS else f"{text[: _NAME_CHARS - 1]}…"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
