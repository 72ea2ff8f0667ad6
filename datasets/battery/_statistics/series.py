"""Tests on a series of periods: Mann-Kendall with correction for autocorrelation, Theil-Sen slope, spikes."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from datasets.battery._statistics.groups import Z95, bounded
from datasets.battery._statistics.rates import poisson_ratio
from datasets.evidence import Effect

FEWEST_FOR_SPIKES = 6
_SPIKE_Z = 5.0
_SPIKE_SHARE = 0.25
_LONGEST_SPIKE = 3
_SHOULDER = 0.5


@dataclass(frozen=True)
class Trend:
    """A monotone trend: `p` and τ by Mann-Kendall, slope per step by Theil-Sen, with 95 % intervals.

    `effective` is the number of independent values that the series is worth.
    """

    p: float
    tau: Effect
    slope: float
    low: float
    high: float
    intercept: float
    effective: float


@dataclass(frozen=True)
class Spike:
    """Adjacent steps (first ≤ i ≤ last) far above, or below, what the others say."""

    first: int
    last: int
    up: bool
    p: float
    z: float


def trend(values: Sequence[float], at: Sequence[float] | None = None) -> Trend | None:
    """Test a series; None below 4 values or where all are equal. `at`: positions, when the steps are not all equal.

    p is that of Mann-Kendall. Where the detrended values are autocorrelated, the slope must also stand out from an
    AR(1) process of their size (t-test with the effective number of values: Santer et al., 2000), and the larger p
    counts. In 500 simulated series of 24 values this rejects 3 % without and 7 % with an AR(1) coefficient of 0.5,
    where plain Mann-Kendall rejects 20 %. Unlike the variance correction of Hamed and Rao (1998) it still sees steep
    trends that are bent, whose residuals are small but smooth.
    """
    y = np.asarray(values, dtype=float)
    n = len(y)
    x = np.arange(n, dtype=float) if at is None else np.asarray(at, dtype=float)
    if n < 4 or float(np.ptp(y)) == 0.0:
        return None
    s = float(sum(np.sign(y[i + 1 :] - y[i]).sum() for i in range(n - 1)))
    _, ties = np.unique(y, return_counts=True)
    variance = (n * (n - 1) * (2 * n + 5) - float((ties * (ties - 1) * (2 * ties + 5)).sum())) / 18.0
    slope, intercept, low, high = (float(v) for v in stats.theilslopes(y, x, 0.95))
    z = 0.0 if s == 0 else (s - math.copysign(1.0, s)) / math.sqrt(variance)
    p = 2.0 * float(stats.norm.sf(abs(z)))
    effective = effective_number(y - slope * x)
    if effective < n:
        p = max(p, _slope_p(x, y, effective))
    pairs = n * (n - 1) / 2
    tau, half = s / pairs, Z95 * math.sqrt(variance * n / effective) / pairs
    effect = Effect(name="kendall_tau", value=tau, low=bounded(tau - half), high=bounded(tau + half))
    return Trend(p, effect, slope, low, high, intercept, effective)


def effective_number(residuals: NDArray[np.float64]) -> float:
    """How many independent values the detrended ones are worth: n (1 − ρ) / (1 + ρ), at least 5, at most n.

    ρ is the lag-1 autocorrelation of the ranks, freed of its small-sample bias.
    """
    n = len(residuals)
    ranks = stats.rankdata(np.round(residuals, 12))
    ranks -= ranks.mean()
    total = float((ranks**2).sum())
    if total == 0.0 or n < 6:
        return float(n)
    rho = float((ranks[1:] * ranks[:-1]).sum()) / total
    rho = bounded((n * rho + 1) / (n - 4), 0.0, 0.95)
    return min(float(n), max(5.0, n * (1 - rho) / (1 + rho)))


def _slope_p(x: NDArray[np.float64], y: NDArray[np.float64], effective: float) -> float:
    """p of the least-squares slope when the residuals are worth `effective` values."""
    centred = x - x.mean()
    spread = float(centred @ centred)
    slope = float(centred @ y) / spread
    rest = y - y.mean() - slope * centred
    error = math.sqrt(float(rest @ rest) / (effective - 2) / spread)
    return 0.0 if error == 0.0 else 2.0 * float(stats.t.sf(abs(slope) / error, effective - 2))


_WIDER, _RARE = 1.5, 1e-4


def spikes(
    values: Sequence[float], *, noise: Sequence[float], counts: bool = False, days: Sequence[float] = ()
) -> list[Spike]:
    """Find up to three adjacent periods far above or below the rest, strongest first; none when over a quarter are.

    A spike lies beyond every step that is none, and falls off at once on both sides.
    Distance is measured from the Theil-Sen line in robust standard deviations, and never in less than the sampling
    error of the period's own value, `noise`. `p` allows for having looked at every stretch. Counts are also tested as
    Poisson rates over the `days` of each period.
    """
    y = np.asarray(values, dtype=float)
    n = len(y)
    fit = trend(values)
    if n < FEWEST_FOR_SPIKES or fit is None:
        return []
    # The middle of the line, not its intercept, so that the fit holds with many ties.
    line = fit.slope * np.arange(n)
    residuals = y - line - float(np.median(y - line))
    scale = 1.4826 * float(np.median(np.abs(residuals)))
    level = abs(float(np.median(y)))
    z_of = residuals / np.maximum(np.asarray(noise, dtype=float), max(scale, 1e-9 * max(level, 1.0)))
    found = []
    for up in (True, False):
        marked = [i for i in range(n) if _stands_out(float(z_of[i]), float(y[i]), level, up=up)]
        rare = set(_nearly_none(y, residuals, scale)) if counts and not up else set()
        marked = sorted({*marked, *rare})
        if not marked or len(marked) > _SPIKE_SHARE * n:
            continue
        rest = [float(y[i]) for i in range(n) if i not in marked]
        apart = [i for i in marked if (y[i] > max(rest) if up else y[i] < min(rest))]
        for run in (r for r in _runs(apart) if len(r) <= _LONGEST_SPIKE):
            # Nothing at all between usual periods is sudden; at an end of the series it may be the foot of a slope.
            gap = rare.issuperset(run) and run[0] > 0 and run[-1] < n - 1
            if not gap and not _sudden(residuals, run):
                continue
            z = max(abs(float(z_of[i])) for i in run)
            found.append(
                Spike(run[0], run[-1], up, _spike_p(y, run, z, days, counts=counts, rare=rare.issuperset(run)), z)
            )
    return sorted(found, key=lambda s: -s.z)


def _stands_out(z: float, value: float, level: float, *, up: bool) -> bool:
    return (z > _SPIKE_Z and value > 1.5 * level) if up else (z < -_SPIKE_Z and value < 0.5 * level)


def _nearly_none(y: NDArray[np.float64], residuals: NDArray[np.float64], scale: float) -> list[int]:
    """Periods in which next to nothing happens where a dozen things do by rule: someone is away.

    Below a small count lies less room than the error of a usual period takes, so the tail of the Poisson rate decides;
    not where the counts spread much wider than that rate.
    """
    expected = y - residuals
    return [
        i
        for i in range(len(y))
        if expected[i] > 0
        and y[i] < 0.35 * expected[i]
        and scale <= _WIDER * math.sqrt(expected[i])
        and -residuals[i] > 2 * scale
        and float(stats.poisson.cdf(y[i], expected[i])) < _RARE
    ]


def _sudden(residuals: NDArray[np.float64], run: Sequence[int]) -> bool:
    """Whether the steps next to a run are not half as far out: else it is the top of a slope, not a spike."""
    far = max((float(residuals[i]) for i in run), key=abs)
    beside = [float(residuals[i]) for i in (run[0] - 1, run[-1] + 1) if 0 <= i < len(residuals)]
    # At an end of the series only one side tells, so that it must tell more.
    return all(r / far < (_SHOULDER if len(beside) == 2 else _SHOULDER / 2) for r in beside)


def _runs(marked: Sequence[int]) -> list[list[int]]:
    runs: list[list[int]] = []
    for i in marked:
        if runs and runs[-1][-1] == i - 1:
            runs[-1].append(i)
        else:
            runs.append([i])
    return runs


def _spike_p(
    y: NDArray[np.float64], run: Sequence[int], z: float, days: Sequence[float], *, counts: bool, rare: bool
) -> float:
    """`rare`: the tail of the Poisson rate decided on the run, and decides here."""
    n = len(y)
    p = 0.0 if rare else 2.0 * float(stats.t.sf(z, n - 2)) * n
    if counts:
        inside, rest = sum(y[i] for i in run), sum(y[i] for i in range(n) if i not in run)
        held, others = sum(days[i] for i in run), sum(days[i] for i in range(n) if i not in run)
        p = max(p, poisson_ratio(round(inside), held, round(rest), others)[0] * n * (n + 1) / 2)
    return min(1.0, p)
