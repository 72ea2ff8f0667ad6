"""Writing: four outcomes, identity, sightings, replays."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from memory import Memory, MemoryError, NewUnit, Principal, UnknownMemory, open_memory  # noqa: A004
from memory.embedding import open_embedder

ANA = Principal("acme", "ana")
EMBEDDER = open_embedder()  # loads once for all tests here
START = datetime(2026, 3, 1, 9, tzinfo=UTC)


class Clock:
    """A clock that stands until it is set."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def memory(tmp_path: Path, clock: Clock) -> Iterator[Memory]:
    with open_memory(tmp_path, clock=clock, embedder=EMBEDDER) as opened:
        yield opened


def finding(number: float, *, region: str = "North", **changes: Any) -> NewUnit:
    values: dict[str, Any] = {
        "memory_type": "finding",
        "summary": f"Revenue in {region} was {number:,.2f}.",
        "label": "confirmatory",
        "claim": {
            "subject": {"relation": "value", "metric": "sum(revenue)", "dimension": "region", "segment": region},
            "value": {"number": number},
        },
        "data_source": "sales",
    }
    return NewUnit(**(values | changes))


def lag(days: int, **changes: Any) -> NewUnit:
    values: dict[str, Any] = {
        "memory_type": "data_quality",
        "summary": f"The last {days} days of order_date are incomplete.",
        "claim": {"subject": {"relation": "quality", "metric": "reporting_lag", "column": "order_date"},
                  "value": {"number": days, "unit": "days"}},
        "directive": {"name": "exclude_recent", "column": "order_date", "days": days},
        "data_source": "sales",
    }  # fmt: skip
    return NewUnit(**(values | changes))


def test_a_new_claim_is_stored_with_what_follows_from_its_type(memory: Memory) -> None:
    (outcome,) = memory.remember(ANA, [finding(100.0)], run_id="r1", session_id="s1")
    unit = memory.get(ANA, outcome.memory_id or "")
    assert outcome.action == "stored"
    assert outcome.unit == unit
    assert (unit.confidence, unit.label, unit.scope, unit.bank_id) == (0.90, "confirmatory", "user", "user:ana")
    assert (unit.version, unit.sightings, unit.status, unit.session_id) == (1, 1, "active", "s1")
    assert unit.expires_at == START + timedelta(days=90)
    assert unit.dialogue_time == unit.last_confirmed_at == START
    assert unit.provenance["run_id"] == "r1"
    assert unit.embedding_model


def test_the_same_claim_from_another_session_is_reconfirmed_and_its_limit_renewed(memory: Memory, clock: Clock) -> None:
    (first,) = memory.remember(ANA, [finding(100.0)], run_id="r1", session_id="s1")
    clock.now += timedelta(days=10)
    (second,) = memory.remember(ANA, [finding(100.02, summary="worded otherwise")], run_id="r2", session_id="s2")
    assert (second.action, second.memory_id) == ("reconfirmed", first.memory_id)
    (unit,) = memory.list(ANA)
    assert (unit.sightings, unit.summary) == (2, "Revenue in North was 100.00.")
    assert unit.expires_at == clock.now + timedelta(days=90)
    assert unit.last_confirmed_at == clock.now
    assert unit.provenance["confirmed"]["session_id"] == "s2"


def test_another_value_supersedes_and_links_both_ways(memory: Memory, clock: Clock) -> None:
    (first,) = memory.remember(ANA, [finding(100.0)], run_id="r1", session_id="s1")
    clock.now += timedelta(days=1)
    (second,) = memory.remember(ANA, [finding(112.0)], run_id="r2", session_id="s2")
    assert (second.action, second.previous_id) == ("superseded", first.memory_id)
    old, new = memory.history(ANA, second.memory_id or "")
    assert (old.status, old.superseded_by, old.closed_at) == ("superseded", new.memory_id, clock.now)
    assert (new.status, new.supersedes, new.version, new.sightings) == ("active", old.memory_id, 2, 1)
    assert [unit.memory_id for unit in memory.list(ANA)] == [new.memory_id]
    assert memory.history(ANA, old.memory_id) == [old, new]


def test_another_subject_is_another_unit(memory: Memory) -> None:
    memory.remember(ANA, [finding(100.0), finding(100.0, region="South")], run_id="r1", session_id="s1")
    assert {unit.summary for unit in memory.list(ANA)} == {
        "Revenue in North was 100.00.",
        "Revenue in South was 100.00.",
    }


def test_a_divergent_finding_is_dropped_and_the_reason_told(memory: Memory) -> None:
    (outcome,) = memory.remember(ANA, [finding(1.0, label="exploratory_divergent")], run_id="r1", session_id="s1")
    assert (outcome.action, outcome.memory_id, outcome.unit) == ("dropped", None, None)
    assert outcome.reason == "confidence 0.50 is below 0.60"
    assert memory.list(ANA, status=None) == []


