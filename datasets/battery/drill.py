"""What is behind the leading group of a dimension: the group is found first, then looked into."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from pydantic import Field

from datasets.battery import compare, share, terms, trend
from datasets.battery._kind import StepKind, StepParams, measured
from datasets.battery._shares.params import ShareParams
from datasets.battery._wording.words import name_text
from datasets.errors import DatasetError
from datasets.evidence import Candidate, StepResult, Subject
from datasets.measures import Filter, Metric, Window, where
from datasets.plain import plain
from datasets.sql import ident

if TYPE_CHECKING:
    from datasets.view import AnalysisView

__all__ = ["KIND", "DrillParams", "run"]

_MOST_GROUPS = 1_000
_FEW_VALUES = 12
_SPREAD = frozenset({"evenness", "share", "value", "extreme"})


class DrillParams(StepParams):
    """Parameters of a look into the leading group."""

    metric: Metric = Field(default_factory=Metric, description="what makes a group lead, and what is compared in it")
    dimension: str
    over: tuple[str, ...] = Field(default=(), max_length=12, description="dimensions to look at within the group")
    over_time: bool = Field(default=True, description="also look at the metric over time within the group")
    text: bool = Field(default=False, description="also look at the words of free text within the group")
    filters: tuple[Filter, ...] = ()
    window: Window | None = None


def run(params: DrillParams, view: AnalysisView) -> StepResult:
    """Find the group that stands out by the metric, and measure the metric within it.

    Where the metric is a share, also who the counted rows of the group belong to; where it is no count, also what the
    group is rich in.

    :raises DatasetError: when a column does not exist, or the groups are alike, so that none leads.
    """
    for dimension in params.over:
        view.card.column(dimension)
    group, name, tests = _leader(params, view)
    candidates: list[Candidate] = []
    for look in _looks(params, Filter(column=params.dimension, values=(group,)), view):
        try:
            result = look()
        except DatasetError:
            continue
        # That rows are spread evenly within a group is not worth a sentence; that a metric is alike is.
        candidates += [c for c in result.candidates if not _spread(c)]
        tests += result.raw_p_values
    for result in _mix(params, view):
        candidates += [c for c in result.candidates if c.claim.subject.segment == name and not c.null]
        tests += result.raw_p_values
    if not candidates:
        raise DatasetError(f"{params.dimension} {group} leads, but nothing within it can be measured")
    return measured(candidates, p_values=tests)


def _leader(params: DrillParams, view: AnalysisView) -> tuple[Any, str, list[float]]:
    """The value of the dimension that leads, its name, and the p-values of the tests that say so."""
    found = _over(params, params.dimension, params.filters, view)
    leading = next(
        (c for c in found.candidates if c.claim.value.direction != "none" and not c.null and c.claim.value.text), None
    )
    if leading is None:
        raise DatasetError(f"the {params.metric.words} is alike in all groups of {params.dimension}, so none leads")
    column = ident(view.card.column(params.dimension).name)
    sql = f"SELECT DISTINCT {column} FROM analysis{where(params.filters, params.window, f'{column} IS NOT NULL')}"
    for (value,) in view.query(sql, limit_rows=_MOST_GROUPS).rows:
        name = name_text(view.card, params.dimension, value)
        if name == leading.claim.value.text:
            return plain(value), name, list(found.raw_p_values)
    raise DatasetError(f"several groups of {params.dimension} lead together, so there is no one group to look into")


def _looks(params: DrillParams, group: Filter, view: AnalysisView) -> Iterator[Callable[[], StepResult]]:
    """The looks within the group; each may find that nothing can be measured."""
    inside = (*params.filters, group)
    over = [d for d in params.over if d != params.dimension]
    for dimension in over:
        yield partial(_over, params, dimension, inside, view)
    measure = params.metric.measure
    if measure.kind == "indicator":
        counted = (*inside, Filter(column=measure.columns[0], op="in", values=measure.values))
        for dimension in over:
            spread = ShareParams(dimension=dimension, filters=counted, window=params.window)
            yield partial(share.KIND.run, spread, view)
    if params.over_time and view.card.time_column is not None:
        over_time = trend.TrendParams(metric=params.metric, filters=inside, window=params.window)
        yield partial(trend.run, over_time, view)
    if params.text:
        yield partial(terms.run, terms.TermsParams(filters=inside, window=params.window), view)


def _spread(candidate: Candidate) -> bool:
    """Whether all that is said is that nobody has clearly more of the group than the others."""
    nobody = candidate.null or candidate.claim.value.direction == "none"
    return nobody and candidate.claim.subject.relation in _SPREAD


def _mix(params: DrillParams, view: AnalysisView) -> Iterator[StepResult]:
    """What each group is rich in, which may be why one leads."""
    if params.metric.additive:
        return
    for dimension in params.over:
        if dimension == params.dimension or view.card.column(dimension).distinct > _FEW_VALUES:
            continue
        rich = ShareParams(dimension=params.dimension, within=dimension, filters=params.filters, window=params.window)
        try:
            yield share.KIND.run(rich, view)
        except DatasetError:
            continue


def _over(params: DrillParams, dimension: str, filters: tuple[Filter, ...], view: AnalysisView) -> StepResult:
    """The metric over a dimension: how it is spread where it adds up, else how the groups compare."""
    if params.metric.additive:
        spread = ShareParams(metric=params.metric, dimension=dimension, filters=filters, window=params.window)
        return share.KIND.run(spread, view)
    compared = compare.CompareParams(metric=params.metric, dimension=dimension, filters=filters, window=params.window)
    return compare.run(compared, view)


def _confirm(params: DrillParams, view: AnalysisView, subject: Subject) -> StepResult:
    """Only the look within the group that the claim is about, whichever group leads by now."""
    group = _group_of(params, view, subject)
    if group is None or subject.dimension not in params.over or subject.dimension == params.dimension:
        return run(params, view)
    inside = (*params.filters, group)
    if params.metric.additive or subject.metric != params.metric.key:
        return run(params, view)
    compared = compare.CompareParams(
        metric=params.metric, dimension=subject.dimension, filters=inside, window=params.window
    )
    return compare.run(compared, view, briefly=True)


def _group_of(params: DrillParams, view: AnalysisView, subject: Subject) -> Filter | None:
    """The group that a claim was made within, read back from its filters."""
    rest = set((subject.filters or "").split(" & ")) - {f.key for f in params.filters}
    column = ident(view.card.column(params.dimension).name)
    sql = f"SELECT DISTINCT {column} FROM analysis{where(params.filters, params.window, f'{column} IS NOT NULL')}"
    for (value,) in view.query(sql, limit_rows=_MOST_GROUPS).rows:
        group = Filter(column=params.dimension, values=(plain(value),))
        if {group.key} == rest:
            return group
    return None


KIND = StepKind("drill", DrillParams, run, "the leading group of a dimension, and what is behind it", _confirm)
