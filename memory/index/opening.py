"""Which index a memory has, and how it is opened."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from memory.embedding import Embedder
from memory.errors import IndexUnavailable, MemoryError  # noqa: A004
from memory.index.edge import EdgeIndex, claim
from memory.index.protocol import Index
from memory.ledger.record import Ledger

Engine = Literal["embedded", "server", "postgresql", "memory"]


@dataclass(frozen=True)
class IndexSettings:
    """Where the index is. Without settings it follows from the ledger: see `engine_of`."""

    engine: Engine | None = None
    url: str | None = None
    """A Qdrant server; required by the engine `server` and chooses it where no engine is named."""
    api_key: str | None = None


OpenIndex = Callable[[bool], Index | None]
"""Opens the index for reading (True), or only to feed it (False); None: another process holds it and will follow."""


def engine_of(settings: IndexSettings, ledger: Ledger) -> Engine:
    """The engine: as set; else a server where a URL is given, PostgreSQL where the ledger is there, else embedded.

    A sealed ledger has its index in memory alone, since vectors on disk would tell of the texts.

    :raises MemoryError: the setting does not fit.
    """
    if ledger.cipher is not None and settings.engine in {None, "memory"} and settings.url is None:
        return "memory"
    if ledger.cipher is not None:
        raise MemoryError("A sealed memory keeps its index in memory alone; leave out QDRANT_URL and RECALLYST_INDEX.")
    if settings.engine == "postgresql" and not ledger.on_postgresql:
        raise MemoryError("The index can be in PostgreSQL only where the ledger is; set RECALLYST_DATABASE_URL.")
    if settings.engine == "server" and settings.url is None:
        raise MemoryError("The index on a server needs its address; set QDRANT_URL.")
    if settings.engine is not None:
        return settings.engine
    if settings.url is not None:
        return "server"
    return "postgresql" if ledger.on_postgresql else "embedded"


def index_opener(settings: IndexSettings, ledger: Ledger, embedder: Embedder, path: Path) -> OpenIndex:
    """How to open the index; `path` is the folder of the embedded one. :raises MemoryError: unfit settings."""
    engine = engine_of(settings, ledger)
    model, dimensions = embedder.name, embedder.dimensions

    def embedded(reading: bool) -> Index | None:
        claimed = claim(path)
        if claimed is None and not reading:
            return None
        return EdgeIndex(path, claimed, ledger_id=ledger.ledger_id, model=model, dimensions=dimensions)

    def server(reading: bool) -> Index | None:
        location = settings.url if engine == "server" else ":memory:"
        if location == ":memory:" and not reading:
            return None
        # Imported here: the client is an extra, and slow to import.
        try:
            from memory.index.qdrant import QdrantIndex
        except ImportError as error:
            raise IndexUnavailable(
                f"The client of Qdrant is not installed ({error}); install recallyst with the extra `qdrant`."
            ) from error
        return QdrantIndex(
            location or ":memory:",
            api_key=settings.api_key,
            ledger_id=ledger.ledger_id,
            model=model,
            dimensions=dimensions,
        )

    def postgresql(reading: bool) -> Index | None:
        from memory.index.pgvector import PostgresIndex

        return PostgresIndex(ledger, model=model, dimensions=dimensions)

    return {"embedded": embedded, "postgresql": postgresql, "server": server, "memory": server}[engine]
