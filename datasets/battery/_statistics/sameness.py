"""Whether data leave so little room for an effect that its absence can be said; p alone never says it (086, 100)."""

import math
from collections.abc import Sequence

from scipy import stats

from datasets.evidence import Effect

ALPHA = 0.05
WEAK_R = 0.2
"""A correlation below this is none that matters: it explains less than 4 % of the spread."""
_MEDIUM_W = 0.3
_POINTS_0_1, _PART_OF_SHARE = 0.1, 0.5


def z_of_many(tests: int) -> float:
    """The normal quantile of intervals that hold together at 95 %, as many as were looked at (Bonferroni)."""
    return float(stats.norm.isf(ALPHA / (2 * max(1, tests))))


def room_of_shares(counts: Sequence[int], expected: Sequence[float]) -> list[float]:
    """For each count, how far its true share can lie from the expected one: 0..1, all at once at 95 %.

    Wilson intervals, Bonferroni over the counts; their sum is at least 1. `expected` are shares that sum to 1.
    """
    total, z = sum(counts), z_of_many(len(counts))
    return [max(abs(end - e) for end in _wilson(k / total, total, z)) for k, e in zip(counts, expected, strict=True)]


def shares_as_expected(room: Sequence[float], expected: Sequence[float]) -> bool:
    """Whether no share can be ten percentage points, or half of the expected share, away from it."""
    return all(r <= min(_POINTS_0_1, _PART_OF_SHARE * e) for r, e in zip(room, expected, strict=True))


def unrelated(cramers_v: Effect, sides: tuple[int, int]) -> bool:
    """Whether the interval of Cramér's V leaves out a relation of medium size (Cohen's w of 0.3) in such a table."""
    high = 1.0 if cramers_v.high is None else cramers_v.high
    return high * math.sqrt(max(1, min(sides) - 1)) <= _MEDIUM_W


def weakest_bound(effect: Effect) -> float:
    """How strong a relation the interval of a correlation still allows, 0..1."""
    return max(abs(-1.0 if effect.low is None else effect.low), abs(1.0 if effect.high is None else effect.high))


def strongest_left(correlations: Sequence[tuple[float, int]]) -> float:
    """How strong the strongest of many correlations (r, pairs of values) can be, all at once at 95 %; 0..1."""
    z = z_of_many(len(correlations))
    return max(
        1.0 if n <= 3 or abs(r) >= 1.0 else math.tanh(math.atanh(abs(r)) + z / math.sqrt(n - 3))
        for r, n in correlations
    )


def _wilson(share: float, n: int, z: float) -> tuple[float, float]:
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return max(0.0, middle - half), min(1.0, middle + half)
