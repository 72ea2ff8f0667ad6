"""`recallyst serve`: the LangGraph server with the page, in this process."""

import logging
import os
import socket
import sys
import threading
import time
import urllib.request
import webbrowser
from importlib.util import find_spec
from typing import Annotated, Any

import typer
from rich.markup import escape

from graph.settings import read_limits, read_settings, read_sign_in
from recallyst.cli.console import Output
from recallyst.errors import UserError

DEFAULT_PORT = 2024
TALKS_AT_ONCE = 32
GRACE_SECONDS = 10
STUDIO = "https://smith.langchain.com"
GRAPHS = {"recallyst": "graph.app:graph"}
AUTH: dict[str, Any] = {"path": "graph.auth:auth", "disable_studio_auth": True}
HTTP: dict[str, Any] = {
    "app": "web.app:app",
    "cors": {
        "allow_origins": [STUDIO],
        "allow_methods": ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"],
        "allow_headers": ["authorization", "content-type", "x-auth-scheme", "x-user-id", "x-tenant-id", "x-api-key"],
        "expose_headers": ["content-location", "x-pagination-total", "x-pagination-next"],
    },
    "configurable_headers": {"includes": [], "excludes": ["*"]},
    "logging_headers": {"includes": ["user-agent"], "excludes": ["authorization", "cookie"]},
    "disable_webhooks": True,
    "disable_ui": True,
    "disable_mcp": True,
    "disable_a2a": True,
}
"""The same as in langgraph.json, by module instead of by file, so that an installed package can be served."""


def serve(
    host: Annotated[str, typer.Option("--host", help="address to listen on")] = "127.0.0.1",
    port: Annotated[int | None, typer.Option("--port", min=1, max=65535, help="2024, or the next free one")] = None,
    dev: Annotated[
        bool, typer.Option("--dev", help="no sign-in: you are the only user; only on an address of this machine")
    ] = False,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="open the page")] = True,
) -> None:
    """Serve the page, and the graph for LangGraph Studio, until Ctrl-C."""
    out = Output(as_json=False)
    if find_spec("langgraph_api") is None or find_spec("fastapi") is None:
        raise UserError('the server is not installed; `pip install ".[server]"` in the project\'s folder adds it.')
    chosen = _port(host, port)
    address = f"http://{f'[{host}]' if ':' in host else host}:{chosen}"
    if dev:
        os.environ["RECALLYST_AUTH"] = "development"
    # Read now what the server reads when it starts, so that what is wrong is said in one sentence.
    read_sign_in(listens_on=address)
    read_limits()
    home = read_settings(allow_paths=False).home.absolute()
    _settle(home)
    out.say(f"Recallyst is at [bold]{escape(address)}[/]; Ctrl-C ends it.")
    out.say(f"[dim]In LangGraph Studio: {STUDIO}/studio/?baseUrl={escape(address)}[/]")
    if browser and sys.stdout.isatty():
        threading.Thread(target=_open_when_up, args=(address,), daemon=True).start()
    _run(host, chosen)


def _run(host: str, port: int) -> None:
    from langgraph_api.cli import run_server  # part of the `server` extra, and slow to load

    logging.getLogger("langgraph_api.cli").setLevel(logging.WARNING)
    run_server(
        host=host,
        port=port,
        graphs=GRAPHS,
        auth=AUTH,
        http=HTTP,
        n_jobs_per_worker=TALKS_AT_ONCE,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )


def _settle(home: Any) -> None:
    """Make the server keep its sessions under the home, log as a service does, and ask nobody for newer versions."""
    os.environ["RECALLYST_HOME"] = str(home)
    os.environ.setdefault("LANGGRAPH_NO_VERSION_CHECK", "true")
    terminal = sys.stdout.isatty()
    os.environ.setdefault("LOG_JSON", str(not terminal).lower())
    os.environ.setdefault("LOG_LEVEL", "WARNING" if terminal else "INFO")
    folder = home / "server"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"the server cannot keep its sessions in {str(folder)!r} ({error.strerror}).") from error
    os.chdir(folder)


def _port(host: str, wanted: int | None) -> int:
    """A free port: the wanted one, or the first free from the default on."""
    candidates = [wanted] if wanted else list(range(DEFAULT_PORT, DEFAULT_PORT + 20))
    for port in candidates:
        try:
            with socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET):
                return port
        except OSError as error:
            reason = error.strerror
    raise UserError(f"the server cannot listen on {host!r}, port {candidates[0]} ({reason}); choose another --port.")


def _open_when_up(address: str) -> None:
    for _ in range(240):
        try:
            with urllib.request.urlopen(f"{address}/ok", timeout=1):
                webbrowser.open(address)
                return
        except OSError:
            time.sleep(0.25)
