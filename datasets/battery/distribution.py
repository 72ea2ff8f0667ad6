"""Step kind `distribution`: centre, spread and shape of a measure, and whether it is normally distributed."""

from typing import Any, Literal

from pydantic import Field

from datasets.battery._kind import StepKind, StepParams, measured
from datasets.battery._rows.histogram import histogram_of
from datasets.battery._rows.numeric import Reading, distinct_values, numeric_sql
from datasets.battery._rows.tally import tally_of
from datasets.battery._statistics.normality import Moments, Normality, anderson, jarque_bera, normaltest, shapiro
from datasets.battery._wording.phrases import filters_key, p_text, percent_text, scope_text
from datasets.battery._wording.words import figure, rows_text, value_of
from datasets.errors import DatasetError
from datasets.evidence import Candidate, Claim, ClaimValue, StepResult, Subject
from datasets.measures import Filter, Measure, Metric, Window, where
from datasets.plain import number_text, plain
from datasets.view import AnalysisView

Test = Literal["auto", "shapiro", "normaltest", "skewness", "anderson", "jarque_bera"]
_SHAPIRO_MOST, _READ_MOST = 5_000, 200_000
_FEWEST = {"shapiro": 3, "anderson": 8, "normaltest": 8, "jarque_bera": 8, "skewness": 3}
_SKEWED = 0.5
_MOSTLY = 0.5


class DistributionParams(StepParams):
    """Which measure, and which test of normality. auto: Shapiro-Wilk up to 5,000 values, D'Agostino-Pearson above."""

    measure: Measure
    test: Test = "auto"
    threshold: float = Field(default=_SKEWED, gt=0, description="for test = skewness: normal where |skewness| is below")
    alpha: float = Field(default=0.05, gt=0, lt=1)
    moments: Literal["sample", "population"] = Field(
        default="sample", description="skewness and kurtosis freed of the bias of small samples, or as SciPy gives them"
    )
    filters: tuple[Filter, ...] = ()
    window: Window | None = None

    @property
    def scope(self) -> str:
        """The filters in words, with a leading space."""
        return scope_text(self.filters, self.window)

    def subject(self, against: str | None) -> Subject:
        """Return the identity of a claim of this step."""
        return Subject(
            relation="distribution",
            metric=self.measure.key,
            against=against,
            period=self.window.key if self.window else None,
            filters=filters_key(self.filters),
        )


def _run(params: DistributionParams, view: AnalysisView) -> StepResult:
    reading = numeric_sql(view.card, params.measure)
    known = f"({reading.sql}) IS NOT NULL"
    values = f"FROM (SELECT ({reading.sql})::DOUBLE AS v FROM analysis{where(params.filters, params.window, known)})"
    row, moments, sql = _summary(view, params, values)
    about = _about(view, params, reading, row, moments, values, sql)
    if moments is None:
        return measured([about])
    chosen = _chosen(params.test, moments.n)
    if moments.n < _FEWEST[chosen]:
        few = f"{rows_text(moments.n, 'value')} are too few to test for a normal distribution"
        return measured([about.model_copy(update={"caveats": [*about.caveats, few]})])
    if chosen == "skewness":
        return measured([_by_skewness(params, moments, sql), about])
    found = _tested(view, chosen, moments, values)
    return measured([_normality(params, moments, found, values), about], p_values=[found.p])


def _summary(view: AnalysisView, params: DistributionParams, values: str) -> tuple[dict[str, Any], Moments | None, str]:
    sql = (
        "SELECT n, mean, total, q[4] AS median, std, q[3] AS q1, q[5] AS q3, least, most, q[1] AS p01, q[2] AS p05, "
        "q[6] AS p95, q[7] AS p99, zeros, median_of_others FROM ("
        "SELECT count(v) AS n, avg(v) AS mean, sum(v) AS total, stddev_samp(v) AS std, min(v) AS least, "
        "max(v) AS most, quantile_cont(v, [0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99]) AS q, "
        f"count(*) FILTER (WHERE v = 0) AS zeros, median(v) FILTER (WHERE v <> 0) AS median_of_others {values})"
    )
    table = view.query(sql)
    row = dict(zip(table.columns, table.rows[0], strict=True))
    if not row["n"]:
        raise DatasetError(f"there are no values of {params.measure.words}{params.scope}")
    if row["least"] == row["most"]:
        return row, None, sql
    mean = float(row["mean"])
    # Central moments around the known mean: sums of raw powers lose all digits where the mean is large.
    m2, m3, m4 = view.query(
        f"SELECT avg((v - {mean!r}) ** 2), avg((v - {mean!r}) ** 3), avg((v - {mean!r}) ** 4) {values}"
    ).rows[0]
    return row, Moments(int(row["n"]), mean, float(m2), float(m3), float(m4)), sql


