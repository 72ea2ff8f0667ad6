"""Outliers among the rows of each group."""

from functools import partial

from datasets.battery._outliers.params import OutlierParams
from datasets.battery._rows.numeric import numeric_sql
from datasets.battery._wording.phrases import percent_text
from datasets.battery._wording.words import figure, listed_and, name_text, rows_text
from datasets.errors import DatasetError
from datasets.evidence import Candidate, Claim, ClaimValue
from datasets.measures import Measure, Metric, where
from datasets.plain import plain
from datasets.sql import ident, literal
from datasets.view import AnalysisView

_FEWEST = 5
_NAMED = 3


def outlying_within(view: AnalysisView, params: OutlierParams, measure: Measure, by: str) -> Candidate:
    """Judge each value by the fences of its own group; groups with fewer than five values, or one value only, are not.

    :raises DatasetError: when no group is large enough.
    """
    expression = numeric_sql(view.card, measure).sql
    group = ident(view.card.column(by).name)
    scope = where(params.filters, params.window, f"({expression}) IS NOT NULL", f"{group} IS NOT NULL")
    judged = _judged(params, expression, group, scope)
    sql = (
        f"{judged} SELECT g, count(*) AS n, count(*) FILTER (WHERE o) AS outliers, min(v) FILTER (WHERE o) AS least, "
        f"max(v) FILTER (WHERE o) AS most FROM j GROUP BY g ORDER BY outliers DESC, g"
    )
    groups = view.query(sql).rows
    if not groups:
        raise DatasetError(f"no group of {by} has {_FEWEST} values or more of {measure.words}{params.scope}")
    overall = (
        f"{judged} SELECT count(*) FILTER (WHERE o), avg(v), avg(v) FILTER (WHERE NOT o), "
        f"avg(v) FILTER (WHERE o), median(v) FILTER (WHERE o) FROM j"
    )
    count, with_them, without, mean, median = view.query(overall).rows[0]
    metric = Metric(aggregate="max", measure=measure)
    n = sum(int(r[1]) for r in groups)
    touched = [r for r in groups if int(r[2])]
    if count:
        top = listed_and(
            [f"{name_text(view.card, by, r[0])} ({int(r[2]):,} of {int(r[1]):,})" for r in touched[:_NAMED]]
        )
        share, write = percent_text(int(count) / n), partial(figure, metric, view.card)
        of_them, them = f"Their mean is {write(mean)} and their median {write(median)}.", "them"
        if int(count) == 1:
            of_them, them = f"It is {write(mean)}.", "it"
        statement = (
            f"{measure.words} has {rows_text(int(count), 'outlier')} among {n:,} values ({share}){params.scope}, "
            f"judged within each {by} by {params.rule}: in {len(touched):,} of {len(groups):,} groups, most in {top}. "
            f"{of_them} The mean is {write(with_them)} with {them} and {write(without)} without."
        )
    else:
        statement = (
            f"There are no outliers in {measure.words}{params.scope} within any of the {len(groups):,} groups of {by} "
            f"by {params.rule} ({n:,} values)."
        )
    return Candidate(
        claim=Claim(
            subject=params.subject(measure.key),
            value=ClaimValue(number=int(count), unit="rows", direction=None if count else "none"),
        ),
        statement=statement,
        n=n,
        null=not count,
        interest_0_1=0.45 if count else 0.2,
        table=[
            {by: plain(r[0]), "n": int(r[1]), "outliers": int(r[2]), "lowest": plain(r[3]), "highest": plain(r[4])}
            for r in groups[:50]
        ],
        sql=[sql, overall],
        caveats=[f"groups of {by} with fewer than {_FEWEST} values are not judged"],
    )


def _judged(params: OutlierParams, expression: str, group: str, scope: str) -> str:
    """CTE j: every value v with its group g and whether it is an outlier o there."""
    limit = literal(params.limit)
    deviation = "stddev_pop(v)" if params.deviation == "population" else "stddev_samp(v)"
    reach = {
        "iqr": f"quantile_cont(v, 0.25) - {limit} * (quantile_cont(v, 0.75) - quantile_cont(v, 0.25)) AS low, "
        f"quantile_cont(v, 0.75) + {limit} * (quantile_cont(v, 0.75) - quantile_cont(v, 0.25)) AS high",
        "z": f"avg(v) - {limit} * {deviation} AS low, avg(v) + {limit} * {deviation} AS high",
        "robust": f"median(v) - {limit} * 1.4826 * mad(v) AS low, median(v) + {limit} * 1.4826 * mad(v) AS high",
    }[params.method]
    return (
        f"WITH a AS (SELECT {group} AS g, ({expression})::DOUBLE AS v FROM analysis{scope}), "
        f"f AS (SELECT g AS fg, {reach} FROM a GROUP BY g HAVING count(*) >= {_FEWEST}), "
        f"j AS (SELECT g, v, low < high AND (v < low OR v > high) AS o FROM a JOIN f ON g = fg)"
    )
