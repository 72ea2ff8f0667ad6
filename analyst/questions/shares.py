"""Clauses that ask for a share: the rate of a condition among rows, or how a total splits."""

import re
from collections.abc import Sequence

from analyst.protocol import Ask
from analyst.questions.implied import implied_measure
from analyst.questions.metrics import ROWS, paired
from analyst.questions.parts import as_metric, dimension_of, dimensions_of
from analyst.questions.scene import Scene, Slots
from analyst.reading.conditions import known_sides, two_sided
from analyst.reading.rates import rates, targets
from datasets.levels import LEVEL_OPS
from datasets.measures import Filter, Measure, Metric

_LEAD = re.compile(r"(?:\b(?:shares?|percent\w*|proportions?|fractions?)|%)\s+(?:of\s+)?(?:the\s+)?", re.I)
_SAYS = re.compile(
    r"\b(?:is|are|was|were|be|been|came|comes?|got|gets?|has|have|had|did|does|do|took|takes?|belongs?|lives?|lived"
    r"|goes|went|falls?|fell|who|that|which|needed|costs?|paid|ended up|made)\b",
    re.I,
)
"""What begins the predicate of a sentence, or of a relative clause."""
_COMPARED = frozenset({"lt", "le", "gt", "ge", *LEVEL_OPS})
_RATED = re.compile(r"\bpercent\w*|\brates?\b|\bratio\b", re.I)


def share(slots: Slots, scene: Scene, before: Sequence[Ask]) -> list[Ask]:
    """The rate of a condition (a value ask with a share metric), or how a total splits over a dimension."""
    card = scene.card
    dims = dimensions_of(slots, scene)
    condition = counted_condition(slots, scene)
    measures = [m for _, m in slots.measures if not _limits(m, slots)]
    if condition and not measures:
        return [_rate(condition, dims, slots, scene)]
    if measures and _RATED.search(slots.text) and not dims and not slots.filters:
        return [Ask(kind="value", metrics=paired(slots, scene))]
    metric = Metric(aggregate="sum", measure=measures[0]) if measures else ROWS
    within = next((f for f in slots.filters if f.op in {"eq", "in"} and measures), None)
    if within:
        slots.filters = [f for f in slots.filters if f is not within]
        options = {"segment": "|".join(map(str, within.values))}
        return [Ask(kind="share", metrics=(metric,), dimensions=(within.column,), options=options)]
    named = [dimension_of(m, card) for m in (*slots.subjects, *slots.others)]
    chosen = dims or tuple(n for n in named if card.column(n).role in {"dimension", "boolean", "text"})[:1]
    if chosen:
        return [Ask(kind="share", metrics=(metric,), dimensions=chosen)]
    if slots.filters and not measures:
        return [Ask(kind="value", metrics=(ROWS,))]
    implied = implied_measure(slots.text, scene)
    if implied:
        return [Ask(kind="value", metrics=(as_metric(implied),))]
    metrics = paired(slots, scene)
    return [Ask(kind="value", metrics=metrics)] if metrics else []


def _rate(condition: Measure, dims: tuple[str, ...], slots: Slots, scene: Scene) -> Ask:
    column = scene.card.column(condition.columns[0])
    slots.filters = [f for f in slots.filters if f.column != column.name]
    known = known_sides(column) if two_sided(column) else None
    slots.filters += [known] if known else []
    metric = Metric(aggregate="share", measure=condition)
    kept = tuple(d for d in dims if d not in condition.columns)
    return Ask(kind="value", metrics=(metric,), dimensions=kept, options={"share": "yes"})


def counted_condition(slots: Slots, scene: Scene) -> Measure | None:
    """What "the share of ..." counts; the other conditions say among which rows.

    It is what the predicate says ("the share of women who are smokers"), else a yes/no column, else a named value, else
    a status that the words mean.
    """
    said = _said_of_them(slots)
    equal = [f for f in slots.filters if f.op in {"eq", "in"}]
    sided = [f for f in equal if f.column in {m.column for m in slots.sides} or f.column in slots.opposed]
    wanted: Filter | None = said or (sided[0] if sided else equal[0] if equal and not slots.groups else None)
    if wanted is None and len(equal) and _LEAD.search(slots.text):
        wanted = equal[0]
    if wanted is None and slots.groups == [] and len(slots.filters) == 1 and slots.filters[0].op in _COMPARED:
        wanted = slots.filters[0] if _LEAD.search(slots.text) else None
    if wanted is not None:
        return as_measure(wanted)
    best = [p for p in (*targets(scene.card, slots.text), *rates(scene.card, slots.text)) if p[1] >= 0.65]
    return max(best, key=lambda p: p[1])[0] if best else None


def _said_of_them(slots: Slots) -> Filter | None:
    """The first condition of the predicate, where conditions stand before it or it is the only one."""
    lead = _LEAD.search(slots.text)
    if lead is None:
        return None
    verb = _SAYS.search(slots.text, lead.end())
    if verb is None:
        return None
    after = sorted(limit for limit in slots.limits if limit[1] > verb.start())
    for _, _, column in after:
        found = next((f for f in slots.filters if f.column == column), None)
        if found and (found.op in {"eq", "in"} or found.op in _COMPARED):
            return found
    return None


def as_measure(condition: Filter) -> Measure:
    """A condition as a number per row, 1 where it holds; its mean is the share of the rows."""
    if condition.op in {"eq", "in"}:
        return Measure(kind="indicator", columns=(condition.column,), values=condition.values)
    columns = (condition.column, condition.until) if condition.until else (condition.column,)
    values = (condition.op, condition.values[0])
    return Measure(kind="condition", columns=columns, values=values, unit=condition.unit)


def _limits(measure: Measure, slots: Slots) -> bool:
    """Whether a measure is only named to limit the rows by it: "a bmi over 30"."""
    return measure.kind == "column" and measure.columns[0] in {f.column for f in slots.filters}
