"""Clauses about time: trends, changes and their reasons; and lists."""

import re
from collections.abc import Sequence

from analyst.protocol import Ask
from analyst.questions.cues import MOVED_MOST
from analyst.questions.implied import implied_measure, main_measure, natural
from analyst.questions.kinds import has, top_number
from analyst.questions.metrics import ROWS, counted, paired
from analyst.questions.parts import dimension_of, dimensions_of, measures_of, plain_aggregate
from analyst.questions.scene import Scene, Slots
from analyst.times.year_columns import year_column
from datasets.measures import Measure, Metric

_MOVED = re.compile(
    r"\b(?:drop|dropp|fall|fell|declin|decreas|ris|rose|increas|jump|grow|grew|spik|dip|chang|chang|went|down|up)\w*\b",
    re.I,
)
_FELL = re.compile(r"\b(?:drop|fell|fall|declin|decreas|los[est]|shr[aiu]nk|worsen|slip|slump)\w*", re.I)
_ROSE = re.compile(r"\b(?:rose|ris|increas|grew|grow|gain|jump|improv)\w*", re.I)
_TERMS = re.compile(
    r"\b(?:comment|say|mention|write|talk|complain)\w*\b|\bkeywords?\b|\b(?:common|frequent) (?:words|terms)\b", re.I
)


def trend(slots: Slots, scene: Scene, before: Sequence[Ask]) -> list[Ask]:
    """A metric over time; rows where no metric is named."""
    if yearly := over_years(slots, scene, before):
        return [yearly]
    dims = dimensions_of(slots, scene)
    if slots.periods.versus is not None:
        return [Ask(kind="change", metrics=timed_metrics(slots, scene, before), dimensions=dims)]
    return [Ask(kind="trend", metrics=timed_metrics(slots, scene, before), dimensions=dims[:1])]


def over_years(slots: Slots, scene: Scene, before: Sequence[Ask]) -> Ask | None:
    """A metric along a column of years, or between two of them; None where a column of dates tells the time.

    options: along = the column; before and after where two years are compared; moved where groups are ranked by it.
    """
    column = year_column(scene.card)
    if column is None:
        return None
    slots.measures = [(at, m) for at, m in slots.measures if m.columns != (column.name,)]
    options = {"along": column.name}
    if slots.periods.states:
        first, last = slots.periods.states
        options |= {"before": str(first.values[0]), "after": str(last.values[0])}
    moved = [dimension_of(m, scene.card) for m in (*slots.subjects, *slots.groups, *slots.others)]
    ranked = MOVED_MOST.search(slots.wording) is not None
    if ranked:
        slots.aggregates = [a for a in slots.aggregates if not a.extreme]
    able = {"dimension", "boolean", "identifier", "text"}
    named = [n for n in moved if n != column.name and (ranked or n in dimensions_of(slots, scene))]
    dims = tuple(dict.fromkeys(n for n in named if scene.card.column(n).role in able))[: 2 if ranked else 1]
    if ranked and dims and slots.periods.states:
        options["moved"] = "down" if _FELL.search(slots.wording) else "up" if _ROSE.search(slots.wording) else "most"
    metrics = timed_metrics(slots, scene, before)
    return Ask(kind="change", metrics=metrics, dimensions=dims, options=options, top=top_number(slots.text))


def change(slots: Slots, scene: Scene, before: Sequence[Ask]) -> list[Ask]:
    """A metric between two periods; options: why = yes where the reasons are asked for."""
    if not has("why", slots.text) and (yearly := over_years(slots, scene, before)):
        return [yearly]
    dims = dimensions_of(slots, scene)
    if MOVED_MOST.search(slots.wording):
        moved = [dimension_of(m, scene.card) for m in slots.subjects]
        dims = tuple(dict.fromkeys((*(d for d in moved if not scene.card.column(d).temporal), *dims)))[:2]
    options = {"why": "yes"} if has("why", slots.text) else {}
    if MOVED_MOST.search(slots.wording) and dims:
        options["moved"] = "down" if _FELL.search(slots.wording) else "up" if _ROSE.search(slots.wording) else "most"
    if options and not slots.periods.window and not _MOVED.search(slots.text):
        reason = _standing(slots, scene, before, dims)
        if reason:
            return [reason]
    if options and dims and not slots.periods.window and not _MOVED.search(slots.text):
        return [Ask(kind="compare", metrics=timed_metrics(slots, scene, before), dimensions=dims, options=options)]
    if options and not before and not slots.periods.window and not _MOVED.search(slots.text):
        return [Ask(kind="open")]  # Why something is as it is: nothing is said to have moved.
    return [Ask(kind="change", metrics=timed_metrics(slots, scene, before), dimensions=dims, options=options)]


