"""Averages of what adds up over the rows of a key: "average revenue per order", where an order has several rows."""

import re

from analyst.protocol import Ask
from analyst.questions.implied import implied_measure, main_measure
from analyst.questions.parts import dimension_of, dimensions_of
from analyst.questions.scene import Scene, Slots
from datasets.measures import Measure, Metric
from datasets.schema import Column

_PER = re.compile(r"\bper\s+(?:single |individual )?[\"'`(]*$", re.I)
_ORDER_VALUE = re.compile(
    r"\b(?:average|mean|avg|median)\s+(?P<e>order|basket|ticket|cart"
    r"|transaction|invoice|purchase|booking|claim)\s+(?:value|size"
    r"|amount|total)s?\b",
    re.I,
)
_AVERAGED = frozenset({"mean", "median", "std"})
_FEWEST = 20


def is_time(column: Column) -> bool:
    """Whether a column holds dates, or whole numbers that are read as years; "per year" lists the years."""
    if column.temporal or column.role == "time":
        return True
    ends = [v for v in (column.minimum, column.maximum) if v is not None and re.fullmatch(r"\d{4}(?:\.0)?", v)]
    return column.numeric and len(ends) == 2


def per(measure: Measure, key: str) -> Measure:
    """A column summed over the rows of each value of a key."""
    return Measure(kind="sum_per", columns=(measure.columns[0], key))


def summed_per(
    slots: Slots, scene: Scene, metrics: tuple[Metric, ...], dims: tuple[str, ...]
) -> tuple[tuple[Metric, ...], tuple[str, ...]]:
    """Metrics and dimensions with a key that is averaged over, rather than listed value by value.

    A key is a column that a "per" stands before, with many values of which each has few rows, so that nobody wants
    them all named.
    """
    card = scene.card
    for mention in slots.groups:
        column = card.column(dimension_of(mention, card))
        rows = max(1, column.rows - column.nulls)
        many = _FEWEST <= column.distinct < rows and column.distinct >= rows / 10
        if not many or is_time(column) or not _PER.search(slots.text[: mention.start]):
            continue
        if column.role not in {"identifier", "dimension", "text"} or not any(m.aggregate in _AVERAGED for m in metrics):
            continue
        if any(m.measure.kind != "column" or not card.column(m.measure.columns[0]).numeric for m in metrics):
            continue
        folded = tuple(m.model_copy(update={"measure": per(m.measure, column.name)}) for m in metrics)
        return folded, tuple(d for d in dims if d != column.name)
    return metrics, dims


def order_value(slots: Slots, scene: Scene) -> Ask | None:
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
    money = money_meant(scene)
    if money is None:
        return None
    unique = not keys or keys[0].distinct >= card.rows
    per_key = money if unique or money.kind != "column" else per(money, keys[0].name)
    return Ask(kind="value", metrics=(Metric(aggregate=aggregate, measure=per_key),), dimensions=dims)


def money_meant(scene: Scene) -> Measure | None:
    """The measure that is meant where none is named: money, else the only one."""
    money = implied_measure("total amount", scene)
    column = main_measure(scene.card) if money is None else None
    return Measure(kind="column", columns=(column.name,)) if column else money
