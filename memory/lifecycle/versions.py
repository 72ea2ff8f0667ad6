"""Versions: the rows of one identity, and the small changes to them that every writer is made of."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Connection, RowMapping, func, insert, select, update

from memory.identity.keys import claim_key, same_directive, same_value, value_of
from memory.ledger.record import append, as_unit
from memory.ledger.schema import IDENTITY, next_in_order, sightings, units
from memory.ledger.sealing import identity_hash_for
from memory.units import RECURRING, SCOPE, MemoryUnit, Principal

REACHED_LIMIT = "reached its time limit"


@dataclass(frozen=True)
class Writing:
    """Who writes, in which run and session, and when."""

    principal: Principal
    run_id: str
    session_id: str
    now: datetime
    min_sightings: int
    embedding_model: str


def pool_of(principal: Principal, memory_type: str, data_source: str | None) -> tuple[str, str, str, str]:
    """What a unit is compared with: org, scope owner, dataset key and type."""
    owner = "" if SCOPE[memory_type] == "org" else principal.owner_sub
    return principal.org_id, owner, data_source or "", memory_type


def identity_of(
    connection: Connection,
    principal: Principal,
    *,
    memory_type: str,
    data_source: str | None,
    claim: Mapping[str, Any],
    summary: str,
) -> dict[str, str]:
    """The identity columns of a statement by this principal."""
    pool = dict(zip(IDENTITY, pool_of(principal, memory_type, data_source), strict=False))
    return pool | {
        "claim_hash": identity_hash_for(connection.dialect, claim_key(claim, summary=summary)),
    }


def active_row(connection: Connection, identity: Mapping[str, str]) -> RowMapping | None:
    """The one row of this identity whose status is active, in force or not; locked until the transaction ends."""
    query = select(units).where(*(units.c[name] == value for name, value in identity.items()))
    return connection.execute(query.where(units.c.status == "active").with_for_update()).mappings().one_or_none()


def in_force(row: RowMapping, now: datetime) -> bool:
    """Whether an active row is neither past its limit nor dated later than `now`."""
    return bool(row["dialogue_time"] <= now and (row["expires_at"] is None or row["expires_at"] > now))


def agrees(row: RowMapping, claim: Mapping[str, Any], directive: Mapping[str, Any] | None) -> bool:
    """Whether a statement of the same identity says what the row says."""
    return same_value(value_of(row["claim"]), value_of(claim)) and same_directive(row["directive"], directive)


def expiry(start: datetime, ttl_days: int | None) -> datetime | None:
    """The moment from which a unit is expired."""
    return None if ttl_days is None else start + timedelta(days=ttl_days)


def insert_version(
    connection: Connection,
    writing: Writing,
    values: Mapping[str, Any],
    *,
    kind: str = "stored",
    previous_id: str | None = None,
) -> str:
    """Insert the next version of an identity as written by `values`; active, seen by nobody yet. Returns its id."""
    row = _row(connection, writing, values, previous_id=previous_id, first=False) | {"sightings": 0}
    return _insert(connection, writing, row, kind, previous_id)


def insert_seen(connection: Connection, writing: Writing, values: Mapping[str, Any], *, first: bool) -> MemoryUnit:
    """Insert a new unit as seen by the session that writes; `first`: its identity is known to have no version yet."""
    durative = writing.min_sightings <= 1 and values["memory_type"] in RECURRING
    row = _row(connection, writing, values, previous_id=None, first=first) | {"sightings": 1, "is_durative": durative}
    _insert(connection, writing, row, "stored", None)
    seen = {"memory_id": row["memory_id"], "owner_sub": row["owner_sub"], "session_id": writing.session_id}
    connection.execute(insert(sightings), seen | {"seen_at": writing.now})
    return as_unit(
        row | {"event_time_start": _utc(row, "event_time_start"), "event_time_end": _utc(row, "event_time_end")},
        writing.now,
    )


def _row(
    connection: Connection, writing: Writing, values: Mapping[str, Any], *, previous_id: str | None, first: bool
) -> dict[str, Any]:
    said = {name: values[name] for name in ("memory_type", "data_source", "claim", "summary")}
    identity = identity_of(connection, writing.principal, **said)
    version = 1
    if not first:
        same = [units.c[name] == value for name, value in identity.items()]
        version = (connection.execute(select(func.max(units.c.version)).where(*same)).scalar() or 0) + 1
    scope, owner = SCOPE[values["memory_type"]], writing.principal.owner_sub
    return {
        "memory_id": str(uuid.uuid4()),
        "owner_sub": owner,
        "scope": scope,
        "bank_id": f"org:{writing.principal.org_id}" if scope == "org" else f"user:{owner}",
        "status": "active",
        "version": version,
        "supersedes": previous_id,
        "embedding_model": writing.embedding_model,
        "claim_key": claim_key(values["claim"], summary=values["summary"]),
        **values,
        **identity,
    }


def _insert(
    connection: Connection, writing: Writing, row: Mapping[str, Any], kind: str, previous_id: str | None
) -> str:
    connection.execute(insert(units).values(**row, stored_order=next_in_order()))
    detail: dict[str, Any] = {"version": row["version"]} | ({} if previous_id is None else {"supersedes": previous_id})
    record(connection, writing, kind, row["memory_type"], row["memory_id"], detail)
    return str(row["memory_id"])


def _utc(row: Mapping[str, Any], name: str) -> datetime | None:
    return None if row.get(name) is None else row[name].astimezone(UTC)


def replace(
    connection: Connection,
    writing: Writing,
    row: RowMapping,
    values: Mapping[str, Any],
    *,
    reason: str = "the value changed",
    kind: str = "stored",
) -> str:
    """Close an active row from the moment the new statement was made, and put the new version in its place."""
    old = units.c.memory_id == row["memory_id"]
    # The old row leaves the active set first: the unique index holds one active row for each identity.
    closed = {"status": "superseded", "closed_at": values["dialogue_time"], "closed_reason": reason}
    connection.execute(update(units).where(old).values(**closed, closed_run_id=writing.run_id))
    memory_id = insert_version(connection, writing, values, kind=kind, previous_id=row["memory_id"])
    connection.execute(update(units).where(old).values(superseded_by=memory_id))
    record(connection, writing, "superseded", row["memory_type"], row["memory_id"], {"by": memory_id})
    if row["memory_type"] == "data_quality":
        _inherit_sightings(connection, row["memory_id"], memory_id)
    return memory_id


def retire(connection: Connection, writing: Writing, row: RowMapping) -> None:
    """Close an active row that is past its limit, or dated later than now, so that its identity is free."""
    expired = row["dialogue_time"] <= writing.now
    values = {
        "status": "expired" if expired else "superseded",
        "closed_at": row["expires_at"] if expired else writing.now,
        "closed_reason": REACHED_LIMIT if expired else "stated again before its date",
    }
    connection.execute(update(units).where(units.c.memory_id == row["memory_id"]).values(**values))
    record(connection, writing, str(values["status"]), row["memory_type"], row["memory_id"], {})


def sight(connection: Connection, writing: Writing, memory_id: str, memory_type: str, *session_ids: str) -> None:
    """Count each session once, and make a recurring unit durative when enough sessions have seen it."""
    owner = writing.principal.owner_sub
    mine = select(sightings.c.session_id).where(sightings.c.memory_id == memory_id, sightings.c.owner_sub == owner)
    known = set(connection.execute(mine).scalars())
    added = [
        {"memory_id": memory_id, "owner_sub": owner, "session_id": session_id, "seen_at": writing.now}
        for session_id in dict.fromkeys(session_ids)
        if session_id not in known
    ]
    if added:
        connection.execute(insert(sightings), added)
    if count_sightings(connection, memory_id) >= writing.min_sightings and memory_type in RECURRING:
        connection.execute(update(units).where(units.c.memory_id == memory_id).values(is_durative=True))


def count_sightings(connection: Connection, memory_id: str) -> int:
    """Set the number of sightings of a unit to what the table of sightings says, and return it."""
    query = select(func.count()).select_from(sightings).where(sightings.c.memory_id == memory_id)
    count = connection.execute(query).scalar_one()
    connection.execute(update(units).where(units.c.memory_id == memory_id).values(sightings=count))
    return count


def _inherit_sightings(connection: Connection, old_id: str, new_id: str) -> None:
    """A defect that only changed its extent is still the same defect: the sessions that saw it keep counting."""
    rows = connection.execute(select(sightings).where(sightings.c.memory_id == old_id)).mappings()
    kept = [dict(row) | {"memory_id": new_id} for row in rows]
    if kept:
        connection.execute(insert(sightings), kept)


def record(
    connection: Connection, writing: Writing, kind: str, memory_type: str, memory_id: str | None, detail: dict[str, Any]
) -> None:
    """Append the event of one unit."""
    append(
        connection,
        writing.principal,
        kind,
        at=writing.now,
        scope=SCOPE[memory_type],
        memory_id=memory_id,
        run_id=writing.run_id or None,
        session_id=writing.session_id or None,
        detail=detail,
    )
