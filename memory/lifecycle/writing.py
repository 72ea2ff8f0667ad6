"""Writing: what becomes of a new unit. Identity first; the outcome is one of four and is always told."""

import hashlib
from collections.abc import Sequence
from datetime import UTC
from typing import Any

from sqlalchemy import ColumnElement, Connection, RowMapping, insert, select, update

from memory.identity.keys import canonical, is_free_text, same_directive, with_subject
from memory.ledger.record import Ledger, find, visible
from memory.ledger.schema import outcomes, sightings, units
from memory.lifecycle.nomination import Nominator
from memory.lifecycle.versions import (
    Writing,
    active_row,
    agrees,
    expiry,
    identity_of,
    in_force,
    insert_seen,
    pool_of,
    record,
    replace,
    retire,
    sight,
)
from memory.units import FLOOR, TTL_DAYS, Action, NewUnit, Outcome

CERTAIN = 0.98
"""No number of confirmations makes a unit more certain than this."""

CONFIRMED_0_1 = 0.25
"""How far towards `CERTAIN` the confidence of a unit that is no finding moves when another session confirms it."""

_CHUNK = 500
_STRENGTH = {None: 0, "exploratory_divergent": 1, "exploratory": 2, "confirmatory": 3}


def remember(ledger: Ledger, nominator: Nominator, writing: Writing, new_units: Sequence[NewUnit]) -> list[Outcome]:
    """Write units in one transaction and return one outcome each, in order. Replays return what they returned before.

    :raises MemoryError: other writers won every attempt; nothing is written.
    """

    def work(connection: Connection) -> list[Outcome]:
        ledger.hold(connection, {pool_of(writing.principal, new.memory_type, new.data_source) for new in new_units})
        return _Batch(connection, nominator, writing, new_units).remember()

    return ledger.attempt(writing.principal, work)


class _Batch:
    """Units written together: what the ledger knows of all of them is read once, and outcomes are kept in one go."""

    def __init__(
        self, connection: Connection, nominator: Nominator, writing: Writing, new_units: Sequence[NewUnit]
    ) -> None:
        self._connection = connection
        self._nominator = nominator
        self._writing = writing
        self._new = [
            (
                _key_hash(new),
                new.model_copy(update={"claim": with_subject(new.claim, summary=new.summary)}),
            )
            for new in new_units
        ]
        identities = [_identity(connection, writing, new)["claim_hash"] for _, new in self._new]
        self._known = set(_those_of(connection, units.c.claim_hash, identities, ()))
        mine = (
            outcomes.c.org_id == writing.principal.org_id,
            outcomes.c.owner_sub == writing.principal.owner_sub,
            outcomes.c.run_id == writing.run_id,
        )
        self._done = set(_those_of(connection, outcomes.c.key_hash, [key for key, _ in self._new], mine))
        self._mine = mine

    def remember(self) -> list[Outcome]:
        """One outcome for each unit, in order."""
        made: dict[str, Outcome] = {}
        told: list[Outcome] = []
        for key_hash, new in self._new:
            if key_hash in self._done:
                told.append(self._recorded(new, key_hash))
                continue
            if key_hash not in made:
                made[key_hash] = _decide(self._connection, self._nominator, self._writing, new, self._known)
            told.append(made[key_hash].model_copy(update={"unit_key": new.unit_key}))
        if made:
            owner: dict[str, str | None] = {
                "org_id": self._writing.principal.org_id,
                "owner_sub": self._writing.principal.owner_sub,
            }
            rows: list[dict[str, str | None]] = [
                owner
                | {"run_id": self._writing.run_id, "key_hash": key_hash, "action": outcome.action}
                | {"memory_id": outcome.memory_id, "previous_id": outcome.previous_id, "reason": outcome.reason}
                for key_hash, outcome in made.items()
            ]
            self._connection.execute(insert(outcomes), rows)
        return told

    def _recorded(self, new: NewUnit, key_hash: str) -> Outcome:
        query = select(outcomes.c.action, outcomes.c.memory_id, outcomes.c.previous_id, outcomes.c.reason)
        row = self._connection.execute(query.where(*self._mine, outcomes.c.key_hash == key_hash)).one()
        mine = (units.c.memory_id == row.memory_id, visible(self._writing.principal))
        found = find(self._connection, self._writing.now, *mine)
        return Outcome(
            unit_key=new.unit_key,
            action=row.action,
            memory_id=row.memory_id,
            previous_id=row.previous_id,
            reason=row.reason,
            unit=found[0] if found else None,
        )


def _those_of(
    connection: Connection, column: ColumnElement[str], values: Sequence[str], where: Sequence[ColumnElement[bool]]
) -> list[str]:
    """The values that are there already."""
    found: list[str] = []
    for start in range(0, len(values), _CHUNK):
        chunk = values[start : start + _CHUNK]
        found += connection.execute(select(column).where(*where, column.in_(chunk))).scalars()
    return found


