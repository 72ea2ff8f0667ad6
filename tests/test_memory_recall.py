"""Recall: four buckets, constraints first, a floor and a budget; and what happens when the index cannot answer."""

import json
import shutil
from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages.utils import count_tokens_approximately

from memory import Memory, NewUnit, open_memory
from memory.embedding import Vectors, open_embedder
from memory.index.protocol import Hit, Hits
from memory.recall.ranking import RELEVANCE_FLOOR, fuse, ranked
from memory.units import Recall
from memory_worlds import ANA, Broken, Clock

EMBEDDER = open_embedder()  # loads once for all tests here


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def memory(tmp_path: Path, clock: Clock) -> Iterator[Memory]:
    with open_memory(tmp_path, clock=clock, embedder=EMBEDDER) as opened:
        yield opened


def unit(memory_type: Any, text: str, **changes: Any) -> NewUnit:
    values: dict[str, Any] = {"memory_type": memory_type, "summary": text, "data_source": "sales"}
    if memory_type == "finding":
        values["label"] = "confirmatory"
    return NewUnit(**(values | changes))


def store(memory: Memory, *units: NewUnit, session: str = "s1") -> list[str]:
    outcomes = memory.remember(ANA, units, run_id=f"{session} {len(memory.events(ANA))}", session_id=session)
    return [outcome.memory_id or "" for outcome in outcomes]


def shown(recall: Recall) -> list[str]:
    buckets = [recall.data_quality, recall.preferences, recall.patterns, recall.findings]
    return [item.unit.summary for bucket in buckets for item in bucket]


def test_constraints_bypass_ranking_and_other_datasets_never_appear(memory: Memory) -> None:
    texts = {
        "data_quality": "order_date runs 3 days late.",
        "user_preference": "Use the colours of the house.",
        "domain_pattern": "The year ends in June.",
    }
    for kind, text in texts.items():
        store(memory, unit(kind, text), unit(kind, f"Elsewhere: {text}", data_source="visits"))
    store(memory, unit("user_preference", "Everywhere: two decimals.", data_source=None))
    recall = memory.recall(ANA, dataset="sales", query="What is the average discount?")
    assert sorted(shown(recall)) == sorted([*texts.values(), "Everywhere: two decimals."])
    assert recall.findings == []
    assert {item.score for item in recall.preferences} == {1.0}
    assert (
        memory.recall(ANA, dataset="nothing known", query="discount")
        .preferences[0]
        .why.startswith("standing, holds for all datasets")
    )


def test_only_durative_defects_are_required_and_they_come_first(memory: Memory, clock: Clock) -> None:
    store(memory, unit("data_quality", "order_date runs 3 days late."), session="s1")
    clock.now += timedelta(days=1)
    store(memory, unit("data_quality", "order_date runs 3 days late."), session="s2")
    clock.now += timedelta(days=1)
    store(memory, unit("data_quality", "region has 4 blank cells."), session="s3")
    first, second = memory.recall(ANA, dataset="sales", query="orders").data_quality
    assert (first.unit.summary, first.required) == ("order_date runs 3 days late.", True)
    assert first.why == "required workaround, holds for sales, seen in 2 sessions, first in s1, confirmed yesterday"
    assert (second.required, second.why) == (False, "standing, holds for sales, from session s3, confirmed today")


def test_findings_are_ranked_and_those_that_do_not_bear_on_the_question_stay_out(memory: Memory) -> None:
    store(
        memory,
        unit("finding", "Revenue rose from 4,495.50 in May to 4,626.00 in June 2025."),
        unit("finding", "Total revenue was 9,319.50 in May to July 2025."),
        unit("finding", "Median wait for an MRI is 19 days."),
        unit("finding", "Revenue rose in May.", data_source="visits"),
    )
    found = memory.recall(ANA, dataset="sales", query="How did revenue develop by month?").findings
    assert [item.unit.summary for item in found] == [
        "Revenue rose from 4,495.50 in May to 4,626.00 in June 2025.",
        "Total revenue was 9,319.50 in May to July 2025.",
    ]
    assert found[0].score > found[1].score
    assert found[0].why.startswith("likeness 0.")
    assert memory.recall(ANA, dataset="sales", query="Who won the world cup?").findings == []


