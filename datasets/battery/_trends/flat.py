"""A series without a trend: whether its level is shown to stay, what change is left possible, and whether it steps."""

from __future__ import annotations

from datasets.battery._rows.by_period import Series, Spot
from datasets.battery._statistics.levels import Step, room_of_trend, step_of
from datasets.battery._statistics.sameness import ALPHA
from datasets.battery._statistics.series import Trend
from datasets.battery._wording.phrases import capital, is_share, p_text, points_text, readable
from datasets.battery._wording.scope import Scope, step_days
from datasets.evidence import Candidate, Claim, Direction, Effect
from datasets.plain import number_text

_STABLE_RATIO = 2.0
_PART_OF_LEVEL = 0.25
_POINTS_0_1 = 0.1
_TRIFLE = 0.02
_TRIFLE_POINTS_0_1 = 0.005


def level_words(series: Series, scope: Scope, found: Trend) -> str:
    """ "is stable over time, no trend: between 19 and 34 a month (...); a change of more than 5 over the whole ..."."""
    room = f"of more than {room_text(series, scope, room_of(series, found))} over the whole time is ruled out"
    text = "is stable over time, no trend" if found.p > ALPHA else "is practically flat over time"
    if not settled(series, found):
        room = room.replace("more than", "up to").replace("is ruled", "is not ruled")
        text = "shows no clear trend over time"
    span = scope.span([s.value for s in series.usable]).replace(" to ", " and ", 1)
    per = f" a {series.calendar.grain}" if scope.metric.additive else f" by {series.calendar.grain}"
    return f"{text}: between {span}{per} (Mann-Kendall {p_text(found.p)}); a change {room}, at 95% confidence"


def trifling(series: Series, found: Trend) -> bool:
    """Whether the largest change that is possible over the whole time is none that matters, however sure its sign is:
    a fiftieth of the level, of a share half a percentage point.
    """
    levels = [series.level(s) for s in series.usable]
    share = is_share(series.metric)
    most = _TRIFLE_POINTS_0_1 if share else _TRIFLE * abs(sum(levels)) / len(levels)
    return min(levels) * max(levels) > 0 and room_of(series, found) <= most


def settled(series: Series, found: Trend, *, tests: int = 1) -> bool:
    """Whether the level is shown to stay.

    The change that the slope leaves possible over the whole time is at most a quarter of the level, or ten percentage
    points of a share; no period is more than twice another; and the level does not step.
    """
    levels = [series.level(s) for s in series.usable]
    low, high = min(levels), max(levels)
    even = (low > 0 and high <= _STABLE_RATIO * low) or (high < 0 and low >= _STABLE_RATIO * high)
    most = _PART_OF_LEVEL * abs(sum(levels)) / len(levels)
    if is_share(series.metric):
        even, most = even or high - low <= _POINTS_0_1, _POINTS_0_1
    return even and room_of(series, found, tests=tests) <= most and step_of(levels) is None


def room_of(series: Series, found: Trend, *, tests: int = 1) -> float:
    """The change from the first to the last period that is left possible, in what a test compares."""
    usable = series.usable
    at = {p.start: i for i, p in enumerate(series.calendar.periods)}
    steps = at[usable[-1].period.start] - at[usable[0].period.start]
    return room_of_trend(found, float(steps), len(usable), tests=tests)


def room_text(series: Series, scope: Scope, room: float) -> str:
    """A change in words: "5.2", "3.1 percentage points"; of totals that of an average period."""
    if is_share(scope.metric):
        return f"{points_text(room)} percentage points"
    return number_text(readable(room * step_days(series)), unit=scope.unit)


def stepping(series: Series, scope: Scope, found: Trend) -> tuple[Candidate, float] | None:
    """A level that changes once and stays, as a candidate without evidence yet, and its p-value; None without one."""
    step = step_of([series.level(s) for s in series.usable])
    if step is None:
        return None
    up = step.after > step.before
    direction: Direction = "up" if up else "down"
    statement = (
        f"{capital(f'the {scope.words}')} steps {_step_words(series, scope, step)} (level shift {p_text(step.p)})."
        f"{left_out(series)}"
    )
    value = scope.slope(found, series).model_copy(update={"direction": direction, "low": None, "high": None})
    label = series.usable[step.first].period.label
    candidate = Candidate(
        claim=Claim(subject=scope.subject(), value=value.model_copy(update={"text": label})),
        statement=statement,
        n=series.n,
        test="level shift",
        p_value=step.p,
        effect=Effect(name="ratio_of_levels", value=step.after / step.before) if step.before else None,
        interest_0_1=0.8,
    )
    return candidate, step.p


def within_level(series: Series, scope: Scope) -> str:
    """A sentence with a leading space where a trend is one step between two level stretches; else nothing."""
    step = step_of([series.level(s) for s in series.usable])
    return f" It is one step {_step_words(series, scope, step)}." if step is not None else ""


def left_out(series: Series) -> str:
    """A sentence with a leading space on a last period that is not complete; else nothing."""
    last = series.calendar.periods[-1]
    if last.complete or not last.note:
        return ""
    return f" {last.note[:1].upper()}{last.note[1:]}; it is left out of the trend."


def _step_words(series: Series, scope: Scope, step: Step) -> str:
    """ "up in July 2023: 8 to 12 a month before, 18 to 23 since"."""
    before, since = (_span(spots, scope) for spots in (series.usable[: step.first], series.usable[step.first :]))
    per = f" a {series.calendar.grain}" if scope.metric.additive else ""
    way = "up" if step.after > step.before else "down"
    return f"{way} in {series.usable[step.first].period.label}: {before}{per} before, {since} since"


def _span(spots: tuple[Spot, ...], scope: Scope) -> str:
    return scope.span([s.value for s in spots])
