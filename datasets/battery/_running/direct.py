"""From one claim to the step that measures just that claim, so that it can be tested again alone."""

from __future__ import annotations

import re
from typing import Any

from datasets.battery._running.registry import make_step
from datasets.errors import DatasetError
from datasets.evidence import Subject
from datasets.measures import Filter, Metric, Window
from datasets.steps import Step

_OVER_TIME = frozenset({"trend", "seasonality", "outliers"})
_SPREAD = frozenset({"share", "evenness", "concentration", "value"})


def direct_step(step: Step, subject: Subject) -> Step:
    """Return the step that measures one claim again on other data, stated and built on as the given one is.

    For a claim of a drill it is the plain step with the group fixed that led when the claim was made; for a change, the
    same step with both spans fixed, which would move on with the data otherwise; any other step is returned as it is.
    """
    if step.kind == "change":
        return _fixed_spans(step, subject)
    if step.kind != "drill":
        return step
    metric = Metric.model_validate(step.params.get("metric", {}))
    filters = [f.model_dump(mode="json", exclude_defaults=True) for f in _filters(step, metric, subject)]
    scope: dict[str, Any] = {"filters": filters, "window": step.params.get("window")}
    own = metric.model_dump(mode="json", exclude_defaults=True)
    if subject.relation == "terms":
        kind, params = "terms", {"column": subject.column, **scope}
    elif subject.relation == "association":
        kind, params = "share", {"dimension": subject.dimension, "within": subject.against, **scope}
    elif subject.relation in _OVER_TIME or (subject.period is not None and subject.period.startswith("by ")):
        kind, params = "trend", {"metric": own, "time": subject.column, "by": subject.dimension, **scope}
    elif subject.relation in _SPREAD and subject.metric != metric.key:
        kind, params = "share", {"dimension": subject.dimension, **scope}
    else:
        kind = "share" if metric.additive else "compare"
        params = {"metric": own, "dimension": subject.dimension, **scope}
    try:
        return make_step(kind, params, reason=step.reason, stated=step.stated, builds_on=step.builds_on)
    except DatasetError:
        return step


def _fixed_spans(step: Step, subject: Subject) -> Step:
    try:
        spans = {"window": Window.of_key(subject.period or ""), "versus": Window.of_key(subject.against or "")}
        split = [subject.dimension] if subject.dimension else []
        params = step.params | {name: span.model_dump(mode="json") for name, span in spans.items()}
        params |= {"contributions": split}
        return make_step(step.kind, params, reason=step.reason, stated=step.stated, builds_on=step.builds_on)
    except (ValueError, DatasetError):
        return step


def _filters(step: Step, metric: Metric, subject: Subject) -> list[Filter]:
    """The filters of the drill, and those that it added: the group that led, and the rows that count."""
    given = [Filter.model_validate(f) for f in step.params.get("filters", [])]
    text = subject.filters or ""
    for own in given:
        text = text.replace(own.key, "")
    added = []
    group = re.search(re.escape(f"{step.params['dimension']} eq [") + r"(.*?)\](?: & |$)", text)
    if group:
        added.append(Filter(column=step.params["dimension"], values=(group.group(1),)))
    measure = metric.measure
    if measure.kind == "indicator":
        counted = Filter(column=measure.columns[0], op="in", values=measure.values)
        added += [counted] if counted.key in text else []
    return [*given, *added]
