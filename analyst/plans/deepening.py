"""Extend: where to look next when findings are already known."""

import re
from collections.abc import Iterator, Sequence
from typing import Any, get_args

from analyst.plans.drafts import Draft
from analyst.plans.exploration import explore, within_segment
from analyst.plans.focus import Focus
from analyst.protocol import Known
from datasets.measures import Aggregate, Filter, Metric
from datasets.schema import SchemaCard
from datasets.steps import Step

_MAX_SEEDS = 6
_PARTED = 2
_PARTS = 3
_SHORT = 90
_NO_COLUMNS = frozenset({"relation", "aggregate", "kind", "op", "values", "segment", "period", "grain", "order"})
_AGGREGATES = frozenset(get_args(Aggregate)) | {"rows", "of", "eq"}


def deepen(focus: Focus, card: SchemaCard, known: Sequence[Known]) -> list[Draft]:
    """Return drafts that go on from known findings: within their leading segments first, then what nobody looked at."""
    looked_at = {(_text(k, "metric"), _text(k, "dimension")) for k in known}
    fresh = [d.within(weight=0.5 if _pair(d) in looked_at else 0.9) for d in explore(focus)]
    return sorted([*_from_findings(focus, card, known), *fresh, *_parts(focus, card)], key=lambda d: -d.weight)


def _parts(focus: Focus, card: SchemaCard) -> Iterator[Draft]:
    """Looks into the larger segments of the leading dimensions, for when the whole is known."""
    for dimension, weight in focus.dimensions[:_PARTED]:
        for value in card.column(dimension).values[:_PARTS]:
            yield from within_segment(focus, Filter(column=dimension, values=(value,)), 0.4 * weight)


def _from_findings(focus: Focus, card: SchemaCard, known: Sequence[Known]) -> Iterator[Draft]:
    findings = [k for k in known if k.memory_type == "finding" and k.claim]
    seeds: set[str] = set()
    for prior in sorted(findings, key=lambda k: (-k.score, -k.confidence)):
        segment = leading_segment(prior, card)
        if segment is None or segment.key in seeds or len(seeds) >= _MAX_SEEDS:
            continue
        seeds.add(segment.key)
        yield from within_segment(focus, segment, 1.6 * max(0.5, prior.confidence), builds_on=prior.memory_id)


def grounded(step: Step, known: Sequence[Known]) -> Step:
    """The step with the finding that it builds on named in its reason; as it is where the question itself asks for it.

    A step that was drawn from no finding goes on from the best-founded one that shares most columns with it, if any.
    """
    findings = [k for k in known if k.memory_type == "finding" and k.claim]
    if step.stated:
        return step
    base = next((k for k in findings if k.memory_id == step.builds_on), None) or _nearest(step, findings)
    if base is None:
        return step
    summary = " ".join(base.summary.split()).rstrip(".")
    short = summary if len(summary) <= _SHORT else summary[:_SHORT].rsplit(" ", 1)[0] + " …"
    return step.model_copy(update={"builds_on": base.memory_id, "reason": f"{step.reason}, going on from “{short}”"})


def _nearest(step: Step, findings: Sequence[Known]) -> Known | None:
    used = _columns_used(step.params)
    shared = [(len(used & _columns_used((k.claim or {}).get("subject"))), k) for k in findings]
    best = max(shared, key=lambda pair: (pair[0], pair[1].confidence), default=None)
    return best[1] if best and best[0] else None


def _columns_used(value: Any) -> set[str]:
    """The words of columns in parameters or in a subject: every text in it, split at what is no part of a name."""
    if isinstance(value, dict):
        return {w for key, v in value.items() if key not in _NO_COLUMNS for w in _columns_used(v)}
    if isinstance(value, list | tuple):
        return {w for v in value for w in _columns_used(v)}
    if not isinstance(value, str):
        return set()
    return {w for w in re.split(r"[^\w]+", value) if w} - _AGGREGATES


def leading_segment(prior: Known, card: SchemaCard) -> Filter | None:
    """The segment that a finding is about, as a filter; None when it names none that the dataset has."""
    dimension = _text(prior, "dimension")
    if dimension is None or not card.has(dimension):
        return None
    value: Any = (prior.claim or {}).get("value") or {}
    for name in (_text(prior, "segment"), value.get("text")):
        if isinstance(name, str) and name in card.column(dimension).values:
            return Filter(column=dimension, values=(name,))
    return None


def _text(prior: Known, field: str) -> str | None:
    subject = (prior.claim or {}).get("subject") or {}
    found = subject.get(field)
    return found if isinstance(found, str) else None


def _pair(draft: Draft) -> tuple[str | None, str | None]:
    metric = draft.params.get("metric")
    key = Metric.model_validate(metric).key if metric is not None else None
    dimension = draft.params.get("dimension") or draft.params.get("by")
    return key, dimension if isinstance(dimension, str) else None
