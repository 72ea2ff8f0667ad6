"""The measures and dimensions a clause is about, whatever kind of question it is."""

import re
from itertools import pairwise

from analyst.questions.implied import implied_measure, natural
from analyst.questions.scene import Scene, Slots
from analyst.reading.durations import durations
from analyst.reading.features import made
from analyst.reading.mentions import Mention
from datasets.measures import YES_OR_NO, Aggregate, Measure, Metric
from datasets.schema import SchemaCard

_PER = re.compile(r"[\"'`)]*\s*(?:per|divided by|/|for each|for every)\s*(?:the |a |an )?[\"'`(]*", re.I)
_LENGTH = re.compile(
    r"\b(?:periods?|durations?|times?|lengths?|terms?|how long|long\w*|tenure|delays?|days|hours)\b", re.I
)


def measures_of(slots: Slots, scene: Scene) -> tuple[Measure, ...]:
    """The measures that a clause is about, named or meant, without aggregates."""
    found = [m for _, m in slots.measures]
    composed = (
        made(slots.text, scene.matcher)
        if len(found) >= 2
        and re.search(
            r"\b(?:subtract\w*|sum of .* and|divided by|plus|minus|multipl\w+"
            r"|product of|\w+ \* \w+|differences? between)\b",
            slots.text,
            re.I,
        )
        else None
    )
    if composed:
        return (composed,)
    found = [_as_duration(m, slots, scene) for m in found]
    ratio = _ratio(slots, scene)
    if ratio:
        return (ratio,)
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


def _ratio(slots: Slots, scene: Scene) -> Measure | None:
    """ "revenue per unit": one measure for each of another."""
    named = [m for m in slots.mentions if m.how != "value"]
    for one, two in pairwise(named):
        names = (one.best(scene.card, {"measure"}), two.best(scene.card, {"measure"}))
        if names[0] and names[1] and _PER.fullmatch(slots.text[one.end : two.start]):
            return Measure(kind="ratio_of", columns=(names[0], names[1]))
    return None


def _as_duration(measure: Measure, slots: Slots, scene: Scene) -> Measure:
    """A time column that stands for a length of time ("warranty period") as the duration that it is part of."""
    if measure.kind != "column" or not scene.card.column(measure.columns[0]).temporal or not _LENGTH.search(slots.text):
        return measure
    pairs = durations(scene.card, slots.text, scene.matcher)
    return next((pair for pair, grade in pairs if measure.columns[0] in pair.columns and grade >= 0.5), measure)


def dimension_of(mention: Mention, card: SchemaCard) -> str:
    """The column of a mention that is best to group by."""
    return mention.best(card, {"dimension", "boolean"}) or mention.best(card, {"identifier", "text"}) or mention.column


def plain_aggregate(measure: Measure, card: SchemaCard) -> Aggregate:
    """The aggregate that is meant when only a measure is named."""
    if measure.kind == "column":
        return natural(card.column(measure.columns[0]))
    if measure.kind == "product_of":
        return "sum"
    return "share" if measure.kind in YES_OR_NO else "mean"


def as_metric(measure: Measure) -> Metric:
    """A measure where the aggregate says nothing, as for relations and distributions: its mean, or its rate."""
    return Metric(aggregate="share" if measure.kind in YES_OR_NO else "mean", measure=measure)
