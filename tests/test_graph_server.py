"""The graph behind a real LangGraph server, driven by the real client through the gate and back."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from langgraph_sdk import get_sync_client
from langgraph_sdk.client import SyncLangGraphClient

from conftest import NOW
from datasets.samples import sample_path
from graph.settings import Settings
from recallyst import Recallyst
from web_server import as_development, serving


@pytest.fixture
def server(settings: Settings, tmp_path: Path) -> Iterator[SyncLangGraphClient]:
    """Serve the project's own langgraph.json on a free port of loopback."""
    later = (NOW + timedelta(days=7)).isoformat()
    env = {**as_development(settings.user, settings.org), "RECALLYST_NOW": later}
    with serving(settings.home, tmp_path / "server.log", env) as address, get_sync_client(url=address) as client:
        yield client


def _stream(client: SyncLangGraphClient, thread: str, **given: Any) -> list[tuple[str, Any]]:
    parts = client.runs.stream(thread, "recallyst", stream_mode=["updates", "custom"], **given)
    return [(part.event, part.data) for part in parts]


def _interrupts(events: list[tuple[str, Any]]) -> list[Any]:
    return [data["__interrupt__"][0]["value"] for event, data in events if "__interrupt__" in (data or {})]


def _values(client: SyncLangGraphClient, thread: str) -> dict[str, Any]:
    values = client.threads.get_state(thread)["values"]
    return values if isinstance(values, dict) else {}


@pytest.mark.server
def test_a_session_goes_through_gate_and_resume_on_the_server(server: SyncLangGraphClient, settings: Settings) -> None:
    with Recallyst(settings) as local:
        local.services.catalogue.add(sample_path("shop_orders"), key="orders")
        first = local.ask("orders", "How is revenue developing?")
        assert len(first.document.findings) >= 3

    thread = server.threads.create()["thread_id"]
    question = {"messages": [{"role": "user", "content": "Does the revenue trend still hold?"}], "dataset": "orders"}
    events = _stream(server, thread, input=question)
    assert {"phase": "recall"} in [data for event, data in events if event == "custom"]
    (payload,) = _interrupts(events)
    assert len(payload["prior_findings"]) >= 3
    assert [o["mode"] for o in payload["options"]] == ["fresh", "extend", "revalidate", "re-run"]

    (again,) = _interrupts(_stream(server, thread, command={"resume": "banana"}))
    assert "'banana' is not a mode" in again["note"]
    assert again["prior_findings"] == payload["prior_findings"]

    (asked_again,) = _interrupts(_stream(server, thread, input={"messages": [{"role": "user", "content": "hello?"}]}))
    assert asked_again["question"] == "Does the revenue trend still hold?"

    done = _stream(server, thread, command={"resume": {"mode": "revalidate"}})
    assert not _interrupts(done)
    ran = [name for event, data in done if event == "updates" for name in data]
    assert "understand" not in ran
    assert "recall" not in ran
    state = _values(server, thread)
    assert state["verdict"]["verdict"] in {"holds", "weakened", "reversed", "gone", "cannot_tell"}
    assert state["usage"]["steps"] == 1
    report = [m for m in state["messages"] if m["type"] == "ai"][-1]
    assert state["answer"] in report["content"]

    _stream(server, thread, command={"resume": {"mode": "fresh"}})
    assert _values(server, thread) == state


@pytest.mark.server
def test_the_server_opens_no_path(server: SyncLangGraphClient, tmp_path: Path) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text("a,b\n1,2\n")
    thread = server.threads.create()["thread_id"]
    events = _stream(server, thread, input={"question": "What stands out?", "dataset": str(secret)})
    assert [event for event, _ in events if event == "error"]
    assert "findings" not in _values(server, thread)
