"""Which findings come first, and which say the same as another."""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from analyst.plans.focus import BACKGROUND, Focus
from analyst.protocol import LabelledFinding
from datasets.evidence import Candidate, Claim, Effect, Subject
from datasets.measures import Metric

MAX_FINDINGS = 15
_MOST_NULLS = 5
_BEHIND = 0.75
_ALPHA = 0.05
_LABEL_WEIGHT = {"confirmatory": 1.0, "exploratory": 0.95, "exploratory_divergent": 0.65}
_SPREAD = frozenset({"value", "extreme", "share", "concentration", "evenness"})
_DIFFERENCES = frozenset({"difference", "association", "extreme", "value"})
_UNIT_EFFECTS = frozenset({"cramers_v", "spearman_rho", "pearson_r", "kendall_tau", "share", "risk_difference"})
_SQUARED_EFFECTS = frozenset({"omega_squared", "r_squared", "epsilon_squared", "eta_squared"})


def order(
    focus: Focus, findings: Sequence[LabelledFinding], *, limit: int = MAX_FINDINGS
) -> tuple[list[int], list[dict[str, str]]]:
    """Return indexes into `findings`, best first and at most `limit`, and why the others were left out.

    Findings of asked steps keep their order and come first. Then relevance × strength × surprise × confidence; each
    further finding about the same metric and dimension counts less, and so do absences past the first few, so that
    the list does not repeat one theme.
    """
    asked = [i for i, f in enumerate(findings) if f.step.stated and f.step.builds_on is None]
    chosen: list[int] = []
    dropped: list[dict[str, str]] = []
    for index in asked:
        _take(index, findings, chosen, dropped, limit)
    scores = {i: score(focus, f) for i, f in enumerate(findings) if i not in set(asked)}
    themes: dict[tuple[str | None, ...], int] = {}
    for index in chosen:
        themes[_theme(findings[index])] = themes.get(_theme(findings[index]), 0) + 1
    nulls = 0
    while scores:
        damped = {i: scores[i] * _damping(findings[i], [findings[j] for j in chosen], themes, nulls) for i in scores}
        index = max(damped, key=lambda i: (damped[i], -i))
        scores.pop(index)
        if _take(index, findings, chosen, dropped, limit):
            themes[_theme(findings[index])] = themes.get(_theme(findings[index]), 0) + 1
            nulls += findings[index].candidate.null
    return chosen, dropped


def _damping(
    finding: LabelledFinding,
    chosen: Sequence[LabelledFinding],
    themes: Mapping[tuple[str | None, ...], int],
    nulls: int,
) -> float:
    """How much of its score a finding keeps beside those chosen already."""
    kept = 0.75 ** themes.get(_theme(finding), 0)
    if finding.candidate.null and nulls >= _MOST_NULLS:
        kept *= 0.5
    if any(_echoes(finding, other) or _same_pair(finding, other) for other in chosen):
        kept *= 0.5
    return kept


def _echoes(a: LabelledFinding, b: LabelledFinding) -> bool:
    """Whether one says of a part of the rows what the other says of more of them: the same leader of the same thing."""
    left, right = a.candidate.claim, b.candidate.claim
    if left.value.text is None or left.value.text != right.value.text or left.subject.filters == right.subject.filters:
        return False
    return (left.subject.metric, left.subject.dimension, left.subject.column) == (
        right.subject.metric,
        right.subject.dimension,
        right.subject.column,
    )


def _same_pair(a: LabelledFinding, b: LabelledFinding) -> bool:
    """Whether both tell how the same two columns go together, of which one has but few values to go round."""
    pairs = [_pair_of(f.candidate.claim.subject) for f in (a, b)]
    return pairs[0] is not None and pairs[0] == pairs[1]


def _pair_of(subject: Subject) -> tuple[frozenset[str], str | None] | None:
    if subject.dimension is None:
        return None
    if subject.relation == "association" and subject.against:
        return frozenset((subject.dimension, subject.against)), subject.filters
    share = re.fullmatch(r"(?:share|mean)\((.+) in \[.*\]\)", subject.metric or "", re.DOTALL)
    if subject.relation == "difference" and share:
        return frozenset((subject.dimension, share.group(1))), subject.filters
    return None


def score(focus: Focus, finding: LabelledFinding) -> float:
    """How much a finding deserves to be read first, 0..1."""
    candidate = finding.candidate
    matters = relevance(focus, finding)
    worth = 0.3 + 0.35 * candidate.interest_0_1 + 0.35 * strength(candidate)
    steady = 0.8 if candidate.robust is False else 1.0
    quiet = _quiet(candidate, matters) if candidate.null else 1.0
    return matters * worth * steady * quiet * _LABEL_WEIGHT[finding.label]


