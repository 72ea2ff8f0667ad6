"""A value for each period of the event time, with the incomplete ones marked."""

from datetime import date, datetime
from typing import Any

from datasets.battery._answers.groups import style_of, whole_of
from datasets.battery._answers.params import AnswerParams
from datasets.battery._rows.calendar import Calendar, calendar
from datasets.battery._rows.periods import Period, moment_of
from datasets.battery._rows.source import source_of
from datasets.battery._wording.phrases import capital, scope_text
from datasets.battery._wording.ranking import MOST_LISTED, Group, Ranking, place_sentence, ranking_sentences
from datasets.battery._wording.words import figure, name_text, value_of
from datasets.charts import Point, line_chart
from datasets.errors import DatasetError
from datasets.evidence import Candidate, Claim
from datasets.measures import Metric
from datasets.plain import number_text, plain
from datasets.sql import ident
from datasets.view import AnalysisView

_MOST_SERIES = 8


def answer_periods(view: AnalysisView, metric: Metric, params: AnswerParams) -> Candidate:
    """Measure a metric for each period (and each value of one `by` column); only complete periods are ranked.

    :raises DatasetError: without a time column, or when no period has a value.
    """
    name = params.time or (params.window.column if params.window else view.card.time_column)
    if name is None:
        raise DatasetError("the dataset has no time column, so nothing can be grouped by period")
    laid = calendar(view, name, grain=params.grain, metric=metric, window=params.window)
    by = [view.card.column(c).name for c in params.by]
    source = source_of(
        view,
        metric,
        filters=params.filters,
        window=params.window,
        groups=[laid.bucket, *(ident(c) for c in by)],
        once_per=params.once_per,
    )
    sql = (
        f"SELECT {', '.join(source.groups)}, {source.aggregate} AS value, count({source.row}) AS n "
        f"{source.from_where} GROUP BY ALL ORDER BY ALL"
    )
    found = view.query(sql).rows
    cells = _cells(view, metric, laid, by, found)
    ranked = [(p, s, v, n) for p, s, v, n in cells if p.complete and v is not None]
    if not ranked:
        raise DatasetError(f"no complete {laid.grain} has a {metric.words}{scope_text(params.filters, params.window)}")
    descending = params.order != "asc"
    # Ties keep the order of time, the most recent first, as a reader expects of "the best month".
    ranked.sort(key=lambda c: c[0].start, reverse=True)
    ranked.sort(key=lambda c: c[2], reverse=descending)
    groups = [Group(f"{s} in {p.label}" if s else p.label, v, n) for p, s, v, n in ranked]
    whole = whole_of(view, metric, params)
    if params.averaged and not by:
        return _averaged(view, metric, params, laid, cells, [sql, whole.sql])
    tied = sum(1 for g in groups if g.value == groups[0].value)
    ranking = Ranking(metric, groups, len(groups), tied, descending, whole.value, whole.n)
    return Candidate(
        claim=Claim(
            subject=params.subject("extreme", metric.key, dimension=", ".join([name, *by]), once_per=source.once_per),
            value=value_of(
                metric, view.card, groups[0].value, text=groups[0].name, direction="higher" if descending else "lower"
            ),
        ),
        statement=_statement(view, metric, params, ranking, laid, cells),
        n=whole.n,
        interest_0_1=0.5,
        chart=_chart(metric, laid, cells, name),
        table=_table(metric, by, cells),
        sql=[sql, whole.sql],
        caveats=[p.note for p in laid.incomplete if p.note],
    )


Cell = tuple[Period, str, Any, int]


def _cells(
    view: AnalysisView,
    metric: Metric,
    laid: Calendar,
    by: list[str],
    found: list[tuple[Any, ...]],
) -> list[Cell]:
    """Each period with each segment; a period without rows counts 0 where the metric adds up."""
    values = {(moment_of(r[0]), r[1] if by else None): (r[-2], int(r[-1])) for r in found}
    segments = list(dict.fromkeys(r[1] for r in found)) if by else [None]
    nothing = 0 if metric.additive and not laid.spaced else None
    cells: list[Cell] = []
    for period in laid.periods:
        for segment in segments:
            value, n = values.get((period.start, segment), (nothing, 0))
            cells.append((period, name_text(view.card, by[0], segment) if by else "", value, n))
    return cells


