"""Clauses about how columns relate, differ, spread and split."""

import re
from collections.abc import Sequence

from analyst.conditions import known_sides, two_sided, words_left
from analyst.derived import rates, targets
from analyst.metrics import ROWS, implied_measure, main_measure, paired
from analyst.parts import dimension_of, dimensions_of, measures_of, plain_aggregate
from analyst.protocol import Ask
from analyst.slots import Scene, Slots
from datasets.measures import Filter, Measure, Metric

_ALL = re.compile(
    r"\b(?:which|what) (?:other )?(?:columns?|variables?|features?|factors?|pairs?|attributes?|things)\b|\ball (?:other )?(?:numeric\w* )?(?:columns|variables|features)\b|\bcorrelation matrix\b|\bpairs?\b",
    re.I,
)
_HALVES = re.compile(
    r"\b(?:between|and|with|to|on|of|affect\w*|influenc\w*|impact\w*|relate\w*|driv\w*|determin\w*|predict\w*)\b", re.I
)


_REFERS = re.compile(r"\b(?:it|this|that|they)\b", re.I)


def relation(slots: Slots, scene: Scene, before: Sequence[Ask]) -> list[Ask]:
    """Two or more measures; one measure is screened against all. options: screen = target | pairs."""
    card = scene.card
    measures = list(_related(slots, scene))
    dims = [d for d in dimensions_of(slots, scene) if d not in {c for m in measures for c in m.columns}]
    names = [dimension_of(m, card) for m in (*slots.subjects, *slots.others)]
    names = [n for n in dict.fromkeys(names) if n not in dims and card.column(n).role != "identifier"]
    if _ALL.search(slots.text) or len(measures) + len(names) < 2:
        target = (measures[:1] if slots.measures or not _ALL.search(slots.text) else []) or [
            Measure(kind="column", columns=(n,)) for n in names if card.column(n).numeric
        ][:1]
        if (
            not target
            and not _ALL.search(slots.text)
            and before
            and before[-1].kind == "relation"
            and len(slots.text.split()) < 12
        ):
            return []
        if not target and not _ALL.search(slots.text):
            return []
        metrics = tuple(_as_metric(m, scene) for m in target)
        return [
            Ask(
                kind="relation",
                metrics=metrics,
                options={"screen": "target" if target else "pairs"},
            )
        ]
    numeric = [n for n in names if card.column(n).numeric]
    measures += [Measure(kind="column", columns=(n,)) for n in numeric]
    rest = [n for n in names if n not in numeric]
    if len(measures) == 1 and rest:
        return [
            Ask(
                kind="compare",
                metrics=(_as_metric(measures[0], scene),),
                dimensions=tuple(rest[:2]),
                options={"relation": "yes"},
            )
        ]
    if not measures and len(rest) >= 2:
        return [Ask(kind="relation", columns=tuple(rest[:2]), options={"method": "association"})]
    ordered = sorted(measures, key=lambda m: _place(m, slots))
    return [Ask(kind="relation", metrics=tuple(_as_metric(m, scene) for m in ordered), dimensions=tuple(dims))]


