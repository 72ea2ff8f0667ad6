"""Reading for a question: standing constraints, ranked findings, and what fits into the token budget."""

from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

from langchain_core.messages.utils import count_tokens_approximately
from sqlalchemy import ColumnElement

from memory.embedding import Embedder
from memory.errors import IndexUnavailable
from memory.index.feed import IndexFeed
from memory.index.protocol import COLLECTIONS, Collection, IndexQuery, collection_of
from memory.index.sparse import query_vector
from memory.ledger.record import Ledger, find, holds_for, live, visible
from memory.ledger.schema import units
from memory.recall.ranking import CANDIDATES, Scored, by_keywords, fuse, origin, ranked
from memory.recall.standing import STANDING, StandingUnits
from memory.units import FLOOR, SCOPE, MemoryUnit, Principal, Recall, RecalledUnit

_ORDER = (*STANDING, "finding")


class Found(NamedTuple):
    """Ranked units, and why the index was not asked (None: it was)."""

    scored: list[Scored]
    degraded: str | None


class Recollection:
    """Reads the ledger and the index for one memory."""

    def __init__(self, ledger: Ledger, feed: IndexFeed, embedder: Embedder) -> None:
        """Keep the three."""
        self._ledger = ledger
        self._feed = feed
        self._embedder = embedder
        self._standing = StandingUnits(ledger)

    def forget(self) -> None:
        """Drop what is kept in this process."""
        self._standing.forget()

    def recall(self, principal: Principal, *, dataset: str, query: str, budget_tokens: int, now: datetime) -> Recall:
        """Constraints from the ledger, findings from the index, both within the budget."""
        standing = self._standing.of(principal, dataset, now)
        found = self.search(principal, query, dataset=dataset, memory_types=("finding",), limit=CANDIDATES, now=now)
        constraints = sorted((_constraint(unit, dataset, now) for unit in standing), key=_precedence)
        findings = [
            RecalledUnit(unit=item.unit, score=round(item.score, 4), why=item.why)
            for item in found.scored
            if not item.unit.pinned
        ]
        return _within_budget([*constraints, *findings], budget_tokens, found.degraded)

    def search(
        self,
        principal: Principal,
        query: str,
        *,
        dataset: str | None,
        memory_types: Sequence[str] = (),
        limit: int,
        now: datetime,
    ) -> Found:
        """The principal's units in force that bear on the query, best first; from the ledger when the index cannot."""
        where = [visible(principal), live(now), units.c.confidence >= FLOOR]
        if dataset is not None:
            where.append(holds_for(dataset))
        if memory_types:
            where.append(units.c.memory_type.in_(memory_types))
        if not query.strip():
            return Found([], None)
        degraded = None
        try:
            cosines = self._ask_index(principal, query, dataset=dataset, memory_types=tuple(memory_types), now=now)
            candidates = self._read(principal, now, [*where, units.c.memory_id.in_(list(cosines))])
        except IndexUnavailable as error:
            candidates = self._read(principal, now, where)
            cosines = by_keywords(candidates, query)
            degraded = f"{error} Matched by dataset, type and keywords instead."
        return Found(ranked(candidates, query, cosines, now)[:limit], degraded)

    def _ask_index(
        self, principal: Principal, query: str, *, dataset: str | None, memory_types: tuple[str, ...], now: datetime
    ) -> dict[str, float]:
        dense = self._embedder.embed([query])[0].tolist()
        sparse = query_vector(query)

        def ask(collection: Collection) -> IndexQuery:
            return IndexQuery(
                collection=collection,
                org_id=principal.org_id,
                owner_sub=principal.owner_sub,
                now=now,
                min_confidence=FLOOR,
                dense=dense,
                sparse=sparse,
                limit=CANDIDATES,
                memory_types=memory_types,
                dataset_keys=() if dataset is None else (dataset, ""),
            )

        return fuse(self._feed.search([ask(collection) for collection in _collections(memory_types)]))

    def _read(self, principal: Principal, now: datetime, where: list[ColumnElement[bool]]) -> list[MemoryUnit]:
        with self._ledger.read(principal) as connection:
            return find(connection, now, *where)


def _collections(memory_types: tuple[str, ...]) -> list[Collection]:
    wanted = {collection_of(SCOPE[name]) for name in memory_types}
    return [name for name in COLLECTIONS if not wanted or name in wanted]


def _constraint(unit: MemoryUnit, dataset: str, now: datetime) -> RecalledUnit:
    required = unit.memory_type == "data_quality" and unit.is_durative
    reach = f"holds for {dataset}" if unit.data_source else "holds for all datasets"
    lead = "required workaround" if required else "pinned" if unit.pinned else "standing"
    return RecalledUnit(unit=unit, score=1.0, why=f"{lead}, {reach}, {origin(unit, now)}", required=required)


def _precedence(item: RecalledUnit) -> tuple[bool, int, bool, float]:
    """Required first, then by type, then what is said of this dataset, then the newest."""
    unit = item.unit
    return (
        not item.required,
        _ORDER.index(unit.memory_type),
        unit.data_source is None,
        -unit.last_confirmed_at.timestamp(),
    )


@lru_cache(maxsize=4096)
def _tokens(characters: int) -> int:
    """Approximate tokens of a text of this length; nothing else decides, and asking anew for each text is slow."""
    return count_tokens_approximately(["x" * characters])


def _within_budget(items: Sequence[RecalledUnit], budget_tokens: int, degraded: str | None) -> Recall:
    buckets: dict[str, list[RecalledUnit]] = {name: [] for name in _ORDER}
    over: list[RecalledUnit] = []
    used = 0
    for item in items:
        tokens = _tokens(len(item.unit.summary))
        if used + tokens > budget_tokens:
            if item.unit.memory_type in STANDING:
                over.append(item)
            continue
        used += tokens
        buckets[item.unit.memory_type].append(item)
    return Recall(
        findings=buckets["finding"],
        data_quality=buckets["data_quality"],
        preferences=buckets["user_preference"],
        patterns=buckets["domain_pattern"],
        over_budget=over,
        tokens=used,
        degraded=degraded,
    )
