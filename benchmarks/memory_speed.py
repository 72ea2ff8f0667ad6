"""Time memory at several sizes: a whole recall without the embedding call, that call, a remember, and opening.

    python -m benchmarks.memory_speed --units 1000 10000 100000 --peers mem0=PYTHON langgraph-sqlite=PYTHON

Units belong to 50 people of one org and 20 datasets; one in twenty is a standing fact or preference. PYTHON is the
interpreter of an environment in which that peer is installed; peers run in the same run with the same texts.
"""

import argparse
import json
import subprocess
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.memory_peers import DIMENSIONS, hashed, query, summary, timed
from memory import Memory, NewUnit, Principal, open_memory
from memory.embedding import Vectors, open_embedder

NOW = datetime(2026, 3, 1, 9, tzinfo=UTC)
PEOPLE = [Principal("acme", f"user {n}") for n in range(50)]
DATASETS = [f"dataset {n}" for n in range(20)]
IN_ONE_CALL = 500
RECALLS = 200


class Hashed:
    """The embedding that all peers share; it counts the time that it takes."""

    name = "hashed-words"
    dimensions = DIMENSIONS
    seconds = 0.0

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row of unit length for each text."""
        began = time.perf_counter()
        rows = np.array(hashed(texts), dtype=np.float32).reshape(len(texts), DIMENSIONS)
        self.seconds += time.perf_counter() - began
        return rows


def unit(number: int) -> NewUnit:
    """A finding with a claim of its own; every twentieth is a preference or a fact about the data."""
    kind = {0: "user_preference", 20: "data_quality"}.get(number % 40, "finding")
    return NewUnit(
        memory_type=kind,
        summary=summary(number),
        label="confirmatory" if kind == "finding" else None,
        claim={"subject": {"metric": f"metric {number}"}, "value": {"number": number}},
        data_source=DATASETS[number // len(PEOPLE) % len(DATASETS)],
        unit_key=str(number),
    )


def measure(size: int, home: Path, database_url: str | None) -> dict[str, Any]:
    """Fill a home, then time reading, writing and opening it."""
    embedder = Hashed()
    with opened(home, embedder, database_url) as memory:
        began = time.perf_counter()
        for owner, person in enumerate(PEOPLE):
            mine = [unit(number) for number in range(owner, size, len(PEOPLE))]
            for start in range(0, len(mine), IN_ONE_CALL):
                memory.remember(person, mine[start : start + IN_ONE_CALL], run_id=f"r{start}", session_id="s")
        wrote = (time.perf_counter() - began - embedder.seconds) / size * 1000
        one = timed([_remember(memory, size + n) for n in range(50)])
        embedded = embedder.seconds
        recalls = timed([_recall(memory, n) for n in range(RECALLS)])
        embedding_ms = (embedder.seconds - embedded) / RECALLS * 1000
    opening = timed([lambda: opened(home, Hashed(), database_url).close() for _ in range(5)])
    first = timed([lambda: _first_recall(home, database_url)])
    return {
        "units": size,
        "recall": {name: round(value - embedding_ms, 3) for name, value in recalls.items()},
        "remember_one": one,
        "remember_ms_per_unit_in_a_batch": round(wrote, 3),
        "open": opening,
        "open_and_first_recall_ms": first["p50_ms"],
    }


def opened(home: Path, embedder: Hashed, database_url: str | None) -> Memory:
    """Open the memory under test."""
    return open_memory(home, clock=lambda: NOW, embedder=embedder, database_url=database_url)


def _remember(memory: Memory, number: int) -> Any:
    return lambda: memory.remember(PEOPLE[number % 50], [unit(number)], run_id=f"one {number}", session_id="s")


def _recall(memory: Memory, number: int) -> Any:
    person, dataset = PEOPLE[number % len(PEOPLE)], DATASETS[number % len(DATASETS)]
    return lambda: memory.recall(person, dataset=dataset, query=f"{query(number)} {number}", run_id=f"recall {number}")


def _first_recall(home: Path, database_url: str | None) -> None:
    with opened(home, Hashed(), database_url) as memory:
        _recall(memory, 1)()


def main() -> None:
    """Print one JSON document."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--units", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument("--database-url", help="measure a ledger on PostgreSQL; the database should be empty")
    parser.add_argument("--peers", nargs="*", default=[], metavar="NAME=PYTHON")
    parser.add_argument("--peer-units", nargs="+", default=["1000", "5000"])
    given = parser.parse_args()
    told: dict[str, Any] = {"recallyst": [], "peers": []}
    for size in given.units:
        with tempfile.TemporaryDirectory() as folder:
            told["recallyst"].append(measure(size, Path(folder), given.database_url))
    for name, python in (peer.split("=", 1) for peer in given.peers):
        command = [python, str(Path(__file__).parent / "memory_peers.py"), name, *given.peer_units]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        failed = {"peer": name, "failed": (done.stderr.strip().splitlines() or ["no output"])[-1]}
        told["peers"] += [failed] if done.returncode else json.loads(done.stdout)
    model = open_embedder()
    model.embed(["warm"])
    told["embedding_one_query"] = timed([partial(model.embed, [query(n)]) for n in range(50)])
    print(json.dumps(told, indent=2))


if __name__ == "__main__":
    main()
