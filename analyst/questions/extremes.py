"""The extreme row: who or what has the highest, and what else that row holds."""

import re
from collections.abc import Sequence
from typing import Literal

from analyst.protocol import Ask
from analyst.questions.scene import Scene, Slots
from analyst.reading.words import lemma, name_words
from datasets.measures import Measure, Metric
from datasets.schema import SchemaCard

SINGLE_ROW = re.compile(
    r"\b(?:single|one|any (?:one|single)|individual|a given|in a (?:year|day|month))\b|\brecorded\b", re.I
)


WHO = re.compile(
    r"\bwho\b|^\W*(?:the )?(?:oldest|youngest|tallest|heaviest|cheapest"
    r"|priciest|fastest|slowest|most expensive|least expensive)\b",
    re.I,
)


_IMPLIED = (
    (re.compile(r"\b(?:sold|bought|purchased|ordered|buys|sells)\b", re.I), frozenset({"quantity", "qty", "unit"})),
    (re.compile(r"\b(?:oldest|youngest|older|younger)\b", re.I), frozenset({"age"})),
    (re.compile(r"\b(?:heaviest|lightest)\b", re.I), frozenset({"weight", "mass"})),
    (re.compile(r"\b(?:tallest)\b", re.I), frozenset({"height"})),
    (re.compile(r"\b(?:longest|shortest)\b", re.I), frozenset({"length", "duration", "runtime", "distance"})),
    (re.compile(r"\b(?:fastest|slowest)\b", re.I), frozenset({"speed", "velocity"})),
    (
        re.compile(r"\b(?:cheapest|priciest|(?:most|least) expensive)\b", re.I),
        frozenset({"price", "cost", "fare", "fee"}),
    ),
    (re.compile(r"\b(?:richest|poorest)\b", re.I), frozenset({"income", "wealth", "gdp", "salary"})),
)


_NESTED = re.compile(
    r"\b(?:of|for|during|in|by|from|to)\s+the\s+(?:\w+\s+){1,3}?(?P<with>with"
    r"|that (?:has|have|had)|which (?:has|have|had)|having|whose)"
    r"\s+(?:the\s+)?(?:highest|lowest|largest|smallest|most|fewest"
    r"|least|greatest|biggest|maximum|minimum|longest|shortest|best"
    r"|worst)\b",
    re.I,
)


_OF_THE = re.compile(
    r"\b(?:of|for|by|to|from) the (?P<a>oldest|youngest|heaviest"
    r"|lightest|tallest|longest|shortest|fastest|slowest|cheapest"
    r"|priciest|(?:most|least) expensive|richest|poorest)\b",
    re.I,
)


_LEAST = re.compile(
    r"\b(?:lowest|smallest|fewest|least|minimum|shortest|worst|youngest|lightest|slowest|cheapest|poorest)\b", re.I
)


def meant_by_adjective(text: str, scene: Scene) -> Measure | None:
    """The measure that an adjective implies: "oldest" the age, "most expensive" the price."""
    for pattern, stems in _IMPLIED:
        if not pattern.search(text):
            continue
        for column in scene.card.by_role("measure"):
            if {lemma(w) for w in name_words(column.name)} & stems:
                return Measure(kind="column", columns=(column.name,))
    return None


def label_columns(card: SchemaCard, *, named: bool = False) -> list[str]:
    """The column that says who or what a row is about: a name, else an identifier."""
    names = [c.name for c in card.columns if "name" in name_words(c.name) and not c.numeric and c.distinct > 1]
    keys = [] if named else [c.name for c in card.by_role("identifier")]
    return (names or keys)[:1]


def extreme_row(measure: Measure, names: Sequence[str], order: Literal["asc", "desc"], top: int, scene: Scene) -> Ask:
    """The extreme row; the year is shown with it where the names occur more than once."""
    card = scene.card
    shown = list(dict.fromkeys(names))
    if shown and all(card.column(n).distinct < card.rows for n in shown):
        shown += [c.name for c in card.columns if c.name.casefold() == "year" and c.name not in shown][:1]
    metric = Metric(aggregate="max" if order == "desc" else "min", measure=measure)
    return Ask(kind="extreme", metrics=(metric,), columns=tuple(shown), order=order, top=top)


def at_extreme(slots: Slots, scene: Scene) -> Ask | None:
    """ "The wind speed of the storm with the highest category": one column of the extreme row of another."""
    nested = _NESTED.search(slots.text)
    adjective = _OF_THE.search(slots.text)
    if nested is None and adjective:
        meant = meant_by_adjective(adjective["a"], scene)
        named = [m.column for m in slots.mentions if m.how != "value" and m.end <= adjective.start()]
        order: Literal["asc", "desc"] = "asc" if _LEAST.search(adjective["a"]) else "desc"
        return extreme_row(meant, named, order, 1, scene) if meant and named else None
    if nested is None:
        return None
    shown = [m for m in slots.mentions if m.how != "value" and m.end <= nested.start("with")]
    ranked = [m for m in slots.mentions if m.how != "value" and m.start >= nested.end()]
    if not shown or not ranked or not scene.card.column(ranked[0].column).numeric:
        return None
    order = "asc" if _LEAST.search(nested.group()) else "desc"
    names = [m.column for m in shown if m.column != ranked[0].column]
    return extreme_row(Measure(kind="column", columns=(ranked[0].column,)), names, order, 1, scene) if names else None
