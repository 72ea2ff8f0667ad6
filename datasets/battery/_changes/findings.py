"""A change between two spans as a candidate."""

from typing import Any

from datasets.battery._changes.measure import Change, relative
from datasets.battery._changes.windows import Pair
from datasets.battery._rows.by_period import Series
from datasets.battery._rows.periods import moment_of, shift
from datasets.battery._wording.phrases import capital, interval_text, is_share, p_text, percent_text, points_text
from datasets.battery._wording.scope import Scope
from datasets.battery._wording.series_display import chart_of
from datasets.charts import Bar, bar_chart
from datasets.evidence import Candidate, Claim, ClaimValue, Direction, Effect
from datasets.plain import number_text, plain

_ALPHA = 0.05
_SLIGHT = 0.01
_FEW_DAYS, _DAYS_TO_TEST = 7, 10


def change_candidate(series: Series, scope: Scope, pair: Pair, change: Change, sql: list[str]) -> Candidate:
    """Word a change; one that chance explains is a null finding with its interval."""
    null = change.p is not None and change.p > _ALPHA
    rate, movement = change.rate, movement_of(change)
    direction: Direction = "flat" if _still(change, null=null) else "up" if movement > 0 else "down"
    size = min(1.0, abs(rate) / 0.5) if rate is not None else 0.5
    return Candidate(
        claim=Claim(
            subject=scope.subject(relation="period_change", period=pair.after.key, against=pair.before.key),
            value=_claim_value(scope, change, direction),
        ),
        statement=_statement(series, scope, pair, change, null=null),
        n=change.before.n + change.after.n,
        test=change.test,
        p_value=change.p,
        effect=_effect(scope, change),
        null=null,
        interest_0_1=0.4 if null else 0.5 + 0.4 * size,
        chart=chart_of(series, scope, None) if series.spots else _two_bars(scope, pair, change),
        table=_table(scope, pair, change),
        sql=sql,
        caveats=_caveats(series, scope, pair, change),
    )


def _two_bars(scope: Scope, pair: Pair, change: Change) -> dict[str, Any]:
    """The two spans side by side, per day where they differ in length."""
    per_day = scope.metric.additive and not pair.same_length
    bars = [
        Bar(window.words, (level.number or 0.0) / (level.days if per_day else 1.0))
        for window, level in ((pair.before, change.before), (pair.after, change.after))
    ]
    words = f"{scope.metric.words}{' per day' if per_day else ''}"
    title = capital(f"{scope.worded(per_day=per_day)}, before and after")
    style = "percent" if is_share(scope.metric) else "number"
    return bar_chart(
        bars,
        title=title,
        value_title=words,
        name_title="period",
        ordered=True,
        style=style,  # type: ignore[arg-type]
    )


def _claim_value(scope: Scope, change: Change, direction: Direction) -> ClaimValue:
    if is_share(scope.metric):
        points = (100 * change.delta, *(None if v is None else 100 * v for v in (change.low, change.high)))
        number, low, high = points
        return ClaimValue(number=number, unit="percentage points", direction=direction, low=low, high=high)
    if change.rate is None:
        return ClaimValue(number=change.delta, unit=scope.unit, direction=direction)
    low, high = (None if v is None else 100 * v for v in (change.low, change.high))
    return ClaimValue(number=100 * change.rate, unit="%", direction=direction, low=low, high=high)


def _effect(scope: Scope, change: Change) -> Effect | None:
    if is_share(scope.metric):
        return change.effect
    if change.rate is None or change.test is None:
        return change.effect
    return Effect(name="relative_change", value=change.rate, low=change.low, high=change.high)


def _statement(series: Series, scope: Scope, pair: Pair, change: Change, *, null: bool) -> str:
    per_day = scope.metric.additive and not pair.same_length
    levels = (change.before, change.after)
    values = [v.number / v.days if per_day and v.number is not None else v.value for v in levels]
    before, after = (number_text(round(v, 2), unit=scope.unit) if per_day else scope.text(v) for v in values)
    what = f"the {scope.worded(per_day=per_day)}"
    verb = _verb(change, null=null)
    if verb == "is":
        text = f"{what} is {after} in {pair.after.words} against {before} in {pair.before.words}"
    else:
        text = f"{what} {verb} {before} in {pair.before.words} to {after} in {pair.after.words}"
    text = f"{pair.note}. Like for like, {text}" if pair.kind == "running" else capital(text)
    tested = ""
    if change.p is not None and movement_of(change) != 0:
        interval = _interval(scope, change)
        chance = "no more than chance explains" if null else "more than chance explains"
        tested = f"; {chance} ({f'{interval}, ' if interval else ''}{p_text(change.p)})"
    size = _size(scope, change, per_day=per_day)
    if _too_short(change) and movement_of(change) != 0:
        tested = "; too few days to tell chance from change"
    totals = _totals(scope, pair, change, later_first=verb == "is") if per_day else ""
    return f"{text}: {size}{tested}{totals}{_against_whole(series, scope, pair, change)}."


