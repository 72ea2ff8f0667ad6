"""Charts over time: a line with incomplete stretches dashed, and what moved a total from one period to the next."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from datasets.charts._frame import (
    BLUE,
    FORMATS,
    GREY,
    ORANGE,
    PALETTE,
    NumberStyle,
    Spec,
    frame,
    number,
    short,
    tooltip,
)


@dataclass(frozen=True)
class Point:
    """One period of a series. `x` is ISO text; `complete` is False where the period is not over, or not yet there.

    `low` and `high` are the ends of an interval, drawn as a band.
    """

    x: str
    y: float | None
    series: str | None = None
    complete: bool = True
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Part:
    """One contribution to a change."""

    name: str
    delta: float


def line_chart(
    points: Sequence[Point],
    *,
    title: str,
    x_title: str,
    y_title: str,
    style: NumberStyle = "number",
    temporal: bool = True,
    zero: bool = True,
    reference: Sequence[Point] = (),
    reference_title: str = "fit",
    subtitle: str = "",
    dashed: str = "incomplete period",
) -> Spec:
    """Draw a series over time, one line for each `series`; stretches to and from incomplete periods are dashed.

    `dashed` says what those are. Without `temporal` each `x` is a number as text, such as days since a start, and the
    line goes in steps.

    `reference` is a second, thin grey line, such as a fitted trend.
    """
    rows = _pieces(points) if temporal else [row | {"x": float(row["x"])} for row in _pieces(points)]
    incomplete = any(not p.complete for p in points)
    several = len({p.series for p in points}) > 1
    x: Spec = {"field": "x", "type": "temporal" if temporal else "quantitative", "title": short(x_title, 70)}
    if temporal:
        # The reader's own time zone must not move a period to the day before.
        x |= {"axis": {"labelOverlap": True, **_months(points)}, "scale": {"type": "utc"}}
    encoding: Spec = {"x": x, "y": number("y", y_title, style, zero=zero), "detail": {"field": "piece"}}
    if several:
        encoding["color"] = {"field": "series", "type": "nominal", "title": None, "scale": {"range": PALETTE}}
    else:
        encoding["color"] = {"value": BLUE}
    tip = tooltip(("when", "nominal", x_title, None), ("y", "quantitative", y_title, FORMATS[style]))
    tip += tooltip(("series", "nominal", "series", None)) if several else []
    layers = [_band(x, encoding["y"])] if any(p.low is not None for p in points) else []
    layers += [
        {
            "transform": [{"filter": "datum.part == 'complete'"}],
            "mark": {"type": "line", "point": temporal and len(points) <= 60, "strokeWidth": 2, **_steps(temporal)},
            "encoding": encoding | {"tooltip": tip},
        }
    ]
    if incomplete:
        layers += [
            {
                "transform": [{"filter": "datum.part == 'incomplete'"}],
                "mark": {"type": "line", "strokeDash": [5, 4], "strokeWidth": 2},
                "encoding": encoding | {"tooltip": tip},
            },
            {
                "transform": [{"filter": "datum.part == 'incomplete' && datum.open"}],
                "mark": {"type": "point", "filled": False, "fill": "white", "size": 40, "opacity": 1},
                "encoding": {k: v for k, v in encoding.items() if k != "detail"} | {"tooltip": tip},
            },
        ]
    if reference:
        layers.append(
            {
                "data": {"values": [{"x": _utc(p.x), "y": p.y, "name": reference_title} for p in reference]},
                "mark": {"type": "line", "color": GREY, "strokeWidth": 1.5},
                "encoding": {"x": x, "y": encoding["y"], "tooltip": tooltip(("name", "nominal", "line", None))},
            }
        )
    note = f"dashed: {dashed}" if incomplete else ""
    return frame(title, rows, layers, subtitle="; ".join(s for s in (subtitle, note) if s))


def _pieces(points: Sequence[Point]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for series in dict.fromkeys(p.series for p in points):
        mine = [p for p in points if p.series == series]
        for i, p in enumerate(mine):
            beside = [q for q in (mine[i - 1] if i else None, mine[i + 1] if i + 1 < len(mine) else None) if q]
            row: dict[str, Any] = {
                "x": _utc(p.x),
                "when": p.x,
                "y": p.y,
                "series": series or "",
                "open": not p.complete,
            }
            row |= {"low": p.low, "high": p.high} if p.low is not None else {}
            if p.complete:
                rows.append(row | {"part": "complete", "piece": f"{series}/whole"})
            if not p.complete or any(not q.complete for q in beside):
                side = "head" if i < len(mine) / 2 else "tail"
                rows.append(row | {"part": "incomplete", "piece": f"{series}/{side}"})
    return rows


def _steps(temporal: bool) -> Spec:
    return {} if temporal else {"interpolate": "step-after"}


def _band(x: Spec, y: Spec) -> Spec:
    return {
        "transform": [{"filter": "isValid(datum.low) && isValid(datum.high)"}],
        "mark": {"type": "area", "color": BLUE, "opacity": 0.18},
        "encoding": {"x": x, "y": y | {"field": "low"}, "y2": {"field": "high"}},
    }


def _months(points: Sequence[Point]) -> Spec:
    """Ticks on the starts of months, where all points are; at most about twelve of them."""
    starts = {p.x[:10] for p in points}
    if len(starts) < 3 or any(not day.endswith("-01") for day in starts):
        return {}
    return {"tickCount": {"interval": "month", "step": max(1, math.ceil(len(starts) / 12))}}


def _utc(iso: str) -> str:
    zoned = iso.endswith("Z") or "+" in iso[10:] or "-" in iso[10:]
    return f"{iso}Z" if "T" in iso and not zoned else iso


def waterfall_chart(
    parts: Sequence[Part],
    *,
    start: float,
    title: str,
    value_title: str,
    start_name: str,
    end_name: str,
    style: NumberStyle = "number",
    limit: int = 10,
) -> Spec:
    """Draw how `start` becomes start + Σ delta, in the order handed in; parts past `limit` are joined as "other"."""
    shown = list(parts[:limit])
    if len(parts) > limit:
        shown.append(Part(f"other ({len(parts) - limit})", sum(p.delta for p in parts[limit:])))
    rows: list[dict[str, Any]] = [{"name": start_name, "from": 0.0, "to": start, "value": start, "kind": "total"}]
    level = start
    for part in shown:
        kind = "up" if part.delta >= 0 else "down"
        rows.append({"name": part.name, "from": level, "to": level + part.delta, "value": part.delta, "kind": kind})
        level += part.delta
    rows.append({"name": end_name, "from": 0.0, "to": level, "value": level, "kind": "total"})
    for i, row in enumerate(rows):
        row["order"] = i
    layer = {
        "mark": {"type": "bar"},
        "encoding": {
            "y": {"field": "name", "type": "nominal", "sort": {"field": "order"}, "title": None},
            "x": number("from", value_title, style),
            "x2": {"field": "to"},
            "color": {
                "field": "kind",
                "type": "nominal",
                "title": None,
                "scale": {"domain": ["up", "down", "total"], "range": [BLUE, ORANGE, GREY]},
            },
            "tooltip": tooltip(
                ("name", "nominal", "part", None), ("value", "quantitative", value_title, FORMATS[style])
            ),
        },
    }
    return frame(title, rows, [layer], height=max(80, 26 * len(rows)))
