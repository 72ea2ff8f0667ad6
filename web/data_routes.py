"""Routes of the data: what can be asked about, and bringing a file."""

import asyncio
import logging
from typing import Annotated, Any

import anyio
from fastapi import APIRouter, HTTPException, Query, Request
from pydantic import BaseModel, Field

from graph.services import Services
from web import uploads
from web.desk import AtDesk, Caller

router = APIRouter(prefix="/api")
_log = logging.getLogger("recallyst.web")
Key = Annotated[str, Field(max_length=100)]


class DatasetLine(BaseModel):
    """A dataset that the caller can ask about."""

    key: str
    description: str
    own: bool = Field(description="uploaded by the caller, who can remove it")


class Me(BaseModel):
    """Who is asking, as the server knows it."""

    user: str
    org: str


@router.get("/me")
def me(services: Caller) -> Me:
    """The verified caller."""
    return Me(user=services.principal.owner_sub, org=services.principal.org_id)


@router.get("/datasets")
def datasets(services: Caller) -> list[DatasetLine]:
    """The catalogue and the caller's own uploads."""
    return [
        DatasetLine(key=e.key, description=e.description, own=uploads.is_own(services, e))
        for e in services.catalogue.list()
    ]


@router.get("/datasets/{key}")
def dataset(key: str, services: Caller) -> dict[str, Any]:
    """How a dataset was read: its columns with role, type and gaps, and the load report."""
    services.catalogue.entry(key)
    with services.catalogue.open(key, now=services.clock()) as opened:
        card = opened.card
    shown = {"name", "role", "sql_type", "nulls", "distinct", "unit"}
    return {
        "key": key,
        "rows": card.rows,
        "time_column": card.time_column,
        "columns": [c.model_dump(include=shown) for c in card.columns],
        "notes": list(card.notes),
    }


@router.put("/uploads", status_code=201)
async def upload(
    request: Request, services: Caller, desk: AtDesk, name: Annotated[str, Query(min_length=1, max_length=300)]
) -> dict[str, Any]:
    """Take a file in; the body is its bytes, `name` its file name."""
    limits = desk.limits
    try:
        incoming = await asyncio.to_thread(
            uploads.begin, services, name, upload_mb=limits.upload_mb, quota_mb=limits.quota_mb
        )
    except uploads.TooLarge as error:
        raise HTTPException(413, str(error)) from error
    try:
        size = await _receive(request, incoming)
        entry = await asyncio.to_thread(uploads.finish, services, incoming, name, upload_mb=limits.upload_mb)
    finally:
        await asyncio.to_thread(uploads.discard, incoming)
    _log.info("upload taken in", extra={"dataset": entry.key, "bytes": size})
    return await asyncio.to_thread(_taken_in, services, entry.key)


@router.delete("/uploads/{key}", status_code=204)
def remove(key: str, services: Caller) -> None:
    """Remove an uploaded file; what is remembered of it stays until it is forgotten."""
    uploads.remove(services, key)


def _taken_in(services: Services, key: str) -> dict[str, Any]:
    with services.catalogue.open(key, now=services.clock()) as opened:
        card = opened.card
    return {"key": key, "rows": card.rows, "columns": len(card.columns), "notes": list(card.notes)}


async def _receive(request: Request, incoming: uploads.Incoming) -> int:
    size = 0
    async with await anyio.open_file(incoming.path, "wb") as target:
        async for chunk in request.stream():
            size += len(chunk)
            if size > incoming.limit_bytes:
                raise HTTPException(413, incoming.refusal)
            await target.write(chunk)
    return size
