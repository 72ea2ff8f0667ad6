"""Clauses that ask which one has the highest, the lowest, the second most."""

import re
from collections.abc import Sequence
from typing import Literal

from analyst.protocol import Ask
from analyst.questions.calendar_asks import JUDGED, calendar_part
from analyst.questions.cues import LEAST, MOST
from analyst.questions.extremes import (
    SINGLE_ROW,
    WHO,
    at_extreme,
    extreme_row,
    label_columns,
    meant_by_adjective,
)
from analyst.questions.implied import main_measure
from analyst.questions.kinds import GRAINS, extreme_order, has, place_number, top_number
from analyst.questions.metrics import ROWS, counted, paired
from analyst.questions.parts import as_metric, dimension_of, measures_of, plain_aggregate
from analyst.questions.per_key import money_meant
from analyst.questions.scene import Scene, Slots
from analyst.questions.shares import counted_condition
from analyst.questions.value_asks import value
from analyst.reading.agents import person_column
from analyst.reading.aggregates import AggregateWord
from analyst.reading.verbs import measure_of_verb
from datasets.measures import YES_OR_NO, Grain, Measure, Metric

_THING = re.compile(
    r"\b(?:which|what|who are the|(?:(?:which|what|top|bottom|best|worst|first|last) )?(?:\d+"
    r"|two|three|four|five|six|seven|eight|nine|ten)(?: (?:oldest|youngest|largest|biggest|smallest|highest|lowest"
    r"|cheapest|longest|shortest|most expensive|least expensive|top|best|worst))?)\s+"
    r"(?P<n>(?!is|are|was|were|has|have|had"
    r"|does|do|did|the|of|percent|share|month|day|week|year|quarter"
    r"|hour|date|time|by|values?|rows?|columns?|variables?)[a-z]+s?)\b",
    re.I,
)
_PRICED = re.compile(r"\b(?:expensive|inexpensive|cheap\w*|costl\w+|pric(?:y|ey|ier|iest))\b", re.I)
"""Said of one, and not of all of them together: a region of many people is not the more expensive for it."""
_SIZED = re.compile(r"\b(?:largest|biggest|highest|smallest|lowest)\b", re.I)
_COUNTING = re.compile(r"\b(?:most|fewest|least)\b(?! (?:common|recent|expensive))", re.I)
_MOST_OF = re.compile(r"\b(?:most|fewest|least)\s+(?P<rows>[a-z]+s)\b(?!\s+(?:date|day|time)s?\b)", re.I)
_FREQUENT = re.compile(r"\b(?:common|frequent|popular|often|busiest)\b", re.I)
_PERIOD = re.compile(
    r"\b(?:which|what|busiest|quietest|best|worst|peak|top)\s+(?:single\s+)?(hour|day|week|month|quarter"
    r"|year)\b|\b(?:the|a) (?=\w+(?: and \w+)?(?: \w+)? (?:which"
    r"|that|with)\b)(hour|day|week|month|quarter|year)\b",
    re.I,
)
_OLDER_THAN = re.compile(r"\b(?:older|younger) than\b", re.I)
_PEOPLE = re.compile(r"\b(?:people|persons?|individuals?)\b", re.I)
_NEARLY_ALL = 0.9
_MANY_EACH = 30
"""Groups of so many rows are ranked by their average: the longest wait of a clinic is not that of one visit."""
_YES_OR_NO = re.compile(r"\W*(?:(?:and|so|but) )?(?:is|are|was|were|does|do|did|has|have)\b", re.I)
_OR = re.compile(r"\bor\b", re.I)
Order = Literal["asc", "desc"]


def extreme(slots: Slots, scene: Scene, before: Sequence[Ask]) -> list[Ask]:
    """Rank groups, periods or rows; options place = n where not the first but the nth is asked for."""
    early = at_extreme(slots, scene) or calendar_part(slots, scene) or _rivals(slots, scene)
    if early:
        return [early]
    order: Order = extreme_order(slots.wording) or extreme_order(slots.text) or "desc"
    if _period(slots, scene):
        slots.measures = [(at, m) for at, m in slots.measures if not _is_moment(m, scene)]
    if said := _MOST_OF.search(slots.text):
        # "The most visits" counts the rows, whatever column tells when a visit was.
        within = range(*said.span("rows"))
        slots.measures = [(at, m) for at, m in slots.measures if not (at in within and _is_moment(m, scene))]
    top = top_number(slots.text)
    names, groups = _ranked_columns(slots, scene)
    strongest = slots.aggregates
    slots.aggregates = plain = [a for a in slots.aggregates if not a.extreme]
    counting = any(a.counts for a in plain) or _COUNTING.search(slots.text) is not None
    metrics = _ranked_by(slots, scene, before, counting=counting)
    rated = any(m.measure.kind in YES_OR_NO or m.measure.kind == "rows" for m in metrics)
    names = _things_named(slots, scene, names, groups, rated=rated)
    if not names and not groups and slots.grain is None:
        grain = _period(slots, scene)
        if grain and metrics:
            return [_placed(Ask(kind="extreme", metrics=metrics, grain=grain, order=order, top=top or 1), slots)]
        return _without_groups(slots, scene, before, metrics, strongest, order, top, counting=counting)
    if top and not groups and _of_itself(names, metrics, scene):
        of = Measure(kind="column", columns=(names[0],))
        return [extreme_row(of, label_columns(scene.card), order, top, scene)]
    if not metrics:
        return []
    if names and not groups and not place_number(slots.text) and _single(slots, scene, metrics[0], names, plain):
        return [extreme_row(metrics[0].measure, names, order, top or 1, scene)]
    by = tuple(dict.fromkeys([*names, *groups]))[:2]
    return [_placed(Ask(kind="extreme", metrics=metrics, dimensions=by, order=order, top=top or 1), slots)]


