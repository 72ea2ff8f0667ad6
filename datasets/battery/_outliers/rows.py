"""Single values far from the others: how many, which, and what the mean would be without them."""

from dataclasses import dataclass
from typing import Any

from datasets.battery._outliers.fences import Fences, fences_of
from datasets.battery._outliers.params import OutlierParams
from datasets.battery._rows.histogram import histogram_of
from datasets.battery._rows.numeric import distinct_values, numeric_sql
from datasets.battery._rows.tally import Tally, tally_of
from datasets.battery._wording.phrases import percent_text
from datasets.battery._wording.words import figure, listed_and, name_text, rows_text
from datasets.evidence import Candidate, Claim, ClaimValue
from datasets.measures import Measure, Metric, where
from datasets.plain import plain
from datasets.schema import SchemaCard
from datasets.sql import ident
from datasets.view import AnalysisView

_MOST_NAMED = 8
_MANY_SHARE_0_1 = 0.1


@dataclass(frozen=True)
class Found:
    """What lies outside the fences, and the mean of the rest."""

    count: int
    below: int
    above: int
    least: float | None
    most: float | None
    mean: float | None
    median: float | None
    mean_without: float | None
    mean_with: float
    sql: str


def outlying_rows(view: AnalysisView, params: OutlierParams, measure: Measure, *, briefly: bool = False) -> Candidate:
    """Find the outliers of a measure; none is a finding too. Exact by the stated rule, so without a test.

    `briefly`: without the histogram.

    :raises DatasetError: where the rule cannot be applied.
    """
    expression = numeric_sql(view.card, measure).sql
    scope = where(params.filters, params.window, f"({expression}) IS NOT NULL")
    values = tally_of(
        view, f"SELECT ({expression})::DOUBLE AS v FROM analysis{scope}", [distinct_values(view.card, measure)]
    )
    fences = fences_of(view, params, values)
    found = _found(view, fences, values)
    metric = Metric(aggregate="max", measure=measure)
    named, rows, listing = _named(view, params, measure, expression, scope, fences, found)
    said = _said(view.card, params, metric, fences, found, named)
    return Candidate(
        claim=Claim(
            subject=params.subject(measure.key),
            value=ClaimValue(
                number=found.count,
                unit="rows",
                text=listed_and(named) if found.count and named else None,
                direction=None if found.count else "none",
            ),
        ),
        statement=said,
        n=fences.all_n,
        null=found.count == 0,
        interest_0_1=0.25 if found.count == 0 else 0.5,
        chart=None
        if briefly
        else histogram_of(
            view,
            values,
            title=f"Distribution of {measure.words}{params.scope}",
            x_title=measure.words,
            marks=_marks(fences),
        ),
        table=rows,
        sql=[found.sql, *listing],
        caveats=_caveats(params, fences, found),
    )


def _found(view: AnalysisView, fences: Fences, values: Tally) -> Found:
    outside = fences.outside("v")
    out = f" FILTER (WHERE {outside})"
    common = "" if fences.common is None else f" AND v <> {fences.common!r}"
    far = values.only(outside)
    sql = (
        f"SELECT {values.count(outside)} AS outliers, {values.count(f'v < {fences.low!r}{common}')} AS below, "
        f"min(v){out} AS least, max(v){out} AS most, {values.mean(outside)} AS mean, "
        f"(SELECT {far.quantile(0.5)} FROM {far.rows}) AS median, "
        f"{values.mean(f'NOT {outside}')} AS mean_without, {values.mean()} AS mean_with FROM {values.rows}"
    )
    count, below, least, most, mean, median, without, mean_with = view.query(sql).rows[0]
    return Found(
        int(count), int(below), int(count) - int(below), least, most, mean, median, without, float(mean_with), sql
    )


def _named(
    view: AnalysisView,
    params: OutlierParams,
    measure: Measure,
    expression: str,
    scope: str,
    fences: Fences,
    found: Found,
) -> tuple[list[str], list[dict[str, Any]], list[str]]:
    """The outliers by value (and name), the furthest first, as words and as rows of evidence."""
    if not found.count:
        return [], [], []
    show = params.show or _names(view.card, measure)
    columns = "".join(f"{ident(view.card.column(c).name)} AS s{i}, " for i, c in enumerate(show, start=1))
    sql = (
        f"SELECT {columns}{expression} AS value FROM analysis{scope} AND {fences.outside(f'({expression})::DOUBLE')} "
        f"ORDER BY abs(({expression})::DOUBLE - {fences.median!r}) DESC LIMIT 50"
    )
    metric = Metric(aggregate="max", measure=measure)
    rows = view.query(sql).rows
    words = []
    for row in rows if found.count <= _MOST_NAMED else []:
        value = figure(metric, view.card, row[-1])
        known = [(c, v) for c, v in zip(show, row[:-1], strict=True) if v is not None] if params.show else []
        names = [name_text(view.card, c, v) for c, v in known]
        words.append(f"{', '.join(names)} ({value})" if names else value)
    table = [
        {**{c: plain(v) for c, v in zip(show, row[:-1], strict=True)}, measure.words: plain(row[-1])} for row in rows
    ]
    return words, table, [sql]


