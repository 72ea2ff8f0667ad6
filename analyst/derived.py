"""Measures that no column holds: durations between two times, rates of a value, targets reached."""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from analyst.conditions import positive_values, two_sided
from analyst.lexicon import MONEY
from analyst.matching import Matcher
from analyst.values import typed
from analyst.words import lemma, likeness, name_words, stem, tokens, weight
from datasets.measures import Measure
from datasets.schema import Column, SchemaCard

_STARTS = frozenset(
    [
        "open",
        "start",
        "begin",
        "create",
        "purchase",
        "order",
        "submit",
        "request",
        "admit",
        "admission",
        "hire",
        "depart",
        "departure",
        "birth",
        "from",
        "pickup",
        "in",
        "issue",
        "signup",
        "receive",
        "book",
        "join",
        "report",
        "enter",
        "arrive",
        "entry",
        "draft",
        "post",
        "list",
        "launch",
        "publish",
        "check",
        "placed",
        "opened",
        "first",
        "init",
    ]
)
_ENDS = frozenset(
    [
        "close",
        "end",
        "finish",
        "resolve",
        "process",
        "complete",
        "completion",
        "expire",
        "expiration",
        "expiry",
        "due",
        "deliver",
        "delivery",
        "ship",
        "return",
        "discharge",
        "arrival",
        "to",
        "dropoff",
        "exit",
        "terminate",
        "leave",
        "approve",
        "pay",
        "paid",
        "settle",
        "sold",
        "out",
        "last",
        "decide",
        "fulfil",
        "fulfill",
        "until",
        "death",
        "renewal",
    ]
)
_UNSURE = frozenset(["update", "updated", "modify", "modified", "sync", "change"])
_TIME_WORDS = frozenset(["at", "on", "date", "time", "datetime", "timestamp", "ts", "day", "utc", "sys", "dt", "when"])
_DURATION_CUE = re.compile(
    r"\b(?:durations?|time|times|periods?|how long|lengths?|days|hours|tenure|delays?|turnaround|lead|speed|age|lifetime|efficien\w+|slow\w*|fast\w*|quick\w*|backlog|workflow|performance|long\w*)\b",  # noqa: E501
    re.I,
)
_TIME_PHRASE = re.compile(
    r"\b(?:[a-z]+ing|[a-z]+ion|[a-z]+ery|response|warranty|lead|cycle|wait|closure|approval)[ -](?:times?|durations?|periods?|delays?)\b",
    re.I,
)
_RATE_PHRASES = (
    re.compile(r"\b[\w-]+ rates?\b", re.I),
    re.compile(r"\b[\w-]+ [\w-]+ rates?\b", re.I),
    re.compile(r"\brates? of (?:[\w-]+ )?[\w-]+\b", re.I),
)
_MONEY_NOUN = re.compile(
    r"\b(?:revenues?|sales|turnover|spend(?:ing)?|takings|earnings)\b(?! (?:rep|person|team|manager|department|region|agent)s?\b)",
    re.I,
)
_RATE_CUE = re.compile(
    r"\b(?:rates?|shares?|percent\w*|proportions?|ratio|success\w*|achiev\w+|meet\w*|met|frequen\w+|reject\w+|declin\w+|fail\w+|complet\w+|approv\w+|churn\w*|cancel\w*|return\w*|attain\w*|default\w*)\b|%",
    re.I,
)
OUTCOMES: tuple[frozenset[str], ...] = (
    frozenset(["decline", "declined", "reject", "rejected", "rejection", "denied", "deny", "refuse", "refused"]),
    frozenset(["approve", "approved", "approval", "accepted", "accept", "granted"]),
    frozenset(
        [
            "complete",
            "completed",
            "completion",
            "success",
            "successful",
            "succeeded",
            "done",
            "achieved",
            "met",
            "passed",
        ]
    ),
    frozenset(["fail", "failed", "failure", "failing", "error", "unsuccessful", "lost"]),
    frozenset(["cancel", "cancelled", "canceled", "cancellation"]),
    frozenset(["churn", "churned", "left", "attrition", "exited", "terminated"]),
    frozenset(["return", "returned", "refund", "refunded"]),
    frozenset(["resolve", "resolved", "closed", "solved"]),
    frozenset(["won", "win", "converted", "conversion"]),
    frozenset(["late", "delayed", "overdue"]),
    frozenset(["default", "defaulted"]),
)
_STATUS = frozenset(["state", "status", "outcome", "result", "stage", "decision", "resolution", "disposition"])
_TARGETS = frozenset(["target", "goal", "plan", "planned", "quota", "threshold", "expected", "forecast", "budget"])
_REACHED = frozenset(
    [
        "complete",
        "completed",
        "completion",
        "actual",
        "achieved",
        "achievement",
        "progress",
        "attained",
        "result",
        "percent",
        "percentage",
    ]
)


