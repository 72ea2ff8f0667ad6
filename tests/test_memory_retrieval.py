"""Finding what a question is about: hybrid beats each of its halves, and the search is exact within a tenant."""

import json
from pathlib import Path

import pytest

from benchmarks.retrieval import DIMENSIONS, SET, WORLDS, exactness, judged
from memory.embedding import open_embedder
from memory.index.edge import EdgeIndex, claim


@pytest.mark.slow
def test_hybrid_beats_dense_alone_and_sparse_alone(tmp_path: Path) -> None:
    document = json.loads(SET.read_text(encoding="utf-8"))
    assert len(document["units"]) >= 200
    assert len(document["queries"]) >= 100
    assert sum(query["kind"] == "identifier" for query in document["queries"]) >= 50
    found = judged(document, tmp_path, open_embedder())
    for half in ("dense alone", "sparse alone"):
        for figure in ("mrr", "within_1", "within_5", "within_10"):
            assert found["hybrid"][figure] > found[half][figure], (half, figure)
    assert found["hybrid"]["mrr"] >= 0.9


@pytest.mark.slow
@pytest.mark.parametrize(("tenants", "units_each"), WORLDS)
def test_the_search_is_exact_within_each_tenant(tmp_path: Path, tenants: int, units_each: int) -> None:
    index = EdgeIndex(tmp_path, claim(tmp_path), ledger_id="x", model="random", dimensions=DIMENSIONS)
    assert exactness(index, tenants, units_each, queries=30) == 1.0
    index.close()
