"""Whether one measure leads another in time, and by how many periods."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from pydantic import Field

from datasets.battery._kind import StepKind, StepParams, measured
from datasets.battery._rows.by_period import overall
from datasets.battery._rows.calendar import calendar, time_sql
from datasets.battery._statistics.leads import Lead, lead
from datasets.battery._wording.phrases import capital, p_text, scope_text
from datasets.battery._wording.scope import Scope
from datasets.errors import DatasetError
from datasets.evidence import Candidate, Claim, ClaimValue, Effect, StepResult
from datasets.measures import Filter, Grain, Metric, Window

if TYPE_CHECKING:
    from datasets.view import AnalysisView

_SEASONS: dict[Grain, int] = {"hour": 24, "day": 7, "week": 52, "month": 12, "quarter": 4, "year": 1}
_FEWEST, _ALPHA, _MATTERS = 20, 0.05, 0.3


class LeadsParams(StepParams):
    """Parameters of a leads step: whether `y` follows `x`."""

    x: Metric
    y: Metric
    time: str | None = Field(default=None, description="a time column; None: the event time of the dataset")
    grain: Grain | None = None
    filters: tuple[Filter, ...] = ()
    window: Window | None = None


def run(params: LeadsParams, view: AnalysisView) -> StepResult:
    """Correlate both metrics over their complete periods at every lag, freed of trend, season and their own past.

    :raises DatasetError: without a time, with too few periods, and where one of the two does not move.
    """
    time = params.time or view.card.time_column
    if time is None:
        raise DatasetError("the dataset has no time column, so what comes first cannot be told")
    if params.x.key == params.y.key:
        raise DatasetError(f"{params.x.words} cannot lead itself")
    held = calendar(view, time, grain=params.grain or _step(view, time), metric=params.x)
    (first, sql), (second, other_sql) = (
        overall(view, held, metric, params.filters, params.window) for metric in (params.x, params.y)
    )
    known = {s.period.start: second.level(s) for s in second.usable}
    both = [(first.level(s), known[s.period.start]) for s in first.usable if s.period.start in known]
    if len(both) < _FEWEST:
        raise DatasetError(
            f"{len(both)} complete {held.grain}s have both {params.x.words} and {params.y.words}; to tell which comes"
            f" first needs {_FEWEST}"
        )
    x, y = np.array(both).T
    found = lead(x, y, _SEASONS[held.grain])
    if found is None:
        raise DatasetError(f"{params.x.words} or {params.y.words} does not move beyond its trend and season")
    scope = Scope.of(view, params.x, held, params.filters, params.window)
    return measured([_candidate(params, scope, found, len(both), [sql, other_sql])], p_values=[found.p])


def _step(view: AnalysisView, time: str) -> Grain:
    """The grain in which the rows come: coarser periods hold now four weeks, now five, and both measures show that."""
    day = f"{time_sql(view, time)}::DATE"
    span, days = view.query(f"SELECT max({day}) - min({day}), count(DISTINCT {day}) FROM analysis").rows[0]
    apart = float(span or 0) / max(1, int(days) - 1)
    return "day" if apart < 2 else "week" if apart < 10 else "month" if apart < 45 else "quarter"


def _candidate(params: LeadsParams, scope: Scope, found: Lead, periods: int, sql: list[str]) -> Candidate:
    grain = scope.calendar.grain
    shown = found.p <= _ALPHA
    x, y, where = params.x.words, params.y.words, scope_text(params.filters, params.window)
    steps = f"{abs(found.lag)} {grain}{'s' if abs(found.lag) > 1 else ''}"
    figures = f"r = {found.r:.2f}, {p_text(found.p)} over {found.lags} lags, {periods} {grain}s"
    against = ", in opposite directions" if found.r < 0 else ""
    if not shown:
        said = (
            f"No lead or lag between {x} and {y}{where} is shown: the strongest of the correlations is {figures}; one"
            f" beyond {found.bound:.2f} is ruled out there, at 95% confidence."
        )
    elif found.lag == 0:
        said = f"{capital(x)} and {y}{where} move in the same {grain}, neither leads{against} ({figures})."
    else:
        follower, leader = (y, x) if found.lag > 0 else (x, y)
        said = f"{capital(follower)} follows {leader}{where} by {steps}{against} ({figures})."
    return Candidate(
        claim=Claim(
            subject=scope.subject(relation="lead", against=params.y.key),
            value=ClaimValue(
                number=float(found.lag) if shown else found.r,
                unit=f"{grain}s" if shown else "r",
                direction=("positive" if found.r > 0 else "negative") if shown else "none",
            ),
        ),
        statement=said,
        n=periods,
        test="permutation of the largest cross-correlation",
        p_value=found.p,
        effect=Effect(name="pearson_r", value=found.r, low=found.low, high=found.high),
        null=not shown,
        inconclusive=not shown and found.bound >= _MATTERS,
        interest_0_1=0.6 if shown else 0.4,
        table=[{f"{y} later by ({grain}s)": k, "r": r} for k, r in found.every],
        sql=sql,
        caveats=[
            f"correlations of what the {grain}s hold beyond trend, season and the {grain} before; coming first does"
            " not mean causing"
        ],
    )


KIND = StepKind("leads", LeadsParams, run, "whether one measure follows another in time, and after how long")
