"""Clauses that ask for numbers, and for which one has the highest."""

import re
from collections.abc import Sequence

from analyst.protocol import Ask
from analyst.questions.extremes import SINGLE_ROW, WHO, at_extreme, extreme_row, label_columns, meant_by_adjective
from analyst.questions.group_asks import counted_condition
from analyst.questions.implied import implied_measure
from analyst.questions.kinds import extreme_order, has, top_number
from analyst.questions.metrics import ROWS, counted, paired
from analyst.questions.parts import dimension_of, dimensions_of, measures_of, plain_aggregate
from analyst.questions.per_key import money_meant, order_value, summed_per
from analyst.questions.scene import Scene, Slots
from datasets.measures import Measure, Metric

_OUTLYING = re.compile(r"\b(?:their|these outliers|those outliers|outlier)\b", re.I)
_EVERY = re.compile(
    r"\b(?:everything|(?:all|every|each)(?: of)?(?: the)?(?: other)?(?: numeric\w*)?"
    r" (?:columns?|variables?|features?|fields?|measures?))\b",
    re.I,
)
_THING = re.compile(
    r"\b(?:which|what|(?:top|bottom|best|worst|first|last) (?:\d+"
    r"|two|three|five|ten))\s+(?P<n>(?!is|are|was|were|has|have|had"
    r"|does|do|did|the|of|percent|share|month|day|week|year|quarter"
    r"|hour|date|time|by|values?|rows?|columns?|variables?)[a-z]+s?)\b",
    re.I,
)
_PART = re.compile(
    r"\b(?:(?P<weekday>weekdays?|days? of (?:the )?week)|(?P<hour>hours? of (?:the )?day"
    r"|times? of (?:the )?day)|(?P<month>months? of (?:the )?year"
    r"|calendar months?))\b",
    re.I,
)
_JUDGED = re.compile(r"\b(?:best|worst|strongest|weakest)\b", re.I)
"""What is good is not said: most of the main measure."""


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
    return [Ask(kind="value", metrics=metrics, dimensions=dims, top=top, order="desc" if top else None)]


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


def _of_all(slots: Slots, scene: Scene) -> tuple[Metric, ...]:
    """ "The mean of all numeric columns": the aggregates of each measure."""
    if slots.measures or not slots.aggregates or not _EVERY.search(slots.text):
        return ()
    measures = [Measure(kind="column", columns=(c.name,)) for c in scene.card.by_role("measure")[:20]]
    return tuple(m for of in measures for a in slots.aggregates if not a.counts for m in a.metrics(of))


def _meant(slots: Slots, scene: Scene, before: Sequence[Ask], dims: tuple[str, ...]) -> tuple[Metric, ...]:
    """Metrics of a clause that pairs no aggregate with a column."""
    if slots.others and dims and not slots.measures:
        return (counted(slots.others[0], scene.card),)
    if slots.aggregates and before and before[-1].metrics:
        of = before[-1].metrics[-1].measure
        if of.kind != "rows":
            return tuple(m for a in slots.aggregates for m in a.metrics(of))
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
    return ()


