"""Which prior finding a question is about."""

import re
from collections.abc import Sequence
from typing import Any

from analyst.heads import Embeds
from analyst.protocol import Ask, AskKind, Intent, Known
from analyst.reading.words import lemma, tokens

_FLOOR = 0.30
_AS_NEAR = 0.01
_WEIGHTS = (0.6, 0.15, 0.25)
"""Of claim, words and meaning."""
_WEIGHTS_OF_WORDS = (0.0, 0.4, 0.35)
"""The same where the question names no column."""
_MENTIONED, _NAMED = 0.3, 0.6
_CERTAIN = 0.85
_UNASKED_PART = 0.7
_OTHER_VIEW = 0.7
"""What is left of the fit where one of claim and question is about time and the other is not."""
_TEMPORAL = frozenset({"trend", "seasonality", "period_change", "contribution", "drivers", "forecast", "lead"})
_TIME_WORDS = re.compile(
    r"\b(?:trend\w*|over time|grow\w*|ris(?:e|es|ing)|fall(?:s|ing)?|declin\w*|drop\w*|increas\w*|decreas\w*|"
    r"develop\w*|season\w*|stable|steady|going (?:up|down)|upward\w*|downward\w*|per (?:day|week|month|quarter|year)|"
    r"monthly|weekly|daily|yearly|from \w+ to \w+)\b",
    re.IGNORECASE,
)
_RELATED = re.compile(r"\b(?:un)?(?:related|correlated|connected|linked)\b|\bdepends? on\b|\brelation", re.IGNORECASE)
_RELATIONS: dict[AskKind, frozenset[str]] = {
    "value": frozenset({"value", "extreme"}),
    "extreme": frozenset({"extreme", "share", "difference", "value"}),
    "trend": frozenset({"trend", "seasonality", "period_change"}),
    "change": frozenset({"period_change", "contribution", "drivers", "trend"}),
    "compare": frozenset({"difference", "evenness", "association", "extreme"}),
    "share": frozenset({"share", "concentration", "evenness"}),
    "relation": frozenset({"correlation", "association"}),
    "distribution": frozenset({"distribution", "share", "evenness"}),
    "outliers": frozenset({"outliers"}),
    "quality": frozenset({"quality"}),
    "list": frozenset({"value", "extreme"}),
    "retention": frozenset({"retention"}),
    "survival": frozenset({"retention"}),
    "funnel": frozenset({"funnel"}),
    "experiment": frozenset({"experiment", "difference"}),
    "leads": frozenset({"lead"}),
    "forecast": frozenset({"forecast", "trend"}),
}
_TESTING = frozenset({"check", "verify", "revalidate", "hold", "true", "again", "today", "now", "still", "finding"})


def choose_prior(question: str, intent: Intent, prior: Sequence[Known], embedder: Embeds | None = None) -> Known | None:
    """Return the finding that the question is about; None when no finding is near enough, or there is none.

    What the claim is about counts most, then the meaning of the sentences, then shared words. Ties go to the higher
    recall score, then to the more recent finding; `rival` then names the one that fits as well. A finding that leaves
    out a column or a group that is asked about is not what the question is about.
    """
    known = [k for k in prior if k.memory_type == "finding"]
    findings = [k for k in known if _covers(intent, k)] if asked_about(intent) else known
    if not findings:
        return None
    meaning = _meaning(question, findings, embedder)
    about, words, sense = _WEIGHTS if intent.relevance else _WEIGHTS_OF_WORDS
    scored = [
        (about * _about(intent, known) + words * _shared_words(question, known) + sense * near, known)
        for known, near in zip(findings, meaning, strict=True)
    ]
    scored.sort(key=lambda pair: (round(pair[0], 6), pair[1].score, -pair[1].age_days), reverse=True)
    best, chosen = scored[0]
    if best < _FLOOR:
        return None
    rival = scored[1][1].summary if len(scored) > 1 and best - scored[1][0] < _AS_NEAR else None
    return chosen.model_copy(update={"rival": rival})


def asked_about(intent: Intent) -> list[str]:
    """Return the columns that a question asks about for certain, in its order."""
    return list(dict.fromkeys(c for _, columns in _things(intent) for c in columns))


def _things(intent: Intent) -> list[tuple[Ask, list[str]]]:
    """The single things asked, with their certain columns: a relation is about both of its measures at once."""
    things, related = [], bool(_RELATED.search(intent.question))
    for ask in intent.asks:
        measures = [list(m.measure.columns) for m in ask.metrics] or [[]]
        together = [[c for columns in measures for c in columns]] if related or ask.kind == "relation" else measures
        for columns in together:
            named = [*columns, *ask.dimensions, *(f.column for f in ask.filters)]
            things.append((ask, [c for c in named if intent.relevance.get(c, 0.0) >= _CERTAIN]))
    return [(ask, columns) for ask, columns in things if columns]