def _about(
    view: AnalysisView,
    params: DistributionParams,
    reading: Reading,
    row: dict[str, Any],
    moments: Moments | None,
    values: str,
    sql: str,
) -> Candidate:
    metric = Metric(aggregate="mean", measure=params.measure)
    said = {k: figure(metric, view.card, v) for k, v in row.items() if k not in {"n", "zeros"} and v is not None}
    n, words = int(row["n"]), params.measure.words
    total, unread = _missing(view, params, reading)
    skewness, kurtosis = None, None
    if moments is None:
        statement = f"{words}{params.scope}: {_basis(n, total, unread, reading)}, all {said['least']}."
        if n == 1:
            statement += " Standard deviation, skewness and outliers are not defined for one row."
    else:
        skewness, kurtosis = _shape_of(params, moments)
        shape = "" if skewness is None else f", skewness {number_text(round(skewness, 4))} ({_shape(skewness)})"
        shape += "" if kurtosis is None else f", excess kurtosis {number_text(round(kurtosis, 4))}"
        statement = (
            f"{words}{params.scope}: {_basis(n, total, unread, reading)}, mean {said['mean']}, total {said['total']}, "
            f"median {said['median']}, standard deviation {said['std']}, quartiles {said['q1']}, {said['median']} and "
            f"{said['q3']}, range {said['least']} to {said['most']}{shape}."
        )
    zeros = int(row["zeros"])
    if moments is not None and zeros >= _MOSTLY * n:
        statement += (
            f" It is mostly 0: {zeros:,} of {n:,} values ({percent_text(zeros / n)}); the other {n - zeros:,} have the "
            f"median {said['median_of_others']}."
        )
    marks = [("mean", float(row["mean"])), ("median", float(row["median"]))]
    drawn = tally_of(view, f"SELECT v {values}", [distinct_values(view.card, params.measure)])
    return Candidate(
        claim=Claim(subject=params.subject(None), value=value_of(metric, view.card, row["mean"])),
        statement=statement,
        n=n,
        interest_0_1=0.35,
        chart=histogram_of(view, drawn, title=f"Distribution of {words}{params.scope}", x_title=words, marks=marks),
        table=[
            {k: plain(v) for k, v in row.items()}
            | {
                "skewness": skewness,
                "excess_kurtosis": kurtosis,
                "missing": total - n - unread,
            }
        ],
        sql=[sql],
    )


def _shape_of(params: DistributionParams, moments: Moments) -> tuple[float | None, float | None]:
    if params.moments == "sample" or moments.m2 <= 0:
        return moments.skewness, moments.kurtosis
    return moments.m3 / moments.m2**1.5, moments.m4 / moments.m2**2 - 3.0


def _missing(view: AnalysisView, params: DistributionParams, reading: Reading) -> tuple[int, int]:
    unread = f"count(*) FILTER (WHERE {reading.unread})" if reading.unread else "0"
    scope = where(params.filters, params.window)
    total, unreadable = view.query(f"SELECT count(*), {unread} FROM analysis{scope}").rows[0]
    return int(total), int(unreadable)


def _basis(n: int, total: int, unread: int, reading: Reading) -> str:
    missing = total - n - unread
    said = rows_text(n, "value")
    said += f", {missing:,} of {total:,} missing" if missing else ""
    return said + (f", {unread:,} {reading.words} left out" if unread else "")


def _shape(skewness: float) -> str:
    if abs(skewness) < _SKEWED:
        return "roughly symmetric"
    return "right-skewed" if skewness > 0 else "left-skewed"


def _chosen(test: Test, n: int) -> Test:
    if test != "auto":
        return test
    return "shapiro" if n <= _SHAPIRO_MOST else "normaltest"


def _tested(view: AnalysisView, test: Test, moments: Moments, values: str) -> Normality:
    if test == "normaltest":
        return normaltest(moments)
    if test == "jarque_bera":
        return jarque_bera(moments)
    if moments.n > _READ_MOST:
        raise DatasetError(f"{test} reads every value and {moments.n:,} are too many; use normaltest")
    read = [float(r[0]) for r in view.query(f"SELECT v {values} ORDER BY v", limit_rows=_READ_MOST).rows]
    return shapiro(read) if test == "shapiro" else anderson(read)


def _normality(params: DistributionParams, moments: Moments, found: Normality, values: str) -> Candidate:
    normal = found.p >= params.alpha
    words = params.measure.words
    outcome = f"({found.name} {found.letter} = {number_text(round(found.statistic, 4))}, {p_text(found.p)})"
    is_normal = "is normally distributed as far as the" if normal else "is not normally distributed"
    statement = f"{words}{params.scope} {is_normal}"
    statement += f" {rows_text(moments.n, 'value')} show {outcome}." if normal else f" {outcome}."
    caveats = []
    if found.name == "Shapiro-Wilk" and moments.n > _SHAPIRO_MOST:
        caveats.append(f"with more than {_SHAPIRO_MOST:,} values the p-value of Shapiro-Wilk is approximate")
    if not normal and moments.n > _SHAPIRO_MOST:
        caveats.append("with so many values the test also finds departures that do not matter; see the skewness")
    return Candidate(
        claim=Claim(
            subject=params.subject("normal"),
            value=ClaimValue(text="normal" if normal else "not normal", direction="none" if normal else None),
        ),
        statement=statement,
        n=moments.n,
        test=found.name,
        p_value=found.p,
        effect=moments.skewness_effect,
        null=normal,
        interest_0_1=0.3,
        table=[{"test": found.name, "statistic": found.statistic, "p_value": found.p, "n": moments.n}],
        sql=[f"SELECT v {values} ORDER BY v"],
        caveats=caveats,
    )


def _by_skewness(params: DistributionParams, moments: Moments, sql: str) -> Candidate:
    skewness = moments.skewness or 0.0
    normal = abs(skewness) < params.threshold
    limit = number_text(params.threshold)
    is_normal = "is normally distributed" if normal else "is not normally distributed"
    side = "within" if normal else "outside"
    return Candidate(
        claim=Claim(subject=params.subject("normal"), value=ClaimValue(text="normal" if normal else "not normal")),
        statement=(
            f"{params.measure.words}{params.scope} {is_normal} by the skewness rule: its skewness of "
            f"{number_text(round(skewness, 4))} is {side} ±{limit}."
        ),
        n=moments.n,
        effect=moments.skewness_effect,
        interest_0_1=0.3,
        table=[{"skewness": skewness, "threshold": params.threshold, "n": moments.n}],
        sql=[sql],
    )


KIND = StepKind("distribution", DistributionParams, _run, "centre, spread, shape, quantiles and normality of a measure")
