"""What one clause names: columns by the part they play, conditions, spans of time."""

import re
from collections.abc import Sequence

from analyst.questions.limits import compared_alone, limited
from analyst.questions.scene import SURE, Scene, Slots
from analyst.reading.agents import with_agents
from analyst.reading.aggregates import aggregate_words
from analyst.reading.conditions import column_filter, merged, ordinal_filters, weekday_filter, weekday_ranges
from analyst.reading.contests import without_counts
from analyst.reading.derived import meant_in
from analyst.reading.grouping import asked_for, grain_in, grouped
from analyst.reading.levels import level_conditions
from analyst.reading.mentions import Mention
from analyst.reading.phrases import one_each
from analyst.reading.values import holds_numbers
from analyst.reading.words import name_words
from analyst.times.periods import periods_in
from datasets.measures import Measure
from datasets.schema import Column, SchemaCard

_EACH_GROUP = re.compile(
    r"\b(?:in|of|for|per) (?:each|every)(?: (?:of them|group|category|class|bin|bucket|range))?\W*$", re.I
)
_DEGREES = frozenset({"highest", "lowest", "higher", "lower"})


def read_slots(text: str, scene: Scene) -> Slots:
    """Read one clause."""
    card = scene.card
    slots = Slots(text)
    mentions = _features(text, scene, slots, one_each(text, scene.matcher.mentions(text), card))
    mentions = with_agents(text, without_counts(text, mentions), card)
    mentions = [m for m in mentions if m.how in {"quoted", "value"} or m.text.lower() not in _DEGREES]
    slots.periods = periods_in(text, card, scene.newest, mentions)
    grain = grain_in(text)
    clock = card.time_column is not None and card.column(card.time_column).temporal
    if grain and any(
        m.start < grain[2] and grain[1] < m.end and m.score >= SURE and (m.start < grain[1] or m.end > grain[2])
        for m in mentions
    ):
        grain = None
    if grain and any(start <= grain[1] and grain[2] <= end for start, end in slots.taken):
        grain = None  # "daily" in the name of a made-up column
    if grain and clock:
        slots.grain = grain[0]
        slots.taken.append(grain[1:])
        mentions = [m for m in mentions if not (grain[1] <= m.start < grain[2]) or m.how == "quoted"]
    mentions = [m for m in mentions if not any(m.start < e and s < m.end for s, e in slots.periods.places)]
    mentions = _stated(text, card, slots, mentions)
    slots.taken += slots.periods.places
    slots.mentions = tuple(mentions)
    mentions = _meant(text, scene, slots, mentions)
    mentions = [m for m in mentions if not _idle(text, m) and not _included(text, m)]
    mentions = _by_row(text, mentions, slots, card)
    mentions = _without_moments(text, mentions, card)
    slots.groups = grouped(text, mentions, card)
    rest = limited([m for m in mentions if m not in slots.groups], slots, scene)
    slots.subjects = asked_for(text, rest, card)
    rest = [m for m in rest if m not in slots.subjects]
    listed = {m.column for m in slots.groups}
    slots.filters = merged(
        [
            f
            for f in slots.filters
            if not (f.column in listed and card.column(f.column).numeric and f.op in {"eq", "in"})
        ]
    )
    for mention in rest:
        numeric = _measured(mention, card)
        if numeric:
            slots.measures.append((mention.start, Measure(kind="column", columns=(numeric,))))
        else:
            slots.others.append(mention)
    slots.measures.sort(key=lambda pair: pair[0])
    compared_alone(slots, scene)
    if any(m.kind == "in_order" for _, m in slots.measures) and slots.grain == "day":
        slots.grain = None  # "Daily" is said of the steps.
    covered = [(m.start, m.end) for m in mentions] + slots.taken
    slots.aggregates = [a for a in aggregate_words(text) if not any(s <= a.start and a.end <= e for s, e in covered)]
    slots.taken += [(m.start, m.end) for m in mentions] + [(a.start, a.end) for a in slots.aggregates]
    return slots


