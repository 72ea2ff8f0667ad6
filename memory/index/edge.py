"""The embedded index: qdrant-edge, the Qdrant engine in this process, one shard for each collection."""

import contextlib
import json
import shutil
import tempfile
import uuid
import weakref
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import qdrant_edge as qdrant
from filelock import FileLock, Timeout

from memory.errors import IndexUnavailable
from memory.index.protocol import (
    COLLECTIONS,
    FORMAT,
    Hit,
    Hits,
    IndexPoint,
    IndexQuery,
    Sharing,
    payload_of,
    point_id,
    tenant_of,
    translated,
)
from memory.ledger.schema import to_micros
from memory.units import SCOPE

UNFLUSHED = 2_000
"""Changes that may wait for the disk."""

BATCH = 500
INDEXED_FROM = 64
"""Points from which on the fields that searches filter by get indexes of their own. Creating those takes as long as a
hundred searches without them, so that a new home does without."""

_INDEXED = {
    "pool": qdrant.PayloadSchemaType.Keyword,
    "tenant": qdrant.PayloadSchemaType.Keyword,
    "status": qdrant.PayloadSchemaType.Keyword,
    "confidence": qdrant.PayloadSchemaType.Float,
    "visible_us": qdrant.PayloadSchemaType.Integer,
    "expires_us": qdrant.PayloadSchemaType.Integer,
}
"""Fields with an index: one condition without makes the engine read what each candidate carries, five times the search.

A pool is what units are mostly searched in, a tenant's units of one type on one dataset, as one value: the engine then
looks at those points alone, instead of meeting two long lists of points first.
"""


def claim(path: Path) -> FileLock | None:
    """Take the index directory at `path` until the lock is released. None: somebody else has it.

    :raises IndexUnavailable: the directory cannot be used.
    """
    with translated():
        path.mkdir(parents=True, exist_ok=True)
        lock = FileLock(path / "lock", timeout=0, thread_local=False)
        try:
            lock.acquire()
        except Timeout:
            return None
        return lock


class EdgeIndex:
    """Shards under a directory that only one index holds at a time.

    The directory also keeps `state.json`: the ledger and model that the points belong to, and the sequence number up
    to which the feed was followed. Anything unexpected there starts an empty index.
    """

    def __init__(self, path: Path, claimed: FileLock | None, *, ledger_id: str, model: str, dimensions: int) -> None:
        """Open the index at `path` as claimed by `claim`; without a claim, a private one in a temporary directory."""
        self._dimensions = dimensions
        self._belongs = {"format": FORMAT, "ledger_id": ledger_id, "model": model, "dimensions": dimensions}
        self._shards: dict[str, Any] = {}
        self._indexed: dict[str, bool] = {}
        self._unflushed: dict[str, int] = {}
        self.applied_seq = self._noted = 0
        self.sharing: Sharing = "copy" if claimed is None else "alone"
        with translated():
            self._path = path if claimed is not None else Path(tempfile.mkdtemp(prefix="recallyst-index-"))
            self._release = weakref.finalize(self, _release, claimed, self._path)
            if self._load():
                return
            try:
                self.reset()
            except IndexUnavailable:
                self.close()
                raise

    def apply(self, points: Sequence[IndexPoint], gone: Iterable[str], *, seq: int) -> None:
        """Upsert and delete. What is not yet on disk when the process dies is applied again from the feed."""
        removed: list[int | uuid.UUID | str] = [point_id(memory_id) for memory_id in gone]
        with translated():
            for name, shard in self._shards.items():
                mine = [_point(point) for point in points if point.collection == name]
                for start in range(0, len(mine), BATCH):
                    shard.update(qdrant.UpdateOperation.upsert_points(mine[start : start + BATCH]))
                if mine and not self._indexed[name]:
                    self._indexed[name] = _with_indexes(shard)
                if removed:
                    shard.update(qdrant.UpdateOperation.delete_points(removed))
                if mine or removed:
                    self._unflushed[name] = self._unflushed.get(name, 0) + len(mine) + len(removed)
            self.applied_seq = seq
            if sum(self._unflushed.values()) >= UNFLUSHED:
                self._flush()

    def _flush(self) -> None:
        """Bring the shards to disk, then note up to where they follow the feed; a turn need not wait for the disk."""
        for name in self._unflushed:
            self._shards[name].flush()
        self._unflushed.clear()
        self._note(self.applied_seq)

    def search(self, query: IndexQuery) -> Hits:
        """Dense and sparse rankings under the same filter."""
        shard, where = self._shards[query.collection], _filter(query)
        with translated():
            near = shard.query(
                qdrant.QueryRequest(
                    limit=query.limit,
                    query=qdrant.Query.Nearest(query.dense, using="dense"),
                    filter=where,
                    with_payload=["memory_id"],
                )
            )
            dense = [Hit(point.payload["memory_id"], float(point.score)) for point in near]
            if not query.sparse.indices:
                return Hits(dense, [])
            matching = shard.query(
                qdrant.QueryRequest(
                    limit=query.limit,
                    query=qdrant.Query.Nearest(
                        qdrant.SparseVector(query.sparse.indices, query.sparse.weights), using="sparse"
                    ),
                    filter=where,
                    with_payload=["memory_id"],
                    with_vector=["dense"],
                )
            )
            sparse = {point.payload["memory_id"]: point for point in matching}
            cosines = dict(dense)  # most of the second ranking is in the first
            others = [memory_id for memory_id in sparse if memory_id not in cosines]
            if others:
                rows = np.array([sparse[memory_id].vector["dense"] for memory_id in others])
                cosines |= zip(others, (rows @ np.array(query.dense)).tolist(), strict=True)
        return Hits(dense, [Hit(memory_id, cosines[memory_id]) for memory_id in sparse])

    def count(self) -> int:
        """Number of points in all collections."""
        with translated():
            return sum(shard.count(qdrant.CountRequest(exact=True)) for shard in self._shards.values())

    def memory_ids(self) -> set[str]:
        """The units that have a point."""
        found: set[str] = set()
        with translated():
            for shard in self._shards.values():
                offset = None
                while True:
                    request = qdrant.ScrollRequest(limit=1000, offset=offset, with_payload=["memory_id"])
                    records, offset = shard.scroll(request)
                    found.update(record.payload["memory_id"] for record in records)
                    if offset is None:
                        break
        return found

    def reset(self) -> None:
        """Remove the shards with all their files and create empty ones."""
        with translated():
            self._close_shards()
            self._state.unlink(missing_ok=True)
            for name in COLLECTIONS:
                shutil.rmtree(self._path / name, ignore_errors=True)
                (self._path / name).mkdir()
                shard = qdrant.EdgeShard.create(str(self._path / name), _config(self._dimensions))
                self._shards[name], self._indexed[name] = shard, False
            self._note(0)

    def close(self) -> None:
        """Bring everything to disk, close the shards and give the directory free."""
        with contextlib.suppress(IndexUnavailable), translated():
            if self.applied_seq != self._noted:
                self._flush()
            self._close_shards()
        self._release()

    @property
    def _state(self) -> Path:
        return self._path / "state.json"

    def _load(self) -> bool:
        """Open what is on disk; False when it is missing, damaged, or belongs to another ledger, model or format."""
        try:
            state = json.loads(self._state.read_text())
            if {key: state[key] for key in self._belongs} != self._belongs:
                return False
            with translated():
                for name in COLLECTIONS:
                    shard = self._shards[name] = qdrant.EdgeShard.load(str(self._path / name))
                    self._indexed[name] = shard.info().payload_schema.keys() >= _INDEXED.keys()
            self.applied_seq = self._noted = int(state["applied_seq"])
        except (OSError, ValueError, KeyError, TypeError, IndexUnavailable):
            return False
        return True

    def _note(self, seq: int) -> None:
        draft = self._state.with_suffix(".new")
        draft.write_text(json.dumps(self._belongs | {"applied_seq": seq}))
        draft.replace(self._state)
        self.applied_seq = self._noted = seq

    def _close_shards(self) -> None:
        self._unflushed.clear()
        while self._shards:
            _, shard = self._shards.popitem()
            shard.close()


