"""The audit trail told by run: which units were shown, what was decided, what was written."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field
from sqlalchemy import Connection, select

from memory.ledger.schema import events
from memory.units import Event, Principal

SHOWN = "recalled"
"""Kind of the event that a reading for a run leaves."""

DECIDED = "decided"
"""Kind of the event that tells how a run was decided on."""

_WRITTEN = frozenset(
    {
        "stored", "reconfirmed", "superseded", "resolved", "dropped", "corrected", "imported", "expired", "forgotten",
        "pinned", "purged", "unlinked", "unpinned", "weakened", "withdrawn",
    }
)  # fmt: skip
"""Kinds of events that change units; every other kind is a decision."""


class Written(BaseModel):
    """One change to a unit, or one refusal to keep something."""

    model_config = ConfigDict(frozen=True)

    action: str
    memory_id: str | None = Field(default=None, description="None for what was dropped")
    detail: dict[str, Any] = Field(default_factory=dict, description="ids, limits and reasons; never the text")


class RunAudit(BaseModel):
    """What one run read from memory, decided and wrote; what happened outside of a run has `run_id` None."""

    model_config = ConfigDict(frozen=True)

    run_id: str | None
    session_id: str | None
    began_at: AwareDatetime
    ended_at: AwareDatetime
    dataset: str | None = None
    shown: list[str] = Field(default_factory=list, description="units handed to the run, in the order shown")
    degraded: str | None = Field(default=None, description="why the reading worked from the ledger alone")
    decided: dict[str, Any] = Field(default_factory=dict, description="details of all decisions, later ones on top")
    decisions: list[str] = Field(default_factory=list, description="kinds of the decisions, in order")
    written: list[Written] = Field(default_factory=list)


def decisions(connection: Connection, principal: Principal, *, limit: int) -> list[dict[str, Any]]:
    """Details of the latest decisions of one principal, newest first."""
    query = (
        select(events.c.detail)
        .where(
            events.c.org_id == principal.org_id,
            events.c.owner_sub == principal.owner_sub,
            events.c.kind == DECIDED,
        )
        .order_by(events.c.seq.desc())
        .limit(limit)
    )
    return [dict(detail) for detail in connection.execute(query).scalars()]


def by_run(told_of: Sequence[Event]) -> list[RunAudit]:
    """Group events (oldest first) by run, the newest run first. Events without a run are records of their own."""
    groups: dict[str, list[Event]] = {}
    for event in told_of:
        groups.setdefault(event.run_id or f"\0{event.seq}", []).append(event)
    told = [_told(group) for group in groups.values()]
    return sorted(told, key=lambda audit: audit.ended_at, reverse=True)


def _told(group: Sequence[Event]) -> RunAudit:
    shown: dict[str, None] = {}
    decided: dict[str, Any] = {}
    decisions: list[str] = []
    written: list[Written] = []
    read: Mapping[str, Any] = {}
    for event in group:
        if event.kind == SHOWN:
            read = {**read, **event.detail}
            shown |= dict.fromkeys(event.detail.get("memory_ids", ()))
        elif event.kind in _WRITTEN:
            written.append(Written(action=event.kind, memory_id=event.memory_id, detail=event.detail))
        else:
            decisions.append(event.kind)
            decided |= event.detail
    return RunAudit(
        run_id=group[0].run_id,
        session_id=next((event.session_id for event in group if event.session_id), None),
        began_at=group[0].at,
        ended_at=group[-1].at,
        dataset=read.get("dataset") or decided.get("dataset"),
        shown=list(shown),
        degraded=read.get("degraded"),
        decided=decided,
        decisions=decisions,
        written=written,
    )