_TRAILING = re.compile(r"\s(?:by|at|on|to)$", re.I)
"""In "time to close by category" the preposition belongs to what follows, not to a column "closed_by"."""
_PARTICIPLE = re.compile(r"\w{3,}(?:ed|en)", re.I)
_MOMENT = re.compile(r"\W{0,2}(?:at|on|date|dates|time|times|timestamp)\b", re.I)


def _without_moments(text: str, mentions: list[Mention], card: SchemaCard) -> list[Mention]:
    """Leave out a date that only says what happened: in "how many were opened in May", no dates are counted."""
    if not any(a.counts for a in aggregate_words(text)):
        return mentions
    return [
        m
        for m in mentions
        if m.how not in {"words", "fuzzy"}
        or not card.column(m.column).temporal
        or not _PARTICIPLE.fullmatch(m.text)
        or _MOMENT.match(text, m.end)
    ]


def _stated(text: str, card: SchemaCard, slots: Slots, mentions: list[Mention]) -> list[Mention]:
    """Read conditions that are no comparison of one column with a number: first class, on Mondays, close above open."""
    slots.ranges = slots.ranges or weekday_ranges(text, card)
    days = None if slots.ranges else weekday_filter(text, card)
    for condition, start, end in (*ordinal_filters(text, card), *([days] if days else [])):
        slots.filters.append(condition)
        slots.taken.append((start, end))
        slots.limits.append((start, end, condition.column))
        mentions = [m for m in mentions if not (m.start < end and start < m.end)]
    for level in level_conditions(text, mentions, card):
        slots.filters.append(level.filter)
        slots.taken.append((level.start, level.end))
        slots.limits.append((level.start, level.end, level.filter.column))
        mentions = [m for m in mentions if m not in level.used]
    compared = column_filter(text, mentions, card)
    if compared:
        condition, one, two = compared
        slots.filters.append(condition)
        slots.taken.append((one.start, two.end))
        mentions = [m for m in mentions if m not in (one, two)]
    return mentions


def _features(text: str, scene: Scene, slots: Slots, mentions: Sequence[Mention]) -> list[Mention]:
    """Take out the made-up columns that a clause uses."""
    kept = list(mentions)
    for feature in scene.features:
        spaced = re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", feature.name)
        for match in re.finditer(rf"(?<!\w)(?:{re.escape(feature.name)}|{re.escape(spaced)})s?(?!\w)", text, re.I):
            if feature.measure:
                slots.measures.append((match.start(), feature.measure))
            else:
                slots.ranges = feature.ranges
            slots.taken.append(match.span())
            kept = [m for m in kept if not (m.start < match.end() and match.start() < m.end)]
    if not slots.measures:
        _by_part(text, scene, slots, kept)
    grouped_by = next((f.ranges for f in scene.features if f.ranges), ())
    if not slots.ranges and grouped_by and _EACH_GROUP.search(text):
        slots.ranges = grouped_by
    if (
        scene.features
        and not slots.measures
        and re.search(r"\b(?:this|the) new (?:feature|column|variable)\b", text, re.I)
    ):
        made = scene.features[-1]
        if made.measure:
            slots.measures.append((0, made.measure))
    return kept


def _by_part(text: str, scene: Scene, slots: Slots, mentions: Sequence[Mention]) -> None:
    """Read "the highest total" as the made-up column "total_incidents", by the one word that is said of its name."""
    for feature in scene.features:
        words = "|".join(map(re.escape, name_words(feature.name)))
        said = re.search(
            rf"\b(?:highest|largest|greatest|biggest|lowest|smallest|most|least)\s+(?:{words})\b", text, re.I
        )
        if feature.measure is None or said is None or re.match(r"\s+(?:of|number|\w+s)\b", text[said.end() :]):
            continue
        if not any(m.start < said.end() and said.start() < m.end for m in mentions):
            slots.measures.append((said.start(), feature.measure))
            slots.taken.append(said.span())


