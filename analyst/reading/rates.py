"""Rates: yes in a two-sided column, a status that the words speak of, a target reached."""

import re
from collections.abc import Sequence

from analyst.reading.conditions import positive_values, two_sided
from analyst.reading.durations import OUTCOMES
from analyst.reading.values import typed
from analyst.reading.words import lemma, likeness, name_words, stem, tokens, weight
from datasets.measures import Measure
from datasets.schema import Column, SchemaCard

_RATE_CUE = re.compile(
    r"\b(?:rates?|shares?|percent\w*|proportions?|ratio|success\w*"
    r"|achiev\w+|meet\w*|met|frequen\w+|reject\w+|declin\w+|fail\w+"
    r"|complet\w+|approv\w+|churn\w*|cancel\w*|return\w*|attain\w*"
    r"|default\w*)\b|%",
    re.I,
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


def rates(card: SchemaCard, phrase: str = "") -> list[tuple[Measure, float]]:
    """Indicators: a two-sided column, or the values of a status that the words speak of."""
    words = [t.word for t in tokens(phrase) if t.is_word]
    stems = {stem(w) for w in words}
    asked = 0.2 if _RATE_CUE.search(phrase) else 0.0
    found: list[tuple[Measure, float]] = []
    for column in card.by_role("boolean", "dimension"):
        yes = positive_values(column)
        named = any(likeness(w, n) >= 0.75 for w in words for n in name_words(column.name) if weight(n) >= 1)
        spoken = set(words)
        named = named or any(group & set(name_words(column.name)) and group & spoken for group in OUTCOMES)
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


_TRIED = frozenset(
    ("session", "visit", "visitor", "impression", "view", "pageview", "send", "sent", "delivered", "trial", "lead",
     "click", "user", "produced", "made", "inspected", "shipped", "order", "attempt", "call", "quote", "recipient")
)  # fmt: skip
"""What is tried: the counts that a rate of successes is divided by, the most usual first."""
_SUCCESSES: dict[str, frozenset[str]] = {
    "conversion": frozenset(
        ["conversion", "signup", "order", "purchase", "sale", "transaction", "subscription", "registration", "lead"]
    ),
    "ctr": frozenset(["click"]),
    "clickthrough": frozenset(["click"]),
    "through": frozenset(["click"]),
}
_RATE_OF = re.compile(
    r"\b(?P<n>[a-z]+)[- ]rates?\b|\b(?P<c>ctr)\b|\brates? of (?P<m>[a-z]+)\b|\b(?P<v>convert)s?\b", re.I
)


def counts_rate(card: SchemaCard, phrase: str) -> Measure | None:
    """ "Conversion rate" of a table of counts: the successes by what was tried, two columns of numbers that add up."""
    said = _RATE_OF.search(phrase)
    if said is None:
        return None
    noun = "conversion" if said["v"] else lemma((said["n"] or said["c"] or said["m"]).lower())
    wanted = _SUCCESSES.get(noun, frozenset({noun}))
    counts = [c for c in card.by_role("measure") if "INT" in c.sql_type and (c.minimum or "0")[:1] != "-"]
    words = {c.name: {lemma(w) for w in name_words(c.name)} for c in counts}
    hits = [c for c in counts if words[c.name] & wanted]
    tried = [c for c in counts if words[c.name] & _TRIED and c not in hits and _as_large(c, hits)]
    if len(hits) != 1 or not tried:
        return None
    return Measure(kind="ratio_of", columns=(hits[0].name, tried[0].name))


def _as_large(column: Column, hits: Sequence[Column]) -> bool:
    """Whether a count can hold what succeeded."""
    try:
        return all(float(column.maximum or 0) >= float(h.maximum or 0) for h in hits)
    except ValueError:
        return False
