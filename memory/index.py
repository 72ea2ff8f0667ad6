"""The search index as the rest of memory sees it: points, filters, and the protocol that engines implement.

An index is derived: it holds no text, only vectors and the fields that searches filter on, and can be thrown away.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple, Protocol

from memory.embedding import Vectors
from memory.sparse import SparseVector

Collection = Literal["memory_user", "memory_org"]
COLLECTIONS: tuple[Collection, ...] = ("memory_user", "memory_org")


def collection_of(scope: str) -> Collection:
    """The collection that holds the units of a scope."""
    return "memory_org" if scope == "org" else "memory_user"


@dataclass(frozen=True)
class IndexPoint:
    """One active unit."""

    memory_id: str
    collection: Collection
    org_id: str
    scope_owner: str
    dataset_key: str
    memory_type: str
    confidence: float
    visible_from: datetime
    expires_at: datetime | None
    dense: list[float]
    sparse: SparseVector


@dataclass(frozen=True)
class IndexQuery:
    """A hybrid search. Every filter acts inside the search, never on its results."""

    collection: Collection
    org_id: str
    scope_owner: str
    now: datetime
    min_confidence: float
    dense: list[float]
    sparse: SparseVector
    limit: int
    memory_types: tuple[str, ...] = ()  # () means all
    dataset_keys: tuple[str, ...] = ()  # () means all


class Hit(NamedTuple):
    """A unit found, with its cosine to the query."""

    memory_id: str
    cosine: float


class Hits(NamedTuple):
    """Two rankings of the same collection, each best first."""

    dense: list[Hit]
    sparse: list[Hit]


class Index(Protocol):
    """A search engine. Every method raises IndexUnavailable when it fails; nothing else."""

    applied_seq: int
    private: bool
    """Whether it is a copy for this process alone, because another one holds the shared index."""

    def apply(self, points: Sequence[IndexPoint], gone: Iterable[str], *, seq: int) -> None:
        """Add or replace points, remove others, and note that the feed is followed up to `seq`; durable on return."""

    def search(self, query: IndexQuery) -> Hits:
        """Run one search."""

    def count(self) -> int:
        """Number of points in all collections."""

    def memory_ids(self) -> set[str]:
        """The units that have a point."""

    def reset(self) -> None:
        """Throw everything away, files included, and follow the feed from 0."""

    def close(self) -> None:
        """Release files and locks. A closed index is not used again."""


def dot(a: Sequence[float], b: Vectors | Sequence[float]) -> float:
    """Cosine of two unit vectors."""
    return float(sum(x * y for x, y in zip(a, b, strict=True)))