def test_an_identifier_in_the_question_lifts_the_unit_that_names_it(memory: Memory) -> None:
    store(memory, *[unit("finding", f"Ticket #{number} was reopened three times.") for number in (4812, 4821, 4281)])
    found = memory.search(ANA, "what happened to ticket #4821?")
    assert found[0].unit.summary == "Ticket #4821 was reopened three times."
    assert found[0].why.startswith("names #4821")


def test_of_two_alike_the_recent_and_the_certain_come_first(memory: Memory, clock: Clock) -> None:
    def about(subject: str, summary: str, **changes: Any) -> NewUnit:
        return unit("finding", summary, claim={"subject": {"metric": subject}, "value": {}}, **changes)

    store(memory, about("a", "Uncertain and old.", label="exploratory"), about("b", "Certain and old."))
    clock.now += timedelta(days=60)
    store(memory, about("c", "Certain and new."))
    units = memory.list(ANA)
    scored = ranked(units, "a question", {item.memory_id: 0.5 for item in units}, clock.now)
    assert [item.unit.summary for item in scored] == ["Certain and new.", "Certain and old.", "Uncertain and old."]


def test_the_budget_is_hard_and_constraints_come_first(memory: Memory) -> None:
    store(
        memory, *[unit("finding", f"Revenue of shop {n} grew by {n} percent in the month of May.") for n in range(30)]
    )
    store(
        memory, *[unit("user_preference", f"Show revenue of shop {n} in its own currency, please.") for n in range(4)]
    )
    query = "How did the revenue of the shops grow in May?"
    for budget in (0, 20, 100, 300):
        recall = memory.recall(ANA, dataset="sales", query=query, budget_tokens=budget)
        texts = shown(recall)
        assert recall.tokens == sum(count_tokens_approximately([text]) for text in texts) <= budget
        assert len(recall.preferences) + len(recall.over_budget) == 4
        assert recall.over_budget == [] or recall.findings == []
    assert len(recall.preferences) == 4
    assert recall.findings
    scores = [item.score for item in recall.findings]
    assert scores == sorted(scores, reverse=True)


def test_reading_is_audited(memory: Memory) -> None:
    (finding,) = store(memory, unit("finding", "Revenue rose in May."))
    memory.recall(ANA, dataset="sales", query="How did revenue develop in May?", run_id="r7", session_id="s7")
    event = memory.events(ANA)[-1]
    assert (event.kind, event.run_id, event.session_id) == ("recalled", "r7", "s7")
    assert event.detail == {"dataset": "sales", "memory_ids": [finding]}


def test_without_a_model_writing_works_and_recall_says_what_it_did(tmp_path: Path, clock: Clock) -> None:
    with open_memory(tmp_path, clock=clock, embedder=Broken()) as memory:
        store(
            memory,
            unit("finding", "Revenue rose in May."),
            unit("finding", "Median wait for an MRI is 19 days."),
            unit("finding", "Revenue rose elsewhere.", data_source="visits"),
            unit("data_quality", "order_date runs 3 days late."),
        )
        recall = memory.recall(ANA, dataset="sales", query="How did revenue develop in May?")
        assert shown(recall) == ["order_date runs 3 days late.", "Revenue rose in May."]
        assert recall.degraded == ("The embedding model is broken. Matched by dataset, type and keywords instead.")
        assert memory.events(ANA)[-1].detail["degraded"] == recall.degraded
        assert memory.stats(ANA)["index"] == "The embedding model is broken."
    with open_memory(tmp_path, clock=clock, embedder=EMBEDDER) as memory:
        healed = memory.recall(ANA, dataset="sales", query="How did revenue develop in May?")
        assert healed.degraded is None
        assert [item.unit.summary for item in healed.findings] == ["Revenue rose in May."]


