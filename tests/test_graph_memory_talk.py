"""In a session: what do you remember, forget that, that is wrong."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from conftest import NOW
from datasets.samples import sample_path
from memory import UnknownMemory
from recallyst import Recallyst

ORDERS = sample_path("shop_orders")
QUESTION = "Which region has the highest revenue?"


def test_what_is_remembered_is_listed_without_a_gate(asker: Callable[..., Recallyst]) -> None:
    first = asker().ask(ORDERS, QUESTION)
    later = asker(now=NOW + timedelta(days=7))
    known = later.ask(ORDERS, "What do you remember about this dataset?")
    assert (known.status, known.plan, known.findings) == ("done", [], [])
    assert known.answer.startswith("Of shop_orders I remember ")
    kept = [f for f in first.findings if f.memory_id]
    assert all(f.statement.rstrip(".") in known.answer for f in kept)
    assert "seen in 1 session, last on 2026-03-02, 83 days left" in known.answer
    assert "3 facts about the data:" in known.answer
    assert later.ask(ORDERS, QUESTION, session=known.session_id).status == "waiting"


def test_nothing_remembered_is_said(asker: Callable[..., Recallyst]) -> None:
    assert asker().ask(ORDERS, "What do you remember?").answer == "I remember nothing of shop_orders yet."


def test_what_was_just_said_is_forgotten(asker: Callable[..., Recallyst]) -> None:
    recallyst = asker()
    first = recallyst.ask(ORDERS, QUESTION)
    target = next(f for f in first.findings if f.memory_id)
    gone = recallyst.ask(ORDERS, "Forget that.", session=first.session_id)
    assert gone.answer.startswith(f"Forgotten: {target.statement.rstrip('.')}.")
    assert gone.memory["forgotten"] == [target.memory_id]
    with pytest.raises(UnknownMemory):
        recallyst.services.memory.get(recallyst.services.principal, target.memory_id or "")
    again = recallyst.ask(ORDERS, "What do you remember?", session=first.session_id)
    assert target.statement.rstrip(".") not in again.answer


def test_a_listed_memory_is_forgotten_by_its_number(asker: Callable[..., Recallyst]) -> None:
    recallyst = asker()
    first = recallyst.ask(ORDERS, QUESTION)
    listed = recallyst.ask(ORDERS, "What do you remember?", session=first.session_id)
    second = next(line for line in listed.answer.splitlines() if line.startswith("2. "))
    gone = recallyst.ask(ORDERS, "Forget number 2", session=first.session_id)
    assert gone.answer.split("Forgotten: ")[1][:40] in second
    assert len(gone.memory["forgotten"]) == 1
    unknown = recallyst.ask(ORDERS, "Forget number 99", session=first.session_id)
    assert unknown.answer.startswith("I do not know which memory you mean.")
    assert unknown.memory["forgotten"] == []


def test_what_is_wrong_is_closed_and_what_is_right_is_noted(asker: Callable[..., Recallyst]) -> None:
    recallyst = asker()
    first = recallyst.ask(ORDERS, QUESTION)
    target = next(f for f in first.findings if f.memory_id)
    corrected = recallyst.ask(ORDERS, "That is wrong: revenue is net of refunds.", session=first.session_id)
    assert "I no longer hold this for true:" in corrected.answer
    assert corrected.memory["resolved"] == [target.memory_id]
    memory, owner = recallyst.services.memory, recallyst.services.principal
    assert memory.get(owner, target.memory_id or "").status == "resolved"
    (noted,) = [memory.get(owner, i) for i in corrected.memory["stored"]]
    assert (noted.memory_type, noted.summary) == ("domain_pattern", "Revenue is net of refunds.")
    assert noted.data_source == "shop_orders"


def test_what_a_person_put_in_other_words_is_not_confirmed_by_the_old_test(asker: Callable[..., Recallyst]) -> None:
    recallyst = asker()
    memory, owner = recallyst.services.memory, recallyst.services.principal
    for finding in recallyst.ask(ORDERS, QUESTION).findings:
        if finding.memory_id:
            memory.correct(owner, finding.memory_id, summary="No region stands out once returns are counted.")
    again = asker(now=NOW + timedelta(days=1)).ask(ORDERS, QUESTION, mode="revalidate")
    assert again.verdict is None
    assert again.mode == "fresh"


def test_what_is_right_is_noted_also_where_nothing_was_shown(asker: Callable[..., Recallyst]) -> None:
    recallyst = asker()
    turn = recallyst.ask(ORDERS, "That is wrong: revenue is net of refunds.")
    assert (
        turn.answer == "None of what I said last is taken back by this. Noted all the same: revenue is net of refunds"
    )
    assert turn.memory["resolved"] == []
    assert len(turn.memory["stored"]) == 1


TEAMS = "team,shift,score\n" + "".join(f"{'AB'[i % 2]},{('day', 'night')[i // 2 % 2]},{i % 7}\n" for i in range(80))


@pytest.fixture
def teams(tmp_path: Path) -> Path:
    file = tmp_path / "teams.csv"
    file.write_text(TEAMS)
    return file


def test_all_that_is_known_about_a_column_is_forgotten(asker: Callable[..., Recallyst], teams: Path) -> None:
    recallyst = asker()
    first = recallyst.ask(teams, "average score by team? average score by shift?")
    on_shift = {f.memory_id for f in first.findings if f.memory_id and "shift" in f"{f.statement} {f.claim}"}
    on_team = {f.memory_id for f in first.findings if f.memory_id} - on_shift
    assert on_shift
    assert on_team
    gone = recallyst.ask(teams, "Forget everything you know about the shift", session=first.session_id)
    assert (gone.plan, gone.memory["stored"]) == ([], [])
    assert set(gone.memory["forgotten"]) >= on_shift
    assert not set(gone.memory["forgotten"]) & on_team
    assert gone.answer.startswith("Forgotten")
    left = recallyst.services.memory.list(recallyst.services.principal, dataset="teams")
    assert not [u for u in left if "shift" in u.summary]
    assert {u.memory_id for u in left} >= on_team
    again = recallyst.ask(teams, "delete what you know about the shift", session=first.session_id)
    assert again.answer == "I remember nothing about the shift of teams, so there is nothing to forget."


@pytest.mark.parametrize(
    "words", ["Wipe this dataset from your memory", "forget all of it", "forget everything on teams"]
)
def test_a_whole_dataset_is_forgotten(asker: Callable[..., Recallyst], teams: Path, words: str) -> None:
    recallyst = asker()
    first = recallyst.ask(teams, "average score by team? average score by shift?")
    known = recallyst.services.memory.list(recallyst.services.principal, dataset="teams")
    gone = recallyst.ask(teams, words, session=first.session_id)
    assert len(gone.memory["forgotten"]) == len(known) > 1
    assert recallyst.services.memory.list(recallyst.services.principal, dataset="teams") == []
    assert all(u.summary.rstrip(".") in gone.answer for u in known)


def test_what_an_answer_said_in_two_findings_is_forgotten_whole(asker: Callable[..., Recallyst], teams: Path) -> None:
    recallyst = asker()
    first = recallyst.ask(teams, "average score? total score?")
    said = [f.memory_id for f in first.findings if f.statement.rstrip(".") in first.answer]
    assert len(said) == 2
    gone = recallyst.ask(teams, "forget that", session=first.session_id)
    assert gone.memory["forgotten"] == said
    assert gone.answer.startswith("Forgotten, 2 findings:")
    right = recallyst.ask(teams, "That is wrong: score is net of bonus", session=first.session_id)
    assert right.answer == "None of what I said last is taken back by this. Noted all the same: score is net of bonus"
    assert len(right.memory["stored"]) == 1


def test_a_correction_goes_to_what_was_said_about_its_column(asker: Callable[..., Recallyst], teams: Path) -> None:
    recallyst = asker()
    first = recallyst.ask(teams, "average score? number of rows by shift?")
    on_score = [
        f.memory_id for f in first.findings if f.statement.rstrip(".") in first.answer and "score" in f.statement
    ]
    assert len(on_score) == 1
    closed = recallyst.ask(teams, "that is wrong: score is net of bonus", session=first.session_id)
    assert closed.memory["resolved"] == on_score


def test_of_a_list_nothing_is_that(asker: Callable[..., Recallyst], teams: Path) -> None:
    recallyst = asker()
    first = recallyst.ask(teams, "average score by team? average score by shift?")
    recallyst.ask(teams, "What do you remember?", session=first.session_id)
    asked = recallyst.ask(teams, "forget that", session=first.session_id)
    assert asked.answer.startswith("I do not know which memory you mean.")
    assert asked.memory["forgotten"] == []


def test_another_mode_named_in_the_talk_asks_the_last_question_again(asker: Callable[..., Recallyst]) -> None:
    asker().ask(ORDERS, QUESTION)
    later = asker(now=NOW + timedelta(days=7))
    first = later.ask(ORDERS, QUESTION, mode="extend")
    tested = later.ask(ORDERS, "please test it again", session=first.session_id)
    assert (tested.mode, tested.mode_source, tested.question) == ("revalidate", "user", QUESTION)
    assert tested.verdict is not None
    assert tested.verdict["verdict"] == "holds"
    assert later.ask(ORDERS, "2", session=first.session_id).question == "2"


def test_a_claim_of_which_nothing_is_known_is_not_tested_on_another(asker: Callable[..., Recallyst]) -> None:
    asker().ask(ORDERS, QUESTION)
    asked = asker(now=NOW + timedelta(days=7)).ask(
        ORDERS, "Is ship_days still unrelated to discount?", mode="revalidate"
    )
    assert (asked.mode, asked.verdict) == ("fresh", None)
    assert "No prior finding is about ship_days and discount" in asked.warnings[-1]
    assert asked.status == "done"
