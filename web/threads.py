"""The caller's sessions as the server keeps them, asked for with the caller's own credentials.

The server's own rules decide what is seen: nothing here goes around them.
"""

from typing import Any

import httpx
from fastapi import HTTPException, Request

PASSED_ON = ("authorization", "host", "origin", "sec-fetch-site")
PAGE = 100


class Threads:
    """Reads and deletes threads through the routes of the server that serves the request."""

    def __init__(self, request: Request) -> None:
        headers = {k: request.headers[k] for k in PASSED_ON if k in request.headers}
        self._client = httpx.AsyncClient(
            transport=httpx.ASGITransport(request.app), base_url=str(request.base_url), headers=headers
        )

    async def state(self, thread_id: str) -> dict[str, Any]:
        """The state of a session. :raises HTTPException: as the server answers, 404 where it is not the caller's."""
        return dict(_taken(await self._client.get(f"/threads/{thread_id}/state")).json())

    async def mine(self) -> list[dict[str, Any]]:
        """All sessions of the caller with their values, the last used first."""
        found: list[dict[str, Any]] = []
        while True:
            wanted = {"limit": PAGE, "offset": len(found), "sort_by": "updated_at", "sort_order": "desc"}
            page = _taken(await self._client.post("/threads/search", json=wanted)).json()
            found += page
            if len(page) < PAGE:
                return found

    async def delete(self, thread_id: str) -> None:
        """Delete a session with its checkpoints; one that is gone already is no error."""
        answer = await self._client.delete(f"/threads/{thread_id}")
        if answer.status_code != 404:
            _taken(answer)


def _taken(answer: httpx.Response) -> httpx.Response:
    if answer.status_code >= 400:
        known = answer.status_code in {401, 403, 404, 409, 422, 429}
        why = "the session cannot be read or changed now"
        if answer.status_code == 404:
            why = "there is no such session; it was deleted, or it is not yours"
        raise HTTPException(answer.status_code if known else 502, why)
    return answer
