"""The measures and dimensions a clause is about, whatever kind of question it is."""

import re
from typing import Literal

from analyst.derived import durations
from analyst.features import made
from analyst.mentions import Mention
from analyst.metrics import implied_measure, natural
from analyst.slots import Scene, Slots
from datasets.measures import Aggregate, Measure
from datasets.schema import SchemaCard


def measures_of(slots: Slots, scene: Scene) -> tuple[Measure, ...]:
    """The measures that a clause is about, named or meant, without aggregates."""
    found = [m for _, m in slots.measures]
    composed = (
        made(slots.text, scene.matcher)
        if len(found) >= 2 and re.search(r"\b(?:subtract\w*|sum of .* and|divided by|plus)\b", slots.text, re.I)
        else None
    )  # noqa: E501
    if composed:
        return (composed,)
    two_times = [m.columns for m in found if m.kind == "column" and scene.card.column(m.columns[0]).temporal]
    if len(two_times) == len(found) and found:
        spans = durations(scene.card, slots.text, scene.matcher)
        if spans and spans[0][1] >= 0.6:
            return (spans[0][0],)
    if found:
        return tuple(dict.fromkeys(found))
    implied = implied_measure(slots.text, scene)
    return (implied,) if implied else ()


def dimensions_of(slots: Slots, scene: Scene) -> tuple[str, ...]:
    """The columns that a clause groups by, each once, at most two."""
    return tuple(dict.fromkeys(dimension_of(m, scene.card) for m in slots.groups))[:2]


def dimension_of(mention: Mention, card: SchemaCard) -> str:
    """The column of a mention that is best to group by."""
    return mention.best(card, {"dimension", "boolean"}) or mention.best(card, {"identifier", "text"}) or mention.column


def plain_aggregate(measure: Measure, card: SchemaCard) -> Aggregate:
    """The aggregate that is meant when only a measure is named."""
    if measure.kind == "column":
        return natural(card.column(measure.columns[0]))
    return "share" if measure.kind in {"indicator", "at_least"} else "mean"
