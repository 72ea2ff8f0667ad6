"""Which columns, metrics and segments of a dataset an open question is about, each with a weight."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from analyst.plans.signals import Signals, signals_of
from analyst.protocol import Intent
from analyst.reading.durations import asks_why_long
from analyst.reading.lexicon import MONEY, NEGATIVE, POSITIVE
from datasets.measures import YES_OR_NO, Filter, Measure, Metric
from datasets.schema import Column, SchemaCard

MAX_SEGMENTS = 60
BACKGROUND = 0.25
"""Weight of a column that the question does not speak of."""
_FEW_ROWS = 12
"""From so many rows on, a column in which most values stand once names rows rather than groups."""
_NAMED_SEGMENT = 1.0
_HOW_LONG = 0.35
"""What how many rows there are is worth where it is asked why something takes long."""
_FEWEST_DAYS = 56
_WIDE_OPEN = 2.0
_MONEY_FIRST = 1.2
_DERIVED = 0.55
"""How much more dimensions, and metrics, count where the question speaks of none."""
_ADDITIVE = frozenset((*MONEY, "quantity", "qty", "volume", "budget", "profit", "fee", "expense", "units", "count"))
_AVERAGED = re.compile(
    r"percent|pct|rate|ratio|average|avg|mean|score|rating|index|(?<![a-z])age(?![a-z])|per_|price"
    r"|(?<![a-z])share|discount(?!\w*(?:amount|total|value))",
    re.IGNORECASE,
)
_KEY = re.compile(r"(?:^|[_\s])(?:id|uuid|guid|key|number|nr|no)$|Id$|ID$")
_PEOPLE = re.compile(
    r"manager|supervisor|owner|agent|assign|employee|worker|staff|\brep\b|seller|sales.?person|user|customer|client"
    r"|caller|requester|author|doctor|physician|teacher|driver|buyer|vendor|supplier|operator|technician|member|_by$"
    r"|reports?[_ ]?to|person|people|handler|engineer|holder|account(?!ing)|payee|claimant|approver|reviewer|boss"
    r"|head_of|team[_ ]?lead|officer|consultant|nurse|student|tenant|subscriber|contractor|reporter|resolver|submitter",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Focus:
    """What exploration starts from. Pairs are (what, weight 0..1), heaviest first.

    `segments`: values that the question names or implies. `holders`: columns of people or parties that hold rows, for
    loads per head. `twins`: pairs of dimensions that share most of their values (who opened it, who closed it).
    """

    dimensions: tuple[tuple[str, float], ...]
    metrics: tuple[tuple[Metric, float], ...]
    count_weight: float
    time: str | None
    signals: Signals
    segments: tuple[tuple[Filter, float], ...] = ()
    holders: tuple[tuple[str, float], ...] = ()
    sizes: tuple[tuple[str, int], ...] = ()
    twins: frozenset[tuple[str, str]] = frozenset()
    booleans: frozenset[str] = frozenset()
    has_text: bool = False
    wide: bool = False
    """Nothing is named and everything is asked: what stands out?"""
    weekdays: bool = False
    """Whether the event time is fine and long enough to tell the days of the week apart."""

    def alike(self, first: str, second: str) -> bool:
        """Whether two dimensions share most of their values, so that one within the other says little."""
        return (first, second) in self.twins or (second, first) in self.twins

    def size(self, column: str) -> int:
        """Number of distinct values of a dimension or holder; 0 when it is neither."""
        return dict(self.sizes).get(column, 0)


def focus_of(intent: Intent, card: SchemaCard, derived: Sequence[tuple[Measure, float]]) -> Focus:
    """Weigh dimensions, metrics and segments by what the question says and by what the card shows.

    `derived`: measures that the question implies without naming a column, with their weights (durations, rates).
    """
    signals = signals_of(intent.question)
    metrics = _metrics(intent, card, derived, signals)
    outcomes = {m.measure.columns[0] for m, w in metrics if m.measure.kind == "indicator" and w >= 0.6}
    dimensions = _dimensions(intent, card, outcomes)
    return Focus(
        dimensions=dimensions,
        metrics=metrics,
        count_weight=_HOW_LONG if asks_why_long(intent.question) else 1.0 if signals.volume else 0.55,
        time=card.time_column,
        signals=signals,
        segments=_segments(intent, card, dimensions, derived),
        holders=_holders(intent, card),
        sizes=tuple((c.name, c.distinct) for c in card.columns),
        twins=_twins(card, [name for name, _ in dimensions]),
        booleans=frozenset(c.name for c in card.columns if _is_yes_or_no(c)),
        has_text=any(_is_text(c) for c in card.by_role("text", "dimension")),
        wide=_names_nothing(intent),
        weekdays=_has_weekdays(card),
    )


def _dimensions(intent: Intent, card: SchemaCard, outcomes: set[str]) -> tuple[tuple[str, float], ...]:
    """Columns that split the rows; one whose value is the outcome that is measured counts half."""
    weighed = []
    for column in card.by_role("dimension", "boolean"):
        if not 2 <= column.distinct <= MAX_SEGMENTS or column.nulls > 0.6 * max(1, column.rows):
            continue
        if column.distinct > 25 and _KEY.search(column.name):
            continue
        named = intent.relevance.get(column.name, 0.0) > BACKGROUND
        if not named and column.rows > _FEW_ROWS and column.distinct > 0.5 * (column.rows - column.nulls):
            continue
        weight = max(BACKGROUND, intent.relevance.get(column.name, 0.0))
        weight *= 0.5 if column.name in outcomes else 1.0
        weighed.append((column.name, weight * (1.0 if column.distinct <= 25 else 0.85)))
    if max((w for _, w in weighed), default=1.0) <= BACKGROUND:
        weighed = [(name, w * _WIDE_OPEN) for name, w in weighed]
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
            known = all(card.has(c) and not card.column(c).temporal for c in metric.measure.columns)
            if metric.measure.kind != "rows" and metric.aggregate in {"mean", "sum", "median", "share"} and known:
                add(metric, 1.0)
    decided = any(m.kind == "indicator" and card.column(m.columns[0]).distinct == 2 and w >= 0.75 for m, w in derived)
    for measure, weight in derived:
        weight *= 0.6 if decided and measure.kind == "at_least" else 1.0
        if not _names_a_dimension(measure, card):
            for metric in _metrics_on(measure, additive=False):
                add(metric, weight)
    for column in card.by_role("measure"):
        if column.nulls < column.rows:
            weight = max(BACKGROUND, intent.relevance.get(column.name, 0.0))
            if signals.money and _is_money(column):
                weight = max(weight, 0.85 if _additive(column) else 0.6)
            for metric in _metrics_on(Measure(kind="column", columns=(column.name,)), additive=_additive(column)):
                add(metric, weight * (1.0 if metric.aggregate != "sum" or signals.total else 0.7))
    if _names_nothing(intent):
        money = {c.name for c in card.by_role("measure") if _is_money(c) and _additive(c)}
        for key, (metric, weight) in weighed.items():
            first = _MONEY_FIRST if money & set(metric.measure.columns) else 1.0
            column_only = metric.measure.kind == "column"
            weighed[key] = (metric, weight * _WIDE_OPEN * first if column_only else max(weight, _DERIVED))
    return tuple(sorted(weighed.values(), key=lambda pair: -pair[1]))


def _metrics_on(measure: Measure, *, additive: bool) -> list[Metric]:
    if measure.kind == "rows":
        return []
    if measure.kind in YES_OR_NO:
        return [Metric(aggregate="share", measure=measure)]
    mean = Metric(aggregate="mean", measure=measure)
    return [mean, Metric(aggregate="sum", measure=measure)] if additive else [mean]


def _names_nothing(intent: Intent) -> bool:
    return not intent.relevance and all(a.kind == "open" for a in intent.asks)


def _has_weekdays(card: SchemaCard) -> bool:
    """Whether there are dates of at least eight weeks, far closer to each other than weeks."""
    if card.time_column is None:
        return False
    time = card.column(card.time_column)
    try:
        first, last = (datetime.fromisoformat(str(v)) for v in (time.minimum, time.maximum))
    except ValueError:
        return False
    days = (last.replace(tzinfo=None) - first.replace(tzinfo=None)).days
    return days >= _FEWEST_DAYS and time.distinct >= days / 3


def _names_a_dimension(measure: Measure, card: SchemaCard) -> bool:
    """Whether an indicator is only the share of one of many segments (category = Hardware), which `share` says."""
    if measure.kind != "indicator":
        return False
    column = card.column(measure.columns[0])
    status = re.search(r"state|status|outcome|result|stage|decision|flag|is_|has_", column.name, re.IGNORECASE)
    return column.distinct > 2 and not status


def _is_money(column: Column) -> bool:
    return column.unit in {"USD", "EUR", "GBP", "$", "€", "£"} or _named(column, (*MONEY, "expense", "budget"))


def _named(column: Column, words: Iterable[str]) -> bool:
    """Whether a word of the name starts or ends with one of `words`: shippingcost has a cost, lifeexp no fee."""
    parts = _plain(column.name)
    return any(part.startswith(w) or part.endswith(w) for part in parts for w in words)


def _additive(column: Column) -> bool:
    if column.unit in {"%", "percent"} or _AVERAGED.search(column.name):
        return False
    return _is_money(column) or _named(column, _ADDITIVE)


def _segments(
    intent: Intent,
    card: SchemaCard,
    dimensions: tuple[tuple[str, float], ...],
    derived: Sequence[tuple[Measure, float]],
) -> tuple[tuple[Filter, float], ...]:
    found: dict[str, tuple[Filter, float]] = {}

    def add(column: str, value: str, weight: float) -> None:
        if card.column(column).role == "boolean" or card.column(column).numeric:
            return
        segment = Filter(column=column, values=(value,))
        if weight > found.get(segment.key, (segment, 0.0))[1]:
            found[segment.key] = (segment, weight)

    words = f" {' '.join(_plain(intent.question))} "
    for name, weight in dimensions:
        for value in card.column(name).values[:MAX_SEGMENTS]:
            plain = " ".join(_plain(value))
            if len(plain) > 1 and f" {plain} " in words:
                add(name, value, _NAMED_SEGMENT if weight >= 0.4 else 0.6)
    for measure, weight in derived:
        if measure.kind == "indicator" and len(measure.values) == 1 and weight >= 0.75:
            add(measure.columns[0], str(measure.values[0]), 0.8 * weight)
    return tuple(sorted(found.values(), key=lambda pair: -pair[1]))


def _is_yes_or_no(column: Column) -> bool:
    values = {v.casefold() for v in column.values}
    return column.role == "boolean" or (0 < len(values) <= 2 and values <= POSITIVE | NEGATIVE)


def _is_text(column: Column) -> bool:
    return column.distinct >= 15 and sum(len(v.split()) for v in column.values) >= 3 * max(1, len(column.values))


def _twins(card: SchemaCard, names: Sequence[str]) -> frozenset[tuple[str, str]]:
    values = {name: {v for v in card.column(name).values if not v.isdigit()} for name in names}
    return frozenset(
        (a, b)
        for i, a in enumerate(names)
        for b in names[i + 1 :]
        if values[a] and len(values[a] & values[b]) > 0.5 * min(len(values[a]), len(values[b]))
    )


def _holders(intent: Intent, card: SchemaCard) -> tuple[tuple[str, float], ...]:
    found = [
        (column.name, max(BACKGROUND, intent.relevance.get(column.name, 0.0)))
        for column in card.by_role("dimension", "text", "identifier")
        if _PEOPLE.search(column.name) and column.distinct >= 3 and column.rows >= 2 * column.distinct
    ]
    return tuple(sorted(found, key=lambda pair: -pair[1]))


def _plain(text: str) -> list[str]:
    return "".join(c.lower() if c.isalnum() else " " for c in text).split()
