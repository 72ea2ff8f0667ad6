"""Clauses about parts of the calendar: weekends against weekdays, days of the week, hours of the day."""

import re

from analyst.protocol import Ask
from analyst.questions.implied import main_measure, natural
from analyst.questions.metrics import ROWS
from analyst.questions.parts import plain_aggregate
from analyst.questions.scene import Scene, Slots
from datasets.measures import Measure, Metric

_PART = re.compile(
    r"\b(?:(?P<weekday>weekdays?(?! (?:and|or|vs|versus|than))|days? of (?:the )?week)|(?P<hour>hours? of (?:the )?day"
    r"|times? of (?:the )?day)|(?P<month>months? of (?:the )?year"
    r"|calendar months?))\b",
    re.I,
)
_WEEKEND = re.compile(r"\bweekends?\b", re.I)
JUDGED = re.compile(r"\b(?:best|worst|strongest|weakest)\b", re.I)
"""What is good is not said: most of the main measure."""
_MOST_MEASURES = 3
_ONE_A_DAY = 0.95


def calendar_part(slots: Slots, scene: Scene) -> Ask | None:
    """ "On which day of the week", "are weekends different": the parts of the calendar compared."""
    time = scene.card.time_column
    found = _PART.search(slots.text)
    part = (
        "weekend"
        if _WEEKEND.search(slots.text)
        else next((k for k, v in found.groupdict().items() if v), None)
        if found
        else None
    )
    if part is None or time is None or not scene.card.column(time).temporal:
        return None
    named = [m for _, m in slots.measures if not (m.kind == "column" and scene.card.column(m.columns[0]).temporal)]
    metrics = tuple(Metric(aggregate=plain_aggregate(m, scene.card), measure=m) for m in named[:1])
    judged = main_measure(scene.card) if not named and JUDGED.search(slots.text) else None
    if judged:
        metrics = (Metric(aggregate=natural(judged), measure=Measure(kind="column", columns=(judged.name,))),)
    return Ask(kind="compare", metrics=metrics or usual_metrics(scene), dimensions=(time,), options={"part": part})


def usual_metrics(scene: Scene) -> tuple[Metric, ...]:
    """What is looked at by day where nothing is named: the rows, or the measures where each day has one row."""
    card = scene.card
    time = card.column(card.time_column) if card.time_column else None
    if time is None or time.distinct < _ONE_A_DAY * max(1, time.rows - time.nulls):
        return (ROWS,)
    measures = card.by_role("measure")[:_MOST_MEASURES]
    made = tuple(Metric(aggregate=natural(c), measure=Measure(kind="column", columns=(c.name,))) for c in measures)
    return made or (ROWS,)
