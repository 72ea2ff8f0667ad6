"""Clauses that ask for numbers."""

import re
from collections.abc import Sequence
from typing import Literal

from analyst.protocol import Ask
from analyst.questions.averages import mean_count
from analyst.questions.extremes import at_extreme, extreme_row, label_columns
from analyst.questions.implied import implied_measure
from analyst.questions.kinds import top_number
from analyst.questions.metrics import ROWS, counted, paired
from analyst.questions.parts import dimension_of, dimensions_of, measures_of, plain_aggregate
from analyst.questions.per_key import order_value, summed_per
from analyst.questions.scene import Scene, Slots
from analyst.reading.verbs import measure_of_verb
from analyst.reading.words import name_words
from datasets.measures import Measure, Metric

_ROW_BY_ROW = frozenset({"sum", "mean", "max", "min"})
_OUTLYING = re.compile(r"\b(?:their|these outliers|those outliers|outlier)\b", re.I)
_EVERY = re.compile(
    r"\b(?:everything|(?:all|every|each)(?: of)?(?: the)?(?: other)?(?: numeric\w*)?"
    r" (?:columns?|variables?|features?|fields?|measures?))\b",
    re.I,
)


def value(slots: Slots, scene: Scene, before: Sequence[Ask]) -> list[Ask]:
    if before and before[-1].kind == "outliers" and _OUTLYING.search(slots.text):
        return []
    nested = at_extreme(slots, scene)
    if nested:
        return [nested]
    if before and re.search(r"\b(?:this|that) particular\b", slots.text, re.I):
        return []
    if by_order := order_value(slots, scene):
        return [by_order]
    if per_one := mean_count(slots, scene):
        return [per_one]
    composed = measures_of(slots, scene) if slots.measures else ()
    if composed and composed != tuple(dict.fromkeys(m for _, m in slots.measures)):
        slots.measures = [(max(at for at, _ in slots.measures), composed[0])]
    metrics = _of_all(slots, scene) or paired(slots, scene)
    dims = dimensions_of(slots, scene)
    if metrics and not dims and slots.subjects and re.match(r"\W*(?:and )?which\b", slots.text, re.I):
        dims = (dimension_of(slots.subjects[0], scene.card),)
    if slots.by_row and not any(a.aggregates == ("sum",) for a in slots.aggregates):
        metrics = tuple(m.model_copy(update={"aggregate": "mean"}) if m.aggregate == "sum" else m for m in metrics)
    metrics, dims = summed_per(slots, scene, metrics, dims)
    if slots.contrasted:
        dims = (*dims, slots.contrasted)[:2]
    if not metrics:
        metrics = _meant(slots, scene, before, dims)
    if not metrics:
        return []
    if slots.ranges:
        return [
            Ask(
                kind="value",
                metrics=metrics,
                dimensions=dims,
                filters=(*slots.filters, bounds),
                options={"group": name},
            )
            for name, bounds in slots.ranges
        ]
    most_common = re.search(r"\b(?:mode|most (?:common|frequent|popular)|most often)\b", slots.text, re.I)
    if most_common and (slots.others or slots.measures):
        name = slots.others[0].column if slots.others else slots.measures[0][1].columns[0]
        return [Ask(kind="extreme", metrics=(ROWS,), dimensions=(name,), order="desc", top=1)]
    top = top_number(slots.text)
    if top and not dims and len(metrics) == 1 and metrics[0].aggregate in _ROW_BY_ROW and not slots.grain:
        order: Literal["asc", "desc"] = "asc" if metrics[0].aggregate == "min" else "desc"
        if metrics[0].measure.kind in {"column", "duration"}:
            return [extreme_row(metrics[0].measure, label_columns(scene.card), order, top, scene)]
    return [Ask(kind="value", metrics=metrics, dimensions=dims, top=top, order="desc" if top else None)]


_EACH_CALLED = re.compile(
    r"\b(?:each|every|all|both|the)(?: (?:of|the|\d+|two|three|four))* [\"'`]?(?P<n>[\w .]+?)[\"'`]?"
    r" (?:columns|fields)\b"
    r"|\b(?:each|every)(?: of the)? [\"'`]?(?P<m>[\w .]+?)[\"'`]? (?:column|field)\b",
    re.I,
)


def _called_alike(slots: Slots, scene: Scene) -> list[Measure]:
    """ "Each amount column": the columns of numbers that are called so, where there are several."""
    match = _EACH_CALLED.search(slots.text)
    wanted = set(name_words(match["n"] or match["m"])) if match else set()
    named = [c.name for c in scene.card.columns if wanted and wanted <= set(name_words(c.name)) and c.numeric]
    return [Measure(kind="column", columns=(n,)) for n in named] if len(named) > 1 else []


def _of_all(slots: Slots, scene: Scene) -> tuple[Metric, ...]:
    """ "The mean of all numeric columns": the aggregates of each measure."""
    if slots.aggregates and (alike := _called_alike(slots, scene)):
        slots.groups = []
        return tuple(m for of in alike for a in slots.aggregates if not a.counts for m in a.metrics(of))
    if slots.measures or not slots.aggregates or not _EVERY.search(slots.text):
        return ()
    measures = [Measure(kind="column", columns=(c.name,)) for c in scene.card.by_role("measure")[:20]]
    return tuple(m for of in measures for a in slots.aggregates if not a.counts for m in a.metrics(of))


_ITS_VALUE = re.compile(r"\b(?:its|their|the|that) (?:values?|results?|numbers?)\b", re.I)


def _meant(slots: Slots, scene: Scene, before: Sequence[Ask], dims: tuple[str, ...]) -> tuple[Metric, ...]:
    """Metrics of a clause that pairs no aggregate with a column."""
    if slots.others and dims and not slots.measures:
        return (counted(slots.others[0], scene.card),)
    if slots.aggregates and before and before[-1].metrics:
        of = before[-1].metrics[-1].measure
        if of.kind != "rows":
            return tuple(m for a in slots.aggregates for m in a.metrics(of))
    if _ITS_VALUE.search(slots.text) and before and before[-1].metrics and not slots.measures:
        return before[-1].metrics
    if not slots.aggregates and not slots.measures and slots.filters and not dims:
        return (ROWS,)
    implied = implied_measure(slots.text, scene)
    if implied and (slots.aggregates or dims or slots.grain or slots.periods.window or len(slots.text.split()) <= 5):
        words = slots.aggregates or []
        if words:
            return tuple(m for a in words for m in a.metrics(implied))
        return (Metric(aggregate=plain_aggregate(implied, scene.card), measure=implied),)
    if (slots.groups or slots.grain) and not slots.aggregates:
        return (ROWS,)
    spoken = measure_of_verb(slots.wording, scene.card)
    if spoken and slots.aggregates:
        of = Measure(kind="column", columns=(spoken.name,))
        return tuple(m for a in slots.aggregates if not a.counts for m in a.metrics(of))
    return ()
