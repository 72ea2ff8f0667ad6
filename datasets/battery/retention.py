"""How many come back: the share of each cohort that is active again after a number of periods."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import Field

from datasets.battery._kind import StepKind, StepParams, measured
from datasets.battery._rows.calendar import Calendar, calendar, time_sql
from datasets.battery._statistics.rates import two_shares, wilson
from datasets.battery._wording.phrases import filters_key, interval_text, p_text, percent_text, scope_text
from datasets.battery._wording.words import listed_and
from datasets.charts import Bar, bar_chart
from datasets.errors import DatasetError
from datasets.evidence import Candidate, Claim, ClaimValue, Direction, Effect, StepResult, Subject
from datasets.measures import Filter, Grain, Window, where
from datasets.sql import ident

if TYPE_CHECKING:
    from datasets.view import AnalysisView

_ALPHA, _FEWEST, _MOST_AGES = 0.05, 20, 12
_NAMED = (1, 2, 3, 6, 12)


class RetentionParams(StepParams):
    """Parameters of a retention step over events: rows of an entity at a time."""

    entity: str
    time: str | None = Field(default=None, description="when an entity was active; None: the event time")
    start: str | None = Field(default=None, description="when an entity began, e.g. its signup; None: its first event")
    grain: Grain | None = Field(default=None, description="length of a period; None: month, week in short files")
    filters: tuple[Filter, ...] = ()
    window: Window | None = None


@dataclass(frozen=True)
class _Age:
    """Retention after `age` periods: of `size` entities that could be seen then, `active` were."""

    age: int
    active: int
    size: int

    @property
    def share(self) -> float:
        """Between 0 and 1."""
        return self.active / self.size


def run(params: RetentionParams, view: AnalysisView) -> StepResult:
    """Measure how many are active again, and whether later cohorts come back more or less often.

    Only cohorts whose period of that age is complete count, so that the young ones do not look lost.

    :raises DatasetError: when no entity has a second period to come back in.
    """
    time = params.time or view.card.time_column
    if time is None:
        raise DatasetError("the dataset has no time column, so nothing can be said of who comes back")
    held = _calendar(view, time, params.grain)
    complete = held.complete
    if len(complete) < 3:
        raise DatasetError(f"the data hold fewer than three complete {held.grain}s, too few to see who comes back")
    sql = _grid_sql(params, view, held)
    rows = view.query(sql).rows
    cohorts: dict[int, dict[int, int]] = {}
    for cohort, age, active in rows:
        cohorts.setdefault(int(cohort), {})[int(age)] = int(active)
    seen = {c: ages for c, ages in cohorts.items() if 0 in ages}
    ages = _ages(seen, len(complete))
    if not ages:
        raise DatasetError(f"no {params.entity} has a complete {held.grain} after its first one")
    if not any(a.active for a in ages):
        raise DatasetError(f"no {params.entity} is seen in a second {held.grain}, so nobody could be retained")
    change = _older_and_newer(seen, len(complete))
    return measured([_candidate(params, held, ages, change, seen, sql)], p_values=[change[-1]] if change else [])


def _calendar(view: AnalysisView, time: str, grain: Grain | None) -> Calendar:
    months = calendar(view, time, grain=grain or "month")
    if grain is None and len(months.complete) < 4:
        return calendar(view, time, grain="week")
    return months


def _grid_sql(params: RetentionParams, view: AnalysisView, held: Calendar) -> str:
    """Entities active by cohort and age, both counted in complete periods from the first one."""
    entity = ident(view.card.column(params.entity).name)
    began = time_sql(view, params.start) if params.start is not None else held.sql
    first, last = held.complete[0], held.complete[-1]
    scope = where(params.filters, params.window, f"{entity} IS NOT NULL", f"{held.sql} IS NOT NULL")
    places = f"date_diff('{held.grain}', TIMESTAMP '{first.start}', date_trunc('{held.grain}', {{}}))"
    return (
        f"WITH events AS (SELECT {entity} AS e, {held.sql} AS t, min({began}) OVER (PARTITION BY {entity}) AS began"
        f" FROM analysis{scope}),"
        f" placed AS (SELECT DISTINCT e, {places.format('began')} AS cohort, {places.format('t')} AS period FROM events"
        f" WHERE t < TIMESTAMP '{last.end}'),"
        f" born AS (SELECT DISTINCT e, cohort, cohort AS period FROM placed)"
        f" SELECT cohort, period - cohort AS age, count(*) AS active FROM (FROM placed UNION FROM born)"
        f" WHERE cohort >= 0 AND period >= cohort GROUP BY 1, 2 ORDER BY 1, 2"
    )


def _ages(cohorts: dict[int, dict[int, int]], periods: int) -> list[_Age]:
    """Retention at each age over the cohorts that are old enough; ages that few could reach are left out."""
    found = []
    for age in range(1, min(_MOST_AGES, periods - 1) + 1):
        old = [ages for cohort, ages in cohorts.items() if cohort + age < periods]
        size = sum(ages[0] for ages in old)
        if size >= _FEWEST:
            found.append(_Age(age, sum(ages.get(age, 0) for ages in old), size))
    return found


def _older_and_newer(cohorts: dict[int, dict[int, int]], periods: int) -> tuple[float, float, float] | None:
    """Retention after one period in the older and the newer half of the cohorts, and the p-value of the difference."""
    able = [ages for cohort, ages in sorted(cohorts.items()) if cohort + 1 < periods]
    older, newer = able[: len(able) // 2], able[len(able) // 2 :]
    n1, n2 = (sum(a[0] for a in half) for half in (older, newer))
    k1, k2 = (sum(a.get(1, 0) for a in half) for half in (older, newer))
    if min(n1, n2) < _FEWEST:
        return None
    tested = two_shares(k2, n2, k1, n1)
    return None if tested is None else (k1 / n1, k2 / n2, tested[1].p)


def _candidate(
    params: RetentionParams,
    held: Calendar,
    ages: list[_Age],
    change: tuple[float, float, float] | None,
    cohorts: dict[int, dict[int, int]],
    sql: str,
) -> Candidate:
    first = ages[0]
    low, high = wilson(first.active, first.size)
    grain = held.grain
    later = [a for a in ages[1:] if a.age in _NAMED]
    said = (
        f"Of {first.size:,} {params.entity} values{scope_text(params.filters, params.window)},"
        f" {percent_text(first.share)} are active again in the {grain} after their first one"
        f" ({interval_text(percent_text(low), percent_text(high))})"
    )
    if later:
        named = listed_and([f"{percent_text(a.share)} after {a.age} {grain}s (of {a.size:,})" for a in later])
        said += f"; {named}"
    said += "."
    if change is not None:
        older, newer, p = change
        ends = f"{percent_text(older)} in the older half of the cohorts, {percent_text(newer)} in the newer"
        verb = "is not shown to have changed" if p > _ALPHA else "has risen" if newer > older else "has fallen"
        said += f" Retention after one {grain} {verb}: {ends} ({p_text(p)})."
    direction: Direction | None = None
    if change is not None:
        direction = "none" if change[2] > _ALPHA else "up" if change[1] > change[0] else "down"
    return Candidate(
        claim=Claim(
            subject=Subject(
                relation="retention", column=params.entity, against=params.start,
                period=f"by {grain}" + (f" in {params.window.key}" if params.window else ""),
                filters=filters_key(params.filters),
            ),
            value=ClaimValue(number=first.share, unit="share", low=low, high=high),
        ),
        statement=said,
        n=first.size,
        effect=Effect(name="retention", value=first.share, low=low, high=high),
        interest_0_1=0.7 if direction in {"up", "down"} else 0.6,
        chart=bar_chart(
            [Bar(f"after {a.age}", a.share, *wilson(a.active, a.size)) for a in ages],
            title=f"Share of {params.entity} active again, by {grain}s since the first", value_title="share active",
            name_title=f"{grain}s", style="percent", ordered=True,
        ),
        table=_table(held, cohorts),
        sql=[sql],
        caveats=[f"only cohorts whose {grain} of that age is complete are counted", *_from_the_start(params, held)],
    )  # fmt: skip


def _from_the_start(params: RetentionParams, held: Calendar) -> list[str]:
    if params.start is not None:
        return []
    return [f"the cohort of {held.complete[0].label} also holds those who began before the data do"]


def _table(held: Calendar, cohorts: dict[int, dict[int, int]]) -> list[dict[str, Any]]:
    """The cohort grid: sizes and the shares active at each age that is over."""
    periods = held.complete
    table = []
    for cohort, ages in sorted(cohorts.items())[-50:]:
        over = [a for a in range(1, _MOST_AGES + 1) if cohort + a < len(periods)]
        shares = {f"after {a}": ages.get(a, 0) / ages[0] for a in over}
        table.append({"cohort": periods[cohort].label, "size": ages[0], **shares})
    return table


KIND = StepKind("retention", RetentionParams, run, "who comes back after the first time, by cohort")
