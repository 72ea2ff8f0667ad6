"""The whole loop: a first session, the gate, and what each of the four modes promises."""

import shutil
from collections.abc import Callable, Mapping
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from conftest import NOW
from datasets import DatasetError
from datasets.samples import sample_path
from graph.settings import Settings
from memory_worlds import copy_home
from recallyst import Document, Recallyst, UserError

QUESTION = "How is revenue developing by region, and why did it change last month?"
LATER = NOW + timedelta(days=7)
MODES = ("fresh", "extend", "revalidate", "re-run")
ORDERS = sample_path("shop_orders")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Document]:
    """Ana's first session on the sample orders, played once: its home and its document."""
    home = tmp_path_factory.mktemp("played")
    with Recallyst(Settings(home=home, user="ana", org="acme", now=NOW)) as recallyst:
        return home, recallyst.ask(ORDERS, QUESTION).document


@pytest.fixture
def first(played: tuple[Path, Document], settings: Settings) -> Document:
    """The document of the first session, in a home of this test's own that has lived through it."""
    copy_home(played[0], settings.home)
    return played[1]


def _second(asker: Callable[..., Recallyst], mode: str | None, question: str = QUESTION) -> Document:
    return asker(now=LATER).ask(ORDERS, question, mode=mode).document


def _signatures(document: Document) -> list[str]:
    return [s["signature"] for s in document.plan]


def test_the_first_session_needs_no_mode_and_reports_labelled_findings_with_sql(first: Document) -> None:
    assert (first.status, first.mode, first.mode_source) == ("done", "fresh", "default")
    assert first.gate is None
    assert len(first.findings) >= 3
    assert first.answer
    for finding in first.findings:
        assert finding.label in {"confirmatory", "exploratory", "exploratory_divergent"}
        assert finding.evidence["sql"]
        told = finding.statement in {d["statement"] for d in first.memory["dropped"]}
        assert (finding.memory_id is None) == told
        assert told or finding.confidence >= 0.6
    assert first.usage["steps"] == len(first.plan)
    assert len(first.memory["stored"]) >= 3


def test_the_second_session_stops_at_the_gate_with_what_is_known(
    first: Document, asker: Callable[..., Recallyst]
) -> None:
    second = _second(asker, None)
    assert second.status == "waiting"
    assert second.mode is None
    assert second.gate is not None
    kept = {f.statement for f in first.findings if f.memory_id}
    assert {p["summary"] for p in second.gate.prior_findings} <= kept
    assert len(second.gate.prior_findings) >= 3
    for prior in second.gate.prior_findings:
        assert prior["age_days"] == pytest.approx(7)
        assert prior["days_until_expiry"] == pytest.approx(83)
    assert [o["mode"] for o in second.gate.options] == list(MODES)
    assert second.gate.suggested is not None
    assert second.gate.suggested["reason"]
    assert second.plan == []


@pytest.mark.parametrize("mode", MODES)
def test_the_known_lag_is_enforced_in_every_mode(first: Document, asker: Callable[..., Recallyst], mode: str) -> None:
    lag = next(q for q in first.data_quality if q["kind"] == "reporting_lag")
    second = _second(asker, mode)
    (acted,) = [a for a in second.applied if a["directive"]["name"] == "exclude_recent"]
    assert acted["memory_id"] == lag["memory_id"]
    assert acted["directive"]["days"] == 3


def test_fresh_plans_as_if_nothing_were_known(first: Document, asker: Callable[..., Recallyst]) -> None:
    second = _second(asker, "fresh")
    assert _signatures(second) == _signatures(first)
    assert not second.memory["stored"]
    assert len(second.memory["reconfirmed"]) >= 3


def test_extend_runs_no_explored_step(first: Document, asker: Callable[..., Recallyst]) -> None:
    second = _second(asker, "extend")
    assert second.mode == "extend"
    assert second.plan
    assert not set(_signatures(second)) & set(_signatures(first))


def test_rerun_repeats_the_battery_in_its_order(first: Document, asker: Callable[..., Recallyst]) -> None:
    second = _second(asker, "re-run", "The usual, please.")
    assert _signatures(second) == _signatures(first)


def test_revalidate_runs_one_test_and_reads_a_tenth(first: Document, asker: Callable[..., Recallyst]) -> None:
    second = _second(asker, "revalidate", "Does the revenue trend still hold?")
    assert second.usage["steps"] == len(second.plan) == 1
    assert second.verdict is not None
    assert second.verdict["verdict"] == "holds"
    assert second.verdict["before"]
    assert second.verdict["after"]
    assert second.memory["reconfirmed"] == [second.verdict["memory_id"]]
    assert second.usage["cells_read"] <= first.usage["cells_read"] / 10


