"""What each of several columns adds to a number or a yes/no, the others held equal: least squares and logistic models.

Arrays: x is (rows, terms) without the intercept, y is (rows,). A group of terms is what one column is made into.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special, stats

from datasets.battery._statistics.groups import Z95

Floats = NDArray[np.float64]
_STEPS, _SETTLED = 50, 1e-9


@dataclass(frozen=True)
class Fit:
    """Coefficients (intercept first) with their covariance, and how much is explained (R²; McFadden's for yes/no)."""

    beta: Floats
    covariance: Floats
    explained: float

    def term(self, place: int) -> tuple[float, float, float]:
        """The coefficient of a term of x and its 95 % interval."""
        b, half = float(self.beta[place + 1]), Z95 * math.sqrt(max(0.0, float(self.covariance[place + 1, place + 1])))
        return b, b - half, b + half

    def p_of(self, places: Sequence[int]) -> float:
        """Wald test that the coefficients at all these places are 0."""
        at = [p + 1 for p in places]
        part, b = self.covariance[np.ix_(at, at)], self.beta[at]
        return float(stats.chi2.sf(float(b @ np.linalg.pinv(part) @ b), len(at)))

    def predicted(self, x: Floats) -> Floats:
        """The linear predictor of other rows: values, or log odds."""
        return np.asarray(self.beta[0] + x @ self.beta[1:], dtype=np.float64)


def least_squares(x: Floats, y: Floats) -> Fit:
    """Ordinary least squares with HC3 covariance, which unequal spread does not mislead (Long and Ervin 2000)."""
    design = np.column_stack([np.ones(len(y)), x])
    inverse = np.linalg.pinv(design.T @ design)
    beta = inverse @ design.T @ y
    residual = y - design @ beta
    leverage = np.einsum("ij,jk,ik->i", design, inverse, design)
    scaled = design * (residual / np.maximum(1.0 - leverage, 1e-9))[:, None]
    total = float(((y - y.mean()) ** 2).sum())
    explained = 1.0 - float((residual**2).sum()) / total if total else 0.0
    return Fit(beta, inverse @ (scaled.T @ scaled) @ inverse, explained)


def logistic(x: Floats, y: Floats) -> Fit | None:
    """Maximum likelihood by iteratively reweighted least squares; None where it does not settle (separated data)."""
    design = np.column_stack([np.ones(len(y)), x])
    beta = np.zeros(design.shape[1])
    for _ in range(_STEPS):
        p = special.expit(design @ beta)
        weight = np.maximum(p * (1.0 - p), 1e-12)
        information = design.T @ (design * weight[:, None])
        step = np.linalg.pinv(information) @ (design.T @ (y - p))
        beta = beta + step
        if float(np.abs(step).max()) < _SETTLED:
            break
    else:
        return None
    if float(np.abs(beta[1:]).max(initial=0.0)) > 30.0:
        return None
    share = float(y.mean())
    null = len(y) * (special.xlogy(share, share) + special.xlogy(1 - share, 1 - share))
    likelihood = float((special.xlogy(y, p) + special.xlogy(1 - y, 1 - p)).sum())
    return Fit(beta, np.linalg.pinv(information), 1.0 - likelihood / null if null else 0.0)


def inflation(x: Floats) -> Floats:
    """The variance inflation factor of each term: 1 / (1 - R²) of it on the others."""
    return np.asarray(np.diag(np.linalg.pinv(np.corrcoef(x, rowvar=False))), dtype=np.float64)


def area_under_curve(score: Floats, y: Floats) -> float:
    """The chance that a yes scores higher than a no (ties count half)."""
    ranks = stats.rankdata(score)
    yes = float(y.sum())
    return float((ranks[y > 0].sum() - yes * (yes + 1) / 2) / (yes * (len(y) - yes)))
