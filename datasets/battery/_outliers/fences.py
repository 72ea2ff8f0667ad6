"""Where the fences stand: the SQL that decides which values are outliers."""

import math
from dataclasses import dataclass
from functools import partial

from datasets.battery._outliers.params import OutlierParams
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


def fences_of(view: AnalysisView, params: OutlierParams, values: str) -> Fences:
    """Set the fences. `values`: a FROM clause with a column v, without missing values.

    :raises DatasetError: with fewer than five values, or when all are equal.
    """
    fences = _set(view, params, values, None)
    if params.method != "robust" or fences.low != fences.high:
        return fences
    # Most values are one and the same: MAD and IQR are zero. Judge the others among themselves.
    return _set(view, params, values, fences.median)


def _set(view: AnalysisView, params: OutlierParams, values: str, common: float | None) -> Fences:
    scope = "" if common is None else f" FILTER (WHERE v <> {literal(common)})"
    row = view.query(
        f"SELECT n, all_n, mean, q[2], pop, sample, q[1], q[3], mad, least, most, skew FROM ("
        f"SELECT count(v){scope} AS n, count(v) AS all_n, avg(v){scope} AS mean, stddev_pop(v){scope} AS pop, "
        f"stddev_samp(v){scope} AS sample, quantile_cont(v, [0.25, 0.5, 0.75]){scope} AS q, mad(v){scope} AS mad, "
        f"min(v){scope} AS least, max(v){scope} AS most, skewness(v){scope} AS skew {values})"
    ).rows[0]
    n, all_n = int(row[0]), int(row[1])
    if n < _FEWEST:
        of_others = "" if common is None else f" besides {common:g}"
        raise DatasetError(f"{n} value{'' if n == 1 else 's'}{of_others}: too few to speak of outliers")
    mean, median, pop, sample, q1, q3, mad, least = (float(v) for v in row[2:10])
    if float(row[10]) == least:
        raise DatasetError(f"all {n:,} values are {least:g}, so none can be an outlier")
    fences = partial(Fences, n=n, all_n=all_n, mean=mean, median=median, least=least, common=common)
    if params.method == "z":
        spread = pop if params.deviation == "population" else sample
        return fences(mean - params.limit * spread, mean + params.limit * spread)
    if params.method == "iqr":
        return fences(q1 - params.limit * (q3 - q1), q3 + params.limit * (q3 - q1))
    if least > 0 and row[11] is not None and float(row[11]) > _SKEWED:
        middle, spread = _log_spread(view, values, scope)
        reach = params.limit * _MAD_TO_SD * spread
        if reach > 0:
            return fences(math.exp(middle - reach), math.exp(middle + reach), log=True)
    if mad > 0:
        reach = params.limit * _MAD_TO_SD * mad
        return fences(median - reach, median + reach)
    return fences(q1 - 1.5 * (q3 - q1), q3 + 1.5 * (q3 - q1), by_iqr=q3 > q1)


def _log_spread(view: AnalysisView, values: str, scope: str) -> tuple[float, float]:
    row = view.query(f"SELECT median(ln(v)){scope}, mad(ln(v)){scope} {values}").rows[0]
    return float(row[0]), float(row[1])