def _names(card: SchemaCard, measure: Measure) -> tuple[str, ...]:
    """A nearly unique column and the time, so that a listed row can be found again."""
    unique = [
        c.name
        for c in card.by_role("identifier", "text", "dimension")
        if c.distinct >= 0.9 * max(1, c.rows - c.nulls) and c.name not in measure.columns
    ]
    time = [card.time_column] if card.time_column and card.time_column not in measure.columns else []
    return (*unique[:1], *time)


def _said(
    card: SchemaCard, params: OutlierParams, metric: Metric, fences: Fences, found: Found, named: list[str]
) -> str:
    words = metric.measure.words

    def write(value: float | None) -> str:
        return figure(metric, card, value)

    parts = ""
    if fences.common is not None:
        share = percent_text((fences.all_n - fences.n) / fences.all_n)
        parts = (
            f"{words} is mostly {write(fences.common)}{params.scope}: {fences.all_n - fences.n:,} of "
            f"{fences.all_n:,} values ({share}), so it was looked at in two parts. "
        )
    among = f"{fences.n:,} other values" if parts else f"{fences.n:,} values"
    scope = "" if parts else params.scope
    rule = params.rule + (" on a log scale" if fences.log else "")
    if fences.by_iqr and params.method == "robust":
        rule = "the IQR rule (1.5 × IQR), as most values are alike"
    if not found.count:
        low, high = write(_rounded(fences.low)), write(_rounded(fences.high))
        # Where no value can be negative, a negative lower fence would only puzzle.
        beyond = f"above {high}" if fences.low < 0 <= fences.least else f"below {low} or above {high}"
        return f"{parts}There are no outliers in {words}{scope} by {rule}: none of the {among} lies {beyond}."
    share = percent_text(found.count / fences.n)
    noun = "outlier" if found.count == 1 else "outliers"
    head = f"{parts}{words} has {found.count:,} {noun} among {among} ({share}){scope} by {rule}"
    if named:
        head = f"{head}: {listed_and(named)}."
        inside = f" The median of the {among} is {write(fences.median)}." if parts else ""
    else:
        sides = _sides(found, write(_rounded(fences.low)), write(_rounded(fences.high)))
        head = f"{head}: {sides}."
        inside = f" They range from {write(found.least)} to {write(found.most)}"
        inside += f", with mean {write(found.mean)} and median {write(found.median)}."
    them = "it" if found.count == 1 else "them"
    many = found.count > _MANY_SHARE_0_1 * fences.n
    skew = " So many are no exceptions: the values are skewed, or of several kinds." if many else ""
    mean = f"The mean is {write(found.mean_with)} with {them} and {write(found.mean_without)} without."
    return f"{head}{inside} {mean}{skew}"


def _sides(found: Found, low: str, high: str) -> str:
    if not found.below:
        return f"all above {high}"
    if not found.above:
        return f"all below {low}"
    return f"{found.below:,} below {low} and {found.above:,} above {high}"


def _rounded(value: float) -> float:
    return round(value, 2) if abs(value) >= 1 else float(f"{value:.3g}")


def _marks(fences: Fences) -> list[tuple[str, float]]:
    return [("lower fence", fences.low), ("median", fences.median), ("upper fence", fences.high)]


def _caveats(params: OutlierParams, fences: Fences, found: Found) -> list[str]:
    said = []
    if fences.low == fences.high and params.method == "iqr":
        said.append("the quartiles are equal, so the rule takes every other value for an outlier")
    if found.count > _MANY_SHARE_0_1 * fences.n:
        said.append(f"{rows_text(found.count)} are many for outliers; the values are rather skewed or of several kinds")
    if found.below and found.least is not None and found.least < 0 <= fences.low + (fences.high - fences.low):
        said.append("negative values may be corrections or errors")
    return said