def _meant(text: str, scene: Scene, slots: Slots, mentions: list[Mention]) -> list[Mention]:
    """Read "resolution time" and "rate of rejections" as what they mean where no column is named so."""
    for start, end, measure in meant_in(text, scene.card, scene.matcher):
        inside = [m for m in mentions if m.start < end and start < m.end]
        if any(
            m.column not in measure.columns
            and (m.how in {"value", "quoted", "name"} or (m.score >= SURE and m.end >= end))
            and not (m.how == "words" and m.start > start and _TRAILING.search(m.text))
            for m in inside
        ):
            continue
        mentions = [m for m in mentions if m not in inside]
        slots.measures.append((start, measure))
        slots.taken.append((start, end))
    return mentions


_IDLE = re.compile(
    r"\b(?:across|over|for|among|of|in|from|between|within|by) all (?:the "
    r"|of the )?(?:recorded )?(?:\w+ (?:and|,) )?$|\bfor the recorded (?:\w+ and )?$",
    re.I,
)


_INCLUDED = re.compile(
    r"\b(?:including|inclusive of"
    r"|even (?:with|for)|(?:with|whether) or without|regardless of|no matter (?:the|what|which))"
    r"(?! only)\s+(?:(?:the|those|also|all|any|rows?|records?|orders?|with|of|in|from|that|which|are|have|a)\s+)*"
    r"(?:(?!where\b|for\b|by\b|per\b)[\w'\"-]+\s+){0,2}(?:(?:and|or|,)\s*)?[\"'`]?$",
    re.I,
)


_WHOLE = re.compile(r"\b(?:all|every\w*|total|overall)\b", re.I)
_HOLDERS = re.compile(r"\b(?!sales)\w{2,}s\s+$", re.I)
"""Orders including a desk are only those that hold one."""


def _included(text: str, mention: Mention) -> bool:
    """Whether a value is named only to say that its rows count too: "all rows, including status 9"."""
    match = _INCLUDED.search(text[: mention.start])
    if match is None:
        return False
    lead = text[: match.start()]
    return _WHOLE.search(lead) is not None or _HOLDERS.search(lead) is None


_PER = re.compile(r"\b(?:per|(?:for|of) (?:each|every)|each|every)\s+(?:single\s+)?[\"'`]?$", re.I)
_NEARLY_ALL = 0.95
"""Share of different values from which a key stands for the row: copies of rows do not make it a grouping."""


def _by_row(text: str, mentions: list[Mention], slots: Slots, card: SchemaCard) -> list[Mention]:
    """Leave out the key that each row has its own of: the mean "per order" is the mean of the rows."""
    if not re.search(r"\b(?:average|avg|mean|median|per)\b", text, re.I):
        return mentions
    kept = []
    for mention in mentions:
        column = card.column(mention.column)
        unique = column.role == "identifier" and column.distinct >= _NEARLY_ALL * (column.rows - column.nulls) > 0
        if unique and mention.how != "value" and _PER.search(text[: mention.start]):
            slots.by_row = True
            slots.taken.append((mention.start, mention.end))
        else:
            kept.append(mention)
    return kept


def _idle(text: str, mention: Mention) -> bool:
    """Whether a column is named only to say that everything is meant: "across all countries and years"."""
    return mention.how in {"words", "fuzzy", "name"} and _IDLE.search(text[: mention.start]) is not None


def _measured(mention: Mention, card: SchemaCard) -> str | None:
    """The column to do arithmetic on, if the mention can stand for one."""
    if mention.entity(card) is not None:
        return None
    column: Column = card.column(mention.column)
    if not column.numeric and column.role in {"dimension", "text", "identifier"} and holds_numbers(column):
        return column.name
    name = mention.best(card, {"measure"})
    if name is not None:
        return name
    return column.name if column.role in {"time", "constant"} and (column.numeric or column.temporal) else None
