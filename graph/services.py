"""The live objects that nodes work with, made once per process and handed in."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from datasets import Catalogue
from graph.identity import local_principal
from graph.settings import Settings, SettingsError
from graph.state import Context
from memory import Memory, Principal, open_memory
from memory.opening import IndexSettings
from memory.retention import Retention


@dataclass(frozen=True, eq=False)
class Services:
    """What a node may reach besides its state."""

    settings: Settings
    catalogue: Catalogue
    memory: Memory
    principal: Principal
    clock: Callable[[], datetime]

    def close(self) -> None:
        """Release the stores; safe to call twice."""
        self.memory.close()


@dataclass(frozen=True)
class Run:
    """One run of the graph as a node sees it: the live objects, the run's settings, the host's thread."""

    services: Services
    context: Context
    thread_id: str | None


def open_services(settings: Settings) -> Services:
    """Open the stores under the settings' home, creating it when it is missing.

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
    )
