"""Forgetting: what was said leaves the ledger, the embeddings, the artifacts and the audit trail; a tombstone stays.

A forgotten unit takes the versions before it along, since they say the same thing in older numbers. What the org
shares goes when its only contributor forgets a dataset or everything; where others saw it too, only the contributor's
trace goes.
"""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import ColumnElement, Connection, RowMapping, and_, delete, select, update

from memory.errors import MemoryError, UnknownMemory  # noqa: A004
from memory.ledger.record import Ledger, append, visible
from memory.ledger.schema import IDENTITY, artifacts, embeddings, events, outcomes, sightings, units
from memory.lifecycle.copies import forget_in_copies, without_trace
from memory.lifecycle.versions import count_sightings
from memory.units import Principal

FORGOTTEN_TEXT = "[forgotten]"
_CHUNK = 500
_QUOTE_LENGTH = 8
"""A shorter text could stand in a document by chance; blanking it would spoil what is not forgotten."""


@dataclass(frozen=True)
class Forgetting:
    """What is to be forgotten: exactly one thing."""

    memory_id: str | None = None
    dataset: str | None = None
    session_id: str | None = None
    everything: bool = False

    def __post_init__(self) -> None:
        """Refuse nothing, and several things at once."""
        if (
            sum([self.memory_id is not None, self.dataset is not None, self.session_id is not None, self.everything])
            != 1
        ):
            raise MemoryError("Name exactly one thing to forget: a memory_id, a dataset, a session_id, or everything.")

    def takes(self, entry: Mapping[str, Any], versions: Collection[str]) -> bool:
        """Whether an exported unit is to go; `versions` are the ids of the unit's earlier versions and its own."""
        if self.memory_id is not None:
            return entry.get("memory_id") in versions
        if self.dataset is not None:
            return bool(entry.get("data_source") == self.dataset)
        return self.everything or entry.get("sessions") == [self.session_id]


def forget(ledger: Ledger, home: Path, principal: Principal, what: Forgetting, *, now: datetime) -> int:
    """Forget in the ledger and in the exports under the home; returns the units removed.

    :raises UnknownMemory: no such unit for this principal; nothing is removed.
    """
    versions: set[str] = set()
    if what.memory_id is not None:
        with ledger.read(principal) as connection:
            versions = {row["memory_id"] for row in _versions_up_to(connection, principal, what.memory_id)}
    # The copies first: who is killed in between finds the unit still there to be forgotten.
    sessions = _sessions(ledger, principal, what)
    forget_in_copies(home, principal, lambda entry: what.takes(entry, versions), sessions)
    if what.memory_id is not None:
        return forget_unit(ledger, principal, what.memory_id, now=now)
    if what.dataset is not None:
        return forget_dataset(ledger, principal, what.dataset, now=now)
    if what.session_id is not None:
        return forget_session(ledger, principal, what.session_id, now=now)
    return forget_everything(ledger, principal, now=now)


def _versions_up_to(connection: Connection, principal: Principal, memory_id: str) -> list[RowMapping]:
    """The unit and the versions before it. :raises UnknownMemory: not visible to the principal."""
    named = _rows(connection, units.c.memory_id == memory_id, visible(principal))
    if not named:
        raise UnknownMemory(f"There is no memory {memory_id!r}.")
    same = [units.c[name] == named[0][name] for name in IDENTITY]
    return _rows(connection, *same, units.c.version <= named[0]["version"])


def _sessions(ledger: Ledger, principal: Principal, what: Forgetting) -> set[str]:
    """The principal's sessions of which no trace is to stay on units that do."""
    if what.session_id is not None:
        return {what.session_id}
    if not what.everything:
        return set()
    with ledger.read(principal) as connection:
        query = select(sightings.c.session_id).where(sightings.c.owner_sub == principal.owner_sub)
        mine = query.where(sightings.c.memory_id.in_(select(units.c.memory_id).where(visible(principal))))
        return set(connection.execute(mine).scalars())


def forget_unit(ledger: Ledger, principal: Principal, memory_id: str, *, now: datetime) -> int:
    """Forget one unit with the versions before it. :raises UnknownMemory: not visible to the principal."""
    with ledger.write(principal) as connection:
        doomed = _versions_up_to(connection, principal, memory_id)
        _erase(ledger, connection, principal, doomed, now)
        return len(doomed)


