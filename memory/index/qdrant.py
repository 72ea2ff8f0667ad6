"""The index on a Qdrant server or cluster, and the same in this process's memory alone (`:memory:`)."""

import time
import uuid
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from qdrant_client import QdrantClient, models
from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

from memory.errors import IndexUnavailable
from memory.index.protocol import (
    COLLECTIONS,
    FORMAT,
    Hit,
    Hits,
    IndexPoint,
    IndexQuery,
    Sharing,
    dot,
    payload_of,
    point_id,
    translated,
)
from memory.ledger.schema import to_micros

STATE = "memory_state"
"""The collection of the one point that says whose index this is and how far it followed."""

BATCH = 256
"""Points in one request."""

TIMEOUT_SECONDS = 10
RETRIES = 3
_STATE_ID = str(uuid.UUID(int=1))
_TRANSIENT = frozenset({429, 502, 503, 504})


class QdrantIndex:
    """Collections that many processes share, told apart by tenant inside of each search."""

    def __init__(self, location: str, *, api_key: str | None, ledger_id: str, model: str, dimensions: int) -> None:
        """Connect to a URL, or keep everything in memory for `:memory:`, and create what is missing.

        :raises IndexUnavailable: nothing answers there.
        """
        self.sharing: Sharing = "copy" if location == ":memory:" else "shared"
        self._dimensions = dimensions
        self._belongs = {"format": FORMAT, "ledger_id": ledger_id, "model": model, "dimensions": dimensions}
        with translated():
            if location == ":memory:":
                self._client = QdrantClient(location)
            else:
                self._client = QdrantClient(
                    url=location, api_key=api_key, timeout=TIMEOUT_SECONDS, check_compatibility=False
                )
        self._foreign = False
        state = self._state()
        if state is not None and state.get("ledger_id") != ledger_id:
            self._foreign = True  # another ledger's index is not to be wiped by merely looking at it
        elif state is None or {key: state.get(key) for key in self._belongs} != self._belongs:
            self.reset()

    @property
    def applied_seq(self) -> int:
        """How far the feed was followed, by whichever process."""
        return int((self._state() or {}).get("applied_seq", 0))

    def apply(self, points: Sequence[IndexPoint], gone: Iterable[str], *, seq: int) -> None:
        """Upsert in batches, delete, then note `seq`; each waits until the server has it on disk."""
        self._check()
        removed: list[Any] = [point_id(memory_id) for memory_id in gone]
        for name in COLLECTIONS:
            mine = [_point(point) for point in points if point.collection == name]
            for start in range(0, len(mine), BATCH):
                batch = mine[start : start + BATCH]
                self._ask(self._client.upsert, name, batch, wait=True)
            if removed:
                self._ask(self._client.delete, name, models.PointIdsList(points=removed), wait=True)
        self._note(seq)

    def search(self, query: IndexQuery) -> Hits:
        """Both rankings in one request; exact, since a tenant's points are few and no filter may starve them."""
        self._check()
        shared: dict[str, Any] = {
            "filter": _filter(query),
            "limit": query.limit,
            "with_payload": ["memory_id"],
        }
        if self.sharing == "shared":  # in memory every search is exact
            shared["params"] = models.SearchParams(exact=True)
        requests = [models.QueryRequest(query=query.dense, using="dense", **shared)]
        if query.sparse.indices:
            sparse = models.SparseVector(indices=query.sparse.indices, values=query.sparse.weights)
            requests.append(models.QueryRequest(query=sparse, using="sparse", with_vector=["dense"], **shared))
        answers = self._ask(self._client.query_batch_points, query.collection, requests)
        dense = [Hit(point.payload["memory_id"], float(point.score)) for point in answers[0].points]
        matching = answers[1].points if len(answers) > 1 else []
        return Hits(dense, [Hit(p.payload["memory_id"], dot(query.dense, p.vector["dense"])) for p in matching])

    def count(self) -> int:
        """Number of points in all collections."""
        self._check()
        return sum(self._ask(self._client.count, name, exact=True).count for name in COLLECTIONS)

    def memory_ids(self) -> set[str]:
        """The units that have a point."""
        self._check()
        found: set[str] = set()
        for name in COLLECTIONS:
            offset: Any = None
            while True:
                records, offset = self._ask(
                    self._client.scroll, name, limit=1000, offset=offset, with_payload=["memory_id"]
                )
                found.update(record.payload["memory_id"] for record in records)
                if offset is None:
                    break
        return found

    def reset(self) -> None:
        """Drop the collections and create them anew, with indexes on what searches filter by."""
        for name in (*COLLECTIONS, STATE):
            if self._ask(self._client.collection_exists, name):
                self._ask(self._client.delete_collection, name)
        for name in COLLECTIONS:
            self._ask(
                self._client.create_collection,
                name,
                vectors_config={"dense": models.VectorParams(size=self._dimensions, distance=models.Distance.COSINE)},
                sparse_vectors_config={"sparse": models.SparseVectorParams(modifier=models.Modifier.IDF)},
                # Graphs within each tenant, none across them.
                hnsw_config=models.HnswConfigDiff(m=0, payload_m=16),
            )
            if self.sharing == "shared":
                for field, schema in _INDEXED.items():
                    self._ask(self._client.create_payload_index, name, field, field_schema=schema, wait=True)
        self._ask(self._client.create_collection, STATE, vectors_config={})
        self._foreign = False
        self._note(0)

    def close(self) -> None:
        """Close the connection."""
        with translated():
            self._client.close()

    def _check(self) -> None:
        if self._foreign:
            raise IndexUnavailable(
                "The Qdrant server holds the index of another ledger; use a server of its own, or run "
                "`recallyst memory reindex` to replace that index."
            )

    def _state(self) -> dict[str, Any] | None:
        if not self._ask(self._client.collection_exists, STATE):
            return None
        found = self._ask(self._client.retrieve, STATE, [_STATE_ID])
        return dict(found[0].payload or {}) if found else None

    def _note(self, seq: int) -> None:
        state = models.PointStruct(id=_STATE_ID, vector={}, payload=self._belongs | {"applied_seq": seq})
        self._ask(self._client.upsert, STATE, [state], wait=True)

    def _ask(self, request: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        """Send a request, again after a pause where the network or a busy server failed; all can be repeated."""
        with translated():
            for attempt in range(RETRIES):
                try:
                    return request(*arguments, **options)
                except ResponseHandlingException:
                    if attempt == RETRIES - 1:
                        raise
                except UnexpectedResponse as error:
                    if error.status_code not in _TRANSIENT or attempt == RETRIES - 1:
                        raise
                time.sleep(0.1 * 2**attempt)
        raise IndexUnavailable("The search index did not answer.")


_INDEXED: dict[str, Any] = {
    "tenant": models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, is_tenant=True),
    "dataset": models.PayloadSchemaType.KEYWORD,
    "type": models.PayloadSchemaType.KEYWORD,
    "status": models.PayloadSchemaType.KEYWORD,
    "confidence": models.PayloadSchemaType.FLOAT,
    "visible_us": models.PayloadSchemaType.INTEGER,
    "expires_us": models.PayloadSchemaType.INTEGER,
}


def _point(point: IndexPoint) -> models.PointStruct:
    vectors: dict[str, Any] = {"dense": point.dense}
    if point.sparse.indices:
        vectors["sparse"] = models.SparseVector(indices=point.sparse.indices, values=point.sparse.weights)
    return models.PointStruct(id=point_id(point.memory_id), vector=vectors, payload=payload_of(point))


def _filter(query: IndexQuery) -> models.Filter:
    now_us = to_micros(query.now)
    must: list[Any] = [
        _is("tenant", query.tenant),
        _is("status", "active"),
        models.FieldCondition(key="confidence", range=models.Range(gte=query.min_confidence)),
        models.FieldCondition(key="visible_us", range=models.Range(lte=now_us)),
        models.FieldCondition(key="expires_us", range=models.Range(gt=now_us)),
    ]
    if query.memory_types:
        must.append(models.FieldCondition(key="type", match=models.MatchAny(any=list(query.memory_types))))
    if query.dataset_keys:
        must.append(models.FieldCondition(key="dataset", match=models.MatchAny(any=list(query.dataset_keys))))
    return models.Filter(must=must)


def _is(field: str, value: str) -> models.FieldCondition:
    return models.FieldCondition(key=field, match=models.MatchValue(value=value))
