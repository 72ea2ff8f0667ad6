"""Figures of a memory for its owner: how much is kept, in which state, and whether the index agrees with the ledger."""

from collections import Counter
from datetime import datetime
from typing import Any

from sqlalchemy import select

from memory.errors import IndexUnavailable
from memory.index.feed import IndexFeed
from memory.ledger.record import Ledger, find, read_events, visible
from memory.ledger.schema import units
from memory.units import Principal


def figures(ledger: Ledger, feed: IndexFeed, principal: Principal, now: datetime) -> dict[str, Any]:
    """Counts of what the principal can see: active units by type, all units by status, durative ones, events."""
    with ledger.read(principal) as connection:
        seen = find(connection, now, visible(principal), units.c.dialogue_time <= now)
        events = len(read_events(connection, principal, None))
    with ledger.read_all() as connection:
        active = set(connection.execute(select(units.c.memory_id).where(units.c.status == "active")).scalars())
    try:
        index = "in step with the ledger" if feed.memory_ids() == active else "differs from the ledger: reindex"
    except IndexUnavailable as error:
        index = str(error)
    return {
        "active": dict(Counter(unit.memory_type for unit in seen if unit.active)),
        "status": dict(Counter(unit.status for unit in seen)),
        "durative": sum(unit.is_durative and unit.active for unit in seen),
        "pinned": sum(unit.pinned and unit.active for unit in seen),
        "events": events,
        "index": index,
    }