def _of_itself(names: Sequence[str], metrics: Sequence[Metric], scene: Scene) -> bool:
    """Whether a measure would be ranked by its own values: the "top 5 salaries" are those of five rows."""
    measured = [m.measure.columns for m in metrics if m.measure.kind == "column"]
    one = len(names) == 1 and scene.card.column(names[0]).role == "measure"
    return one and (not metrics or measured == [tuple(names)])


def first_place(slots: Slots, scene: Scene, before: Sequence[Ask]) -> Ask | None:
    """ "Is Bern still the slowest site?": the ranking of all of its kind, in which the one named is first or not."""
    least, most = LEAST.search(slots.wording), MOST.search(slots.wording)
    named = [f for f in slots.filters if f.op in {"eq", "in"} and len(f.values) == 1]
    if not (least or most) or len(named) != 1 or len(slots.filters) > 1 or not _YES_OR_NO.match(slots.text):
        return None
    kind, column = named[0].column, scene.card.column(named[0].column)
    others = {dimension_of(m, scene.card) for m in (*slots.subjects, *slots.groups)} - {kind}
    if column.role != "dimension" or others or slots.grain or _COUNTING.search(slots.text):
        return None
    slots.aggregates = [a for a in slots.aggregates if not a.extreme]
    metrics = _ranked_by(slots, scene, before, counting=any(a.counts for a in slots.aggregates))
    if not metrics:
        return None
    slots.filters = []
    return Ask(kind="extreme", metrics=metrics[:1], dimensions=(kind,), order="desc" if most else "asc")


def _rivals(slots: Slots, scene: Scene) -> Ask | None:
    """ "Who pays more, men or women": groups that are named are compared by their means, since their sizes differ."""
    rivals = next((f for f in slots.filters if f.op == "in" and len(f.values) > 1), None)
    if rivals is None or slots.subjects or slots.groups or not _OR.search(slots.text):
        return None
    spoken = measure_of_verb(slots.wording, scene.card)
    meant = measures_of(slots, scene) or ((Measure(kind="column", columns=(spoken.name,)),) if spoken else ())
    if not meant:
        return None
    slots.filters = [f for f in slots.filters if f is not rivals]
    options = {"segments": "|".join(map(str, rivals.values))}
    return Ask(kind="compare", metrics=(as_metric(meant[0]),), dimensions=(rivals.column,), options=options)


def _ranked_columns(slots: Slots, scene: Scene) -> tuple[list[str], list[str]]:
    """What is ranked, and what it is ranked within; a measure after "by" is what it is ranked by."""
    card = scene.card
    subjects = [m for m in slots.subjects if m not in slots.groups]
    ranking = [m for m in slots.groups if card.column(dimension_of(m, card)).role == "measure"]
    slots.groups = [m for m in slots.groups if m not in ranking]
    slots.measures += [(m.start, Measure(kind="column", columns=(dimension_of(m, card),))) for m in ranking]
    if not subjects and not slots.groups and slots.others:
        subjects = slots.others[:1]
        slots.others = slots.others[1:]
    return [dimension_of(m, card) for m in subjects], [dimension_of(m, card) for m in slots.groups]


def _ranked_by(slots: Slots, scene: Scene, before: Sequence[Ask], *, counting: bool) -> tuple[Metric, ...]:
    """The metric of the ranking: the first of what is named, meant, counted, or asked before."""
    card = scene.card
    condition = counted_condition(slots, scene) if has("share", slots.wording) and not slots.measures else None
    if condition:
        slots.filters = [f for f in slots.filters if f.column not in condition.columns]
        return (Metric(aggregate="share", measure=condition),)
    if named := paired(slots, scene):
        return named
    if meant := measures_of(slots, scene):
        return _plain(meant[0], scene)
    side = next((f for f in slots.filters if slots.sides and f.column == slots.sides[0].column), None)
    if side and not counting:
        slots.filters = [f for f in slots.filters if f is not side]
        of = Measure(kind="indicator", columns=(side.column,), values=side.values)
        return (Metric(aggregate="share", measure=of),)
    adjective = None if _OLDER_THAN.search(slots.text) else meant_by_adjective(slots.text, scene)
    spoken = measure_of_verb(slots.wording, card) if adjective is None else None
    adjective = Measure(kind="column", columns=(spoken.name,)) if spoken else adjective
    if adjective and _PRICED.search(slots.wording):
        return (as_metric(adjective),)
    if adjective and counting:
        return _plain(adjective, scene)
    if slots.others and counting:
        return (counted(slots.others[0], card),)
    if counting or _FREQUENT.search(slots.text):
        return (ROWS,)
    if before and before[-1].metrics:
        return before[-1].metrics[:1]
    if adjective:
        return _plain(adjective, scene)
    sized = top_number(slots.text) and _SIZED.search(slots.text)
    judged = money_meant(scene) if sized or JUDGED.search(slots.text) else None
    return _plain(judged, scene) if judged else ()