def compare(slots: Slots, scene: Scene, before: Sequence[Ask]) -> list[Ask]:
    """A metric between groups; named groups become `segments` (joined by "|") instead of a filter."""
    card = scene.card
    if slots.periods.versus is not None:
        from analyst.time_asks import timed_metrics

        return [Ask(kind="change", metrics=timed_metrics(slots, scene, before), dimensions=dimensions_of(slots, scene))]
    dims = list(dimensions_of(slots, scene))
    options: dict[str, str] = {}
    named = next(
        (f for f in slots.filters if f.op == "in" and len(f.values) >= 2 and not card.column(f.column).numeric), None
    )
    if slots.contrasted:
        dims.insert(0, slots.contrasted)
    elif named and named.column not in dims:
        dims.insert(0, named.column)
    if named and dims and dims[0] == named.column:
        options["segments"] = "|".join(map(str, named.values))
        slots.filters = [f for f in slots.filters if f is not named]
    metrics = paired(slots, scene)
    if not metrics:
        metrics = tuple(Metric(aggregate=plain_aggregate(m, card), measure=m) for m in measures_of(slots, scene)[:2])
    condition = next(
        (f for f in slots.filters if f.column in {m.column for m in slots.sides} and f.column not in dims), None
    )
    if dims and condition and all(m.measure.kind == "rows" for m in metrics):
        slots.filters = [f for f in slots.filters if f is not condition]
        of = Measure(kind="indicator", columns=(condition.column,), values=condition.values)
        metrics = (Metric(aggregate="share", measure=of),)
    named_dims = [dimension_of(m, card) for m in (*slots.subjects, *slots.others)]
    dims += [n for n in named_dims if n not in dims and card.column(n).role in {"dimension", "boolean"}]
    if not dims and before and before[-1].filters and slots.filters and _REFERS.search(slots.text):
        against = _against(slots, before[-1], metrics or before[-1].metrics[:1])
        if against:
            return against
    if not dims:
        yes_no = [f.column for f in slots.filters if f.column in {m.column for m in slots.sides}]
        if yes_no and (before or metrics):
            dims = yes_no[:1]
            slots.filters = [f for f in slots.filters if f.column not in dims]
    if not metrics and before and before[-1].metrics:
        metrics = before[-1].metrics[:1]
    if not dims and len(slots.measures) == 2:
        return relation(slots, scene, before)
    if not dims:
        return [Ask(kind="value", metrics=metrics)] if metrics else []
    return [Ask(kind="compare", metrics=metrics or (ROWS,), dimensions=tuple(dims[:2]), options=options)]


def share(slots: Slots, scene: Scene, before: Sequence[Ask]) -> list[Ask]:
    """The rate of a condition (a value ask with a share metric), or how a total splits over a dimension."""
    card = scene.card
    dims = dimensions_of(slots, scene)
    condition = _condition(slots, scene)
    measures = [m for _, m in slots.measures]
    if condition and not measures:
        slots.filters = [f for f in slots.filters if f.column != condition.columns[0]]
        known = known_sides(card.column(condition.columns[0])) if two_sided(card.column(condition.columns[0])) else None
        slots.filters += [known] if known else []
        metric = Metric(aggregate="share", measure=condition)
        return [
            Ask(
                kind="value",
                metrics=(metric,),
                dimensions=tuple(d for d in dims if d not in condition.columns),
                options={"share": "yes"},
            )
        ]
    if (
        measures
        and re.search(r"\bpercent\w*|\brates?\b|\bratio\b", slots.text, re.I)
        and not dims
        and not slots.filters
    ):
        return [Ask(kind="value", metrics=paired(slots, scene))]
    named = [dimension_of(m, card) for m in (*slots.subjects, *slots.others)]
    within = next((f for f in slots.filters if f.op in {"eq", "in"} and measures), None)
    metric = Metric(aggregate="sum", measure=measures[0]) if measures else ROWS
    if within:
        slots.filters = [f for f in slots.filters if f is not within]
        options = {"segment": "|".join(map(str, within.values))}
        return [Ask(kind="share", metrics=(metric,), dimensions=(within.column,), options=options)]
    chosen = dims or tuple(n for n in named if card.column(n).role in {"dimension", "boolean", "text"})[:1]
    if chosen:
        return [Ask(kind="share", metrics=(metric,), dimensions=chosen)]
    implied = implied_measure(slots.text, scene)
    if implied:
        return [Ask(kind="value", metrics=(_as_metric(implied, scene),))]
    metrics = paired(slots, scene)
    return [Ask(kind="value", metrics=metrics)] if metrics else []


def distribution(slots: Slots, scene: Scene, before: Sequence[Ask]) -> list[Ask]:
    """How a measure spreads; for a column of names, how the rows split."""
    card = scene.card
    measures = measures_of(slots, scene)
    dims = dimensions_of(slots, scene)
    named = [dimension_of(m, card) for m in (*slots.subjects, *slots.others)]
    numeric = [n for n in named if card.column(n).numeric and card.column(n).role != "identifier"]
    if not measures and numeric:
        measures = tuple(Measure(kind="column", columns=(n,)) for n in numeric[:1])
    if not measures and not named and not dims and before:
        measures = tuple(m.measure for m in before[-1].metrics if m.measure.kind != "rows")[:1]
    if measures:
        metrics = tuple(_as_metric(m, scene) for m in measures)
        named_normal = re.search(r"normal|gaussian|shapiro|bell", slots.text, re.I) is not None
        return [
            Ask(
                kind="distribution",
                metrics=metrics,
                dimensions=dims,
                options={"what": "normality" if named_normal else "shape"},
            )
        ]
    chosen = dims or tuple(n for n in named if card.column(n).role in {"dimension", "boolean", "text"})[:1]
    return [Ask(kind="share", metrics=(ROWS,), dimensions=chosen)] if chosen else []