def _config(dimensions: int) -> Any:
    return qdrant.EdgeConfig(
        vectors={"dense": qdrant.EdgeVectorParams(size=dimensions, distance=qdrant.Distance.Cosine)},
        sparse_vectors={"sparse": qdrant.EdgeSparseVectorParams(modifier=qdrant.Modifier.Idf)},
        wal_enabled=False,  # what was not flushed is read from the ledger's feed again
    )


def _with_indexes(shard: Any) -> bool:
    """Give the fields indexes where the shard has grown enough; whether it has them now."""
    if shard.count(qdrant.CountRequest(exact=True)) < INDEXED_FROM:
        return False
    for field, kind in _INDEXED.items():
        shard.update(qdrant.UpdateOperation.create_field_index(field, kind))
    return True


def _point(point: IndexPoint) -> Any:
    vectors: dict[str, Any] = {"dense": point.dense}
    if point.sparse.indices:
        vectors["sparse"] = qdrant.SparseVector(point.sparse.indices, point.sparse.weights)
    pool = _pool(tenant_of(point.org_id, point.scope_owner), point.dataset_key, point.memory_type)
    return qdrant.Point(point_id(point.memory_id), vectors, payload_of(point) | {"pool": pool})


def _pool(tenant: str, dataset_key: str, memory_type: str) -> str:
    return json.dumps([tenant, dataset_key, memory_type])


def _filter(query: IndexQuery) -> Any:
    now_us = float(to_micros(query.now))
    must: list[Any] = [
        qdrant.FieldCondition("status", match=qdrant.MatchValue("active")),
        qdrant.FieldCondition("confidence", range=qdrant.RangeFloat(gte=query.min_confidence)),
        qdrant.FieldCondition("visible_us", range=qdrant.RangeFloat(lte=now_us)),
        qdrant.FieldCondition("expires_us", range=qdrant.RangeFloat(gt=now_us)),
    ]
    if query.dataset_keys:
        types = query.memory_types or tuple(SCOPE)
        pools = [_pool(query.tenant, dataset, name) for dataset in query.dataset_keys for name in types]
        must.append(qdrant.FieldCondition("pool", match=qdrant.MatchAny(pools)))
        return qdrant.Filter(must=must)
    must.append(qdrant.FieldCondition("tenant", match=qdrant.MatchValue(query.tenant)))
    if query.memory_types:
        must.append(qdrant.FieldCondition("type", match=qdrant.MatchAny(list(query.memory_types))))
    return qdrant.Filter(must=must)


def _release(lock: FileLock | None, path: Path) -> None:
    """Give the shared directory free, or remove the private one."""
    if lock is None:
        shutil.rmtree(path, ignore_errors=True)
    else:
        lock.release()
