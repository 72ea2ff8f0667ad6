"""Counts and totals over parts of the calendar: weekdays, months or quarters, each per day that the data cover."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING

from scipy import stats

from datasets.battery._comparisons.gaps import apart
from datasets.battery._comparisons.groups import Comparison, DatePart
from datasets.battery._rows.calendar import calendar
from datasets.battery._rows.numeric import metric_sql
from datasets.battery._rows.periods import moment_of
from datasets.battery._statistics.groups import Tested, cohens_w
from datasets.battery._statistics.sameness import room_of_shares, shares_as_expected
from datasets.battery._wording.phrases import capital, filters_key, listed, p_text, points_text, scope_text, unit_of
from datasets.charts import Bar, bar_chart
from datasets.errors import DatasetError
from datasets.evidence import Candidate, Claim, ClaimValue, Direction, Subject
from datasets.measures import where
from datasets.plain import number_text

if TYPE_CHECKING:
    from datasets.view import AnalysisView

_ALPHA = 0.05
_SATURDAY = 6
_EXPECTED = 5.0
_NAMED = 5


@dataclass(frozen=True)
class Slice:
    """One part of the calendar: its total, and the days that the data cover in it."""

    name: str
    total: float
    rows: int
    days: int

    @property
    def per_day(self) -> float:
        """What the part holds on a day of its own."""
        return self.total / self.days


def compare_dateparts(view: AnalysisView, what: Comparison, part: DatePart) -> tuple[Candidate, list[float]]:
    """Compare the parts per day, and test counts against the days that each part has.

    :raises DatasetError: when the data cover fewer than two parts.
    """
    held = calendar(view, what.dimension, grain="day", metric=what.metric)
    first, last = held.days[0], held.last
    if what.window is not None:
        first = max(first, moment_of(what.window.start).date()) if what.window.start is not None else first
        end = moment_of(what.window.end).date() - timedelta(days=1) if what.window.end is not None else last
        last = min(last, end)
    days = Counter(_part_of(first + timedelta(days=i), part) for i in range((last - first).days + 1))
    sql = (
        f"SELECT {what.expression(view)} AS part, {metric_sql(view.card, what.metric)} AS value, count(*) AS n"
        f" FROM analysis{where(what.filters, what.window, 'part IS NOT NULL')} GROUP BY 1 ORDER BY 1"
    )
    found = {str(r[0]): (float(r[1] or 0.0), int(r[2])) for r in view.query(sql).rows}
    if part == "hour":
        days = Counter({f"{hour:02d}:00": (last - first).days + 1 for hour in range(24)})
    every = [Slice(name, *found.get(name, (0.0, 0)), n) for name, n in days.items()]
    # On days on which nothing is ever recorded there is nothing to compare.
    slices = [s for s in every if s.rows] if part in {"weekday", "hour"} else every
    empty = [s.name for s in every if s not in slices]
    if len(slices) < 2:
        raise DatasetError(f"the data cover only one {part}, so there is nothing to compare")
    tested = _test(slices) if what.metric.aggregate == "count" else None
    candidate = _candidate(view, what, part, slices, tested, sql)
    if empty:
        closed = f"{candidate.statement} There are no rows on {listed(empty, most=_NAMED)}."
        candidate = candidate.model_copy(update={"statement": closed})
    return candidate, [] if tested is None else [tested.p]


def _part_of(day: date, part: DatePart) -> str:
    if part == "weekend":
        return "weekend" if day.isoweekday() >= _SATURDAY else "weekdays"
    if part == "year":
        return str(day.year)
    if part == "quarter":
        return f"Q{(day.month + 2) // 3}"
    return f"{day:%B}" if part == "month" else f"{day:%A}"


def _test(slices: list[Slice]) -> Tested | None:
    total, days = sum(s.total for s in slices), sum(s.days for s in slices)
    expected = [total * s.days / days for s in slices]
    if min(expected) < _EXPECTED:
        return None
    statistic, p = (float(v) for v in stats.chisquare([s.total for s in slices], expected))
    return Tested("chi-square", p, cohens_w(statistic, len(slices) - 1, total))


def _candidate(
    view: AnalysisView, what: Comparison, part: DatePart, slices: list[Slice], tested: Tested | None, sql: str
) -> Candidate:
    ranked = sorted(slices, key=lambda s: (-s.per_day, s.name))
    split = apart([s.per_day for s in ranked])
    low_side = split is not None and not split.high
    leader = ranked[-1] if low_side else ranked[0]
    even = tested is not None and tested.p > _ALPHA
    expected = [s.days / sum(s.days for s in slices) for s in slices]
    room = room_of_shares([round(s.total) for s in slices], expected) if even else []
    shown = shares_as_expected(room, expected) if even else False
    unit = unit_of(what.metric, view.card)
    scope = scope_text(what.filters, what.window)
    words = "rows" if what.metric.key == "count(*)" else what.metric.words
    rest = sorted((s.per_day for s in ranked if s is not leader), reverse=True)
    span = _text(rest[0], unit) if rest[0] == rest[-1] else f"{_text(rest[-1])} to {_text(rest[0], unit)}"
    name = f"{part} of {what.dimension}"
    p = f" ({tested.name} {p_text(tested.p)})" if tested else ""
    if even:
        ends = (_text(ranked[-1].per_day), _text(ranked[0].per_day, unit))
        range_ = ends[1] if ranked[-1].per_day == ranked[0].per_day else f"between {ends[0]} and {ends[1]}"
        how, left = "are spread evenly over", "more than {} percentage points is ruled out"
        if not shown:
            how, left = "show no clear difference between", "up to {} percentage points is not ruled out"
        statement = (
            f"{capital(words)}{scope} {how} the {part}s of {what.dimension}: {range_} per day{p}; a share that is off"
            f" its part of the days by {left.format(points_text(max(room)))}, at 95% confidence."
        )
    else:
        far = "by far " if split is not None and split.far else ""
        most = "fewest" if low_side else "most"
        if what.metric.aggregate != "count":
            words, most = what.metric.words, "lowest" if low_side else "highest"
        statement = (
            f"{leader.name} has {far}the {most} {words} per day{scope}: {_text(leader.per_day, unit)} against {span}"
            f" in the other {len(rest)} {part}s of {what.dimension}{p}."
        )
    if part == "weekend":
        statement = _weekend_against(slices, what.metric.words, scope, unit, p)
    direction: Direction = "none" if even else "lower" if low_side else "higher"
    return Candidate(
        claim=Claim(
            subject=Subject(
                relation="seasonality",
                metric=what.metric.key,
                dimension=name,
                period=what.window.key if what.window else None,
                filters=filters_key(what.filters),
            ),
            value=ClaimValue(
                number=leader.per_day, unit=f"{unit or ''} per day".strip(), direction=direction, text=leader.name
            ),
        ),
        statement=statement,
        n=sum(s.rows for s in slices),
        test=tested.name if tested else None,
        p_value=tested.p if tested else None,
        effect=tested.effect if tested else None,
        null=even,
        inconclusive=even and not shown,
        interest_0_1=0.25 if even else 0.5 + (0.2 if split is not None and split.far else 0.0),
        chart=bar_chart(
            [Bar(s.name, s.per_day) for s in slices],
            title=capital(f"{what.metric.words} per day by {name}{scope}"),
            value_title=f"{what.metric.words} per day",
            name_title=name,
            highlight=[] if even else [leader.name],
            ordered=True,
            limit=31,
        ),
        table=[{name: s.name, what.metric.key: s.total, "days": s.days, "per day": s.per_day} for s in slices],
        sql=[sql],
        caveats=["per day, because the data do not cover each part equally often"],
    )


def _weekend_against(slices: list[Slice], words: str, scope: str, unit: str | None, p: str) -> str:
    """Both parts with what they hold per day and in total, and how far apart they are."""
    weekend, rest = sorted(slices, key=lambda s: s.name != "weekend")
    words = "number of rows" if words == "rows" else words
    verb = "higher" if weekend.per_day > rest.per_day else "lower" if weekend.per_day < rest.per_day else "the same"
    than = "as" if verb == "the same" else "than"
    apart_ = f", {100 * (weekend.per_day / rest.per_day - 1):+.3g}%" if rest.per_day else ""
    totals = f"in total {number_text(weekend.total)} on {weekend.days:,} days against {number_text(rest.total)}"
    return (
        f"The {words} per day{scope} is {verb} at weekends {than} on weekdays: {_text(weekend.per_day, unit)} against"
        f" {_text(rest.per_day, unit)}{apart_}{p}; {totals} on {rest.days:,}."
    )


def _text(value: float, unit: str | None = None) -> str:
    return number_text(float(f"{value:.3g}") if abs(value) < 100 else round(value, 2), unit=unit)
