"""How segments, figures and row counts are written in the statements of answers, shares and outliers."""

from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from datasets.battery._wording.phrases import is_share, unit_of
from datasets.evidence import ClaimValue, Direction
from datasets.measures import Metric
from datasets.plain import number_text, plain
from datasets.schema import Column, SchemaCard

_EXACT_IN_FLOAT = 2**53
_LONG_NAME = 60
_YES_NO = {"true", "false", "yes", "no", "y", "n"}


def name_text(card: SchemaCard, column: str, value: Any) -> str:
    """Name a segment: "Hardware", but "Pclass 1" and "smoker true" where the value alone says nothing."""
    text = f"{value:.15g}" if isinstance(value, float) else str(plain(value)).strip()
    if isinstance(value, bool):
        text = text.lower()
    text = text if len(text) <= _LONG_NAME else f"{text[: _LONG_NAME - 1].rstrip()}…"
    if not text:
        return f"an empty {column}"
    return f"{column} {text}" if card.has(column) and _says_nothing(card.column(column), text) else text


def _says_nothing(column: Column, text: str) -> bool:
    """Whether a value needs its column's name to be understood: a number, or one of a yes and a no."""
    if column.numeric or column.sql_type == "BOOLEAN" or text.lstrip("-").replace(".", "", 1).isdigit():
        return True
    return 0 < len(column.values) <= len(_YES_NO) and {v.lower() for v in column.values} <= _YES_NO


def rows_text(n: int, noun: str = "row") -> str:
    """Write "1 row", "715 rows"."""
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def figure(metric: Metric, card: SchemaCard, value: Any) -> str:
    """Write a value of the metric exactly: counts and sums in full, shares in percent, dates in ISO form."""
    if value is None:
        return "not defined"
    if isinstance(value, date | datetime | str):
        return str(plain(value))
    if is_share(metric):
        return number_text(100 * float(value), unit="%")
    if metric.measure.kind == "duration" and abs(value) >= 1:
        value = round(value, 2)
    return number_text(value, unit=unit_of(metric, card))


def value_of(
    metric: Metric,
    card: SchemaCard,
    value: Any,
    *,
    text: str | None = None,
    direction: Direction | None = None,
) -> ClaimValue:
    """Put a value of the metric into a claim; what a float cannot hold exactly is kept as text besides."""
    unit = "share" if is_share(metric) else unit_of(metric, card)
    if value is None:
        return ClaimValue(text=text or "not defined", unit=unit, direction=direction)
    if isinstance(value, date | datetime | str):
        return ClaimValue(text=text or str(plain(value)), unit=unit, direction=direction)
    if text is None and isinstance(value, int) and abs(value) > _EXACT_IN_FLOAT:
        text = str(value)
    number = float(f"{value:.15g}") if isinstance(value, float) else float(value)
    return ClaimValue(number=number, unit=unit, text=text, direction=direction)


def nameable(value: Any) -> bool:
    """Whether a value of a column can be written into SQL as it is."""
    return isinstance(value, str | int | float | Decimal | date) and value == value


def listed_and(items: Sequence[str]) -> str:
    """Join all items: "a, b and c"."""
    if len(items) <= 1:
        return "".join(items)
    return f"{', '.join(items[:-1])} and {items[-1]}"
