"""The follower: keeps the index in step with the ledger by reading its events in order of their sequence number."""

import contextlib
import logging
import threading
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from sqlalchemy import Connection, bindparam, func, insert, select
from sqlalchemy.exc import DatabaseError

from memory.embedding import Embedder
from memory.errors import IndexUnavailable
from memory.identity.keys import subject_of
from memory.index.opening import OpenIndex
from memory.index.protocol import Hits, Index, IndexInLedger, IndexPoint, IndexQuery, collection_of
from memory.index.sparse import document_vector
from memory.ledger.record import Ledger, vectors
from memory.ledger.schema import embeddings, events, units

_CHUNK = 500
_AT_ONCE = 5_000
"""More changes than this are not followed inside of somebody's write, but at the next reading."""

_log = logging.getLogger(__name__)
_LATEST = select(func.max(events.c.seq))
_CHANGED = select(events.c.seq).where(events.c.seq > bindparam("start"), events.c.memory_id.is_not(None)).limit(1)


class IndexFeed:
    """The index of a ledger. Opens it when first needed; one thread at a time is inside.

    What an event says does not matter, only which unit it names: the unit is read from the ledger as it is now, so
    that repeating a stretch of the feed changes nothing. A forgotten unit makes the whole index be written anew, since
    engines keep the bytes of deleted points in their files.
    """

    def __init__(
        self, ledger: Ledger, embedder: Embedder, open_index: OpenIndex, *, pause_seconds: float = 0.0
    ) -> None:
        """Prepare; opens nothing. After a failure the index is left alone for `pause_seconds`."""
        self._ledger = ledger
        self._embedder = embedder
        self._open_index = open_index
        self._pause_seconds = pause_seconds
        self._failed_at: float | None = None
        self._lock = threading.RLock()
        self._index: Index | None = None
        self._quiet = (0, 0)
        """No event about a unit lies after the first number up to the second: recalls, of which there are many, are
        events too and need not be passed over again by the next."""

    def search(self, queries: Sequence[IndexQuery]) -> list[Hits]:
        """Catch up, then run the searches.

        :raises IndexUnavailable: the index or the embedder failed; the next call opens the index again.
        """
        with self._lock:
            index = self._caught_up()
            try:
                return [index.search(query) for query in queries]
            except IndexUnavailable:
                self.close()
                raise

    def open(self) -> None:
        """Open the index and catch up, for searches that come soon. :raises IndexUnavailable: as `search`."""
        with self._lock:
            self._caught_up()

    def catch_up(self) -> None:
        """Follow the feed to its end, after a write. :raises IndexUnavailable: as `search`.

        Where another process holds the index, that one follows when it reads next; a private copy is for reading only.
        """
        with self._lock:
            if self._index is None or self._index.sharing != "copy":
                self._follow(reading=False)

    def prepare(self, texts: Sequence[str]) -> None:
        """Before a write: open an index that is written in the same transaction, and embed while nothing is locked."""
        if self._ledger.follower is None:
            return
        with contextlib.suppress(IndexUnavailable):
            with self._lock:
                self._index = self._index or self._open_index(False)
            self._embedder.embed(texts)

    def follow_in(self, connection: Connection) -> None:
        """Follow the feed inside of a writing transaction, where the index lives in the same database.

        Takes no lock of this process: whoever has it may wait for what the transaction has locked. What fails here is
        made up for at the next reading; it never fails the write.
        """
        index = self._index
        if not isinstance(index, IndexInLedger):
            return
        try:
            with connection.begin_nested():
                self._apply_in(connection, index)
        except (IndexUnavailable, DatabaseError) as error:
            _log.warning("The index is behind and will catch up at the next reading: %s", error)

    def _apply_in(self, connection: Connection, index: IndexInLedger) -> None:
        applied_seq, newest = index.followed_in(connection), _newest(connection)
        if applied_seq is None or newest <= applied_seq:
            return
        memory_ids = sorted({row.memory_id for row in _changes(connection, applied_seq)})
        if len(memory_ids) > _AT_ONCE:
            return
        points = self._points(memory_ids, connection)
        index.apply_in(connection, points, set(memory_ids) - {point.memory_id for point in points}, seq=newest)

    def rebuild(self) -> int:
        """Write the index anew from the ledger; returns the number of points. :raises IndexUnavailable: as `search`."""
        with self._lock:
            try:
                index = self._index = self._index or _there(self._open_index(True))
                with self._ledger.feeding():
                    self._rewrite(index)
                return index.count()
            except IndexUnavailable:
                self.close()
                raise

    def memory_ids(self) -> set[str]:
        """The units that the index holds after catching up."""
        with self._lock:
            return self._caught_up().memory_ids()

    def close(self) -> None:
        """Release the index; the next use opens it again."""
        with self._lock:
            if self._index is not None:
                self._index.close()
                self._index = None

    def _caught_up(self) -> Index:
        return _there(self._follow(reading=True))

    def _follow(self, *, reading: bool) -> Index | None:
        """Open the index where it is not, and bring it up to the end of the feed. None: another process does that."""
        opening = self._index is None
        if self._failed_at is not None and time.monotonic() - self._failed_at < self._pause_seconds:
            raise IndexUnavailable("The search index did not answer a moment ago; it will be asked again soon.")
        try:
            index = self._index = self._index or self._open_index(reading)
            if index is not None and (opening or self._behind(index.applied_seq)):
                with self._ledger.feeding() if index.sharing == "shared" else contextlib.nullcontext():
                    self._apply_changes(index)
                    if opening and index.count() != self._active():
                        self._rewrite(index)
        except IndexUnavailable:
            self._failed_at = time.monotonic()
            self.close()
            raise
        self._failed_at = None
        return index

    def _behind(self, applied_seq: int) -> bool:
        """Whether the ledger has events about units that the index did not follow, or lost some that it did."""
        known, quiet_until = self._quiet
        start = max(quiet_until, applied_seq) if known == applied_seq else applied_seq
        with self._ledger.read_all() as connection:
            newest = connection.execute(_LATEST).scalar() or 0
            if newest < applied_seq or (newest > start and connection.execute(_CHANGED, {"start": start}).first()):
                return True
        self._quiet = (applied_seq, newest)
        return False

    def _apply_changes(self, index: Index) -> None:
        applied_seq = index.applied_seq
        with self._ledger.read_all() as connection:
            newest = _newest(connection)
            if newest == applied_seq:
                return
            changed = _changes(connection, applied_seq)
        if newest < applied_seq or any(row.kind == "forgotten" for row in changed):
            self._rewrite(index)
            return
        memory_ids = sorted({row.memory_id for row in changed})
        points = self._points(memory_ids)
        index.apply(points, set(memory_ids) - {point.memory_id for point in points}, seq=newest)

    def _rewrite(self, index: Index) -> None:
        with self._ledger.read_all() as connection:
            newest = _newest(connection)
            memory_ids = list(connection.execute(select(units.c.memory_id).where(units.c.status == "active")).scalars())
        index.reset()
        # The number is noted last: units that change meanwhile are named by later events and read again.
        index.apply(self._points(memory_ids), (), seq=newest)

    def _active(self) -> int:
        with self._ledger.read_all() as connection:
            query = select(func.count()).select_from(units).where(units.c.status == "active")
            return connection.execute(query).scalar_one()

    def _points(self, memory_ids: Sequence[str], within: Connection | None = None) -> list[IndexPoint]:
        """Points of those of the units that are active, with their embeddings made where they are missing.

        Each chunk in a transaction of its own, or all of it `within` one.
        """
        points: list[IndexPoint] = []
        for start in range(0, len(memory_ids), _CHUNK):
            chunk = memory_ids[start : start + _CHUNK]
            with self._ledger.read_all() if within is None else contextlib.nullcontext(within) as connection:
                query = select(units).where(units.c.memory_id.in_(chunk), units.c.status == "active")
                rows = connection.execute(query).mappings().all()
                known = vectors(connection, [row["memory_id"] for row in rows], self._embedder.name)
            missing = {row["memory_id"]: row["summary"] for row in rows if row["memory_id"] not in known}
            known |= self._embed(missing, within)
            points += [
                IndexPoint(
                    memory_id=row["memory_id"],
                    collection=collection_of(row["scope"]),
                    org_id=row["org_id"],
                    scope_owner=row["scope_owner"],
                    dataset_key=row["dataset_key"],
                    memory_type=row["memory_type"],
                    confidence=row["confidence"],
                    visible_from=row["dialogue_time"],
                    expires_at=row["expires_at"],
                    dense=np.frombuffer(known[row["memory_id"]], dtype="<f4").tolist(),
                    sparse=document_vector(
                        " ".join([row["summary"], row["detail"], *map(str, subject_of(row["claim"]).values())])
                    ),
                )
                for row in rows
                if row["memory_id"] in known
            ]
        return points

    def _embed(self, texts: dict[str, str], within: Connection | None) -> dict[str, bytes]:
        """Embed texts by memory id and keep the vectors of those units that still exist."""
        if not texts:
            return {}
        made = self._embedder.embed(list(texts.values())).astype("<f4")
        found = {memory_id: vector.tobytes() for memory_id, vector in zip(texts, made, strict=True)}
        with self._ledger.write_all() if within is None else contextlib.nullcontext(within) as connection:
            return _keep(connection, found, self._embedder.name)


