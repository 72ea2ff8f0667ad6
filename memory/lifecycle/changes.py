"""What happens to kept units besides new evidence: resolved, pinned, corrected, swept; and their history."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, RowMapping, and_, select, update

from memory.errors import UnknownMemory
from memory.identity.keys import is_free_text
from memory.ledger.record import Ledger, append, as_unit, find, live, visible
from memory.ledger.schema import IDENTITY, units
from memory.lifecycle.versions import REACHED_LIMIT, Writing, expiry, record, replace, sight
from memory.units import CONFIDENCE, FLOOR, TTL_DAYS, MemoryUnit, Principal

WEAKENED_0_1 = 0.8
"""What a unit that is no finding keeps of its confidence when a test of it found less."""

_WEAKER = {"confirmatory": "exploratory", "exploratory": "exploratory_divergent"}


def resolve(ledger: Ledger, writing: Writing, memory_ids: Sequence[str], *, reason: str) -> list[MemoryUnit]:
    """Close units whose subject is gone. Returns those that this run closed, also when it is repeated."""

    def work(connection: Connection) -> list[MemoryUnit]:
        mine = and_(units.c.memory_id.in_(memory_ids), visible(writing.principal))
        for unit in find(connection, writing.now, mine, live(writing.now)):
            closed = {"status": "resolved", "closed_at": writing.now, "closed_reason": reason}
            if _change(connection, unit.memory_id, **closed, closed_run_id=writing.run_id):
                record(connection, writing, "resolved", unit.memory_type, unit.memory_id, {})
        return find(
            connection, writing.now, mine, units.c.closed_run_id == writing.run_id, units.c.status == "resolved"
        )

    return ledger.attempt(writing.principal, work)


def pin(ledger: Ledger, writing: Writing, memory_id: str, *, pinned: bool) -> MemoryUnit:
    """Lift the time limit and show the unit whatever the question; or give it the limit of its type from now on."""

    def work(connection: Connection) -> MemoryUnit:
        row = _in_force(connection, writing, memory_id)
        ttl_days = None if pinned else TTL_DAYS[row["memory_type"]]
        _change(connection, memory_id, pinned=pinned, ttl_days=ttl_days, expires_at=expiry(writing.now, ttl_days))
        record(connection, writing, "pinned" if pinned else "unpinned", row["memory_type"], memory_id, {})
        return find(connection, writing.now, units.c.memory_id == memory_id)[0]

    return ledger.attempt(writing.principal, work)


def correct(
    ledger: Ledger,
    writing: Writing,
    memory_id: str,
    *,
    summary: str,
    value: Mapping[str, Any] | None,
    directive: Mapping[str, Any] | None,
) -> MemoryUnit:
    """Put the owner's wording in place of a unit, as its next version. What is not given stays as it was."""

    def work(connection: Connection) -> MemoryUnit:
        row = _in_force(connection, writing, memory_id)
        # The subject of free text is its first wording: that stays, else the new wording would be another thing.
        kept_value = {"text": summary} if is_free_text(row["claim"]) else row["claim"].get("value", {})
        private = {"memory_id", "version", "supersedes", "superseded_by", "sightings", "stored_order", *IDENTITY} - {
            "memory_type"
        }
        values = {name: column for name, column in row.items() if name not in private} | {
            "summary": summary,
            "detail": "",
            "claim": row["claim"] | {"value": kept_value if value is None else dict(value)},
            "directive": row["directive"] if directive is None else dict(directive),
            "dialogue_time": writing.now,
            "last_confirmed_at": writing.now,
            "expires_at": expiry(writing.now, row["ttl_days"]),
            "provenance": row["provenance"] | {"corrected_by": writing.principal.owner_sub},
        }
        new_id = replace(connection, writing, row, values, reason="corrected by its owner", kind="corrected")
        sight(connection, writing, new_id, row["memory_type"], row["session_id"])
        return find(connection, writing.now, units.c.memory_id == new_id)[0]

    return ledger.attempt(writing.principal, work)


def weaken(ledger: Ledger, writing: Writing, memory_id: str, *, reason: str) -> MemoryUnit:
    """Take a unit one rung down, because a test of it found less; below the floor it is closed as resolved.

    Findings go down the ladder of labels, since their confidence follows from it; other units keep `WEAKENED_0_1` of
    their confidence.
    """

    def work(connection: Connection) -> MemoryUnit:
        row = _in_force(connection, writing, memory_id)
        label = _WEAKER.get(row["label"])
        confidence = CONFIDENCE[label] if label is not None else row["confidence"] * WEAKENED_0_1
        values: dict[str, Any] = {"label": label, "confidence": confidence}
        if confidence < FLOOR:
            values = {"status": "resolved", "closed_at": writing.now, "closed_reason": reason}
        _change(connection, memory_id, **values, closed_run_id=writing.run_id if confidence < FLOOR else None)
        kind = "resolved" if confidence < FLOOR else "weakened"
        record(connection, writing, kind, row["memory_type"], memory_id, {"confidence": round(confidence, 3)})
        return find(connection, writing.now, units.c.memory_id == memory_id)[0]

    return ledger.attempt(writing.principal, work)


def sweep(ledger: Ledger, now: datetime) -> int:
    """Mark units past their limit as expired, for all principals; reading does not depend on it. Returns how many."""
    with ledger.write_all() as connection:
        due = and_(units.c.status == "active", units.c.expires_at <= now)
        rows = connection.execute(select(units).where(due).with_for_update(skip_locked=True)).mappings().all()
        for row in rows:
            closed = {"status": "expired", "closed_at": row["expires_at"], "closed_reason": REACHED_LIMIT}
            _change(connection, row["memory_id"], **closed)
            writer = Principal(row["org_id"], row["owner_sub"])
            append(connection, writer, "expired", at=now, scope=row["scope"], memory_id=row["memory_id"])
        return len(rows)


def history(connection: Connection, principal: Principal, memory_id: str, now: datetime) -> list[MemoryUnit]:
    """All versions of what `memory_id` is a version of, oldest first; [] when the principal cannot see it."""
    seen = and_(units.c.memory_id == memory_id, visible(principal), units.c.dialogue_time <= now)
    row = connection.execute(select(units).where(seen)).mappings().one_or_none()
    if row is None:
        return []
    versions = connection.execute(
        select(units)
        .where(*(units.c[name] == row[name] for name in IDENTITY), units.c.dialogue_time <= now)
        .order_by(units.c.version)
    ).mappings()
    return [as_unit(version, now) for version in versions]


def _in_force(connection: Connection, writing: Writing, memory_id: str) -> RowMapping:
    query = select(units).where(units.c.memory_id == memory_id, visible(writing.principal), live(writing.now))
    row = connection.execute(query.with_for_update()).mappings().one_or_none()
    if row is None:
        raise UnknownMemory(f"There is no memory {memory_id!r} in force.")
    return row


def _change(connection: Connection, memory_id: str, **values: Any) -> bool:
    """Change a unit that is active. False: somebody else closed it meanwhile."""
    query = update(units).where(units.c.memory_id == memory_id, units.c.status == "active").values(**values)
    return connection.execute(query).rowcount == 1
