"""Pair the aggregates of a clause with what they are taken of."""

import re
from collections.abc import Sequence

from analyst.questions.implied import additive, implied_measure, main_measure, natural
from analyst.questions.scene import Scene, Slots
from analyst.reading.aggregates import AggregateWord
from analyst.reading.mentions import Mention
from analyst.reading.words import tokens
from datasets.measures import YES_OR_NO, Aggregate, Measure, Metric
from datasets.schema import Column, SchemaCard

ROWS = Metric()
_OVERALL = re.compile(r"overall +\w", re.I)
"""After the measure, "overall" is said of the noun that follows: rates of rejections, to improve overall management."""


def paired(slots: Slots, scene: Scene) -> tuple[Metric, ...]:
    """The metrics of a clause in order; "mean and median of A, max B" pairs both with A and the last with B."""
    items: list[tuple[int, AggregateWord | Measure | Mention]] = [(a.start, a) for a in slots.aggregates]
    items += [(at, m) for at, m in slots.measures]
    items += [(m.start, m) for m in slots.others]
    items.sort(key=lambda pair: pair[0])
    found: list[Metric] = []
    pending: list[AggregateWord] = []
    used: list[AggregateWord] = []
    last: Measure | Mention | None = None
    last_at = 0
    for at, item in items:
        if isinstance(item, AggregateWord):
            if (
                pending
                and found_counts(pending)
                and re.search(r"\w|,", slots.text[pending[-1].end : item.start].replace("and", ""))
            ):
                found.append(ROWS)
                pending = []
            pending.append(item)
            continue
        listed = re.search(r"\band\b|,|&", slots.text[last_at:at]) is not None
        if isinstance(item, Mention) and not pending and not (used and listed):
            continue
        if pending:
            used, pending = pending, []
        found += _applied(used, item, scene)
        last, last_at = item, at
    if last is not None:
        pending = [w for w in pending if not _OVERALL.match(slots.text, w.start)]
    if pending and last is not None and not found_counts(pending):
        found = [m for m in found if used or m.measure != _measure_of(last)]
        found += _applied(pending, last, scene)
    elif pending and last is not None:
        found.insert(0, ROWS)
    elif pending:
        found += _alone(pending, slots, scene)
    return tuple(dict.fromkeys(found))


def found_counts(words: Sequence[AggregateWord]) -> bool:
    """Whether the words only ask how many."""
    return all(w.counts for w in words)


def _applied(words: Sequence[AggregateWord], item: Measure | Mention, scene: Scene) -> list[Metric]:
    measure = _measure_of(item)
    if isinstance(item, Mention):
        if any(w.counts or w.aggregates == ("distinct",) for w in words):
            return [counted(item, scene.card)]
        return [m for w in words for m in _named(w, item, scene.card)]
    if not words:
        return [Metric(aggregate=_default(measure, scene.card), measure=measure)]
    found: list[Metric] = []
    for word in words:
        if word.counts:
            found.append(_number_of(measure, scene.card))
        elif (
            measure.kind == "column"
            and scene.card.column(measure.columns[0]).temporal
            and word.aggregates != ("distinct",)
        ):
            found += [m for m in word.metrics(measure) if m.aggregate in {"min", "max", "count"}]
        elif measure.kind in YES_OR_NO and word.aggregates == ("mean",):
            found.append(Metric(aggregate="share", measure=measure))
        else:
            found += word.metrics(measure)
    return found


def _named(word: AggregateWord, mention: Mention, card: SchemaCard) -> list[Metric]:
    """Aggregates of a column that is no measure: numbers are still numbers, the total of names is their count."""
    column = card.column(mention.column)
    if column.numeric and (column.role != "identifier" or mention.how in {"quoted", "name"}):
        return list(word.metrics(Measure(kind="column", columns=(column.name,))))
    if word.aggregates == ("sum",):
        return [counted(mention, card)]
    if word.aggregates in {("min",), ("max",)} and column.numeric:
        return list(word.metrics(Measure(kind="column", columns=(column.name,))))
    return []


def _default(measure: Measure, card: SchemaCard) -> Aggregate:
    if measure.kind in YES_OR_NO:
        return "share"
    if measure.kind == "product_of":
        return "sum"
    if measure.kind != "column":
        return "mean"
    column = card.column(measure.columns[0])
    return "max" if column.temporal else natural(column)


def _number_of(measure: Measure, card: SchemaCard) -> Metric:
    """ "How many deaths" is the sum of a column of counts, and the number of rows with a value for anything else."""
    if measure.kind in YES_OR_NO:
        return Metric(aggregate="sum", measure=measure)
    column = card.column(measure.columns[0])
    if column.temporal:
        return Metric(aggregate="distinct", measure=measure)
    whole = column.numeric and ("INT" in column.sql_type or _whole(column)) and additive(column)
    return Metric(aggregate="sum" if whole else "count", measure=measure)


def _whole(column: Column) -> bool:
    return all(v.replace(".0", "").lstrip("-").isdigit() for v in column.values[:50])


def counted(mention: Mention, card: SchemaCard) -> Metric:
    """The number of different things a mention names; an identifier is preferred over a name."""
    name = mention.entity(card) or mention.best(card, {"identifier"}) or mention.column
    return Metric(aggregate="distinct", measure=Measure(kind="column", columns=(name,)))


def _measure_of(item: Measure | Mention) -> Measure:
    return Measure(kind="column", columns=(item.column,)) if isinstance(item, Mention) else item


def _alone(words: Sequence[AggregateWord], slots: Slots, scene: Scene) -> list[Metric]:
    """Aggregates whose object is not named by a column."""
    if found_counts(words):
        return [ROWS]
    phrase = slots.text[words[0].start :]
    if not any(t.is_word and not t.is_stop for t in tokens(slots.text[words[-1].end :])):
        phrase = slots.text
    measure = implied_measure(phrase, scene)
    if measure is None:
        column = main_measure(scene.card)
        left = [w for w in tokens(phrase) if w.is_word and not w.is_stop and w.start + words[0].start >= words[-1].end]
        if column is None or (left and len(scene.card.by_role("measure")) > 1):
            return []
        measure = Measure(kind="column", columns=(column.name,))
    counts = [ROWS] if any(w.counts for w in words) else []
    return counts + [m for w in words if not w.counts for m in _applied([w], measure, scene)]
