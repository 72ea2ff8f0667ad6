"""Writing: what becomes of a new unit, and how a unit in force is confirmed, replaced, resolved or expires."""

import hashlib
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, RowMapping, and_, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from memory.errors import MemoryError  # noqa: A004
from memory.identity import canonical, claim_key, same_directive, same_value, subject_of, value_of
from memory.ledger import Ledger, append, as_unit, find, live, visible
from memory.schema import IDENTITY, outcomes, sightings, units
from memory.units import FLOOR, RECURRING, SCOPE, TTL_DAYS, MemoryUnit, NewUnit, Outcome, Principal

_ATTEMPTS = 5
_STRENGTH = {None: 0, "exploratory_divergent": 1, "exploratory": 2, "confirmatory": 3}


@dataclass(frozen=True)
class Writing:
    """Who writes, in which run and session, and when."""

    principal: Principal
    run_id: str
    session_id: str
    now: datetime
    min_sightings: int
    embedding_model: str


def remember(ledger: Ledger, writing: Writing, new_units: Sequence[NewUnit]) -> list[Outcome]:
    """Write units in one transaction and return one outcome each, in order. Replays return what they returned before.

    :raises MemoryError: other writers won every attempt; nothing is written.
    """
    for _ in range(_ATTEMPTS):
        try:
            with ledger.write() as connection:
                return [_remember_one(connection, writing, new) for new in new_units]
        except IntegrityError:
            # Another writer stored the same identity between our look and our insert; now it is there to be confirmed.
            continue
    raise MemoryError(f"Could not store {len(new_units)} units: other writers kept interfering. Try again.")


def _remember_one(connection: Connection, writing: Writing, new: NewUnit) -> Outcome:
    key_hash = _key_hash(new)
    done = _recorded(connection, writing, new, key_hash)
    if done is not None:
        return done
    outcome = _decide(connection, writing, new)
    connection.execute(
        insert(outcomes).values(
            org_id=writing.principal.org_id,
            owner_sub=writing.principal.owner_sub,
            run_id=writing.run_id,
            key_hash=key_hash,
            action=outcome.action,
            memory_id=outcome.memory_id,
            previous_id=outcome.previous_id,
            reason=outcome.reason,
        )
    )
    return outcome


def _recorded(connection: Connection, writing: Writing, new: NewUnit, key_hash: str) -> Outcome | None:
    row = connection.execute(
        select(outcomes.c.action, outcomes.c.memory_id, outcomes.c.previous_id, outcomes.c.reason).where(
            outcomes.c.org_id == writing.principal.org_id,
            outcomes.c.owner_sub == writing.principal.owner_sub,
            outcomes.c.run_id == writing.run_id,
            outcomes.c.key_hash == key_hash,
        )
    ).one_or_none()
    if row is None:
        return None
    found = find(connection, writing.now, units.c.memory_id == row.memory_id, visible(writing.principal))
    return Outcome(
        unit_key=new.unit_key,
        action=row.action,
        memory_id=row.memory_id,
        previous_id=row.previous_id,
        reason=row.reason,
        unit=found[0] if found else None,
    )


def _decide(connection: Connection, writing: Writing, new: NewUnit) -> Outcome:
    confidence = new.resolved_confidence
    if confidence < FLOOR:
        reason = f"confidence {confidence:.2f} is below {FLOOR:.2f}"
        record(connection, writing, "dropped", new.memory_type, None, {"reason": reason})
        return Outcome(unit_key=new.unit_key, action="dropped", reason=reason)
    said_at = new.dialogue_time or writing.now
    expires_at = expiry(said_at, _ttl_days(new))
    if expires_at is not None and expires_at <= writing.now:
        reason = "it had reached its time limit before it was stored"
        record(connection, writing, "dropped", new.memory_type, None, {"reason": reason})
        return Outcome(unit_key=new.unit_key, action="dropped", reason=reason)
    row = active_row(connection, identity_of(writing.principal, new))
    if row is not None and not in_force(row, writing.now):
        retire(connection, writing, row)
        row = None
    if row is None:
        memory_id = _insert(connection, writing, new, previous=None)
        return _outcome(connection, writing, new, "stored", memory_id, reason="new")
    if _agrees(row, new):
        _reconfirm(connection, writing, new, row)
        return _outcome(
            connection, writing, new, "reconfirmed", row["memory_id"], reason="known, the value still holds"
        )
    if said_at < row["dialogue_time"]:
        reason = "a newer statement on the same subject is in force"
        record(connection, writing, "dropped", new.memory_type, row["memory_id"], {"reason": reason})
        return Outcome(unit_key=new.unit_key, action="dropped", reason=reason)
    memory_id = _supersede(connection, writing, new, row, said_at)
    return _outcome(
        connection, writing, new, "superseded", memory_id, reason="the value changed", previous_id=row["memory_id"]
    )


