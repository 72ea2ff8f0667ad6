"""What one clause names: columns by the part they play, conditions, spans of time."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date

from analyst.reading.aggregates import AggregateWord, aggregate_words
from analyst.reading.conditions import (
    age_filter,
    column_filter,
    merged,
    numeric_filter,
    ordinal_filters,
    two_sided,
    value_filters,
    weekday_filter,
    weekday_ranges,
    yes_filter,
)
from analyst.reading.derived import meant_in, money_column
from analyst.reading.features import Feature
from analyst.reading.grouping import asked_for, grain_in, grouped
from analyst.reading.matching import Matcher
from analyst.reading.mentions import Mention
from analyst.reading.phrases import one_each
from analyst.reading.transforms import Changed
from analyst.reading.values import holds_numbers
from analyst.reading.words import name_words
from analyst.times.periods import Periods, periods_in
from datasets.measures import Filter, FilterOp, Grain, Measure
from datasets.schema import Column, SchemaCard

_SURE = 0.85
_OTHER_SIDE = re.compile(
    r"\b(?:versus|vs\.?|compared (?:to|with)|and|than) (?:those|the ones"
    r"|\w+)(?: who| that| which)? (?:are|were|did|do|does|have|has"
    r"|is|was)(?:n't| not)\b",
    re.I,
)
_VALUE_FIRST = re.compile(r"[\"'`)]*\s*")
_COLUMN_FIRST = re.compile(
    r"[\"'`]*\s*(?:=|==|is|equals?|equal to|of|:|in|are|at|from|with|by|as)?\s*(?:the |an? )?[\"'`(]*", re.I
)
_LABEL = re.compile(r"(?<!\w)'[^'\n]{1,40}'(?!\w)|\"[^\"\n]{1,40}\"")
_EACH_GROUP = re.compile(
    r"\b(?:in|of|for|per) (?:each|every)(?: (?:of them|group|category|class|bin|bucket|range))?\W*$", re.I
)
_DEGREES = frozenset({"highest", "lowest", "higher", "lower"})
_METRIC_LEAD = re.compile(
    r"\b(?:mean|average|median|sum|total|percentage|share|proportion"
    r"|rate|fraction|correlation|distribution|% )\s*(?:of|in|for"
    r"|between)?\s*(?:the\s+)?(?:[\"'`])?$",
    re.I,
)


@dataclass(frozen=True)
class Scene:
    """What holds for all clauses of a question."""

    matcher: Matcher
    features: tuple[Feature, ...] = ()
    changes: tuple[Changed, ...] = ()
    newest: date | None = None
    named: frozenset[str] = frozenset()

    @property
    def card(self) -> SchemaCard:
        """The schema card."""
        return self.matcher.card


@dataclass
class Slots:
    """The parts of a clause. Mentions appear in one list only, in order of the text.

    `by_row`: "per order" is said of rows.
    """

    text: str
    aggregates: list[AggregateWord] = field(default_factory=list)
    subjects: list[Mention] = field(default_factory=list)
    groups: list[Mention] = field(default_factory=list)
    measures: list[tuple[int, Measure]] = field(default_factory=list)
    others: list[Mention] = field(default_factory=list)
    sides: list[Mention] = field(default_factory=list)
    filters: list[Filter] = field(default_factory=list)
    contrasted: str | None = None
    periods: Periods = field(default_factory=Periods)
    grain: Grain | None = None
    ranges: tuple[tuple[str, Filter], ...] = ()
    taken: list[tuple[int, int]] = field(default_factory=list)
    mentions: tuple[Mention, ...] = ()
    by_row: bool = False

    @property
    def wording(self) -> str:
        """The text with the names of columns and values crossed out: what is left tells the kind of question."""
        text = self.text
        for mention in self.mentions:
            if mention.how in {"quoted", "name", "value"} or mention.score >= _SURE:
                text = text[: mention.start] + "_" * (mention.end - mention.start) + text[mention.end :]
        return _LABEL.sub(lambda m: "_" * len(m.group()), text)


def read_slots(text: str, scene: Scene) -> Slots:
    """Read one clause."""
    card = scene.card
    slots = Slots(text)
    mentions = _features(text, scene, slots, one_each(text, scene.matcher.mentions(text), card))
    mentions = [m for m in mentions if m.how in {"quoted", "value"} or m.text.lower() not in _DEGREES]
    slots.periods = periods_in(text, card, scene.newest, mentions)
    grain = grain_in(text)
    clock = card.time_column is not None and card.column(card.time_column).temporal
    if grain and any(
        m.start < grain[2] and grain[1] < m.end and m.score >= _SURE and (m.start < grain[1] or m.end > grain[2])
        for m in mentions
    ):
        grain = None
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
    slots.groups = grouped(text, mentions, card)
    rest = _conditions([m for m in mentions if m not in slots.groups], slots, scene)
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
    if any(m.kind == "in_order" for _, m in slots.measures) and slots.grain == "day":
        slots.grain = None  # "Daily" is said of the steps.
    covered = [(m.start, m.end) for m in mentions] + slots.taken
    slots.aggregates = [a for a in aggregate_words(text) if not any(s <= a.start and a.end <= e for s, e in covered)]
    slots.taken += [(m.start, m.end) for m in mentions] + [(a.start, a.end) for a in slots.aggregates]
    return slots


def _stated(text: str, card: SchemaCard, slots: Slots, mentions: list[Mention]) -> list[Mention]:
    """Read conditions that are no comparison of one column with a number: first class, on Mondays, close above open."""
    slots.ranges = slots.ranges or weekday_ranges(text, card)
    days = None if slots.ranges else weekday_filter(text, card)
    for condition, start, end in (*ordinal_filters(text, card), *([days] if days else [])):
        slots.filters.append(condition)
        slots.taken.append((start, end))
        mentions = [m for m in mentions if not (m.start < end and start < m.end)]
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


def _meant(text: str, scene: Scene, slots: Slots, mentions: list[Mention]) -> list[Mention]:
    """Read "resolution time" and "rate of rejections" as what they mean where no column is named so."""
    for start, end, measure in meant_in(text, scene.card, scene.matcher):
        inside = [m for m in mentions if m.start < end and start < m.end]
        if any(
            m.column not in measure.columns
            and (m.how in {"value", "quoted", "name"} or (m.score >= _SURE and m.end >= end))
            for m in inside
        ):
            continue
        mentions = [m for m in mentions if m not in inside]
        slots.measures.append((start, measure))
        slots.taken.append((start, end))
    return mentions


def _conditions(mentions: list[Mention], slots: Slots, scene: Scene) -> list[Mention]:
    """Turn the mentions that limit the rows into filters; return the others."""
    card, text = scene.card, slots.text
    rest: list[Mention] = []
    values: list[tuple[Mention, str]] = []
    columns_here = {m.column for m in slots.mentions if m.how != "value"} | scene.named
    for mention in mentions:
        if mention.how == "value":
            holder = _holder(mention, columns_here)
            if (
                not holds_numbers(card.column(holder))
                or card.column(holder).numeric
                or (mention.value or "")[:1].isdigit()
            ):
                values.append((mention, holder))
            elif not any(m.column == holder and m is not mention for m in mentions):
                rest.append(mention)
            continue
        column = card.column(mention.column)
        loose = column.role == "identifier" and mention.how in {"words", "fuzzy"}
        compared = None if loose else numeric_filter(text, mention, column)
        if compared and _between_years(compared[0], card):
            compared = None
        if compared:
            slots.filters.append(compared[0])
            slots.taken.append(compared[1:])
        elif two_sided(column) and not _METRIC_LEAD.search(text[: mention.start]):
            slots.sides.append(mention)
        else:
            rest.append(mention)
    rest = [m for m in rest if not _names_value(m, values, text)]
    aged = age_filter(text, card)
    if aged and not any(f.column == aged[0].column for f in slots.filters):
        slots.filters.append(aged[0])
        slots.taken.append(aged[1:])
    priced = _priced(text, card, slots)
    slots.filters += [priced] if priced else []
    slots.filters += value_filters(text, values, card)
    for condition in slots.periods.filters:
        slots.filters.append(condition)
    for name in dict.fromkeys(m.column for m in slots.sides):
        found = [yes_filter(text, m, card.column(name)) for m in slots.sides if m.column == name]
        sides = list({f.key: f for f in found if f}.values())
        if len(sides) > 1 or (sides and _OTHER_SIDE.search(text)):
            slots.contrasted = name
        elif sides and not any(f.column == name for f in slots.filters):
            slots.filters.append(sides[0])
    return rest


def _between_years(condition: Filter, card: SchemaCard) -> bool:
    """Whether "cases from 2016 to 2017" is said of years, which another column holds."""
    years = all(isinstance(v, int) and 1900 <= v <= 2100 for v in condition.values)
    others = [c for c in card.columns if "year" in name_words(c.name) and c.name != condition.column]
    return condition.op == "between" and years and bool(others) and card.column(condition.column).role == "measure"


def _priced(text: str, card: SchemaCard, slots: Slots) -> Filter | None:
    """ "claims above 500 euros" → a condition on the money column, where no column is compared by name."""
    match = _PRICED.search(text)
    money = money_column(card) if match else None
    if match is None or money is None or any(f.column == money.name for f in slots.filters):
        return None
    op: FilterOp = "ge" if match["ge"] else "le" if match["le"] else "gt" if match["gt"] else "lt"
    slots.taken.append(match.span())
    number = float((match["n"] or match["m"]).replace(",", ""))
    return Filter(column=money.name, op=op, values=(int(number) if number.is_integer() else number,))


_PRICED = re.compile(
    r"\b(?:(?P<gt>above|over|more than|greater than|exceed(?:s|ing)?|higher than|costing more than)"
    r"|(?P<lt>below|under|less than|cheaper than|lower than)|(?P<ge>at least|from)|(?P<le>at most|up to))\s+"
    r"(?:(?:[$€£]|usd|eur|gbp)\s?(?P<n>\d[\d,]*(?:\.\d+)?)\b"
    r"|(?P<m>\d[\d,]*(?:\.\d+)?)\s?(?:[$€£]|euros?\b|dollars?\b|pounds?\b|usd\b|eur\b|gbp\b))",
    re.I,
)
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


def _holder(mention: Mention, columns_here: set[str] | frozenset[str]) -> str:
    """The column that a named value is read on: one that the question names, else the most trusted."""
    return next((name for name, _ in mention.columns if name in columns_here), mention.column)


def _names_value(mention: Mention, values: Sequence[tuple[Mention, str]], text: str) -> bool:
    """Whether a column is only named to say what a value is: the "Americas" region, status 'open'."""
    for value, name in values:
        if name not in {c for c, _ in mention.columns}:
            continue
        if value.end <= mention.start and _VALUE_FIRST.fullmatch(text[value.end : mention.start]):
            return True
        if mention.end <= value.start and _COLUMN_FIRST.fullmatch(text[mention.end : value.start]):
            return True
    return False


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
