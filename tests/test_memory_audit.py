"""The audit trail: which units were shown in which run, what was decided, what was written; nobody else reads it."""

import json
import shlex
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from datasets.samples import sample_path
from memory import Memory, NewUnit, Principal, open_memory
from memory.embedding import open_embedder
from recallyst.cli.app import exit_code

ANA, BO = Principal("acme", "ana"), Principal("acme", "bo")
NOW = datetime(2026, 3, 1, 9, tzinfo=UTC)


class Clock:
    """A clock that a test moves."""

    now = NOW

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def memory(tmp_path: Path, clock: Clock) -> Iterator[Memory]:
    with open_memory(tmp_path, clock=clock, embedder=open_embedder()) as opened:
        yield opened


def finding(text: str, number: float) -> NewUnit:
    claim = {"subject": {"metric": text}, "value": {"number": number}}
    return NewUnit(memory_type="finding", summary=f"{text} is {number}.", label="confirmatory", claim=claim,
                   data_source="sales", unit_key=text)  # fmt: skip


def test_a_run_is_told_with_what_it_saw_decided_and_wrote(memory: Memory, clock: Clock) -> None:
    (first,) = memory.remember(ANA, [finding("revenue", 4)], run_id="r1", session_id="s1")
    clock.now += timedelta(days=1)
    memory.recall(ANA, dataset="sales", query="revenue is 4", run_id="r2", session_id="s2")
    memory.audit(ANA, "gate", {"suggested": "extend", "confidence": 0.7}, run_id="r2", session_id="s2")
    memory.audit(ANA, "decided", {"mode": "revalidate", "applied": ["u1"]}, run_id="r2", session_id="s2")
    weak = NewUnit(memory_type="finding", summary="Maybe.", label="exploratory_divergent", data_source="sales")
    (second, _) = memory.remember(ANA, [finding("revenue", 9), weak], run_id="r2", session_id="s2")
    newest, oldest = memory.audit_trail(ANA)
    assert (newest.run_id, newest.session_id, newest.dataset) == ("r2", "s2", "sales")
    assert newest.shown == [first.memory_id]
    assert newest.decisions == ["gate", "decided"]
    assert newest.decided == {"suggested": "extend", "confidence": 0.7, "mode": "revalidate", "applied": ["u1"]}
    written = {(change.action, change.memory_id) for change in newest.written}
    assert written == {("stored", second.memory_id), ("superseded", first.memory_id), ("dropped", None)}
    assert (oldest.run_id, oldest.shown, [c.action for c in oldest.written]) == ("r1", [], ["stored"])
    assert [a.run_id for a in memory.audit_trail(ANA, session_id="s1")] == ["r1"]
    assert [a.run_id for a in memory.audit_trail(ANA, limit=1)] == ["r2"]


def test_the_runs_of_another_person_are_not_told(memory: Memory) -> None:
    memory.audit(ANA, "decided", {"mode": "fresh"}, run_id="r1")
    shared = NewUnit(memory_type="data_quality", summary="Revenue is three days late.", data_source="sales")
    memory.remember(ANA, [shared], run_id="r1", session_id="s1")
    assert memory.audit_trail(BO) == []
    assert [event.kind for event in memory.events(BO)] == ["stored"]


def test_what_is_done_outside_of_a_run_stands_alone(memory: Memory) -> None:
    (outcome,) = memory.remember(ANA, [finding("revenue", 4)], run_id="r1", session_id="s1")
    assert outcome.memory_id is not None
    memory.pin(ANA, outcome.memory_id)
    memory.pin(ANA, outcome.memory_id, pinned=False)
    told = memory.audit_trail(ANA)
    assert [(a.run_id, [c.action for c in a.written]) for a in told if a.run_id is None] == [
        (None, ["pinned"]), (None, ["unpinned"]),
    ]  # fmt: skip


def test_the_command_tells_the_last_turns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in {"HOME": str(tmp_path / "home"), "USER": "ana", "NOW": "2026-03-02T09:00:00Z"}.items():
        monkeypatch.setenv(f"RECALLYST_{name}", value)

    def run(command: str) -> str:
        monkeypatch.setattr(sys, "argv", shlex.split(command))
        assert exit_code() == 0
        return capsys.readouterr().out

    assert "No run" in run("recallyst memory audit")
    run(f"recallyst ask {sample_path('shop_orders')} 'Total revenue by region' --mode fresh --json")
    assert len(run("recallyst memory key").strip()) == 44
    (told,) = json.loads(run("recallyst memory audit --json"))
    assert told["decided"]["mode"] == "fresh"
    assert {change["action"] for change in told["written"]} >= {"stored"}
    shown = run(f"recallyst memory audit --run {told['run_id']}")
    assert "mode: fresh" in shown
    assert "stored:" in shown


def test_confidence_goes_up_with_confirmations_and_down_with_refutations(memory: Memory) -> None:
    def wish(session: str) -> float:
        unit = NewUnit(memory_type="user_preference", summary="Report by week.", confidence=0.7, unit_key="wish")
        (outcome,) = memory.remember(ANA, [unit], run_id=session, session_id=session)
        assert outcome.unit is not None
        return outcome.unit.confidence

    rising = [wish(session) for session in ("s1", "s2", "s3", "s4")]
    assert rising == sorted(rising)
    assert rising[0] == 0.7
    assert rising[1] == pytest.approx(0.77)
    assert rising[-1] < 0.98
    assert wish("s4") == rising[-1]
    (kept,) = memory.remember(ANA, [finding("revenue", 4)], run_id="r1", session_id="s1")
    assert kept.memory_id is not None
    for _ in range(3):
        memory.recall(ANA, dataset="sales", query="revenue is 4")
    assert memory.get(ANA, kept.memory_id) == kept.unit  # reading changes nothing
    weaker = memory.weaken(ANA, kept.memory_id, run_id="r2", reason="the interval now includes zero")
    assert (weaker.label, weaker.confidence, weaker.status) == ("exploratory", 0.7, "active")
    closed = memory.weaken(ANA, kept.memory_id, run_id="r3", reason="it was not found again")
    assert (closed.status, closed.closed_reason) == ("resolved", "it was not found again")