def _plain(measure: Measure, scene: Scene) -> tuple[Metric, ...]:
    return (Metric(aggregate=plain_aggregate(measure, scene.card), measure=measure),)


def _things_named(slots: Slots, scene: Scene, names: list[str], groups: list[str], *, rated: bool) -> list[str]:
    """The columns that name what is asked for, also where a word names no column: "who", "which player".

    Where a rate is asked for (`rated`), no column that names single rows has one.
    """
    card = scene.card
    who = WHO.search(slots.text) is not None
    if who and (labels := label_columns(card, named=True)):
        return labels
    if names or groups or slots.grain is not None:
        return names
    if not who and not _unnamed(slots):
        return names
    if top_number(slots.text) and _PEOPLE.search(slots.text):
        return label_columns(card, named=True) or label_columns(card)
    people = [person_column(card)] if who else []
    found = [p for p in people if p] or label_columns(card, named=True) or _things(slots, scene) or label_columns(card)
    if rated and any(card.column(n).distinct >= _NEARLY_ALL * card.rows for n in found):
        return []
    return found


def _unnamed(slots: Slots) -> bool:
    """Whether a thing is asked for by a word that names no column: "which player", "top 5 players"."""
    match = _THING.search(slots.text)
    return match is not None and not any(m.start < match.end("n") and match.start("n") < m.end for m in slots.mentions)


def _things(slots: Slots, scene: Scene) -> list[str]:
    """The column that holds things of the kind asked for, by meaning: "product" for a stock code."""
    match = _THING.search(slots.text)
    near = scene.matcher.by_meaning(match["n"]) if match else {}
    names = [c.name for c in scene.card.by_role("dimension", "identifier", "text") if near.get(c.name, 0.0) >= 0.35]
    return sorted(names, key=lambda name: -near[name])[:1]


def _period(slots: Slots, scene: Scene) -> Grain | None:
    found = _PERIOD.search(slots.text)
    if found is None or not scene.card.time_column:
        return None
    return next((g for g in GRAINS if g == (found.group(1) or found.group(2)).lower()), None)


def _is_moment(measure: Measure, scene: Scene) -> bool:
    return measure.kind == "column" and scene.card.column(measure.columns[0]).temporal


def _without_groups(
    slots: Slots,
    scene: Scene,
    before: Sequence[Ask],
    metrics: tuple[Metric, ...],
    strongest: Sequence[AggregateWord],
    order: Order,
    top: int | None,
    *,
    counting: bool,
) -> list[Ask]:
    """The extreme of a measure as it is, or the rows that hold the N most extreme values."""
    measure = slots.measures[-1][1] if slots.measures else metrics[0].measure if metrics else None
    if measure is None and top and not counting and (main := main_measure(scene.card)):
        measure = Measure(kind="column", columns=(main.name,))
    if measure is not None and measure.kind != "rows" and not counting:
        if top and top > 1:
            return [extreme_row(measure, label_columns(scene.card), order, top, scene)]
        if measure.kind in YES_OR_NO:
            return [Ask(kind="value", metrics=(as_metric(measure),))]
        if strongest:
            return [Ask(kind="value", metrics=tuple(m for a in strongest for m in a.metrics(measure)))]
    return value(slots, scene, before)


def _single(slots: Slots, scene: Scene, metric: Metric, names: Sequence[str], plain: Sequence[AggregateWord]) -> bool:
    """Whether single rows are ranked, and not groups of them by an aggregate: few rows each, and a level."""
    card = scene.card
    aggregated = (
        any(not a.counts or not slots.measures for a in plain)
        or metric.measure.kind != "column"
        or metric.aggregate == "distinct"
    )
    level = metric.aggregate != "sum" and all(card.rows < _MANY_EACH * card.column(n).distinct for n in names)
    alone = level or any(card.column(n).distinct >= card.rows for n in names)
    return not aggregated and (bool(SINGLE_ROW.search(slots.text)) or alone)


def _placed(ask: Ask, slots: Slots) -> Ask:
    place = place_number(slots.text)
    return ask.model_copy(update={"options": {**ask.options, "place": str(place)}, "top": None}) if place else ask
