"""What all charts share: the frame of a spec, colours, number formats, axes and tooltips."""

import textwrap
from typing import Any, Literal

Spec = dict[str, Any]
NumberStyle = Literal["number", "count", "percent"]

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
BLUE, ORANGE, GREY, GREEN = "#0072B2", "#D55E00", "#8C8C8C", "#009E73"
PALETTE = [BLUE, ORANGE, GREEN, "#CC79A7", "#E69F00", "#56B4E9", "#F0E442", "#000000"]
_LINE, _TICKS = 44, 8
FORMATS: dict[NumberStyle, str] = {"number": ",.4~r", "count": ",.0f", "percent": ".1%"}


def frame(title: str, rows: list[dict[str, Any]], layers: list[Spec], *, height: int = 260, subtitle: str = "") -> Spec:
    """Put layers over inline rows under a title. `description` is what a screen reader says."""
    heading: Any = {"text": _lines(short(title, 110)), "anchor": "start", "fontSize": 14, "fontWeight": "bold"}
    if subtitle:
        heading |= {"subtitle": short(subtitle, 130), "subtitleColor": "#555555"}
    return {
        "$schema": SCHEMA,
        "description": title,
        "title": heading,
        "width": 560,
        "height": height,
        "data": {"values": rows},
        "layer": layers,
        "config": {"view": {"stroke": None}, "axis": {"gridColor": "#E5E5E5", "labelLimit": 180, "titleLimit": 400}},
    }


def _lines(title: str) -> str | list[str]:
    """A title in as many lines as a narrow page needs, where one would be cut."""
    lines = textwrap.wrap(title, _LINE, break_on_hyphens=False)
    return lines if len(lines) > 1 else title


def short(text: str, limit: int) -> str:
    """Cut a text for an axis or a title."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def number(field: str, title: str, style: NumberStyle, *, zero: bool = True, **more: Any) -> Spec:
    """Encode a field on a numeric axis."""
    return {
        "field": field,
        "type": "quantitative",
        "title": short(title, 70),
        "axis": {"format": FORMATS[style], "tickCount": _TICKS, "labelOverlap": True}
        | ({"tickMinStep": 1} if style == "count" else {}),
        "scale": {"zero": zero},
        **more,
    }


def tooltip(*fields: tuple[str, str, str, str | None]) -> list[Spec]:
    """Encode a tooltip from (field, type, title, number format)."""
    return [
        {"field": field, "type": kind, "title": short(title, 60)} | ({"format": form} if form else {})
        for field, kind, title, form in fields
    ]
