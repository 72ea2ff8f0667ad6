"""The live objects that nodes work with, made once per process and handed in."""

import hashlib
import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache

from langchain_core.language_models.chat_models import BaseChatModel

from datasets import Catalogue
from datasets.battery import step_kinds
from graph.identity import local_principal
from graph.settings import Settings, SettingsError, read_settings
from graph.state import Context
from memory import Memory, Principal, open_memory
from memory.index.opening import IndexSettings
from memory.lifecycle.retention import Retention
from prompts import Meter, ModelSettings, open_model

_OPENING = threading.Lock()


@dataclass(frozen=True, eq=False)
class Services:
    """What a node may reach besides its state."""

    settings: Settings
    catalogue: Catalogue
    memory: Memory
    principal: Principal
    clock: Callable[[], datetime]
    model: BaseChatModel | None = None
    """Asked by the analyst where there is one; without it the built-in analyst works alone."""
    warming: list[threading.Thread] = field(default_factory=list, repr=False)
    """The thread that gets things ready, where one was started."""

    def warm_up(self, question: str) -> None:
        """Get ready, in a thread of its own, what the first question needs late: the step kinds and their statistics,
        its embedding, the search index. Reading a file leaves a core idle meanwhile. Once; safe to call again.
        """
        if not self.warming:
            thread = threading.Thread(target=self._get_ready, args=(question,), name="warm-up", daemon=True)
            self.warming.append(thread)
            thread.start()

    def _get_ready(self, question: str) -> None:
        self.memory.warm_up(question)
        step_kinds()

    def for_principal(self, principal: Principal) -> "Services":
        """Return the same services as this principal has them: own memory, and own uploads beside the catalogue."""
        folder = self.settings.home / "uploads" / principal_folder(principal)
        return replace(self, principal=principal, catalogue=self.catalogue.beside(folder))

    def close(self) -> None:
        """Release the stores; safe to call twice."""
        for thread in self.warming:
            thread.join()
        self.memory.close()


@dataclass(frozen=True)
class Run:
    """One run of the graph as a node sees it: the live objects, the run's settings, the host's thread."""

    services: Services
    context: Context
    thread_id: str | None
    meter: Meter = field(default_factory=lambda: Meter(ModelSettings()))
    """What this turn spends on its model, and what went wrong with it."""
    say: Callable[[str], None] | None = None
    """Gets sentences of the answer as they come."""


def principal_folder(principal: Principal) -> str:
    """Return a folder name for what is a principal's own: 32 hex digits, never made of what a token says."""
    return hashlib.sha256(json.dumps([principal.org_id, principal.owner_sub]).encode()).hexdigest()[:32]


def served_services() -> Services:
    """Return the services of this server process, opened once: the graph and the web page share one memory."""
    with _OPENING:
        return _served()


@cache
def _served() -> Services:
    return open_services(read_settings(allow_paths=False))


def open_services(settings: Settings, *, model: BaseChatModel | None = None) -> Services:
    """Open the stores under the settings' home, creating it when it is missing.

    `model`: a chat model handed in; without one the model that the settings name is used, if they name one.

    :raises SettingsError: when the home cannot be created.
    :raises memory.MemoryError: when the ledger cannot be opened; nothing is left half-made.
    """
    try:
        settings.home.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SettingsError(
            f"RECALLYST_HOME is {str(settings.home)!r}, which cannot be created ({error.strerror}); "
            "name a folder of yours"
        ) from error
    return Services(
        settings=settings,
        catalogue=Catalogue(settings.home, allow_paths=settings.allow_paths),
        memory=open_memory(
            settings.home,
            clock=settings.clock,
            database_url=settings.database_url,
            min_sightings=settings.min_sightings,
            index=IndexSettings(settings.index, settings.qdrant_url, settings.qdrant_api_key),
            key=settings.memory_key,
            retention=Retention(settings.keep_closed_days, settings.keep_artifact_days, settings.keep_audit_days),
        ),
        principal=local_principal(settings),
        clock=settings.clock,
        model=model or open_model(settings.model),
    )
