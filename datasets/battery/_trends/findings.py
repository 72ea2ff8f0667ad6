"""The trend of one series as a candidate: statement, test, robustness, chart."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import stats

from datasets.battery._rows.by_period import Series, Spot
from datasets.battery._rows.periods import MIN_PERIODS
from datasets.battery._statistics.series import Trend, trend
from datasets.battery._trends.flat import left_out, level_words, settled, stepping, trifling, within_level
from datasets.battery._trends.open_records import open_rows, still_open
from datasets.battery._wording.phrases import capital, is_share, p_text, percent_text, readable, span_text
from datasets.battery._wording.scope import Scope, step_days
from datasets.battery._wording.series_display import chart_of, table_of
from datasets.evidence import Candidate, Claim, ClaimValue, Direction, Effect
from datasets.plain import number_text

if TYPE_CHECKING:
    from datasets.view import AnalysisView

_TYPICAL = 0.3  # The ends must show so much of the change along the line to stand for it.
_ALPHA = 0.05


def trend_candidate(view: AnalysisView, series: Series, scope: Scope, sql: str) -> tuple[Candidate | None, list[float]]:
    """The trend of a series, and the p-values of the tests that were run; None with fewer than two complete periods."""
    usable = series.usable
    if len(usable) < 2:
        return None, []
    caveats = [*_period_caveats(series), *open_rows(view, scope)]
    found = fitted(series) if len(usable) >= MIN_PERIODS else None
    common: dict[str, Any] = {
        "n": series.n,
        "table": table_of(series),
        "sql": [sql],
        "chart": chart_of(series, scope, found),
        "caveats": caveats,
    }
    if found is None:
        return _described(series, scope, common), []
    significant = found.p <= _ALPHA and not trifling(series, found)
    if not significant and (stepped := stepping(series, scope, found)) is not None:
        moved, p = stepped
        return moved.model_copy(update={**common, "chart": chart_of(series, scope, None)}), [found.p, p]
    direction: Direction = "flat" if not significant else "up" if found.slope > 0 else "down"
    value = scope.slope(found, series).model_copy(update={"direction": direction})
    body = rising(series, scope, found) if significant else level_words(series, scope, found)
    mostly = within_level(series, scope) if significant else ""
    cut = still_open(view, series, scope) if significant and found.slope < 0 else ""
    candidate = Candidate(
        claim=Claim(subject=scope.subject(), value=value),
        statement=f"{capital(f'the {scope.words}')} {body}.{mostly}{left_out(series)}{cut}",
        test="Mann-Kendall",
        p_value=found.p,
        effect=found.tau,
        null=not significant,
        inconclusive=not significant and not settled(series, found),
        robust=(not cut and _robust(series, found)) if significant else None,
        interest_0_1=0.45 + 0.45 * abs(found.tau.value) if significant else 0.3,
        **common,
    )
    return candidate, [found.p]


def fitted(series: Series) -> Trend | None:
    """Test the complete periods of a series; None where all values are equal or fewer than four are there."""
    positions = {p.start: float(i) for i, p in enumerate(series.calendar.periods)}
    usable = series.usable
    return trend([series.level(s) for s in usable], [positions[s.period.start] for s in usable])


def rising(series: Series, scope: Scope, found: Trend) -> str:
    """ "increases over time, from 2 in January 2023 to 77 in January 2024 (...)"."""
    up = found.slope > 0
    ends = ends_text(series, scope, found)
    pace = _pace(series, scope, found)
    verb = "increases" if up else "decreases"
    return f"{verb} over time, {ends} ({pace}Mann-Kendall {p_text(found.p)})"


def ends_text(series: Series, scope: Scope, found: Trend) -> str:
    """Where the series starts and ends: its own values, or those of the trend line where they hide the trend."""
    usable = series.usable
    first, last = usable[0], usable[-1]
    at = {p.start: i for i, p in enumerate(series.calendar.periods)}
    rise = found.slope * (at[last.period.start] - at[first.period.start])
    if rise and (series.level(last) - series.level(first)) / rise >= _TYPICAL:
        return from_to(series, scope, first, last)
    lowest = 0.0 if min(series.level(s) for s in usable) >= 0 else -math.inf
    line = [max(lowest, found.intercept + found.slope * at[s.period.start]) for s in (first, last)]
    days = step_days(series)
    low, high = (scope.text(float(f"{level * days:.3g}")) for level in line)
    return f"along the trend line from about {low} in {first.period.label} to about {high} in {last.period.label}"


def from_to(series: Series, scope: Scope, first: Spot, last: Spot) -> str:
    """ "from 2 in January 2023 to 77 in January 2024"."""
    return f"from {scope.text(first.value)} in {first.period.label} to {scope.text(last.value)} in {last.period.label}"


def _described(series: Series, scope: Scope, common: dict[str, Any]) -> Candidate:
    usable = series.usable
    grain = series.calendar.grain
    levels = [series.level(s) for s in usable]
    constant = max(levels) - min(levels) <= 1e-9 * max(abs(level) for level in levels)
    if constant:
        value = scope.text(usable[0].value)
        same_length = len({s.period.days for s in usable}) == 1 or not series.per_day
        value = value if same_length else f"{number_text(readable(levels[0]), unit=scope.unit)} per day"
        body = f"is the same in all {len(usable)} complete {grain}s: {value}"
    else:
        body = (
            f"goes {from_to(series, scope, usable[0], usable[-1])}, over {len(usable)} complete {grain}s"
            f" (too few for a trend test)"
        )
    return Candidate(
        claim=Claim(
            subject=scope.subject(),
            value=ClaimValue(
                number=0.0 if constant else None,
                direction="flat" if constant else None,
                text=None if constant else span_text((scope.text(usable[0].value), scope.text(usable[-1].value))),
            ),
        ),
        statement=f"{capital(f'the {scope.words}')} {body}.{left_out(series)}",
        null=constant,
        effect=Effect(name="kendall_tau", value=0.0, low=0.0, high=0.0) if constant else None,
        interest_0_1=0.2,
        **common,
    )


def _pace(series: Series, scope: Scope, found: Trend) -> str:
    """The total change and the change per period, in words that end in a comma; empty where neither can be said."""
    usable = series.usable
    levels = [series.level(s) for s in usable]
    grain = series.calendar.grain
    if scope.metric.aggregate == "sum" and min(levels) > 0:
        growth = float(stats.theilslopes(np.log(levels), np.arange(len(levels)))[0])
        return f"about {percent_text(math.expm1(growth), signed=True)} a {grain}, " if abs(growth) < 0.7 else ""
    slope = found.slope * step_days(series)
    if is_share(scope.metric):
        return f"about {number_text(round(100 * slope, 2))} percentage points a {grain}, "
    text = number_text(float(f"{slope:.3g}"), unit=scope.unit if scope.unit != "%" else None)
    return f"about {'+' if slope > 0 else ''}{text} a {grain}, "


def _robust(series: Series, found: Trend) -> bool:
    """Whether the trend stays without the two most extreme periods, and in neither half runs the other way."""
    usable = series.usable
    levels = [series.level(s) for s in usable]
    residual = sorted(range(len(levels)), key=lambda i: -abs(levels[i] - found.intercept - found.slope * i))
    kept = [i for i in range(len(levels)) if i not in residual[:2]]
    without = trend([levels[i] for i in kept], [float(i) for i in kept])
    if without is None or without.p > 2 * _ALPHA or without.slope * found.slope <= 0:
        return False
    half = len(levels) // 2
    for part in (levels[:half], levels[-half:]):
        of_half = trend(part)
        if of_half is not None and of_half.p <= _ALPHA and of_half.slope * found.slope < 0:
            return False
    return True


def _period_caveats(series: Series) -> list[str]:
    held = series.calendar
    said = [p.note for p in held.incomplete]
    if held.clipped:
        said.append(f"data are used up to {held.last}; later days are left out")
    unknown = [s.period.label for s in series.spots if s.value is None and s.period.complete]
    if unknown:
        said.append(f"{len(unknown)} {held.grain}{'s' if len(unknown) > 1 else ''} without data, e.g. {unknown[0]}")
    if series.per_day:
        said.append(f"tested per day, because {held.grain}s differ in length")
    return said