def test_confidence_of_a_finding_follows_from_the_label_alone(memory: Memory) -> None:
    (outcome,) = memory.remember(ANA, [finding(1.0, label="exploratory", confidence=1.0)], run_id="r", session_id="s")
    assert outcome.unit is not None
    assert outcome.unit.confidence == 0.70
    with pytest.raises(ValidationError, match="label"):
        NewUnit(memory_type="finding", summary="x", confidence=0.9)


def test_a_stronger_label_raises_a_reconfirmed_finding_and_a_weaker_one_does_not_lower_it(memory: Memory) -> None:
    memory.remember(ANA, [finding(1.0, label="exploratory")], run_id="r1", session_id="s1")
    memory.remember(ANA, [finding(1.0, label="confirmatory")], run_id="r2", session_id="s2")
    memory.remember(ANA, [finding(1.0, label="exploratory")], run_id="r3", session_id="s3")
    (unit,) = memory.list(ANA)
    assert (unit.label, unit.confidence, unit.sightings) == ("confirmatory", 0.90, 3)


@pytest.mark.parametrize(
    ("memory_type", "days", "scope"),
    [
        ("data_quality", 365, "org"),
        ("user_preference", 365, "user"),
        ("domain_pattern", 180, "user"),
    ],
)
def test_limits_and_scopes_by_type(memory: Memory, memory_type: Any, days: int, scope: str) -> None:
    unit = NewUnit(memory_type=memory_type, summary="Something to keep.", confidence=0.8)
    (outcome,) = memory.remember(ANA, [unit], run_id="r", session_id="s")
    assert outcome.unit is not None
    assert outcome.unit.expires_at == START + timedelta(days=days)
    assert outcome.unit.scope == scope


def test_several_turns_of_one_session_count_once_and_the_second_session_makes_a_defect_durative(memory: Memory) -> None:
    for run in ("r1", "r2", "r3"):
        memory.remember(ANA, [lag(3)], run_id=run, session_id="s1")
    (unit,) = memory.list(ANA)
    assert (unit.sightings, unit.is_durative) == (1, False)
    memory.remember(ANA, [lag(3)], run_id="r4", session_id="s2")
    (unit,) = memory.list(ANA)
    assert (unit.sightings, unit.is_durative) == (2, True)


def test_findings_and_preferences_never_become_durative(memory: Memory) -> None:
    preference = NewUnit(memory_type="user_preference", summary="Two decimals, please.")
    for session in ("s1", "s2", "s3"):
        memory.remember(ANA, [finding(1.0), preference], run_id=session, session_id=session)
    assert {(unit.sightings, unit.is_durative) for unit in memory.list(ANA)} == {(3, False)}


def test_a_defect_that_changes_its_extent_stays_the_same_defect(memory: Memory) -> None:
    memory.remember(ANA, [lag(3)], run_id="r1", session_id="s1")
    (outcome,) = memory.remember(ANA, [lag(4)], run_id="r2", session_id="s2")
    assert outcome.action == "superseded"
    assert outcome.unit is not None
    assert (outcome.unit.sightings, outcome.unit.is_durative) == (2, True)
    assert outcome.unit.directive == {"name": "exclude_recent", "column": "order_date", "days": 4}


def test_min_sightings_is_configurable(tmp_path: Path, clock: Clock) -> None:
    with open_memory(tmp_path, clock=clock, embedder=EMBEDDER, min_sightings=3) as memory:
        for session in ("s1", "s2"):
            memory.remember(ANA, [lag(3)], run_id=session, session_id=session)
        assert not memory.list(ANA)[0].is_durative
        memory.remember(ANA, [lag(3)], run_id="s3", session_id="s3")
        assert memory.list(ANA)[0].is_durative


def test_a_replay_returns_the_same_outcomes_and_writes_nothing(memory: Memory) -> None:
    units = [
        finding(100.0, unit_key="a"),
        finding(5.0, region="South", unit_key="b", label="exploratory_divergent"),
        lag(3, unit_key="c"),
    ]
    first = memory.remember(ANA, units, run_id="r1", session_id="s1")
    events = memory.events(ANA)
    again = memory.remember(ANA, units, run_id="r1", session_id="s1")
    assert again == first
    assert memory.events(ANA) == events
    assert {unit.sightings for unit in memory.list(ANA)} == {1}


