"""Bars for groups."""

from collections.abc import Sequence
from dataclasses import dataclass

from datasets.charts._frame import BLUE, FORMATS, ORANGE, NumberStyle, Spec, frame, number, short, tooltip


@dataclass(frozen=True)
class Bar:
    """One group; `low` and `high` are the ends of its interval, where there is one."""

    name: str
    value: float
    low: float | None = None
    high: float | None = None


def bar_chart(
    bars: Sequence[Bar],
    *,
    title: str,
    value_title: str,
    name_title: str,
    style: NumberStyle = "number",
    highlight: Sequence[str] = (),
    ordered: bool = False,
    baseline: float | None = None,
    limit: int = 20,
    subtitle: str = "",
) -> Spec:
    """Draw horizontal bars, largest first unless `ordered` (then as handed in), with intervals where known.

    Bars past `limit` are left out and counted in the subtitle. `baseline` draws a dashed line, e.g. the overall value.
    """
    chosen = list(bars) if ordered else sorted(bars, key=lambda b: (-b.value, b.name))
    shown, left_out = chosen[:limit], max(0, len(chosen) - limit)
    rows = [{"name": b.name, "value": b.value, "low": b.low, "high": b.high, "lit": b.name in highlight} for b in shown]
    y: Spec = {"field": "name", "type": "nominal", "sort": None, "title": short(name_title, 70)}
    form = FORMATS[style]
    layers: list[Spec] = [
        {
            "mark": {"type": "bar", "cornerRadiusEnd": 2},
            "encoding": {
                "y": y,
                "x": number("value", value_title, style),
                "color": {"condition": {"test": "datum.lit", "value": ORANGE}, "value": BLUE},
                "tooltip": tooltip(("name", "nominal", name_title, None), ("value", "quantitative", value_title, form)),
            },
        }
    ]
    if any(b.low is not None and b.high is not None for b in shown):
        layers.append(
            {
                "transform": [{"filter": "isValid(datum.low) && isValid(datum.high)"}],
                "mark": {"type": "rule", "strokeWidth": 1.5, "color": "#333333"},
                "encoding": {"y": y, "x": {"field": "low", "type": "quantitative"}, "x2": {"field": "high"}},
            }
        )
    if baseline is not None:
        layers.append(
            {
                "data": {"values": [{"value": baseline}]},
                "mark": {"type": "rule", "strokeDash": [4, 4], "color": "#333333"},
                "encoding": {"x": {"field": "value", "type": "quantitative"}},
            }
        )
    more = f"{left_out} more not shown" if left_out else ""
    subtitle = "; ".join(s for s in (subtitle, more) if s)
    return frame(title, rows, layers, height=max(60, 24 * len(shown)), subtitle=subtitle)
