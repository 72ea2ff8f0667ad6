"""What tests of memory share: an embedder that needs no model, and the principals and units of small worlds."""

import zlib
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

import numpy as np

from memory import NewUnit, Principal
from memory.embedding import Vectors

NOW = datetime(2026, 3, 1, 9, tzinfo=UTC)
ANA = Principal("acme", "ana")


class HashedWords:
    """Feature hashing of words and pairs of words: near texts share words. Deterministic, with no model to load."""

    name = "hashed-words"

    def __init__(self, dimensions: int = 64) -> None:
        self.dimensions = dimensions

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row of unit length for each text."""
        rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            words = text.lower().split()
            for token in [*words, *(f"{a} {b}" for a, b in pairwise(words)), ""]:
                digest = zlib.crc32(token.encode("utf-8", "replace"))
                row[digest % self.dimensions] += 1.0 if digest >> 16 & 1 else -1.0
            row /= np.linalg.norm(row) or 1.0
        return rows


def finding(number: int, *, value: float | None = None, **changes: Any) -> NewUnit:
    """A finding about one of many regions; its claim is the region's."""
    measured = number * 1.5 if value is None else value
    values: dict[str, Any] = {
        "memory_type": "finding",
        "summary": f"Region {number} sold {measured:.2f} in May.",
        "label": "confirmatory",
        "claim": {"subject": {"metric": "sum(sales)", "segment": f"region {number}"}, "value": {"number": measured}},
        "data_source": "sales",
        "unit_key": f"region {number}",
    }
    return NewUnit(**(values | changes))
