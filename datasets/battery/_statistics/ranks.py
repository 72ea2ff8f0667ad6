"""Rank tests from summaries of ranks, so that values are ranked in the database and never leave it."""

import math
from collections.abc import Sequence

from scipy import stats

from datasets.battery._statistics.groups import Tested, bounded, noncentral_chi2
from datasets.evidence import Effect


def kruskal(sizes: Sequence[int], rank_sums: Sequence[float], tie_sum: float) -> Tested | None:
    """Kruskal-Wallis from rank sums, with ε². `tie_sum`: Σ (t³ − t) over tied values; None when all values tie."""
    total = sum(sizes)
    correction = 1.0 - tie_sum / (total**3 - total) if total > 1 else 0.0
    if correction <= 0 or len(sizes) < 2:
        return None
    squares = sum(r * r / n for r, n in zip(rank_sums, sizes, strict=True))
    h = (12.0 / (total * (total + 1)) * squares - 3 * (total + 1)) / correction
    k = len(sizes)
    low, high = (min(1.0, end / (total - 1)) for end in noncentral_chi2(h, k - 1))
    epsilon = min(1.0, h / (total - 1))
    effect = Effect(name="epsilon_squared", value=epsilon, low=min(low, epsilon), high=max(high, epsilon))
    return Tested("Kruskal-Wallis", float(stats.chi2.sf(h, k - 1)), effect)


def brunner_munzel(a: tuple[int, float, float], b: tuple[int, float, float]) -> Tested | None:
    """Brunner-Munzel test from (n, mean rank, variance of rank minus rank within the group), with Cliff's delta.

    Delta is P(a > b) − P(a < b). None where the groups do not overlap, since the statistic is then not defined.
    """
    (na, mean_a, var_a), (nb, mean_b, var_b) = a, b
    spread = na * var_a + nb * var_b
    if spread <= 0 or min(na, nb) < 2:
        return None
    w = na * nb * (mean_a - mean_b) / ((na + nb) * math.sqrt(spread))
    df = spread**2 / ((na * var_a) ** 2 / (na - 1) + (nb * var_b) ** 2 / (nb - 1))
    delta = 2 * (mean_a - mean_b) / (na + nb)
    half = 2 * float(stats.t.ppf(0.975, df)) * math.sqrt(spread) / (na * nb)
    effect = Effect(name="cliffs_delta", value=delta, low=bounded(delta - half), high=bounded(delta + half))
    return Tested("Brunner-Munzel", 2.0 * float(stats.t.sf(abs(w), df)), effect)
