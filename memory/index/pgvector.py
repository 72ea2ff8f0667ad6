"""The index inside of a PostgreSQL ledger: the same security, one database to run, exact within the tenant.

Dense vectors are pgvector's where the extension is installed, else plain arrays with the product written out; sparse
ones are arrays of terms. Searches read all points that pass the filters, so no filter can starve another tenant, and
are therefore as fast as a tenant is small: some thousands of points, not millions.
"""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Connection, bindparam, text

from memory.errors import IndexUnavailable, MemoryError  # noqa: A004
from memory.index.protocol import FORMAT, Hit, Hits, IndexPoint, IndexQuery, Sharing, micros_or_never
from memory.ledger.record import Ledger
from memory.ledger.schema import to_micros
from memory.units import Principal

BATCH = 500

_UPSERT = """
INSERT INTO index_points (memory_id, collection, org_id, scope_owner, dataset_key, memory_type, confidence, visible_us,
  expires_us, dense, terms, weights)
VALUES (:memory_id, :collection, :org_id, :scope_owner, :dataset_key, :memory_type, :confidence, :visible_us,
  :expires_us, {dense}, cast(:terms AS bigint[]), cast(:weights AS real[]))
ON CONFLICT (memory_id) DO UPDATE SET collection = excluded.collection, org_id = excluded.org_id,
  scope_owner = excluded.scope_owner, dataset_key = excluded.dataset_key, memory_type = excluded.memory_type,
  confidence = excluded.confidence, visible_us = excluded.visible_us, expires_us = excluded.expires_us,
  dense = excluded.dense, terms = excluded.terms, weights = excluded.weights
"""

_CANDIDATES = """
WITH candidates AS MATERIALIZED (
  SELECT memory_id, dense, terms, weights FROM index_points
  WHERE org_id = :org_id AND scope_owner = :scope_owner AND collection = :collection
    AND confidence >= :min_confidence AND visible_us <= :now_us AND expires_us > :now_us {narrowed}
)
"""

_DENSE = "SELECT memory_id, {cosine} AS cosine FROM candidates ORDER BY cosine DESC, memory_id LIMIT :limit"

_SPARSE = """
, terms AS (
  SELECT memory_id, term, weight FROM candidates, unnest(terms, weights) AS t(term, weight)
  WHERE terms && cast(:wanted AS bigint[]) AND term = ANY(cast(:wanted AS bigint[]))
), rarity AS (
  SELECT term, ln(1 + ((SELECT count(*) FROM candidates) - count(*) + 0.5) / (count(*) + 0.5)) AS idf
  FROM terms GROUP BY term
), matching AS (
  SELECT memory_id, sum(weight * idf) AS score FROM terms JOIN rarity USING (term)
  GROUP BY memory_id ORDER BY score DESC, memory_id LIMIT :limit
)
SELECT memory_id, {cosine} AS cosine FROM matching JOIN candidates USING (memory_id) ORDER BY score DESC, memory_id
"""


