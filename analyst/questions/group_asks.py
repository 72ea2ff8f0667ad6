"""Clauses about how groups differ."""

import re
from collections.abc import Sequence

from analyst.protocol import Ask
from analyst.questions.metrics import ROWS, paired
from analyst.questions.parts import as_metric, dimension_of, dimensions_of, measures_of, plain_aggregate
from analyst.questions.relation_asks import relation
from analyst.questions.scene import Scene, Slots
from analyst.questions.shares import as_measure
from analyst.questions.time_asks import over_years, timed_metrics
from analyst.reading.rates import rates
from analyst.reading.verbs import measure_of_verb
from datasets.levels import LEVEL_OPS
from datasets.measures import Measure, Metric

_REFERS = re.compile(r"\b(?:it|this|that|they)\b", re.I)


def compare(slots: Slots, scene: Scene, before: Sequence[Ask]) -> list[Ask]:
    """A metric between groups; named groups become `segments` (joined by "|") instead of a filter."""
    card = scene.card
    if slots.periods.states and (yearly := over_years(slots, scene, before)):
        return [yearly]
    if slots.periods.versus is not None:
        return [Ask(kind="change", metrics=timed_metrics(slots, scene, before), dimensions=dimensions_of(slots, scene))]
    dims = list(dimensions_of(slots, scene))
    options: dict[str, str] = {}
    named = next(
        (
            f
            for f in slots.filters
            if f.op == "in"
            and len(f.values) >= 2
            and (not card.column(f.column).numeric or card.column(f.column).role == "dimension")
        ),
        None,
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
        metrics = tuple(_compared(m, slots, scene) for m in measures_of(slots, scene)[:2])
    elif not slots.aggregates:
        metrics = tuple(_compared(m.measure, slots, scene) if m.measure.kind != "rows" else m for m in metrics)
    spoken = measure_of_verb(slots.wording, card) if not metrics else None
    if spoken:
        metrics = (as_metric(Measure(kind="column", columns=(spoken.name,))),)
    condition = next(
        (f for f in slots.filters if f.column in {m.column for m in slots.sides} and f.column not in dims), None
    )
    if dims and condition and all(m.measure.kind == "rows" for m in metrics):
        slots.filters = [f for f in slots.filters if f is not condition]
        of = Measure(kind="indicator", columns=(condition.column,), values=condition.values)
        metrics = (Metric(aggregate="share", measure=of),)
    if dims and named and _SHARE_OF.search(slots.text) and all(_says_nothing(m, dims) for m in metrics):
        # "The share of third class among women and men": the condition is counted, it does not limit the rows.
        counted = next((f for f in slots.filters if f.op in {"eq", "in", "lt", "le", "gt", "ge", *LEVEL_OPS}), None)
        if counted:
            slots.filters = [f for f in slots.filters if f is not counted]
            metrics = (Metric(aggregate="share", measure=as_measure(counted)),)
    named_dims = [dimension_of(m, card) for m in (*slots.subjects, *slots.others)]
    dims += [n for n in named_dims if n not in dims and card.column(n).role in {"dimension", "boolean"}]
    if not dims and before and before[-1].filters and slots.filters and _REFERS.search(slots.text):
        against = _against(slots, before[-1], metrics or before[-1].metrics[:1])
        if against:
            return against
    if not metrics:
        kin = [
            pair
            for pair in rates(card, slots.text)
            if pair[1] >= 0.65 and pair[0].columns[0] not in {f.column for f in slots.filters}
        ]
        metrics = (Metric(aggregate="share", measure=kin[0][0]),) if kin else ()
    if not dims:
        yes_no = [f.column for f in slots.filters if f.column in {m.column for m in slots.sides}]
        if yes_no and (before or metrics):
            dims = yes_no[:1]
            slots.filters = [f for f in slots.filters if f.column not in dims]
    if not metrics and before and before[-1].metrics:
        metrics = before[-1].metrics[:1]
    composed = measures_of(slots, scene)
    if not dims and len(slots.measures) == 2 and slots.aggregates and len(composed) == 1:
        return [Ask(kind="value", metrics=tuple(m for a in slots.aggregates for m in a.metrics(composed[0])))]
    if not dims and len(slots.measures) == 2:
        return relation(slots, scene, before)
    if not dims:
        return [Ask(kind="value", metrics=metrics)] if metrics else []
    if (
        before
        and not slots.filters
        and set(before[-1].metrics) == set(metrics)
        and before[-1].dimensions == tuple(dims[:1])
    ):
        slots.filters = list(before[-1].filters)
    return [Ask(kind="compare", metrics=metrics or (ROWS,), dimensions=tuple(dims[:2]), options=options)]


_SHARE_OF = re.compile(r"\b(?:shares?|percentages?|proportions?|fractions?)\s+of\b", re.I)


def _says_nothing(metric: Metric, dims: Sequence[str]) -> bool:
    """Whether a metric cannot answer what share is meant: it counts rows, or is about the groups themselves."""
    return metric.measure.kind == "rows" or set(metric.measure.columns) <= set(dims)


def _compared(measure: Measure, slots: Slots, scene: Scene) -> Metric:
    """Groups of different size are compared by their means, unless totals are clearly meant."""
    if re.search(
        r"\bsignifican|\bdiffer|\bgaps?\b|\banova\b|\bt-?test|whitney|kruskal|\bratio\b|\btimes\b|\b(?:higher|lower|more|less|longer|shorter|older|younger)\b",
        slots.text,
        re.I,
    ):
        return as_metric(measure)
    return Metric(aggregate=plain_aggregate(measure, scene.card), measure=measure)


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
