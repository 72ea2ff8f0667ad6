"""The graph is what the design draws, its state is plain, and modes are read from whatever a chat sends."""

import ast
import base64
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import TypeAdapter

import graph.state
from datasets.samples import sample_path
from graph.modes import parse_mode, refusal
from graph.state import Context, Input, State, fresh_keys
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


def test_the_form_of_studio_explains_itself(asker: Callable[..., Recallyst]) -> None:
    served = asker().graph
    form = served.get_input_jsonschema()["properties"]
    for name in ("question", "dataset", "mode"):
        assert form[name]["title"]
        assert form[name]["description"]
    assert set(form["mode"]["enum"]) == {"", "fresh", "extend", "revalidate", "re-run", "auto"}
    settings = served.get_context_jsonschema()
    assert settings is not None
    assert all(field["description"] for field in settings["properties"].values())


def test_every_field_of_the_state_is_explained() -> None:
    source = ast.parse(Path(graph.state.__file__).read_text(encoding="utf-8"))
    state = next(n for n in source.body if isinstance(n, ast.ClassDef) and n.name == "State")
    for field, after in zip(state.body, [*state.body[1:], None], strict=True):
        if isinstance(field, ast.AnnAssign):
            explained = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
            assert explained or ast.unparse(field.target) == "messages", ast.unparse(field)


def test_a_report_carries_charts_as_pictures_where_they_are_wanted(asker: Callable[..., Recallyst]) -> None:
    """As Studio asks: the setting is part of the run's context."""
    given: Input = {"question": "Total revenue by region", "dataset": str(sample_path("shop_orders"))}
    state = asker().graph.invoke(
        given, {"configurable": {"thread_id": "pictures"}}, context=Context(charts_in_messages=1)
    )
    words, picture = state["messages"][-1].content
    assert state["answer"] in words["text"]
    data = base64.b64decode(picture["image_url"]["url"].removeprefix("data:image/png;base64,"))
    assert data.startswith(b"\x89PNG")
    assert state["messages"][-1].text == words["text"]


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
