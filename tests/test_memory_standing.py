"""What a process keeps of standing units is never older than the question, whoever changed it and wherever."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages.utils import count_tokens_approximately

from memory import Memory, MemoryUnit, NewUnit, Principal, open_memory
from memory.index.opening import IndexSettings
from memory.recall import standing
from memory.units import Recall
from memory_worlds import ANA, Clock, HashedWords, finding

BO, EVE = Principal("acme", "bo"), Principal("evil", "ana")
QUESTION = "What is known of sales?"


def wish(text: str, **changes: Any) -> NewUnit:
    return NewUnit(**({"memory_type": "user_preference", "summary": text, "data_source": "sales"} | changes))


def defect(column: str, **changes: Any) -> NewUnit:
    claim = {"subject": {"column": column}, "value": {"number": 3}}
    values = {"memory_type": "data_quality", "summary": f"{column} is late.", "claim": claim, "data_source": "sales"}
    return NewUnit(**(values | changes))


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=["sqlite", "postgresql"])
def open_again(tmp_path: Path, clock: Clock, request: pytest.FixtureRequest) -> Iterator[Callable[[], Memory]]:
    """Open the same ledger once more, as another process would."""
    url = request.getfixturevalue("database") if request.param == "postgresql" else None
    opened: list[Memory] = []

    def again() -> Memory:
        index = IndexSettings(engine="memory")
        opened.append(open_memory(tmp_path, clock=clock, embedder=HashedWords(), database_url=url, index=index))
        return opened[-1]

    yield again
    for memory in opened:
        memory.close()


def of(memory: Memory, summary: str) -> MemoryUnit:
    return next(unit for unit in memory.list(ANA) if unit.summary.startswith(summary))


def recalled(memory: Memory, person: Principal) -> Recall:
    return memory.recall(person, dataset="sales", query=QUESTION)


CHANGES: dict[str, Callable[[Memory, Clock], object]] = {
    "stored": lambda m, _: m.remember(ANA, [wish("By week.")], run_id="r2", session_id="s2"),
    "stored by a colleague": lambda m, _: m.remember(BO, [defect("price")], run_id="r2", session_id="s2"),
    "confirmed by a colleague": lambda m, _: m.remember(BO, [defect("visits")], run_id="r3", session_id="s3"),
    "a session forgotten": lambda m, _: m.forget(BO, session_id="s3"),
    "replaced": lambda m, _: m.correct(ANA, of(m, "In euros").memory_id, summary="In dollars, please."),
    "weakened": lambda m, _: m.weaken(ANA, of(m, "visits").memory_id, run_id="r6", reason="less"),
    "resolved": lambda m, _: m.resolve(ANA, [of(m, "visits").memory_id], run_id="r4", reason="gone"),
    "pinned": lambda m, _: m.pin(ANA, of(m, "Region 1").memory_id),
    "unpinned": lambda m, _: m.pin(ANA, of(m, "Region 1").memory_id, pinned=False),
    "for all datasets": lambda m, _: m.remember(ANA, [wish("Short.", data_source=None)], run_id="r5", session_id="s5"),
    "a unit forgotten": lambda m, _: m.forget(ANA, memory_id=of(m, "By week").memory_id),
    "time passes": lambda _, clock: setattr(clock, "now", clock.now + timedelta(days=40)),
    "swept": lambda m, _: m.sweep(),
    "a colleague forgotten": lambda m, _: m.forget(BO, everything=True),
    "everything forgotten": lambda m, _: m.forget(ANA, everything=True),
}


def test_what_is_kept_is_what_a_new_reader_reads(open_again: Callable[[], Memory], clock: Clock) -> None:
    reader, writer = open_again(), open_again()
    units = [wish("In euros."), defect("visits", ttl_days=30), finding(1), wish("Old.", ttl_days=20)]
    writer.remember(ANA, units, run_id="r1", session_id="s1")
    writer.remember(EVE, [defect("secret")], run_id="r1", session_id="s1")
    before = {person: recalled(reader, person) for person in (ANA, BO, EVE)}
    assert before[ANA].preferences
    assert before[BO].data_quality
    last, same = before[ANA], []
    for name, change in CHANGES.items():
        change(writer, clock)
        new_reader = open_again()
        for person in (ANA, BO, EVE):
            kept = recalled(reader, person)
            assert kept == recalled(new_reader, person), (name, person)
            if person == ANA:
                same += [name] if kept == last else []
                last = kept
    assert same == ["swept"]


def test_a_clock_put_back_brings_back_what_was_in_force(open_again: Callable[[], Memory], clock: Clock) -> None:
    memory = open_again()
    memory.remember(ANA, [wish("In euros.", ttl_days=10)], run_id="r1", session_id="s1")
    start = clock.now
    seen = []
    for days in (10, 0, 11, 9):
        clock.now = start + timedelta(days=days)
        seen.append([(item.unit.summary, item.unit.status) for item in recalled(memory, ANA).preferences])
    assert seen == [[], [("In euros.", "active")], [], [("In euros.", "active")]]


def test_only_so_many_units_are_kept(tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(standing, "KEPT_UNITS", 3)
    with open_memory(tmp_path, clock=clock, embedder=HashedWords()) as memory:
        for dataset in ("a", "b", "c"):
            many = [wish(f"Wish {n} of {dataset} and no other.", data_source=dataset) for n in range(2)]
            memory.remember(ANA, many, run_id=dataset, session_id="s")
        for dataset in ("a", "b", "c", "a"):
            found = memory.recall(ANA, dataset=dataset, query=QUESTION).preferences
            assert {item.unit.data_source for item in found} == {dataset}
        pools = memory._recollection._standing._pools
        assert sum(map(len, pools.values())) <= 3
        memory.forget(ANA, everything=True)
        assert not pools


def test_tokens_are_estimated_as_the_library_does() -> None:
    from memory.recall.recollection import _tokens

    for length in range(40):
        assert _tokens(length) == count_tokens_approximately(["ä" * length])
