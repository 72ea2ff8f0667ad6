"""Simple forecasts of a series of equal steps: the last season again, a damped trend, and Theta with a season.

Seasonal factors are averages of the values over their centred moving mean; smoothing weights are searched on a grid, so
that nothing depends on an optimiser. Theta: Assimakopoulos and Nikolopoulos (2000), in the form of Hyndman and Billah
(2003): simple exponential smoothing with half the slope of the straight line as drift.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]
Forecaster = Callable[[Values, int, int], Values]

_WEIGHTS = tuple(float(w) for w in np.linspace(0.05, 0.95, 10))
_DAMPING = (0.8, 0.9, 0.98)


def seasonal_naive(values: Values, season: int, horizon: int) -> Values:
    """The last season again; the last value where there is no season."""
    last = values[-season:]
    return np.array([last[h % season] for h in range(horizon)])


def theta(values: Values, season: int, horizon: int) -> Values:
    """Theta on the seasonally adjusted series."""
    factors = _factors(values, season)
    flat = values - np.resize(factors, len(values))
    weight, level = _smoothed(flat)
    slope = float(np.polyfit(np.arange(len(flat)), flat, 1)[0])
    steps = np.arange(1, horizon + 1)
    drift = slope / 2 * (steps - 1 + (1 - (1 - weight) ** len(flat)) / weight)
    return level + drift + _ahead(factors, len(values), horizon)


def damped(values: Values, season: int, horizon: int) -> Values:
    """Exponential smoothing of level and damped trend on the seasonally adjusted series."""
    factors = _factors(values, season)
    flat = values - np.resize(factors, len(values))
    best: tuple[float, float, float, float] | None = None
    for alpha in _WEIGHTS:
        for beta in (0.05, 0.2):
            for phi in _DAMPING:
                level, trend, error = flat[0], 0.0, 0.0
                for value in flat[1:]:
                    expected = level + phi * trend
                    error += (value - expected) ** 2
                    new = expected + alpha * (value - expected)
                    trend, level = phi * trend + beta * (value - expected), new
                if best is None or error < best[0]:
                    best = (error, float(level), float(trend), phi)
    assert best is not None
    _, level, trend, phi = best
    grown = np.cumsum(phi ** np.arange(1, horizon + 1))
    return level + trend * grown + _ahead(factors, len(values), horizon)


def mean_of_recent(values: Values, season: int, horizon: int) -> Values:
    """The mean of the last two seasons, or eight steps, with the season on it."""
    factors = _factors(values, season)
    flat = values - np.resize(factors, len(values))
    return float(flat[-max(8, 2 * season) :].mean()) + _ahead(factors, len(values), horizon)


def _smoothed(flat: Values) -> tuple[float, float]:
    """Weight and last level of simple exponential smoothing."""
    best = (float("inf"), 0.5, float(flat[-1]))
    for weight in _WEIGHTS:
        level, error = float(flat[0]), 0.0
        for value in flat[1:]:
            error += (float(value) - level) ** 2
            level += weight * (float(value) - level)
        best = min(best, (error, weight, level))
    return best[1], best[2]


def _factors(values: Values, season: int) -> Values:
    """What each place in the season adds, from the start of the series on; zeros without two full seasons."""
    if season < 2 or len(values) < 2 * season:
        return np.zeros(max(1, season))
    half = season // 2
    kernel = np.ones(season) / season if season % 2 else np.r_[0.5, np.ones(season - 1), 0.5] / season
    level = np.convolve(values, kernel, mode="valid")
    rest = values[half : half + len(level)] - level
    places = (np.arange(len(level)) + half) % season
    found = np.array([float(np.mean(rest[places == k])) if np.any(places == k) else 0.0 for k in range(season)])
    return found - float(found.mean())


def _ahead(factors: Values, n: int, horizon: int) -> Values:
    return np.array([factors[(n + h) % len(factors)] for h in range(horizon)])


def backtest(values: Values, forecaster: Forecaster, season: int, horizon: int, origins: Sequence[int]) -> Values:
    """Errors of forecasts from each origin, as origins × horizon; each sees only the values before its origin."""
    return np.array([values[at : at + horizon] - forecaster(values[:at], season, horizon) for at in origins])


def mase(values: Values, season: int, errors: Values) -> float | None:
    """Mean absolute scaled error: the errors in units of the mean step from one season to the next.

    None where the values repeat exactly. Hyndman and Koehler (2006).
    """
    step = float(np.abs(values[season:] - values[:-season]).mean())
    return float(np.abs(errors).mean()) / step if step > 0 else None
