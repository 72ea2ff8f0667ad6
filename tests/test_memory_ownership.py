"""Owning it: nobody sees what is not theirs, forgetting is complete, export and import carry everything in force."""

import gzip
import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from memory import Memory, MemoryError, NewUnit, Principal, UnknownMemory, open_memory  # noqa: A004
from memory.embedding import open_embedder
from memory.lifecycle import copies
from memory.lifecycle.copies import forget_in_copies
from memory_worlds import files_with

ANA, BO = Principal("acme", "ana"), Principal("acme", "bo")
EVE = Principal("evil", "ana")  # the same user name in another org
EMBEDDER = open_embedder()  # loads once for all tests here
SECRET = "Zanzibar-clause"


class Clock:
    """A clock that stands until it is set."""

    def __init__(self) -> None:
        self.now = datetime(2026, 3, 1, 9, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def memory(tmp_path: Path, clock: Clock) -> Iterator[Memory]:
    with open_memory(tmp_path / "home", clock=clock, embedder=EMBEDDER) as opened:
        yield opened


def unit(memory_type: Any, text: str, **changes: Any) -> NewUnit:
    values: dict[str, Any] = {"memory_type": memory_type, "summary": text, "data_source": "sales"}
    if memory_type == "finding":
        values["label"] = "confirmatory"
    return NewUnit(**(values | changes))


def store(memory: Memory, principal: Principal, *units: NewUnit, session: str = "s1") -> list[str]:
    run_id = f"{principal.owner_sub} {session} {len(memory.events(principal))}"
    outcomes = memory.remember(principal, units, run_id=run_id, session_id=session)
    return [outcome.memory_id or "" for outcome in outcomes]


def test_no_reading_path_crosses_owners_or_orgs(memory: Memory) -> None:
    finding, preference, pattern, defect = store(
        memory,
        ANA,
        unit("finding", "Revenue of sales rose in May."),
        unit("user_preference", "Revenue in euros."),
        unit("domain_pattern", "Revenue peaks in May."),
        unit("data_quality", "Revenue lacks the last 3 days of May."),
    )
    artifact = memory.save_artifact(
        ANA, kind="report", dataset="sales", session_id="s1", run_id="r1", content={"text": "Revenue"}
    )
    memory.audit(ANA, "decided", {"mode": "extend"}, run_id="r1")
    for other, shared in ((BO, {defect}), (EVE, set())):
        seen = {item.memory_id for item in memory.list(other, status=None)}
        seen |= {item.unit.memory_id for item in memory.search(other, "Revenue of sales rose in May.")}
        recall = memory.recall(other, dataset="sales", query="Revenue of sales rose in May.")
        for bucket in (recall.findings, recall.data_quality, recall.preferences, recall.patterns):
            seen |= {item.unit.memory_id for item in bucket}
        seen |= {item.memory_id for item in memory.prior_findings(other, dataset="sales")}
        seen |= {item["memory_id"] for item in memory.export(other)["units"]}
        seen |= {event.memory_id for event in memory.events(other) if event.memory_id}
        assert seen == shared
        for guessed in {finding, preference, pattern, defect} - shared:
            calls: list[Callable[[], object]] = [
                partial(memory.get, other, guessed),
                partial(memory.history, other, guessed),
                partial(memory.forget, other, memory_id=guessed),
                partial(memory.pin, other, guessed),
                partial(memory.correct, other, guessed, summary="mine"),
            ]
            for call in calls:
                with pytest.raises(UnknownMemory):
                    call()
            assert memory.resolve(other, [guessed], run_id="r", reason="x") == []
            assert memory.events(other, guessed) == []
        with pytest.raises(UnknownMemory):
            memory.artifact(other, artifact)
        assert memory.latest_artifact(other, kind="report", dataset="sales") is None
        assert memory.forget(other, everything=True) == 0
        assert memory.forget(other, dataset="sales") == 0
        assert "mode" not in json.dumps([event.detail for event in memory.events(other)])
    assert len(memory.list(ANA)) == 4
    assert memory.artifact(ANA, artifact) == {"text": "Revenue"}


def test_two_owners_hold_the_same_claim_apart_and_a_defect_together(memory: Memory) -> None:
    mine = store(memory, ANA, unit("finding", "Revenue rose."), unit("data_quality", "3 days late."), session="a")
    theirs = store(memory, BO, unit("finding", "Revenue rose."), unit("data_quality", "3 days late."), session="b")
    assert mine[0] != theirs[0]
    assert mine[1] == theirs[1]
    shared = memory.get(BO, mine[1])
    assert (shared.sightings, shared.is_durative, shared.owner_sub) == (2, True, "ana")


def test_a_busy_neighbour_does_not_push_results_out(memory: Memory) -> None:
    store(memory, ANA, unit("finding", "Revenue rose by 4 percent in region 7."))
    store(memory, BO, *[unit("finding", f"Revenue rose by {n} percent in region 7.") for n in range(200)])
    found = memory.search(ANA, "By how much did revenue rise in region 7?")
    assert [item.unit.owner_sub for item in found] == ["ana"]


def test_forgetting_everything_leaves_no_byte_of_the_text(memory: Memory, tmp_path: Path) -> None:
    old, _ = store(
        memory,
        ANA,
        unit("finding", f"The {SECRET} cost 5.", claim={"subject": {"m": "cost"}, "value": {"number": 5}}),
        unit("data_quality", f"{SECRET} is blank in 3 rows.", detail=f"“{SECRET}”", provenance={"sql": SECRET}),
    )
    changed = unit("finding", f"The {SECRET} cost 9.", claim={"subject": {"m": "cost"}, "value": {"number": 9}})
    store(memory, ANA, changed, session="s2")
    memory.save_artifact(
        ANA, kind="report", dataset="sales", session_id="s1", run_id="r1", content={"answer": f"{SECRET}!"}
    )
    memory.audit(ANA, "decided", {"question": f"What of the {SECRET}?"}, run_id="r1", session_id=SECRET)
    memory.recall(ANA, dataset="sales", query=f"{SECRET} cost")
    assert files_with(tmp_path, SECRET)
    assert memory.forget(ANA, everything=True) == 3
    assert memory.list(ANA, status=None) == []
    tombstones = [event for event in memory.events(ANA, old) if event.kind == "forgotten"]
    assert [event.detail for event in tombstones] == [{}]
    assert files_with(tmp_path, SECRET) == []
    assert memory._feed.memory_ids() == set()
    memory.close()
    assert files_with(tmp_path, SECRET) == []


def test_forgetting_a_unit_takes_its_past_its_artifact_and_what_quotes_it(memory: Memory, tmp_path: Path) -> None:
    report = memory.save_artifact(
        ANA, kind="report", dataset="sales", session_id="s1", run_id="r1", content={"text": "all of it"}
    )
    claim = {"subject": {"metric": "cost"}, "value": {"number": 5}}
    first, kept = store(
        memory,
        ANA,
        unit("finding", f"The {SECRET} cost 5 pounds.", claim=claim, artifact_id=report),
        unit("finding", "Something else was found.", artifact_id=report),
    )
    claim = {"subject": {"metric": "cost"}, "value": {"number": 9}}
    (second,) = store(memory, ANA, unit("finding", f"The {SECRET} cost 9 pounds.", claim=claim), session="s2")
    quoting = memory.save_artifact(
        ANA, kind="gate", dataset="sales", session_id="s2", run_id="r2",
        content={"prior": [f"Known: The {SECRET} cost 5 pounds.", "Something else was found."]},
    )  # fmt: skip
    memory.audit(ANA, "asked", {"shown": f"The {SECRET} cost 9 pounds."}, run_id="r2")
    assert memory.forget(ANA, memory_id=second) == 2
    assert [item.memory_id for item in memory.list(ANA, status=None)] == [kept]
    assert memory.get(ANA, kept).artifact_id is None
    assert memory.artifact(ANA, quoting) == {"prior": ["Known: [forgotten]", "Something else was found."]}
    for gone in (lambda: memory.get(ANA, first), lambda: memory.artifact(ANA, report)):
        with pytest.raises(UnknownMemory):
            gone()
    assert memory._feed.memory_ids() == {kept}
    assert files_with(tmp_path, SECRET) == []


def test_an_older_version_can_be_forgotten_alone(memory: Memory) -> None:
    def cost(number: int) -> NewUnit:
        claim = {"subject": {"metric": "cost"}, "value": {"number": number}}
        return unit("finding", f"It cost {number}.", claim=claim)

    (first,) = store(memory, ANA, cost(5))
    (second,) = store(memory, ANA, cost(9), session="s2")
    assert memory.forget(ANA, memory_id=first) == 1
    (left,) = memory.history(ANA, second)
    assert (left.memory_id, left.supersedes, left.active) == (second, None, True)


def test_forgetting_a_dataset_leaves_the_others(memory: Memory, tmp_path: Path) -> None:
    store(memory, ANA, unit("finding", f"{SECRET} rose."), unit("data_quality", f"{SECRET} is late."))
    (other,) = store(memory, ANA, unit("finding", "Visits rose.", data_source="visits"))
    for dataset in ("sales", "visits"):
        memory.save_artifact(
            ANA, kind="snapshot", dataset=dataset, session_id="s1", run_id=dataset, content={"of": SECRET}
        )
    assert memory.forget(ANA, dataset="sales") == 2
    assert [item.memory_id for item in memory.list(ANA, status=None)] == [other]
    assert memory.latest_artifact(ANA, kind="snapshot", dataset="sales") is None
    assert memory.latest_artifact(ANA, kind="snapshot", dataset="visits") is not None
    memory.forget(ANA, dataset="visits")
    assert files_with(tmp_path, SECRET) == []


def test_what_others_saw_too_stays_without_the_one_who_forgets(memory: Memory) -> None:
    (defect,) = store(memory, ANA, unit("data_quality", "3 days late."), session="a")
    store(memory, BO, unit("data_quality", "3 days late."), session="b")
    assert memory.forget(ANA, everything=True) == 0
    left = memory.get(BO, defect)
    assert (left.owner_sub, left.session_id, left.sightings) == ("bo", "b", 1)
    assert "ana" not in json.dumps(left.provenance)
    assert memory.forget(BO, everything=True) == 1


def test_forgetting_a_session_takes_what_only_it_has_seen(memory: Memory) -> None:
    both = unit("finding", "Revenue rose.")
    kept, _ = store(memory, ANA, both, unit("finding", "Costs fell."), session="s1")
    store(memory, ANA, both, session="s2")
    memory.save_artifact(ANA, kind="report", dataset="sales", session_id="s1", run_id="r1", content={})
    assert memory.forget(ANA, session_id="s1") == 1
    (left,) = memory.list(ANA, status=None)
    assert (left.memory_id, left.session_id, left.sightings) == (kept, "s2", 1)
    assert memory.latest_artifact(ANA, kind="report", dataset="sales") is None


def test_forgetting_names_exactly_one_thing(memory: Memory) -> None:
    with pytest.raises(MemoryError, match="exactly one"):
        memory.forget(ANA)
    with pytest.raises(MemoryError, match="exactly one"):
        memory.forget(ANA, dataset="sales", everything=True)


def test_a_replay_does_not_bring_back_what_was_forgotten(memory: Memory) -> None:
    finding = unit("finding", "Revenue rose.", unit_key="a")
    (first,) = memory.remember(ANA, [finding], run_id="r1", session_id="s1")
    memory.forget(ANA, memory_id=first.memory_id)
    (again,) = memory.remember(ANA, [finding], run_id="r1", session_id="s1")
    assert (again.memory_id, again.unit) == (first.memory_id, None)
    assert memory.list(ANA, status=None) == []


def filled(memory: Memory, clock: Clock) -> dict[str, Any]:
    """Store two versions of a claim, a durative defect and a preference with an artifact; return the export."""
    artifact = memory.save_artifact(
        ANA, kind="battery", dataset="sales", session_id="s1", run_id="r1", content={"n": 1}
    )
    claim = {"subject": {"metric": "cost"}, "value": {"number": 5}}
    store(memory, ANA, unit("finding", "It cost 5.", claim=claim), unit("data_quality", "3 days late."), session="s1")
    clock.now += timedelta(days=1)
    claim = {"subject": {"metric": "cost"}, "value": {"number": 9}}
    changed = unit("finding", "It cost 9.", claim=claim, artifact_id=artifact)
    store(memory, ANA, changed, unit("data_quality", "3 days late."), session="s2")
    store(memory, ANA, unit("user_preference", "In euros.", data_source=None), session="s2")
    return memory.export(ANA)


def test_export_and_import_carry_units_history_and_artifacts(memory: Memory, clock: Clock, tmp_path: Path) -> None:
    document = json.loads(json.dumps(filled(memory, clock)))
    with open_memory(tmp_path / "new home", clock=clock, embedder=EMBEDDER) as other:
        outcomes = other.import_(ANA, document)
        assert {outcome.action for outcome in outcomes} == {"stored"}
        assert other.list(ANA, status=None) == memory.list(ANA, status=None)
        assert other.export(ANA) == document
        (finding,) = other.list(ANA, memory_type="finding")
        assert finding.artifact_id is not None
        assert other.artifact(ANA, finding.artifact_id) == {"n": 1}
        assert [version.summary for version in other.history(ANA, finding.memory_id)] == ["It cost 5.", "It cost 9."]
        again = other.import_(ANA, document)
        assert {outcome.action for outcome in again} == {"reconfirmed"}
        assert other.export(ANA) == document


def test_an_import_becomes_the_importers_own(memory: Memory, clock: Clock) -> None:
    document = filled(memory, clock)
    outcomes = memory.import_(EVE, document)
    taken = {outcome.memory_id for outcome in outcomes}
    assert not taken & {item["memory_id"] for item in document["units"]}
    assert {(item.org_id, item.owner_sub) for item in memory.list(EVE)} == {("evil", "ana")}
    assert memory.export(ANA) == document


def test_an_import_cannot_raise_confidence_and_keeps_the_newer_statement(memory: Memory, clock: Clock) -> None:
    claim = {"subject": {"metric": "cost"}, "value": {"number": 5}}
    store(memory, ANA, unit("finding", "It cost 5.", claim=claim))

    def entry(number: int, days: int, **changes: Any) -> dict[str, Any]:
        values = {
            "memory_type": "finding", "summary": f"It cost {number}.", "label": "exploratory", "confidence": 1.0,
            "claim": {"subject": {"metric": "cost"}, "value": {"number": number}}, "data_source": "sales",
            "dialogue_time": (clock.now + timedelta(days=days)).isoformat(),
        }  # fmt: skip
        return values | changes

    def take(item: dict[str, Any]) -> tuple[str, str]:
        (outcome,) = memory.import_(ANA, {"version": 1, "units": [item]})
        return outcome.action, outcome.reason

    assert take(entry(7, -1)) == ("dropped", "another statement on the same subject is in force")
    assert take(entry(7, 1)) == ("dropped", "another statement on the same subject is in force")
    assert take(entry(7, 0)) == ("superseded", "the value changed")
    assert take(entry(8, 0, label="exploratory_divergent"))[0] == "dropped"
    (finding,) = memory.list(ANA)
    assert (finding.summary, finding.confidence) == ("It cost 7.", 0.70)


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({}, "version: Field required"),
        ({"version": 2, "units": []}, "version 2"),
        ({"version": 1, "units": [{"memory_type": "finding"}]}, r"units\.0\.summary"),
        ({"version": 1, "units": [{"memory_type": "rumour", "summary": "x"}]}, r"units\.0\.memory_type"),
        ([1, 2], "not a memory export"),
    ],
)
def test_a_document_that_is_no_export_is_refused_whole(memory: Memory, document: Any, message: str) -> None:
    with pytest.raises(MemoryError, match=message):
        memory.import_(ANA, document)
    assert memory.list(ANA, status=None) == []


