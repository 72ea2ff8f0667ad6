"""Times until an event, some of them cut off: Kaplan-Meier curves and the log-rank test, from counts.

Counted by time, since millions of rows come down to some thousand times; SciPy's `ecdf` and `logrank` want a row each.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from datasets.battery._statistics.groups import Z95

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Curve:
    """A Kaplan-Meier curve. Arrays have one entry for each distinct time, ascending; times in the unit they came in."""

    times: Floats
    events: Floats
    censored: Floats

    @property
    def n(self) -> int:
        """How many were observed."""
        return int(self.events.sum() + self.censored.sum())

    @property
    def ended(self) -> int:
        """How many had the event."""
        return int(self.events.sum())

    @cached_property
    def at_risk(self) -> Floats:
        """How many had neither had the event nor been cut off just before each time."""
        gone = np.cumsum(self.events + self.censored)
        return self.n - np.concatenate(([0.0], gone[:-1]))

    @cached_property
    def survival(self) -> Floats:
        """The share without the event just after each time."""
        return np.asarray(np.cumprod(1.0 - self.events / self.at_risk), dtype=np.float64)

    @property
    def last_event(self) -> float:
        """The latest time of an event."""
        return float(self.times[self.events > 0][-1]) if self.ended else 0.0

    def share_at(self, time: float) -> tuple[float, float, float] | None:
        """The share without the event after `time`, and its 95 % interval; None beyond the last time seen.

        The interval is log-log (Kalbfleisch and Prentice) with Greenwood's variance; 0 and 1 have none of their own.
        """
        if time > float(self.times[-1]):
            return None
        at = int(np.searchsorted(self.times, time, side="right")) - 1
        if at < 0:
            return 1.0, 1.0, 1.0
        share = float(self.survival[at])
        low, high = self._band
        return share, float(low[at]), float(high[at])

    def left_at(self, time: float) -> int:
        """How many were still observed just before `time`."""
        at = int(np.searchsorted(self.times, time, side="left"))
        return int(self.at_risk[at]) if at < len(self.times) else 0

    def reach(self, left: int) -> float:
        """The latest time up to which at least `left` are still observed; 0 where so many never are."""
        enough = np.flatnonzero(self.at_risk >= left)
        return float(self.times[enough[-1]]) if len(enough) else 0.0

    def mean_up_to(self, horizon: float) -> float:
        """The mean time without the event up to `horizon`: the area below the curve."""
        before = self.times < horizon
        edges = np.concatenate(([0.0], self.times[before], [horizon]))
        return float(np.concatenate(([1.0], self.survival[before])) @ np.diff(edges))

    def median(self) -> tuple[float | None, float | None, float | None]:
        """The time after which half have had the event, and its 95 % interval (Brookmeyer and Crowley); None: later."""
        low, high = self._band
        return self._first_below(self.survival), self._first_below(low), self._first_below(high)

    def _first_below(self, curve: Floats) -> float | None:
        below = np.flatnonzero((curve <= 0.5 + 1e-12) & (self.survival < 1.0))
        return float(self.times[below[0]]) if len(below) else None

    @cached_property
    def _band(self) -> tuple[Floats, Floats]:
        at_risk, s = self.at_risk, self.survival
        with np.errstate(divide="ignore", invalid="ignore"):
            greenwood = np.cumsum(self.events / (at_risk * (at_risk - self.events)))
            spread = Z95 * np.sqrt(greenwood) / np.abs(np.log(s))
            low, high = s ** np.exp(spread), s ** np.exp(-spread)
        inside = (s > 0.0) & (s < 1.0)
        return np.where(inside, low, s), np.where(inside, high, s)


@dataclass(frozen=True)
class LogRank:
    """Whether groups differ in when the event comes. `expected`: events of each group if none did."""

    chi2: float
    df: int
    p: float
    observed: tuple[float, ...]
    expected: tuple[float, ...]
    variance: float

    @property
    def hazard_ratio(self) -> tuple[float, float, float]:
        """Of the first of two groups to the second, and its 95 % interval: Peto's estimate exp((O - E) / V)."""
        log, half = (self.observed[0] - self.expected[0]) / self.variance, Z95 / math.sqrt(self.variance)
        return math.exp(log), math.exp(log - half), math.exp(log + half)


def log_rank(curves: Sequence[Curve]) -> LogRank | None:
    """Compare two or more curves; None where no event tells them apart.

    The variance is hypergeometric, so that equal times count as they are (Mantel 1966).
    """
    times = np.unique(np.concatenate([c.times[c.events > 0] for c in curves]))
    if not len(times):
        return None
    deaths = np.array([_on(times, c.times, c.events) for c in curves])
    at_risk = np.array([_risk(times, c) for c in curves])
    d, n = deaths.sum(axis=0), at_risk.sum(axis=0)
    share = at_risk / n
    expected = (share * d).sum(axis=1)
    scale = np.where(n > 1, d * (n - d) / np.maximum(n - 1, 1), 0.0)
    covariance = np.diag((share * scale).sum(axis=1)) - (share * scale) @ share.T
    observed = deaths.sum(axis=1)
    gap, part = (observed - expected)[:-1], covariance[:-1, :-1]
    if np.linalg.matrix_rank(part) < len(gap):
        return None
    chi2 = float(gap @ np.linalg.solve(part, gap))
    p = float(stats.chi2.sf(chi2, len(gap)))
    return LogRank(chi2, len(gap), p, tuple(observed), tuple(expected), float(covariance[0, 0]))


def _on(times: Floats, own: Floats, counts: Floats) -> Floats:
    found = np.zeros(len(times))
    places = np.searchsorted(times, own)
    held = (places < len(times)) & (times[np.minimum(places, len(times) - 1)] == own)
    np.add.at(found, places[held], counts[held])
    return found


def _risk(times: Floats, curve: Curve) -> Floats:
    places = np.searchsorted(curve.times, times, side="left")
    return np.append(curve.at_risk, 0.0)[places]