def test_a_replay_after_the_outcome_changed_hands_still_tells_the_first_outcome(memory: Memory) -> None:
    (first,) = memory.remember(ANA, [finding(100.0, unit_key="a")], run_id="r1", session_id="s1")
    memory.remember(ANA, [finding(120.0, unit_key="a")], run_id="r2", session_id="s2")
    (again,) = memory.remember(ANA, [finding(100.0, unit_key="a")], run_id="r1", session_id="s1")
    assert (again.action, again.memory_id) == ("stored", first.memory_id)
    assert again.unit is not None
    assert again.unit.status == "superseded"
    assert [unit.summary for unit in memory.list(ANA)] == ["Revenue in North was 120.00."]


def test_a_failing_unit_leaves_nothing_of_its_call(memory: Memory) -> None:
    unserialisable = finding(2.0, region="South", provenance={"x": object()})
    with pytest.raises(Exception, match="JSON"):
        memory.remember(ANA, [finding(1.0), unserialisable], run_id="r1", session_id="s1")
    assert memory.list(ANA, status=None) == []
    assert memory.events(ANA) == []


def test_a_resolved_defect_is_closed_kept_in_history_and_told_once_per_run(memory: Memory) -> None:
    (outcome,) = memory.remember(ANA, [lag(3)], run_id="r1", session_id="s1")
    memory_id = outcome.memory_id or ""
    (resolved,) = memory.resolve(ANA, [memory_id, "no such id"], run_id="r2", reason="no longer there")
    assert (resolved.status, resolved.closed_reason) == ("resolved", "no longer there")
    assert memory.resolve(ANA, [memory_id], run_id="r2", reason="no longer there") == [resolved]
    assert memory.resolve(ANA, [memory_id], run_id="r3", reason="no longer there") == []
    assert memory.list(ANA) == []
    assert memory.recall(ANA, dataset="sales", query="orders").data_quality == []
    assert [unit.status for unit in memory.history(ANA, memory_id)] == ["resolved"]
    (back,) = memory.remember(ANA, [lag(3)], run_id="r4", session_id="s4")
    assert back.action == "stored"
    assert [unit.status for unit in memory.history(ANA, memory_id)] == ["resolved", "active"]


def test_a_preference_supersedes_its_slot_and_retires_nothing_else(memory: Memory, clock: Clock) -> None:
    def prefers(slot: str, value: str, metric: str = "revenue") -> NewUnit:
        claim = {"subject": {"slot": slot, "metric": metric}, "value": {"text": value}}
        return NewUnit(memory_type="user_preference", summary=f"Report {metric} by {value}.", claim=claim)

    clock.now = datetime(2026, 2, 10, tzinfo=UTC)
    (week,) = memory.remember(ANA, [prefers("grain", "week")], run_id="r1", session_id="s1")
    memory.remember(Principal("acme", "bo"), [prefers("grain", "day")], run_id="r9", session_id="s9")
    clock.now = datetime(2026, 2, 24, tzinfo=UTC)
    (month,) = memory.remember(ANA, [prefers("grain", "month")], run_id="r2", session_id="s2")
    memory.remember(ANA, [prefers("region", "South")], run_id="r3", session_id="s3")
    assert (month.action, month.previous_id) == ("superseded", week.memory_id)
    assert {unit.summary for unit in memory.list(ANA)} == {"Report revenue by month.", "Report revenue by South."}
    then = memory.as_of(ANA, month.memory_id or "", datetime(2026, 2, 15, tzinfo=UTC))
    now = memory.as_of(ANA, month.memory_id or "", datetime(2026, 2, 24, tzinfo=UTC))
    assert then is not None
    assert now is not None
    assert (then.memory_id, now.memory_id) == (week.memory_id, month.memory_id)
    assert (then.valid_from, then.valid_to) == (datetime(2026, 2, 10, tzinfo=UTC), datetime(2026, 2, 24, tzinfo=UTC))
    assert memory.as_of(ANA, month.memory_id or "", datetime(2026, 2, 9, tzinfo=UTC)) is None


def test_an_older_statement_does_not_replace_a_newer_one(memory: Memory, clock: Clock) -> None:
    def prefers(value: str, said: datetime) -> NewUnit:
        claim = {"subject": {"slot": "grain"}, "value": {"text": value}}
        return NewUnit(memory_type="user_preference", summary=f"By {value}.", claim=claim, dialogue_time=said)

    memory.remember(ANA, [prefers("month", START)], run_id="r1", session_id="s1")
    (late,) = memory.remember(ANA, [prefers("week", START - timedelta(days=2))], run_id="r2", session_id="s1")
    assert (late.action, late.reason) == ("dropped", "a newer statement on the same subject is in force")
    assert [unit.summary for unit in memory.list(ANA)] == ["By month."]


