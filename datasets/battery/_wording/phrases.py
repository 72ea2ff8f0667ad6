"""How numbers, lists, tests and scopes are worded in the statements of trends, changes, comparisons and relations."""

from collections.abc import Sequence
from typing import Any

from datasets.measures import YES_OR_NO, Filter, Metric, Window
from datasets.plain import number_text
from datasets.schema import SchemaCard

_LARGE = 100_000
_COUNTS = {"count", "distinct", "missing"}
_KEEPS_UNIT = {"sum", "mean", "median", "min", "max", "std", "pstd", "quantile"}


def is_share(metric: Metric) -> bool:
    """Whether values of the metric are shares between 0 and 1, worded as percentages."""
    yes_or_no = metric.measure.kind in YES_OR_NO
    return metric.aggregate in {"share", "missing_share"} or (metric.aggregate == "mean" and yes_or_no)


def unit_of(metric: Metric, card: SchemaCard) -> str | None:
    """The unit that values of the metric carry, where one is known; shares are worded in %."""
    if is_share(metric):
        return "%"
    if metric.aggregate not in _KEEPS_UNIT:
        return None
    if metric.measure.kind == "duration":
        return metric.measure.unit or "days"
    columns = metric.measure.columns
    units = {card.column(c).unit for c in columns if card.has(c)}
    return units.pop() if metric.measure.kind in {"column", "sum_of"} and len(units) == 1 else None


def value_text(metric: Metric, value: Any, unit: str | None = None) -> str:
    """Write a value of the metric: whole counts, shares as percentages, sums in full, the rest in readable digits."""
    if value is None:
        return "nothing"
    if is_share(metric):
        return percent_text(float(value))
    if metric.aggregate in _COUNTS and float(value).is_integer():
        return number_text(int(value))
    if metric.aggregate == "sum":
        return number_text(value, unit=unit)
    return number_text(readable(float(value)), unit=unit)


def readable(value: float) -> float:
    """Round to the digits a reader can use: none from 100,000 on, two, or three significant digits below 1."""
    if abs(value) >= _LARGE:
        return float(round(value))
    return round(value, 2) if abs(value) >= 1 else float(f"{value:.3g}")


def percent_text(share: float, *, signed: bool = False) -> str:
    """Write a share as a percentage with one decimal (two below one percent)."""
    percent = 100.0 * share
    digits = 1 if abs(percent) >= 1 else 2
    text = number_text(round(percent, digits), unit="%")
    return f"+{text}" if signed and percent > 0 else text


def points_text(share: float, *, signed: bool = False) -> str:
    """Write a difference of shares in percentage points, without the unit."""
    text = f"{round(100.0 * share, 1):g}"
    return f"+{text}" if signed and share > 0 else text


def p_text(p: float) -> str:
    """Write a p-value: p < 0.001, p = 0.012, p = 0.42."""
    if p < 0.001:
        return "p < 0.001"
    return f"p = {p:.2g}" if p < 0.1 else f"p = {p:.2f}"


def p_digits(p: float) -> str:
    """Write a p-value with four decimals, for readers who compare it with their own."""
    return "p < 0.0001" if p < 0.0001 else f"p = {p:.4f}"


def interval_text(low: str, high: str) -> str:
    """Write a 95 % interval."""
    return f"95% CI {low} to {high}"


def span_text(texts: Sequence[str]) -> str:
    """Write "4.5 to 5.7", or the one value when the ends are written alike. The texts are in ascending order."""
    return texts[0] if texts[0] == texts[-1] else f"{texts[0]} to {texts[-1]}"


def listed(items: Sequence[str], *, most: int = 6) -> str:
    """Join names: "a, b and c"; past `most` the rest is counted."""
    shown = list(items[:most])
    if len(items) > most:
        return f"{', '.join(shown)} and {len(items) - most} more"
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}" if shown else ""


def scope_text(filters: Sequence[Filter], window: Window | None = None) -> str:
    """Word the filters and the window with a leading space, or nothing."""
    parts = [f.words for f in filters]
    where = f" where {' and '.join(parts)}" if parts else ""
    return f"{where} in {window.words}" if window else where


def filters_key(filters: Sequence[Filter]) -> str | None:
    """The canonical text of filters in a claim's subject; None without any."""
    return " & ".join(sorted(f.key for f in filters)) or None


def capital(text: str) -> str:
    """Start with a capital, unless the first word is a name written in its own way (snake_case, iPod)."""
    first = text.split(" ", 1)[0]
    return text[:1].upper() + text[1:] if first.islower() and "_" not in first else text


def extreme_words(metric: Metric) -> tuple[str, str]:
    """The adjectives for the largest and the smallest value of the metric."""
    return ("longest", "shortest") if metric.measure.kind == "duration" else ("highest", "lowest")
