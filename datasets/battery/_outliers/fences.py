"""Where the fences stand: the SQL that decides which values are outliers."""

import math
from dataclasses import dataclass
from functools import partial

from datasets.battery._outliers.params import OutlierParams
from datasets.battery._rows.tally import Tally
from datasets.errors import DatasetError
from datasets.sql import literal
from datasets.view import AnalysisView

_MAD_TO_SD = 1.4826
_SKEWED = 1.0
_FEWEST = 5


@dataclass(frozen=True)
class Fences:
    """Values outside low..high are outliers, save those that equal `common` (the value that most rows have).

    `n` values were judged, `all_n` exist; `zeros`-like rows are all_n − n. `log`: the fences were set on a log scale.
    """

    low: float
    high: float
    n: int
    all_n: int
    mean: float
    median: float
    least: float
    common: float | None = None
    log: bool = False
    by_iqr: bool = False

    def outside(self, value: str) -> str:
        """SQL predicate of the outliers."""
        beyond = f"{value} < {literal(self.low)} OR {value} > {literal(self.high)}"
        return f"({beyond})" if self.common is None else f"({value} <> {literal(self.common)} AND ({beyond}))"


def fences_of(view: AnalysisView, params: OutlierParams, values: Tally) -> Fences:
    """Set the fences of values.

    :raises DatasetError: with fewer than five values, or when all are equal.
    """
    fences = _set(view, params, values, None)
    if params.method != "robust" or fences.low != fences.high:
        return fences
    # Most values are one and the same: MAD and IQR are zero. Judge the others among themselves.
    return _set(view, params, values, fences.median)


def _set(view: AnalysisView, params: OutlierParams, values: Tally, common: float | None) -> Fences:
    judged = values if common is None else values.only(f"v <> {literal(common)}")
    row = view.query(
        f"SELECT {judged.count()}, {judged.mean()}, {judged.quantiles([0.25, 0.5, 0.75])},"
        f" sqrt({judged.variance(sample=False)}), sqrt({judged.variance()}), min(v), max(v), {judged.skewness()}"
        f" FROM {judged.rows}"
    ).rows[0]
    n = int(row[0])
    all_n = n if common is None else int(view.query(f"SELECT {values.count()} FROM {values.rows}").rows[0][0])
    if n < _FEWEST:
        of_others = "" if common is None else f" besides {common:g}"
        raise DatasetError(f"{n} value{'' if n == 1 else 's'}{of_others}: too few to speak of outliers")
    mean, pop, sample, least, most = (float(v) for v in (row[1], *row[3:7]))
    q1, median, q3 = (float(q) for q in row[2])
    if most == least:
        raise DatasetError(f"all {n:,} values are {least:g}, so none can be an outlier")
    fences = partial(Fences, n=n, all_n=all_n, mean=mean, median=median, least=least, common=common)
    if params.method == "z":
        spread = pop if params.deviation == "population" else sample
        return fences(mean - params.limit * spread, mean + params.limit * spread)
    if params.method == "iqr":
        return fences(q1 - params.limit * (q3 - q1), q3 + params.limit * (q3 - q1))
    if least > 0 and row[7] is not None and float(row[7]) > _SKEWED:
        logs = judged.of("ln(v)")
        middle = _median(view, logs)
        reach = params.limit * _MAD_TO_SD * _deviation(view, logs, middle)
        if reach > 0:
            return fences(math.exp(middle - reach), math.exp(middle + reach), log=True)
    mad = _deviation(view, judged, median)
    if mad > 0:
        reach = params.limit * _MAD_TO_SD * mad
        return fences(median - reach, median + reach)
    return fences(q1 - 1.5 * (q3 - q1), q3 + 1.5 * (q3 - q1), by_iqr=q3 > q1)


def _median(view: AnalysisView, values: Tally) -> float:
    return float(view.query(f"SELECT {values.quantile(0.5)} FROM {values.rows}").rows[0][0])


def _deviation(view: AnalysisView, values: Tally, middle: float) -> float:
    """The median absolute deviation from the middle."""
    return _median(view, values.of(f"abs(v - {literal(middle)})"))
