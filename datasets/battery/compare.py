"""Whether a metric differs between groups, who stands out, or that they are alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from datasets.battery import share
from datasets.battery._comparisons.dateparts import compare_dateparts
from datasets.battery._comparisons.findings import Comparing
from datasets.battery._comparisons.groups import MOST_GROUPS, Comparison, DatePart, summaries
from datasets.battery._comparisons.named import TestName, named_test
from datasets.battery._comparisons.tests import MIN_ROWS
from datasets.battery._kind import StepKind, StepParams, measured
from datasets.battery._shares.params import ShareParams
from datasets.errors import DatasetError
from datasets.evidence import StepResult, Subject
from datasets.measures import Filter, Metric, Window

if TYPE_CHECKING:
    from datasets.view import AnalysisView


_MOST_SMALL_GROUPS = 20
_ALPHA = 0.05


class CompareParams(StepParams):
    """Parameters of a comparison of groups."""

    metric: Metric
    dimension: str
    datepart: DatePart | None = Field(default=None, description="compare parts of the dates in `dimension`")
    filters: tuple[Filter, ...] = ()
    window: Window | None = None
    segments: tuple[str, ...] = Field(default=(), description="only these groups; empty: all")
    within: str | None = Field(default=None, description="second dimension that could explain the difference")
    once_per: str | None = Field(default=None, description="key within which the measure repeats and counts once")
    test: TestName | None = Field(default=None, description="a test that is named, run and told beside the usual one")


def run(params: CompareParams, view: AnalysisView, *, briefly: bool = False) -> StepResult:
    """Measure the metric in every group and test whether the groups differ.

    `briefly`: without the checks that read the rows again, by halves, without outliers and within other columns.
    """
    view.card.column(params.dimension)
    if params.metric.aggregate in {"count", "sum"} and params.datepart is None:
        return _totals(params, view)
    what = Comparison(
        params.metric,
        params.dimension,
        params.datepart,
        params.filters,
        params.window,
        _some_of(params, view),
        params.once_per,
    )
    if params.datepart is not None and params.metric.aggregate in {"count", "sum"}:
        candidate, p_values = compare_dateparts(view, what, params.datepart)
        return measured([candidate], p_values=p_values)
    found, whole, sql = summaries(view, what)
    if len(found) < 2:
        raise DatasetError(f"fewer than two {what.groups_words} have a value, so there is nothing to compare")
    large = [g for g in found[:MOST_GROUPS] if g.n >= MIN_ROWS]
    if len(large) < 2 and len(found) > _MOST_SMALL_GROUPS:
        raise DatasetError(
            f"nearly every row has its own {params.dimension}: no two of its groups have {MIN_ROWS} rows"
        )
    if len(large) < 2:
        return measured([Comparing(view, what, found[:MOST_GROUPS], whole, sql, briefly=briefly).described()])
    small = [g for g in found[:MOST_GROUPS] if g.n < MIN_ROWS]
    candidate, p_values = Comparing(view, what, large, whole, sql, briefly=briefly).tested(small, within=params.within)
    named = named_test(view, what, found, params.test) if params.test else None
    if named:
        said = f"{candidate.statement} {named.sentence}"
        told: dict[str, object] = {"statement": said, "named_p_value": named.p}
        # Where the two disagree, the label follows the test that fits the data.
        if candidate.p_value is not None and (named.p <= _ALPHA) == (candidate.p_value <= _ALPHA):
            told |= {"test": named.name, "p_value": named.p}
        candidate = candidate.model_copy(update=told)
        p_values = [*p_values, named.p]
    return measured([candidate], p_values=p_values)


def _some_of(params: CompareParams, view: AnalysisView) -> tuple[str, ...]:
    """Return the groups that are named where there are others; to name both of two is to name none."""
    named, column = tuple(sorted(set(params.segments))), view.card.column(params.dimension)
    every = params.datepart is None and column.distinct == len(named) and set(named) <= set(column.values)
    return () if every else named


def _totals(params: CompareParams, view: AnalysisView) -> StepResult:
    """Counts and totals: how they are spread, which is what a share step measures."""
    chosen = (Filter(column=params.dimension, op="in", values=params.segments),) if params.segments else ()
    return share.KIND.run(
        ShareParams(
            metric=params.metric,
            dimension=params.dimension,
            filters=(*params.filters, *chosen),
            window=params.window,
        ),
        view,
    )


def _confirm(params: CompareParams, view: AnalysisView, subject: Subject) -> StepResult:
    return run(params, view, briefly=True)


KIND = StepKind("compare", CompareParams, run, "whether a metric differs between groups and who stands out", _confirm)
