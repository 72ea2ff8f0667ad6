"""Which columns play a part in a study: who comes back, when they began, stages, arms and outcomes."""

import re
from collections.abc import Sequence

from analyst.reading.words import name_words
from datasets.measures import Grain, Measure, Metric
from datasets.schema import Column, SchemaCard

_PARTY = frozenset(
    (
        "user",
        "customer",
        "client",
        "member",
        "account",
        "subscriber",
        "visitor",
        "player",
        "patient",
        "device",
        "student",
        "employee",
        "session",
        "lead",
        "contact",
        "person",
        "household",
        "driver",
        "shop",
        "buyer",
        "donor",
        "guest",
        "applicant",
        "candidate",
        "owner",
        "company",
    )
)
_KEYS = frozenset({"id", "key", "uuid", "guid", "no", "number", "nr", "code"})
_BEGAN = frozenset(
    (
        "signup",
        "sign",
        "signed",
        "registered",
        "registration",
        "joined",
        "join",
        "began",
        "begin",
        "start",
        "started",
        "created",
        "first",
        "onboarded",
    )
)
_STAGES = frozenset({"stage", "step", "event", "action", "phase", "page", "status", "activity", "screen"})
_ARMS = frozenset(
    (
        "variant",
        "variation",
        "arm",
        "treatment",
        "experiment",
        "test",
        "bucket",
        "cell",
        "version",
        "group",
        "cohort",
        "ab",
        "exposure",
    )
)
_ARM_VALUES = frozenset(
    ("control", "treatment", "baseline", "variant", "a", "b", "c", "test", "placebo", "exposed", "holdout")
)
_OUTCOMES = frozenset(
    (
        "converted",
        "conversion",
        "purchased",
        "purchase",
        "bought",
        "clicked",
        "click",
        "signed",
        "subscribed",
        "success",
        "churned",
        "retained",
        "paid",
        "won",
        "activated",
        "responded",
        "response",
        "completed",
        "opened",
        "booked",
        "ordered",
    )
)
_YES = frozenset({"yes", "y", "true", "t", "1", "converted", "success", "won", "paid"})
_MOST_STAGES, _MOST_ARMS = 12, 8
_AHEAD = re.compile(
    r"\b(?:(?:next|coming|upcoming)\s+(?:(?P<n>\d{1,2})\s+)?(?P<u>day|week|month|quarter|year)s?"
    r"|(?P<m>\d{1,2})\s+(?P<v>day|week|month|quarter|year)s?\s+(?:ahead|into the future))\b",
    re.I,
)
_GRAINS: dict[str, Grain] = {"day": "day", "week": "week", "month": "month", "quarter": "quarter", "year": "year"}


def words_of(column: Column) -> set[str]:
    """The words of a column's name, lower case."""
    return {w.lower() for w in name_words(column.name)}


def party(card: SchemaCard, named: Sequence[str] = ()) -> Column | None:
    """The column that says whose row it is: one that repeats; one that is named first."""
    able = [c for c in card.columns if not c.temporal and 2 <= c.distinct < 0.9 * max(1, c.rows - c.nulls)]
    keyed = [c for c in able if c.role in {"identifier", "dimension", "text", "measure"} and c.distinct >= 10]
    likely = [c for c in keyed if words_of(c) & _PARTY] + [
        c for c in keyed if words_of(c) & _KEYS and c.role in {"identifier", "dimension"}
    ]
    chosen = [c for c in likely if c.name in named] or likely
    return chosen[0] if chosen else None


def began(card: SchemaCard, time: str | None) -> Column | None:
    """The column that says when somebody began, other than the event time."""
    return next((c for c in card.columns if c.temporal and c.name != time and words_of(c) & _BEGAN), None)


def stage_column(card: SchemaCard, named: Sequence[str] = ()) -> Column | None:
    """A column whose values are stages."""
    able = [c for c in card.columns if c.role in {"dimension", "text"} and 2 <= c.distinct <= _MOST_STAGES]
    able = [c for c in able if not c.numeric and not c.temporal]
    likely = [c for c in able if words_of(c) & _STAGES]
    chosen = [c for c in likely if c.name in named] or likely
    return chosen[0] if chosen else None


def stage_columns(card: SchemaCard, named: Sequence[str] = ()) -> tuple[str, ...]:
    """Columns that are stages: those named, in their order; else dates, the fullest first."""
    dated = {c.name for c in card.columns if c.temporal}
    flags = {c.name for c in card.columns if c.role == "boolean"}
    chosen = [n for n in named if n in dated] or [n for n in named if n in flags]
    if len(chosen) >= 2:
        return tuple(dict.fromkeys(chosen))
    times = sorted((c for c in card.columns if c.temporal), key=lambda c: (c.nulls, c.minimum or ""))
    falling = len({c.nulls for c in times}) > 1
    return tuple(c.name for c in times[:_MOST_STAGES]) if len(times) >= 2 and falling else ()


def arm_column(card: SchemaCard, named: Sequence[str] = ()) -> Column | None:
    """The column of the arms of an experiment: by its name, or by values such as control and treatment."""
    able = [c for c in card.columns if c.role in {"dimension", "boolean"} and 2 <= c.distinct <= _MOST_ARMS]
    valued = [c for c in able if len({v.lower() for v in c.values} & _ARM_VALUES) >= 2]
    likely = [c for c in able if c.name in named and (words_of(c) & _ARMS or c in valued)]
    likely += [c for c in valued if words_of(c) & _ARMS] + valued + [c for c in able if words_of(c) & _ARMS]
    return likely[0] if likely else None


def outcome(card: SchemaCard, arm: str) -> Metric | None:
    """What an experiment was to move, where the question does not say: the share with a yes in an outcome column."""
    for column in card.columns:
        if column.name != arm and column.distinct == 2 and words_of(column) & _OUTCOMES:
            yes = next((v for v in column.values if v.lower() in _YES), None)
            if yes is not None:
                value = int(yes) if column.numeric else yes.lower() == "true" if column.sql_type == "BOOLEAN" else yes
                return Metric(
                    aggregate="share", measure=Measure(kind="indicator", columns=(column.name,), values=(value,))
                )
    return None


def ahead(text: str) -> tuple[int, Grain | None]:
    """How many periods a forecast is to go, and of which length: 3 and "month" in "next 3 months"; else one."""
    match = _AHEAD.search(text)
    if match is None:
        return 1, None
    number = match["n"] or match["m"]
    return max(1, min(24, int(number))) if number else 1, _GRAINS[(match["u"] or match["v"]).lower()]
