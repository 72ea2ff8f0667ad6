"""The rolling summary of a session: within its budget, newest last, and nothing durable goes before it is kept."""

from collections.abc import Callable
from pathlib import Path

import pytest
from langchain_core.messages.utils import count_tokens_approximately

from datasets.samples import sample_path
from graph import rolling
from graph.rolling import LEFT_TOKENS, THRESHOLD_TOKENS, rolled
from recallyst import Recallyst


def test_lines_are_added_until_the_threshold_and_the_oldest_go_then() -> None:
    summary, refreshed = "", 0
    for turn in range(60):
        before = summary
        summary = rolled(
            summary, f"Asked: how is measure {turn} doing? Found: it went up by {turn} percent in the north."
        )
        assert count_tokens_approximately([summary]) <= THRESHOLD_TOKENS
        assert summary.splitlines()[-1].startswith(f"Asked: how is measure {turn} ")
        refreshed += not summary.startswith(before)
        told = [line for line in summary.splitlines() if line.startswith("Asked:")]
        gone = int(summary.split()[2]) if summary.startswith("(Before that") else 0
        assert len(told) + gone == turn + 1
    assert 2 <= refreshed <= 12  # in steps, not at every turn
    assert count_tokens_approximately([rolled(summary, "x" * 8000)]) > LEFT_TOKENS  # the running turn never goes


def test_what_leaves_the_summary_is_in_memory(
    asker: Callable[..., Recallyst], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(rolling, "THRESHOLD_TOKENS", 60)
    monkeypatch.setattr(rolling, "LEFT_TOKENS", 40)
    ana, orders = asker(), sample_path("shop_orders")
    first = ana.ask(orders, "Total revenue by region", mode="fresh")
    statement = first.findings[0].statement
    for question in ("Total units by channel", "Average discount by region"):
        ana.ask(orders, question, mode="fresh", session=first.session_id)
    summary = ana.graph.get_state({"configurable": {"thread_id": first.session_id}}).values["summary"]
    assert "kept in memory" in summary
    assert statement not in summary
    kept = {unit.summary for unit in ana.services.memory.list(ana.services.principal, memory_type="finding")}
    assert statement in kept
