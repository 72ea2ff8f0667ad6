"""Tests on counts and shares: two proportions, two Poisson rates, and their intervals."""

import math
from collections.abc import Sequence

from scipy import stats

from datasets.battery._statistics.groups import Z95, Difference, Tested, chi_square
from datasets.evidence import Effect

_MOST_TABLES = 10_000
"""Boschloo's test goes through every table of two groups of these sizes; with more of them it takes too long."""


def wilson(successes: int, n: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share; n ≥ 1."""
    share, z2 = successes / n, Z95 * Z95
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = Z95 / (1 + z2 / n) * math.sqrt(share * (1 - share) / n + z2 / (4 * n * n))
    return max(0.0, middle - half), min(1.0, middle + half)


def two_shares(k1: int, n1: int, k2: int, n2: int) -> tuple[str, Difference] | None:
    """Name of the test and the difference k1/n1 − k2/n2 with Newcombe's interval; n ≥ 1 each.

    Score test; where a cell expects less than 5, Boschloo's exact test, or Fisher's where the groups are too large for
    it. None where all rows say the same.
    """
    hits, total = k1 + k2, n1 + n2
    if hits in {0, total}:
        return None
    p1, p2 = k1 / n1, k2 / n2
    (l1, u1), (l2, u2) = wilson(k1, n1), wilson(k2, n2)
    diff = p1 - p2
    low = diff - math.sqrt((p1 - l1) ** 2 + (u2 - p2) ** 2)
    high = diff + math.sqrt((u1 - p1) ** 2 + (p2 - l2) ** 2)
    effect = Effect(name="risk_difference", value=diff, low=low, high=high)
    if min(n1, n2) * min(hits, total - hits) / total < 5:
        name, p = _exact(k1, n1, k2, n2)
        return name, Difference(diff, low, high, p, effect)
    pool = hits / total
    z = diff / math.sqrt(pool * (1 - pool) * (1 / n1 + 1 / n2))
    return "two-proportion score", Difference(diff, low, high, 2.0 * float(stats.norm.sf(abs(z))), effect)


def _exact(k1: int, n1: int, k2: int, n2: int) -> tuple[str, float]:
    """Name and p of an exact test of two shares. Boschloo's holds the sizes of the groups fixed, and nothing else."""
    if n1 * n2 <= _MOST_TABLES:
        return "Boschloo exact", float(stats.boschloo_exact([[k1, k2], [n1 - k1, n2 - k2]]).pvalue)
    return "Fisher exact", float(stats.fisher_exact([[k1, n1 - k1], [k2, n2 - k2]])[1])


def shares(hits: Sequence[int], sizes: Sequence[int]) -> Tested | None:
    """Chi-square test of equal shares in k groups, with Cramér's V; None where all rows say the same."""
    return chi_square([[k, n - k] for k, n in zip(hits, sizes, strict=True)])


def poisson_ratio(count: int, exposure: float, base: int, base_exposure: float) -> tuple[float, Effect | None]:
    """Exact conditional test of two Poisson rates: p, and the rate ratio count/base with its Clopper-Pearson interval.

    The ratio is None where the base is 0.
    """
    total = count + base
    if total == 0:
        return 1.0, None
    part = exposure / (exposure + base_exposure)
    found = stats.binomtest(count, total, part)
    if base == 0:
        return float(found.pvalue), None
    ends = found.proportion_ci(0.95, method="exact")
    odds = base_exposure / exposure
    low, high = float(ends.low), float(ends.high)
    upper = high / (1 - high) * odds if high < 1 else None
    ratio = count / base * odds
    return float(found.pvalue), Effect(name="rate_ratio", value=ratio, low=low / (1 - low) * odds, high=upper)