def test_revalidation_renews_the_time_limit(first: Document, asker: Callable[..., Recallyst]) -> None:
    second = _second(asker, "revalidate", "Does the revenue trend still hold?")
    assert second.verdict is not None
    memory = asker(now=LATER)
    unit = memory.services.memory.get(memory.services.principal, second.verdict["memory_id"])
    assert unit.expires_at == LATER + timedelta(days=90)
    assert unit.sightings == 2


def test_a_colleague_inherits_the_lag_and_not_the_findings(first: Document, asker: Callable[..., Recallyst]) -> None:
    lag = next(q for q in first.data_quality if q["kind"] == "reporting_lag")
    ben = asker(user="ben", now=LATER).ask(ORDERS, QUESTION).document
    assert (ben.status, ben.mode_source) == ("done", "default")
    assert lag["memory_id"] in [a["memory_id"] for a in ben.applied]
    assert not set(ben.memory["reconfirmed"]) & {f.memory_id for f in first.findings}
    own = next(q for q in ben.data_quality if q["kind"] == "reporting_lag")
    assert own["durative"]


def test_another_organisation_sees_nothing(first: Document, asker: Callable[..., Recallyst]) -> None:
    eve = asker(user="eve", org="other", now=LATER)
    assert eve.services.memory.list(eve.services.principal) == []
    document = eve.ask(ORDERS, QUESTION).document
    assert document.status == "done"
    kept = {i for ids in (first.memory["stored"], [q["memory_id"] for q in first.data_quality]) for i in ids}
    assert not kept & {a["memory_id"] for a in document.applied}


@pytest.mark.parametrize(("days", "lag_known"), [(91, True), (366, False)])
def test_findings_expire_before_facts_about_the_data(
    first: Document, asker: Callable[..., Recallyst], days: int, lag_known: bool
) -> None:
    lag = next(q for q in first.data_quality if q["kind"] == "reporting_lag")
    later = asker(now=NOW + timedelta(days=days))
    found = later.services.memory.recall(later.services.principal, dataset=first.dataset.key, query=QUESTION)
    assert found.findings == []
    assert (lag["memory_id"] in [u.unit.memory_id for u in found.data_quality]) == lag_known
    document = later.ask(ORDERS, QUESTION).document
    assert document.status == "done"
    assert (lag["memory_id"] in [a["memory_id"] for a in document.applied]) == lag_known


def test_a_wrong_answer_leaves_the_gate_open_and_the_right_one_goes_on(
    first: Document, asker: Callable[..., Recallyst]
) -> None:
    recallyst = asker(now=LATER)
    turn = recallyst.ask(ORDERS, "And by channel?")
    with pytest.raises(UserError, match="'banana' is not a mode"):
        turn.choose("banana")
    done = turn.choose("extend")
    assert (done.status, done.document.mode_source) == ("done", "gate")
    again = recallyst.resume(turn.session_id)
    assert again.document == done.document


def test_nothing_before_the_gate_runs_twice(first: Document, asker: Callable[..., Recallyst]) -> None:
    recallyst = asker(now=LATER)
    services = recallyst.services
    turn = recallyst.ask(ORDERS, "And by channel?")

    def recalled() -> int:
        events = services.memory.events(services.principal)
        return sum(1 for e in events if e.kind == "recalled" and e.session_id in {None, turn.session_id})

    before = recalled()
    state = recallyst.graph.get_state({"configurable": {"thread_id": turn.session_id}})
    phases: list[str] = []
    turn.choose("revalidate", progress=lambda e: phases.append(str(e["phase"])))
    assert recalled() == before
    assert "understand" not in phases
    assert "recall" not in phases
    after = recallyst.graph.get_state({"configurable": {"thread_id": turn.session_id}})
    humans = [m for m in after.values["messages"] if m.type == "human"]
    assert len(humans) == len([m for m in state.values["messages"] if m.type == "human"]) == 1


def test_an_open_gate_survives_the_process(first: Document, asker: Callable[..., Recallyst]) -> None:
    waiting = asker(now=LATER).ask(ORDERS, "And by channel?")
    done = asker(now=LATER).resume(waiting.session_id, mode="fresh").document
    assert done.status == "done"
    assert done.question == "And by channel?"


def test_a_follow_up_in_the_session_is_not_stopped(first: Document, asker: Callable[..., Recallyst]) -> None:
    recallyst = asker()
    turn = recallyst.ask(ORDERS, "And by channel?", session=first.session_id)
    assert turn.status == "done"