def forget_dataset(ledger: Ledger, principal: Principal, dataset: str, *, now: datetime) -> int:
    """Forget what the principal knows of a dataset, with all artifacts made on it and its name in the audit trail."""
    with ledger.write(principal) as connection:
        count = _forget_where(ledger, connection, principal, now, dataset)
        mine = and_(events.c.org_id == principal.org_id, events.c.owner_sub == principal.owner_sub)
        for row in connection.execute(select(events.c.seq, events.c.detail).where(mine)).all():
            if row.detail.get("dataset") == dataset:
                with ledger.for_all(connection, principal):
                    connection.execute(update(events).where(events.c.seq == row.seq).values(detail={}))
        return count


def forget_session(ledger: Ledger, principal: Principal, session_id: str, *, now: datetime) -> int:
    """Forget what only this session of the principal has seen, with its artifacts; elsewhere it leaves no sighting."""
    trace = and_(sightings.c.owner_sub == principal.owner_sub, sightings.c.session_id == session_id)
    seen_there = select(sightings.c.memory_id).where(trace)
    with ledger.write(principal) as connection:
        seen = _rows(connection, visible(principal), units.c.memory_id.in_(seen_there))
        doomed = [row for row in seen if row["sightings"] <= 1]
        _erase(ledger, connection, principal, doomed, now)
        _withdraw(connection, principal, [row for row in seen if row not in doomed], trace, now)
        connection.execute(delete(artifacts).where(_my_artifacts(principal), artifacts.c.session_id == session_id))
        return len(doomed)


def forget_everything(ledger: Ledger, principal: Principal, *, now: datetime) -> int:
    """Forget all that the principal has told or found, their artifacts, and the details of their audit trail."""
    with ledger.write(principal) as connection:
        count = _forget_where(ledger, connection, principal, now)
        mine = and_(events.c.org_id == principal.org_id, events.c.owner_sub == principal.owner_sub)
        with ledger.for_all(connection, principal):
            connection.execute(update(events).where(mine).values(detail={}, run_id=None, session_id=None))
        runs = and_(outcomes.c.org_id == principal.org_id, outcomes.c.owner_sub == principal.owner_sub)
        connection.execute(delete(outcomes).where(runs))
        return count


def _forget_where(
    ledger: Ledger, connection: Connection, principal: Principal, now: datetime, dataset: str | None = None
) -> int:
    chosen = [units.c.org_id == principal.org_id]
    documents = [_my_artifacts(principal)]
    if dataset is not None:
        chosen.append(units.c.dataset_key == dataset)
        documents.append(artifacts.c.dataset_key == dataset)
    own = _rows(connection, *chosen, units.c.scope_owner == principal.owner_sub)
    shared = _rows(connection, *chosen, units.c.scope_owner == "")
    alone = [row for row in shared if _contributors(connection, row) == {principal.owner_sub}]
    doomed = [*own, *alone]
    gone = {row["memory_id"] for row in doomed}
    _erase(ledger, connection, principal, doomed, now)
    kept = [row for row in shared if row["memory_id"] not in gone]
    _withdraw(connection, principal, kept, sightings.c.owner_sub == principal.owner_sub, now)
    connection.execute(delete(artifacts).where(*documents))
    return len(doomed)


def _contributors(connection: Connection, row: RowMapping) -> set[str]:
    query = select(sightings.c.owner_sub).where(sightings.c.memory_id == row["memory_id"])
    return {row["owner_sub"], *connection.execute(query).scalars()}


