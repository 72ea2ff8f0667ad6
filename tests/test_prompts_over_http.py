"""ChatOpenAI over real HTTP: what servers do wrong, what is retried, what is streamed, and recordings that replay."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks.recording_proxy import RecordingProxy, proxy
from prompts import Block, Meter, ModelSettings, ModelTrouble, Prompt, Rejected, ask, open_model
from prompts.modes import INSTRUCTIONS, ModeReply
from scripted_server import GOOD, Server

PROMPT = Prompt("mode", INSTRUCTIONS, (Block("Question", ['"And by region?"']),))


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("prompts.asking._FIRST_PAUSE_S", 0.01)


@pytest.fixture
def servers() -> Iterator[list[Server]]:
    """Servers that are shut down afterwards."""
    started: list[Server] = []
    yield started
    for server in started:
        server.shutdown()
        server.server_close()


def asked(server: Server | RecordingProxy, **changes: Any) -> tuple[ModeReply | ModelTrouble, Meter]:
    """Ask a server once through ChatOpenAI."""
    settings = replace(ModelSettings(name="m", base_url=server.url, timeout_s=5.0, retries=0), **changes)
    chat, meter = open_model(settings), Meter(settings)
    assert chat is not None
    try:
        return ask(chat, PROMPT, ModeReply, meter=meter), meter
    except ModelTrouble as trouble:
        return trouble, meter


def test_the_schema_goes_with_the_request_and_the_usage_is_counted(servers: list[Server]) -> None:
    servers.append(Server(GOOD))
    reply, meter = asked(servers[0], price_in_usd=1.0, price_out_usd=10.0)
    assert isinstance(reply, ModeReply)
    form = servers[0].requests[0]["response_format"]["json_schema"]
    assert form["strict"] is True
    assert form["schema"]["additionalProperties"] is False
    assert set(form["schema"]["required"]) == {"mode", "confidence"}
    assert (meter.usage["input_tokens"], meter.usage["output_tokens"]) == (300, 12)
    assert meter.usage["cost_usd"] == pytest.approx(0.00042)


@pytest.mark.parametrize(
    ("script", "kind", "calls"),
    [
        ([429, 429, 429], "rate", 3),
        ([500, 500, 500], "server", 3),
        ([401], "access", 1),
        ([404], "access", 1),
        ([400, 400], "request", 2),
        ([0.6], "timeout", 1),
        (["I think extend", "still no JSON"], "json", 2),
        (['{"mode": "merge", "confidence": 1}'] * 2, "schema", 2),
        (["", ""], "empty", 2),
        ([{"refusal": "I cannot"}], "refusal", 1),
        ([{"finish_reason": "length", "content": '{"mode"'}] * 2, "truncated", 2),
        ([{"finish_reason": "content_filter"}], "refusal", 1),
    ],
)
def test_what_servers_do_wrong_is_named(servers: list[Server], script: list[Any], kind: str, calls: int) -> None:
    servers.append(Server(*[dict(s) if isinstance(s, dict) else s for s in script]))
    trouble, meter = asked(servers[0], retries=2, timeout_s=0.4 if kind == "timeout" else 5.0)
    assert isinstance(trouble, ModelTrouble)
    assert trouble.kind == kind
    assert meter.usage["calls"] == len(servers[0].requests) == calls


def test_a_tool_call_is_no_answer(servers: list[Server]) -> None:
    call = {"id": "1", "type": "function", "function": {"name": "run", "arguments": "{}"}}
    servers.append(Server({"tool_calls": [call]}, GOOD))
    reply, meter = asked(servers[0])
    assert isinstance(reply, ModeReply)
    assert "there are none" in json.dumps(servers[0].requests[1]["messages"])
    assert meter.usage["calls"] == 2


def test_a_server_that_recovers_answers(servers: list[Server]) -> None:
    servers.append(Server(500, 429, GOOD))
    reply, meter = asked(servers[0], retries=2)
    assert isinstance(reply, ModeReply)
    assert meter.usage["calls"] == 3


def test_an_endpoint_that_takes_no_schema_is_told_it_in_words(servers: list[Server]) -> None:
    servers.append(Server(400, f"```json\n{GOOD}\n```"))
    reply, _ = asked(servers[0])
    assert isinstance(reply, ModeReply)
    assert "response_format" not in servers[0].requests[1]
    assert "JSON Schema" in servers[0].requests[1]["messages"][0]["content"]


def test_what_the_check_rejects_is_asked_for_once_more(servers: list[Server]) -> None:
    servers.append(Server(GOOD, '{"mode": "fresh", "confidence": 0.7}'))
    settings = ModelSettings(name="m", base_url=servers[0].url, retries=0)
    chat = open_model(settings)
    assert chat is not None

    def only_fresh(reply: ModeReply) -> None:
        if reply.mode != "fresh":
            raise Rejected("the mode must be fresh")

    reply = ask(chat, PROMPT, ModeReply, meter=Meter(settings), check=only_fresh)
    assert reply.mode == "fresh"
    assert "the mode must be fresh" in servers[0].requests[1]["messages"][-1]["content"]


def test_a_reply_streams_and_is_counted_all_the_same(servers: list[Server]) -> None:
    servers.append(Server(GOOD))
    settings = ModelSettings(name="m", base_url=servers[0].url, retries=0)
    chat, meter, heard = open_model(settings), Meter(settings), list[str]()
    assert chat is not None
    assert ask(chat, PROMPT, ModeReply, meter=meter, on_text=heard.append).mode == "extend"
    assert len(heard) > 3
    assert heard[-1] == GOOD
    assert meter.usage["input_tokens"] == 300


def test_nobody_listens_there() -> None:
    settings = ModelSettings(name="m", base_url="http://127.0.0.1:9/v1", retries=0, timeout_s=5.0)
    chat = open_model(settings)
    assert chat is not None
    with pytest.raises(ModelTrouble, match="cannot be reached"):
        ask(chat, PROMPT, ModeReply, meter=Meter(settings))


def test_a_recording_replays_without_the_model_it_came_from(servers: list[Server], tmp_path: Path) -> None:
    servers.append(Server(GOOD))
    with proxy(tmp_path, servers[0].url) as recorder:
        first, _ = asked(recorder)
        again, _ = asked(recorder)
    assert len(servers[0].requests) == 1
    with proxy(tmp_path) as replayer:
        replayed, meter = asked(replayer)
        unknown, _ = asked(replayer, name="another")
    assert first == again == replayed
    assert meter.usage["input_tokens"] == 300
    assert isinstance(unknown, ModelTrouble)
    kept = list(tmp_path.glob("*.json"))
    assert len(kept) == 1
    assert "none" not in json.loads(kept[0].read_text())["request"].get("authorization", "")
    assert "Bearer" not in kept[0].read_text()