def test_a_pinned_unit_has_no_limit_and_unpinning_gives_one(memory: Memory, clock: Clock) -> None:
    (outcome,) = memory.remember(ANA, [finding(1.0)], run_id="r1", session_id="s1")
    memory_id = outcome.memory_id or ""
    assert memory.pin(ANA, memory_id).expires_at is None
    clock.now += timedelta(days=4000)
    recall = memory.recall(ANA, dataset="sales", query="something else entirely")
    assert [item.unit.memory_id for item in recall.findings] == [memory_id]
    assert recall.findings[0].why.startswith("pinned")
    assert memory.pin(ANA, memory_id, pinned=False).expires_at == clock.now + timedelta(days=90)
    with pytest.raises(UnknownMemory):
        memory.pin(ANA, "no such id")


def test_a_correction_is_the_next_version_and_keeps_the_subject(memory: Memory, clock: Clock) -> None:
    (outcome,) = memory.remember(ANA, [finding(100.0)], run_id="r1", session_id="s1")
    clock.now += timedelta(days=1)
    unit = memory.correct(
        ANA, outcome.memory_id or "", summary="Revenue in North was 90, without tax.", value={"number": 90}
    )
    assert (unit.version, unit.supersedes, unit.provenance["corrected_by"]) == (2, outcome.memory_id, "ana")
    (again,) = memory.remember(ANA, [finding(90.0)], run_id="r2", session_id="s2")
    assert (again.action, again.memory_id) == ("reconfirmed", unit.memory_id)
    note = NewUnit(memory_type="domain_pattern", summary="Year ends in June.")
    (kept,) = memory.remember(ANA, [note], run_id="r3", session_id="s3")
    fixed = memory.correct(ANA, kept.memory_id or "", summary="Year ends in July.")
    assert [version.summary for version in memory.history(ANA, fixed.memory_id)] == [
        "Year ends in June.",
        "Year ends in July.",
    ]


def test_every_change_is_one_event(memory: Memory) -> None:
    (first,) = memory.remember(ANA, [finding(1.0)], run_id="r1", session_id="s1")
    memory.remember(ANA, [finding(1.0)], run_id="r2", session_id="s2")
    (second,) = memory.remember(ANA, [finding(2.0)], run_id="r3", session_id="s2")
    memory.audit(ANA, "decided", {"mode": "extend"}, run_id="r3", session_id="s2")
    kinds = [(event.kind, event.memory_id, event.run_id) for event in memory.events(ANA)]
    assert kinds == [
        ("stored", first.memory_id, "r1"),
        ("reconfirmed", first.memory_id, "r2"),
        ("stored", second.memory_id, "r3"),
        ("superseded", first.memory_id, "r3"),
        ("decided", None, "r3"),
    ]
    assert [event.kind for event in memory.events(ANA, second.memory_id)] == ["stored"]


def test_artifacts_are_one_for_each_run_and_kind(memory: Memory, clock: Clock) -> None:
    where: dict[str, Any] = {"kind": "snapshot", "dataset": "sales"}
    first = memory.save_artifact(ANA, **where, session_id="s1", run_id="r1", content={"rows": 1})
    again = memory.save_artifact(ANA, **where, session_id="s1", run_id="r1", content={"rows": 2})
    assert first == again
    assert memory.artifact(ANA, first) == {"rows": 2}
    clock.now += timedelta(hours=1)
    second = memory.save_artifact(ANA, **where, session_id="s2", run_id="r2", content={"rows": 3})
    newest = memory.latest_artifact(ANA, **where)
    before = memory.latest_artifact(ANA, **where, exclude_session="s2")
    assert newest is not None
    assert before is not None
    assert (newest.artifact_id, newest.content, before.artifact_id) == (second, {"rows": 3}, first)
    assert memory.latest_artifact(ANA, kind="battery", dataset="sales") is None
    with pytest.raises(UnknownMemory, match="no such"):
        memory.artifact(ANA, "no such")


def test_numbers_that_are_not_finite_survive_as_words(memory: Memory) -> None:
    odd = finding(1.0, claim={"subject": {"metric": "ratio"}, "value": {"number": float("nan")}})
    (outcome,) = memory.remember(ANA, [odd], run_id="r1", session_id="s1")
    assert outcome.unit is not None
    assert outcome.unit.claim["value"]["number"] == "NaN"
    (again,) = memory.remember(ANA, [odd], run_id="r2", session_id="s2")
    assert again.action == "reconfirmed"


def test_blank_principals_and_naive_clocks_are_refused(tmp_path: Path) -> None:
    with pytest.raises(MemoryError, match="owner"):
        Principal("acme", " ")
    with open_memory(tmp_path, clock=lambda: datetime(2026, 1, 1)) as memory, pytest.raises(MemoryError, match="aware"):
        memory.list(ANA)
