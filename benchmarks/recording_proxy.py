"""An OpenAI-compatible proxy that records a model's replies once and replays them by the hash of the request.

    python benchmarks/recording_proxy.py --folder DIR --upstream https://HOST/v1 [--port 8081]
    python benchmarks/recording_proxy.py --folder DIR [--port 8081]

With an upstream it records what is missing; without one it only replays.

Point OPENAI_BASE_URL at it. A recording is one JSON file named by the SHA-256 of the request's body in canonical form,
so that the order of keys does not matter. Keys and headers are passed on and never written. In replay, a request that
was not recorded is answered with HTTP 404 and its hash: nothing leaves the machine.
"""

import argparse
import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx

PASSED_ON = ("authorization", "api-key", "content-type", "openai-organization", "openai-project")
UPSTREAM_SECONDS = 600.0


def digest_of(body: bytes) -> str:
    """64 hex digits over a request's JSON, keys in order; over the bytes where it is no JSON."""
    with suppress(ValueError):
        body = json.dumps(json.loads(body), sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()
    return hashlib.sha256(body).hexdigest()


class RecordingProxy(ThreadingHTTPServer):
    """Serves recordings from a folder; with an upstream it records what is missing. Only good replies are kept."""

    daemon_threads = True

    def __init__(self, folder: Path, upstream: str | None, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.folder = folder
        self.upstream = upstream.rstrip("/") if upstream else None
        self._lock = threading.Lock()
        folder.mkdir(parents=True, exist_ok=True)

    @property
    def url(self) -> str:
        """What OPENAI_BASE_URL is set to."""
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def recorded(self, digest: str) -> dict[str, Any] | None:
        """The recording of a request, or None."""
        try:
            kept: dict[str, Any] = json.loads((self.folder / f"{digest}.json").read_text(encoding="utf-8"))
        except OSError:
            return None
        return kept

    def record(self, path: str, body: bytes, headers: dict[str, str], digest: str) -> dict[str, Any]:
        """Ask the upstream and keep its reply, whole and in one rename."""
        reply = httpx.post(f"{self.upstream}{path}", content=body, headers=headers, timeout=UPSTREAM_SECONDS)
        kept = {
            "request": json.loads(body),
            "status": reply.status_code,
            "content_type": reply.headers.get("content-type", "application/json"),
            "body": reply.text,
        }
        if reply.status_code == 200:
            draft = self.folder / f".{digest}.{threading.get_ident()}"
            draft.write_text(json.dumps(kept, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
            draft.replace(self.folder / f"{digest}.json")
        return kept


class _Handler(BaseHTTPRequestHandler):
    server: RecordingProxy

    def do_POST(self) -> None:
        """Replay a request, or record it."""
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        digest = digest_of(body)
        kept = self.server.recorded(digest)
        if kept is None and self.server.upstream:
            headers = {k: v for k, v in self.headers.items() if k.lower() in PASSED_ON}
            try:
                kept = self.server.record(self.path.removeprefix("/v1"), body, headers, digest)
            except httpx.HTTPError as error:
                kept = _error(502, f"the upstream cannot be reached: {type(error).__name__}")
        self._send(kept or _error(404, f"there is no recording {digest}, and no upstream to record from"))

    def _send(self, kept: dict[str, Any]) -> None:
        payload = str(kept["body"]).encode()
        self.send_response(int(kept["status"]))
        self.send_header("content-type", str(kept["content_type"]))
        self.send_header("content-length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    def log_message(self, *args: Any) -> None:
        """Stay silent."""


def _error(status: int, message: str) -> dict[str, Any]:
    return {"status": status, "content_type": "application/json", "body": json.dumps({"error": {"message": message}})}


@contextmanager
def proxy(folder: Path, upstream: str | None = None) -> Iterator[RecordingProxy]:
    """Run a proxy on a free port until the block ends."""
    server = RecordingProxy(folder, upstream)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


def main() -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--upstream")
    parser.add_argument("--port", type=int, default=8081)
    options = parser.parse_args()
    server = RecordingProxy(options.folder, options.upstream, options.port)
    print(f"OPENAI_BASE_URL={server.url}")
    server.serve_forever()


if __name__ == "__main__":
    main()