class PostgresIndex:
    """The search points of a ledger on PostgreSQL."""

    sharing: Sharing = "shared"

    def __init__(self, ledger: Ledger, *, model: str, dimensions: int) -> None:
        """Look at what is there. :raises IndexUnavailable: the database does not answer."""
        self._ledger = ledger
        self._belongs = json.dumps([FORMAT, ledger.ledger_id, model, dimensions])
        kind = "SELECT atttypid::regtype::text FROM pg_attribute WHERE attrelid = 'index_points'::regclass "
        with self._reading() as connection:
            has_type = connection.execute(text(kind + "AND attname = 'dense'")).scalar() == "vector"
            found = connection.execute(text("SELECT belongs FROM index_state")).scalar()
        self._dense = "cast(:dense AS vector)" if has_type else "cast(cast(:dense AS jsonb) AS text)::real[]"
        self._cosine = "1 - (dense <=> cast(:dense AS vector))"
        if not has_type:
            self._dense = "cast(translate(:dense, '[]', '{}') AS real[])"
            self._cosine = f"(SELECT sum(a * b) FROM unnest(dense, {self._dense}) AS product(a, b))"
        if found != self._belongs:
            self.reset()

    @property
    def applied_seq(self) -> int:
        """How far the feed was followed, by whichever process."""
        with self._reading() as connection:
            return int(connection.execute(text("SELECT applied_seq FROM index_state")).scalar() or 0)

    def apply(self, points: Sequence[IndexPoint], gone: Iterable[str], *, seq: int) -> None:
        """Points, removals and the number in one transaction."""
        with _unavailable(self._ledger.write_all()) as connection:
            self.apply_in(connection, points, gone, seq=seq)

    def apply_in(self, connection: Connection, points: Sequence[IndexPoint], gone: Iterable[str], *, seq: int) -> None:
        """The same in the caller's transaction, so that a unit and its point become visible together."""
        rows = [_row(point) for point in points]
        removed = list(gone)
        for start in range(0, len(rows), BATCH):
            connection.execute(text(_UPSERT.format(dense=self._dense)), rows[start : start + BATCH])
        if removed:
            query = text("DELETE FROM index_points WHERE memory_id IN :gone")
            connection.execute(query.bindparams(bindparam("gone", removed, expanding=True)))
        self._note(connection, seq)

    def followed_in(self, connection: Connection) -> int | None:
        """How far the feed was followed; None: the points are of another model."""
        query = text("SELECT applied_seq FROM index_state WHERE belongs = :belongs")
        found = connection.execute(query, {"belongs": self._belongs}).scalar()
        return None if found is None else int(found)

    def search(self, query: IndexQuery) -> Hits:
        """Both rankings, bound to who asks: the server lets no other tenant's point through."""
        narrowed, values = "", {
            "org_id": query.org_id, "scope_owner": query.scope_owner, "collection": query.collection,
            "min_confidence": query.min_confidence, "now_us": to_micros(query.now), "limit": query.limit,
            "dense": json.dumps(query.dense),
        }  # fmt: skip
        for column, wanted in (("memory_type", query.memory_types), ("dataset_key", query.dataset_keys)):
            if wanted:
                narrowed += f"AND {column} = ANY(cast(:{column}s AS varchar[])) "
                values[f"{column}s"] = list(wanted)
        start = _CANDIDATES.format(narrowed=narrowed)
        with _unavailable(self._ledger.read(Principal(query.org_id, query.owner_sub))) as connection:
            near = connection.execute(text(start + _DENSE.format(cosine=self._cosine)), values).all()
            matching: Sequence[Any] = []
            if query.sparse.indices:
                values["wanted"] = query.sparse.indices
                matching = connection.execute(text(start + _SPARSE.format(cosine=self._cosine)), values).all()
        return Hits([Hit(r[0], float(r[1])) for r in near], [Hit(r[0], float(r[1])) for r in matching])

    def count(self) -> int:
        """Number of points in all collections."""
        with self._reading() as connection:
            return int(connection.execute(text("SELECT count(*) FROM index_points")).scalar_one())

    def memory_ids(self) -> set[str]:
        """The units that have a point."""
        with self._reading() as connection:
            return set(connection.execute(text("SELECT memory_id FROM index_points")).scalars())

    def reset(self) -> None:
        """Remove all points."""
        with _unavailable(self._ledger.write_all()) as connection:
            connection.execute(text("DELETE FROM index_points"))
            self._note(connection, 0)

    def close(self) -> None:
        """Nothing of its own to close: connections are the ledger's."""

    def _note(self, connection: Connection, seq: int) -> None:
        connection.execute(text("DELETE FROM index_state"))
        values = {"belongs": self._belongs, "seq": seq}
        connection.execute(text("INSERT INTO index_state (belongs, applied_seq) VALUES (:belongs, :seq)"), values)

    def _reading(self) -> "_unavailable":
        return _unavailable(self._ledger.read_all())


class _unavailable:  # noqa: N801  reads as what it says of errors
    """A transaction whose failures mean that the index cannot answer."""

    def __init__(self, transaction: Any) -> None:
        self._transaction = transaction

    def __enter__(self) -> Connection:
        try:
            connection: Connection = self._transaction.__enter__()
        except MemoryError as error:
            raise IndexUnavailable(f"The search index failed: {error}") from error
        return connection

    def __exit__(self, *raised: Any) -> None:
        try:
            self._transaction.__exit__(*raised)
        except IndexUnavailable:
            raise
        except MemoryError as error:
            raise IndexUnavailable(f"The search index failed: {error}") from error


def _row(point: IndexPoint) -> dict[str, Any]:
    return {
        "memory_id": point.memory_id,
        "collection": point.collection,
        "org_id": point.org_id,
        "scope_owner": point.scope_owner,
        "dataset_key": point.dataset_key,
        "memory_type": point.memory_type,
        "confidence": point.confidence,
        "visible_us": to_micros(point.visible_from),
        "expires_us": micros_or_never(point.expires_at),
        "dense": json.dumps(point.dense),
        "terms": point.sparse.indices,
        "weights": point.sparse.weights,
    }
