"""The search index as the rest of memory sees it: points, filters, and the protocol that engines implement.

An index is derived: it holds no text, only vectors and the fields that searches filter on, and can be thrown away.
"""

import contextlib
import json
import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, NamedTuple, Protocol, runtime_checkable

from sqlalchemy import Connection

from memory.embedding import Vectors
from memory.errors import IndexUnavailable
from memory.index.sparse import SparseVector
from memory.ledger.schema import to_micros

FORMAT = 4
"""Raised when points get other fields; an index of another format is rebuilt."""

NEVER_US = 2**53
"""Microseconds; a date beyond the year 2200 stands for "no limit"."""

_POINT_IDS = uuid.UUID("5b0a3c6e-7d0c-4f43-9b8b-0c2f3a8f6d11")

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
    owner_sub: str
    """Who asks."""
    now: datetime
    min_confidence: float
    dense: list[float]
    sparse: SparseVector
    limit: int
    memory_types: tuple[str, ...] = ()  # () means all
    dataset_keys: tuple[str, ...] = ()  # () means all

    @property
    def scope_owner(self) -> str:
        """Whose points are meant: the asker's, or "" for those that the org shares."""
        return "" if self.collection == "memory_org" else self.owner_sub

    @property
    def tenant(self) -> str:
        """The tenant that points must have."""
        return tenant_of(self.org_id, self.scope_owner)


class Hit(NamedTuple):
    """A unit found, with its cosine to the query."""

    memory_id: str
    cosine: float


class Hits(NamedTuple):
    """Two rankings of the same collection, each best first."""

    dense: list[Hit]
    sparse: list[Hit]


Sharing = Literal["alone", "copy", "shared"]
"""`alone`: this process holds the index of the home. `copy`: for this process only, made anew by each. `shared`: many
processes use it at once and feed it in turn."""


class Index(Protocol):
    """A search engine. Every method raises IndexUnavailable when it fails; nothing else."""

    @property
    def sharing(self) -> Sharing:
        """Who else uses it."""

    @property
    def applied_seq(self) -> int:
        """Up to which sequence number the feed was followed."""

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


@runtime_checkable
class IndexInLedger(Protocol):
    """An index that lives in the ledger's database and can be written in the transaction that changes the units."""

    def followed_in(self, connection: Connection) -> int | None:
        """Up to which number the feed was followed; None: the points there are of another model or form."""

    def apply_in(self, connection: Connection, points: Sequence[IndexPoint], gone: Iterable[str], *, seq: int) -> None:
        """Upsert, delete and note `seq`, all of it in the caller's transaction."""


def dot(a: Sequence[float], b: Vectors | Sequence[float]) -> float:
    """Cosine of two unit vectors."""
    return float(sum(x * y for x, y in zip(a, b, strict=True)))


def tenant_of(org_id: str, scope_owner: str) -> str:
    """The org and the owner ("" for what the org shares) as one value that no other pair can make."""
    return json.dumps([org_id, scope_owner])


def point_id(memory_id: str) -> str:
    """The id of a unit's point, a UUID whatever the unit's id looks like."""
    return str(uuid.uuid5(_POINT_IDS, memory_id))


def micros_or_never(limit: datetime | None) -> int:
    """A time limit in microseconds since 1970; none is `NEVER_US`."""
    return NEVER_US if limit is None else to_micros(limit)


def payload_of(point: IndexPoint) -> dict[str, Any]:
    """The fields that Qdrant's searches filter on."""
    return {
        "memory_id": point.memory_id,
        "tenant": tenant_of(point.org_id, point.scope_owner),
        "dataset": point.dataset_key,
        "type": point.memory_type,
        "status": "active",
        "confidence": point.confidence,
        "visible_us": to_micros(point.visible_from),
        "expires_us": micros_or_never(point.expires_at),
    }


@contextlib.contextmanager
def translated() -> Iterator[None]:
    """Turn every failure of an engine into IndexUnavailable.

    Engines raise bare `Exception`, and a panic inside of one arrives as a BaseException of its own; all mean only that
    the index cannot answer.
    """
    try:
        yield
    except IndexUnavailable:
        raise
    except Exception as error:
        raise IndexUnavailable(f"The search index failed: {error}") from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise IndexUnavailable(f"The search index failed: {error}") from None