def _outcome(
    connection: Connection,
    writing: Writing,
    new: NewUnit,
    action: Any,
    memory_id: str,
    *,
    reason: str,
    previous_id: str | None = None,
) -> Outcome:
    unit = find(connection, writing.now, units.c.memory_id == memory_id)[0]
    return Outcome(
        unit_key=new.unit_key, action=action, memory_id=memory_id, reason=reason, previous_id=previous_id, unit=unit
    )


def identity_of(principal: Principal, new: NewUnit) -> dict[str, str]:
    """The identity columns of a new unit written by this principal."""
    return {
        "org_id": principal.org_id,
        "scope_owner": "" if SCOPE[new.memory_type] == "org" else principal.owner_sub,
        "dataset_key": new.data_source or "",
        "memory_type": new.memory_type,
        "claim_key": claim_key(subject_of(new.claim), summary=new.summary),
    }


def active_row(connection: Connection, identity: dict[str, str]) -> RowMapping | None:
    """The one row of this identity whose status is active, in force or not."""
    query = select(units).where(*(units.c[name] == value for name, value in identity.items()))
    return connection.execute(query.where(units.c.status == "active")).mappings().one_or_none()


def next_version(connection: Connection, identity: dict[str, str]) -> int:
    """The number of the next version of this identity; 1 for the first."""
    same = [units.c[name] == value for name, value in identity.items()]
    return (connection.execute(select(func.max(units.c.version)).where(*same)).scalar() or 0) + 1


def expiry(start: datetime, ttl_days: int | None) -> datetime | None:
    """The moment from which a unit is expired."""
    return None if ttl_days is None else start + timedelta(days=ttl_days)


def _ttl_days(new: NewUnit) -> int:
    return new.ttl_days if new.ttl_days is not None else TTL_DAYS[new.memory_type]


def _key_hash(new: NewUnit) -> str:
    key = new.unit_key or canonical([new.memory_type, new.data_source, new.claim, new.summary])
    return hashlib.sha256(key.encode()).hexdigest()


def in_force(row: RowMapping, now: datetime) -> bool:
    """Whether an active row is neither past its limit nor dated later than `now`."""
    return bool(row["dialogue_time"] <= now and (row["expires_at"] is None or row["expires_at"] > now))


def _agrees(row: RowMapping, new: NewUnit) -> bool:
    return same_value(value_of(row["claim"]), value_of(new.claim)) and same_directive(row["directive"], new.directive)


def retire(connection: Connection, writing: Writing, row: RowMapping) -> None:
    """Close an active row that is past its limit, or dated later than now, so that its identity is free."""
    expired = row["dialogue_time"] <= writing.now
    values = {
        "status": "expired" if expired else "superseded",
        "closed_at": row["expires_at"] if expired else writing.now,
        "closed_reason": "reached its time limit" if expired else "stated again before its date",
    }
    connection.execute(update(units).where(units.c.memory_id == row["memory_id"]).values(**values))
    record(connection, writing, str(values["status"]), row["memory_type"], row["memory_id"], {})


