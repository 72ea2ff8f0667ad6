"""Rules of a person that meet: the last word stands, and what is taken back no longer acts and keeps its history."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from conftest import NOW
from datasets.samples import sample_path
from memory import MemoryUnit
from recallyst import Recallyst

ORDERS = sample_path("shop_orders")
ASKED = "total revenue by region?"


def rules(recallyst: Recallyst) -> list[MemoryUnit]:
    """The preferences in force."""
    return recallyst.services.memory.list(recallyst.services.principal, memory_type="user_preference")


def acting(recallyst: Recallyst, question: str, name: str) -> tuple[str, list[object]]:
    """The answer to a question and the directives of one name that acted on it."""
    document = recallyst.ask(ORDERS, question, mode="fresh")
    return document.answer, [a["directive"] for a in document.applied if a["directive"]["name"] == name]


@pytest.mark.parametrize("words", ["Forget the exclusion of region North.", "Never mind the exclusion."])
def test_a_rule_taken_back_is_closed_told_and_no_longer_acts(asker: Callable[..., Recallyst], words: str) -> None:
    asker().ask(ORDERS, f"Always exclude region North. {ASKED}")
    later = asker(now=NOW + timedelta(days=3))
    (unit,) = rules(later)
    answer, filters = acting(later, ASKED, "filter")
    assert answer.startswith("West has the highest total revenue")
    assert len(filters) == 1
    told = later.ask(ORDERS, words)
    assert told.answer.startswith("No longer in force:")
    assert unit.memory_id in told.memory["resolved"]
    answer, filters = acting(later, ASKED, "filter")
    assert answer.startswith("North has the highest total revenue")
    assert filters == []
    closed = later.services.memory.get(later.services.principal, unit.memory_id)
    assert closed.status == "resolved"
    assert words.rstrip(".") in (closed.closed_reason or "")


def test_a_rule_taken_back_with_a_question_does_not_act_on_its_answer(asker: Callable[..., Recallyst]) -> None:
    asker().ask(ORDERS, "Please use weekly grain from now on. How does revenue develop?")
    later = asker(now=NOW + timedelta(days=3))
    document = later.ask(ORDERS, "Forget the weekly grain. How does revenue develop?", mode="fresh")
    assert not [a for a in document.applied if a["directive"]["name"] == "grain"]
    assert any("you took it back" in row["reason"] for row in document.skipped)
    assert document.memory["resolved"]
    assert not [u for u in rules(later) if (u.directive or {}).get("name") == "grain"]


def test_the_last_grain_wins_over_one_of_a_single_metric(asker: Callable[..., Recallyst]) -> None:
    recallyst = asker()
    recallyst.ask(ORDERS, "From now on report revenue by week.")
    assert [g["unit"] for g in acting(recallyst, "How does revenue develop?", "grain")[1]] == ["week"]  # type: ignore[index]
    later = asker(now=NOW + timedelta(days=1))
    later.ask(ORDERS, "I always want monthly grain, whatever the series.")
    assert [g["unit"] for g in acting(later, "How does revenue develop?", "grain")[1]] == ["month"]  # type: ignore[index]
    assert [(u.directive or {}).get("unit") for u in rules(later)] == ["month"]


def test_a_grain_of_one_metric_said_later_holds_for_that_metric(asker: Callable[..., Recallyst]) -> None:
    asker().ask(ORDERS, "I always want monthly grain, whatever the series.")
    later = asker(now=NOW + timedelta(days=1))
    later.ask(ORDERS, "From now on report revenue by week.")
    assert [g["unit"] for g in acting(later, "How does revenue develop?", "grain")[1]] == ["week"]  # type: ignore[index]
    assert [g["unit"] for g in acting(later, "How do units develop?", "grain")[1]] == ["month"]  # type: ignore[index]
