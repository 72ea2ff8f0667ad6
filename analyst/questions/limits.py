"""What limits the rows of a clause: values, yes or no, comparisons with numbers, what is lacking."""

import re
from collections.abc import Sequence

from analyst.questions.scene import Scene, Slots
from analyst.reading.beside import beside
from analyst.reading.comparisons import comparisons, placed
from analyst.reading.conditions import (
    age_filter,
    between_years,
    numeric_filter,
    two_sided,
    value_filters,
    years_elsewhere,
    yes_filter,
)
from analyst.reading.derived import money_column
from analyst.reading.lacking import lacking
from analyst.reading.mentions import Mention
from analyst.reading.opposites import opposites
from analyst.reading.values import holds_numbers
from analyst.reading.words import name_words
from datasets.measures import Filter, FilterOp
from datasets.schema import Column, SchemaCard

_OTHER_SIDE = re.compile(
    r"\b(?:versus|vs\.?|compared (?:to|with)|and|than) (?:those|the ones"
    r"|\w+)(?: who| that| which)? (?:are|were|did|do|does|have|has"
    r"|is|was)(?:n't| not)\b",
    re.I,
)
_SCORED = re.compile(r"\bz-?scores?\s+(?:of|for|in)\s+(?:the\s+)?[\"'`]?$", re.I)
"""The number behind "z-score of hours above 3" is one of scores, not of hours."""
_VALUE_FIRST = re.compile(r"[\"'`)]*\s*")
_COLUMN_FIRST = re.compile(
    r"[\"'`]*\s*(?:=|==|is|equals?|equal to|of|:|in|are|at|from|with|by|as)?\s*(?:the |an? )?[\"'`(]*", re.I
)
_METRIC_LEAD = re.compile(
    r"\b(?:mean|average|median|sum|total|percentage|share|proportion"
    r"|rate|fraction|correlation|distribution|% )\s*(?:of|in|for"
    r"|between)?\s*(?:the\s+)?(?:[\"'`])?$",
    re.I,
)
OF_A_METHOD = re.compile(
    r"z-?scores?|outlier|p-?values?|coefficient|threshold|standard deviation|quartile|\biqr\b|significan|alpha|skewness"
    r"|confidence|test size|random",
    re.I,
)


_PRICED = re.compile(
    r"\b(?:(?P<gt>above|over|more than|greater than|exceed(?:s|ing)?|higher than|costing more than)"
    r"|(?P<lt>below|under|less than|cheaper than|lower than)|(?P<ge>at least|from)|(?P<le>at most|up to))\s+"
    r"(?:(?:[$€£]|usd|eur|gbp)\s?(?P<n>\d[\d,]*(?:\.\d+)?)\b"
    r"|(?P<m>\d[\d,]*(?:\.\d+)?)\s?(?:[$€£]|euros?\b|dollars?\b|pounds?\b|usd\b|eur\b|gbp\b))",
    re.I,
)


def limited(mentions: list[Mention], slots: Slots, scene: Scene) -> list[Mention]:
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
        compared = _compared(mention, column, slots)
        compared = None if compared and _between_years(compared[0], card) else compared
        if compared:
            _limit(slots, *compared)
        elif two_sided(column) and not _METRIC_LEAD.search(text[: mention.start]):
            slots.sides.append(mention)
        else:
            rest.append(mention)
    rest = [m for m in rest if not _names_value(m, values, text)]
    aged = age_filter(text, card)
    if aged and not any(f.column == aged[0].column for f in slots.filters):
        _limit(slots, *aged)
    priced = _priced(text, card, slots)
    slots.filters += [priced] if priced else []
    for mention, holder in values:
        slots.limits.append((mention.start, mention.end, holder))
    slots.filters += value_filters(text, values, card)
    slots.filters += slots.periods.filters
    _two_sided(slots, scene)
    return rest