def _quiet(candidate: Candidate, matters: float) -> float:
    """How much an absence is worth beside a presence: more where the question is about just that."""
    subject = candidate.claim.subject
    if subject.relation == "trend" and subject.dimension is not None:
        return 0.5
    return 0.85 if matters >= 0.75 else 0.6


def relevance(focus: Focus, finding: LabelledFinding) -> float:
    """How much a finding is about what the question is about, 0..1."""
    subject = finding.candidate.claim.subject
    metric = _metric_weight(focus, subject.metric)
    signals = focus.signals
    if subject.relation == "quality":
        base = 1.0 if signals.repeated or signals.quality else 0.35
    elif subject.relation == "terms":
        base = (0.85 if signals.text else 0.4) * (1.0 if subject.metric in {None, "count(*)"} else metric)
    elif subject.relation == "correlation":
        other = _metric_weight(focus, subject.against)
        base = math.sqrt(metric * other) * (1.0 if signals.relation else 0.75)
    elif subject.dimension is not None:
        base = math.sqrt(metric * _dimension_weight(focus, subject.dimension))
    else:
        base = metric
    if subject.relation in {"trend", "seasonality", "period_change"}:
        base *= 1.0 if signals.trend else 0.65
    if subject.relation == "outliers" and not (signals.outliers or signals.trend):
        base *= 0.7
    base *= _scope_weight(focus, subject.filters)
    if finding.step.kind == "drill" and not finding.candidate.null:
        base = max(base, _BEHIND * _drill_weight(focus, finding.step.params))
    return min(1.0, max(0.05, base * (0.5 + finding.relevance_0_1)))


def strength(candidate: Candidate) -> float:
    """Size of the effect on a common scale: 0 none, about 0.5 medium, towards 1 very large; 0.5 where it has none."""
    effect = candidate.effect
    if effect is not None and effect.name == "share" and candidate.claim.subject.filters:
        return 0.4  # The share within a part of the rows says nothing of how that part differs.
    return 0.5 if effect is None else _scaled(effect)


def same_finding(a: LabelledFinding, b: LabelledFinding) -> bool:
    """Whether two findings tell a reader the same thing."""
    first, second = a.candidate, b.candidate
    if first.claim == second.claim or first.statement == second.statement:
        return True
    left, right = first.claim.subject, second.claim.subject
    if left.relation == right.relation == "association" and left.segment is not None:
        mirrored = (right.against, right.dimension, second.claim.value.text, right.segment)
        if (left.dimension, left.against, left.segment, first.claim.value.text) == mirrored:
            return True
    if left.filters == right.filters and left.dimension == right.dimension and _same_numbers(first, second):
        return True
    if left.relation == right.relation and _rows_of(left) == _rows_of(right) and left.segment != right.segment:
        alike = (left.metric, left.period, left.against) == (right.metric, right.period, right.against)
        if alike and first.claim.value.text == second.claim.value.text:
            return True
    if left.relation == right.relation == "trend" and not first.null and not second.null:
        one, other = _trending(first), _trending(second)
        if one is not None and one == other:
            return True
    if {left.relation, right.relation} == {"association", "share"} and not first.null and not second.null:
        rich, held = (left, right) if left.relation == "association" else (right, left)
        same = held.dimension == rich.against and held.metric == rich.metric and _rows_of(held) == _rows_of(rich)
        if same and first.claim.value.text == second.claim.value.text:
            return True
    if {left.relation, right.relation} == {"experiment", "difference"}:
        return (left.metric, left.dimension, left.filters) == (right.metric, right.dimension, right.filters)
    if _leads_throughout(first.claim) and _leads_throughout(second.claim):
        same = (left.metric, left.dimension, left.filters) == (right.metric, right.dimension, right.filters)
        return same and first.claim.value.text == second.claim.value.text
    if not _same_scope(left, right):
        return False
    if {left.relation, right.relation} <= _SPREAD and left.metric == "count(*)":
        return first.null or second.null or first.claim.value.text == second.claim.value.text
    if first.null != second.null or not {left.relation, right.relation} <= _DIFFERENCES:
        return False
    return first.claim.value.text == second.claim.value.text


def _trending(candidate: Candidate) -> tuple[str | None, str | None, frozenset[str]] | None:
    """The metric, the direction and the rows of a trend: that of a group by itself, or as the one that stands out."""
    claim = candidate.claim
    rows = set(_rows_of(claim.subject))
    if claim.subject.dimension is not None and claim.subject.segment is None:
        clear = [row for row in candidate.table if row.get("corrected_p", 1.0) <= _ALPHA]
        if claim.value.text is None or len(clear) != 1:
            return None
        rows.add(f"{claim.subject.dimension} eq [{claim.value.text}]")
    return claim.subject.metric, claim.value.direction, frozenset(rows)


