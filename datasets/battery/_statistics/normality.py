"""Tests of normality: Shapiro-Wilk and Anderson-Darling on values, D'Agostino-Pearson and Jarque-Bera on moments.

Formulas: D'Agostino (1970) and Anscombe & Glynn (1983) as in SciPy's `normaltest`; the p-value of Anderson-Darling by
D'Agostino & Stephens (1986), table 4.9.
"""

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from datasets.evidence import Effect

_Z95 = 1.959963984540054


@dataclass(frozen=True)
class Moments:
    """n values with mean, central moments m2..m4 (divided by n); m2 > 0."""

    n: int
    mean: float
    m2: float
    m3: float
    m4: float

    @property
    def skewness(self) -> float | None:
        """Bias-corrected, as pandas and DuckDB have it; None below three values."""
        if self.n < 3:
            return None
        return float(self.m3 / self.m2**1.5 * math.sqrt(self.n * (self.n - 1)) / (self.n - 2))

    @property
    def kurtosis(self) -> float | None:
        """Excess, bias-corrected; None below four values."""
        n = self.n
        if n < 4:
            return None
        excess = self.m4 / self.m2**2 - 3
        return float((n - 1) / ((n - 2) * (n - 3)) * ((n + 1) * excess + 6))

    @property
    def skewness_effect(self) -> Effect | None:
        """Skewness with its 95 % interval under normality."""
        value, n = self.skewness, self.n
        if value is None:
            return None
        half = _Z95 * math.sqrt(6.0 * n * (n - 1) / ((n - 2) * (n + 1) * (n + 3)))
        return Effect(name="skewness", value=value, low=value - half, high=value + half)


@dataclass(frozen=True)
class Normality:
    """Outcome of a test: its name, the statistic with its letter, and p."""

    name: str
    letter: str
    statistic: float
    p: float


def shapiro(values: Sequence[float]) -> Normality:
    """Shapiro-Wilk; above 5,000 values the p-value is approximate (the caller says so)."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*p-value may not be accurate.*")
        found = stats.shapiro(np.asarray(values, dtype=float))
    return Normality("Shapiro-Wilk", "W", float(found.statistic), float(found.pvalue))


def anderson(values: Sequence[float]) -> Normality:
    """Anderson-Darling with estimated mean and standard deviation."""
    x = np.sort(np.asarray(values, dtype=float))
    n = len(x)
    z = (x - x.mean()) / x.std(ddof=1)
    i = np.arange(1, n + 1)
    a2 = -n - float(np.sum((2 * i - 1) * (stats.norm.logcdf(z) + stats.norm.logsf(z[::-1])))) / n
    star = a2 * (1 + 0.75 / n + 2.25 / n**2)
    if star >= 0.6:
        p = math.exp(1.2937 - 5.709 * star + 0.0186 * star**2) if star < 13 else 0.0
    elif star >= 0.34:
        p = math.exp(0.9177 - 4.279 * star - 1.38 * star**2)
    elif star > 0.2:
        p = 1 - math.exp(-8.318 + 42.796 * star - 59.938 * star**2)
    else:
        p = 1 - math.exp(-13.436 + 101.14 * star - 223.73 * star**2)
    return Normality("Anderson-Darling", "A²", a2, min(1.0, max(0.0, p)))


def normaltest(m: Moments) -> Normality:
    """D'Agostino-Pearson's K² from the moments of n ≥ 8 values."""
    k2 = _skew_z(m) ** 2 + _kurtosis_z(m) ** 2
    return Normality("D'Agostino-Pearson", "K²", k2, float(stats.chi2.sf(k2, 2)))


def jarque_bera(m: Moments) -> Normality:
    """Jarque-Bera from the moments."""
    statistic = m.n / 6 * (m.m3**2 / m.m2**3 + (m.m4 / m.m2**2 - 3) ** 2 / 4)
    return Normality("Jarque-Bera", "JB", statistic, float(stats.chi2.sf(statistic, 2)))


def _skew_z(m: Moments) -> float:
    n = m.n
    y = m.m3 / m.m2**1.5 * math.sqrt((n + 1) * (n + 3) / (6 * (n - 2)))
    beta = 3 * (n**2 + 27 * n - 70) * (n + 1) * (n + 3) / ((n - 2) * (n + 5) * (n + 7) * (n + 9))
    w2 = -1 + math.sqrt(2 * (beta - 1))
    delta, alpha = 1 / math.sqrt(0.5 * math.log(w2)), math.sqrt(2 / (w2 - 1))
    return delta * math.asinh(y / alpha)


def _kurtosis_z(m: Moments) -> float:
    n = m.n
    expected = 3 * (n - 1) / (n + 1)
    variance = 24 * n * (n - 2) * (n - 3) / ((n + 1) ** 2 * (n + 3) * (n + 5))
    x = (m.m4 / m.m2**2 - expected) / math.sqrt(variance)
    beta = 6 * (n * n - 5 * n + 2) / ((n + 7) * (n + 9)) * math.sqrt(6 * (n + 3) * (n + 5) / (n * (n - 2) * (n - 3)))
    a = 6 + 8 / beta * (2 / beta + math.sqrt(1 + 4 / beta**2))
    root = (1 - 2 / a) / (1 + x * math.sqrt(2 / (a - 4)))
    third = math.copysign(abs(root) ** (1 / 3), root)
    return (1 - 2 / (9 * a) - third) / math.sqrt(2 / (9 * a))