def compared_alone(slots: Slots, scene: Scene) -> None:
    """Read the comparisons beside which no column stands, once it is known what the clause measures."""
    if OF_A_METHOD.search(slots.text):
        return
    named = [m.columns[0] for _, m in slots.measures if m.kind == "column"]
    places = [(m.start, m.end) for m in slots.mentions]
    for found in comparisons(slots.text, [*slots.taken, *slots.periods.places, *places]):
        condition = placed(found, slots.text, scene.matcher, named)
        if condition and not any(f.key == condition.key for f in slots.filters):
            _limit(slots, condition, found.start, found.end)
            if found.unit:
                slots.measures = [(at, m) for at, m in slots.measures if m.columns != (condition.column,)]
            if condition.until:
                _without_verb(slots, found.start)
                slots.measures = [(at, m) for at, m in slots.measures if m.kind != "duration"]


def _without_verb(slots: Slots, end: int) -> None:
    """In "resolved within 2 days" the verb says what took so long; it is no value that limits the rows besides."""
    verb = next((m for m in slots.mentions if m.how == "value" and not slots.text[m.end : end].strip()), None)
    if verb is not None and verb.end <= end:
        slots.filters = [f for f in slots.filters if f.column not in {name for name, _ in verb.columns}]


def _compared(mention: Mention, column: Column, slots: Slots) -> tuple[Filter, int, int] | None:
    """The comparison that stands with a mentioned column: a number, a value beside it, or that it is lacking."""
    text = slots.text
    if column.role == "identifier" and mention.how in {"words", "fuzzy"}:
        return lacking(text, mention, column) if column.nulls else None
    if _SCORED.search(text[: mention.start]):
        return None
    found = lacking(text, mention, column) or beside(text, mention, column)
    if found is None:
        found = numeric_filter(text, mention, column)
        if found and two_sided(column) and found[0].op not in {"eq", "ne", "is_null", "not_null"}:
            return None
    if found and _counted_next(found[2], mention, slots):
        return None
    if found is None or not any(found[1] < e and s < found[2] for s, e in slots.periods.places):
        return found
    return found if found[0].column in {f.column for f in slots.periods.filters} else None


def _counted_next(end: int, mention: Mention, slots: Slots) -> bool:
    """Whether the number of "charges with more than 2 children" is said of the column that stands right behind it."""
    behind = [
        m for m in slots.mentions if m is not mention and m.start >= end and not slots.text[end : m.start].strip()
    ]
    return mention.end < end and any(m.how != "value" and m.column != mention.column for m in behind)


def _two_sided(slots: Slots, scene: Scene) -> None:
    """The conditions of yes/no columns, said by their name or by its opposite."""
    card, text = scene.card, slots.text
    for condition, start, end in opposites(text, slots.mentions, card):
        if any(m.column == condition.column for m in slots.sides):
            slots.contrasted = condition.column
            slots.taken.append((start, end))
        elif not any(f.column == condition.column for f in slots.filters):
            _limit(slots, condition, start, end)
            slots.opposed.append(condition.column)
    for name in dict.fromkeys(m.column for m in slots.sides):
        mine = [m for m in slots.sides if m.column == name]
        found = [yes_filter(text, m, card.column(name)) for m in mine]
        sides = list({f.key: f for f in found if f}.values())
        if len(sides) > 1 or (sides and _OTHER_SIDE.search(text)):
            slots.contrasted = name
        elif sides and name != slots.contrasted and not any(f.column == name for f in slots.filters):
            slots.filters.append(sides[0])
            slots.limits.append((mine[0].start, mine[0].end, name))


def _limit(slots: Slots, condition: Filter, start: int, end: int) -> None:
    slots.filters.append(condition)
    slots.taken.append((start, end))
    slots.limits.append((start, end, condition.column))


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


def _between_years(condition: Filter, card: SchemaCard) -> bool:
    """Whether "cases from 2016 to 2017" is said of years, which another column holds, or none."""
    others = [c for c in card.columns if "year" in name_words(c.name) and c.name != condition.column]
    column = card.column(condition.column)
    return years_elsewhere(condition, column) or (
        between_years(condition) and bool(others) and column.role == "measure"
    )


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
