"""Which findings come first, and which say the same as another."""

import math
import re
from collections.abc import Mapping, Sequence

from analyst.protocol import Intent, LabelledFinding
from datasets.evidence import Candidate, Effect, Subject

MAX_FINDINGS = 15
_LABEL_WEIGHT = {"confirmatory": 1.0, "exploratory": 0.9, "exploratory_divergent": 0.65}
_COUNTS = frozenset({"value", "extreme", "share", "concentration", "evenness"})
_DIFFERENCES = frozenset({"difference", "association", "extreme", "value"})
_UNIT_EFFECTS = frozenset(
    {"cramers_v", "spearman_rho", "pearson_r", "kendall_tau", "eta_squared", "epsilon_squared", "share"}
)


def order(
    intent: Intent, findings: Sequence[LabelledFinding], *, limit: int = MAX_FINDINGS
) -> tuple[list[int], list[dict[str, str]]]:
    """Return indexes into `findings`, best first and at most `limit`, and why the others were left out.

    Findings of asked steps keep their order and come first. Then relevance × strength × surprise × confidence, each
    further finding about the same metric and dimension counting less, so that the list does not repeat one theme.
    """
    asked = [i for i, f in enumerate(findings) if f.step.stated and f.step.builds_on is None]
    chosen: list[int] = []
    dropped: list[dict[str, str]] = []
    for index in asked:
        _take(index, findings, chosen, dropped, limit)
    scores = {i: score(intent, f) for i, f in enumerate(findings) if i not in set(asked)}
    themes: dict[tuple[str | None, ...], int] = {}
    while scores:
        index = max(scores, key=lambda i: (scores[i] * 0.8 ** themes.get(_theme(findings[i]), 0), -i))
        scores.pop(index)
        if _take(index, findings, chosen, dropped, limit):
            theme = _theme(findings[index])
            themes[theme] = themes.get(theme, 0) + 1
    return chosen, dropped


def score(intent: Intent, finding: LabelledFinding) -> float:
    """How much a finding deserves to be read first, 0..1."""
    candidate = finding.candidate
    worth = 0.35 + 0.35 * candidate.interest_0_1 + 0.3 * strength(candidate)
    steady = 0.7 if candidate.robust is False else 1.0
    quiet = 0.75 if candidate.null else 1.0
    return relevance(intent, finding) * worth * steady * quiet * _LABEL_WEIGHT[finding.label]


def relevance(intent: Intent, finding: LabelledFinding) -> float:
    """How much the columns of a finding are those that the question is about, 0..1."""
    subject = finding.candidate.claim.subject
    weights = intent.relevance
    named = [_weight_in(text, weights) for text in (subject.metric, subject.dimension, subject.column, subject.against)]
    parts = [w for w in named if w is not None]
    if subject.metric in {None, "count(*)"} and subject.relation in _COUNTS | {"trend", "seasonality"}:
        parts.append(0.7)
    base = sum(parts) / len(parts) if parts else 0.3
    narrowed = _weight_in(subject.filters, weights)
    if narrowed is not None:
        base *= 0.8 + 0.2 * narrowed
    return min(1.0, max(0.05, base * (0.5 + finding.relevance_0_1)))


def strength(candidate: Candidate) -> float:
    """Size of the effect on a common scale: 0 none, about 0.5 medium, towards 1 very large; 0.5 where it has none."""
    effect = candidate.effect
    return 0.5 if effect is None else _scaled(effect)


def _scaled(effect: Effect) -> float:
    size = abs(effect.value)
    if effect.name in {"omega_squared", "r_squared", "epsilon_squared", "eta_squared"}:
        size = math.sqrt(size)
    elif effect.name not in _UNIT_EFFECTS:
        size = math.tanh(size / 1.5)
    return min(1.0, size)


def same_finding(a: LabelledFinding, b: LabelledFinding) -> bool:
    """Whether two findings tell a reader the same thing."""
    first, second = a.candidate, b.candidate
    if first.claim == second.claim or first.statement == second.statement:
        return True
    left, right = first.claim.subject, second.claim.subject
    if not _same_scope(left, right) or a.candidate.null != b.candidate.null:
        return False
    family = any({left.relation, right.relation} <= group for group in (_COUNTS, _DIFFERENCES))
    return family and first.claim.value.text == second.claim.value.text and _numbers(first) <= _numbers(second)


def _take(
    index: int,
    findings: Sequence[LabelledFinding],
    chosen: list[int],
    dropped: list[dict[str, str]],
    limit: int,
) -> bool:
    finding = findings[index]
    twin = next((i for i in chosen if same_finding(finding, findings[i])), None)
    if twin is not None:
        dropped.append({"statement": finding.candidate.statement, "reason": "says the same as another finding"})
        return False
    if len(chosen) >= limit:
        dropped.append({"statement": finding.candidate.statement, "reason": f"beyond the {limit} most relevant"})
        return False
    chosen.append(index)
    return True


def _same_scope(a: Subject, b: Subject) -> bool:
    return (a.metric, a.dimension, a.filters, a.period, a.column, a.against) == (
        b.metric, b.dimension, b.filters, b.period, b.column, b.against,
    )  # fmt: skip


def _theme(finding: LabelledFinding) -> tuple[str | None, ...]:
    subject = finding.candidate.claim.subject
    return (subject.metric, subject.dimension)


def _weight_in(text: str | None, weights: Mapping[str, float]) -> float | None:
    """Largest weight of a column that a key text names; None for no text, a low weight where it names none."""
    if not text or text == "count(*)":
        return None
    return max((w for name, w in weights.items() if name in text), default=0.15)


def _numbers(candidate: Candidate) -> set[str]:
    return set(re.findall(r"\d[\d,.]*\d|\d", candidate.statement))
