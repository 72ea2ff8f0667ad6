"""Which columns, metrics and segments of a dataset an open question is about, each with a weight."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from analyst.protocol import Intent
from analyst.signals import Signals, signals_of
from datasets.measures import Filter, Measure, Metric
from datasets.schema import Column, SchemaCard

MAX_SEGMENTS = 60
_BACKGROUND_DIMENSION = 0.3
_BACKGROUND_MEASURE = 0.3
_ADDITIVE_WORDS = (
    "amount", "cost", "price", "revenue", "sales", "expense", "total", "quantity", "qty", "spend", "paid", "profit",
    "income", "fee", "volume", "budget", "salary", "charge", "units", "count", "value",
)  # fmt: skip


@dataclass(frozen=True)
class Focus:
    """What exploration starts from. Pairs are (what, weight 0..1), heaviest first."""

    dimensions: tuple[tuple[str, float], ...]
    metrics: tuple[tuple[Metric, float], ...]
    count_weight: float
    time: str | None
    signals: Signals
    segments: tuple[tuple[Filter, float], ...] = ()
    holders: tuple[tuple[str, float], ...] = field(default=())

    def dimension_weight(self, name: str) -> float:
        """The weight of a dimension, 0 when exploration does not look at it."""
        return dict(self.dimensions).get(name, 0.0)


def focus_of(intent: Intent, card: SchemaCard, derived: Sequence[tuple[Measure, float]]) -> Focus:
    """Weigh dimensions, metrics and segments by what the question says and by what the card shows.

    `derived`: measures that the question implies without naming a column, with their weights (durations, rates).
    """
    signals = signals_of(intent.question)
    dimensions = _dimensions(intent, card)
    return Focus(
        dimensions=dimensions,
        metrics=_metrics(intent, card, derived, signals),
        count_weight=1.0 if signals.volume else 0.7,
        time=card.time_column,
        signals=signals,
        segments=_segments(intent, card, dimensions),
        holders=_holders(intent, card),
    )


def _dimensions(intent: Intent, card: SchemaCard) -> tuple[tuple[str, float], ...]:
    weighed = []
    for column in card.by_role("dimension", "boolean"):
        if not 2 <= column.distinct <= MAX_SEGMENTS or column.nulls > 0.6 * max(1, column.rows):
            continue
        weight = max(_BACKGROUND_DIMENSION, intent.relevance.get(column.name, 0.0))
        weighed.append((column.name, weight * (1.0 if column.distinct <= 25 else 0.85)))
    return tuple(sorted(weighed, key=lambda pair: -pair[1]))


def _metrics(
    intent: Intent, card: SchemaCard, derived: Sequence[tuple[Measure, float]], signals: Signals
) -> tuple[tuple[Metric, float], ...]:
    weighed: dict[str, tuple[Metric, float]] = {}

    def add(metric: Metric, weight: float) -> None:
        if weight > weighed.get(metric.key, (metric, 0.0))[1]:
            weighed[metric.key] = (metric, weight)

    for ask in intent.asks:
        for metric in ask.metrics:
            if metric.measure.kind != "rows" and metric.aggregate in {"mean", "sum", "median", "share"}:
                add(metric, 1.0)
    for measure, weight in derived:
        for metric in _metrics_on(measure, additive=False):
            add(metric, weight)
    for column in card.by_role("measure"):
        if column.nulls >= column.rows:
            continue
        weight = max(_BACKGROUND_MEASURE, intent.relevance.get(column.name, 0.0))
        measure = Measure(kind="column", columns=(column.name,))
        for metric in _metrics_on(measure, additive=_additive(column)):
            add(metric, weight * (1.0 if metric.aggregate != "sum" or signals.total else 0.8))
    return tuple(sorted(weighed.values(), key=lambda pair: -pair[1]))


def _metrics_on(measure: Measure, *, additive: bool) -> list[Metric]:
    if measure.kind == "rows":
        return []
    if measure.kind in {"indicator", "at_least"}:
        return [Metric(aggregate="share", measure=measure)]
    mean = Metric(aggregate="mean", measure=measure)
    return [mean, Metric(aggregate="sum", measure=measure)] if additive else [mean]


def _additive(column: Column) -> bool:
    name = column.name.lower()
    if column.unit in {"%", "percent"} or any(w in name for w in ("percent", "rate", "ratio", "average", "score")):
        return False
    return column.unit in {"USD", "EUR", "GBP", "$", "€", "£"} or any(w in name for w in _ADDITIVE_WORDS)


def _segments(
    intent: Intent, card: SchemaCard, dimensions: tuple[tuple[str, float], ...]
) -> tuple[tuple[Filter, float], ...]:
    """Values that the question names (weight 1), then the most frequent value of each of its dimensions."""
    found: dict[str, tuple[Filter, float]] = {}
    for ask in intent.asks:
        for named in ask.filters:
            if named.op in {"eq", "in", "contains"}:
                found.setdefault(named.key, (named, 1.0))
    words = f" {' '.join(_plain(intent.question))} "
    for name, weight in dimensions:
        for value in card.column(name).values[:MAX_SEGMENTS]:
            plain = " ".join(_plain(value))
            if len(plain) > 1 and f" {plain} " in words and not plain.isdigit():
                named = Filter(column=name, values=(value,))
                found.setdefault(named.key, (named, max(0.6, weight)))
    for name, weight in dimensions[:4]:
        values = card.column(name).values
        if values:
            top = Filter(column=name, values=(values[0],))
            found.setdefault(top.key, (top, 0.7 * weight))
    return tuple(sorted(found.values(), key=lambda pair: -pair[1]))


def _holders(intent: Intent, card: SchemaCard) -> tuple[tuple[str, float], ...]:
    """Columns that the question names and that stand for who or what holds the rows (managers, owners, users)."""
    found = [
        (column.name, intent.relevance.get(column.name, 0.0))
        for column in card.by_role("dimension", "text", "identifier")
        if column.distinct >= 3 and column.rows >= 2 * column.distinct
    ]
    return tuple(sorted((p for p in found if p[1] >= 0.4), key=lambda pair: -pair[1]))


def _plain(text: str) -> list[str]:
    return "".join(c.lower() if c.isalnum() else " " for c in text).split()