def _decide(
    connection: Connection, nominator: Nominator, writing: Writing, new: NewUnit, known_identities: set[str]
) -> Outcome:
    confidence = new.resolved_confidence
    if confidence < FLOOR:
        return _drop(connection, writing, new, f"confidence {confidence:.2f} is below {FLOOR:.2f}")
    values = _values(writing, new)
    if values["expires_at"] is not None and values["expires_at"] <= writing.now:
        return _drop(connection, writing, new, "it had reached its time limit before it was stored")
    identity = _identity(connection, writing, new)
    first = identity["claim_hash"] not in known_identities
    row = None if first else active_row(connection, identity)
    known_identities.add(identity["claim_hash"])
    if row is not None and not in_force(row, writing.now):
        retire(connection, writing, row)
        row = None
    known = row is not None and agrees(row, new.claim, new.directive)
    if row is None and is_free_text(new.claim):
        nominee = nominator.nominee(connection, writing, new, {k: v for k, v in identity.items() if k != "claim_hash"})
        if nominee is not None:
            row = nominee.row
            known = nominee.relation == "same" and same_directive(row["directive"], new.directive)
            # It becomes a version of the nominee, whose first wording is the subject.
            values["claim"] = row["claim"] | {"value": new.claim["value"]}
    if row is None:
        unit = insert_seen(connection, writing, values, first=first)
        return Outcome(unit_key=new.unit_key, action="stored", memory_id=unit.memory_id, reason="new", unit=unit)
    if known:
        _reconfirm(connection, writing, new, row)
        return _outcome(connection, writing, new, "reconfirmed", row["memory_id"], reason="known; it still holds")
    if values["dialogue_time"] < row["dialogue_time"]:
        return _drop(connection, writing, new, "a newer statement on the same subject is in force")
    memory_id = replace(connection, writing, row, values)
    sight(connection, writing, memory_id, new.memory_type, writing.session_id)
    return _outcome(
        connection, writing, new, "superseded", memory_id, reason="the value changed", previous_id=row["memory_id"]
    )


def _reconfirm(connection: Connection, writing: Writing, new: NewUnit, row: RowMapping) -> None:
    """Renew the limit and count the session. The first wording stays, so that small steps cannot add up to a drift."""
    said_at = max(new.dialogue_time or writing.now, row["last_confirmed_at"])
    ttl_days = new.ttl_days if new.ttl_days is not None and row["ttl_days"] is not None else row["ttl_days"]
    renewed = expiry(said_at, ttl_days)
    if renewed is not None and row["expires_at"] is not None:
        renewed = max(renewed, row["expires_at"])  # a confirmation never shortens
    confirmed = {"run_id": writing.run_id, "session_id": writing.session_id, "at": said_at.isoformat()}
    if "fingerprint" in new.provenance:
        confirmed["fingerprint"] = new.provenance["fingerprint"]
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
        if writing.session_id not in _sessions(connection, row["memory_id"]):
            values["confidence"] += (CERTAIN - values["confidence"]) * CONFIRMED_0_1
    connection.execute(update(units).where(units.c.memory_id == row["memory_id"]).values(**values))
    sight(connection, writing, row["memory_id"], row["memory_type"], writing.session_id)
    limit = None if renewed is None else renewed.isoformat()
    record(connection, writing, "reconfirmed", row["memory_type"], row["memory_id"], {"expires_at": limit})


def _sessions(connection: Connection, memory_id: str) -> set[str]:
    return set(connection.execute(select(sightings.c.session_id).where(sightings.c.memory_id == memory_id)).scalars())


def _values(writing: Writing, new: NewUnit) -> dict[str, Any]:
    copied = {
        "memory_type", "summary", "detail", "label", "claim", "directive", "data_source", "event_time_start",
        "event_time_end", "artifact_id",
    }  # fmt: skip
    said_at = (new.dialogue_time or writing.now).astimezone(UTC)
    ttl_days = new.ttl_days if new.ttl_days is not None else TTL_DAYS[new.memory_type]
    return {name: getattr(new, name) for name in copied} | {
        "session_id": writing.session_id,
        "confidence": new.resolved_confidence,
        "dialogue_time": said_at,
        "last_confirmed_at": said_at,
        "expires_at": expiry(said_at, ttl_days),
        "ttl_days": ttl_days,
        "provenance": new.provenance | {"run_id": writing.run_id},
    }


def _identity(connection: Connection, writing: Writing, new: NewUnit) -> dict[str, str]:
    return identity_of(
        connection,
        writing.principal,
        memory_type=new.memory_type,
        data_source=new.data_source,
        claim=new.claim,
        summary=new.summary,
    )


def _key_hash(new: NewUnit) -> str:
    key = new.unit_key or canonical([new.memory_type, new.data_source, new.claim, new.summary])
    return hashlib.sha256(key.encode()).hexdigest()


def _drop(connection: Connection, writing: Writing, new: NewUnit, reason: str) -> Outcome:
    record(connection, writing, "dropped", new.memory_type, None, {"reason": reason})
    return Outcome(unit_key=new.unit_key, action="dropped", reason=reason)


def _outcome(
    connection: Connection,
    writing: Writing,
    new: NewUnit,
    action: Action,
    memory_id: str,
    *,
    reason: str,
    previous_id: str | None = None,
) -> Outcome:
    unit = find(connection, writing.now, units.c.memory_id == memory_id)[0]
    return Outcome(
        unit_key=new.unit_key, action=action, memory_id=memory_id, reason=reason, previous_id=previous_id, unit=unit
    )