def _orders_until(file: Path, last: date, *, lag_days: int) -> None:
    """Write 40 rows a day over four months; the last days have three."""
    days = [last - timedelta(days=120 - i) for i in range(121)]
    rows = [
        f"{day},{'NSEW'[(i + k) % 4]},{100 + (7 * i + 13 * k) % 41}\n"
        for i, day in enumerate(days)
        for k in range(3 if i > 120 - lag_days else 40 + i % 3)
    ]
    file.write_text("day,region,revenue\n" + "".join(rows))


def test_a_lag_that_grows_is_left_out_once_and_supersedes(asker: Callable[..., Recallyst], tmp_path: Path) -> None:
    file, question = tmp_path / "orders.csv", "total revenue by region?"
    _orders_until(file, NOW.date() - timedelta(days=2), lag_days=3)
    first = asker().ask(file, question)
    (known,) = [q["memory_id"] for q in first.data_quality if q["kind"] == "reporting_lag"]
    assert [a["directive"]["days"] for a in first.applied] == [3]
    _orders_until(file, LATER.date() - timedelta(days=2), lag_days=5)
    later = asker(now=LATER)
    second = later.ask(file, question, mode="fresh")
    (grown,) = [q for q in second.data_quality if q["kind"] == "reporting_lag"]
    assert [(a["directive"]["days"], a["memory_id"]) for a in second.applied] == [(5, grown["memory_id"])]
    assert grown["memory_id"] in second.memory["superseded"]
    assert known not in second.memory["resolved"]
    assert later.services.memory.get(later.services.principal, known).status == "superseded"


def test_a_lag_that_is_gone_hides_nothing_and_is_resolved(asker: Callable[..., Recallyst], tmp_path: Path) -> None:
    file, question = tmp_path / "orders.csv", "total revenue by region?"
    _orders_until(file, NOW.date() - timedelta(days=2), lag_days=3)
    first = asker().ask(file, question)
    (known,) = [q["memory_id"] for q in first.data_quality if q["kind"] == "reporting_lag"]
    _orders_until(file, LATER.date() - timedelta(days=2), lag_days=0)
    second = asker(now=LATER).ask(file, question, mode="fresh")
    assert second.applied == []
    assert [s["reason"] for s in second.skipped if s.get("memory_id") == known] == [
        "its detector looked again and no longer finds what it is for"
    ]
    assert second.memory["resolved"] == [known]


def test_a_refuted_finding_is_closed_where_its_successor_is_too_weak_to_keep(
    asker: Callable[..., Recallyst], tmp_path: Path
) -> None:
    file, question = tmp_path / "scores.csv", "Is score related to x?"
    noise = [((i * 7919) % 1000) / 1000 - 0.5 for i in range(300)]
    related = [f"{i / 100:.2f},{i / 50 + noise[i]:.3f}\n" for i in range(300)]
    file.write_text("x,score\n" + "".join(related))
    asker().ask(file, question)
    unrelated = [f"{i / 100:.2f},{noise[i]:.3f}\n" for i in range(300)]
    extreme = [f"{90 + i},{-200 - i}\n" for i in range(3)]
    file.write_text("x,score\n" + "".join(unrelated + extreme))
    later = asker(now=LATER)
    second = later.ask(file, question, mode="revalidate")
    assert second.verdict is not None
    assert second.verdict["verdict"] == "reversed"
    assert [f.label for f in second.findings] == ["exploratory_divergent"]
    assert second.memory["resolved"] == [second.verdict["memory_id"]]
    unit = later.services.memory.get(later.services.principal, second.verdict["memory_id"])
    assert unit.status == "resolved"


def test_a_rule_said_with_a_question_holds_for_its_answer(asker: Callable[..., Recallyst]) -> None:
    recallyst = asker()
    first = recallyst.ask(ORDERS, "Always exclude region North. total revenue by region?")
    assert first.answer.startswith("West has the highest total revenue")
    (kept,) = [a for a in first.applied if a["directive"]["name"] == "filter"]
    unit = recallyst.services.memory.get(recallyst.services.principal, kept["memory_id"])
    assert unit.memory_type == "user_preference"
    again = recallyst.ask(ORDERS, "Include region North again. total revenue by region?", mode="fresh")
    assert again.answer.startswith("North has the highest total revenue")
    assert not [a for a in again.applied if a["directive"]["name"] == "filter"]


def test_a_grain_said_with_a_question_holds_for_its_answer(asker: Callable[..., Recallyst]) -> None:
    recallyst = asker()
    weekly = recallyst.ask(ORDERS, "Please use weekly grain from now on. How does revenue develop?")
    assert "a week" in weekly.answer
    monthly = recallyst.ask(ORDERS, "I prefer monthly grain, not weekly. How does revenue develop?", mode="fresh")
    assert "a month" in monthly.answer
    assert [a["directive"]["unit"] for a in monthly.applied if a["directive"]["name"] == "grain"] == ["month"]


