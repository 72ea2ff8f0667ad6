"""Tests on group summaries and coefficients: thin wrappers that return plain floats and effects with intervals.

Groups come as (n, mean, variance), so no row leaves the database. Nothing here returns NaN: where a test is not
defined the wrapper returns None.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from datasets.evidence import Effect

Z95 = 1.959963984540054


@dataclass(frozen=True)
class Group:
    """Summary of the values of one group; `var` is the sample variance."""

    name: str
    n: int
    mean: float
    var: float


@dataclass(frozen=True)
class Tested:
    """Outcome of one test."""

    name: str
    p: float
    effect: Effect


@dataclass(frozen=True)
class Difference:
    """A difference of means or shares with its 95 % interval and test."""

    value: float
    low: float
    high: float
    p: float
    effect: Effect


def bounded(value: float, low: float = -1.0, high: float = 1.0) -> float:
    """Clip to a range that rounding may have left by a hair."""
    return min(high, max(low, value))


def q_values(p_values: Sequence[float]) -> list[float]:
    """Benjamini-Hochberg adjusted p-values, in the order given."""
    if not p_values:
        return []
    return [float(q) for q in stats.false_discovery_control(list(p_values), method="bh")]


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm-Bonferroni adjusted p-values, in the order given."""
    adjusted, worst = [0.0] * len(p_values), 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=lambda i: p_values[i])):
        worst = max(worst, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = worst
    return adjusted


def pooled(groups: Sequence[Group], name: str = "the others") -> Group:
    """Join groups into one, exactly."""
    n = sum(g.n for g in groups)
    mean = sum(g.n * g.mean for g in groups) / n
    squares = sum((g.n - 1) * g.var + g.n * (g.mean - mean) ** 2 for g in groups)
    return Group(name, n, mean, squares / (n - 1) if n > 1 else 0.0)


def welch_t(a: Group, b: Group) -> Difference | None:
    """Welch's t-test of mean(a) − mean(b) with Hedges' g; None when a variance is not defined or both are zero."""
    if min(a.n, b.n) < 2 or a.var + b.var <= 0:
        return None
    va, vb = a.var / a.n, b.var / b.n
    se = math.sqrt(va + vb)
    df = (va + vb) ** 2 / (va**2 / (a.n - 1) + vb**2 / (b.n - 1))
    diff = a.mean - b.mean
    half = float(stats.t.ppf(0.975, df)) * se
    p = 2.0 * float(stats.t.sf(abs(diff) / se, df))
    return Difference(diff, diff - half, diff + half, p, hedges_g(a, b))


def mean_interval(group: Group) -> tuple[float, float] | None:
    """The 95 % t interval of a mean; None for a single value."""
    if group.n < 2:
        return None
    half = float(stats.t.ppf(0.975, group.n - 1)) * math.sqrt(group.var / group.n)
    return group.mean - half, group.mean + half


def hedges_g(a: Group, b: Group) -> Effect:
    """Standardised mean difference with the small-sample correction; interval by the large-sample variance."""
    df = a.n + b.n - 2
    sd = math.sqrt(((a.n - 1) * a.var + (b.n - 1) * b.var) / df)
    if sd == 0:
        return Effect(name="hedges_g", value=0.0)
    g = (a.mean - b.mean) / sd * (1 - 3 / (4 * df - 1))
    half = Z95 * math.sqrt((a.n + b.n) / (a.n * b.n) + g * g / (2 * (a.n + b.n)))
    return Effect(name="hedges_g", value=g, low=g - half, high=g + half)


def welch_anova(groups: Sequence[Group]) -> Tested | None:
    """Welch's one-way ANOVA with ω²; None unless two groups or more have a variance above zero and n ≥ 2 each."""
    if len(groups) < 2 or any(g.n < 2 or g.var <= 0 for g in groups):
        return None
    # Welch (1951): means are weighted by their precision.
    n, means, k = np.array([g.n for g in groups]), np.array([g.mean for g in groups]), len(groups)
    weights = n / np.array([g.var for g in groups])
    shares = weights / weights.sum()
    spread = float(((1 - shares) ** 2 / (n - 1)).sum()) / (k**2 - 1)
    between = float((weights * (means - shares @ means) ** 2).sum()) / (k - 1)
    f, df = between / (1 + 2 * (k - 2) * spread), (k - 1.0, 1 / (3 * spread))
    if not math.isfinite(f):
        return None
    return Tested("Welch ANOVA", float(stats.f.sf(f, *df)), _omega_squared(f, *df, int(n.sum())))


def _omega_squared(f: float, df1: float, df2: float, total: int) -> Effect:
    """ω² of an F test with the interval from the noncentral F distribution."""
    value = max(0.0, df1 * (f - 1) / (df1 * (f - 1) + total))
    ends = [_solve(lambda nc: float(stats.ncf.cdf(f, df1, df2, nc)), level, f * df1) for level in (0.975, 0.025)]
    low, high = (end / (end + total) for end in ends)
    return Effect(name="omega_squared", value=value, low=min(low, value), high=max(high, value))


def even(counts: Sequence[int]) -> Tested:
    """Chi-square test of equal counts, with Cohen's w."""
    statistic, p = (float(v) for v in stats.chisquare(list(counts)))
    return Tested("chi-square", p, cohens_w(statistic, len(counts) - 1, sum(counts)))


def cohens_w(statistic: float, df: int, total: float) -> Effect:
    """Cohen's w of a chi-square statistic over `total` rows."""
    return _w("cohens_w", statistic, df, total, 1)


def chi_square(table: Sequence[Sequence[int]]) -> Tested | None:
    """Chi-square test of independence with Cramér's V; Monte Carlo where over a fifth of the cells expect less than 5.

    None unless two rows and two columns hold something.
    """
    cells = np.array(table, dtype=float)
    cells = cells[cells.sum(axis=1) > 0][:, cells.sum(axis=0) > 0]
    if min(cells.shape) < 2:
        return None
    total = float(cells.sum())
    expected = np.outer(cells.sum(axis=1), cells.sum(axis=0)) / total
    statistic = float(((cells - expected) ** 2 / expected).sum())
    df = (cells.shape[0] - 1) * (cells.shape[1] - 1)
    effect = _cramers_v(statistic, cells.shape, total)
    if float((expected < 5).mean()) > 0.2:
        if cells.shape == (2, 2):
            return Tested("Fisher exact", float(stats.fisher_exact(cells.astype(int))[1]), effect)
        # All tables at once would take n_resamples times the cells; a batch bounds the memory.
        batch = max(1, 1_000_000 // cells.size)
        method = stats.MonteCarloMethod(n_resamples=1999, batch=batch, rng=np.random.default_rng(7))
        found = stats.chi2_contingency(cells.astype(int), correction=False, method=method)
        return Tested("Monte Carlo chi-square", float(found.pvalue), effect)
    return Tested("chi-square", float(stats.chi2.sf(statistic, df)), effect)


def pearson(r: float, n: int) -> Tested | None:
    """Test and Fisher interval of a correlation of n ≥ 4 pairs; None below."""
    if n < 4:
        return None
    r = bounded(r)
    return Tested("Pearson", _correlation_p(r, n), _fisher("pearson_r", r, 1.0 / (n - 3)))


def spearman(rho: float, n: int) -> Tested | None:
    """Test and Bonett-Wright interval of a rank correlation of n ≥ 4 pairs; None below."""
    if n < 4:
        return None
    rho = bounded(rho)
    return Tested("Spearman", _correlation_p(rho, n), _fisher("spearman_rho", rho, (1 + rho * rho / 2) / (n - 3)))


def _correlation_p(r: float, n: int) -> float:
    rest = 1.0 - r * r
    return 0.0 if rest <= 1e-15 else 2.0 * float(stats.t.sf(abs(r) * math.sqrt((n - 2) / rest), n - 2))


def _fisher(name: str, r: float, variance: float) -> Effect:
    if abs(r) >= 1.0 - 1e-12:
        return Effect(name=name, value=r, low=r, high=r)
    z, half = math.atanh(r), Z95 * math.sqrt(variance)
    return Effect(name=name, value=r, low=math.tanh(z - half), high=math.tanh(z + half))


def _cramers_v(statistic: float, shape: tuple[int, ...], total: float) -> Effect:
    """Cramér's V; in tables larger than two by two freed of the bias that many sparse cells give it (Bergsma, 2013)."""
    df = (shape[0] - 1) * (shape[1] - 1)
    plain = _w("cramers_v", statistic, df, total, min(shape) - 1)
    if df == 1:
        return plain
    sides = [side - (side - 1) ** 2 / (total - 1) for side in shape]
    value = math.sqrt(max(0.0, statistic / total - df / (total - 1)) / max(min(sides) - 1, 1e-9))
    low, high = min(plain.low or 0.0, value), max(plain.high or 0.0, value)
    return Effect(name="cramers_v", value=min(1.0, value), low=low, high=min(1.0, high))


def _w(name: str, statistic: float, df: int, total: float, divisor: int) -> Effect:
    low, high = noncentral_chi2(statistic, df)
    value, ends = math.sqrt(statistic / total / divisor), (math.sqrt(v / total / divisor) for v in (low, high))
    first, last = ends
    last = min(1.0, last) if name == "cramers_v" else last
    return Effect(name=name, value=value, low=min(first, value), high=max(last, value))


def noncentral_chi2(statistic: float, df: int) -> tuple[float, float]:
    """The 95 % interval of the noncentrality behind an observed chi-square statistic."""
    low, high = (
        _solve(lambda nc: float(stats.ncx2.cdf(statistic, df, nc)), level, statistic) for level in (0.975, 0.025)
    )
    return low, high


def _solve(cdf: Callable[[float], float], level: float, statistic: float) -> float:
    """The noncentrality at which a statistic lies at `level` of its distribution; 0 when even none is too much.

    The interval is wider than 2 × statistic + 40 nowhere; a distribution function that fails far out counts as 0.
    """
    low, high = 0.0, 2.0 * statistic + 40.0
    if cdf(1e-9) <= level:
        return 0.0
    for _ in range(60):
        middle = (low + high) / 2
        found = cdf(middle)
        if math.isfinite(found) and found > level:
            low = middle
        else:
            high = middle
    return low