def _withdraw(
    connection: Connection,
    principal: Principal,
    rows: Iterable[RowMapping],
    trace: ColumnElement[bool],
    now: datetime,
) -> None:
    """Take sightings of the principal off units that stay; the first of the other sightings becomes their origin."""
    for row in rows:
        unit = units.c.memory_id == row["memory_id"]
        of_it = sightings.c.memory_id == row["memory_id"]
        others = select(sightings.c.owner_sub, sightings.c.session_id).where(of_it)
        sessions = set(connection.execute(select(sightings.c.session_id).where(of_it, trace)).scalars())
        connection.execute(delete(sightings).where(of_it, trace))
        provenance = without_trace(row["provenance"], principal, sessions)
        heir = connection.execute(others.order_by(sightings.c.seen_at).limit(1)).one_or_none()
        if heir is not None and row["owner_sub"] == principal.owner_sub:
            origin = {"owner_sub": heir.owner_sub, "session_id": heir.session_id}
            connection.execute(update(units).where(unit).values(**origin))
            provenance.pop("run_id", None)
        if provenance != row["provenance"]:
            connection.execute(update(units).where(unit).values(provenance=provenance))
        count_sightings(connection, row["memory_id"])
        append(connection, principal, "withdrawn", at=now, scope=row["scope"], memory_id=row["memory_id"])


def _erase(
    ledger: Ledger, connection: Connection, principal: Principal, rows: Sequence[RowMapping], now: datetime
) -> None:
    for start in range(0, len(rows), _CHUNK):
        chunk = rows[start : start + _CHUNK]
        ids = [row["memory_id"] for row in chunk]
        for table in (embeddings, sightings, units):  # last the units, which the security of the others asks for
            connection.execute(delete(table).where(table.c.memory_id.in_(ids)))
        for link in (units.c.supersedes, units.c.superseded_by):
            _unlink(connection, principal, link, ids, now)
        linked = [row["artifact_id"] for row in chunk if row["artifact_id"]]
        connection.execute(delete(artifacts).where(_my_artifacts(principal), artifacts.c.artifact_id.in_(linked)))
        _unlink(connection, principal, units.c.artifact_id, linked, now)
        with ledger.for_all(connection, principal):
            connection.execute(update(events).where(events.c.memory_id.in_(ids)).values(detail={}))
        for row in chunk:
            append(connection, principal, "forgotten", at=now, scope=row["scope"], memory_id=row["memory_id"])
    texts = [text for row in rows for text in (row["summary"], row["detail"]) if len(text) >= _QUOTE_LENGTH]
    if texts:
        with ledger.for_all(connection, principal):
            _redact(connection, events.c.seq, events.c.detail, events.c.org_id == principal.org_id, texts)
        _redact(connection, artifacts.c.artifact_id, artifacts.c.content, _my_artifacts(principal), texts)


def _unlink(
    connection: Connection, principal: Principal, link: ColumnElement[Any], gone: Sequence[str], now: datetime
) -> None:
    """Empty a column of units that names something that is gone."""
    affected = connection.execute(select(units.c.memory_id, units.c.scope).where(link.in_(gone))).all()
    if affected:
        connection.execute(update(units).where(link.in_(gone)).values({link.name: None}))
    for row in affected:
        append(connection, principal, "unlinked", at=now, scope=row.scope, memory_id=row.memory_id)


def _redact(connection: Connection, key: Any, document: Any, where: ColumnElement[bool], texts: Sequence[str]) -> None:
    """Blank the strings that quote a forgotten unit in kept documents."""
    quoted = [json.dumps(text, ensure_ascii=False)[1:-1] for text in texts]
    for row in connection.execute(select(key, document).where(where)).all():
        flat = json.dumps(row[1], ensure_ascii=False)
        if any(text in flat for text in quoted):
            connection.execute(update(key.table).where(key == row[0]).values({document.name: _without(row[1], texts)}))


def _without(value: Any, texts: Sequence[str]) -> Any:
    if isinstance(value, str):
        for text in texts:
            value = value.replace(text, FORGOTTEN_TEXT)
        return value
    if isinstance(value, dict):
        return {_without(key, texts): _without(item, texts) for key, item in value.items()}
    if isinstance(value, list):
        return [_without(item, texts) for item in value]
    return value


def _rows(connection: Connection, *where: ColumnElement[bool]) -> list[RowMapping]:
    return list(connection.execute(select(units).where(*where)).mappings())


def _my_artifacts(principal: Principal) -> ColumnElement[bool]:
    return and_(artifacts.c.org_id == principal.org_id, artifacts.c.owner_sub == principal.owner_sub)
