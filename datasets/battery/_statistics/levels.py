"""Whether the level of a series stays: what change over its length is left possible, and whether it steps."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from datasets.battery._statistics.sameness import ALPHA, z_of_many
from datasets.battery._statistics.series import Trend, effective_number, trend

_FEWEST_A_SIDE = 4
_SURELY = 0.001
_CLEARLY = 0.2
_BETTER = 0.6


@dataclass(frozen=True)
class Step:
    """A level that changes once and stays: `first` is the position of the first value of the new level.

    `p` allows for having looked at every place.
    """

    first: int
    before: float
    after: float
    p: float


def room_of_trend(fit: Trend, steps: float, values: int, *, tests: int = 1) -> float:
    """The largest change over `steps` that the slope leaves possible, at 95 % for all of `tests` series at once.

    `values`: the number of values; where they follow each other, the interval is that of as many as they are worth.
    """
    factor = math.sqrt(values / fit.effective) * z_of_many(tests) / z_of_many(1)
    low, high = fit.slope - (fit.slope - fit.low) * factor, fit.slope + (fit.high - fit.slope) * factor
    return steps * max(abs(low), abs(high))


def step_of(values: Sequence[float]) -> Step | None:
    """The one place where the level of a series changes for good; None where there is none, or no clear one.

    It has to explain the series much better than a line does, and there is no trend of its own on either side. The
    test is a t-test with as many values as what is left beside the two levels is worth, Bonferroni over the places.
    """
    y = np.asarray(values, dtype=float)
    n = len(y)
    places = range(_FEWEST_A_SIDE, n - _FEWEST_A_SIDE + 1)
    if not places or float(np.ptp(y)) == 0.0:
        return None
    first = min(places, key=lambda k: _left(y[:k]) + _left(y[k:]))
    sides = (y[:first], y[first:])
    before, after = (float(side.mean()) for side in sides)
    left, line = sum(map(_left, sides)), _beside_line(y)
    if abs(after - before) < _CLEARLY * max(abs(before), abs(after)) or left > _BETTER * line:
        return None
    if any((own := trend(list(side))) is not None and own.p <= ALPHA for side in sides):
        return None
    beside = np.concatenate([side - side.mean() for side in sides])
    worth = effective_number(beside) - 2
    error = math.sqrt(left / worth * (1 / first + 1 / (n - first)))
    p = 0.0 if error == 0.0 else 2.0 * float(stats.t.sf(abs(after - before) / error, worth)) * len(places)
    return Step(first, before, after, p) if p <= _SURELY else None


def _left(side: NDArray[np.float64]) -> float:
    return float(((side - side.mean()) ** 2).sum())


def _beside_line(y: NDArray[np.float64]) -> float:
    x = np.arange(len(y)) - (len(y) - 1) / 2
    centred = y - y.mean()
    return float(((centred - x * float(x @ centred) / float(x @ x)) ** 2).sum())
