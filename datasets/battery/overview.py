"""Step kind `overview`: what the dataset holds, in a few lines."""

import re
from typing import Any

from datasets.battery._kind import StepKind, StepParams, measured
from datasets.battery._rows.numeric import distinct_values, numeric_sql
from datasets.battery._rows.tally import tally_of
from datasets.battery._wording.words import figure, listed_and, rows_text
from datasets.evidence import Candidate, Claim, ClaimValue, StepResult, Subject
from datasets.measures import Measure, Metric, where
from datasets.plain import number_text, plain
from datasets.schema import Column
from datasets.sql import ident
from datasets.view import AnalysisView

_MOST_MEASURES, _MOST_NAMED, _MOST_COLUMNS = 4, 6, 50
_LEVEL = re.compile(
    r"(?i)(?<![a-z])(percent\w*|pct|rates?|ratio|share|avg|average|mean|median|min|max|std|score|rating|rank|index|"
    r"price|age|years?|temp\w*|error|cumulative|balance|level|per|to date|lat|latitude|lon|longitude)(?![a-z])"
)
"""Names of levels, whose sum over rows says nothing."""
_SUMMED = re.compile(
    r"(?i)revenue|sales|turnover|income|amount|(?<![a-z])(?:total|sum)|cost|charge|fare|spen[dt]|expen[sd]|fees?(?![a-z])|"
    r"profit|budget|donation|payment|quantity|qty|units?(?![a-z])|items|count|volume|orders|visits|clicks|views|trips|"
    r"miles|votes|deaths|cases|births|kwh|mwh|liters|litres|tons?(?![a-z])|tonnes|hours|minutes|seconds"
)
"""Names of what adds up over rows; of any other number no total is told."""


class OverviewParams(StepParams):
    """Which measures to sum up; without any, the first four of the dataset."""

    columns: tuple[str, ...] = ()


def _run(params: OverviewParams, view: AnalysisView, *, briefly: bool = False) -> StepResult:
    columns = view.card.columns
    if view.rows == 0:
        return measured([_no_rows(view)])
    counts = ", ".join(f"count({ident(c.name)})" for c in columns)
    sql = f"SELECT count(*), {counts} FROM analysis"
    rows, *present = (int(v) for v in view.query(sql).rows[0])
    missing = {c.name: rows - n for c, n in zip(columns, present, strict=True)}
    named = [view.card.column(name) for name in params.columns] or list(view.card.by_role("measure"))
    measures = [c for c in named if c.numeric and missing[c.name] < rows][:_MOST_MEASURES]
    sums = [] if briefly else [_summary(view, c) for c in measures]
    return measured([_overview(view, rows, missing, sums, [sql, *(s["sql"] for s in sums)])])


def _summary(view: AnalysisView, column: Column) -> dict[str, Any]:
    measure = Measure(kind="column", columns=(column.name,))
    expression = numeric_sql(view.card, measure).sql
    values = tally_of(
        view,
        f"SELECT ({expression})::DOUBLE AS v FROM analysis{where((), None, f'({expression}) IS NOT NULL')}",
        [distinct_values(view.card, measure)],
    )
    sql = (
        f"SELECT avg({expression}), sum({expression}), min({expression}), max({expression}), "
        f"(SELECT {values.quantile(0.5)} FROM {values.rows}) FROM analysis"
    )
    mean, total, least, most, median = view.query(sql).rows[0]
    return {
        "column": column.name, "mean": mean, "total": total, "lowest": least, "highest": most, "median": median,
        "sql": sql,
    }  # fmt: skip


def _overview(
    view: AnalysisView, rows: int, missing: dict[str, int], sums: list[dict[str, Any]], sql: list[str]
) -> Candidate:
    columns = rows_text(len(view.card.columns), "column")
    said = [f"{view.card.called} has {rows_text(rows)} and {columns}{_span(view)}."]
    if sums:
        said.append(f"Main measures: {'; '.join(_measure(view, s) for s in sums)}.")
    lacking = sorted((n, name) for name, n in missing.items() if 0 < n < rows)[::-1]
    if lacking:
        named = [f"{name} {number_text(round(100 * n / rows, 2), unit='%')}" for n, name in lacking[:_MOST_NAMED]]
        more = f" and {len(lacking) - _MOST_NAMED} more columns" if len(lacking) > _MOST_NAMED else ""
        said.append(f"Missing values: {', '.join(named) + more if more else listed_and(named)}.")
    empty = [c.name for c in view.card.columns if missing[c.name] == rows]
    constant = [f"{c.name} ({c.values[0]})" for c in view.card.by_role("constant") if c.values and c.name not in empty]
    if empty:
        said.append(f"Without any value: {listed_and(empty[:_MOST_NAMED])} ({rows:,} of {rows:,} missing).")
    if constant:
        said.append(f"Constant: {listed_and(constant[:_MOST_NAMED])}.")
    if rows == 1:
        said.append("Standard deviation, trend and outliers are not defined for one row.")
    return Candidate(
        claim=Claim(
            subject=Subject(relation="overview"),
            value=ClaimValue(number=rows, unit="rows", text=columns),
        ),
        statement=" ".join(said),
        n=rows,
        interest_0_1=0.2,
        table=[
            {"column": c.name, "role": c.role, "missing": missing[c.name], "distinct": c.distinct}
            | {"lowest": c.minimum, "highest": c.maximum}
            for c in view.card.columns[:_MOST_COLUMNS]
        ],
        sql=sql,
    )


def _span(view: AnalysisView) -> str:
    name = view.card.time_column
    if name is None or view.newest is None:
        return ""
    first = view.query(f"SELECT min({ident(name)}) FROM analysis").rows[0][0]
    return f"; {name} runs from {str(plain(first))[:10]} to {str(plain(view.newest))[:10]}"


def _measure(view: AnalysisView, summary: dict[str, Any]) -> str:
    metric = Metric(aggregate="mean", measure=Measure(kind="column", columns=(summary["column"],)))
    said = {k: figure(metric, view.card, v) for k, v in summary.items() if k not in {"column", "sql"}}
    if view.rows == 1:
        return f"{summary['column']} is {said['mean']}"
    name = summary["column"]
    level = view.card.column(name).unit == "%" or _LEVEL.search(name) or not _SUMMED.search(name)
    total = "" if level else f", total {said['total']}"
    return (
        f"{summary['column']} with mean {said['mean']}{total}, median {said['median']}, range "
        f"{said['lowest']} to {said['highest']}"
    )


def _no_rows(view: AnalysisView) -> Candidate:
    names = [c.name for c in view.card.columns]
    return Candidate(
        claim=Claim(subject=Subject(relation="overview"), value=ClaimValue(number=0, unit="rows")),
        statement=f"{view.card.called} has no rows; its columns are called {listed_and(names)}.",
        n=0,
        interest_0_1=0.2,
    )


def _confirm(params: OverviewParams, view: AnalysisView, subject: Subject) -> StepResult:
    """Rows, columns and missing values, which is what the claim says; no measures."""
    return _run(params, view, briefly=True)


KIND = StepKind("overview", OverviewParams, _run, "rows, columns, time span, main measures, missing values", _confirm)
