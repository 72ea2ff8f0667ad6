"""Nomination: which kept statement a new free-text one repeats or changes, when its wording is not known."""

from typing import NamedTuple

import numpy as np
from sqlalchemy import Connection, RowMapping, select

from memory.embedding import Embedder
from memory.errors import IndexUnavailable
from memory.identity.judging import NOMINATION_FLOOR, Judge, Relation
from memory.identity.keys import is_free_text
from memory.ledger.record import live, vectors
from memory.ledger.schema import units
from memory.lifecycle.versions import Writing
from memory.units import NewUnit

CANDIDATES = 3
"""How many of the nearest statements are judged."""


class Nominee(NamedTuple):
    """A unit in force and how the new statement relates to it: "same" or "update"."""

    row: RowMapping
    relation: Relation


class Nominator:
    """Finds the statement that a new one is about."""

    def __init__(self, embedder: Embedder) -> None:
        """Keep the embedder; loads nothing."""
        self._embedder = embedder
        self._judge = Judge(embedder)

    def nominee(self, connection: Connection, writing: Writing, new: NewUnit, pool: dict[str, str]) -> Nominee | None:
        """The most probable one among the nearest free-text units of the pool; None when the new one stands alone.

        `pool` holds the identity columns without the claim. Where the embedding model cannot run nobody is nominated:
        then only an equal wording is the same.
        """
        same_pool = [units.c[name] == value for name, value in pool.items()]
        query = select(units.c.memory_id, units.c.summary, units.c.claim).where(*same_pool, live(writing.now))
        rows = [row for row in connection.execute(query) if is_free_text(row.claim)]
        if not rows:
            return None
        try:
            judged = self._judged(connection, new, {row.memory_id: row.summary for row in rows})
        except IndexUnavailable:
            return None
        if not judged:
            return None
        _, memory_id, relation = max(judged)
        return Nominee(
            connection.execute(select(units).where(units.c.memory_id == memory_id)).mappings().one(), relation
        )

    def _judged(
        self, connection: Connection, new: NewUnit, summaries: dict[str, str]
    ) -> list[tuple[float, str, Relation]]:
        ids = list(summaries)
        known: dict[str, bytes] = {}
        for start in range(0, len(ids), 500):
            known |= vectors(connection, ids[start : start + 500], self._embedder.name)
        fresh = self._judge.vectors([new.summary, *(summaries[m] for m in ids if m not in known)])
        rows = [np.frombuffer(known[m], dtype="<f4") if m in known else fresh[summaries[m]] for m in ids]
        cosines = np.stack(rows) @ fresh[new.summary]
        judged: list[tuple[float, str, Relation]] = []
        for position in np.argsort(-cosines)[:CANDIDATES]:
            if cosines[position] >= NOMINATION_FLOOR:
                memory_id = ids[int(position)]
                found = self._judge.judge(summaries[memory_id], new.summary, new.memory_type)
                if found.relation != "distinct":
                    judged.append((found.probability, memory_id, found.relation))
        return judged
