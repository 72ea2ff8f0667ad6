"""Sparse vectors in the manner of BM25: words, column names and identifiers as hashed tokens.

The document side carries term saturation and length normalisation; the index adds the inverse document frequency; a
query weighs each of its tokens by 1.
"""

import re
import unicodedata
import zlib
from collections import Counter
from typing import NamedTuple

K1 = 1.2
B = 0.75
AVERAGE_TOKENS = 24.0
"""Length of a typical summary; a constant, so that a vector never depends on the rest of the collection."""

_TOKEN = re.compile(r"#?\w+(?:[-./:]\w+)*%?")
_PART = re.compile(r"[^\W_]+")
_STOP_WORDS = """
a an and are as at be by did do does for from had has have how in is it its me of on or our please show tell that the
their this to was we were what when which who why will with you your
"""
_STOP = frozenset(_STOP_WORDS.split())


class SparseVector(NamedTuple):
    """Token hashes, ascending, and their weights."""

    indices: list[int]
    weights: list[float]


def tokens(text: str) -> list[str]:
    """Tokens in order: whole identifiers (`order_id`, `#4821`, `2026-03`) and also the words inside them."""
    found = []
    for match in _TOKEN.finditer(unicodedata.normalize("NFKC", text).casefold()):
        token = match.group()
        parts = _PART.findall(token)
        if len(parts) > 1 or token.startswith("#"):
            found.append(token)
        found.extend(_stem(part) for part in parts if part not in _STOP)
    return found


def identifiers(text: str) -> set[str]:
    """Tokens that name one thing: `#4821`, `WH-07`, `order_id`. Bare numbers and dates measure rather than name."""
    return {
        token
        for token in tokens(text)
        if token.startswith("#")
        or "_" in token
        or (any(c.isdigit() for c in token) and any(c.isalpha() for c in token) and len(token) >= 3)
    }


def document_vector(text: str) -> SparseVector:
    """The vector to store."""
    counts = Counter(tokens(text))
    length = sum(counts.values())
    norm = K1 * (1 - B + B * length / AVERAGE_TOKENS)
    return _vector({token: count * (K1 + 1) / (count + norm) for token, count in counts.items()})


def query_vector(text: str) -> SparseVector:
    """The vector to search with; empty when the text has only stop words."""
    return _vector(dict.fromkeys(tokens(text), 1.0))


def overlap_0_1(query: str, text: str) -> float:
    """The share of shared tokens in the shorter of the two; the measure where there is no index."""
    wanted, held = set(tokens(query)), set(tokens(text))
    return len(wanted & held) / min(len(wanted), len(held)) if wanted and held else 0.0


def _vector(weights: dict[str, float]) -> SparseVector:
    summed: dict[int, float] = {}
    for token, weight in weights.items():
        index = zlib.crc32(token.encode())
        summed[index] = summed.get(index, 0.0) + weight
    indices = sorted(summed)
    return SparseVector(indices, [summed[index] for index in indices])


def _stem(word: str) -> str:
    """Drop a plural s; more would merge column names."""
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")) else word
