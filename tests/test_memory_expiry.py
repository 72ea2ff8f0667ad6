"""Expiry: the same units are in force on every reading path, judged by the clock passed in."""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memory import Memory, NewUnit, Principal, open_memory
from memory.embedding import open_embedder

ANA = Principal("acme", "ana")
EMBEDDER = open_embedder()  # loads once for all tests here
OWN = Path(__file__).parent / "data" / "expiring_memories.jsonl"
SHARED = Path(__file__).parents[2] / "shared" / "cases" / "38-expired-memory" / "memories.jsonl"

MOMENTS = [
    ("2026-03-16T09:59:59Z", "1 2 3 4 5"),
    ("2026-03-16T10:00:00Z", "1 2 4 5"),
    ("2026-03-20T00:00:00Z", "1 2 4 5"),
    ("2026-03-30T23:59:59.999999Z", "1 2 4 5"),
    ("2026-03-31T00:00:00Z", "2 4 5"),
    ("2026-04-17T07:59:59Z", "2 4 5 6"),
    ("2026-04-17T08:00:01Z", "2 4 5"),
    ("2026-05-19T23:59:59Z", "2 4 5"),
    ("2026-06-15T00:00:00Z", "4 7"),
]


class Clock:
    """A clock that stands until it is set."""

    def __init__(self) -> None:
        self.now = datetime(2026, 3, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def memory(tmp_path: Path, clock: Clock) -> Iterator[Memory]:
    with open_memory(tmp_path, clock=clock, embedder=EMBEDDER) as opened:
        yield opened


def document(path: Path) -> dict[str, Any]:
    """The dated memories as an export document."""
    units = []
    for line in path.read_text(encoding="utf-8").splitlines():
        raw = json.loads(line)
        made = datetime.fromisoformat(raw["created_at"])
        limit = None if raw["ttl_days"] is None else (made + timedelta(days=raw["ttl_days"])).isoformat()
        units.append(
            {
                "memory_id": raw["id"],
                "memory_type": raw["type"],
                "summary": raw["text"],
                "label": "confirmatory" if raw["type"] == "finding" else None,
                "data_source": "sales",
                "dialogue_time": raw["created_at"],
                "ttl_days": raw["ttl_days"],
                "expires_at": limit,
            }
        )
    return {"version": 1, "units": units}


def by_list(memory: Memory) -> set[str]:
    return {unit.memory_id for unit in memory.list(ANA)}


def by_type(memory: Memory) -> set[str]:
    kinds: Any = ("finding", "data_quality", "user_preference", "domain_pattern")
    return {unit.memory_id for kind in kinds for unit in memory.list(ANA, dataset="sales", memory_type=kind)}


def by_recall(memory: Memory) -> set[str]:
    # A question close to each sentence, so that what is missing is missing for its date and not for its likeness.
    found = set()
    for unit in document(OWN)["units"] + (document(SHARED)["units"] if SHARED.is_file() else []):
        recall = memory.recall(ANA, dataset="sales", query=unit["summary"])
        assert recall.degraded is None
        buckets = [recall.findings, recall.data_quality, recall.preferences, recall.patterns]
        found |= {item.unit.memory_id for bucket in buckets for item in bucket}
    return found


def by_search(memory: Memory) -> set[str]:
    texts = [unit["summary"] for unit in document(OWN)["units"]]
    texts += [unit["summary"] for unit in document(SHARED)["units"]] if SHARED.is_file() else []
    return {item.unit.memory_id for text in texts for item in memory.search(ANA, text)}


def by_export(memory: Memory) -> set[str]:
    text = json.dumps(exported := memory.export(ANA))
    assert {unit["memory_id"] for unit in exported["units"]} == {
        unit.memory_id for unit in memory.list(ANA) if unit.memory_id in text
    }
    return {unit["memory_id"] for unit in exported["units"]}


def by_history(memory: Memory) -> set[str]:
    return {unit.memory_id for unit in memory.list(ANA, status=None) if memory.history(ANA, unit.memory_id)[-1].active}


PATHS = [by_list, by_type, by_recall, by_search, by_export, by_history]


@pytest.mark.parametrize("source", [OWN, SHARED], ids=["own", "shared"])
def test_the_same_units_are_in_force_on_every_path(memory: Memory, clock: Clock, source: Path) -> None:
    if not source.is_file():
        pytest.skip("the folder of shared cases is not here")
    prefix = "K" if source is OWN else "M"
    outcomes = memory.import_(ANA, document(source))
    assert [outcome.action for outcome in outcomes] == ["stored"] * 7
    for moment, expected in MOMENTS:
        clock.now = datetime.fromisoformat(moment)
        wanted = {f"{prefix}{number}" for number in expected.split()}
        for path in PATHS:
            assert path(memory) == wanted, (moment, path.__name__)
        priors = {unit.memory_id for unit in memory.prior_findings(ANA, dataset="sales")}
        assert priors == wanted & {f"{prefix}{number}" for number in (1, 2, 6, 7)}


def test_sweeping_changes_no_answer(memory: Memory, clock: Clock) -> None:
    memory.import_(ANA, document(OWN))
    clock.now = datetime(2026, 6, 15, tzinfo=UTC)
    before = memory.list(ANA, status=None)
    assert memory.sweep() == 5
    assert memory.sweep() == 0
    assert memory.list(ANA, status=None) == before
    assert {unit.memory_id for unit in memory.list(ANA, status="expired")} == {"K1", "K2", "K3", "K5", "K6"}
    assert by_search(memory) == {"K4", "K7"}


def test_reading_never_renews(memory: Memory, clock: Clock) -> None:
    memory.import_(ANA, document(OWN))
    clock.now = datetime(2026, 3, 20, tzinfo=UTC)
    before = memory.list(ANA)
    for path in PATHS:
        path(memory)
    assert memory.list(ANA) == before


def test_a_unit_dated_in_the_future_is_hidden_until_then_and_never_in_the_way(memory: Memory, clock: Clock) -> None:
    memory.import_(ANA, document(OWN))
    clock.now = datetime(2026, 4, 1, tzinfo=UTC)
    with pytest.raises(Exception, match="K7"):
        memory.get(ANA, "K7")
    with pytest.raises(Exception, match="K7"):
        memory.history(ANA, "K7")
    same = NewUnit(
        memory_type="finding", summary="A sales finding dated in the future.", label="exploratory", data_source="sales"
    )
    (outcome,) = memory.remember(ANA, [same], run_id="r1", session_id="s1")
    assert outcome.action == "stored"
    clock.now = datetime(2026, 6, 1, tzinfo=UTC)
    texts = [unit.summary for unit in memory.list(ANA, memory_type="finding")]
    assert texts.count("A sales finding dated in the future.") == 1


def test_an_expired_unit_is_no_duplicate_target(memory: Memory, clock: Clock) -> None:
    memory.import_(ANA, document(OWN))
    clock.now = datetime(2026, 4, 20, tzinfo=UTC)
    again = NewUnit(
        memory_type="finding", summary="Sales in February were 8% above January.", label="confirmatory",
        data_source="sales", unit_key="k1",
    )  # fmt: skip
    (outcome,) = memory.remember(ANA, [again], run_id="r1", session_id="s1")
    assert outcome.action == "stored"
    assert outcome.memory_id != "K1"
    assert outcome.unit is not None
    assert (outcome.unit.version, outcome.unit.sightings, outcome.unit.supersedes) == (2, 1, None)
    old, new = memory.history(ANA, outcome.memory_id or "")
    assert (old.memory_id, old.status, old.closed_at) == ("K1", "expired", datetime(2026, 3, 31, tzinfo=UTC))
    assert new.expires_at == datetime(2026, 7, 19, tzinfo=UTC)
    assert outcome.memory_id in by_search(memory)


def test_recurrence_extends_the_limit_visibly(memory: Memory, clock: Clock) -> None:
    defect = NewUnit(memory_type="data_quality", summary="shop has 9 blank cells.", data_source="sales", ttl_days=60)
    memory.remember(ANA, [defect], run_id="r1", session_id="s1")
    clock.now += timedelta(days=59)
    (outcome,) = memory.remember(ANA, [defect], run_id="r2", session_id="s2")
    assert outcome.unit is not None
    assert outcome.unit.is_durative
    assert outcome.unit.expires_at == clock.now + timedelta(days=60)
    events = memory.events(ANA, outcome.memory_id)
    assert (events[-1].kind, events[-1].detail) == ("reconfirmed", {"expires_at": outcome.unit.expires_at.isoformat()})
    clock.now = outcome.unit.expires_at
    assert memory.list(ANA) == []


def test_what_expired_before_it_is_stored_is_dropped(memory: Memory, clock: Clock) -> None:
    late = NewUnit(memory_type="user_preference", summary="Old wish.", dialogue_time=clock.now - timedelta(days=365))
    (outcome,) = memory.remember(ANA, [late], run_id="r1", session_id="s1")
    assert (outcome.action, outcome.reason) == ("dropped", "it had reached its time limit before it was stored")


def test_a_clock_of_another_zone_judges_the_same(tmp_path: Path) -> None:
    from zoneinfo import ZoneInfo

    def at(moment: datetime) -> Callable[[], datetime]:
        return lambda: moment

    with open_memory(tmp_path, clock=at(datetime(2026, 3, 1, tzinfo=UTC)), embedder=EMBEDDER) as memory:
        memory.import_(ANA, document(OWN))
    tokyo = datetime(2026, 3, 31, 8, 59, 59, tzinfo=ZoneInfo("Asia/Tokyo"))  # one second before K1 expires in UTC
    with open_memory(tmp_path, clock=at(tokyo), embedder=EMBEDDER) as memory:
        assert by_list(memory) == {"K1", "K2", "K4", "K5"}
    with open_memory(tmp_path, clock=at(tokyo + timedelta(seconds=1)), embedder=EMBEDDER) as memory:
        assert by_list(memory) == {"K2", "K4", "K5"}