def _insert(connection: Connection, writing: Writing, new: NewUnit, *, previous: RowMapping | None) -> str:
    identity = identity_of(writing.principal, new)
    version = next_version(connection, identity)
    memory_id = str(uuid.uuid4())
    scope = SCOPE[new.memory_type]
    said_at = new.dialogue_time or writing.now
    owner = writing.principal.owner_sub
    connection.execute(
        insert(units).values(
            **identity,
            memory_id=memory_id,
            scope=scope,
            owner_sub=owner,
            session_id=writing.session_id,
            bank_id=f"org:{writing.principal.org_id}" if scope == "org" else f"user:{owner}",
            summary=new.summary,
            detail=new.detail,
            label=new.label,
            confidence=new.resolved_confidence,
            claim=new.claim,
            directive=new.directive,
            data_source=new.data_source,
            dialogue_time=said_at,
            event_time_start=new.event_time_start,
            event_time_end=new.event_time_end,
            status="active",
            version=version,
            supersedes=None if previous is None else previous["memory_id"],
            sightings=0,
            last_confirmed_at=said_at,
            expires_at=expiry(said_at, _ttl_days(new)),
            ttl_days=_ttl_days(new),
            artifact_id=new.artifact_id,
            provenance=new.provenance | {"run_id": writing.run_id},
            embedding_model=writing.embedding_model,
        )
    )
    detail = {"version": version} | ({} if previous is None else {"supersedes": previous["memory_id"]})
    record(connection, writing, "stored", new.memory_type, memory_id, detail)
    if previous is not None and new.memory_type == "data_quality":
        _inherit_sightings(connection, previous["memory_id"], memory_id)
    _sight(connection, writing, memory_id, new.memory_type)
    return memory_id


def _reconfirm(connection: Connection, writing: Writing, new: NewUnit, row: RowMapping) -> None:
    said_at = max(new.dialogue_time or writing.now, row["last_confirmed_at"])
    ttl_days = new.ttl_days if new.ttl_days is not None else row["ttl_days"]
    renewed = expiry(said_at, ttl_days)
    if renewed is not None and row["expires_at"] is not None:
        renewed = max(renewed, row["expires_at"])  # a confirmation never shortens
    provenance = new.provenance or {}
    confirmed = {"run_id": writing.run_id, "session_id": writing.session_id, "at": said_at.isoformat()}
    if "fingerprint" in provenance:
        confirmed["fingerprint"] = provenance["fingerprint"]
    values: dict[str, Any] = {
        "last_confirmed_at": said_at,
        "expires_at": renewed,
        "ttl_days": ttl_days,
        "provenance": row["provenance"] | {"confirmed": confirmed},
    }
    if row["directive"] is None and new.directive is not None:
        values["directive"] = new.directive
    if new.artifact_id is not None:
        values["artifact_id"] = new.artifact_id
    if _STRENGTH[new.label] > _STRENGTH[row["label"]]:
        values |= {"label": new.label, "confidence": new.resolved_confidence}
    elif new.label is None:
        values["confidence"] = max(row["confidence"], new.resolved_confidence)
    connection.execute(update(units).where(units.c.memory_id == row["memory_id"]).values(**values))
    _sight(connection, writing, row["memory_id"], row["memory_type"])
    limit = None if renewed is None else renewed.isoformat()
    record(connection, writing, "reconfirmed", row["memory_type"], row["memory_id"], {"expires_at": limit})


def _supersede(connection: Connection, writing: Writing, new: NewUnit, row: RowMapping, said_at: datetime) -> str:
    old = units.c.memory_id == row["memory_id"]
    # The old row leaves the active set first: the unique index holds one active row for each identity.
    connection.execute(
        update(units)
        .where(old)
        .values(status="superseded", closed_at=said_at, closed_reason="the value changed", closed_run_id=writing.run_id)
    )
    memory_id = _insert(connection, writing, new, previous=row)
    connection.execute(update(units).where(old).values(superseded_by=memory_id))
    record(connection, writing, "superseded", row["memory_type"], row["memory_id"], {"by": memory_id})
    return memory_id


