"""Charts of single values: a histogram, and a binned scatter of two columns."""

from collections.abc import Sequence
from dataclasses import dataclass

from datasets.charts._frame import BLUE, ORANGE, PALETTE, Spec, frame, number, tooltip


@dataclass(frozen=True)
class Bin:
    """Values with start ≤ value < end (the last bin includes its end); `beyond` names all those past the axis."""

    start: float
    end: float
    count: int
    beyond: str = ""


@dataclass(frozen=True)
class Cell:
    """A place in a scatter and how many rows lie there."""

    x: float
    y: float
    count: int = 1


def histogram_chart(
    bins: Sequence[Bin],
    *,
    title: str,
    x_title: str,
    marks: Sequence[tuple[str, float]] = (),
    subtitle: str = "",
) -> Spec:
    """Draw counts per bin, with labelled vertical lines (mean, median, fences) where `marks` names them."""
    rows = [{"start": b.start, "end": b.end, "count": b.count} for b in bins if not b.beyond]
    x = number("start", x_title, "number", zero=False, bin={"binned": True})
    layers: list[Spec] = [
        {
            "mark": {"type": "bar", "color": BLUE, "binSpacing": 1},
            "encoding": {
                "x": x,
                "x2": {"field": "end"},
                "y": number("count", "number of values", "count"),
                "tooltip": tooltip(
                    ("start", "quantitative", "from", ",.4~r"),
                    ("end", "quantitative", "to", ",.4~r"),
                    ("count", "quantitative", "values", ",.0f"),
                ),
            },
        }
    ]
    past = [b for b in bins if b.beyond]
    if past:
        layers.append(_beyond(past, x))
    if marks:
        layers.append(
            {
                "data": {"values": [{"name": name, "at": at} for name, at in marks]},
                "mark": {"type": "rule", "strokeWidth": 2},
                "encoding": {
                    "x": {"field": "at", "type": "quantitative"},
                    "color": {"field": "name", "type": "nominal", "title": None, "scale": {"range": PALETTE[1:]}},
                    "tooltip": tooltip(("name", "nominal", "line", None), ("at", "quantitative", "at", ",.4~r")),
                },
            }
        )
    return frame(title, rows, layers, subtitle=subtitle)


def _beyond(past: Sequence[Bin], x: Spec) -> Spec:
    """Bars that stand for all values past an end of the axis, with their words above them."""
    rows = [{"start": b.start, "end": b.end, "count": b.count, "beyond": b.beyond} for b in past]
    y = number("count", "number of values", "count")
    middle = {"field": "middle", "type": "quantitative"}
    return {
        "data": {"values": [{**row, "middle": (b.start + b.end) / 2} for row, b in zip(rows, past, strict=True)]},
        "layer": [
            {
                "mark": {"type": "bar", "color": ORANGE, "binSpacing": 1},
                "encoding": {
                    "x": x,
                    "x2": {"field": "end"},
                    "y": y,
                    "tooltip": tooltip(
                        ("beyond", "nominal", "range", None), ("count", "quantitative", "values", ",.0f")
                    ),
                },
            },
            {
                "mark": {"type": "text", "dy": -8},
                "encoding": {"x": middle, "y": y, "text": {"field": "beyond", "type": "nominal"}},
            },
        ],
    }


def scatter_chart(
    cells: Sequence[Cell],
    *,
    title: str,
    x_title: str,
    y_title: str,
    line: tuple[tuple[float, float], tuple[float, float]] | None = None,
    subtitle: str = "",
) -> Spec:
    """Draw a scatter that was binned before: each circle's area is its number of rows. `line`: two end points."""
    rows = [{"x": c.x, "y": c.y, "count": c.count} for c in cells]
    binned = any(c.count > 1 for c in cells)
    encoding: Spec = {
        "x": number("x", x_title, "number", zero=False),
        "y": number("y", y_title, "number", zero=False),
        "tooltip": tooltip(
            ("x", "quantitative", x_title, ",.4~r"),
            ("y", "quantitative", y_title, ",.4~r"),
            ("count", "quantitative", "rows", ",.0f"),
        ),
    }
    if binned:
        encoding["size"] = {
            "field": "count",
            "type": "quantitative",
            "title": "rows",
            "scale": {"range": [15, 400]},
            "legend": {"format": ",.0f"},
        }
    layers: list[Spec] = [{"mark": {"type": "circle", "color": BLUE, "opacity": 0.55}, "encoding": encoding}]
    if line:
        layers.append(
            {
                "data": {"values": [{"x": x, "y": y} for x, y in line]},
                "mark": {"type": "line", "color": ORANGE, "strokeWidth": 2},
                "encoding": {"x": encoding["x"], "y": encoding["y"]},
            }
        )
    return frame(title, rows, layers, height=320, subtitle=subtitle)
