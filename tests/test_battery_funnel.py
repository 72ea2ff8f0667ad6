"""Funnels: stages as columns and as events, what comes too early, and groups that convert differently."""

import csv
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from datasets import Catalogue
from datasets.battery import make_step, run_step
from datasets.evidence import StepResult

NOW = datetime(2026, 1, 1, tzinfo=UTC)
STAGES = ("visit", "cart", "pay")


def funnel(folder: Path, rows: Sequence[Sequence[object]], **params: Any) -> StepResult:
    file = folder / "funnel.csv"
    with file.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows(rows)
    with Catalogue(folder / "home", allow_paths=True).open(str(file), now=NOW) as dataset:
        return run_step(make_step("funnel", params), dataset.view())


def events(users: int, *, jumps: bool = False) -> list[list[object]]:
    """Of `users`, every second gets to the cart and every fifth of all pays; with `jumps` ten pay before they visit."""
    rows: list[list[object]] = [["user_id", "event", "day", "device"]]
    for user in range(users):
        day, device = date(2025, 1, 1) + timedelta(days=user % 90), "phone" if user % 3 else "desktop"
        reached = 3 if user % 10 in {0, 4} else 2 if user % 2 == 0 else 1
        rows += [[user, s, day + timedelta(days=k), device] for k, s in enumerate(STAGES[:reached])]
        if jumps and user % 20 == 1:
            rows.append([user, "pay", day - timedelta(days=3), device])
    return rows


def test_events_become_stages_in_the_order_in_which_they_are_reached(tmp_path: Path) -> None:
    (found,) = funnel(tmp_path, events(400), entity="user_id", stage="event").candidates
    assert [(r["stage"], r["reached"]) for r in found.table] == [("visit", 400), ("cart", 200), ("pay", 80)]
    assert found.claim.value.number == pytest.approx(0.2)
    assert "Of 400 that reach visit, 80 reach pay: 20%" in found.statement
    assert "Most are lost between visit and cart: 200, 62.5% of all that are lost." in found.statement
    assert (found.claim.value.low or 0) < 0.2 < (found.claim.value.high or 0)


def test_a_stage_before_its_time_does_not_count(tmp_path: Path) -> None:
    rows = events(400, jumps=True)
    (found,) = funnel(tmp_path, rows, entity="user_id", stage="event", stages=STAGES).candidates
    assert [r["reached"] for r in found.table] == [400, 200, 80]


def test_dates_in_columns_are_stages(tmp_path: Path) -> None:
    rows: list[list[object]] = [["id", "signed_up", "activated", "paid"]]
    for k in range(100):
        # Ten are marked as paid before they were activated, and ten as paid without having been.
        activated = "2025-02-01" if k < 60 else ""
        paid = "2025-03-01" if k < 20 or 60 <= k < 70 else "2025-01-15" if k < 30 else ""
        rows.append([k, "2025-01-01", activated, paid])
    (found,) = funnel(tmp_path, rows, columns=["signed_up", "activated", "paid"]).candidates
    assert [r["reached"] for r in found.table] == [100, 60, 20]


def test_groups_are_compared_from_the_first_stage_to_the_last(tmp_path: Path) -> None:
    rows = events(600)
    for row in rows[1:]:
        row[3] = "desktop" if int(str(row[0])) % 10 in {0, 1, 2} else "phone"
    result = funnel(tmp_path, rows, entity="user_id", stage="event", by="device")
    compared = result.candidates[1]
    assert compared.claim.subject.dimension == "device"
    assert compared.claim.value.text == "desktop"
    assert "33.3% in desktop (60 of 180) and 14.3% in phone (60 of 420)" in compared.statement
    assert result.tests_run == 1


def test_too_many_stages_are_refused(tmp_path: Path) -> None:
    rows: list[list[object]] = [["user_id", "event"], *([k % 50, f"s{k % 20}"] for k in range(400))]
    result = funnel(tmp_path, rows, entity="user_id", stage="event")
    assert result.skipped == "'event' has 20 values, too many for the stages of a funnel"
