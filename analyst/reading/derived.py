"""Measures that no column holds: durations between two times, rates of a value, targets reached."""

import re

from analyst.reading.durations import asks_why_long, durations, ends_it
from analyst.reading.lexicon import MONEY
from analyst.reading.matching import Matcher
from analyst.reading.rates import counts_rate, rates, targets
from analyst.reading.sequences import steps_in
from analyst.reading.words import lemma, name_words
from datasets.measures import Measure
from datasets.schema import Column, SchemaCard

_TIME_PHRASE = re.compile(
    r"\b(?:[a-z]+ing|[a-z]+ion|[a-z]+ery|response|warranty|lead|cycle"
    r"|wait|closure|approval)[ -](?:times?|durations?|periods?|delays?)\b",
    re.I,
)
_TIME_TO = re.compile(
    r"\b(?:time|days|hours|minutes|how long)\b(?: (?:it|an?|the|does|did|do|\w+s))*(?: (?:takes?|took|taken|needed))*"
    r" to (?:be |get )?[a-z]{3,}|\b(?:stay(?:s|ed)?|remain(?:s|ed)?|kept|left) open\b|\blongest to [a-z]{3,}"
    r"|\bshortest to [a-z]{3,}|\bhow long (?:was|were|is|are|did|does|do) .{0,30}\bopen\b",
    re.I,
)
_BY_ITS_VERB = 0.95
_IN_UNIT = re.compile(r"\s*\(?(?:in|measured in)?\s*(?P<u>hours|minutes|days)\b", re.I)
_RATE_PHRASES = (
    re.compile(r"\b[\w-]+ rates?\b", re.I),
    re.compile(r"\b[\w-]+ [\w-]+ rates?\b", re.I),
    re.compile(r"\brates? of (?:[\w-]+ )?[\w-]+\b", re.I),
    re.compile(r"\bctr\b|\bconverts?\b", re.I),
)
_MONEY_NOUN = re.compile(
    r"\b(?:revenues?|sales|turnover|spend(?:ing)?|takings|earnings)\b(?! (?:rep"
    r"|person|team|manager|department|region|agent)s?\b)",
    re.I,
)


def derived_measures(
    card: SchemaCard, question: str = "", matcher: Matcher | None = None
) -> list[tuple[Measure, float]]:
    """Measures that can be made of the columns, most relevant first, with how much a question is about each (0..1).

    Without a question the number says how natural the measure is. `matcher`: the one of this card, for meaning.
    """
    spans = durations(card, question, matcher)
    other = [*rates(card, question), *targets(card, question)]
    if spans and asks_why_long(question):
        other = [(m, w) for m, w in other if not any(ends_it(spans[0][0], str(v)) for v in m.values)]
    found = [*spans, *other]
    best: dict[str, tuple[Measure, float]] = {}
    for measure, relevance in found:
        if relevance > best.get(measure.key, (measure, 0.0))[1]:
            best[measure.key] = (measure, round(min(1.0, relevance), 3))
    return sorted(best.values(), key=lambda pair: (-pair[1], pair[0].key))


def money_column(card: SchemaCard) -> Column | None:
    """The measure that "revenue" or "spending" means where no column is named so."""
    named = [(c, {lemma(w) for w in name_words(c.name)}) for c in card.by_role("measure")]
    money = [(c, words) for c, words in named if words & set(MONEY) or c.unit in {"USD", "EUR", "GBP"}]
    sums = [(c, words) for c, words in money if not words & {"price", "rate", "fee", "average", "mean", "unit"}]
    for wanted in ("revenue", "sales", "total", "amount"):
        found = next((c for c, words in sums if wanted in words), None)
        if found:
            return found
    return (sums or money)[0][0] if money else None


def money_measure(card: SchemaCard) -> Measure | None:
    """What revenue is on a card: a column of money, else quantity times unit price."""
    column = money_column(card)
    words = {c.name: {lemma(w) for w in name_words(c.name)} for c in card.by_role("measure")}
    if column is None or words[column.name] & {"price", "rate", "fee", "average", "mean"}:
        price = next((n for n, w in words.items() if "price" in w), None)
        amount = next((n for n, w in words.items() if w & {"quantity", "qty", "unit", "units"} and n != price), None)
        if price and amount:
            return Measure(kind="product_of", columns=(amount, price))
    return Measure(kind="column", columns=(column.name,)) if column else None


def meant_in(text: str, card: SchemaCard, matcher: Matcher | None = None) -> list[tuple[int, int, Measure]]:
    """Phrases of a text that mean a duration or a rate, with their places: "processing time", "rejection rate"."""
    found: list[tuple[int, int, Measure]] = steps_in(text, matcher) if matcher is not None else []
    for match in _TIME_PHRASE.finditer(text):
        spans = durations(card, match.group(), matcher)
        if spans and spans[0][1] >= 0.75:
            unit = _IN_UNIT.match(text[match.end() :])
            measure = spans[0][0].model_copy(update={"unit": unit["u"].lower()}) if unit else spans[0][0]
            found.append((match.start(), match.end(), measure))
    for match in _TIME_TO.finditer(text):
        spans = durations(card, f"time {match.group()} {text}", matcher)
        if (
            spans
            and spans[0][1] >= _BY_ITS_VERB
            and not any(s < match.end() and match.start() < e for s, e, _ in found)
        ):
            found.append((match.start(), match.end(), spans[0][0]))
    for match in _MONEY_NOUN.finditer(text):
        money = money_measure(card)
        if money is not None:
            found.append((match.start(), match.end(), money))
    for match in (m for pattern in _RATE_PHRASES for m in pattern.finditer(text)):
        if any(match.start() < end and start < match.end() for start, end, _ in found):
            continue
        best = [pair for pair in (*targets(card, match.group()), *rates(card, match.group())) if pair[1] >= 0.75]
        counted = None if best else counts_rate(card, match.group())
        if counted:
            found.append((match.start(), match.end(), counted))
        if best:
            found.append((match.start(), match.end(), max(best, key=lambda pair: pair[1])[0]))
    return found