def test_an_index_that_cannot_be_opened_degrades_reading_only(tmp_path: Path, clock: Clock) -> None:
    (tmp_path / "index").write_text("in the way")
    with open_memory(tmp_path, clock=clock, embedder=EMBEDDER) as memory:
        store(memory, unit("finding", "Revenue rose in May."))
        recall = memory.recall(ANA, dataset="sales", query="revenue in May")
        assert shown(recall) == ["Revenue rose in May."]
        assert recall.degraded is not None
        assert recall.degraded.startswith("The search index failed: ")


@pytest.mark.parametrize("damage", ["gone", "no state", "nonsense state", "empty shards", "another ledger"])
def test_a_damaged_index_is_rebuilt_from_the_ledger(tmp_path: Path, clock: Clock, damage: str) -> None:
    with open_memory(tmp_path, clock=clock, embedder=EMBEDDER) as memory:
        store(memory, unit("finding", "Revenue rose in May."), unit("data_quality", "3 days late."))
    index = tmp_path / "index"
    state = json.loads((index / "state.json").read_text())
    if damage == "gone":
        shutil.rmtree(index)
    elif damage == "no state":
        (index / "state.json").unlink()
    elif damage == "nonsense state":
        (index / "state.json").write_text("{")
    elif damage == "empty shards":
        for segments in index.glob("*/segments"):
            shutil.rmtree(segments)
        for log in index.glob("*/wal"):
            shutil.rmtree(log)
    else:
        (index / "state.json").write_text(json.dumps(state | {"ledger_id": "another", "applied_seq": 999}))
    with open_memory(tmp_path, clock=clock, embedder=EMBEDDER) as memory:
        recall = memory.recall(ANA, dataset="sales", query="revenue in May")
        assert recall.degraded is None
        assert shown(recall) == ["3 days late.", "Revenue rose in May."]
        assert memory.stats(ANA)["index"] == "in step with the ledger"


def test_reindexing_writes_the_same_points(memory: Memory) -> None:
    store(memory, *[unit("finding", f"Finding number {n}.") for n in range(20)])
    before = memory._feed.memory_ids()
    assert memory.reindex() == 20
    assert memory._feed.memory_ids() == before


def test_what_is_warmed_up_recalls_the_same(memory: Memory) -> None:
    memory.warm_up("Revenue rose in May.")
    store(memory, unit("finding", "Revenue rose in May."))
    memory.warm_up("Revenue rose in May.")
    (found,) = memory.recall(ANA, dataset="sales", query="Revenue rose in May.").findings
    assert found.score > 0.9


def test_another_model_makes_another_index(tmp_path: Path, clock: Clock) -> None:
    class Renamed:
        name = "another"
        dimensions = 384

        def embed(self, texts: Sequence[str]) -> Vectors:
            return -EMBEDDER.embed(texts)

    with open_memory(tmp_path, clock=clock, embedder=EMBEDDER) as memory:
        store(memory, unit("finding", "Revenue rose in May."))
    with open_memory(tmp_path, clock=clock, embedder=Renamed()) as memory:
        (found,) = memory.recall(ANA, dataset="sales", query="Revenue rose in May.").findings
        assert found.score > 0.9


def test_fusion_prefers_what_both_rankings_hold() -> None:
    dense = [Hit("a", 0.9), Hit("b", 0.8), Hit("c", 0.7)]
    sparse = [Hit("c", 0.7), Hit("d", 0.1)]
    fused = fuse([Hits(dense, sparse)])
    assert list(fused) == ["c", "a", "b", "d"]
    assert fused["c"] == 0.7
    assert 0 < RELEVANCE_FLOOR < 1
