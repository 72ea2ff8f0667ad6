"""How long is kept what is no longer in force: closed units, artifacts and the audit trail. By default for ever."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, Connection, delete, or_, select, update

from memory.errors import MemoryError  # noqa: A004
from memory.ledger.record import Ledger, append
from memory.ledger.schema import artifacts, embeddings, events, sightings, units
from memory.units import Principal


@dataclass(frozen=True)
class Retention:
    """Days that things are kept beyond their use; None: for ever. `sweep` applies it."""

    closed_days: int | None = None
    """Units superseded, resolved or expired, from when they were closed."""
    artifact_days: int | None = None
    """Batteries, reports and snapshots that no active unit refers to, from when they were made."""
    audit_days: int | None = None
    """Lines of the audit trail."""

    def __post_init__(self) -> None:
        """Refuse what is no number of days."""
        for name, days in vars(self).items():
            if days is not None and days < 1:
                raise MemoryError(f"{name} is a number of days of at least 1; got {days!r}.")


def apply_retention(ledger: Ledger, retention: Retention, now: datetime) -> int:
    """Delete, for all principals, what is past its time; returns the units deleted. Each leaves a tombstone."""
    if retention == Retention():
        return 0
    with ledger.write_all() as connection:
        count = 0
        if retention.closed_days is not None:
            count = _purge(connection, now - timedelta(days=retention.closed_days), now)
        if retention.artifact_days is not None:
            used = select(units.c.artifact_id).where(units.c.status == "active", units.c.artifact_id.is_not(None))
            old = artifacts.c.created_at < now - timedelta(days=retention.artifact_days)
            connection.execute(delete(artifacts).where(old, artifacts.c.artifact_id.not_in(used)))
        if retention.audit_days is not None:
            connection.execute(delete(events).where(events.c.at < now - timedelta(days=retention.audit_days)))
        return count


def _purge(connection: Connection, before: datetime, now: datetime) -> int:
    closed: ColumnElement[bool] = units.c.status != "active"
    query = select(units.c.memory_id, units.c.org_id, units.c.owner_sub, units.c.scope).where(
        closed, or_(units.c.closed_at < before, units.c.closed_at.is_(None))
    )
    rows = connection.execute(query).all()
    ids = [row.memory_id for row in rows]
    for start in range(0, len(ids), 500):
        chunk = ids[start : start + 500]
        for table in (embeddings, sightings, units):
            connection.execute(delete(table).where(table.c.memory_id.in_(chunk)))
        left = units.c.supersedes.in_(chunk)
        later = connection.execute(
            select(units.c.memory_id, units.c.org_id, units.c.owner_sub, units.c.scope).where(left)
        )
        for row in later.all():
            writer = Principal(row.org_id, row.owner_sub)
            append(connection, writer, "unlinked", at=now, scope=row.scope, memory_id=row.memory_id)
        connection.execute(update(units).where(left).values(supersedes=None))
    for row in rows:
        writer = Principal(row.org_id, row.owner_sub)
        append(connection, writer, "purged", at=now, scope=row.scope, memory_id=row.memory_id)
    return len(rows)