def derived_measures(
    card: SchemaCard, question: str = "", matcher: Matcher | None = None
) -> list[tuple[Measure, float]]:
    """Measures that can be made of the columns, most relevant first, with how much a question is about each (0..1).

    Without a question the number says how natural the measure is. `matcher`: the one of this card, for meaning.
    """
    found = [*durations(card, question, matcher), *rates(card, question), *targets(card, question)]
    best: dict[str, tuple[Measure, float]] = {}
    for measure, relevance in found:
        if relevance > best.get(measure.key, (measure, 0.0))[1]:
            best[measure.key] = (measure, round(min(1.0, relevance), 3))
    return sorted(best.values(), key=lambda pair: (-pair[1], pair[0].key))


def durations(card: SchemaCard, phrase: str = "", matcher: Matcher | None = None) -> list[tuple[Measure, float]]:
    """Durations between a column that names a start and one that names an end."""
    times = [c for c in card.columns if c.temporal and c.distinct >= 1]
    found: list[tuple[Measure, float]] = []
    for first in times:
        for second in times:
            fit = 0.0 if first.name == second.name else _pair_fit(first, second)
            if fit:
                unit = _unit(phrase, first, second)
                found.append((Measure(kind="duration", columns=(first.name, second.name), unit=unit), fit))
    if not phrase or not found:
        return sorted(found, key=lambda pair: -pair[1])
    asked = 0.35 if _DURATION_CUE.search(phrase) else 0.0
    near = _nearness(phrase, [m for m, _ in found], matcher)
    scored = [(m, 0.5 * fit + asked + n) for (m, fit), n in zip(found, near, strict=True)]
    return sorted(scored, key=lambda pair: -pair[1])


def rates(card: SchemaCard, phrase: str = "") -> list[tuple[Measure, float]]:
    """Indicators: a two-sided column, or the values of a status that the words speak of."""
    words = [t.word for t in tokens(phrase) if t.is_word]
    stems = {stem(w) for w in words}
    asked = 0.2 if _RATE_CUE.search(phrase) else 0.0
    found: list[tuple[Measure, float]] = []
    for column in card.by_role("boolean", "dimension"):
        yes = positive_values(column)
        named = any(likeness(w, n) >= 0.75 for w in words for n in name_words(column.name) if weight(n) >= 1)
        if two_sided(column):
            found.append((Measure(kind="indicator", columns=(column.name,), values=yes), 0.3 + 0.5 * named + asked))
        elif not column.numeric and 2 <= column.distinct <= 15:
            found += _outcome_rates(column, words, stems, asked)
    return sorted(found, key=lambda pair: -pair[1])


def targets(card: SchemaCard, phrase: str = "") -> list[tuple[Measure, float]]:
    """Whether a number reached its target: two numeric columns, one of them named as a target."""
    numbers = [c for c in card.columns if c.numeric and c.role in {"measure", "dimension"}]
    words = {lemma(t.word) for t in tokens(phrase) if t.is_word}
    asked = bool(_RATE_CUE.search(phrase)) + bool(words & {"goal", "target", "quota", "achievement", "achieve"})
    found: list[tuple[Measure, float]] = []
    for goal in numbers:
        goal_words = set(name_words(goal.name))
        if not goal_words & _TARGETS:
            continue
        for actual in numbers:
            parts = set(name_words(actual.name))
            alike = parts & _REACHED or (parts - {"id"}) & (goal_words - _TARGETS)
            if actual.name != goal.name and alike and not parts & _TARGETS:
                measure = Measure(kind="at_least", columns=(actual.name, goal.name))
                found.append((measure, 0.45 + 0.25 * asked))
    return sorted(found, key=lambda pair: -pair[1])


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


