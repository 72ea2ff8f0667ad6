"""What comes next: a forecast that is shown only if it beats the last season on the past."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import Field
from scipy import stats

from datasets.battery._kind import StepKind, StepParams, measured
from datasets.battery._rows.by_period import Series, overall
from datasets.battery._rows.calendar import calendar
from datasets.battery._rows.periods import label, shift
from datasets.battery._statistics.forecasters import (
    Forecaster,
    Values,
    backtest,
    damped,
    mase,
    mean_of_recent,
    seasonal_naive,
    theta,
)
from datasets.battery._wording.phrases import capital, is_share, percent_text
from datasets.battery._wording.scope import Scope
from datasets.battery._wording.words import listed_and
from datasets.charts import Point, line_chart
from datasets.errors import DatasetError
from datasets.evidence import Candidate, Claim, ClaimValue, Effect, StepResult
from datasets.measures import Filter, Grain, Metric, Window

if TYPE_CHECKING:
    from datasets.view import AnalysisView

_SEASONS: dict[Grain, int] = {"hour": 24, "day": 7, "week": 52, "month": 12, "quarter": 4, "year": 1}
_FEWEST, _FEWEST_TRIES, _ORIGINS, _MARGIN = 12, 5, 12, 0.97
_MODELS: dict[str, Forecaster] = {
    "Theta": theta,
    "exponential smoothing with a damped trend": damped,
    "the recent mean": mean_of_recent,
}
_Z80 = 1.2816


class ForecastParams(StepParams):
    """Parameters of a forecast."""

    metric: Metric = Field(default_factory=Metric)
    time: str | None = Field(default=None, description="a time column; None: the event time of the dataset")
    grain: Grain | None = None
    horizon: int = Field(default=1, ge=1, le=24, description="periods ahead")
    filters: tuple[Filter, ...] = ()
    window: Window | None = None


def run(params: ForecastParams, view: AnalysisView) -> StepResult:
    """Try each model from several points of the past, and forecast with the best one if it beats the last season.

    :raises DatasetError: without a time, and where too few complete periods have a value.
    """
    time = params.time or view.card.time_column
    if time is None:
        raise DatasetError("the dataset has no time column, so nothing can be forecast")
    held = calendar(view, time, grain=params.grain, metric=params.metric)
    scope = Scope.of(view, params.metric, held, params.filters, params.window)
    series, sql = overall(view, held, params.metric, params.filters, params.window)
    spots = series.usable
    horizon = params.horizon
    if len(spots) < _FEWEST + horizon:
        raise DatasetError(
            f"{len(spots)} complete {held.grain}s have a value; a forecast that can be checked on the past needs"
            f" {_FEWEST + horizon}"
        )
    values = np.array([series.level(s) for s in spots])
    season = _SEASONS[held.grain]
    # Too few tries with a season behind them say less than more tries without one.
    season = season if len(values) >= 2 * season + horizon + _FEWEST_TRIES - 1 else 1
    first = max(_FEWEST - 1, 2 * season if season > 1 else 0)
    origins = range(max(first, len(values) - horizon - _ORIGINS + 1), len(values) - horizon + 1)
    naive = backtest(values, seasonal_naive, season, horizon, origins)
    tried = {name: backtest(values, model, season, horizon, origins) for name, model in _MODELS.items()}
    best = min(tried, key=lambda name: float(np.abs(tried[name]).mean()))
    scale = float(np.abs(naive).mean())
    ratio = float(np.abs(tried[best]).mean()) / scale if scale > 0 else 1.0
    repeated = f"the {'value' if season == 1 else 'season'} before"
    if ratio > _MARGIN:
        return measured([_no_forecast(series, scope, best, ratio, repeated, len(origins), sql)])
    ahead = _MODELS[best](values, season, horizon)
    errors = np.sqrt((tried[best] ** 2).mean(axis=0))
    return measured([_forecast(series, scope, params, best, season, ratio, repeated, ahead, errors, tried[best], sql)])


def _forecast(
    series: Series,
    scope: Scope,
    params: ForecastParams,
    model: str,
    season: int,
    ratio: float,
    repeated: str,
    ahead: Values,
    errors: Values,
    tried: Values,
    sql: str,
) -> Candidate:
    grain, last = scope.calendar.grain, series.usable[-1].period
    starts = [shift(last.start, grain, h + 1) for h in range(params.horizon)]
    lengths = [(shift(s, grain, 1) - s).total_seconds() / 86400.0 if series.per_day else 1.0 for s in starts]
    wide = np.sqrt(np.maximum.accumulate(errors**2))
    # So many errors are known, so that few of them make the interval wider.
    reach = float(stats.t.ppf(0.975, len(tried))) * wide
    low, high = ((ahead + sign * reach) * lengths for sign in (-1, 1))
    if float(min(s.value for s in series.usable)) >= 0:
        low = np.maximum(low, 0.0)
    expected = ahead * lengths
    inside = [percent_text(float((np.abs(tried) <= band).mean())) for band in (_Z80 * errors, reach)]
    scaled = mase(np.array([series.level(s) for s in series.usable]), season, tried)
    told = "" if scaled is None else f"; mean absolute scaled error (MASE) {scaled:.2f}"
    words = listed_and(
        [
            f"{scope.text(_rounded(v))} in {label(s, grain)} (95% between {scope.text(_rounded(a))} and"
            f" {scope.text(_rounded(b))})"
            for s, v, a, b in list(zip(starts, expected, low, high, strict=True))[:3]
        ]
    )
    more = f", and {params.horizon - 3} {grain}s more in the table" if params.horizon > 3 else ""
    said = (
        f"The {scope.words} is expected at {words}{more}. Forecast by {model}; on {len(tried)} tries in the past its"
        f" error was {percent_text(ratio)} of that of repeating {repeated}."
    )
    points = [Point(s.period.start.isoformat(), float(s.value)) for s in series.usable[-60:]]
    points[-1] = replace(points[-1], low=points[-1].y, high=points[-1].y)
    points += [
        Point(s.isoformat(), float(v), complete=False, low=float(a), high=float(b))
        for s, v, a, b in zip(starts, expected, low, high, strict=True)
    ]
    return Candidate(
        claim=Claim(
            subject=scope.subject(relation="forecast", against=f"{params.horizon} ahead"),
            value=ClaimValue(
                number=float(expected[0]), unit=scope.claim_unit, low=float(low[0]), high=float(high[0]),
                text=label(starts[0], grain),
            ),
        ),
        statement=said,
        n=len(series.usable),
        effect=Effect(name="relative_error", value=ratio),
        interest_0_1=0.7,
        chart=line_chart(
            points, title=capital(f"{scope.words} with forecast"), x_title=grain,
            dashed="forecast, with its 95% interval",
            y_title=scope.metric.words, style="percent" if is_share(scope.metric) else "number",
        ),
        table=_rows(grain, starts, expected, low, high),
        sql=[sql],
        caveats=[
            f"intervals from {len(tried)} forecasts of the past; the 80% ones held {inside[0]} of them,"
            f" the 95% ones {inside[1]}{told}",
            "nothing that has not happened before is foreseen",
            *_edge(series),
        ],
    )  # fmt: skip


def _no_forecast(
    series: Series, scope: Scope, model: str, ratio: float, repeated: str, tries: int, sql: str
) -> Candidate:
    """That nothing better than the last season is known, which is then the forecast to go by."""
    last = series.usable[-1]
    said = (
        f"No forecast of the {scope.words} is shown: on {tries} tries in the past the best of {len(_MODELS)} models,"
        f" {model}, had {percent_text(ratio)} of the error of simply repeating {repeated}. The last complete"
        f" {scope.calendar.grain}, {last.period.label}, had {scope.text(last.value)}."
    )
    return Candidate(
        claim=Claim(
            subject=scope.subject(relation="forecast", against="none"),
            value=ClaimValue(number=ratio, unit="relative error"),
        ),
        statement=said,
        n=len(series.usable),
        interest_0_1=0.5,
        table=[{scope.calendar.grain: s.period.label, "value": s.value} for s in series.usable[-50:]],
        sql=[sql],
        caveats=_edge(series),
    )


def _rows(grain: Grain, starts: list[Any], expected: Values, low: Values, high: Values) -> list[dict[str, Any]]:
    return [
        {grain: label(s, grain), "expected": float(v), "low": float(a), "high": float(b)}
        for s, v, a, b in zip(starts, expected, low, high, strict=True)
    ]


def _edge(series: Series) -> list[str]:
    return [f"{p.note}; it is not used" for p in series.calendar.incomplete if p.note]


def _rounded(value: float) -> float:
    return round(float(value), 2) if abs(value) < 1_000 else float(round(float(value)))


KIND = StepKind("forecast", ForecastParams, run, "what comes next, if a model beats the last season on the past")
