"""How well memory finds what a question is about: hybrid beside dense alone and sparse alone; exactness of the search.

    python -m benchmarks.retrieval [--set tests/data/analyst_memories.json]

Of the set: the share of questions whose unit is among the first 1, 5 and 10, and the mean reciprocal rank. Of the
search: recall@10 against an exact ranking of each tenant's own vectors, at several numbers of tenants.
"""

import argparse
import json
import tempfile
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from memory import Memory, NewUnit, Principal, open_memory
from memory.embedding import Embedder, open_embedder
from memory.index.edge import EdgeIndex, claim
from memory.index.protocol import Index, IndexPoint, IndexQuery
from memory.index.sparse import SparseVector, query_vector

NOW = datetime(2026, 3, 1, 9, tzinfo=UTC)
ANA = Principal("acme", "ana")
SET = Path(__file__).parents[1] / "tests" / "data" / "analyst_memories.json"
WORLDS = ((10, 1_000), (50, 200), (1, 10_000))
DIMENSIONS = 64


def judged(document: Mapping[str, Any], home: Path, embedder: Embedder) -> dict[str, dict[str, float]]:
    """Keep the units of a set, ask its questions, and score each way of searching."""
    with open_memory(home, clock=lambda: NOW, embedder=embedder) as memory:
        kept = [
            NewUnit(
                memory_type="finding",
                summary=unit["summary"],
                label="exploratory",
                claim={"subject": {"statement": unit["id"]}, "value": {"text": unit["summary"]}},
                data_source="all",
                unit_key=unit["id"],
            )
            for unit in document["units"]
        ]
        outcomes = memory.remember(ANA, kept, run_id="r", session_id="s")
        names = {outcome.memory_id: unit["id"] for outcome, unit in zip(outcomes, document["units"], strict=True)}
        ranks: dict[str, list[float]] = {"hybrid": [], "dense alone": [], "sparse alone": []}
        for question in document["queries"]:
            for way, found in _ways(memory, embedder, question["query"]).items():
                order = [names[memory_id] for memory_id in found]
                ranks[way].append(order.index(question["relevant"]) + 1 if question["relevant"] in order else np.inf)
        return {way: _scores(values) for way, values in ranks.items()}


def _ways(memory: Memory, embedder: Embedder, text: str) -> dict[str, list[str]]:
    asked = IndexQuery(
        collection="memory_user", org_id=ANA.org_id, owner_sub=ANA.owner_sub, now=NOW, min_confidence=0.6,
        dense=embedder.embed([text])[0].tolist(), sparse=query_vector(text), limit=10,
    )  # fmt: skip
    (hits,) = memory._feed.search([asked])
    return {
        "hybrid": [found.unit.memory_id for found in memory.search(ANA, text, limit=10)],
        "dense alone": [hit.memory_id for hit in hits.dense],
        "sparse alone": [hit.memory_id for hit in hits.sparse],
    }


def _scores(ranks: Sequence[float]) -> dict[str, float]:
    positions = np.array(ranks)
    within = {f"within_{k}": round(float((positions <= k).mean()), 3) for k in (1, 5, 10)}
    return within | {"mrr": round(float((1 / positions).mean()), 3)}


def exactness(index: Index, tenants: int, units_each: int, *, queries: int = 50) -> float:
    """Recall@10 of the dense search under a tenant's filter, against the exact ranking of that tenant's vectors."""
    chance = np.random.default_rng(7)
    vectors = chance.normal(size=(tenants, units_each, DIMENSIONS)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=2, keepdims=True)
    points = [
        IndexPoint(
            memory_id=f"{tenant}-{number}", collection="memory_user", org_id="acme", scope_owner=f"user {tenant}",
            dataset_key="sales", memory_type="finding", confidence=0.9, visible_from=NOW, expires_at=None,
            dense=vectors[tenant, number].tolist(), sparse=SparseVector([], []),
        )
        for tenant in range(tenants)
        for number in range(units_each)
    ]  # fmt: skip
    index.apply(points, (), seq=1)
    shares = []
    for _ in range(queries):
        tenant = int(chance.integers(tenants))
        dense = chance.normal(size=DIMENSIONS).astype(np.float32)
        dense /= np.linalg.norm(dense)
        exact = {f"{tenant}-{number}" for number in np.argsort(-(vectors[tenant] @ dense))[:10]}
        asked = IndexQuery(
            collection="memory_user", org_id="acme", owner_sub=f"user {tenant}", now=NOW, min_confidence=0.6,
            dense=dense.tolist(), sparse=SparseVector([], []), limit=10,
        )  # fmt: skip
        shares.append(len(exact & {hit.memory_id for hit in index.search(asked).dense}) / 10)
    return float(np.mean(shares))


def main() -> None:
    """Print one JSON document."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", type=Path, default=SET)
    given = parser.parse_args()
    document = json.loads(given.set.read_text(encoding="utf-8"))
    told: dict[str, Any] = {"units": len(document["units"]), "queries": len(document["queries"])}
    with tempfile.TemporaryDirectory() as folder:
        told["found"] = judged(document, Path(folder) / "home", open_embedder())
        told["recall_at_10"] = {}
        for tenants, units_each in WORLDS:
            path = Path(folder) / f"{tenants}"
            index = EdgeIndex(path, claim(path), ledger_id="x", model="random", dimensions=DIMENSIONS)
            told["recall_at_10"][f"{tenants} x {units_each}"] = exactness(index, tenants, units_each)
            index.close()
    print(json.dumps(told, indent=2))


if __name__ == "__main__":
    main()
