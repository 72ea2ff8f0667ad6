"""Which columns tell how long until something happens, and for which rows it has not happened yet."""

import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from analyst.questions.study_columns import words_of
from analyst.reading.durations import durations
from analyst.reading.matching import Matcher
from analyst.reading.words import stem
from datasets.measures import Filter
from datasets.schema import Column, SchemaCard

_EVENTS = frozenset(
    map(
        stem,
        ("churn", "churned", "attrition", "exited", "left", "event", "died", "death", "dead", "deceased", "failed",
         "failure", "cancelled", "canceled", "terminated", "relapse", "relapsed", "default", "defaulted", "quit",
         "resigned", "converted", "recurrence", "status", "observed"),
    )
)  # fmt: skip
_CENSORED = frozenset({"censored", "censor", "cens"})
_LENGTHS = frozenset(
    (
        "tenure",
        "duration",
        "survival",
        "lifetime",
        "followup",
        "follow",
        "time",
        "months",
        "weeks",
        "days",
        "years",
        "los",
    )
)
_YES = frozenset({"yes", "y", "true", "t", "1", "dead", "died", "churned", "left", "event", "exited"})
_OPEN_SHARE = 0.01
"""Share of rows without an end from which leaving them out would mislead."""


class Waiting(NamedTuple):
    """The columns, and how a survival ask names them in its options."""

    columns: tuple[str, ...]
    options: Mapping[str, str]


def waiting_columns(card: SchemaCard, text: str, matcher: Matcher, named: Sequence[str]) -> Waiting | None:
    """A start and an end that some rows lack; else a length of time with a yes/no column of the event; else None."""
    for measure, _ in durations(card, text, matcher):
        start, end = measure.columns
        missing = card.column(end).nulls
        if missing >= max(1.0, _OPEN_SHARE * card.rows) and card.rows > missing:
            return Waiting((start, end), {"start": start, "end": end})
    event, length = _event(card, named), _length(card, named)
    if event is None or length is None or event[0].name == length.name:
        return None
    column, condition = event
    options = {"duration": length.name, "event": json.dumps(condition.model_dump(mode="json"))}
    return Waiting((length.name, column.name), options)


def _event(card: SchemaCard, named: Sequence[str]) -> tuple[Column, Filter] | None:
    able = [c for c in card.columns if c.distinct == 2 and not c.temporal and len(c.values) == 2]
    likely = [c for c in able if c.name in named and _speaks(c)] + [c for c in able if _speaks(c)]
    for column in likely:
        yes = next((v for v in column.values if v.lower().removesuffix(".0") in _YES), None)
        if yes is None:
            continue
        no = next(v for v in column.values if v != yes)
        said = no if words_of(column) & _CENSORED else yes
        value = float(said) if column.numeric else said.lower() == "true" if column.sql_type == "BOOLEAN" else said
        whole = int(value) if isinstance(value, float) and value.is_integer() else value
        return column, Filter(column=column.name, values=(whole,))
    return None


def _speaks(column: Column) -> bool:
    words = words_of(column)
    return bool({stem(w) for w in words} & _EVENTS or words & _CENSORED)


def _length(card: SchemaCard, named: Sequence[str]) -> Column | None:
    able = [
        c for c in card.columns if c.numeric and c.distinct > 2 and c.role != "identifier" and words_of(c) & _LENGTHS
    ]
    return next((c for c in able if c.name in named), able[0] if able else None)
