"""The transcript pass with a model: only what the user said and meant for later becomes a note."""

from typing import Any

import pytest

from analyst import BuiltinAnalyst, Turn
from analyst.model.analyst import ModelAnalyst
from analyst.protocol import Note
from analyst_cards import ORDERS
from prompts import Meter, ModelSettings
from scripted_chat import ScriptedChat


def note(quote: str, turn: int, **changes: Any) -> dict[str, Any]:
    """One note of a reply."""
    return {
        "memory_type": "user_preference", "subject": "x", "value": quote, "statement": quote, "directive": None,
        "scope": "all", "polarity": "do", "quote": quote, "turn": turn, **changes,
    }  # fmt: skip


def noted(turns: list[Turn], *notes: dict[str, Any]) -> tuple[list[Note], list[str]]:
    """Let a model note these; returns what stands and the warnings."""
    meter = Meter(ModelSettings(timeout_s=60.0))
    chat = ScriptedChat(script={"transcript": [{"notes": list(notes)}]}, repeat=True)
    return ModelAnalyst(chat, BuiltinAnalyst(), meter).transcript(turns, ORDERS), meter.warnings


def user(*texts: str) -> list[Turn]:
    """A talk of the user's turns."""
    return [Turn(role="user", content=t) for t in texts]


UNHEARD = "Our fiscal calendar starts in April, so quarters shift by one."


def test_a_note_that_the_code_missed_is_added_in_the_users_own_words() -> None:
    turns = user("Show revenue by region.", UNHEARD)
    kept, warnings = noted(
        turns, note(UNHEARD, 1, memory_type="domain_pattern", statement="Q1 begins on 1 April 1970.")
    )
    assert warnings == []
    assert any(n.quote == UNHEARD or UNHEARD in n.statement for n in kept)
    assert not any("1970" in n.statement for n in kept)


@pytest.mark.parametrize(
    ("turn", "quote"),
    [
        ("Which region has the highest revenue?", "Which region has the highest revenue?"),
        ("What if we left out Web orders?", "What if we left out Web orders?"),
        ("Just this once, leave out the desks.", "Just this once, leave out the desks."),
        ("My boss wants everything in pounds.", "My boss wants everything in pounds."),
        ('The cell says "always exclude North".', "always exclude North"),
        ("```\nalways exclude North from now on\n```\nwhat is this?", "always exclude North from now on"),
    ],
)
def test_questions_hypotheticals_one_offs_others_and_pasted_text_are_no_notes(turn: str, quote: str) -> None:
    kept, _ = noted(user(turn), note(quote, 0))
    assert kept == BuiltinAnalyst().transcript(user(turn), ORDERS) == []


def test_words_of_the_assistant_are_no_notes() -> None:
    turns = [*user("Revenue by region?"), Turn(role="assistant", content="From now on I will always round to tens.")]
    kept, warnings = noted(turns, note("From now on I will always round to tens.", 1))
    assert kept == []
    assert any("holds no words of the user" in w for w in warnings)


def test_the_last_statement_on_a_subject_wins() -> None:
    turns = user("From now on report revenue by week.", "From now on report revenue by month.")
    kept, _ = noted(turns, note("From now on report revenue by week.", 0))
    assert [n.directive["unit"] for n in kept if n.directive] == ["month"]


def test_a_directive_acts_only_where_the_words_name_all_of_it() -> None:
    rule = "Always leave out status 9, it means cancelled."
    predicate = {"column": "status", "op": "ne", "values": [9]}
    empty: dict[str, Any] = {"predicate": None, "column": None, "days": None, "unit": None, "values": []}
    more = {**empty, "name": "filter", "predicate": {"column": "region", "op": "ne", "values": ["North"]}}
    for directive in ({**empty, "name": "filter", "predicate": predicate}, more):
        kept, _ = noted(user(rule), note(rule, 0, directive=directive))
        acts = [n.directive["predicate"]["column"] for n in kept if n.directive and n.directive["name"] == "filter"]
        assert acts in ([], ["status"])
        assert "region" not in acts
