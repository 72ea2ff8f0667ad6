"""Clauses that ask for numbers, and for which one has the highest."""

import re
from collections.abc import Sequence
from typing import Literal

from analyst.metrics import ROWS, counted, implied_measure, main_measure, paired
from analyst.parts import dimension_of, dimensions_of, measures_of, plain_aggregate
from analyst.protocol import Ask
from analyst.question_kinds import extreme_order, top_number
from analyst.slots import Scene, Slots
from analyst.words import lemma, name_words
from datasets.measures import Measure, Metric
from datasets.schema import SchemaCard

_SINGLE_ROW = re.compile(
    r"\b(?:single|one|any (?:one|single)|individual|a given|in a (?:year|day|month))\b|\brecorded\b", re.I
)
_WHO = re.compile(
    r"\bwho\b|^\W*(?:the )?(?:oldest|youngest|tallest|heaviest|cheapest|priciest|fastest|slowest|most expensive|least expensive)\b",
    re.I,
)
_IMPLIED = (
    (re.compile(r"\b(?:oldest|youngest|older|younger)\b", re.I), frozenset({"age"})),
    (re.compile(r"\b(?:heaviest|lightest)\b", re.I), frozenset({"weight", "mass"})),
    (re.compile(r"\b(?:tallest)\b", re.I), frozenset({"height"})),
    (re.compile(r"\b(?:longest|shortest)\b", re.I), frozenset({"length", "duration", "runtime", "distance"})),
    (re.compile(r"\b(?:fastest|slowest)\b", re.I), frozenset({"speed", "velocity"})),
    (
        re.compile(r"\b(?:cheapest|priciest|(?:most|least) expensive)\b", re.I),
        frozenset({"price", "cost", "fare", "fee"}),
    ),
    (re.compile(r"\b(?:richest|poorest)\b", re.I), frozenset({"income", "wealth", "gdp", "salary"})),
)
_NESTED = re.compile(
    r"\b(?:of|for|during|in|by|from|to)\s+the\s+(?:\w+\s+){1,3}?(?P<with>with|that (?:has|have|had)|which (?:has|have|had)|having|whose)"
    r"\s+(?:the\s+)?(?:highest|lowest|largest|smallest|most|fewest|least|greatest|biggest|maximum|minimum|longest|shortest|best|worst)\b",
    re.I,
)
_OF_THE = re.compile(
    r"\b(?:of|for|by|to|from) the (?P<a>oldest|youngest|heaviest|lightest|tallest|longest|shortest|fastest|slowest|cheapest|priciest|(?:most|least) expensive|richest|poorest)\b",
    re.I,
)
_LEAST = re.compile(
    r"\b(?:lowest|smallest|fewest|least|minimum|shortest|worst|youngest|lightest|slowest|cheapest|poorest)\b", re.I
)
_OUTLYING = re.compile(r"\b(?:their|these outliers|those outliers|outlier)\b", re.I)
_EVERY = re.compile(
    r"\b(?:everything|(?:all|every|each)(?: of)?(?: the)?(?: other)?(?: numeric\w*)? (?:columns?|variables?|features?|fields?|measures?))\b",
    re.I,
)
_ORDER_VALUE = re.compile(
    r"\b(?:average|mean|avg|median)\s+(?P<e>order|basket|ticket|cart|transaction|invoice|purchase|booking|claim)\s+(?:value|size|amount|total)s?\b",
    re.I,
)


def _superlative(text: str, scene: Scene) -> Measure | None:
    """The measure that an adjective implies: "oldest" the age, "most expensive" the price."""
    for pattern, stems in _IMPLIED:
        if not pattern.search(text):
            continue
        for column in scene.card.by_role("measure"):
            if {lemma(w) for w in name_words(column.name)} & stems:
                return Measure(kind="column", columns=(column.name,))
    return None


def _labels(card: SchemaCard) -> list[str]:
    """The column that says who or what a row is about: a name, else an identifier."""
    named = [c.name for c in card.columns if "name" in name_words(c.name) and not c.numeric and c.distinct > 1]
    keys = [c.name for c in card.by_role("identifier")]
    return (named or keys)[:1]


def _row(measure: Measure, names: Sequence[str], order: Literal["asc", "desc"], top: int, scene: Scene) -> Ask:
    """The extreme row; the year is shown with it where the names occur more than once."""
    card = scene.card
    shown = list(dict.fromkeys(names))
    if shown and all(card.column(n).distinct < card.rows for n in shown):
        shown += [c.name for c in card.columns if c.name.casefold() == "year" and c.name not in shown][:1]
    metric = Metric(aggregate="max" if order == "desc" else "min", measure=measure)
    return Ask(kind="extreme", metrics=(metric,), columns=tuple(shown), order=order, top=top)