def outliers(slots: Slots, scene: Scene, before: Sequence[Ask]) -> list[Ask]:
    """Unusual values of a measure; of the one asked about before, else of every measure (no metrics)."""
    measures = measures_of(slots, scene)
    if not measures:
        numeric = [m.column for m in slots.others if scene.card.column(m.column).numeric]
        measures = tuple(Measure(kind="column", columns=(n,)) for n in numeric[:1])
    if not measures and before:
        measures = tuple(m.measure for m in before[-1].metrics if m.measure.kind not in {"rows", "indicator"})[:1]
    if not measures:
        column = main_measure(scene.card)
        measures = (Measure(kind="column", columns=(column.name,)),) if column else ()
    shown = tuple(dimension_of(m, scene.card) for m in slots.subjects)
    dims = dimensions_of(slots, scene)
    return [
        Ask(kind="outliers", metrics=tuple(_as_metric(m, scene) for m in measures), dimensions=dims[:1], columns=shown)
    ]


def _related(slots: Slots, scene: Scene) -> tuple[Measure, ...]:
    """Measures on both sides of a relation; a side without a column may mean a duration or a rate."""
    found = list(measures_of(slots, scene))
    if len(found) >= 2:
        return tuple(found)
    for part in _HALVES.split(slots.text):
        if not part.strip() or any(
            m.start >= slots.text.find(part) and m.end <= slots.text.find(part) + len(part) for m in slots.mentions
        ):
            continue
        telling = words_left(part, [])
        meant = implied_measure(part.strip(), scene) if len(found) < 2 and telling else None
        if (
            meant
            and meant.kind in {"indicator", "at_least"}
            and any(m.kind in {"indicator", "at_least"} for m in found)
        ):
            continue
        if meant and meant not in found and not (set(meant.columns) & {c for m in found for c in m.columns}):
            found.append(meant)
    return tuple(found)


def _condition(slots: Slots, scene: Scene) -> Measure | None:
    """What "the share of ..." counts: yes in a two-sided column, a named value, a status that the words mean."""
    equal = [f for f in slots.filters if f.op in {"eq", "in"}]
    sided = [f for f in equal if f.column in {m.column for m in slots.sides}]
    wanted: Filter | None = sided[0] if sided else equal[0] if equal and not slots.groups else None
    lead = re.search(r"\b(?:shares?|percent\w*|proportions?|fractions?|%)\s+(?:of\s+)?(?:the\s+)?", slots.text, re.I)
    if wanted is None and len(equal) and lead:
        wanted = equal[0]
    if wanted is not None:
        return Measure(kind="indicator", columns=(wanted.column,), values=wanted.values)
    best = [p for p in (*targets(scene.card, slots.text), *rates(scene.card, slots.text)) if p[1] >= 0.65]
    return max(best, key=lambda p: p[1])[0] if best else None


def _against(slots: Slots, other: Ask, metrics: tuple[Metric, ...]) -> list[Ask]:
    """Two questions that differ in one condition, compared: "… is it different among the female ones?"."""
    for mine in slots.filters:
        for theirs in other.filters:
            if mine.column == theirs.column and mine.key != theirs.key and mine.op == theirs.op == "eq":
                shared = tuple(f for f in slots.filters if f is not mine)
                slots.filters = list(shared)
                options = {"segments": "|".join(map(str, (*theirs.values, *mine.values)))}
                return [Ask(kind="compare", metrics=metrics or (ROWS,), dimensions=(mine.column,), options=options)]
    return []


def _as_metric(measure: Measure, scene: Scene) -> Metric:
    return Metric(aggregate="share" if measure.kind in {"indicator", "at_least"} else "mean", measure=measure)


def _place(measure: Measure, slots: Slots) -> int:
    return next((at for at, m in slots.measures if m == measure), len(slots.text))
