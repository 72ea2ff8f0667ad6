"""Artifacts: JSON documents kept beside the units (reports, batteries, snapshots), each owned by one principal."""

import uuid
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, RowMapping, and_, insert, select, update

from memory.errors import UnknownMemory
from memory.ledger.record import Ledger
from memory.ledger.schema import artifacts
from memory.units import Artifact, Principal


def save(
    ledger: Ledger,
    principal: Principal,
    *,
    kind: str,
    dataset: str | None,
    session_id: str,
    run_id: str,
    content: Mapping[str, Any],
    now: datetime,
) -> str:
    """Keep a document; a run has one of a kind, so a repetition replaces its content and returns the same id."""
    mine = and_(_owned(principal), artifacts.c.run_id == run_id, artifacts.c.kind == kind)
    values = {"dataset_key": dataset or "", "session_id": session_id, "content": dict(content)}
    artifact_id = str(uuid.uuid4())

    def keep(connection: Connection) -> str:
        known = connection.execute(select(artifacts.c.artifact_id).where(mine)).scalar_one_or_none()
        if known is not None:
            connection.execute(update(artifacts).where(mine).values(**values))
            return str(known)
        connection.execute(
            insert(artifacts).values(
                artifact_id=artifact_id,
                org_id=principal.org_id,
                owner_sub=principal.owner_sub,
                kind=kind,
                run_id=run_id,
                created_at=now,
                **values,
            )
        )
        return artifact_id

    return ledger.attempt(principal, keep)  # another worker of the same run may be faster


def load(connection: Connection, principal: Principal, artifact_id: str) -> Artifact:
    """One document. :raises UnknownMemory: there is none with this id for the principal."""
    query = select(artifacts).where(artifacts.c.artifact_id == artifact_id, _owned(principal))
    row = connection.execute(query).mappings().one_or_none()
    if row is None:
        raise UnknownMemory(f"There is no artifact {artifact_id!r}.")
    return _as_artifact(row)


def newest(
    connection: Connection,
    principal: Principal,
    *,
    kind: str,
    dataset: str,
    exclude_session: str | None,
    not_after: datetime | None,
    limit: int,
) -> list[Artifact]:
    """The documents of a kind on a dataset, newest first, but those of one session and those kept after a moment."""
    query = select(artifacts).where(_owned(principal), artifacts.c.kind == kind, artifacts.c.dataset_key == dataset)
    if exclude_session is not None:
        query = query.where(artifacts.c.session_id != exclude_session)
    if not_after is not None:
        query = query.where(artifacts.c.created_at <= not_after)
    query = query.order_by(artifacts.c.created_at.desc(), artifacts.c.stored_order.desc()).limit(limit)
    return [_as_artifact(row) for row in connection.execute(query).mappings()]


def _owned(principal: Principal) -> Any:
    return and_(artifacts.c.org_id == principal.org_id, artifacts.c.owner_sub == principal.owner_sub)


def _as_artifact(row: RowMapping) -> Artifact:
    hidden = {"org_id", "owner_sub", "dataset_key", "stored_order"}
    values = {name: value for name, value in row.items() if name not in hidden}
    return Artifact.model_validate(values | {"dataset": row["dataset_key"] or None})
