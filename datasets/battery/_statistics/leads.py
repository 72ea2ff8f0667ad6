"""Whether one series follows another: cross-correlation of pre-whitened series, tested over all lags at once."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from datasets.battery._statistics.groups import bounded

Values = NDArray[np.float64]
_SHUFFLES = 1_999


@dataclass(frozen=True)
class Lead:
    """The strongest of `lags` cross-correlations, over `n` whitened values.

    `lag`: how many steps y follows x; negative where x follows y. `low`, `high`: 95 % interval of `r`, widened for the
    number of lags. `p`: of the largest |r| over all lags. `every`: (lag, r) of each.
    """

    lag: int
    r: float
    low: float
    high: float
    p: float
    n: int
    every: tuple[tuple[int, float], ...]

    @property
    def lags(self) -> int:
        """How many correlations were looked at."""
        return len(self.every)

    @property
    def bound(self) -> float:
        """The absolute correlation that is ruled out at the strongest lag."""
        return max(abs(self.low), abs(self.high))


def lead(x: Values, y: Values, season: int = 1) -> Lead | None:
    """Look for the lag at which y goes with x, up to twelve steps or a quarter of the series either way.

    None where one of the series is constant once trend and season are out. The shuffles have a fixed seed.
    """
    a, b = (whitened(v, season) for v in (x, y))
    if a is None or b is None:
        return None
    n = len(a)
    most = min(12, len(x) // 4)
    lags = range(-most, most + 1)
    # Column k holds y as many steps later, without values beyond the ends: one product gives every correlation.
    shifted = np.zeros((n, len(lags)))
    for column, k in enumerate(lags):
        shifted[max(0, -k) : n - max(0, k), column] = b[max(0, k) : n - max(0, -k)]
    found = a @ shifted / n
    at = int(np.abs(found).argmax())
    rng = np.random.default_rng(7)
    shuffled = rng.permuted(np.tile(a, (_SHUFFLES, 1)), axis=1) @ shifted / n
    beyond = int((np.abs(shuffled).max(axis=1) >= abs(found[at]) - 1e-12).sum())
    r = bounded(float(found[at]), -0.999999, 0.999999)
    half = float(stats.norm.ppf(1 - 0.025 / len(lags))) / np.sqrt(n - abs(lags[at]) - 3)
    low, high = (float(np.tanh(np.arctanh(r) + sign * half)) for sign in (-1, 1))
    every = tuple((k, float(v)) for k, v in zip(lags, found, strict=True))
    return Lead(lags[at], r, low, high, (1 + beyond) / (1 + _SHUFFLES), n, every)


def whitened(values: Values, season: int = 1) -> Values | None:
    """What a series does beyond its straight trend, its season (with three of them) and its own last value.

    Mean 0 and standard deviation 1, one value shorter; None where nothing is left.
    """
    at = np.arange(len(values))
    rest = values - np.polyval(np.polyfit(at, values, 1), at)
    if 1 < season <= len(values) // 3:
        rest = rest - np.array([rest[k::season].mean() for k in range(season)])[at % season]
    if float(np.abs(rest).max()) <= 1e-9 * max(1.0, float(np.abs(values).max())):
        return None
    before, after = rest[:-1], rest[1:]
    own = after - before * (float(before @ after) / float(before @ before))
    spread = float(own.std())
    return (own - own.mean()) / spread if spread > 0 else None