def _covers(intent: Intent, known: Known) -> bool:
    """Whether a claim is about every column of one thing asked, and about its groups where the claim fixes any."""
    claim: dict[str, Any] = known.claim or {}
    subject: dict[str, Any] = claim.get("subject") or {}
    key = " ".join(str(v) for v in subject.values() if v)
    return not key or any(
        all(re.search(rf"(?<!\w){re.escape(c)}(?!\w)", key) for c in columns)
        and not _of_other_groups(ask, str(subject.get("filters") or ""))
        for ask, columns in _things(intent)
    )


def _of_other_groups(ask: Ask, fixed: str) -> bool:
    for wanted in ask.filters:
        held = re.search(rf"(?<!\w){re.escape(wanted.column)} \w+ \[(.*?)\]", fixed)
        values = {str(v).casefold() for v in wanted.values}
        if held and not values & {v.casefold() for v in held.group(1).split(", ")}:
            return True
    return False


def _about(intent: Intent, known: Known) -> float:
    """How well claim and question are about the same: nothing that is asked is missing, nothing unasked is added."""
    claim: dict[str, Any] = known.claim or {}
    subject: dict[str, Any] = claim.get("subject") or {}
    value: dict[str, Any] = claim.get("value") or {}
    key = " ".join(str(v) for v in subject.values() if v)
    if not key:
        return 0.0
    named = {c: w for c, w in intent.relevance.items() if w >= _MENTIONED}
    total = sum(named.values())
    columns = sum(w for c, w in named.items() if c in key) / total if total else 0.0
    values = [str(v) for ask in intent.asks for f in ask.filters for v in f.values]
    held = f"{key} {value.get('text') or ''}"
    segments = sum(v in held for v in values) / len(values) if values else columns
    metrics = {m.key for ask in intent.asks for m in ask.metrics}
    metric = 1.0 if subject.get("metric") in metrics else 0.0
    wanted = {r for ask in intent.asks for r in _RELATIONS.get(ask.kind, frozenset())}
    # What is asked of one group ("do smokers pay more?") is told by a claim that sets the groups against each other.
    compared = {f.column for ask in intent.asks for f in ask.filters} & {str(subject.get("dimension"))}
    wanted |= _RELATIONS["compare"] if compared else frozenset()
    relation = 1.0 if subject.get("relation") in wanted else 0.0
    fit = 0.3 * columns + 0.15 * segments + 0.2 * metric + 0.15 * relation + 0.2 * _asked_for(subject, intent)
    if narrower(subject.get("filters"), intent):
        fit *= _UNASKED_PART
    return fit if _over_time(subject) == _asks_of_time(intent) else fit * _OTHER_VIEW


def _asked_for(subject: dict[str, Any], intent: Intent) -> float:
    """Share of the groups that the claim distinguishes which the question names; 1 where it distinguishes none."""
    groups = [d.strip() for d in str(subject.get("dimension") or "").split(", ") if d.strip()]
    if not groups:
        return 1.0
    return sum(intent.relevance.get(group, 0.0) >= _NAMED for group in groups) / len(groups)


def _over_time(subject: dict[str, Any]) -> bool:
    return subject.get("relation") in _TEMPORAL


def _asks_of_time(intent: Intent) -> bool:
    return any(ask.kind in {"trend", "change", "forecast", "leads"} for ask in intent.asks) or bool(
        _TIME_WORDS.search(intent.question)
    )


def narrower(filters: object, intent: Intent) -> bool:
    """Whether a claim holds only for a part of the rows that the question does not name."""
    if not isinstance(filters, str):
        return False
    named = intent.question.casefold()
    values = [v.casefold() for part in re.findall(r"\[(.*?)\]", filters) for v in part.split(", ")]
    return any(re.search(rf"(?<!\w){re.escape(value)}(?!\w)", named) is None for value in values)


def _shared_words(question: str, known: Known) -> float:
    asked = _words(question)
    return len(asked & _words(known.summary)) / len(asked) if asked else 0.0


def _words(text: str) -> set[str]:
    return {lemma(t.word) for t in tokens(text) if t.is_word and not t.is_stop and t.word not in _TESTING}


def _meaning(question: str, findings: Sequence[Known], embedder: Embeds | None) -> list[float]:
    """Cosine of question and summaries, 0 where negative or where there is no embedder."""
    if embedder is None:
        return [0.0] * len(findings)
    vectors = embedder.embed([question, *(k.summary for k in findings)])
    return [max(0.0, float(vectors[0] @ vector)) for vector in vectors[1:]]