def _at_extreme(slots: Slots, scene: Scene) -> Ask | None:
    """ "The wind speed of the storm with the highest category": one column of the extreme row of another."""
    nested = _NESTED.search(slots.text)
    adjective = _OF_THE.search(slots.text)
    if nested is None and adjective:
        meant = _superlative(adjective["a"], scene)
        named = [m.column for m in slots.mentions if m.how != "value" and m.end <= adjective.start()]
        order: Literal["asc", "desc"] = "asc" if _LEAST.search(adjective["a"]) else "desc"
        return _row(meant, named, order, 1, scene) if meant and named else None
    if nested is None:
        return None
    shown = [m for m in slots.mentions if m.how != "value" and m.end <= nested.start("with")]
    ranked = [m for m in slots.mentions if m.how != "value" and m.start >= nested.end()]
    if not shown or not ranked or not scene.card.column(ranked[0].column).numeric:
        return None
    order = "asc" if _LEAST.search(nested.group()) else "desc"
    names = [m.column for m in shown if m.column != ranked[0].column]
    return _row(Measure(kind="column", columns=(ranked[0].column,)), names, order, 1, scene) if names else None


def value(slots: Slots, scene: Scene, before: Sequence[Ask]) -> list[Ask]:
    if before and before[-1].kind == "outliers" and _OUTLYING.search(slots.text):
        return []
    nested = _at_extreme(slots, scene)
    if nested:
        return [nested]
    if before and re.search(r"\b(?:this|that) particular\b", slots.text, re.I):
        return []
    order_value = _order_value(slots, scene)
    if order_value:
        return [order_value]
    composed = measures_of(slots, scene) if slots.measures else ()
    if composed and composed != tuple(dict.fromkeys(m for _, m in slots.measures)):
        slots.measures = [(max(at for at, _ in slots.measures), composed[0])]
    metrics = _of_all(slots, scene) or paired(slots, scene)
    dims = dimensions_of(slots, scene)
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


def _order_value(slots: Slots, scene: Scene) -> Ask | None:
    """ "Average order value": the mean of a total once per order, else the sum of the amounts per order."""
    match = _ORDER_VALUE.search(slots.text)
    if match is None:
        return None
    card = scene.card
    entity = match["e"].lower()
    keys = [c for c in card.columns if entity in c.name.casefold() and c.role in {"identifier", "dimension", "text"}]
    keys = [c for c in keys if c.distinct > 1 and not c.temporal]
    totals = [c for c in card.by_role("measure") if entity in c.name.casefold()]
    aggregate = "median" if "median" in match.group().lower() else "mean"
    dims = dimensions_of(slots, scene)
    if totals:
        metric = Metric(aggregate=aggregate, measure=Measure(kind="column", columns=(totals[0].name,)))
        options = {"once_per": keys[0].name} if keys and keys[0].distinct < card.rows else {}
        return Ask(kind="value", metrics=(metric,), dimensions=dims, options=options)
    money = implied_measure("total amount", scene)
    if money is None:
        column = main_measure(card)
        money = Measure(kind="column", columns=(column.name,)) if column else None
    if money is None:
        return None
    unique = not keys or keys[0].distinct >= card.rows
    metric = Metric(aggregate="mean" if unique else "sum", measure=money)
    return Ask(kind="value", metrics=(metric,), dimensions=dims, options={} if unique else {"per": keys[0].name})


def extreme(slots: Slots, scene: Scene, before: Sequence[Ask]) -> list[Ask]:
    nested = _at_extreme(slots, scene)
    if nested:
        return [nested]
    card = scene.card
    order = extreme_order(slots.wording) or "desc"
    top = top_number(slots.text)
    subjects = [m for m in slots.subjects if m not in slots.groups]
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
    if not metrics:
        measures = measures_of(slots, scene)
        metrics = tuple(Metric(aggregate=plain_aggregate(m, card), measure=m) for m in measures[:1])
    if not metrics and slots.others and counting:
        metrics = (counted(slots.others[0], card),)
    if not metrics and (counting or re.search(r"\b(?:common|frequent|popular|often|busiest)\b", slots.text, re.I)):
        metrics = (ROWS,)
    if not metrics and before and before[-1].metrics:
        metrics = before[-1].metrics[:1]
    if not metrics:
        meant = _superlative(slots.text, scene)
        metrics = (Metric(aggregate=plain_aggregate(meant, card), measure=meant),) if meant else ()
    if not names and not groups and _WHO.search(slots.text):
        names = _labels(card)
    if not names and not groups and slots.grain is None:
        grain_ask = re.search(
            r"\b(?:which|what|on which|in which)\s+(?:single\s+)?(hour|day|week|month|quarter|year)\b", slots.text, re.I
        )
        if grain_ask and card.time_column and metrics:
            return [Ask(kind="extreme", metrics=metrics, grain=grain_ask.group(1).lower(), order=order, top=top or 1)]  # type: ignore[arg-type]
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
        bool(_SINGLE_ROW.search(slots.text))
        or metric.aggregate != "sum"
        or any(card.column(n).distinct >= card.rows for n in names)
    )
    if single and names and not groups:
        return [_row(metric.measure, names, order, top or 1, scene)]
    by = tuple(dict.fromkeys([*names, *groups]))[:2]
    return [Ask(kind="extreme", metrics=metrics, dimensions=by, order=order, top=top or 1)]
