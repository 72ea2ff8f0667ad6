"""Routes of sessions: the document of the last turn, its report as a file, and forgetting with all that holds it."""

import asyncio
import json
import uuid
from typing import Any

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import HTMLResponse
from pydantic import BaseModel, ConfigDict, Field

from recallyst.document import Document, document_from
from recallyst.html import render_report
from web import uploads
from web.desk import Caller
from web.threads import Threads

router = APIRouter(prefix="/api")


class Forgetting(BaseModel):
    """Exactly one of the three."""

    model_config = ConfigDict(extra="forbid")

    memory_id: str | None = Field(default=None, max_length=100)
    dataset: str | None = Field(default=None, max_length=100)
    everything: bool = False


@router.get("/sessions/{session_id}")
async def session(session_id: uuid.UUID, request: Request, services: Caller) -> dict[str, Any]:
    """The last turn of a session, as `recallyst ask --json` prints it, and what was said before."""
    state = await Threads(request).state(str(session_id))
    values = state.get("values") or {}
    said = [
        {"role": "user" if m.get("type") == "human" else "assistant", "text": _text(m.get("content"))}
        for m in values.get("messages") or []
    ]
    return {"document": _document(state), "said": said, "running": bool(state.get("next")) and not _waiting(state)}


@router.get("/sessions/{session_id}/report", response_class=HTMLResponse)
async def report(session_id: uuid.UUID, request: Request, services: Caller) -> HTMLResponse:
    """The report of the last turn: one file that opens offline."""
    document = _document(await Threads(request).state(str(session_id)))
    if document is None or document["status"] != "done":
        raise HTTPException(409, "the session has no finished report yet")
    text = await asyncio.to_thread(render_report, Document.model_validate(document))
    name = f"recallyst-{str(session_id)[:8]}.html"
    return HTMLResponse(text, headers={"content-disposition": f'attachment; filename="{name}"'})


@router.post("/forget")
async def forget(what: Forgetting, request: Request, services: Caller) -> dict[str, int]:
    """Forget one unit, all of a dataset, or all that is the caller's: memory, artifacts, the sessions that hold it.

    The parsed copies of uploads that these sessions were about go as well; one that is asked about again is made anew.
    """
    count = await asyncio.to_thread(
        services.memory.forget,
        services.principal,
        memory_id=what.memory_id,
        dataset=what.dataset,
        everything=what.everything,
    )
    threads, gone = Threads(request), 0
    shared = await asyncio.to_thread(uploads.shared_keys, services)
    copies: set[str] = set()
    for thread in await threads.mine():
        values = thread.get("values") or {}
        about = what.dataset is not None and what.dataset in {values.get("data_source"), values.get("dataset")}
        holds = what.memory_id is not None and what.memory_id in json.dumps(values, default=str)
        if what.everything or about or holds:
            await threads.delete(thread["thread_id"])
            gone += 1
            if values.get("fingerprint") and values.get("dataset") not in shared:
                copies.add(str(values["fingerprint"]["content_hash"]))
    await asyncio.to_thread(services.catalogue.drop_copies, copies)
    return {"forgotten": count, "sessions": gone}


def _waiting(state: dict[str, Any]) -> Any:
    interrupts = state.get("interrupts") or [i for t in state.get("tasks") or [] for i in t.get("interrupts") or []]
    return interrupts[0]["value"] if interrupts else None


def _document(state: dict[str, Any]) -> dict[str, Any] | None:
    """The document of the state, or None while there is nothing to tell yet."""
    values = dict(state.get("values") or {})
    waiting = _waiting(state)
    finished = values.get("answer") and not state.get("next")
    complete = values.get("fingerprint") and values.get("session_id") and (waiting or finished)
    if not complete:
        return None
    return document_from(values, waiting=waiting).model_dump(mode="json")


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(p["text"] for p in parts if isinstance(p, dict) and isinstance(p.get("text"), str))
