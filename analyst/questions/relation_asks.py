"""Clauses about how columns relate, differ, spread and split."""

import re
from collections.abc import Sequence

from analyst.protocol import Ask
from analyst.questions.calendar_asks import usual_metrics
from analyst.questions.implied import implied_measure, main_measure
from analyst.questions.kinds import unusual_periods
from analyst.questions.metrics import ROWS
from analyst.questions.parts import as_metric, dimension_of, dimensions_of, measures_of, plain_aggregate
from analyst.questions.scene import Scene, Slots
from analyst.reading.conditions import words_left
from datasets.measures import YES_OR_NO, Measure, Metric

_ALL = re.compile(
    r"\b(?:which|what) (?:other )?(?:columns?|variables?|features?"
    r"|factors?|pairs?|attributes?|things)\b|\ball (?:other )?(?:numeric\w* )?(?:columns"
    r"|variables|features)\b|\bcorrelation matrix\b|\bpairs?\b",
    re.I,
)
_OVER_TIME = re.compile(r"\b(?:spikes?|dips?|unusual (?:days?|weeks?|months?)|over time)\b", re.I)
"""What is unusual of a total in time, not of a row."""
_OUTCOME_FIRST = re.compile(
    r"\bregression of\b.*\bon\b|\bregress\b.*\bon\b|\bpredict\w*\b.*\b(?:from|by|using|based on|with)\b"
    r"|\bas a function of\b|\bdepends? on\b",
    re.I,
)
_MANY = 100
_FEW = 15
_HALVES = re.compile(
    r"\b(?:between|and|with|to|on|of|affect\w*|influenc\w*|impact\w*|relate\w*|driv\w*|determin\w*|predict\w*)\b", re.I
)


def relation(slots: Slots, scene: Scene, before: Sequence[Ask]) -> list[Ask]:
    """Two or more measures; one measure is screened against all. options: screen = target | pairs."""
    card = scene.card
    measures = list(_related(slots, scene))
    for side in {m.column: m for m in slots.sides}.values():
        condition = next((f for f in slots.filters if f.column == side.column and f.op in {"eq", "in"}), None)
        if condition and len(measures) < 2:
            slots.filters = [f for f in slots.filters if f is not condition]
            measures.append(Measure(kind="indicator", columns=(side.column,), values=condition.values))
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
        metrics = tuple(as_metric(m) for m in target)
        return [
            Ask(
                kind="relation",
                metrics=metrics,
                options={"screen": "target" if target else "pairs"},
            )
        ]
    rates = [m for m in measures if m.kind in YES_OR_NO]
    if len(measures) == len(rates) == 1 and len(names) == 1 and card.column(names[0]).distinct <= _FEW:
        return [
            Ask(kind="compare", metrics=(as_metric(rates[0]),), dimensions=(names[0],), options={"relation": "yes"})
        ]
    numeric = [n for n in names if card.column(n).numeric]
    measures += [Measure(kind="column", columns=(n,)) for n in numeric]
    rest = [n for n in names if n not in numeric]
    rest = [n for n in rest if card.column(n).distinct <= _MANY]
    if len(measures) == 1 and rest:
        return [
            Ask(
                kind="compare",
                metrics=(as_metric(measures[0]),),
                dimensions=tuple(rest[:2]),
                options={"relation": "yes"},
            )
        ]
    if not measures and len(rest) >= 2:
        return [Ask(kind="relation", columns=tuple(rest[:2]), options={"method": "association"})]
    ordered = sorted(measures, key=lambda m: _place(m, slots))
    if len(ordered) == 2 and _OUTCOME_FIRST.search(slots.text):
        ordered.reverse()
    return [Ask(kind="relation", metrics=tuple(as_metric(m) for m in ordered), dimensions=tuple(dims))]


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
        metrics = tuple(as_metric(m) for m in measures)
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
    """Unusual values of a measure; of the one asked about before, else of every measure (no metrics).

    Of totals by day or month they are the spikes of a trend.
    """
    measures = tuple(m for m in measures_of(slots, scene) if not (m.kind == "column" and _dated(m, scene)))
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
    over_time = slots.grain or _OVER_TIME.search(slots.text)
    if scene.card.time_column and (unusual_periods(slots.text) or (measures and over_time)):
        metrics = tuple(Metric(aggregate=plain_aggregate(m, scene.card), measure=m) for m in measures)
        metrics = metrics or usual_metrics(scene)
        grain = slots.grain or unusual_periods(slots.text)
        options = {"what": "spikes"}
        return [Ask(kind="trend", metrics=metrics, dimensions=dims[:1], grain=grain, options=options)]
    return [Ask(kind="outliers", metrics=tuple(as_metric(m) for m in measures), dimensions=dims[:1], columns=shown)]


def _dated(measure: Measure, scene: Scene) -> bool:
    return scene.card.column(measure.columns[0]).temporal


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
        if meant and meant.kind in YES_OR_NO and any(m.kind in YES_OR_NO for m in found):
            continue
        if meant and meant not in found and not (set(meant.columns) & {c for m in found for c in m.columns}):
            found.append(meant)
    return tuple(found)


def _place(measure: Measure, slots: Slots) -> int:
    return next((at for at, m in slots.measures if m == measure), len(slots.text))
