"""Small fitted heads: linear softmax models whose weights ship with the package."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from itertools import pairwise
from typing import Protocol
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]


class Embeds(Protocol):
    """What the heads need of a sentence embedder."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one unit vector a text, shape (len(texts), dimensions)."""
        ...


@dataclass(frozen=True)
class Head:
    """Class probabilities = softmax(scale · (weights · x + bias))."""

    labels: tuple[str, ...]
    weights: Matrix
    bias: Vector
    scale: float = 1.0

    def probabilities(self, x: Vector) -> dict[str, float]:
        """Return one probability a label for one feature vector.

        :raises ValueError: when the length of `x` is not what the head was fitted on.
        """
        if x.shape != (self.weights.shape[1],):
            raise ValueError(f"the head was fitted on {self.weights.shape[1]} features, got {x.shape}")
        z = self.scale * (self.weights @ x + self.bias)
        p = np.exp(z - z.max())
        p /= p.sum()
        return dict(zip(self.labels, (float(v) for v in p), strict=True))


@lru_cache(maxsize=8)
def load_head(asset: str, name: str) -> Head:
    """Read the head `name` of a weight file in `analyst/assets`."""
    with files("analyst").joinpath("assets", asset).open("rb") as stream, np.load(stream, allow_pickle=False) as z:
        return Head(
            labels=tuple(str(v) for v in z[f"{name}_labels"]),
            weights=z[f"{name}_weights"].astype(np.float64),
            bias=z[f"{name}_bias"].astype(np.float64),
            scale=float(z[f"{name}_scale"]),
        )


def hashed(tokens: Sequence[str], size: int) -> Vector:
    """Return unit-length signed hash counts of words and neighbouring pairs; stable between processes."""
    out = np.zeros(size)
    pairs = [f"{a} {b}" for a, b in pairwise(tokens)]
    for gram in [*tokens, *pairs]:
        code = crc32(gram.encode())
        out[code % size] += 1.0 if code & 0x10000000 else -1.0
    norm = float(np.linalg.norm(out))
    return out / norm if norm else out
