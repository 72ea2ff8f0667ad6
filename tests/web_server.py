"""The project's own server as a process on loopback, for tests and for pictures of the page."""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import jwt

ROOT = Path(__file__).parents[1]
SECRET = "a secret that is long enough for the tests of sign-in, by whichever algorithm"
ISSUER, AUDIENCE = "https://id.example", "recallyst"
START_SECONDS = 60


def as_development(user: str = "ana", org: str = "acme") -> dict[str, str]:
    """The environment of a server that has one user."""
    return {"RECALLYST_AUTH": "development", "RECALLYST_USER": user, "RECALLYST_ORG": org}


def with_tokens() -> dict[str, str]:
    """The environment of a server that asks for tokens."""
    return {
        "RECALLYST_AUTH": "jwt",
        "RECALLYST_JWT_SECRET": SECRET,
        "RECALLYST_JWT_ISSUER": ISSUER,
        "RECALLYST_JWT_AUDIENCE": AUDIENCE,
        "RECALLYST_JWT_LEEWAY": "5",
    }


def token(user: str = "ana", org: str | None = "acme", *, key: str = SECRET, minutes: float = 30, **claims: Any) -> str:
    """A token as the identity provider of the tests signs it; a claim given as None is left out."""
    now = datetime.now(UTC)
    content = {"sub": user, "org_id": org, "iss": ISSUER, "aud": AUDIENCE, "exp": now + timedelta(minutes=minutes)}
    return jwt.encode({k: v for k, v in (content | claims).items() if v is not None}, key, algorithm="HS256")


@contextmanager
def serving(home: Path, log: Path, env: Mapping[str, str]) -> Iterator[str]:
    """Serve the repository's langgraph.json on a free port and yield its address; stopped as a service is stopped."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    home.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "recallyst", "serve", "--port", str(port), "--no-browser"]
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("RECALLYST_", "LANGGRAPH_", "LANGSMITH_"))}
    given = {**inherited, "RECALLYST_HOME": str(home), "LANGSMITH_TRACING": "false", **env}
    address = f"http://127.0.0.1:{port}"
    with log.open("a") as out, subprocess.Popen(command, cwd=home, env=given, stdout=out, stderr=out) as process:
        try:
            _wait_until_up(address, process, log)
            yield address
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(timeout=30)
            except subprocess.TimeoutExpired:
                process.kill()


def _wait_until_up(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{address}/ok", timeout=2):
                return
        except OSError:
            time.sleep(0.2)
    raise AssertionError(f"the server did not come up: {log.read_text()[-3000:]}")