def _inherit_sightings(connection: Connection, old_id: str, new_id: str) -> None:
    """A defect that only changed its extent is still the same defect: the sessions that saw it keep counting."""
    rows = connection.execute(select(sightings).where(sightings.c.memory_id == old_id)).mappings()
    kept = [dict(row) | {"memory_id": new_id} for row in rows]
    if kept:
        connection.execute(insert(sightings), kept)


def _sight(connection: Connection, writing: Writing, memory_id: str, memory_type: str) -> None:
    """Count this session once, and make a recurring unit durative when enough sessions have seen it."""
    seen = {
        "memory_id": memory_id,
        "owner_sub": writing.principal.owner_sub,
        "session_id": writing.session_id,
    }
    known = connection.execute(select(sightings.c.seen_at).where(*(sightings.c[k] == v for k, v in seen.items())))
    if known.one_or_none() is None:
        connection.execute(insert(sightings).values(**seen, seen_at=writing.now))
    recount(connection, memory_id, memory_type, writing.min_sightings)


def recount(connection: Connection, memory_id: str, memory_type: str, min_sightings: int) -> None:
    """Bring the number of sightings up to date, and make a recurring unit durative when it is high enough."""
    if count_sightings(connection, memory_id) >= min_sightings and memory_type in RECURRING:
        connection.execute(update(units).where(units.c.memory_id == memory_id).values(is_durative=True))


def count_sightings(connection: Connection, memory_id: str) -> int:
    """Set the number of sightings of a unit to what the table of sightings says, and return it."""
    query = select(func.count()).select_from(sightings).where(sightings.c.memory_id == memory_id)
    count = connection.execute(query).scalar_one()
    connection.execute(update(units).where(units.c.memory_id == memory_id).values(sightings=count))
    return count


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
        run_id=writing.run_id,
        session_id=writing.session_id,
        detail=detail,
    )


def resolve(
    ledger: Ledger, principal: Principal, memory_ids: Sequence[str], *, run_id: str, reason: str, now: datetime
) -> list[MemoryUnit]:
    """Close units whose subject is gone. Returns those that this run closed, also when it is repeated."""
    with ledger.write() as connection:
        mine = and_(units.c.memory_id.in_(memory_ids), visible(principal))
        for unit in find(connection, now, mine, live(now)):
            connection.execute(
                update(units)
                .where(units.c.memory_id == unit.memory_id)
                .values(status="resolved", closed_at=now, closed_reason=reason, closed_run_id=run_id)
            )
            append(
                connection,
                principal,
                "resolved",
                at=now,
                scope=unit.scope,
                memory_id=unit.memory_id,
                run_id=run_id,
            )
        return find(connection, now, mine, units.c.status == "resolved", units.c.closed_run_id == run_id)


def sweep(ledger: Ledger, now: datetime) -> int:
    """Mark units past their limit as expired, for all principals; reading does not depend on it. Returns how many."""
    with ledger.write() as connection:
        due = and_(units.c.status == "active", units.c.expires_at <= now)
        rows = connection.execute(select(units).where(due)).mappings().all()
        for row in rows:
            connection.execute(
                update(units)
                .where(units.c.memory_id == row["memory_id"])
                .values(status="expired", closed_at=row["expires_at"], closed_reason="reached its time limit")
            )
            writer = Principal(row["org_id"], row["owner_sub"])
            append(connection, writer, "expired", at=now, scope=row["scope"], memory_id=row["memory_id"])
        return len(rows)


def history(connection: Connection, principal: Principal, memory_id: str, now: datetime) -> list[MemoryUnit]:
    """All versions of what `memory_id` is a version of, oldest first; [] when the principal cannot see it."""
    row = connection.execute(select(units).where(units.c.memory_id == memory_id, visible(principal))).mappings().first()
    if row is None or (row["status"] == "active" and row["dialogue_time"] > now):
        return []
    versions = connection.execute(
        select(units)
        .where(*(units.c[name] == row[name] for name in IDENTITY), units.c.dialogue_time <= now)
        .order_by(units.c.version)
    ).mappings()
    return [as_unit(version, now) for version in versions]