def extreme(slots: Slots, scene: Scene, before: Sequence[Ask]) -> list[Ask]:
    nested = at_extreme(slots, scene)
    if nested:
        return [nested]
    card = scene.card
    part = _PART.search(slots.text)
    if part and card.time_column:
        of = slots.measures[0][1] if slots.measures else None
        metric = Metric(aggregate=plain_aggregate(of, card), measure=of) if of else ROWS
        options = {"part": next(name for name, group in part.groupdict().items() if group)}
        return [Ask(kind="compare", metrics=(metric,), dimensions=(card.time_column,), options=options)]
    order = extreme_order(slots.wording) or "desc"
    top = top_number(slots.text)
    subjects = [m for m in slots.subjects if m not in slots.groups]
    ranking = [m for m in slots.groups if card.column(dimension_of(m, card)).role == "measure"]
    slots.groups = [m for m in slots.groups if m not in ranking]
    slots.measures += [(m.start, Measure(kind="column", columns=(dimension_of(m, card),))) for m in ranking]
    groups = [dimension_of(m, card) for m in slots.groups]
    if not subjects and not groups and slots.others:
        subjects = slots.others[:1]
        slots.others = slots.others[1:]
    names = [dimension_of(m, card) for m in subjects]
    plain = [a for a in slots.aggregates if not a.extreme]
    strongest = slots.aggregates
    slots.aggregates = plain
    metrics = paired(slots, scene)
    counting = any(a.counts for a in plain) or re.search(
        r"\b(?:most|fewest|least)\b(?! (?:common|recent|expensive))", slots.text, re.I
    )
    condition = counted_condition(slots, scene) if has("share", slots.wording) and not slots.measures else None
    if condition:
        slots.filters = [f for f in slots.filters if f.column not in condition.columns]
        metrics = (Metric(aggregate="share", measure=condition),)
    if not metrics:
        measures = measures_of(slots, scene)
        metrics = tuple(Metric(aggregate=plain_aggregate(m, card), measure=m) for m in measures[:1])
    if not metrics and slots.sides and not counting:
        side = next((f for f in slots.filters if f.column == slots.sides[0].column), None)
        if side:
            slots.filters = [f for f in slots.filters if f is not side]
            of = Measure(kind="indicator", columns=(side.column,), values=side.values)
            metrics = (Metric(aggregate="share", measure=of),)
    if not metrics and counting:
        meant = meant_by_adjective(slots.text, scene)
        metrics = (Metric(aggregate=plain_aggregate(meant, card), measure=meant),) if meant else ()
    if not metrics and slots.others and counting:
        metrics = (counted(slots.others[0], card),)
    if not metrics and (counting or re.search(r"\b(?:common|frequent|popular|often|busiest)\b", slots.text, re.I)):
        metrics = (ROWS,)
    if not metrics and before and before[-1].metrics:
        metrics = before[-1].metrics[:1]
    if not metrics:
        meant = meant_by_adjective(slots.text, scene)
        metrics = (Metric(aggregate=plain_aggregate(meant, card), measure=meant),) if meant else ()
    if not metrics and _JUDGED.search(slots.text) and (money := money_meant(scene)):
        metrics = (Metric(aggregate=plain_aggregate(money, card), measure=money),)
    if WHO.search(slots.text) and label_columns(card, named=True):
        names = label_columns(card, named=True)
    if not names and not groups and slots.grain is None and (WHO.search(slots.text) or _unnamed(slots)):
        names = label_columns(card, named=True) or _things(slots, scene) or label_columns(card)
    if not names and not groups and slots.grain is None:
        grain_ask = re.search(
            r"\b(?:which|what|busiest|quietest|best|worst|peak|top)\s+(?:single\s+)?(hour|day|week|month|quarter"
            r"|year)\b|\b(?:the|a) (?=\w+(?: and \w+)?(?: \w+)? (?:which"
            r"|that|with)\b)(hour|day|week|month|quarter|year)\b",
            slots.text,
            re.I,
        )
        if grain_ask and card.time_column and metrics:
            return [
                Ask(
                    kind="extreme",
                    metrics=metrics,
                    grain=(grain_ask.group(1) or grain_ask.group(2)).lower(),
                    order=order,
                    top=top or 1,
                )
            ]
        if strongest and slots.measures and not counting:
            return [Ask(kind="value", metrics=tuple(m for a in strongest for m in a.metrics(slots.measures[-1][1])))]
        return value(slots, scene, before)
    if not metrics:
        return []
    metric = metrics[0]
    aggregated = (
        any(not a.counts or not slots.measures for a in plain)
        or metric.measure.kind != "column"
        or metric.aggregate == "distinct"
    )
    single = not aggregated and (
        bool(SINGLE_ROW.search(slots.text))
        or metric.aggregate != "sum"
        or any(card.column(n).distinct >= card.rows for n in names)
    )
    if single and names and not groups:
        return [extreme_row(metric.measure, names, order, top or 1, scene)]
    by = tuple(dict.fromkeys([*names, *groups]))[:2]
    return [Ask(kind="extreme", metrics=metrics, dimensions=by, order=order, top=top or 1)]
