"""How a metric moves over time: trend, spikes, and which segment moves unlike the others."""

from __future__ import annotations

from datetime import date, datetime
from typing import TYPE_CHECKING

from pydantic import Field

from datasets.battery._kind import StepKind, StepParams, measured
from datasets.battery._rows.by_period import Series, overall
from datasets.battery._rows.calendar import calendar
from datasets.battery._trends.findings import trend_candidate
from datasets.battery._trends.moves import moved_candidate
from datasets.battery._trends.segments import segment_candidates
from datasets.battery._trends.spikes import no_spike_candidate, spike_candidates
from datasets.battery._wording.scope import Scope
from datasets.errors import DatasetError
from datasets.evidence import StepResult
from datasets.measures import Filter, Grain, Metric, Window

if TYPE_CHECKING:
    from datasets.view import AnalysisView


class TrendParams(StepParams):
    """Parameters of a trend step."""

    metric: Metric = Field(default_factory=Metric)
    time: str | None = Field(default=None, description="a time column; None: the event time of the dataset")
    grain: Grain | None = Field(default=None, description="None: the preferred grain, else one that suits the span")
    by: str | None = Field(default=None, description="dimension whose segments are compared in their trends")
    filters: tuple[Filter, ...] = ()
    window: Window | None = None
    spikes: bool = Field(default=False, description="spikes and dips are what is asked for, so that none is told, too")
    known_until: date | None = Field(
        default=None, description="last day known before; without a trend, the level since then is held against it"
    )
    once_per: str | None = Field(default=None, description="key within which the measure repeats and counts once")


def run(params: TrendParams, view: AnalysisView) -> StepResult:
    """Measure the metric per period and test it, over complete periods only."""
    time = params.time or view.card.time_column
    if time is None:
        raise DatasetError("the dataset has no time column, so nothing can be said about trends")
    held = calendar(view, time, grain=params.grain, metric=params.metric, window=params.window)
    scope = Scope.of(view, params.metric, held, params.filters, params.window)
    if params.by is not None:
        view.card.column(params.by)
        return segment_candidates(view, held, scope, params.by, once_per=params.once_per)
    series, sql = overall(view, held, params.metric, params.filters, params.window, params.once_per)
    candidate, p_values = trend_candidate(view, series, scope, sql)
    if candidate is None:
        complete = len(series.usable)
        return measured(
            (),
            skipped=f"only {complete} complete {held.grain}{'s' if complete != 1 else ''} with data; no trend to read",
        )
    if params.known_until is not None and candidate.null:
        whole = _reaching_back(params, view, series, params.known_until)
        moved = moved_candidate(whole, scope, params.known_until, candidate)
        if moved is not None and moved.p_value is not None:
            candidate, p_values = moved, [*p_values, moved.p_value]
    spikes, more = spike_candidates(series, scope, sql)
    if params.spikes:
        none = None if spikes else no_spike_candidate(series, scope, sql)
        return measured([*spikes, *([none] if none else []), candidate], p_values=[*p_values, *more])
    return measured([candidate, *spikes], p_values=[*p_values, *more])


def _reaching_back(params: TrendParams, view: AnalysisView, series: Series, until: date) -> Series:
    """Return the series with what was known before, where the window of the step begins only after it."""
    start = params.window.start if params.window is not None else None
    if start is None or (start.date() if isinstance(start, datetime) else start) <= until:
        return series
    held = calendar(view, series.calendar.time, grain=params.grain, metric=params.metric)
    return overall(view, held, params.metric, params.filters, None, params.once_per)[0]


KIND = StepKind("trend", TrendParams, run, "a metric over time: trend, spikes, growth of segments")
