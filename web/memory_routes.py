"""Routes of the memory room: what is remembered, why, since when, and everything its owner can do with it."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from graph.cards import unit_card
from graph.services import Services
from memory import MemoryUnit
from memory.units import MemoryType, Status
from web.desk import Caller

router = APIRouter(prefix="/api")
Text = Annotated[str | None, Query(max_length=300)]
SHOWN_AT_MOST = 500


class Correction(BaseModel):
    """The owner's wording of a unit."""

    model_config = ConfigDict(extra="forbid")

    summary: str = Field(min_length=1, max_length=2000)


class Pinning(BaseModel):
    """Whether a unit is kept without a time limit."""

    model_config = ConfigDict(extra="forbid")

    pinned: bool


@router.get("/memory")
def units(
    services: Caller,
    dataset: Text = None,
    memory_type: MemoryType | None = None,
    status: Status | Literal["all"] = "active",
    query: Text = None,
) -> list[dict[str, Any]]:
    """Units that the caller may see, last confirmed first; with `query` those in force that bear on it, best first."""
    memory, principal = services.memory, services.principal
    if query and query.strip():
        found = [f.unit for f in memory.search(principal, query, dataset=dataset, limit=50)]
        shown = [u for u in found if memory_type is None or u.memory_type == memory_type]
    else:
        shown = memory.list(
            principal, dataset=dataset, memory_type=memory_type, status=None if status == "all" else status
        )
    return [_line(u, services) for u in shown[:SHOWN_AT_MOST]]


@router.get("/memory/{memory_id}")
def unit(memory_id: str, services: Caller) -> dict[str, Any]:
    """One unit with its provenance, its versions and its lines of the audit."""
    memory, principal = services.memory, services.principal
    found = memory.get(principal, memory_id)
    return {
        "unit": _line(found, services) | {"detail": found.detail, "provenance": found.provenance},
        "history": [_line(v, services) for v in memory.history(principal, memory_id)],
        "events": [e.model_dump(mode="json") for e in memory.events(principal, memory_id)],
    }


@router.post("/memory/{memory_id}/correction")
def correct(memory_id: str, correction: Correction, services: Caller) -> dict[str, Any]:
    """Put the owner's wording in place of a unit, as its next version."""
    return _line(services.memory.correct(services.principal, memory_id, summary=correction.summary.strip()), services)


@router.post("/memory/{memory_id}/pin")
def pin(memory_id: str, pinning: Pinning, services: Caller) -> dict[str, Any]:
    """Lift the time limit of a unit, or give it its type's limit from now."""
    return _line(services.memory.pin(services.principal, memory_id, pinned=pinning.pinned), services)


@router.get("/memory-export")
def export(services: Caller) -> JSONResponse:
    """All that is the caller's, as one JSON file that `recallyst memory import` takes."""
    return JSONResponse(
        services.memory.export(services.principal),
        headers={"content-disposition": 'attachment; filename="recallyst-memory.json"'},
    )


@router.get("/audit")
def audit(services: Caller, limit: Annotated[int, Query(ge=1, le=1000)] = 200) -> list[dict[str, Any]]:
    """The caller's audit trail, newest first."""
    events = services.memory.events(services.principal)
    return [e.model_dump(mode="json") for e in reversed(events[-limit:])]


@router.get("/memory-stats")
def stats(services: Caller) -> dict[str, Any]:
    """Counts by type and status, and whether the index agrees with the ledger."""
    return services.memory.stats(services.principal)


def _line(unit: MemoryUnit, services: Services) -> dict[str, Any]:
    hidden = {"score", "why", "required"}
    card = {k: v for k, v in unit_card(unit, services.clock()).items() if k not in hidden}
    expires = unit.expires_at.isoformat() if unit.expires_at else None
    return card | {
        "status": unit.status,
        "version": unit.version,
        "pinned": unit.pinned,
        "shared": unit.scope == "org",
        "said_at": unit.dialogue_time.isoformat(),
        "expires_at": expires,
        "ttl_days": unit.ttl_days,
        "closed_reason": unit.closed_reason,
    }