def _changes(connection: Connection, after_seq: int) -> Sequence[Any]:
    """The events about units after one, as (memory_id, kind)."""
    query = select(events.c.memory_id, events.c.kind)
    return connection.execute(query.where(events.c.seq > after_seq, events.c.memory_id.is_not(None))).all()


def _newest(connection: Connection) -> int:
    """The number of the newest event about a unit."""
    return connection.execute(select(func.max(events.c.seq)).where(events.c.memory_id.is_not(None))).scalar() or 0


def _there(index: Index | None) -> Index:
    if index is None:
        raise IndexUnavailable("The search index is held by another process.")
    return index


def _keep(connection: Connection, found: dict[str, bytes], model: str) -> dict[str, bytes]:
    """Store vectors. A unit forgotten while it was embedded must not leave its vector behind."""
    ids = list(found)
    still = set(connection.execute(select(units.c.memory_id).where(units.c.memory_id.in_(ids))).scalars())
    connection.execute(embeddings.delete().where(embeddings.c.memory_id.in_(ids)))
    kept = {memory_id: vector for memory_id, vector in found.items() if memory_id in still}
    if kept:
        connection.execute(
            insert(embeddings),
            [{"memory_id": memory_id, "model": model, "vector": vector} for memory_id, vector in kept.items()],
        )
    return kept
