"""What changed from one period to the next, and which segments the change comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from datasets.battery._changes.contribution_findings import contribution_candidate
from datasets.battery._changes.findings import change_candidate
from datasets.battery._changes.measure import measure_change
from datasets.battery._changes.windows import change_calendar, pairs_of
from datasets.battery._kind import StepKind, StepParams, measured
from datasets.battery._rows.by_period import Series, overall
from datasets.battery._wording.scope import Scope
from datasets.errors import DatasetError
from datasets.evidence import Candidate, StepResult
from datasets.measures import Filter, Grain, Metric, Window

if TYPE_CHECKING:
    from datasets.view import AnalysisView


class ChangeParams(StepParams):
    """Parameters of a change step.

    Without a window: the last complete period against the one before, and a running one against the same stretch of
    the period before it.
    """

    metric: Metric = Field(default_factory=Metric)
    time: str | None = Field(default=None, description="a time column; None: the event time of the dataset")
    window: Window | None = None
    versus: Window | None = Field(default=None, description="None: the calendar period, or as many days, before window")
    grain: Grain | None = None
    contributions: tuple[str, ...] = Field(default=(), description="dimensions whose segments the change is split over")
    filters: tuple[Filter, ...] = ()
    once_per: str | None = Field(default=None, description="key within which the measure repeats and counts once")


def run(params: ChangeParams, view: AnalysisView) -> StepResult:
    """Measure the metric in both spans, test the difference, and split it over segments."""
    time = params.time or (params.window.column if params.window else view.card.time_column)
    if time is None:
        raise DatasetError("the dataset has no time column, so no periods can be compared")
    for dimension in params.contributions:
        view.card.column(dimension)
    held = change_calendar(view, time, params.grain, params.metric)
    pairs = pairs_of(held, params.window, params.versus)
    scope = Scope.of(view, params.metric, held, params.filters, None)
    # Two spans that are both given are a test of just these; otherwise all periods are drawn around the change.
    alone = params.window is not None and params.versus is not None
    series, context = Series(params.metric, held, ()), list[str]()
    if not alone:
        series, series_sql = overall(view, held, params.metric, params.filters, once_per=params.once_per)
        context = [series_sql]
    candidates: list[Candidate] = []
    p_values: list[float] = []
    for position, pair in enumerate(pairs):
        change, sql = measure_change(view, held, params.metric, params.filters, pair, once_per=params.once_per)
        if change.before.number is None or change.after.number is None:
            continue
        candidates.append(change_candidate(series, scope, pair, change, [*sql, *context]))
        p_values += [] if change.p is None else [change.p]
        for dimension in params.contributions if position == 0 else ():
            found = contribution_candidate(view, scope, pair, change, dimension, once_per=params.once_per)
            candidates += [found] if found is not None else []
    skipped = None if candidates else f"the {scope.words} has no value in {pairs[0].after.words} or the span before it"
    return measured(candidates, p_values=p_values, skipped=skipped)


KIND = StepKind("change", ChangeParams, run, "the last complete period against the one before, and what drove it")
