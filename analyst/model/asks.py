"""From a model's ask to an `Ask`: columns and values must exist, measures must be numbers, dates must be dates."""

from collections.abc import Sequence
from datetime import date, datetime

from rapidfuzz import process

from analyst.protocol import Ask
from datasets.measures import Filter, Measure, Metric, Value, Window
from datasets.schema import Column, SchemaCard
from prompts import Rejected
from prompts.vocabulary import AskReply, FilterReply, MetricReply, WindowReply

_OF_NUMBERS = frozenset({"sum", "mean", "median", "std", "var", "quantile"})
_NUMERIC_KINDS = frozenset({"relation", "distribution", "outliers"})


def ask_of(given: AskReply, card: SchemaCard) -> Ask:
    """Return the ask.

    :raises Rejected: for an unknown column or value, or a metric that its column does not carry; says what is near.
    """
    by = tuple(column_of(name, card).name for name in given.by[:2])
    columns = tuple(column_of(name, card).name for name in given.columns)
    metrics = tuple(metric_of(m, card) for m in given.metrics)
    if given.kind in _NUMERIC_KINDS and not metrics:
        metrics = tuple(
            Metric(aggregate="mean", measure=Measure(kind="column", columns=(c,)))
            for c in columns
            if card.column(c).numeric
        )
        if not metrics:
            raise Rejected(f"kind {given.kind!r} needs numeric columns in `columns`")
    if given.kind in {"compare", "share"} and not by:
        raise Rejected(f"kind {given.kind!r} needs a column in `by`")
    if given.kind in {"trend", "change"} and card.time_column is None:
        raise Rejected(f"kind {given.kind!r} needs a time column, and the table has none")
    return Ask(
        kind=given.kind,
        metrics=metrics,
        dimensions=by,
        columns=columns,
        filters=tuple(filter_of(f, card) for f in given.filters),
        window=window_of(given.window, card),
        versus=window_of(given.versus, card),
        grain=given.grain,
        order=given.order,
        top=given.top if given.top is not None and 1 <= given.top <= 50 else None,
        text=given.words,
    )


def column_of(name: str, card: SchemaCard) -> Column:
    """Return the column of that name, in any case and as it was shortened for the prompt."""
    for column in card.columns:
        if name == column.name:
            return column
    folded = name.casefold().strip('"` ')
    found = [c for c in card.columns if c.name.casefold() == folded or (len(name) >= 100 and c.name.startswith(name))]
    if len(found) == 1:
        return found[0]
    near = process.extract(name, [c.name for c in card.columns], limit=3)
    raise Rejected(f"there is no column {name!r}; near it are {', '.join(repr(n[0]) for n in near)}")


def metric_of(given: MetricReply, card: SchemaCard) -> Metric:
    """Return the metric, where its column carries it."""
    if given.column is None:
        if given.aggregate != "count":
            raise Rejected(f"a {given.aggregate} needs a column")
        return Metric()
    column = column_of(given.column, card)
    if given.aggregate in _OF_NUMBERS and not column.numeric:
        raise Rejected(f"{column.name!r} holds {column.sql_type}, which has no {given.aggregate}")
    if given.aggregate == "share":
        if not given.equals:
            raise Rejected(f"a share of {column.name!r} needs the values that count, in `equals`")
        values = tuple(value_of(v, column) for v in given.equals)
        return Metric(aggregate="share", measure=Measure(kind="indicator", columns=(column.name,), values=values))
    level = given.level if given.aggregate == "quantile" else None
    if level is not None and not 0 <= level <= 1:
        raise Rejected(f"the level of a quantile lies between 0 and 1, not at {level:g}")
    return Metric(
        aggregate=given.aggregate, measure=Measure(kind="column", columns=(column.name,)), level_0_1=level
    )  # fmt: skip


def filter_of(given: FilterReply, card: SchemaCard) -> Filter:
    """Return the filter, its values spelt as the column spells them."""
    column = column_of(given.column, card)
    needed = {"is_null": 0, "not_null": 0, "between": 2}.get(given.op, 1)
    if len(given.values) < needed:
        raise Rejected(f"a filter {given.op!r} on {column.name!r} needs {needed} value(s)")
    exact = given.op in {"eq", "ne", "in", "not_in"}
    values = tuple(value_of(v, column) if exact else _bound(v, column) for v in given.values)
    return Filter(column=column.name, op=given.op, values=values if needed else ())


def value_of(value: Value, column: Column) -> Value:
    """Return a value as the column spells it.

    :raises Rejected: where all values of the column are known and this is none of them.
    """
    if column.numeric:
        return _number(value, column)
    text = str(value)
    if column.sql_type == "BOOLEAN":
        return text.casefold() in {"true", "1", "yes"}
    if text in column.values:
        return text
    same = [v for v in column.values if v.casefold() == text.casefold()]
    if len(same) == 1:
        return same[0]
    if column.values and len(column.values) >= column.distinct:
        near = process.extract(text, column.values, limit=3)
        raise Rejected(
            f"{column.name!r} has no value {text!r}", cells=f"near it are {', '.join(repr(n[0]) for n in near)}"
        )
    return text


def window_of(given: WindowReply | None, card: SchemaCard) -> Window | None:
    """Return the window; its column must be a date or a timestamp."""
    if given is None or (given.start is None and given.end is None):
        return None
    column = column_of(given.column, card)
    if not column.temporal:
        raise Rejected(f"a window needs a date column, and {column.name!r} holds {column.sql_type}")
    start, end = _date(given.start), _date(given.end)
    if start is not None and end is not None and start >= end:
        raise Rejected(f"the window ends at {given.end}, before it starts at {given.start}")
    return Window(column=column.name, start=start, end=end)


def _bound(value: Value, column: Column) -> Value:
    return _number(value, column) if column.numeric else value if isinstance(value, str) else str(value)


def _number(value: Value, column: Column) -> Value:
    if isinstance(value, bool):
        return int(value)
    try:
        number = float(value)
    except ValueError:
        raise Rejected(f"{column.name!r} holds numbers, and {value!r} is none") from None
    return int(number) if number.is_integer() and abs(number) < 2**53 else number


def _date(text: str | None) -> date | None:
    if text is None:
        return None
    try:
        return datetime.fromisoformat(text).date()
    except ValueError:
        raise Rejected(f"{text!r} is no ISO date such as 2025-07-01") from None


def names_of(asks: Sequence[Ask]) -> list[str]:
    """Every column that asks name, each once."""
    found: list[str] = []
    for ask in asks:
        found += [c for m in ask.metrics for c in m.measure.columns]
        found += [*ask.dimensions, *ask.columns, *(f.column for f in ask.filters)]
    return list(dict.fromkeys(found))
