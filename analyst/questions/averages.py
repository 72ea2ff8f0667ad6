"""How many of something fall on each of something else on average: "incidents per caller", "orders per day"."""

import re

from analyst.protocol import Ask
from analyst.questions.parts import dimension_of
from analyst.questions.scene import Scene, Slots
from datasets.measures import Measure, Metric

_COUNTED = re.compile(r"\b(?:how many|number of|count of)\b", re.I)
_AVERAGE = re.compile(r"\b(?:on average|average|avg|mean|typically|usually)\b", re.I)
_EACH = re.compile(
    r"\b(?:does|do|did|has|have|is|are) (?:each|every)\s+[\"'`]?$|\bper\s+[\"'`]?$|\beach\s+[\"'`]?$", re.I
)


def mean_count(slots: Slots, scene: Scene) -> Ask | None:
    """The mean number of rows per value of a column, or per period; None where no such mean is asked for."""
    text = slots.text
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
