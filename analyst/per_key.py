"""Averages of what adds up over the rows of a key: "average revenue per order", where an order has several rows."""

import re

from analyst.parts import dimension_of
from analyst.slots import Scene, Slots
from datasets.measures import Measure, Metric

_PER = re.compile(r"\b(?:per|for each|for every|of each|of an?|each)\s+(?:single |individual )?[\"'`(]*$", re.I)
_AVERAGED = frozenset({"mean", "median", "std"})
_FEWEST = 20


def per(measure: Measure, key: str) -> Measure:
    """A column summed over the rows of each value of a key."""
    return Measure(kind="sum_per", columns=(measure.columns[0], key))


def summed_per(
    slots: Slots, scene: Scene, metrics: tuple[Metric, ...], dims: tuple[str, ...]
) -> tuple[tuple[Metric, ...], tuple[str, ...]]:
    """Metrics and dimensions with a key that is averaged over, rather than listed value by value.

    A key is a column that a "per" stands before, with many values of which each has few rows, so that nobody wants
    them all named.
    """
    card = scene.card
    for mention in slots.groups:
        column = card.column(dimension_of(mention, card))
        rows = max(1, column.rows - column.nulls)
        many = _FEWEST <= column.distinct < rows and column.distinct >= rows / 50
        if not many or column.temporal or not _PER.search(slots.text[: mention.start]):
            continue
        if column.role not in {"identifier", "dimension", "text"} or not any(m.aggregate in _AVERAGED for m in metrics):
            continue
        if any(m.measure.kind != "column" or not card.column(m.measure.columns[0]).numeric for m in metrics):
            continue
        folded = tuple(m.model_copy(update={"measure": per(m.measure, column.name)}) for m in metrics)
        return folded, tuple(d for d in dims if d != column.name)
    return metrics, dims
