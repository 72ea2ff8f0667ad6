"""How shares of a count are worded and drawn."""

from typing import Any

from datasets.battery._shares.params import Segment, Segments, ShareParams
from datasets.battery._statistics.rates import wilson
from datasets.battery._wording.words import rows_text
from datasets.charts import Bar, bar_chart

MOST_NAMED = 12


def unit_words(params: ShareParams) -> str:
    """What is counted: "rows", "values of Age"."""
    measure = params.metric.measure
    if params.metric.aggregate == "missing":
        return f"missing values of {measure.words}"
    return "rows" if measure.kind == "rows" else f"values of {measure.words}"


def span_words(segments: tuple[Segment, ...]) -> str:
    """Write the smallest and the largest count: "84 to 104", "10 each"."""
    low, high = int(segments[-1].value), int(segments[0].value)
    return f"{low:,} each" if low == high else f"{low:,} to {high:,}"


def caveats_of(params: ShareParams, segments: Segments) -> list[str]:
    """Say how many rows have no value of the dimension."""
    if not segments.missing:
        return []
    return [f"{rows_text(segments.missing)} without a value in {params.dimension} left out"]


def share_chart(params: ShareParams, segments: Segments, lit: set[str]) -> dict[str, Any]:
    """Draw the shares with their intervals; `lit`: names of the bars that stand out."""
    total = int(segments.total)
    bars = [Bar(s.name, int(s.value) / total, *wilson(int(s.value), total)) for s in segments.listed]
    return bar_chart(
        bars,
        title=f"Share of {unit_words(params)} by {params.dimension}{params.scope}",
        value_title=f"share of {unit_words(params)}",
        name_title=params.dimension,
        style="percent",
        highlight=sorted(lit),
        baseline=1 / len(segments.listed),
        subtitle="dashed: equal shares; lines: 95% intervals",
    )
