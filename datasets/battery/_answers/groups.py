"""A value for each group, and for each period."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from datasets.battery._answers.params import AnswerParams
from datasets.battery._rows.source import Source, source_of
from datasets.battery._wording.phrases import capital, is_share, scope_text
from datasets.battery._wording.ranking import Group, Ranking, place_sentence, ranking_sentences
from datasets.battery._wording.words import figure, name_text, rows_text, value_of
from datasets.charts import Bar, NumberStyle, bar_chart
from datasets.errors import DatasetError
from datasets.evidence import Candidate, Claim
from datasets.measures import Metric
from datasets.plain import plain
from datasets.sql import ident
from datasets.view import AnalysisView

_SHOWN, _LAST = 50, 3
_CONTEXT = 10
"""How many groups stand beside the first one or few that are asked for."""
_FEW_ROWS = 5
_FAR_OFF = 1.5
_ENOUGH_ROWS, _FAR_SMALLER = 30, 5
_RATES: frozenset[str] = frozenset({"mean", "share", "missing_share"})
_BY_SIZE = frozenset({"distinct", "rows_per_distinct"})
"""Larger groups have more of these by nature: which has the most is news only where it is far ahead."""


@dataclass(frozen=True)
class Whole:
    """The metric over all rows in scope, and how many rows the groups leave out."""

    value: Any
    n: int
    rows: int
    sql: str


def answer_groups(view: AnalysisView, metric: Metric, params: AnswerParams) -> Candidate:
    """Measure a metric for each group of the `by` columns; rows without a group are counted in a caveat.

    :raises DatasetError: when no group has a value.
    """
    columns = [view.card.column(c).name for c in params.by]
    descending = params.order != "asc"
    source = source_of(
        view,
        metric,
        filters=params.filters,
        window=params.window,
        groups=[ident(c) for c in columns],
        once_per=params.once_per,
        keep_ungrouped=params.once_per is None and metric.measure.kind != "sum_per",
    )
    sql = _ranked_sql(source, len(columns), descending=descending)
    rows = view.query(sql).rows
    if not rows:
        scope = scope_text(params.filters, params.window)
        raise DatasetError(f"no group of {' and '.join(columns)} has a {metric.words}{scope}")
    k = len(columns)
    folded = source.folded
    # Rows that are folded to keys within the groups say nothing of the keys of all rows.
    whole = whole_of(view, metric, params) if folded else Whole(rows[0][-3], int(rows[0][-2]), int(rows[0][-1]), sql)
    names = [" / ".join(name_text(view.card, c, v) for c, v in zip(columns, row[:k], strict=True)) for row in rows]
    groups = [Group(name, row[k], int(row[k + 1])) for name, row in zip(names, rows, strict=True)]
    _, _, _, count, _, tied, undefined = rows[0][k : k + 7]
    ranking = Ranking(metric, groups, int(count), int(tied), descending, whole.value, whole.n)
    noun = " and ".join(columns)
    scope = scope_text(params.filters, params.window)
    said = ranking_sentences(view.card, ranking, noun=noun, scope=scope, top=params.top)
    at = 0
    if params.place:
        said = [place_sentence(view.card, ranking, params.place, noun=noun, scope=scope)]
        at = min(params.place, len(groups)) - 1
    asked = params.top or _SHOWN
    shown = max(asked, _CONTEXT)
    lit = [groups[at]] if params.place or asked >= len(groups) else groups[:asked]
    return Candidate(
        claim=Claim(
            subject=params.subject("extreme", metric.key, dimension=", ".join(columns), once_per=source.once_per),
            value=value_of(
                metric, view.card, groups[at].value, text=groups[at].name, direction="higher" if descending else "lower"
            ),
        ),
        statement=" ".join([*said, *_among_large(view, metric, ranking)]),
        n=whole.n,
        interest_0_1=_interest(metric, ranking, descending=descending),
        chart=_chart(metric, groups[:shown], ranking, noun, lit),
        table=[
            {
                **{c: plain(v) for c, v in zip(columns, row[:k], strict=True)},
                metric.words: plain(row[k]),
                "n": int(row[k + 1]),
            }
            for row in rows[: shown if asked == 1 else asked]
        ],
        sql=list(dict.fromkeys([sql, whole.sql])),
        caveats=_caveats(metric, params, source, ranking, whole, int(undefined), sum(int(r[k + 2]) for r in rows)),
    )


def _among_large(view: AnalysisView, metric: Metric, ranking: Ranking) -> list[str]:
    """The first of the groups with enough rows, where the first of all has few: small groups lie at both ends."""
    if metric.aggregate not in _RATES or not ranking.whole:
        return []
    first, *others = ranking.listed
    large = next((g for g in others if g.n >= _ENOUGH_ROWS), None)
    if large is None or first.n >= _ENOUGH_ROWS or first.n * _FAR_SMALLER > large.n:
        return []
    value = figure(metric, view.card, large.value)
    told = f"Few rows give extreme values: of the groups with at least {_ENOUGH_ROWS} rows, {large.name} comes first"
    return [f"{told} ({value}, {rows_text(large.n)})."]


def _interest(metric: Metric, ranking: Ranking, *, descending: bool) -> float:
    """How much a ranking tells: little where the size of the groups explains it."""
    if metric.aggregate not in _BY_SIZE:
        return 0.75 if ranking.detached else 0.5
    first, *others = ranking.listed
    rates = sorted(g.n / float(g.value) for g in others if g.value) if metric.aggregate == "distinct" else []
    if rates and first.value:
        # Few holders are news where each of them has many rows, not where there are few rows.
        rate = (first.n / float(first.value)) / rates[len(rates) // 2]
        if (rate < _FAR_OFF) if not descending else (rate > 1 / _FAR_OFF):
            return 0.1
    return 0.75 if ranking.detached else 0.1


def _ranked_sql(source: Source, k: int, *, descending: bool) -> str:
    """The groups from the first to the last, of very many the first 50 and the last 3; with each the whole.

    The whole is the metric over all rows, their values and their number, the rows without a group included.
    """
    direction = "DESC" if descending else "ASC"
    keys = ", ".join(f"g{i}" for i in range(1, k + 1))
    grouped = " AND ".join(["NOT whole", *(f"g{i} IS NOT NULL" for i in range(1, k + 1))])
    all_rows = ", ".join(f"(SELECT {name} FROM g WHERE whole) AS all_{name}" for name in ("value", "n", "rows"))
    return (
        f"WITH g AS (SELECT {', '.join(source.groups)}, {source.aggregate} AS value, count({source.row}) AS n, "
        f"count(*) AS rows, grouping({keys}) > 0 AS whole {source.from_where} GROUP BY GROUPING SETS (({keys}), ())), "
        f"ranked AS (SELECT * EXCLUDE (whole) FROM g WHERE {grouped}) "
        f"SELECT *, count(*) OVER () AS groups, row_number() OVER (ORDER BY value {direction}, {keys}) AS place, "
        f"count(*) OVER (PARTITION BY value) AS tied, (SELECT count(*) FROM ranked WHERE value IS NULL) AS undefined, "
        f"{all_rows} FROM ranked "
        f"WHERE value IS NOT NULL QUALIFY place <= {_SHOWN} OR place > groups - {_LAST} ORDER BY place"
    )


def whole_of(view: AnalysisView, metric: Metric, params: AnswerParams) -> Whole:
    """Measure the metric over all rows in scope, with and without a group."""
    source = source_of(view, metric, filters=params.filters, window=params.window, once_per=params.once_per)
    sql = f"SELECT {source.aggregate} AS value, count({source.row}) AS n, count(*) AS rows {source.from_where}"
    value, n, rows = view.query(sql).rows[0]
    return Whole(value, int(n), int(rows), sql)


def style_of(metric: Metric) -> NumberStyle:
    """How the axis of a chart writes values of the metric."""
    if is_share(metric):
        return "percent"
    return "count" if metric.aggregate in {"count", "distinct", "missing"} else "number"


def _chart(metric: Metric, groups: list[Group], ranking: Ranking, noun: str, lit: list[Group]) -> dict[str, Any] | None:
    if not all(isinstance(g.value, int | float | Decimal) for g in groups):
        return None
    overall = None if ranking.metric.additive or ranking.total is None else float(ranking.total)
    return bar_chart(
        [Bar(g.name, float(g.value)) for g in groups],
        title=f"{capital(metric.words)} by {noun}",
        value_title=metric.words,
        name_title=noun,
        style=style_of(metric),
        highlight=[g.name for g in lit],
        ordered=True,
        baseline=overall,
        subtitle="dashed: overall" if overall is not None else "",
    )


def _caveats(
    metric: Metric,
    params: AnswerParams,
    source: Source,
    ranking: Ranking,
    whole: Whole,
    undefined: int,
    grouped: int,
) -> list[str]:
    said, first = [], ranking.listed[0]
    if ranking.whole and not undefined and not source.folded and grouped < whole.rows:
        said.append(f"{rows_text(whole.rows - grouped)} without a value in {' or '.join(params.by)} left out")
    if undefined:
        said.append(f"{metric.words} is not defined for {undefined:,} groups")
    if not metric.additive and metric.aggregate not in {"distinct", "max", "min"} and first.n < _FEW_ROWS:
        said.append(f"{first.name} rests on {rows_text(first.n)} only")
    if source.once_per:
        said.append(f"each {source.once_per} counted once, because the value repeats on its rows")
    return said