def _rows_of(subject: Subject) -> frozenset[str]:
    """The conditions on the rows that a claim is about; a segment of a dimension is one like a filter."""
    conditions = set((subject.filters or "").split(" & ")) - {""}
    if subject.dimension is not None and subject.segment is not None:
        conditions.add(f"{subject.dimension} eq [{subject.segment}]")
    return frozenset(conditions)


def _take(
    index: int,
    findings: Sequence[LabelledFinding],
    chosen: list[int],
    dropped: list[dict[str, str]],
    limit: int,
) -> bool:
    finding = findings[index]
    same = [i for i in chosen if same_finding(finding, findings[i])]
    if same and _tested_as_asked(finding) and not any(_tested_as_asked(findings[i]) for i in same):
        # A test that the question names is told rather than the mere ranking of the same groups.
        chosen[chosen.index(same[0])] = index
        finding, index = findings[same[0]], same[0]
    if same:
        dropped.append({"statement": finding.candidate.statement, "reason": "says the same as another finding"})
        return False
    if len(chosen) >= limit:
        dropped.append({"statement": finding.candidate.statement, "reason": f"beyond the {limit} most relevant"})
        return False
    chosen.append(index)
    return True


def _tested_as_asked(finding: LabelledFinding) -> bool:
    return finding.step.stated and bool(finding.step.params.get("test"))


def _scaled(effect: Effect) -> float:
    size = abs(effect.value)
    if effect.name in _SQUARED_EFFECTS:
        size = math.sqrt(size)
    elif effect.name.startswith("r") and effect.name.endswith(("ratio", "ratio_to_typical")):
        size = math.tanh(abs(math.log(size)) if size > 0 else 1.0)
    elif effect.name not in _UNIT_EFFECTS:
        size = math.tanh(size / 1.5)
    return min(1.0, size)


def _drill_weight(focus: Focus, params: Mapping[str, Any]) -> float:
    """What lies behind a leading group matters as its leading does."""
    metric = Metric.model_validate(params.get("metric", {}))
    return math.sqrt(_metric_weight(focus, metric.key) * _dimension_weight(focus, str(params.get("dimension"))))


def _metric_weight(focus: Focus, key: str | None) -> float:
    if key is None:
        return 0.5
    if key == "count(*)":
        return focus.count_weight
    known = {m.key: w for m, w in focus.metrics} | {m.measure.key: w for m, w in focus.metrics}
    if key in known:
        return known[key]
    holders = [w for name, w in focus.holders if name in key]
    named = [w for m, w in focus.metrics if m.measure.key in key]
    return max([BACKGROUND, *named, *holders])


def _dimension_weight(focus: Focus, key: str) -> float:
    known = dict(focus.dimensions) | dict(focus.holders)
    parts = [known[p] for p in (key, *key.split(", "), *key.split(" of ")) if p in known]
    if focus.time is not None and focus.time in key:
        parts.append(0.8 if focus.signals.trend else 0.4)
    return max(parts, default=BACKGROUND)


def _scope_weight(focus: Focus, filters: str | None) -> float:
    """Less for a segment that the question does not name, a little less for each further filter."""
    if filters is None:
        return 1.0
    named = {segment.key: weight for segment, weight in focus.segments}
    parts = filters.split(" & ")
    return math.prod(max(0.8, named.get(part, 0.0)) for part in parts) * 0.97 ** (len(parts) - 1)


def _leads_throughout(claim: Claim) -> bool:
    """Whether a claim says that one group leads in every period: as a share of rows, or among the trends of groups."""
    period = claim.subject.period or ""
    return period.startswith("in every ") or (claim.subject.relation == "extreme" and period.startswith("by "))


def _same_scope(a: Subject, b: Subject) -> bool:
    return (a.metric, a.dimension, a.filters, a.period, a.column, a.against, a.segment) == (
        b.metric, b.dimension, b.filters, b.period, b.column, b.against, b.segment,
    )  # fmt: skip


def _same_numbers(a: Candidate, b: Candidate) -> bool:
    """Whether two sentences give the same numbers: two columns that hold the same thing."""
    first, second = (re.findall(r"\d[\d,.]*\d|\d", c.statement) for c in (a, b))
    return len(first) >= 4 and first == second


def _theme(finding: LabelledFinding) -> tuple[str | None, ...]:
    subject = finding.candidate.claim.subject
    return (subject.metric, subject.dimension or subject.column)
