"""The outermost layer of the server: sizes, rates and headers, before any route is reached."""

import json
import re
from collections.abc import MutableMapping
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from graph.tokens import Refused
from web.desk import Desk
from web.rates import Rates

PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_ASKS = re.compile(r"/(threads/[^/]+/)?runs(/stream|/wait)?/?")
_FREE = re.compile(r"/|/assets/.*|/ok|/api/health|/api/sign-in")


class Guard:
    """Refuse what is too large or too frequent; send the headers that keep a browser safe."""

    def __init__(self, app: ASGIApp, *, desk: Desk) -> None:
        self._app, self._desk = app, desk
        self._requests = Rates(desk.limits.requests_per_minute)
        self._questions = Rates(desk.limits.questions_per_minute)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it with 403, 413 or 429."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        path = scope["path"]
        send = _with_headers(send, ours=path == "/" or path.startswith(("/assets/", "/api/")))
        refusal = self._refusal(scope, path)
        if refusal:
            await _answer(send, *refusal)
            return
        if path.startswith("/api/uploads"):
            await self._app(scope, receive, send)
            return
        body = _Body(receive, self._desk.limits.body_kb * 1024)
        try:
            await self._app(scope, body.receive, send)
        except Exception:
            # Layers in between wrap what the body raises, so it is the body that knows.
            if not body.too_large:
                raise
            await _answer(send, 413, self._too_large())

    def _refusal(self, scope: Scope, path: str) -> tuple[int, str] | tuple[int, str, int] | None:
        headers = Headers(scope=scope)
        if not path.startswith("/api/uploads") and _length(headers) > self._desk.limits.body_kb * 1024:
            return 413, self._too_large()
        if _FREE.fullmatch(path):
            return None
        if path.rstrip("/") == "/runs/batch":
            return 403, "questions are asked one at a time"
        who = self._who(scope, headers)
        wait = self._requests.wait_seconds(who)
        if not wait and scope["method"] == "POST" and _ASKS.fullmatch(path):
            wait = self._questions.wait_seconds(who)
        return (429, f"too many requests; try again in {wait} s", wait) if wait else None

    def _who(self, scope: Scope, headers: Headers) -> str:
        try:
            principal = self._desk.principal(headers)
        except Refused:
            return f"address {(scope.get('client') or ['?'])[0]}"
        return f"principal {principal.org_id}\x1f{principal.owner_sub}"

    def _too_large(self) -> str:
        return f"the request is larger than {self._desk.limits.body_kb} kB"


class _TooLarge(Exception):
    """A body grew past its limit while it was read."""


class _Body:
    """A request body that stops at its limit."""

    def __init__(self, receive: Receive, limit_bytes: int) -> None:
        self._receive, self._left = receive, limit_bytes
        self.too_large = False

    async def receive(self) -> Message:
        message = await self._receive()
        self._left -= len(message.get("body") or b"")
        if self._left < 0:
            self.too_large = True
            raise _TooLarge
        return message


def _length(headers: Headers) -> int:
    text = headers.get("content-length", "0")
    return int(text) if text.isdecimal() and len(text) < 20 else 0


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
    if retry_seconds:
        headers.append((b"retry-after", str(retry_seconds).encode()))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
