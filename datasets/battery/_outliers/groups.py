"""Groups that stand out: one manager with far more reports than any other."""

import statistics
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from datasets.battery._outliers.params import OutlierParams
from datasets.battery._rows.source import source_of
from datasets.battery._wording.phrases import capital, extreme_words
from datasets.battery._wording.ranking import Group, nouns, plural
from datasets.battery._wording.words import figure, listed_and, name_text, value_of
from datasets.charts import Bar, bar_chart
from datasets.errors import DatasetError
from datasets.evidence import Candidate, Claim, ClaimValue
from datasets.measures import Metric
from datasets.plain import plain
from datasets.sql import ident
from datasets.view import AnalysisView

_FEWEST_GROUPS, _FEWEST_ROWS, _MOST_GROUPS = 4, 5, 5_000
_MAD_TO_SD = 1.4826
_FAR_RATIO = 1.5
_MOST_OUT = 3
_COUNTED = {"count", "distinct", "missing", "rows_per_distinct"}


def outlying_groups(view: AnalysisView, params: OutlierParams, metric: Metric, by: str) -> Candidate:
    """Find the groups whose value lies far above, or below, all others; that none does is a finding too.

    Averages of fewer than five rows are left out. At most three groups can stand out: more are no exception.

    :raises DatasetError: with fewer than four groups, or too many.
    """
    source = source_of(
        view, metric, filters=params.filters, window=params.window, groups=[ident(view.card.column(by).name)]
    )
    enough = "" if metric.aggregate in _COUNTED | {"sum"} else f" AND count({source.row}) >= {_FEWEST_ROWS}"
    sql = (
        f"SELECT {source.groups[0]}, {source.aggregate} AS value, count({source.row}) AS n {source.from_where} "
        f"GROUP BY ALL HAVING value IS NOT NULL{enough} ORDER BY value DESC, g1 LIMIT {_MOST_GROUPS + 1}"
    )
    rows = view.query(sql).rows
    if len(rows) > _MOST_GROUPS:
        raise DatasetError(f"{by!r} has more than {_MOST_GROUPS:,} groups")
    if len(rows) < _FEWEST_GROUPS:
        raise DatasetError(f"{by!r} has {len(rows)} groups with enough rows: too few for one of them to stand out")
    if not all(isinstance(r[1], int | float | Decimal) for r in rows):
        raise DatasetError(f"{metric.words} is no number, so no group can stand out in it")
    groups = [Group(name_text(view.card, by, r[0]), r[1], int(r[2])) for r in rows]
    out, high = _standing_out([float(g.value) for g in groups], params.limit)
    named = [groups[i] for i in out]
    rest = [g for i, g in enumerate(groups) if i not in out]
    first = (named[0] if high else named[-1]) if named else groups[0]
    value = value_of(
        metric,
        view.card,
        first.value,
        text=listed_and([g.name for g in named]) or "none",
        direction=("higher" if high else "lower") if named else "none",
    )
    return Candidate(
        claim=Claim(
            subject=params.subject(metric.key), value=value if named else ClaimValue(number=0, direction="none")
        ),
        statement=_statement(view, params, metric, by, named, rest, high),
        n=sum(g.n for g in groups),
        null=not named,
        interest_0_1=0.85 if named else 0.2,
        chart=bar_chart(
            [Bar(g.name, float(g.value)) for g in groups],
            title=f"{capital(metric.words)} by {by}{params.scope}",
            value_title=metric.words,
            name_title=by,
            highlight=[g.name for g in named],
        ),
        table=[{by: plain(r[0]), metric.words: plain(r[1]), "n": int(r[2])} for r in (*rows[:47], *rows[47:][-3:])],
        sql=[sql],
    )


def _standing_out(values: Sequence[float], limit: float) -> tuple[list[int], bool]:
    """Indexes (values are in descending order) of up to three groups far above the rest, or below it.

    Far: more than `limit` MADs from the median, and half as much again as (or two thirds of) the next value.
    """
    middle = statistics.median(values)
    spread = _MAD_TO_SD * statistics.median([abs(v - middle) for v in values])
    most = min(_MOST_OUT, len(values) // 3)
    for count in range(most, 0, -1):
        inner, outer = values[count], values[count - 1]
        if outer - middle > limit * spread and outer > _FAR_RATIO * inner >= 0 and outer > inner:
            return list(range(count)), True
    for count in range(most, 0, -1):
        inner, outer = values[-count - 1], values[-count]
        if middle - outer > limit * spread and inner > _FAR_RATIO * outer >= 0 and outer < inner:
            return list(range(len(values) - count, len(values))), False
    return [], True


def _statement(
    view: AnalysisView,
    params: OutlierParams,
    metric: Metric,
    by: str,
    named: list[Group],
    rest: list[Group],
    high: bool,
) -> str:
    def write(value: Any) -> str:
        return figure(metric, view.card, value)

    ends = list(dict.fromkeys((write(rest[-1].value), write(rest[0].value))))
    span = " to ".join(ends) if len(ends) > 1 else f"{ends[0]} each"
    if not named:
        words = metric.words
        return f"No {by} stands out in {words}{params.scope}: the {plural(by, len(rest))} have {span}."
    far = f"{_far(metric, high)} than any other {by}{params.scope}"
    others = f"against {span} for the other {plural(by, len(rest))}"
    order = named if high else named[::-1]
    values = [float(g.value) for g in order]
    alone = len(order) == 1 or max(values[:2]) > _FAR_RATIO * min(values[:2])
    if not alone:
        return f"{listed_and([f'{g.name} ({write(g.value)})' for g in order])} have {far} {others}."
    followed = listed_and([f"{g.name} ({write(g.value)})" for g in order[1:]])
    followed = f", followed by {followed}," if followed else ""
    return f"{order[0].name} has {far}: {write(order[0].value)}{followed} {others}."


def _far(metric: Metric, high: bool) -> str:
    column = metric.measure.words
    if metric.aggregate in _COUNTED:
        what = {
            "count": "rows" if metric.measure.kind == "rows" else f"{column} values",
            "distinct": f"distinct {nouns(column)}",
            "missing": f"missing values in {column}",
            "rows_per_distinct": f"rows per {column}",
        }[metric.aggregate]
        return f"far {'more' if high else 'fewer'} {what}"
    most, least = extreme_words(metric)
    comparative = {"longest": "longer", "shortest": "shorter", "highest": "higher", "lowest": "lower"}
    return f"a far {comparative[most if high else least]} {metric.words}"
