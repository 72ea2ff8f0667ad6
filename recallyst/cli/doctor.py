"""`recallyst doctor`: looks at everything that an answer needs, and says what to do where something is wrong."""

import json
import shutil
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from typing import Annotated, Literal
from urllib.parse import urlsplit

import typer
from rich.markup import escape

from datasets import DatasetError
from graph.services import Services, open_services
from graph.settings import Settings, SettingsError, read_settings, read_sign_in
from memory import MemoryError as LedgerError
from recallyst.cli.console import Output

FEWEST_FREE_MB = 500
SLOW_MODEL_SECONDS = 5.0
REACH_SECONDS = 3.0
OPENAI = "https://api.openai.com"
OLDEST_PYTHON = (3, 11)
MARKS = {"well": "[green]✓[/]", "note": "[dim]·[/]", "wrong": "[red]✗[/]"}


@dataclass(frozen=True)
class Check:
    """One thing that was looked at; `do` says what to do where it is not well."""

    what: str
    state: Literal["well", "note", "wrong"]
    found: str
    do: str = ""


def doctor(as_json: Annotated[bool, typer.Option("--json", help="print one JSON document on stdout")] = False) -> None:
    """Look at settings, storage, index, models, datasets and sign-in; say what is wrong and what to do."""
    out = Output(as_json=as_json)
    checks = list(_checks())
    if as_json:
        out.print_json(json.dumps([asdict(c) for c in checks], indent=2))
    for c in checks if not as_json else []:
        out.say(f"{MARKS[c.state]} [bold]{c.what:<10}[/] {escape(c.found)}")
        if c.do:
            out.say(f"             [yellow]{escape(c.do)}[/]")
    if any(c.state == "wrong" for c in checks):
        raise typer.Exit(2)


def _checks() -> Iterator[Check]:
    version = ".".join(str(v) for v in sys.version_info[:3])
    if sys.version_info < OLDEST_PYTHON:
        yield Check("python", "wrong", version, "use Python 3.11 or newer")
    else:
        yield Check("python", "well", version)
    try:
        settings = read_settings()
        services = open_services(settings)
    except (SettingsError, LedgerError) as error:
        yield Check("settings", "wrong", str(error), "correct it and run `recallyst doctor` again")
        return
    try:
        yield _home(settings)
        yield _guarded("storage", lambda: _storage(services))
        yield _guarded("index", lambda: _index(services))
        yield _guarded("meaning", lambda: _embedding(services))
        yield from _datasets(services)
    finally:
        services.close()
    yield _model(settings)
    yield _server()


def _guarded(what: str, look: Callable[[], Check]) -> Check:
    try:
        return look()
    except (LedgerError, DatasetError, OSError) as error:
        return Check(what, "wrong", str(error), "if it stays, move RECALLYST_HOME aside and import your last export")


def _home(settings: Settings) -> Check:
    who = f"{settings.user} of {settings.org}, home {settings.home}"
    try:
        with tempfile.NamedTemporaryFile(dir=settings.home):
            free_mb = shutil.disk_usage(settings.home).free // 2**20
    except OSError as error:
        return Check("home", "wrong", f"{who}: {error.strerror}", "name a folder of yours in RECALLYST_HOME")
    if free_mb < FEWEST_FREE_MB:
        return Check("home", "wrong", f"{who}: {free_mb:,} MB free", "make room; parsed copies and memory live there")
    return Check("home", "well", f"{who}: {free_mb:,} MB free")


def _storage(services: Services) -> Check:
    figures = services.memory.stats(services.principal)
    active = sum(figures["active"].values())
    return Check("storage", "well", f"{active:,} memories in force, {figures['events']:,} lines of audit")


def _index(services: Services) -> Check:
    state = str(services.memory.stats(services.principal)["index"])
    if "in step" in state:
        return Check("index", "well", state)
    return Check("index", "wrong", state, "run `recallyst memory reindex`; nothing is lost, the ledger is the truth")


def _embedding(services: Services) -> Check:
    started = time.monotonic()
    services.memory.embedder.embed(["revenue by region"])
    seconds = time.monotonic() - started
    found = f"{services.memory.embedder.name} answers in {seconds:.1f} s, on this machine"
    if seconds > SLOW_MODEL_SECONDS:
        return Check("meaning", "note", found, "the first use loads the model; later ones are faster")
    return Check("meaning", "well", found)


def _datasets(services: Services) -> Iterator[Check]:
    entries = services.catalogue.list()
    gone = [e for e in entries if not e.path.is_file()]
    yield Check("datasets", "well", f"{len(entries) - len(gone)} in the catalogue")
    for entry in gone:
        do = f"put it back, or run `recallyst datasets add PATH --key {entry.key}`"
        yield Check("datasets", "wrong", f"the file of {entry.key!r} is not at {str(entry.path)!r}", do)


def _model(settings: Settings) -> Check:
    """Whether the model's address answers; nothing is asked of it, so nothing is spent."""
    model = settings.model
    if not model.name:
        return Check("model", "well", "none is set, and none is needed: the built-in analyst answers")
    address = urlsplit(model.base_url or OPENAI)
    port = address.port or (443 if address.scheme == "https" else 80)
    try:
        socket.create_connection((address.hostname or "", port), timeout=REACH_SECONDS).close()
    except OSError as error:
        found = f"{model.name} at {address.netloc} cannot be reached ({error.strerror or error})"
        return Check("model", "wrong", found, "correct OPENAI_BASE_URL, or unset RECALLYST_MODEL to work without it")
    return Check("model", "well", f"{model.name} at {address.netloc} can be reached")


def _server() -> Check:
    if find_spec("langgraph_api") is None or find_spec("fastapi") is None:
        return Check(
            "server", "note", "not installed", 'for the page: `pip install ".[server]"` in the project\'s folder'
        )
    try:
        mode = read_sign_in(listens_on="http://127.0.0.1").mode
    except SettingsError as error:
        return Check("server", "note", str(error), "for yourself on this machine: `recallyst serve --dev`")
    return Check("server", "well", "callers sign in with tokens" if mode == "jwt" else "you are its only user")
