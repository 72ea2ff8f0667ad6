"""One contract for every search engine behind memory: the same answers, filters inside the search, rebuilt at will."""

import math
import os
import random
import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memory import MemoryError, open_memory  # noqa: A004
from memory.errors import IndexUnavailable
from memory.index.edge import EdgeIndex, claim
from memory.index.opening import IndexSettings
from memory.index.pgvector import PostgresIndex
from memory.index.protocol import Collection, Index, IndexPoint, IndexQuery
from memory.index.sparse import document_vector, query_vector
from memory.ledger.record import Ledger
from memory_worlds import ANA, HashedWords, finding

NOW = datetime(2026, 3, 1, 9, tzinfo=UTC)
DIMENSIONS = 16
ENGINES = ["embedded", "in memory", "server", "pgvector", "arrays in postgresql"]
Open = Callable[..., Index]


@pytest.fixture(params=ENGINES)
def open_index(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Open]:
    """Open the engine again and again over the same place; the ledger and model it belongs to can be named."""
    opened: list[Index] = []
    ledgers: list[Ledger] = []
    ledger_id = uuid.uuid4().hex
    if request.param in {"pgvector", "arrays in postgresql"}:
        ledgers.append(Ledger(tmp_path, database_url=request.getfixturevalue("database")))
        if request.param == "arrays in postgresql":
            with ledgers[0].engine.begin() as connection:
                connection.exec_driver_sql(
                    "ALTER TABLE index_points ALTER COLUMN dense TYPE real[] USING dense::real[]"
                )
    if request.param == "server" and not os.environ.get("QDRANT_URL"):
        pytest.skip("QDRANT_URL names no Qdrant server")

    def make(*, ledger: str = ledger_id, model: str = "model") -> Index:
        belongs: dict[str, Any] = {"ledger_id": ledger, "model": model, "dimensions": DIMENSIONS}
        if request.param == "embedded":
            for index in opened:
                index.close()
            opened.append(EdgeIndex(tmp_path / "index", claim(tmp_path / "index"), **belongs))
        elif ledgers:
            opened.append(PostgresIndex(ledgers[0], model=model, dimensions=DIMENSIONS))
        else:
            from memory.index.qdrant import QdrantIndex

            location = ":memory:" if request.param == "in memory" else os.environ["QDRANT_URL"]
            opened.append(QdrantIndex(location, api_key=os.environ.get("QDRANT_API_KEY"), **belongs))
            if request.param == "server" and len(opened) == 1:
                opened[0].reset()
        return opened[-1]

    make.name = request.param  # type: ignore[attr-defined]
    yield make
    for index in opened:
        index.close()
    for ledger in ledgers:
        ledger.close()


@pytest.fixture
def index(open_index: Open) -> Index:
    return open_index()


def unit_vector(seed: int) -> list[float]:
    vector = np.random.default_rng(seed).normal(size=DIMENSIONS)
    return [float(x) for x in vector / np.linalg.norm(vector)]


def point(memory_id: str, text: str = "revenue rose", **changes: Any) -> IndexPoint:
    values: dict[str, Any] = {
        "memory_id": memory_id, "collection": "memory_user", "org_id": "acme", "scope_owner": "ana",
        "dataset_key": "sales", "memory_type": "finding", "confidence": 0.9, "visible_from": NOW - timedelta(days=1),
        "expires_at": NOW + timedelta(days=1), "dense": unit_vector(1), "sparse": document_vector(text),
    }  # fmt: skip
    return IndexPoint(**(values | changes))


def query(text: str = "revenue", **changes: Any) -> IndexQuery:
    values: dict[str, Any] = {
        "collection": "memory_user", "org_id": "acme", "owner_sub": "ana", "now": NOW, "min_confidence": 0.6,
        "dense": unit_vector(1), "sparse": query_vector(text), "limit": 10,
    }  # fmt: skip
    return IndexQuery(**(values | changes))


def found(index: Index, asked: IndexQuery) -> set[str]:
    hits = index.search(asked)
    assert {hit.memory_id for hit in hits.sparse} <= {hit.memory_id for hit in hits.dense}
    return {hit.memory_id for hit in hits.dense}


