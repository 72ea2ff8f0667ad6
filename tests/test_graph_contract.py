"""The graph is what the design draws, its state is plain, and modes are read from whatever a chat sends."""

import json
from collections.abc import Callable

import pytest
from pydantic import TypeAdapter

from graph.modes import parse_mode, refusal
from graph.state import Input, State, fresh_keys
from recallyst import Recallyst

PHASES = ["understand", "recall", "gate", "plan", "battery", "report", "consolidate", "transcript"]


def test_nodes_and_edges_are_drawn_in_one_row(asker: Callable[..., Recallyst]) -> None:
    drawn = asker().graph.get_graph()
    assert list(drawn.nodes) == ["__start__", *PHASES, "__end__"]
    row = zip(["__start__", *PHASES], [*PHASES, "__end__"], strict=True)
    assert {(e.source, e.target) for e in drawn.edges} == set(row)
    assert not any(e.conditional for e in drawn.edges)


def test_input_schema_offers_question_dataset_mode_and_messages(asker: Callable[..., Recallyst]) -> None:
    schema = asker().graph.get_input_jsonschema()
    assert set(schema["properties"]) == {"question", "dataset", "mode", "messages"}
    assert schema["properties"]["question"]["description"]


def test_every_reset_key_is_a_state_key_and_plain_json() -> None:
    assert set(fresh_keys()) <= set(State.__annotations__)
    assert json.loads(json.dumps(fresh_keys())) == fresh_keys()


def test_state_has_a_json_schema() -> None:
    assert TypeAdapter(Input).json_schema()["type"] == "object"


@pytest.mark.parametrize(
    ("answer", "mode"),
    [
        ("fresh", "fresh"),
        ("Re-Run", "re-run"),
        ("rerun", "re-run"),
        ("re run", "re-run"),
        ({"mode": "extend"}, "extend"),
        ([{"type": "response", "args": "revalidate"}], "revalidate"),
        ([{"type": "edit", "args": {"mode": "fresh"}}], "fresh"),
    ],
)
def test_modes_are_read_from_every_form_of_answer(answer: object, mode: str) -> None:
    assert parse_mode(answer) == mode


@pytest.mark.parametrize(
    "answer", [0, "", "banana", None, {}, [], "x" * 10_000, {"mode": 3}, [{"type": "accept"}], True]
)
def test_anything_else_is_refused_with_a_short_sentence(answer: object) -> None:
    assert parse_mode(answer) is None
    assert len(refusal(answer)) < 160
    assert "fresh, extend, revalidate or re-run" in refusal(answer)