def test_a_handful_of_rows_overturns_no_finding(asker: Callable[..., Recallyst], tmp_path: Path) -> None:
    file, question = tmp_path / "prices.csv", "Which segment has the highest average price?"
    rows = [f"{'ABC'[i % 3]},{100 + i % 11 + 30 * (i % 3 == 0)}\n" for i in range(600)]
    file.write_text("segment,price\n" + "".join(rows))
    asker().ask(file, question)
    file.write_text("segment,price\n" + rows[1])
    later = asker(now=LATER)
    second = later.ask(file, question, mode="revalidate")
    assert second.verdict is not None
    assert second.verdict["verdict"] == "cannot_tell"
    assert not second.memory["superseded"]
    unit = later.services.memory.get(later.services.principal, second.verdict["memory_id"])
    assert (unit.status, unit.sightings) == ("active", 1)


def test_a_second_answer_to_an_answered_gate_does_nothing(first: Document, asker: Callable[..., Recallyst]) -> None:
    recallyst = asker(now=LATER)
    turn = recallyst.ask(ORDERS, "And by channel?")
    done = turn.choose("extend")
    events = len(recallyst.services.memory.events(recallyst.services.principal))
    assert turn.choose("fresh").document == done.document
    assert recallyst.resume(turn.session_id, mode="extend").document == done.document
    assert len(recallyst.services.memory.events(recallyst.services.principal)) == events


def test_a_wrong_path_leaves_the_session_as_it_was(
    first: Document, asker: Callable[..., Recallyst], tmp_path: Path
) -> None:
    recallyst = asker()
    with pytest.raises(DatasetError, match="neither a dataset"):
        recallyst.ask(tmp_path / "no.csv", "Total units?", session=first.session_id)
    assert recallyst.session(first.session_id).document == first
    assert recallyst.ask(ORDERS, "Total units?", session=first.session_id).question == "Total units?"


def test_a_wrong_path_leaves_the_gate_open(first: Document, asker: Callable[..., Recallyst], tmp_path: Path) -> None:
    recallyst = asker(now=LATER)
    turn = recallyst.ask(ORDERS, "And by channel?")
    with pytest.raises(DatasetError, match="neither a dataset"):
        recallyst.ask(tmp_path / "no.csv", "fresh", session=turn.session_id)
    assert recallyst.session(turn.session_id).document == turn.document
    assert turn.choose("fresh").status == "done"


def test_a_waiting_question_keeps_its_dataset_when_another_one_is_named(
    first: Document, asker: Callable[..., Recallyst], tmp_path: Path
) -> None:
    other = tmp_path / "other.csv"
    other.write_text("a,b\n" + "".join(f"{i},{i % 7}\n" for i in range(50)))
    recallyst = asker(now=LATER)
    turn = recallyst.ask(ORDERS, "And by channel?")
    asked = recallyst.ask(other, "average b?", session=turn.session_id)
    assert (asked.status, asked.question, asked.dataset) == ("waiting", turn.question, turn.dataset)
    asked.choose("fresh")
    state = recallyst.graph.get_state({"configurable": {"thread_id": turn.session_id}})
    assert state.values["dataset"] == str(ORDERS)


def test_a_question_at_the_gate_is_answered_on_its_data_whatever_happens_to_the_file(
    first: Document, asker: Callable[..., Recallyst], tmp_path: Path
) -> None:
    file = shutil.copy(ORDERS, tmp_path / ORDERS.name)
    recallyst = asker(now=LATER)
    turn, second = recallyst.ask(file, "And by channel?"), recallyst.ask(file, "And by region?")
    assert turn.status == second.status == "waiting"
    Path(file).write_text("date,units\n2025-01-01,1\n2025-01-02,2\n")
    changed = turn.choose("fresh")
    assert any("has changed since this was asked" in w for w in changed.warnings)
    assert changed.findings[0].evidence["n"] > 2
    assert not any("since this was asked" in w for w in recallyst.ask(ORDERS, "Total units?", mode="fresh").warnings)
    Path(file).unlink()
    gone = second.choose("fresh")
    assert gone.dataset == second.dataset
    assert any("no longer there" in w for w in gone.warnings)