def _averaged(
    view: AnalysisView, metric: Metric, params: AnswerParams, laid: Calendar, cells: list[Cell], sql: list[str]
) -> Candidate:
    """The mean over the periods, with the one over the complete periods where they are not all of them."""
    values = [float(v) for _, _, v, _ in cells if v is not None]
    whole = [float(v) for p, _, v, _ in cells if v is not None and p.complete]
    mean = sum(values) / len(values)
    scope = scope_text(params.filters, params.window)
    what = "rows" if metric.key == "count(*)" else metric.words
    said = f"On average there are {_rounded(mean)} {what} per {laid.grain}{scope}"
    if metric.key != "count(*)":
        said = f"On average the {metric.words} per {laid.grain}{scope} is {_rounded(mean)}"
    said += f" ({len(values):,} {laid.grain}s, from {_rounded(min(values))} to {_rounded(max(values))})."
    if whole and len(whole) < len(values):
        said += f" Over the {len(whole):,} complete {laid.grain}s it is {_rounded(sum(whole) / len(whole))}."
    return Candidate(
        claim=Claim(
            subject=params.subject("value", metric.key, dimension=f"mean per {laid.grain}"),
            value=value_of(metric, view.card, mean),
        ),
        statement=said,
        n=sum(n for _, _, _, n in cells),
        interest_0_1=0.5,
        chart=_chart(metric, laid, cells, laid.grain),
        table=_table(metric, [], cells),
        sql=sql,
    )


def _rounded(value: float) -> str:
    return number_text(round(value, 2))


def _statement(
    view: AnalysisView,
    metric: Metric,
    params: AnswerParams,
    ranking: Ranking,
    laid: Calendar,
    cells: list[Cell],
) -> str:
    noun = laid.grain if not params.by else f"{params.by[0]} and {laid.grain}"
    scope = scope_text(params.filters, params.window)
    if params.place:
        return place_sentence(view.card, ranking, params.place, noun=noun, scope=scope)
    said = ranking_sentences(view.card, ranking, noun=noun, scope=scope, top=params.top)[:1]
    if not params.by and len(cells) <= MOST_LISTED:
        listed = ", ".join(f"{p.label} {figure(metric, view.card, v)}" for p, _, v, _ in cells if v is not None)
        said.append(f"By {laid.grain}: {listed}.")
    notes = dict.fromkeys(p.note for p, _, _, _ in cells if not p.complete and p.note)
    return " ".join([*said, *(f"{capital(note)}." for note in notes)])


def _chart(metric: Metric, laid: Calendar, cells: list[Cell], name: str) -> dict[str, Any] | None:
    sizes: dict[str, float] = {}
    for _, segment, _, n in cells:
        sizes[segment] = sizes.get(segment, 0) + n
    kept = sorted(sizes, key=lambda s: -sizes[s])[:_MOST_SERIES]
    points = [
        Point(p.start.isoformat(), None if v is None else float(v), s or None, p.complete)
        for p, s, v, _ in cells
        if s in kept
    ]
    if not points or any(isinstance(v, date | datetime) for _, _, v, _ in cells):
        return None
    return line_chart(
        points,
        title=f"{capital(metric.words)} by {laid.grain}",
        x_title=name,
        y_title=metric.words,
        style=style_of(metric),
        zero=metric.additive,
    )


def _table(metric: Metric, by: list[str], cells: list[Cell]) -> list[dict[str, Any]]:
    return [
        {"period": p.label, **({by[0]: s} if by else {}), metric.words: plain(v), "n": n}
        | ({} if p.complete else {"note": p.note or "incomplete"})
        for p, s, v, n in cells[-50:]
    ]
