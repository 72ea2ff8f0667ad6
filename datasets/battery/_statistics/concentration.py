"""How unequally a total is spread over its holders."""

import math
from collections.abc import Sequence

import numpy as np
from scipy import stats

from datasets.battery._statistics.groups import bounded
from datasets.evidence import Effect


def gini(values: Sequence[float]) -> Effect | None:
    """Gini coefficient, 0 (all alike) to 1 (one holds all), with its jackknife 95 % interval over the holders.

    None below three holders, for negative values, and where fewer than two hold anything.
    """
    x = np.sort(np.asarray(values, dtype=float))
    n = len(x)
    if n < 3 or x[0] < 0 or x[-2] <= 0:
        return None
    at = np.arange(1, n + 1)
    total = float(x.sum())
    index = float(((2 * at - n - 1) * x).sum()) / (n * total)
    # Without holder k, those above it move down by one rank; both sides are running sums.
    below = np.cumsum((2 * at - n) * x) - (2 * at - n) * x
    above = (over := (2 * at - 2 - n) * x).sum() - np.cumsum(over)
    without = (below + above) / ((n - 1) * (total - x))
    error = math.sqrt((n - 1) / n * float(((without - without.mean()) ** 2).sum()))
    half = float(stats.t.ppf(0.975, n - 1)) * error
    return Effect(name="gini", value=index, low=bounded(index - half, 0.0), high=bounded(index + half, 0.0))
