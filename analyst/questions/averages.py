"""How many of something fall on each of something else on average: "incidents per caller", "orders per day"."""

import re

from analyst.protocol import Ask
from analyst.questions.implied import additive
from analyst.questions.parts import dimension_of
from analyst.questions.scene import Scene, Slots
from datasets.measures import Measure, Metric

_COUNTED = re.compile(r"\b(?:how many|number of|count of)\b", re.I)
_AVERAGE = re.compile(r"\b(?:on average|average|avg|mean|typically|usually)\b", re.I)
_EACH = re.compile(
    r"\b(?:does|do|did|has|have|is|are) (?:each|every)\s+[\"'`]?$|\bper\s+[\"'`]?$|\beach\s+[\"'`]?$", re.I
)


_PER_PERIOD = re.compile(
    r"\b(?:per|an?|each|every) (?:day|week|month|quarter|year)\b|\b(?:daily|weekly|monthly|quarterly|yearly)\b", re.I
)


def _mean_total(slots: Slots, scene: Scene) -> Ask | None:
    """ "How many signups per day on average": what adds up is totalled by the period before it is averaged."""
    card = scene.card
    named = [m for _, m in slots.measures if m.kind == "column" and card.column(m.columns[0]).role == "measure"]
    asked = _AVERAGE.search(slots.text) and _PER_PERIOD.search(slots.text)
    if not asked or not slots.grain or not card.time_column or slots.groups or slots.subjects or len(named) != 1:
        return None
    if not additive(card.column(named[0].columns[0])) or len(slots.measures) > 1:
        return None
    metric = Metric(aggregate="sum", measure=named[0])
    return Ask(kind="value", metrics=(metric,), grain=slots.grain, options={"averaged": "yes"})


def mean_count(slots: Slots, scene: Scene) -> Ask | None:
    """The mean number of rows, or the mean total, per value of a column or per period; None where none is asked for."""
    text = slots.text
    if (totals := _mean_total(slots, scene)) is not None:
        return totals
    if not _COUNTED.search(text) or not _AVERAGE.search(text) or slots.measures:
        return None
    if slots.grain and scene.card.time_column:
        return Ask(kind="value", metrics=(Metric(),), grain=slots.grain, options={"averaged": "yes"})
    groups = [m for m in slots.groups if _EACH.search(text[: m.start])]
    if not groups:
        return None
    name = dimension_of(groups[0], scene.card)
    metric = Metric(aggregate="rows_per_distinct", measure=Measure(kind="column", columns=(name,)))
    return Ask(kind="value", metrics=(metric,))
