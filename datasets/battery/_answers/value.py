"""One exact value for a metric."""

from typing import Any

from datasets.battery._answers.params import AnswerParams
from datasets.battery._rows.source import Source, source_of
from datasets.battery._wording.phrases import is_share, scope_text
from datasets.battery._wording.ranking import nouns
from datasets.battery._wording.words import figure, rows_text, value_of
from datasets.errors import DatasetError
from datasets.evidence import Candidate, Claim
from datasets.measures import Metric
from datasets.plain import number_text, plain
from datasets.view import AnalysisView

_NEEDS = {"std": 2, "var": 2, "cv": 2, "skewness": 3, "kurtosis": 4}


def answer_value(view: AnalysisView, metric: Metric, params: AnswerParams) -> Candidate:
    """Measure a metric over all rows in scope. Exact, so without a test.

    :raises DatasetError: when the value is not defined; the sentence says why.
    """
    source = source_of(view, metric, filters=params.filters, window=params.window, once_per=params.once_per)
    sql = _sql(metric, source)
    table = view.query(sql)
    row = dict(zip(table.columns, table.rows[0], strict=True))
    value, n = row["value"], int(row["n"])
    if value is None:
        scope = scope_text(params.filters, params.window)
        why = _why_undefined(metric, n, int(row["rows"]))
        raise DatasetError(f"the {metric.words} is not defined{scope}: {why}")
    counts_rows = metric.aggregate in {"missing", "missing_share"}
    return Candidate(
        claim=Claim(
            subject=params.subject("value", metric.key, once_per=source.once_per),
            value=value_of(metric, view.card, value),
        ),
        statement=_statement(view, metric, params, source, row),
        n=int(row["rows"]) if counts_rows else n,
        interest_0_1=0.4,
        table=[{"metric": metric.words, "value": plain(value), "values": n, "rows": int(row["rows"])}],
        sql=[sql],
    )


def _sql(metric: Metric, source: Source) -> str:
    columns = [f"{source.aggregate} AS value", f"count({source.row}) AS n", "count(*) AS rows"]
    if is_share(metric) and metric.aggregate != "missing_share":
        columns.append(f"sum({source.row}) AS hits")
    if metric.aggregate == "rows_per_distinct":
        columns.append(f"count(DISTINCT {source.row}) AS hits")
    if source.unread:
        columns.append(f"count(*) FILTER (WHERE {source.unread}) AS unread")
    return f"SELECT {', '.join(columns)} {source.from_where}"


def _statement(view: AnalysisView, metric: Metric, params: AnswerParams, source: Source, row: dict[str, Any]) -> str:
    scope = scope_text(params.filters, params.window)
    n, rows = int(row["n"]), int(row["rows"])
    what = figure(metric, view.card, row["value"])
    column = metric.measure.words
    if metric.aggregate == "count" and metric.measure.kind == "rows":
        of = f", {number_text(100 * rows / view.rows, unit='%')} of {view.rows:,}" if scope and view.rows else ""
        return f"There {'is' if rows == 1 else 'are'} {rows_text(rows)}{scope}{of}."
    if metric.aggregate == "count":
        missing = f"{rows - n:,} of {rows:,} are missing" if n < rows else "none is missing"
        return f"{column} has {rows_text(n, 'value')}{scope}; {missing}."
    if metric.aggregate in {"missing", "missing_share"}:
        share = number_text(100 * (rows - n) / rows, unit="%") if rows else "not defined"
        return f"{rows - n:,} of {rows_text(rows, 'value')} of {column} are missing{scope} ({share})."
    if metric.aggregate == "distinct":
        return f"There are {what} distinct {nouns(column)} in {rows_text(n)}{scope}."
    if metric.aggregate == "rows_per_distinct":
        return f"There are {what} rows per {column}{scope} ({n:,} rows, {int(row['hits']):,} {column})."
    if is_share(metric):
        return f"The share with {column} is {what}{scope} ({int(row['hits']):,} of {rows_text(n)})."
    return f"The {_words(view, metric)} is {what}{scope} ({_basis(metric, source, row)})."


def _words(view: AnalysisView, metric: Metric) -> str:
    measure = metric.measure
    if (
        metric.aggregate in {"min", "max"}
        and measure.kind == "column"
        and view.card.column(measure.columns[0]).temporal
    ):
        return f"{'earliest' if metric.aggregate == 'min' else 'latest'} {measure.words}"
    return metric.words


def _basis(metric: Metric, source: Source, row: dict[str, Any]) -> str:
    n, rows = int(row["n"]), int(row["rows"])
    if source.once_per:
        return f"each {source.once_per} counted once, {n:,} of them"
    unread = int(row.get("unread") or 0)
    if metric.measure.kind == "sum_per":
        return f"each of {n:,} {metric.measure.columns[1]} values summed over its rows"
    basis = rows_text(n) if n == rows else f"{n:,} of {rows_text(rows)} have a value"
    if unread:
        basis += f"; {rows_text(unread, 'value')} that {'is' if unread == 1 else 'are'} {source.words} left out"
    return basis


def _why_undefined(metric: Metric, n: int, rows: int) -> str:
    if rows == 0:
        return "there are no rows"
    if n == 0:
        return f"all {rows:,} values are missing"
    needed = _NEEDS.get(metric.aggregate, 2)
    return "there is one row only" if n == 1 else f"{rows_text(n)} of at least {needed} needed"