def _standing(slots: Slots, scene: Scene, before: Sequence[Ask], dims: tuple[str, ...]) -> Ask | None:
    """ "Why is attrition so high in Sales?": the groups compared, not two periods."""
    side = next((f for f in slots.filters if f.column in {m.column for m in slots.sides}), None)
    place = next((f for f in slots.filters if f is not side and f.op in {"eq", "in"}), None)
    if place is None or dims:
        return None
    if side:
        metrics: tuple[Metric, ...] = (
            Metric(aggregate="share", measure=Measure(kind="indicator", columns=(side.column,), values=side.values)),
        )
    else:
        metrics = timed_metrics(slots, scene, before)
    slots.filters = [f for f in slots.filters if f is not side and f is not place]
    return Ask(kind="compare", metrics=metrics, dimensions=(place.column,), options={"why": "yes"})


def listing(slots: Slots, scene: Scene, before: Sequence[Ask]) -> list[Ask]:
    """The values of columns, or what a text column says. options: what = values | terms | rows."""
    card = scene.card
    named = (*slots.subjects, *slots.others, *slots.groups)
    columns = tuple(dict.fromkeys(dimension_of(m, card) for m in named))
    if _TERMS.search(slots.text):
        texts = [c.name for c in card.by_role("text")] or [
            c for c in columns if card.column(c).role in {"text", "dimension"}
        ]
        chosen = tuple(c for c in columns if c in texts) or tuple(texts[:1])
        return [Ask(kind="list", columns=chosen or columns, options={"what": "terms"})] if chosen or columns else []
    metrics = paired(slots, scene)
    if metrics and (slots.aggregates or slots.measures):
        return [Ask(kind="value", metrics=metrics, dimensions=dimensions_of(slots, scene) or columns[:1])]
    if not columns and before and re.search(r"\b(?:it|they|them|these|those)\b", slots.text, re.I):
        return []
    if not columns:
        return []
    what = "rows" if slots.filters and re.search(r"\brows|records\b", slots.text, re.I) else "values"
    return [Ask(kind="list", columns=columns, top=top_number(slots.text), options={"what": what})]


def timed_metrics(slots: Slots, scene: Scene, before: Sequence[Ask]) -> tuple[Metric, ...]:
    """What is followed over time: the metrics named or meant, those asked before, the main measure, else rows."""
    card = scene.card
    slots.measures = [(at, m) for at, m in slots.measures if not _is_time(m, scene)]
    metrics = paired(slots, scene)
    if metrics:
        return metrics
    measures = measures_of(slots, scene)
    if measures:
        return tuple(Metric(aggregate=plain_aggregate(m, card), measure=m) for m in measures[:2])
    if slots.others and not slots.filters:
        if card.column(slots.others[0].column).role == "identifier":
            return (counted(slots.others[0], card),)
        return (ROWS,)
    if before and before[-1].metrics and len(slots.text.split()) <= 8:
        return before[-1].metrics[:1]
    implied = implied_measure(slots.text, scene)
    if implied:
        return (Metric(aggregate=plain_aggregate(implied, card), measure=implied),)
    column = main_measure(card)
    if column is not None and len(slots.text.split()) <= 8:
        return (Metric(aggregate=natural(column), measure=Measure(kind="column", columns=(column.name,))),)
    return (ROWS,)


def _is_time(measure: Measure, scene: Scene) -> bool:
    return measure.kind == "column" and scene.card.column(measure.columns[0]).temporal
