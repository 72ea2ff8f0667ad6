"""How much a question is about each column, 0..1."""

import re
from collections.abc import Callable, Sequence

from analyst.protocol import Ask
from analyst.questions.cues import OPEN
from analyst.reading.agents import holds_people
from analyst.reading.derived import derived_measures
from analyst.reading.durations import asks_why_long, ends_it
from analyst.reading.lexicon import GENERIC, MONEY
from analyst.reading.matching import Matcher
from analyst.reading.words import lemma, likeness, name_words, tokens, weight

_HOLDERS = re.compile(
    r"\b(?:agents?|employees?|staff|managers?|owners?|users?|people"
    r"|persons?|team members?|workers?|assignees?|individuals?|representatives?)\b",
    re.I,
)
_OVER_TIME = re.compile(
    r"\b(?:trends?|over time|increas\w+|decreas\w+|growing|rising"
    r"|season\w*|months?|weeks?|quarters?|years?|period|time window"
    r"|evol\w+|when|spike\w*|anomal\w+)\b",
    re.I,
)
_MONEY_WORDS = re.compile(
    r"\b(?:spend\w*|expens\w+|costs?|pric\w+|revenue|sales|turnover"
    r"|financ\w+|budget\w*|claims?|money|paid|payments?|charges?"
    r"|income|profit\w*)\b",
    re.I,
)
_CURRENCIES = frozenset({"USD", "EUR", "GBP", "$", "€", "£"})
_MEANING_FLOOR = 0.25
_THE_DATA = re.compile(
    r"\b(?:data(?:set)?s?|files?|tables?|sheets?|csv|numbers|findings?|patterns?|most|main|important|interesting|please)\b",
    re.I,
)


def relevance_of(question: str, asks: Sequence[Ask], matcher: Matcher) -> dict[str, float]:
    """Columns with their relevance; those below 0.1 are left out."""
    card = matcher.card
    found: dict[str, float] = {}

    def add(column: str, grade: float) -> None:
        if card.has(column):
            found[column] = max(found.get(column, 0.0), round(min(1.0, grade), 3))

    for ask in asks:
        for name in (*ask.dimensions, *ask.columns, *(c for m in ask.metrics for c in m.measure.columns)):
            add(name, 1.0)
        for condition in ask.filters:
            add(condition.column, 0.9)
    if names_nothing(question):
        return found
    derived = derived_measures(card, question, matcher)
    long = next((m for m, _ in derived if m.kind == "duration"), None) if asks_why_long(question) else None
    for mention in matcher.mentions(question):
        if long is not None and mention.how == "value" and ends_it(long, mention.text):
            continue
        for name, score in mention.columns[:3]:
            add(name, score * (0.95 if name == mention.column else 0.7))
    words = {t.word for t in tokens(question) if t.is_word and not t.is_stop and t.word not in GENERIC}
    for column in card.columns:
        solid = [w for w in name_words(column.name) if weight(w) >= 1]
        if solid:
            add(column.name, 0.8 * sum(max((likeness(w, n) for w in words), default=0.0) for n in solid) / len(solid))
    for measure, grade in derived:
        for name in measure.columns:
            if grade >= 0.6:
                add(name, 0.9 * grade)
    _by_roles(question, matcher, found, add)
    for name, cosine in matcher.by_meaning(question).items():
        if cosine >= _MEANING_FLOOR:
            add(name, min(0.75, 0.2 + cosine))
    return {c: g for c, g in sorted(found.items(), key=lambda pair: -pair[1]) if g >= 0.1}


def names_nothing(question: str) -> bool:
    """Whether a question only asks to look around, so that nearness of its words to some column is chance."""
    rest = _THE_DATA.sub(" ", OPEN.sub(" ", question))
    return OPEN.search(question) is not None and not any(t.is_word and not t.is_stop for t in tokens(rest))


def _by_roles(question: str, matcher: Matcher, found: dict[str, float], add: Callable[[str, float], None]) -> None:
    card = matcher.card
    if _HOLDERS.search(question):
        holders = [c for c in card.by_role("dimension", "text", "identifier") if holds_people(c)]
        for column in holders:
            add(column.name, 0.45)
    if _MONEY_WORDS.search(question):
        for column in card.by_role("measure"):
            if {lemma(w) for w in name_words(column.name)} & set(MONEY) or column.unit in _CURRENCIES:
                add(column.name, 0.7)
    if card.time_column and _OVER_TIME.search(question):
        add(card.time_column, 0.6)
