"""The outermost layer of the server: who is asking, sizes, rates and headers, before any route is reached."""

import asyncio
import json
import re
from collections.abc import MutableMapping
from typing import Any, Literal

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from graph.rates import Rates
from graph.services import principal_folder
from graph.tokens import Refused, identify
from web.bell import Bell
from web.desk import Desk

PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_ASKS = re.compile(r"/(threads/[^/]+/)?runs(/stream|/wait|/crons)?/?")
_FREE = re.compile(r"/|/assets/.*|/ok|/api/health|/api/sign-in")
_SERVED = re.compile(r"/(api|assets|threads|runs|assistants|store)(/.*)?|/(ok|info|docs|openapi\.json|metrics)?")
_CLOSED = re.compile(r"/threads/[^/]+/(commands|stream/events)/?")
"""A second way to start runs and to follow them, which the limits of questions do not see."""
BODY_SECONDS = 30
"""Longest wait for the next part of a body; who sends slower holds a connection for nothing."""


class Guard:
    """Refuse strangers and what is too large, too slow or too frequent; send headers that keep a browser safe."""

    def __init__(self, app: ASGIApp, *, desk: Desk) -> None:
        self._app, self._desk = app, desk
        self._requests = Rates(desk.limits.requests_per_minute)
        self._questions = Rates(desk.limits.questions_per_minute)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it with 401, 403, 404, 408, 413 or 429."""
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": "nothing is served over websockets"})
            return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        path = scope["path"]
        send = _with_headers(send, ours=path == "/" or path.startswith(("/assets/", "/api/")))
        if _asks(scope):
            send = _ringing(send, self._desk.bell)
        refusal = await self._refusal(scope, path)
        if refusal:
            await _answer(send, *refusal)
            return
        # An upload has limits of its own, which its route knows.
        body = _Body(receive, None if path.startswith("/api/uploads") else self._desk.limits.body_kb * 1024)
        try:
            await self._app(scope, body.receive, send)
        except Exception:
            # Layers in between wrap what the body raises, so it is the body that knows.
            if body.fault is None:
                raise
            too_slow = (408, f"the next part of the request did not come within {BODY_SECONDS} s")
            await _answer(send, *(too_slow if body.fault == "slow" else (413, self._too_large())))

    async def _refusal(self, scope: Scope, path: str) -> tuple[int, str] | tuple[int, str, int] | None:
        headers = Headers(scope=scope)
        if not path.startswith("/api/uploads") and _length(headers) > self._desk.limits.body_kb * 1024:
            return 413, self._too_large()
        if _FREE.fullmatch(path):
            return None
        if path.rstrip("/") == "/runs/batch":
            return 403, "questions are asked one at a time"
        if not _SERVED.fullmatch(path) or _CLOSED.fullmatch(path):
            return 404, "nothing is served here"
        who, stranger = f"address {(scope.get('client') or ['?'])[0]}", None
        try:
            who = f"principal {principal_folder(await identify(self._desk.door, headers))}"
        except Refused as error:
            stranger = str(error)
        wait = self._requests.wait_seconds(who)
        # A browser asks without credentials whether it may ask with them.
        if stranger and not wait and scope["method"] != "OPTIONS":
            return 401, stranger
        if not wait and _asks(scope):
            wait = self._questions.wait_seconds(who)
        return (429, f"too many requests; try again in {wait} s", wait) if wait else None

    def _too_large(self) -> str:
        return f"the request is larger than {self._desk.limits.body_kb} kB"


class _BodyRefused(Exception):
    """A body grew past its limit, or came too slowly, while it was read."""


class _Body:
    """A request body that stops at its limit, if it has one, and where its next part does not come."""

    def __init__(self, receive: Receive, limit_bytes: int | None) -> None:
        self._receive, self._left = receive, limit_bytes
        self._coming = True
        self.fault: Literal["large", "slow"] | None = None

    async def receive(self) -> Message:
        if not self._coming:  # what is waited for now is the end of the connection
            return await self._receive()
        try:
            async with asyncio.timeout(BODY_SECONDS):
                message = await self._receive()
        except TimeoutError:
            self.fault = "slow"
            raise _BodyRefused from None
        self._coming = bool(message.get("more_body"))
        if self._left is not None:
            self._left -= len(message.get("body") or b"")
            if self._left < 0:
                self.fault = "large"
                raise _BodyRefused
        return message


def _length(headers: Headers) -> int:
    text = headers.get("content-length", "0")
    return int(text) if text.isdecimal() and len(text) < 20 else 0


def _asks(scope: Scope) -> bool:
    return scope["method"] == "POST" and _ASKS.fullmatch(scope["path"]) is not None


def _ringing(send: Send, bell: Bell) -> Send:
    """Ring when the answer begins: the question is in the queue then."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            bell.ring()
        await send(message)

    return sending


def _with_headers(send: Send, *, ours: bool) -> Send:
    async def sending(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers["x-content-type-options"] = "nosniff"
            headers["referrer-policy"] = "no-referrer"
            headers["x-frame-options"] = "DENY"
            if ours:
                headers["content-security-policy"] = PAGE_POLICY
                headers.setdefault("cache-control", "no-cache")
        await send(message)

    return sending


async def _answer(send: Send, status: int, sentence: str, retry_seconds: int = 0) -> None:
    body = json.dumps({"detail": sentence}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    if retry_seconds:
        headers.append((b"retry-after", str(retry_seconds).encode()))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
