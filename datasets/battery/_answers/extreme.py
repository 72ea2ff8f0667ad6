"""The rows with the highest or lowest value: which country and which year."""

from typing import Any

from datasets.battery._answers.params import AnswerParams
from datasets.battery._rows.numeric import reading_of
from datasets.battery._rows.source import STEPPED, stepped_rows
from datasets.battery._wording.phrases import scope_text
from datasets.battery._wording.words import figure, listed_and, name_text, value_of
from datasets.errors import DatasetError
from datasets.evidence import Candidate, Claim
from datasets.measures import Metric, where
from datasets.plain import plain
from datasets.schema import SchemaCard
from datasets.sql import ident
from datasets.view import AnalysisView

_MOST_NAMED = 8


def answer_extreme(view: AnalysisView, params: AnswerParams) -> Candidate:
    """Find the rows with the `top` most extreme values; rows that tie with the last of them are included.

    :raises DatasetError: when no row has a value.
    """
    metric = params.metrics[0]
    highest = params.order != "asc" if params.order else metric.aggregate != "min"
    extreme = Metric(aggregate="max" if highest else "min", measure=metric.measure)
    show = params.show or _identity(view.card, metric)
    top = params.top or 1
    stepped = metric.measure.kind == "in_order"
    value = STEPPED if stepped else reading_of(view.card, extreme).sql
    rows_of = stepped_rows(view, metric.measure) if stepped else "analysis"
    scope = where(params.filters, params.window, f"({value}) IS NOT NULL")
    columns = "".join(f"{ident(view.card.column(c).name)} AS s{i}, " for i, c in enumerate(show, start=1))
    direction = "DESC" if highest else "ASC"
    sql = (
        f"SELECT {columns}{value} AS value, count(*) OVER () AS rows, "
        f"rank() OVER (ORDER BY {value} {direction}) AS place, count(*) OVER (PARTITION BY {value}) AS tied "
        f"FROM {rows_of}{scope} QUALIFY place <= {top} ORDER BY place LIMIT 50"
    )
    rows = view.query(sql).rows
    if not rows:
        raise DatasetError(f"no row has a value of {metric.measure.words}{scope_text(params.filters, params.window)}")
    k = len(show)
    names = [_name(view.card, show, row[:k]) for row in rows]
    leader = " / ".join(str(plain(v)) for v in rows[0][:k]) or None
    ties = int(rows[0][k + 3])
    return Candidate(
        claim=Claim(
            subject=params.subject("extreme", extreme.key, dimension=", ".join(show) or None),
            value=value_of(extreme, view.card, rows[0][k], text=leader, direction="higher" if highest else "lower"),
        ),
        statement=_statement(view.card, extreme, params, names, [r[k] for r in rows], ties),
        n=int(rows[0][k + 1]),
        interest_0_1=0.5,
        table=[
            {**{c: plain(v) for c, v in zip(show, row[:k], strict=True)}, metric.measure.words: plain(row[k])}
            for row in rows
        ],
        sql=[sql],
        caveats=[f"{ties:,} rows tie; {len(rows)} are shown"] if ties > len(rows) else [],
    )


def _statement(
    card: SchemaCard, metric: Metric, params: AnswerParams, names: list[str], values: list[Any], ties: int
) -> str:
    what = _superlative(card, metric)
    scope = scope_text(params.filters, params.window)
    first = figure(metric, card, values[0])
    if len(names) > 1 and ties < len(names):
        listed = listed_and([f"{n} ({figure(metric, card, v)})" for n, v in zip(names, values, strict=True)])
        return f"The {len(names)} rows with the {what}{scope}: {listed}."
    if ties == 1:
        return f"{names[0]} has the {what}{scope}: {first}."
    shown = listed_and(names[:_MOST_NAMED])
    among = ", among them" if ties > _MOST_NAMED else ":"
    return f"{ties:,} rows share the {what}{scope}, {first}{among} {shown}."


def _superlative(card: SchemaCard, metric: Metric) -> str:
    measure, highest = metric.measure, metric.aggregate == "max"
    if measure.kind == "duration":
        return f"{'longest' if highest else 'shortest'} {measure.words}"
    if measure.kind == "column" and card.column(measure.columns[0]).temporal:
        return f"{'latest' if highest else 'earliest'} {measure.words}"
    return metric.words


def _name(card: SchemaCard, show: tuple[str, ...], values: tuple[Any, ...]) -> str:
    """ "Nigeria (Year 2010)": the first column names the row, the others tell it apart."""
    named = [name_text(card, c, v) if v is not None else f"no {c}" for c, v in zip(show, values, strict=True)]
    if not named:
        return "one row"
    return f"{named[0]} ({', '.join(named[1:])})" if len(named) > 1 else named[0]


def _identity(card: SchemaCard, metric: Metric) -> tuple[str, ...]:
    """Columns that tell rows apart: a nearly unique name, else the most varied dimension and the time."""
    others = [c for c in card.columns if c.name not in metric.measure.columns and c.role not in {"constant", "empty"}]
    names = [c for c in others if c.role in {"identifier", "text", "dimension"}]
    unique = [c for c in names if c.distinct >= 0.9 * max(1, c.rows - c.nulls)]
    if unique:
        return (unique[0].name,)
    varied = sorted(names, key=lambda c: -c.distinct)[:1]
    time = [card.time_column] if card.time_column and card.time_column not in metric.measure.columns else []
    return (*(c.name for c in varied), *time)
