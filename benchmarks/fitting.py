"""Fit and judge the small linear heads that ship in `analyst/assets`; only the training scripts use this."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from analyst.heads import Embeds

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]


class CachedEmbedder:
    """Embeds each text once."""

    def __init__(self, inner: Embeds) -> None:
        self._inner = inner
        self._seen: dict[str, NDArray[np.float32]] = {}

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one unit vector a text."""
        new = [t for t in dict.fromkeys(texts) if t not in self._seen]
        if new:
            self._seen.update(zip(new, self._inner.embed(new), strict=True))
        if not texts:
            return np.zeros((0, 384), dtype=np.float32)
        return np.stack([self._seen[t] for t in texts])


@dataclass(frozen=True)
class Fit:
    """Weights (classes, features) and biases (classes,) of a softmax head."""

    weights: Matrix
    bias: Vector

    def probabilities(self, x: Matrix, scale: float = 1.0) -> Matrix:
        """Return (rows, classes)."""
        z = scale * (x @ self.weights.T + self.bias)
        p = np.exp(z - z.max(axis=1, keepdims=True))
        return np.asarray(p / p.sum(axis=1, keepdims=True))


def fit_softmax(x: Matrix, y: NDArray[np.int_], classes: int, *, ridge: float, weight: Vector | None = None) -> Fit:
    """Minimise weighted cross-entropy + ridge/2 · |W|² by L-BFGS; the bias is not penalised."""
    rows, size = x.shape
    w = np.ones(rows) if weight is None else weight
    truth = np.eye(classes)[y]

    def loss(theta: Vector) -> tuple[float, Vector]:
        matrix, bias = theta[: classes * size].reshape(classes, size), theta[classes * size :]
        p = Fit(matrix, bias).probabilities(x)
        error = (p - truth) * w[:, None]
        value = -float((w * np.log(p[np.arange(rows), y] + 1e-12)).sum()) + ridge / 2 * float((matrix**2).sum())
        return value, np.concatenate([(error.T @ x + ridge * matrix).ravel(), error.sum(axis=0)])

    start = np.zeros(classes * size + classes)
    theta = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 400}).x
    return Fit(theta[: classes * size].reshape(classes, size), theta[classes * size :])


def expected_calibration_error(confidence: Vector, hit: NDArray[np.bool_], bins: int = 10) -> float:
    """Mean gap between confidence and accuracy over equal-width bins, weighted by their size."""
    place = np.minimum((confidence * bins).astype(int), bins - 1)
    gaps = [
        (place == b).mean() * abs(hit[place == b].mean() - confidence[place == b].mean())
        for b in range(bins)
        if (place == b).any()
    ]
    return float(sum(gaps))


def head_arrays(name: str, labels: Sequence[str], fit: Fit, scale: float) -> dict[str, NDArray[np.generic]]:
    """Return the arrays that `analyst.heads.load_head` reads back."""
    return {
        f"{name}_labels": np.array(labels),
        f"{name}_weights": fit.weights.astype(np.float16),
        f"{name}_bias": fit.bias.astype(np.float32),
        f"{name}_scale": np.array(scale, dtype=np.float32),
    }
