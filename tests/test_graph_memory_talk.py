"""In a session: what do you remember, forget that, that is wrong."""

from collections.abc import Callable
from datetime import timedelta

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


def test_what_is_right_is_noted_also_where_nothing_was_shown(asker: Callable[..., Recallyst]) -> None:
    recallyst = asker()
    turn = recallyst.ask(ORDERS, "That is wrong: revenue is net of refunds.")
    assert turn.answer.startswith("I do not know which memory you mean.")
    assert turn.answer.endswith("Noted all the same: revenue is net of refunds")
    assert turn.memory["resolved"] == []
    assert len(turn.memory["stored"]) == 1