def _totals(scope: Scope, pair: Pair, change: Change, *, later_first: bool) -> str:
    """The plain totals, in the order in which the values per day were said."""
    said = [
        f"{scope.text(level.value)} in {window.words} ({number_text(level.days)} day{'' if level.days == 1 else 's'})"
        for window, level in ((pair.before, change.before), (pair.after, change.after))
    ]
    return f"; in total {' and '.join(reversed(said) if later_first else said)}"


def movement_of(change: Change) -> float:
    """What is judged: the relative change, or the plain one where there is none."""
    return change.rate if change.rate is not None else change.delta


def _still(change: Change, *, null: bool) -> bool:
    """Whether there is no movement to speak of."""
    slight = change.p is None and change.rate is not None and abs(change.rate) < _SLIGHT
    return null or slight or movement_of(change) == 0


def _too_short(change: Change) -> bool:
    """Whether no test was run and the days are so few that any difference may be chance."""
    return change.p is None and min(change.before.days, change.after.days) < _FEW_DAYS


def _verb(change: Change, *, null: bool) -> str:
    if _still(change, null=null) or _too_short(change):
        return "is"
    return "rises from" if movement_of(change) > 0 else "falls from"


def _size(scope: Scope, change: Change, *, per_day: bool) -> str:
    """ "+0.75% (+262.46)", or the relative change per day."""
    if change.delta == 0 and not per_day:
        return "no change"
    if is_share(scope.metric):
        return f"{points_text(change.delta, signed=True)} percentage points"
    delta = scope.text(change.delta if scope.metric.aggregate != "sum" else round(change.delta, 2))
    signed = f"+{delta}" if change.delta > 0 else delta
    if change.rate is None or change.ratio is None:
        return signed
    return (
        percent_text(change.rate, signed=True) if per_day else f"{percent_text(change.ratio, signed=True)} ({signed})"
    )


def _interval(scope: Scope, change: Change) -> str:
    if change.low is None or change.high is None:
        return ""
    if is_share(scope.metric):
        return interval_text(points_text(change.low), f"{points_text(change.high)} points")
    return interval_text(percent_text(change.low, signed=True), percent_text(change.high, signed=True))


def _against_whole(series: Series, scope: Scope, pair: Pair, change: Change) -> str:
    """How a running total compares per day with the whole period before it."""
    if pair.whole is None or pair.whole.start is None or not scope.metric.additive:
        return ""
    start = moment_of(pair.whole.start)
    spot = next((s for s in series.usable if s.period.start == start and s.period.label == pair.whole.label), None)
    if spot is None or change.after.number is None:
        return ""
    rate = relative(change.after.number / change.after.days, float(spot.value) / spot.period.days)
    return (
        "" if rate is None else f"; per day it is {percent_text(rate, signed=True)} against all of {pair.whole.words}"
    )


def _table(scope: Scope, pair: Pair, change: Change) -> list[dict[str, Any]]:
    key = scope.metric.key
    rows: list[dict[str, Any]] = []
    for window, level in ((pair.before, change.before), (pair.after, change.after)):
        row = {"period": window.words, key: plain(level.value), "rows": level.n, "days": plain(level.days)}
        if scope.metric.additive and level.number is not None:
            row["per day"] = level.number / level.days
        rows.append(row)
    return rows


def _caveats(series: Series, scope: Scope, pair: Pair, change: Change) -> list[str]:
    said = [pair.note] if pair.note else []
    if scope.metric.additive and not pair.same_length:
        said.append("the spans differ in length, so the change is judged per day")
    if series.calendar.clipped:
        said.append(f"data are used up to {series.calendar.last}; later days are left out")
    if change.ratio is None:
        said.append("no percentage, because the value before is not above zero")
    shortest = min(change.before.days, change.after.days)
    if change.test is None and scope.metric.additive and _FEW_DAYS <= shortest < _DAYS_TO_TEST:
        said.append(f"not tested: {shortest:g} days are too few to tell chance from change")
    if change.test is None and not scope.metric.additive:
        said.append(f"whether chance explains a change of the {scope.metric.aggregate} is not tested")
    year_ago = _year_ago(series, pair)
    if year_ago is not None:
        name, value = year_ago
        ratio = relative(change.after.number, float(value))
        said.append(
            f"a year earlier, in {name}: {scope.text(value)}"
            + ("" if ratio is None else f" ({percent_text(ratio, signed=True)} since)")
        )
    return said


def _year_ago(series: Series, pair: Pair) -> tuple[str, Any] | None:
    """The complete period twelve months before the later span, of the same length, where the series has it."""
    if (
        pair.kind == "running"
        or pair.after.start is None
        or pair.after.end is None
        or series.calendar.grain not in {"month", "quarter"}
    ):
        return None
    wanted = tuple(shift(moment_of(day), "year", -1) for day in (pair.after.start, pair.after.end))
    for spot in series.usable:
        if (spot.period.start, spot.period.end) == wanted:
            return spot.period.label, spot.value
    return None
