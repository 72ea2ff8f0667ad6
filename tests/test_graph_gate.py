"""The gate under odd answers, repeated answers, choices between findings and past choices."""

import threading
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from langgraph.types import Command

from conftest import NOW
from datasets.samples import sample_path
from graph.modes import parse_finding, parse_mode
from graph.settings import Settings
from memory_worlds import copy_home
from recallyst import Recallyst, UserError

ORDERS = sample_path("shop_orders")
QUESTION = "Which region has the highest revenue?"
LATER = NOW + timedelta(days=7)


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home in which Ana has asked once."""
    home = tmp_path_factory.mktemp("lived")
    with Recallyst(Settings(home=home, user="ana", org="acme", now=NOW)) as recallyst:
        recallyst.ask(ORDERS, QUESTION)
    return home


@pytest.fixture
def ana(lived: Path, settings: Settings, asker: Callable[..., Recallyst]) -> Recallyst:
    """Ana a week later."""
    copy_home(lived, settings.home)
    return asker(now=LATER)


def _events(recallyst: Recallyst) -> int:
    return len(recallyst.services.memory.events(recallyst.services.principal))


def test_odd_answers_are_refused_one_after_the_other_and_nothing_runs_twice(ana: Recallyst) -> None:
    turn = ana.ask(ORDERS, QUESTION)
    config: Any = {"configurable": {"thread_id": turn.session_id}}
    before = _events(ana)
    for answer in (0, "", "banana", {}, [], {"mode": None}, "x" * 10_000, True, [{"type": "accept"}]):
        state = ana.graph.invoke(Command(resume=answer), config)
        (asked,) = state["__interrupt__"]
        assert asked.value["note"].endswith("answer with one of fresh, extend, revalidate or re-run.")
        assert len(asked.value["note"]) < 160
        assert asked.value["question"] == QUESTION
    assert _events(ana) == before
    with pytest.raises(Exception, match=r"(?i)input|resume"):
        ana.graph.invoke(Command(resume=None), config)
    done = ana.graph.invoke(Command(resume={"mode": "re-run"}), config)
    assert (done["chosen_mode"], done["mode_source"], done["usage"]["steps"] > 0) == ("re-run", "gate", True)


def test_resuming_an_unknown_session_is_refused(ana: Recallyst) -> None:
    with pytest.raises(UserError, match="There is no session 'nowhere' here"):
        ana.resume("nowhere", mode="fresh")


def test_two_clicks_at_once_run_once(ana: Recallyst) -> None:
    turn = ana.ask(ORDERS, QUESTION)
    answers: list[object] = []

    def click(mode: str) -> None:
        try:
            answers.append(ana.resume(turn.session_id, mode=mode).document)
        except UserError as error:
            answers.append(error)

    clicks = [threading.Thread(target=click, args=(mode,)) for mode in ("re-run", "revalidate")]
    for thread in clicks:
        thread.start()
    for thread in clicks:
        thread.join()
    decided = [e for e in ana.services.memory.events(ana.services.principal) if e.kind == "decided"]
    assert len(decided) == 2  # the first session's, and one for both clicks
    documents = [a for a in answers if not isinstance(a, UserError)]
    assert documents
    assert all(d == documents[0] for d in documents)


def test_changing_ones_mind_after_a_chosen_mode_is_a_new_turn(ana: Recallyst) -> None:
    first = ana.ask(ORDERS, QUESTION, mode="re-run")
    again = ana.resume(first.session_id, mode="revalidate")
    assert (again.mode, again.question, again.usage["steps"]) == ("revalidate", QUESTION, 1)


def test_the_options_carry_costs_from_recorded_timings(ana: Recallyst) -> None:
    gate = ana.ask(ORDERS, QUESTION).gate
    assert gate is not None
    cost = {o["mode"]: o["cost"] for o in gate.options}
    assert cost["revalidate"]["steps"] == 1
    assert all(c["seconds"] > 0 for c in cost.values())
    assert cost["revalidate"]["seconds"] <= cost["fresh"]["seconds"]
    assert all(c["model_calls"] == 0 for c in cost.values())


def test_a_finding_is_chosen_where_the_question_fits_two(asker: Callable[..., Recallyst], tmp_path: Path) -> None:
    file = tmp_path / "twins.csv"
    rows = [f"{'ABCD'[i % 4]},{(i * 7919) % 97},{(i * 7919) % 97}\n" for i in range(400)]
    file.write_text("team,left_score,right_score\n" + "".join(rows))
    asker().ask(file, "average left_score? average right_score? total left_score? total right_score?")
    turn = asker(now=LATER).ask(file, "Do the averages of left_score and right_score still hold?")
    assert turn.status == "waiting"
    assert turn.gate is not None
    (option,) = [o for o in turn.gate.options if o["mode"] == "revalidate"]
    assert len(option["choices"]) == 2
    done = turn.choose("revalidate 2")
    assert done.verdict is not None
    assert done.verdict["memory_id"] == option["choices"][1]["memory_id"]
    assert not [w for w in done.warnings if "fit the question equally" in w]


CHOICES = [{"memory_id": "m-1"}, {"memory_id": "m-2"}]


@pytest.mark.parametrize(
    ("answer", "named"),
    [
        ({"mode": "revalidate", "finding": 2}, "m-2"),
        ({"mode": "revalidate", "finding": "m-1"}, "m-1"),
        ({"mode": "revalidate", "finding": 3}, None),
        ({"mode": "revalidate", "finding": True}, None),
        ({"mode": "revalidate"}, None),
        ("revalidate 2", "m-2"),
        ("revalidate", None),
        ([{"type": "response", "args": "revalidate 1"}], "m-1"),
        (7, None),
    ],
)
def test_a_finding_is_named_by_its_place_or_its_id(answer: object, named: str | None) -> None:
    assert parse_finding(answer, CHOICES) == named


@pytest.mark.parametrize(
    ("answer", "mode"),
    [
        ("please start fresh", "fresh"),
        ("Ok, extend.", "extend"),
        ("revalidate 2", "revalidate"),
        ("just re-run it", "re-run"),
        ("extend please", "extend"),
        ("don't revalidate, start fresh", "fresh"),
        ("No need to re-run it. Go deeper!", "extend"),
        ("test it again", "revalidate"),
        ("ok let's check whether it still holds", "revalidate"),
        ("do it again, thanks", "re-run"),
        ("from scratch", "fresh"),
        ("2", "extend"),
        (3, "revalidate"),
        ("option 4", "re-run"),
        ("ok do the second one", "extend"),
        ("the first", "fresh"),
        ("yes", "revalidate"),
        ("Yes please, go ahead.", "revalidate"),
        ("yes, but extend", "extend"),
        ("I'd like to start over, please", "fresh"),
    ],
)
def test_a_plain_answer_is_taken(answer: object, mode: str) -> None:
    assert parse_mode(answer, suggested="revalidate") == mode


@pytest.mark.parametrize(
    "said",
    [
        "what about heating?",
        "what is the difference between extend and re-run?",
        "don't revalidate",
        "extend and re-run",
        "Which of the two tests is the first?",
        "test it on women only",
        "go deeper on the wait times",
        "is it still true?",
        "no",
        "5",
        "hm",
    ],
)
def test_what_is_no_answer_is_not_taken_for_one(said: str) -> None:
    assert parse_mode(said, suggested="revalidate") is None


def test_nobody_agrees_where_nothing_was_suggested() -> None:
    assert parse_mode("yes") is None


def test_a_plain_answer_in_the_talk_settles_the_gate(ana: Recallyst) -> None:
    turn = ana.ask(ORDERS, "Does North still have the highest revenue?")
    asked = ana.ask(ORDERS, "hm, what do you think?", session=turn.session_id)
    assert asked.status == "waiting"
    assert asked.gate is not None
    assert (asked.gate.note or "").startswith("'hm, what do you think?' is not a mode")
    done = ana.ask(ORDERS, "yes, go ahead", session=turn.session_id)
    assert (done.mode, done.mode_source, done.question) == ("revalidate", "gate", turn.question)


def test_what_was_chosen_before_moves_the_suggestion(ana: Recallyst) -> None:
    question = "Does North still have the highest revenue?"
    first = ana.ask(ORDERS, question)
    assert first.gate is not None
    assert first.gate.suggested is not None
    assert first.gate.suggested["mode"] == "revalidate"
    memory, owner = ana.services.memory, ana.services.principal
    for n in range(40):
        detail = {"mode": "re-run", "mode_source": "gate", "suggested": "revalidate"}
        memory.audit(owner, "decided", detail, run_id=f"run-{n}", session_id=f"session-{n}")
    later = ana.ask(ORDERS, question)
    assert later.gate is not None
    assert later.gate.suggested is not None
    assert later.gate.suggested["mode"] == "re-run"
    assert later.gate.suggested["reason"].startswith("Where I suggested revalidate, you chose re-run in ")


def test_an_extension_never_repeats_itself_and_says_when_all_is_explored(
    asker: Callable[..., Recallyst], tmp_path: Path
) -> None:
    file = tmp_path / "small.csv"
    file.write_text("team,score\n" + "".join(f"{'AB'[i % 2]},{i % 7}\n" for i in range(60)))
    recallyst = asker()
    first = recallyst.ask(file, "What stands out?")
    ran = {s["signature"] for s in first.plan}
    for _ in range(4):
        more = recallyst.ask(file, "What stands out?", session=first.session_id, mode="extend")
        assert not ran & {s["signature"] for s in more.plan}
        ran |= {s["signature"] for s in more.plan}
        if not more.plan:
            assert more.answer.startswith("Everything that this question leads to was explored before")
            return
    pytest.fail("four extensions of two columns never came to an end")


def test_the_own_battery_of_a_session_can_be_run_again(asker: Callable[..., Recallyst]) -> None:
    recallyst = asker()
    first = recallyst.ask(ORDERS, QUESTION)
    again = recallyst.ask(ORDERS, "Run that again.", session=first.session_id, mode="re-run")
    assert again.mode == "re-run"
    assert [s["signature"] for s in again.plan] == [s["signature"] for s in first.plan]
    assert {row["verdict"] for row in again.comparison} == {"holds"}
