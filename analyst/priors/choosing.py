"""Which prior finding a question is about."""

import re
from collections.abc import Sequence
from typing import Any

from analyst.heads import Embeds
from analyst.protocol import AskKind, Intent, Known
from analyst.reading.words import lemma, tokens

_FLOOR = 0.30
_AS_NEAR = 0.01
_UNASKED_PART = 0.7
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
    "funnel": frozenset({"funnel"}),
    "experiment": frozenset({"experiment", "difference"}),
    "forecast": frozenset({"forecast", "trend"}),
}
_TESTING = frozenset({"check", "verify", "revalidate", "hold", "true", "again", "today", "now", "still", "finding"})


def choose_prior(question: str, intent: Intent, prior: Sequence[Known], embedder: Embeds | None = None) -> Known | None:
    """Return the finding that the question is about; None when no finding is near enough, or there is none.

    Columns and values of the claim count most, then shared words, then the meaning of the sentences. Ties go to the
    higher recall score, then to the more recent finding; `rival` then names the one that fits as well.
    """
    findings = [k for k in prior if k.memory_type == "finding"]
    if not findings:
        return None
    meaning = _meaning(question, findings, embedder)
    scored = [
        (0.45 * _about(intent, known) + 0.30 * _shared_words(question, known) + 0.25 * near, known)
        for known, near in zip(findings, meaning, strict=True)
    ]
    scored.sort(key=lambda pair: (round(pair[0], 6), pair[1].score, -pair[1].age_days), reverse=True)
    best, chosen = scored[0]
    if best < _FLOOR:
        return None
    rival = scored[1][1].summary if len(scored) > 1 and best - scored[1][0] < _AS_NEAR else None
    return chosen.model_copy(update={"rival": rival})


def _about(intent: Intent, known: Known) -> float:
    """Overlap of the claim with the intent: its columns, the named values, the relation that is asked for."""
    claim: dict[str, Any] = known.claim or {}
    subject: dict[str, Any] = claim.get("subject") or {}
    value: dict[str, Any] = claim.get("value") or {}
    key = " ".join(str(v) for v in subject.values() if v)
    if not key:
        return 0.0
    named = {c: w for c, w in intent.relevance.items() if w >= 0.3}
    total = sum(named.values())
    columns = sum(w for c, w in named.items() if c in key) / total if total else 0.0
    values = [str(v) for ask in intent.asks for f in ask.filters for v in f.values]
    held = f"{key} {value.get('text') or ''}"
    segments = sum(v in held for v in values) / len(values) if values else columns
    metrics = {m.key for ask in intent.asks for m in ask.metrics}
    metric = 1.0 if subject.get("metric") in metrics else 0.0
    wanted = {r for ask in intent.asks for r in _RELATIONS.get(ask.kind, frozenset())}
    relation = 1.0 if subject.get("relation") in wanted else 0.0
    fit = 0.45 * columns + 0.2 * segments + 0.2 * metric + 0.15 * relation
    return fit * _UNASKED_PART if _narrower(subject.get("filters"), intent) else fit


def _narrower(filters: object, intent: Intent) -> bool:
    """Whether a claim holds only for a part of the rows that the question does not name."""
    if not isinstance(filters, str):
        return False
    named = intent.question.casefold()
    values = re.findall(r"\[(.*?)\]", filters)
    return any(v.casefold() not in named for value in values for v in value.split(", "))


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
