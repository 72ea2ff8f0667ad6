"""Clauses that ask what something depends on: "what drives charges?", "key drivers of attrition"."""

import re

from analyst.protocol import Ask
from analyst.questions.parts import as_metric
from analyst.questions.scene import Scene, Slots
from analyst.reading.rates import rates
from datasets.measures import Measure

DEPENDS = re.compile(
    r"\b(?:what|which (?:\w+ ){0,2}(?:factors?|columns?|variables?|features?|things))\b.{0,30}"
    r"\b(?:driv|influenc|determin|affect|explain|predict|impact|matter)\w*"
    r"|\b(?:drivers|determinants|predictors|influencers|(?:key|main|driving) (?:factors|influences|drivers))\b"
    r" (?:of|for|behind|in)\b"
    r"|\bwhat does [\w ]{2,30} depend on\b",
    re.I,
)
_WHY = re.compile(
    r"\bwhy (?:do|does|are|did) (?:so many |more |our |the )*(?:people|customers|employees|users|members|students"
    r"|patients|staff|clients|subscribers|workers|they) (?!.*\b(?:long|slow\w*|late)\b)\w+",
    re.I,
)
_MEANT = 0.65


def influence(slots: Slots, scene: Scene) -> Ask | None:
    """The ask for what a number or a yes/no depends on; None where none is named, or a period is spoken of."""
    why = _WHY.search(slots.text) is not None
    if not (why or DEPENDS.search(slots.text)) or slots.periods.window or slots.periods.versus:
        return None
    asked = [m.column for m in slots.subjects if scene.card.column(m.column).role == "measure"]
    named = list(
        dict.fromkeys([*(m for _, m in slots.measures), *(Measure(kind="column", columns=(n,)) for n in asked)])
    )
    near = [m for m, fit in rates(scene.card, slots.text) if fit >= _MEANT]
    targets: list[Measure] = named if named and not why else near[:1]
    if len(targets) != 1 or slots.groups:
        return None
    slots.filters = [f for f in slots.filters if f.column not in targets[0].columns]
    return Ask(kind="relation", metrics=(as_metric(targets[0]),), options={"screen": "target", "depends": "yes"})