def meant_in(text: str, card: SchemaCard, matcher: Matcher | None = None) -> list[tuple[int, int, Measure]]:
    """Phrases of a text that mean a duration or a rate, with their places: "processing time", "rejection rate"."""
    found: list[tuple[int, int, Measure]] = []
    for match in _TIME_PHRASE.finditer(text):
        spans = durations(card, match.group(), matcher)
        if spans and spans[0][1] >= 0.75:
            found.append((match.start(), match.end(), spans[0][0]))
    for match in _MONEY_NOUN.finditer(text):
        money = money_column(card)
        if money is not None:
            found.append((match.start(), match.end(), Measure(kind="column", columns=(money.name,))))
    for match in (m for pattern in _RATE_PHRASES for m in pattern.finditer(text)):
        if any(match.start() < end and start < match.end() for start, end, _ in found):
            continue
        best = [pair for pair in (*targets(card, match.group()), *rates(card, match.group())) if pair[1] >= 0.75]
        if best:
            found.append((match.start(), match.end(), max(best, key=lambda pair: pair[1])[0]))
    return found


def _outcome_rates(column: Column, words: Sequence[str], stems: set[str], asked: float) -> list[tuple[Measure, float]]:
    status = any(w in _STATUS for w in name_words(column.name))
    found: list[tuple[Measure, float]] = []
    for value in column.values:
        parts = name_words(value)
        if not parts or len(parts) > 3 or parts[0].isdigit():
            continue
        same = all(stem(p) in stems for p in parts) and len(value) > 3
        kin = any(
            p in group and any(w in group or lemma(w) in group for w in words) for p in parts for group in OUTCOMES
        )
        kin = kin or any(
            stem(p) in {stem(g) for g in group} and stems & {stem(g) for g in group}
            for p in parts
            for group in OUTCOMES
        )
        telling = status and any(p in group for p in parts for group in OUTCOMES)
        if same or (kin and status):
            grade = 0.5 + asked + 0.25 * status
        elif telling and not words:
            grade = 0.3
        else:
            continue
        measure = Measure(kind="indicator", columns=(column.name,), values=(typed(column, value),))
        found.append((measure, grade))
    return found


def _pair_fit(first: Column, second: Column) -> float:
    one, two = _time_parts(first.name), _time_parts(second.name)
    if (one | two) & _UNSURE:
        return 0.0
    starts, ends = _meets(one, _STARTS), _meets(two, _ENDS)
    if not (starts and ends) or _meets(one, _ENDS) > starts or _meets(two, _STARTS) > ends:
        return 0.0
    known = min(first.rows - first.nulls, second.rows - second.nulls) / max(1, first.rows)
    if known < 0.05:
        return 0.0
    rest_one = {w for w in one if not any(likeness(w, s) >= 0.9 for s in _STARTS)}
    rest_two = {w for w in two if not any(likeness(w, e) >= 0.9 for e in _ENDS)}
    return 0.9 if rest_one == rest_two else 0.7


def _time_parts(name: str) -> set[str]:
    words = name_words(name)
    kept = {w for w in words if w not in _TIME_WORDS}
    return kept or set(words)


def _meets(words: set[str], known: frozenset[str]) -> int:
    return sum(any(w == k or stem(w) == stem(k) for k in known) for w in words)


def _nearness(phrase: str, measures: Sequence[Measure], matcher: Matcher | None) -> list[float]:
    """How much a phrase speaks of each duration: shared stems, else meaning."""
    asked = {stem(t.word) for t in tokens(phrase) if t.is_word and not t.is_stop}
    shared = []
    for measure in measures:
        parts = {stem(w) for name in measure.columns for w in _time_parts(name)}
        kin = {
            stem(w) for group in OUTCOMES if group & {w for n in measure.columns for w in _time_parts(n)} for w in group
        }
        shared.append(0.3 if asked & (parts - {"year"}) else 0.2 if asked & kin else 0.0)
    cosines = None if matcher is None or max(shared) else matcher.meaning([phrase], [m.words for m in measures])
    if cosines is None:
        return shared
    return [max(s, 0.3 * max(0.0, float(c))) for s, c in zip(shared, cosines[0], strict=True)]


def _unit(phrase: str, first: Column, second: Column) -> Literal["days", "hours", "minutes"]:
    if re.search(r"\bhours?\b", phrase, re.I):
        return "hours"
    if re.search(r"\bminutes?\b", phrase, re.I):
        return "minutes"
    try:
        low = datetime.fromisoformat((first.minimum or "")[:19])
        high = datetime.fromisoformat((second.maximum or "")[:19])
    except ValueError:
        return "days"
    return "hours" if (high - low).days < 3 and first.sql_type.startswith("TIMESTAMP") else "days"
