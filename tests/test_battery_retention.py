"""Retention: known shares by age, young cohorts that cannot be judged, and a change between cohorts."""

import csv
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from datasets import Catalogue
from datasets.battery import make_step, run_step
from datasets.evidence import StepResult

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def retention(folder: Path, *, cohorts: int = 8, drop_from: int | None = None, **params: Any) -> StepResult:
    """Monthly cohorts of 50: each is fully active in its first month, half a month later, a fifth two months later.

    `drop_from`: from this cohort on only a tenth is active a month later.
    """
    rows: list[list[object]] = [["user_id", "day", "signup"]]
    for cohort in range(cohorts):
        for k in range(50):
            user, start = f"u{cohort}-{k}", date(2025, 1 + cohort, 3)
            second = 5 if drop_from is not None and cohort >= drop_from else 25
            active = [0, *([1] if k < second else []), *([2] if k < 10 else [])]
            for age in active:
                month = start.month + age
                if month <= cohorts:
                    rows.append([user, date(2025, month, 3 + k % 20), start])
    # Someone is there on every day, to the end of the last month.
    last = (date(2025, cohorts + 1, 1) - timedelta(days=1)).day
    rows += [[f"daily{k}", date(2025, cohorts, 1 + k), date(2024, 1, 1)] for k in range(last)]
    file = folder / "events.csv"
    with file.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows(rows)
    with Catalogue(folder / "home", allow_paths=True).open(str(file), now=NOW) as dataset:
        return run_step(make_step("retention", {"entity": "user_id", "time": "day", **params}), dataset.view())


def test_shares_by_age_count_the_cohorts_that_are_old_enough(tmp_path: Path) -> None:
    (found,) = retention(tmp_path, start="signup").candidates
    assert found.n == 7 * 50
    assert found.claim.value.number == pytest.approx(0.5)
    assert "50% are active again in the month after their first one" in found.statement
    assert "20% after 2 months (of 300)" in found.statement
    assert (found.claim.value.low or 0) < 0.5 < (found.claim.value.high or 0)


def test_the_grid_leaves_out_what_is_not_over(tmp_path: Path) -> None:
    (found,) = retention(tmp_path, start="signup").candidates
    last = found.table[-1]
    assert (last["cohort"], last["size"]) == ("August 2025", 50)
    assert "after 1" not in last
    assert found.table[0]["after 2"] == pytest.approx(0.2)


def test_without_a_start_the_first_event_makes_the_cohort(tmp_path: Path) -> None:
    (found,) = retention(tmp_path).candidates
    assert found.claim.value.number == pytest.approx(0.5)
    assert any("began before the data do" in c for c in found.caveats)


def test_newer_cohorts_that_come_back_less_are_told(tmp_path: Path) -> None:
    result = retention(tmp_path, start="signup", drop_from=3)
    (found,) = result.candidates
    assert (
        "Retention after one month has fallen: 50% in the older half of the cohorts, 10% in the newer"
        in found.statement
    )
    assert result.tests_run == 1


def test_steady_cohorts_are_not_shown_to_have_changed(tmp_path: Path) -> None:
    (found,) = retention(tmp_path, start="signup").candidates
    assert "is not shown to have changed" in found.statement


def test_a_file_of_one_month_says_that_it_is_too_short(tmp_path: Path) -> None:
    result = retention(tmp_path, cohorts=1, grain="month")
    assert result.skipped is not None
    assert "fewer than three complete months" in result.skipped