def test_it_ranks_by_meaning_and_by_words_and_tells_the_cosine(index: Index) -> None:
    texts = {"a": "revenue fell in the north", "b": "ticket #4821 is open", "c": "revenue of ticket sales"}
    index.apply([point(k, t, dense=unit_vector(n)) for n, (k, t) in enumerate(texts.items())], (), seq=3)
    hits = index.search(query("what of #4821", dense=unit_vector(2)))
    assert hits.dense[0].memory_id == "c"
    assert hits.sparse[0].memory_id == "b"
    for hit in (*hits.dense, *hits.sparse):
        expected = float(np.dot(unit_vector(2), unit_vector("abc".index(hit.memory_id))))
        assert math.isclose(hit.cosine, expected, abs_tol=1e-3)
    assert index.search(query("", dense=unit_vector(2))).sparse == []


def test_a_rare_word_weighs_more_than_a_common_one(index: Index) -> None:
    crowd = [point(f"c{n}", "revenue of the week") for n in range(20)]
    index.apply([*crowd, point("rare", "churn of the week")], (), seq=1)
    assert index.search(query("revenue churn")).sparse[0].memory_id == "rare"


@pytest.mark.parametrize(
    "hidden",
    [
        {"org_id": "other"},
        {"scope_owner": "bo"},
        {"confidence": 0.5},
        {"expires_at": NOW},
        {"visible_from": NOW + timedelta(microseconds=1)},
        {"collection": "memory_org", "scope_owner": ""},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_no_filter_acts_on_results(index: Index, hidden: dict[str, Any]) -> None:
    """However many points a filter hides, and however near they are, the one that it lets through is found."""
    crowd = [point(f"hidden {n}", dense=unit_vector(1), **hidden) for n in range(120)]
    index.apply([*crowd, point("shown", dense=unit_vector(7))], (), seq=1)
    assert found(index, query(limit=5)) == {"shown"}


def test_types_datasets_and_times_narrow_the_search(index: Index) -> None:
    index.apply(
        [
            point("a"),
            point("b", memory_type="domain_pattern", dataset_key=""),
            point("c", memory_type="user_preference", dataset_key="visits"),
            point("eternal", expires_at=None, dataset_key="visits"),
        ],
        (),
        seq=1,
    )
    assert found(index, query()) == {"a", "b", "c", "eternal"}
    assert found(index, query(memory_types=("finding",))) == {"a", "eternal"}
    assert found(index, query(dataset_keys=("sales", ""))) == {"a", "b"}
    assert found(index, query(now=NOW + timedelta(days=1, microseconds=-1))) == {"a", "b", "c", "eternal"}
    assert found(index, query(now=NOW + timedelta(days=1))) == {"eternal"}


def test_the_shared_collection_is_the_orgs(index: Index) -> None:
    shared = {"collection": "memory_org", "scope_owner": "", "memory_type": "data_quality"}
    index.apply([point("ours", **shared), point("theirs", org_id="other", **shared), point("mine")], (), seq=1)
    asked: Collection = "memory_org"
    assert found(index, query(collection=asked)) == {"ours"}
    assert found(index, query(collection=asked, owner_sub="bo")) == {"ours"}


def test_names_cannot_be_joined_into_another_tenant(index: Index) -> None:
    index.apply([point("a", org_id='x","', scope_owner="y"), point("b", org_id="x", scope_owner='","y')], (), seq=1)
    assert found(index, query(org_id='x","', owner_sub="y")) == {"a"}
    assert found(index, query(org_id="x", owner_sub='","y')) == {"b"}


def test_points_are_replaced_removed_and_counted(index: Index) -> None:
    index.apply([point(str(n), "revenue rose") for n in range(1200)], (), seq=5)
    assert (index.count(), index.applied_seq) == (1200, 5)
    assert index.memory_ids() == {str(n) for n in range(1200)}
    index.apply([point("0", "costs fell", dense=unit_vector(9))], [str(n) for n in range(1, 1200)], seq=9)
    assert (index.memory_ids(), index.applied_seq) == ({"0"}, 9)
    assert index.search(query("costs")).sparse[0].memory_id == "0"
    assert index.search(query("revenue")).sparse == []
    index.reset()
    assert (index.count(), index.applied_seq) == (0, 0)


def test_the_search_is_exact_within_a_tenant(index: Index) -> None:
    chance = random.Random(5)
    owners = [f"user {n}" for n in range(12)]
    points = [
        point(str(n), f"metric {n % 7}", scope_owner=chance.choice(owners), dense=unit_vector(n)) for n in range(1500)
    ]
    index.apply(points, (), seq=1)
    for seed in range(10):
        owner, dense = chance.choice(owners), unit_vector(10_000 + seed)
        mine = [p for p in points if p.scope_owner == owner]
        exact = sorted(mine, key=lambda p: -float(np.dot(dense, p.dense)))[:10]
        hits = index.search(query(owner_sub=owner, dense=dense)).dense
        assert {hit.memory_id for hit in hits} == {p.memory_id for p in exact}


def test_what_was_followed_outlives_the_process(open_index: Open) -> None:
    first = open_index()
    first.apply([point("a")], (), seq=4)
    if first.sharing == "copy":
        pytest.skip("it lives in this process's memory")
    again = open_index()
    assert (again.applied_seq, again.memory_ids()) == (4, {"a"})


def test_another_model_starts_an_empty_index(open_index: Open) -> None:
    open_index().apply([point("a")], (), seq=4)
    other = open_index(model="another")
    assert (other.applied_seq, other.memory_ids()) == (0, set())


def test_a_server_of_another_ledger_is_not_wiped_by_looking(open_index: Open) -> None:
    if getattr(open_index, "name", "") != "server":
        pytest.skip("only a server can hold somebody else's index")
    open_index().apply([point("a")], (), seq=4)
    other = open_index(ledger="another")
    with pytest.raises(IndexUnavailable, match="another ledger"):
        other.search(query())
    assert open_index().memory_ids() == {"a"}
    other.reset()
    assert other.memory_ids() == set()


def test_a_server_that_does_not_answer_is_told_in_a_sentence() -> None:
    from memory.index.qdrant import QdrantIndex

    with pytest.raises(IndexUnavailable, match="search index failed"):
        QdrantIndex("http://127.0.0.1:9", api_key=None, ledger_id="x", model="m", dimensions=4)


def test_where_the_server_is_away_writes_succeed_and_recall_says_so(tmp_path: Path) -> None:
    away = IndexSettings(url="http://127.0.0.1:9")
    with open_memory(tmp_path, clock=lambda: NOW, embedder=HashedWords(), index=away) as memory:
        (outcome,) = memory.remember(ANA, [finding(1)], run_id="r1", session_id="s1")
        found = memory.recall(ANA, dataset="sales", query="What did region 1 sell?")
        assert [item.unit.memory_id for item in found.findings] == [outcome.memory_id]
        assert found.degraded is not None
        assert "keywords instead" in found.degraded
    with open_memory(tmp_path, clock=lambda: NOW, embedder=HashedWords()) as memory:
        assert memory.recall(ANA, dataset="sales", query="What did region 1 sell?").degraded is None
        assert memory.stats(ANA)["index"] == "in step with the ledger"


class OtherWords(HashedWords):
    """Another model, with vectors of another length."""

    name = "other-words"


@pytest.mark.parametrize("place", ["embedded", "postgresql"])
def test_another_model_embeds_anew_from_the_ledger(tmp_path: Path, place: str, request: pytest.FixtureRequest) -> None:
    url = request.getfixturevalue("database") if place == "postgresql" else None
    with open_memory(tmp_path, clock=lambda: NOW, embedder=HashedWords(64), database_url=url) as memory:
        memory.remember(ANA, [finding(n) for n in range(5)], run_id="r1", session_id="s1")
        memory.recall(ANA, dataset="sales", query="What did region 1 sell?")
    with open_memory(tmp_path, clock=lambda: NOW, embedder=OtherWords(32), database_url=url) as memory:
        found = memory.recall(ANA, dataset="sales", query="Region 1 sold in May")
        assert (found.degraded, len(found.findings)) == (None, 5)
        assert memory.stats(ANA)["index"] == "in step with the ledger"
        assert memory.reindex() == 5


@pytest.mark.parametrize(
    ("chosen", "message"),
    [(IndexSettings(engine="server"), "QDRANT_URL"), (IndexSettings(engine="postgresql"), "RECALLYST_DATABASE_URL")],
)
def test_an_engine_that_does_not_fit_is_refused(tmp_path: Path, chosen: IndexSettings, message: str) -> None:
    with pytest.raises(MemoryError, match=message):
        open_memory(tmp_path, clock=lambda: NOW, embedder=HashedWords(), index=chosen)