def test_forgetting_unpacks_no_more_than_an_export_may_hold(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store(memory, ANA, unit("finding", f"{SECRET} rose."))
    exported = json.dumps(memory.export(ANA) | {"padding": " " * 100_000}).encode()
    packed = tmp_path / "home" / "uploads.json.gz"
    packed.write_bytes(gzip.compress(exported))
    monkeypatch.setattr(copies, "_LARGEST_BYTES", len(exported) - 1)
    forget_in_copies(tmp_path / "home", ANA, lambda _: True, ())
    assert gzip.decompress(packed.read_bytes()) == exported
    monkeypatch.setattr(copies, "_LARGEST_BYTES", len(exported))
    forget_in_copies(tmp_path / "home", ANA, lambda _: True, ())
    assert not packed.exists()


@pytest.mark.parametrize(
    "written",
    [
        lambda text: text.encode(),
        lambda text: json.dumps(json.loads(text), sort_keys=True).encode(),
        lambda text: text.encode("utf-16"),
        lambda text: gzip.compress(text.encode()),
    ],
)
def test_forgetting_knows_a_copy_by_its_content_and_leaves_what_others_share(
    memory: Memory, tmp_path: Path, written: Callable[[str], bytes]
) -> None:
    """A name with a letter outside of ASCII, a text over several pages, and a session named by what was said."""
    said = f"{SECRET} für Ωmega"
    shared = unit("data_quality", "3 days late.")
    store(memory, BO, shared, session="b")
    long = unit("finding", f"{said} rose.", detail=" ".join([said, *map(str, range(4000)), said]))
    first, _ = store(memory, ANA, long, shared, session=f"about {said}")
    memory.correct(ANA, first, summary=f"{said} fell.")
    copy = tmp_path / "home" / "backup"
    copy.write_bytes(written(json.dumps(memory.export(ANA), ensure_ascii=False)))
    memory.forget(ANA, everything=True)
    assert files_with(tmp_path, SECRET) == []
    content = gzip.decompress(copy.read_bytes()) if copy.read_bytes()[:2] == b"\x1f\x8b" else copy.read_bytes()
    (left,) = json.loads(content)["units"]
    assert (left["summary"], left["sessions"]) == ("3 days late.", ["b"])
    assert SECRET not in json.dumps(left)
    (kept,) = memory.list(BO)
    assert "confirmed" not in kept.provenance


def test_forgetting_reaches_the_exports_under_the_home(memory: Memory, tmp_path: Path) -> None:
    mine, other = store(
        memory, ANA, unit("finding", f"{SECRET} rose."), unit("finding", "Visits rose.", data_source="v")
    )
    theirs = store(memory, BO, unit("finding", "Costs fell."), session="b")
    folder = tmp_path / "home" / "exports"
    folder.mkdir()
    copy, of_bo, unrelated = folder / "mine.json", folder / "bo.json", folder / "notes.json"
    copy.write_text(json.dumps(memory.export(ANA)))
    of_bo.write_text(json.dumps(memory.export(BO)))
    unrelated.write_text(json.dumps({"units": "metres"}))
    memory.forget(ANA, memory_id=mine)
    assert [entry["memory_id"] for entry in json.loads(copy.read_text())["units"]] == [other]
    assert files_with(tmp_path, SECRET) == []
    memory.forget(ANA, everything=True)
    assert not copy.exists()
    assert [entry["memory_id"] for entry in json.loads(of_bo.read_text())["units"]] == theirs
    assert unrelated.exists()