def test_data_that_is_gone_does_not_block_the_session(
    first: Document, asker: Callable[..., Recallyst], tmp_path: Path
) -> None:
    def cut_off(event: Mapping[str, Any]) -> None:
        raise KeyboardInterrupt

    file = shutil.copy(ORDERS, tmp_path / ORDERS.name)
    recallyst = asker()
    with pytest.raises(KeyboardInterrupt):
        recallyst.ask(file, "Total units?", session=first.session_id, progress=cut_off)
    Path(file).unlink()
    turn = recallyst.ask(ORDERS, "Total revenue?", session=first.session_id)
    assert (turn.status, turn.question) == ("done", "Total revenue?")


def test_memory_of_the_first_session_survives_a_reopened_home(
    first: Document, asker: Callable[..., Recallyst], tmp_path: Path
) -> None:
    listed = asker().services.memory.list(asker().services.principal, dataset=first.dataset.key)
    assert {u.memory_id for u in listed} >= set(first.memory["stored"])


def test_an_absence_that_nobody_asked_about_is_told_and_not_remembered(
    asker: Callable[..., Recallyst], tmp_path: Path
) -> None:
    file = tmp_path / "teams.csv"
    rows = [f"{'AB'[i % 2]},{50 + 9 * (i % 2) + (i * 7919) % 13}\n" for i in range(200)]
    file.write_text("team,score\n" + "".join(rows))
    turn = asker().ask(file, "Which team has the highest average score?")
    absences = [f for f in turn.findings if f.evidence["null"]]
    told = {d["statement"] for d in turn.memory["dropped"] if d["reason"] == "nothing was found, and nobody asked"}
    assert told == {f.statement for f in absences if f.memory_id is None} != set()
    assert any("number of rows" in statement or "spread evenly" in statement for statement in told)
    assert all(f.memory_id for f in absences if "outliers in score" in f.statement)  # of the measure asked about
    assert all(f.memory_id for f in turn.findings if not f.evidence["null"])
    asked = asker().ask(file, "Are the rows spread evenly over team?", mode="fresh")
    assert any(f.evidence["null"] and f.memory_id for f in asked.findings)


def test_groups_that_may_differ_are_neither_called_alike_nor_remembered_so(
    asker: Callable[..., Recallyst], tmp_path: Path
) -> None:
    file = tmp_path / "regions.csv"
    rows = [f"{'ABCD'[i % 4]},{900 + 60 * (i % 4 == 0) + (i * 7919) % 997}\n" for i in range(160)]
    file.write_text("region,charges\n" + "".join(rows))
    turn = asker().ask(file, "Does average charges differ by region?")
    assert "The average charges shows no clear difference between the 4 regions" in turn.answer
    (found,) = [f for f in turn.findings if f.evidence["inconclusive"]]
    assert (found.label, found.memory_id) == ("exploratory", None)
    assert "the data can tell neither a difference nor its absence" in {d["reason"] for d in turn.memory["dropped"]}


def test_go_deeper_names_nothing_and_starts_from_what_is_known(asker: Callable[..., Recallyst], tmp_path: Path) -> None:
    file = tmp_path / "teams.csv"
    rows = [f"{'AB'[i % 2]},{('day', 'night')[i // 2 % 2]},{50 + 9 * (i % 2) + (i * 7919) % 13}\n" for i in range(240)]
    file.write_text("team,shift,score\n" + "".join(rows))
    recallyst = asker()
    first = recallyst.ask(file, "Which team has the highest average score?")
    known = {f.memory_id: f.statement for f in first.findings if f.memory_id}
    more = asker(now=NOW + timedelta(days=3)).ask(file, "Go deeper", mode="extend")
    assert more.plan
    assert not {s["signature"] for s in more.plan} & {s["signature"] for s in first.plan}
    built = [s for s in more.plan if s["builds_on"]]
    assert built
    for step in built:
        assert step["builds_on"] in known
        assert f"going on from “{known[step['builds_on']][:40]}" in step["reason"]


def test_what_has_expired_is_said_to_have_expired_and_when(asker: Callable[..., Recallyst], tmp_path: Path) -> None:
    file = tmp_path / "teams.csv"
    file.write_text("team,score\n" + "".join(f"{'AB'[i % 2]},{50 + 9 * (i % 2) + i % 5}\n" for i in range(80)))
    first = asker().ask(file, "average score?")
    later = asker(now=NOW + timedelta(days=122)).ask(file, "Is the average score the same?", mode="revalidate")
    (told,) = [w for w in later.warnings if "expired" in w]
    assert "so nothing could be tested again and the question was run fresh" in told
    assert f"last confirmed on {NOW:%Y-%m-%d} and expired on {NOW + timedelta(days=90):%Y-%m-%d}: " in told
    assert any(f.statement in told for f in first.findings)
