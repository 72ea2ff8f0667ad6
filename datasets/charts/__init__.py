"""Vega-Lite specs with inline data: one builder a shape, shared by every step kind.

All specs are plain JSON, hold at most a few hundred rows, use fixed field names (a column name is only ever a title,
never an expression) and colours that people with colour blindness tell apart (Okabe-Ito). NaN and infinity must not
be handed in; None is a gap.
"""

from datasets.charts._frame import NumberStyle, Spec
from datasets.charts._groups import Bar, bar_chart
from datasets.charts._picture import picture
from datasets.charts._time import Part, Point, line_chart, waterfall_chart
from datasets.charts._values import Bin, Cell, histogram_chart, scatter_chart

__all__ = [
    "Bar",
    "Bin",
    "Cell",
    "NumberStyle",
    "Part",
    "Point",
    "Spec",
    "bar_chart",
    "histogram_chart",
    "line_chart",
    "picture",
    "scatter_chart",
    "waterfall_chart",
]
