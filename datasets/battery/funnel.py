"""How many get from each stage to the next, and where most are lost."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from pydantic import Field

from datasets.battery._kind import StepKind, StepParams, measured
from datasets.battery._rows.calendar import time_sql
from datasets.battery._statistics.groups import Tested
from datasets.battery._statistics.rates import shares, wilson
from datasets.battery._wording.phrases import capital, filters_key, interval_text, p_text, percent_text, scope_text
from datasets.battery._wording.words import listed_and, name_text
from datasets.charts import Bar, bar_chart
from datasets.errors import DatasetError
from datasets.evidence import Candidate, Claim, ClaimValue, Direction, Effect, StepResult, Subject
from datasets.measures import Filter, Window, where
from datasets.sql import ident, literal

if TYPE_CHECKING:
    from datasets.view import AnalysisView

_MOST_STAGES, _MOST_GROUPS, _FEWEST = 12, 30, 10
_ALPHA = 0.05


class FunnelParams(StepParams):
    """Parameters of a funnel.

    Either `columns`: one row for each entity, a column for each stage (a date, or yes and no), in order. Or `entity`
    and `stage`: one row for each event; `stages` in order, or else in the order of when entities first reach them.
    """

    columns: tuple[str, ...] = Field(default=(), max_length=_MOST_STAGES)
    entity: str | None = None
    stage: str | None = None
    stages: tuple[str, ...] = Field(default=(), max_length=_MOST_STAGES)
    by: str | None = Field(
        default=None, description="dimension whose groups are compared from the first stage to the last"
    )
    filters: tuple[Filter, ...] = ()
    window: Window | None = None


@dataclass(frozen=True)
class _Stage:
    """How many reach a stage, having reached all before it."""

    name: str
    reached: int


def run(params: FunnelParams, view: AnalysisView) -> StepResult:
    """Count who reaches each stage after all before it; a stage that comes too early does not count.

    :raises DatasetError: when there are no two stages, or nobody enters.
    """
    names, base = _wide(params, view) if params.columns else _long(params, view)
    counts = ", ".join(f"count(*) FILTER (WHERE reached >= {k})" for k in range(1, len(names) + 1))
    sql = f"{base} SELECT {counts} FROM entities"
    stages = [_Stage(name, int(n)) for name, n in zip(names, view.query(sql).rows[0], strict=True)]
    if stages[0].reached == 0:
        raise DatasetError(f"nothing reaches the first stage, {names[0]}")
    candidates, p_values = [_candidate(params, stages, sql)], list[float]()
    if params.by is not None:
        compared = _by_group(params, view, names, base)
        candidates += [compared] if compared is not None else []
        p_values += [compared.p_value] if compared is not None and compared.p_value is not None else []
    return measured(candidates, p_values=p_values)


def _wide(params: FunnelParams, view: AnalysisView) -> tuple[list[str], str]:
    """Stages that are columns: reached where there is a date not before the last one, or a yes."""
    if len(params.columns) < 2:
        raise DatasetError("a funnel needs two stages or more")
    reached, before = "0", ""
    tests = []
    for position, name in enumerate(params.columns, start=1):
        column = view.card.column(name)
        c = ident(name)
        if column.temporal:
            test = f"{c} IS NOT NULL" + (f" AND {c}::TIMESTAMP >= {before}::TIMESTAMP" if before else "")
            before = c
        elif column.sql_type == "BOOLEAN" or column.numeric:
            test = f"coalesce({c}::DOUBLE, 0) > 0"
        else:
            test = f"lower(trim({c}::VARCHAR)) NOT IN ('', 'no', 'n', 'false', '0')"
        tests.append(f"({test})")
        reached = f"WHEN {' AND '.join(tests)} THEN {position} {reached}" if position > 1 else f"WHEN {test} THEN 1"
    group = f", {ident(params.by)}::VARCHAR AS g" if params.by else ""
    scope = where(params.filters, params.window)
    return list(
        params.columns
    ), f"WITH entities AS (SELECT CASE {reached} ELSE 0 END AS reached{group} FROM analysis{scope})"


def _long(params: FunnelParams, view: AnalysisView) -> tuple[list[str], str]:
    """Stages that are values of a column: reached at the first event of that stage that is not before the last one."""
    if params.entity is None or params.stage is None:
        raise DatasetError("a funnel needs columns as stages, or an entity and a column of stages")
    entity, stage = (ident(view.card.column(c).name) for c in (params.entity, params.stage))
    time = view.card.time_column
    moment = time_sql(view, time) if time is not None else "NULL::TIMESTAMP"
    scope = where(params.filters, params.window, f"{entity} IS NOT NULL", f"{stage} IS NOT NULL")
    stages = list(params.stages) or _ordered(params, view, entity, stage, moment, scope)
    if len(stages) < 2:
        raise DatasetError(f"{params.stage!r} has fewer than two stages")
    group = f", min({ident(params.by)}::VARCHAR) AS g" if params.by else ""
    columns = ", ".join(f"list(t) FILTER (WHERE s = {literal(name)}) AS t{k}" for k, name in enumerate(stages, start=1))
    events = f"SELECT {entity} AS e, {stage}::VARCHAR AS s, coalesce({moment}, TIMESTAMP '1970-01-01') AS t"
    events += f"{', ' + ident(params.by) if params.by else ''} FROM analysis{scope}"
    steps = f"WITH events AS ({events}), s0 AS (SELECT e, {columns}{group} FROM events GROUP BY e)"
    keep = ", g" if params.by else ""
    # m_k: when stage k is first reached after stage k-1; NULL where it never is.
    steps += ", s1 AS (SELECT *, list_min(t1) AS m1 FROM s0)"
    for k in range(2, len(stages) + 1):
        reached = f"list_min(list_filter(t{k}, lambda v: v >= m{k - 1}))"
        steps += f", s{k} AS (SELECT *, CASE WHEN m{k - 1} IS NOT NULL THEN {reached} END AS m{k} FROM s{k - 1})"
    last = len(stages)
    reached = " ".join(f"WHEN m{k} IS NOT NULL THEN {k}" for k in range(last, 0, -1))
    return (
        [name_text(view.card, params.stage, s) for s in stages],
        f"{steps}, entities AS (SELECT CASE {reached} ELSE 0 END AS reached{keep} FROM s{last})",
    )


def _ordered(params: FunnelParams, view: AnalysisView, entity: str, stage: str, moment: str, scope: str) -> list[str]:
    """Stages in the order in which entities come to them; by how many do where there is no time."""
    rows = view.query(
        f"SELECT s, count(*), avg(place) FROM (SELECT e, s, rank() OVER (PARTITION BY e ORDER BY t) AS place FROM"
        f" (SELECT {entity} AS e, {stage}::VARCHAR AS s, min({moment}) AS t FROM analysis{scope} GROUP BY 1, 2))"
        f" GROUP BY s ORDER BY 3, 2 DESC, 1",
        limit_rows=1_000,
    ).rows
    if len(rows) > _MOST_STAGES:
        raise DatasetError(f"{params.stage!r} has {len(rows)} values, too many for the stages of a funnel")
    timed = view.card.time_column is not None
    ordered = sorted(rows, key=lambda r: (float(r[2]), -int(r[1])) if timed else (-int(r[1]), str(r[0])))
    return [str(r[0]) for r in ordered]


def _candidate(params: FunnelParams, stages: list[_Stage], sql: str) -> Candidate:
    first, last = stages[0], stages[-1]
    low, high = wilson(last.reached, first.reached)
    share = last.reached / first.reached
    steps = [(a, b, b.reached / a.reached) for a, b in pairwise(stages) if a.reached]
    lost = max(steps, key=lambda s: s[0].reached - s[1].reached)
    path = ", ".join(f"{b.name} {b.reached:,} ({percent_text(rate)} of those before)" for _, b, rate in steps)
    said = (
        f"Of {first.reached:,} that reach {first.name}, {last.reached:,} reach {last.name}"
        f"{scope_text(params.filters, params.window)}: {percent_text(share)}"
        f" ({interval_text(percent_text(low), percent_text(high))}). Step by step: {path}."
    )
    gone, all_gone = lost[0].reached - lost[1].reached, first.reached - last.reached
    if gone and len(stages) > 2:
        said += (
            f" Most are lost between {lost[0].name} and {lost[1].name}: {gone:,},"
            f" {percent_text(gone / all_gone)} of all that are lost."
        )
    return Candidate(
        claim=Claim(
            subject=_subject(params, first.name, last.name),
            value=ClaimValue(number=share, unit="share", low=low, high=high, text=f"{lost[0].name} to {lost[1].name}"),
        ),
        statement=said,
        n=first.reached,
        effect=Effect(name="conversion", value=share, low=low, high=high),
        interest_0_1=0.8,
        chart=bar_chart(
            [Bar(s.name, s.reached / first.reached, *wilson(s.reached, first.reached)) for s in stages],
            title=f"Share that gets from {first.name} to each stage", value_title=f"share of {first.name}",
            name_title="stage", style="percent", ordered=True, highlight=[lost[1].name],
        ),
        table=[{"stage": s.name, "reached": s.reached, "share of first": s.reached / first.reached} for s in stages],
        sql=[sql],
        caveats=["a stage counts only when all before it were reached, and not before them in time"],
    )  # fmt: skip


def _by_group(params: FunnelParams, view: AnalysisView, names: list[str], base: str) -> Candidate | None:
    """The way from the first stage to the last in each group; None where fewer than two groups are large enough."""
    assert params.by is not None
    by = view.card.column(params.by).name
    sql = (
        f"{base} SELECT g, count(*) FILTER (WHERE reached >= {len(names)}) AS done,"
        f" count(*) FILTER (WHERE reached >= 1) AS entered FROM entities WHERE g IS NOT NULL GROUP BY g"
        f" HAVING entered >= {_FEWEST} ORDER BY entered DESC, g"
        f" LIMIT {_MOST_GROUPS}"
    )
    rows = [(name_text(view.card, by, g), int(done), int(entered)) for g, done, entered in view.query(sql).rows]
    tested: Tested | None = shares([r[1] for r in rows], [r[2] for r in rows]) if len(rows) > 1 else None
    if tested is None:
        return None
    rows.sort(key=lambda r: (-r[1] / r[2], r[0]))
    (top, k1, n1), (bottom, k2, n2) = rows[0], rows[-1]
    null = tested.p > _ALPHA
    way = f"from {names[0]} to {names[-1]}"
    ends = f"{percent_text(k1 / n1)} in {top} ({k1:,} of {n1:,}) and {percent_text(k2 / n2)} in {bottom}"
    ends += f" ({k2:,} of {n2:,})"
    if null:
        said = (
            f"The conversion {way} does not differ significantly between the {len(rows)} groups of {by}: between {ends}"
        )
    else:
        said = f"The conversion {way} differs by {by}: {ends}"
    direction: Direction = "none" if null else "higher"
    return Candidate(
        claim=Claim(
            subject=_subject(params, names[0], names[-1], dimension=by),
            value=ClaimValue(number=100 * (k1 / n1 - k2 / n2), unit="percentage points", direction=direction,
                             text=None if null else top),
        ),
        statement=f"{said} ({tested.name} {p_text(tested.p)}).",
        n=sum(n for _, _, n in rows),
        test=tested.name,
        p_value=tested.p,
        effect=tested.effect,
        null=null,
        interest_0_1=0.35 if null else 0.7,
        chart=bar_chart(
            [Bar(name, k / n, *wilson(k, n)) for name, k, n in rows], title=capital(f"conversion {way} by {by}"),
            value_title="conversion", name_title=by, style="percent", highlight=[] if null else [top],
        ),
        table=[{by: name, "reached": k, "entered": n, "conversion": k / n} for name, k, n in rows],
        sql=[sql],
    )  # fmt: skip


def _subject(params: FunnelParams, first: str, last: str, dimension: str | None = None) -> Subject:
    column = params.stage or listed_and(params.columns)
    return Subject(
        relation="funnel", column=column, against=f"{first} to {last}", dimension=dimension,
        period=params.window.key if params.window else None, filters=filters_key(params.filters),
    )  # fmt: skip


KIND = StepKind("funnel", FunnelParams, run, "how many get from each stage to the next, and where most are lost")
