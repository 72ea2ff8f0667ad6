"""An OpenAI-compatible server on loopback that plays a script."""

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

GOOD = '{"mode": "extend", "confidence": 0.7}'
"""A reply of the mode phase."""


class Server(ThreadingHTTPServer):
    """An OpenAI-compatible server that plays a script.

    An entry is a status, the text of a reply, the fields of a message, seconds to wait first, or a function that makes
    one of these of the request.
    """

    daemon_threads = True

    def __init__(self, *script: Any, repeat: bool = False) -> None:
        """`repeat`: the last entry is played for every further request."""
        super().__init__(("127.0.0.1", 0), Handler)
        self.repeat = repeat
        self.script, self.requests = list(script), list[dict[str, Any]]()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        """What OPENAI_BASE_URL is set to."""
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        """Play the next entry."""
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.requests.append(body)
        entry = (
            self.server.script.pop(0)
            if len(self.server.script) > 1 or not self.server.repeat
            else self.server.script[0]
        )
        if callable(entry):
            entry = entry(body)
        if isinstance(entry, float):
            time.sleep(entry)
            entry = GOOD
        status, message, finish = 200, {"role": "assistant", "content": ""}, "stop"
        if isinstance(entry, int):
            status = entry
        elif isinstance(entry, dict):
            finish = entry.pop("finish_reason", "stop")
            message |= entry
        else:
            message["content"] = entry
        if body.get("stream"):
            return self._streamed(str(message["content"]))
        usage = {"prompt_tokens": 300, "completion_tokens": 12, "total_tokens": 312}
        choice = {"index": 0, "message": message, "finish_reason": finish}
        whole = {
            "id": "x",
            "object": "chat.completion",
            "created": 1,
            "model": "m",
            "choices": [choice],
            "usage": usage,
        }
        self._send(status, "application/json", json.dumps(whole if status == 200 else {"error": {"message": "no"}}))
        return None

    def _streamed(self, text: str) -> None:
        events: list[dict[str, Any]] = [
            {"choices": [{"index": 0, "delta": {"content": text[n : n + 9]}}]} for n in range(0, len(text), 9)
        ]
        events += [{"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}]
        events += [{"choices": [], "usage": {"prompt_tokens": 300, "completion_tokens": 12, "total_tokens": 312}}]
        base: dict[str, Any] = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m"}
        lines = [f"data: {json.dumps({**base, **e})}\n\n" for e in events]
        self._send(200, "text/event-stream", "".join(lines) + "data: [DONE]\n\n")

    def _send(self, status: int, kind: str, text: str) -> None:
        payload = text.encode()
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    def log_message(self, *args: Any) -> None:
        """Stay silent."""
