"""Experiments: the winner, no winner, a split that is not as planned, and units in several arms."""

import csv
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from statsmodels.stats import proportion

from datasets import Catalogue
from datasets.battery import make_step, run_step
from datasets.evidence import StepResult

NOW = datetime(2026, 1, 1, tzinfo=UTC)
CONVERTED = {"aggregate": "share", "measure": {"kind": "indicator", "columns": ["converted"], "values": ["yes"]}}
SPENT = {"aggregate": "mean", "measure": {"kind": "column", "columns": ["spent"]}}


def experiment(folder: Path, rates: dict[str, tuple[int, float]], *, twice: int = 0, **params: Any) -> StepResult:
    """One row for each user; `rates`: arm → users and the share of them that converts. `twice`: users in two arms."""
    rng, rows, user = np.random.default_rng(3), list[list[object]](), 0
    for arm, (users, rate) in rates.items():
        for position in range(users):
            user += 1
            hit = position < round(users * rate)
            rows.append([user, arm, "yes" if hit else "no", round(float(rng.normal(30 if hit else 10, 4)), 2)])
    rows += [[row[0], "other" if row[1] != "other" else "A", "no", 1.0] for row in rows[:twice]]
    file = folder / "test.csv"
    with file.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([["user_id", "variant", "converted", "spent"], *rows])
    with Catalogue(folder / "home", allow_paths=True).open(str(file), now=NOW) as dataset:
        step = make_step("experiment", {"metric": CONVERTED, "variant": "variant", **params})
        return run_step(step, dataset.view())


def test_a_clear_winner_is_named_with_the_score_test(tmp_path: Path) -> None:
    result = experiment(tmp_path, {"A": (2000, 0.10), "B": (2000, 0.15)}, unit="user_id")
    (found,) = result.candidates
    known = proportion.test_proportions_2indep(300, 2000, 200, 2000, method="score", compare="diff", correction=False)
    assert found.p_value == pytest.approx(float(known.pvalue), rel=1e-6)
    assert found.claim.value.text == "B"
    assert (found.claim.value.direction, found.claim.value.unit) == ("higher", "percentage points")
    assert found.claim.value.number == pytest.approx(5.0)
    assert found.claim.subject.against == "A"
    assert not found.null
    assert "15% in B" in found.statement
    assert "10% in A" in found.statement
    assert result.tests_run == 2


def test_no_winner_is_said_with_the_room_that_is_left(tmp_path: Path) -> None:
    (found,) = experiment(tmp_path, {"A": (500, 0.100), "B": (500, 0.106)}).candidates
    assert found.null
    assert found.statement.startswith("No variant is shown to differ")
    assert found.claim.value.low is not None
    assert found.claim.value.low < 0 < (found.claim.value.high or 0)


def test_a_split_that_is_not_as_planned_wins_nothing(tmp_path: Path) -> None:
    (found,) = experiment(tmp_path, {"A": (3000, 0.10), "B": (2000, 0.16)}).candidates
    assert found.statement.startswith("The split into variant is not as planned")
    assert found.robust is False
    planned = experiment(tmp_path, {"A": (3000, 0.10), "B": (2000, 0.16)}, shares=[0.6, 0.4])
    assert planned.candidates[0].robust is None


def test_units_in_two_arms_stop_the_comparison(tmp_path: Path) -> None:
    result = experiment(tmp_path, {"A": (400, 0.1), "other": (400, 0.1)}, twice=5, unit="user_id")
    assert result.skipped is not None
    assert "5 of 800 values of user_id are in more than one arm" in result.skipped


def test_several_variants_are_corrected_and_the_control_is_known_by_its_name(tmp_path: Path) -> None:
    rates = {"blue": (1000, 0.12), "control": (1000, 0.10), "green": (1000, 0.16)}
    (found,) = experiment(tmp_path, rates).candidates
    assert found.claim.subject.against == "control"
    assert found.claim.value.text == "green"
    raw = proportion.test_proportions_2indep(160, 1000, 100, 1000, method="score", compare="diff", correction=False)
    assert found.p_value == pytest.approx(2 * float(raw.pvalue), rel=1e-6)


def test_means_are_compared_by_welch(tmp_path: Path) -> None:
    (found,) = experiment(tmp_path, {"A": (500, 0.1), "B": (500, 0.2)}, metric=SPENT).candidates
    assert found.test == "Welch t"
    assert found.claim.value.direction == "higher"
    assert "The average spent is higher with" in found.statement


def test_a_metric_that_grows_with_the_arm_is_refused(tmp_path: Path) -> None:
    result = experiment(tmp_path, {"A": (500, 0.1), "B": (500, 0.2)}, metric={"aggregate": "count"})
    assert result.skipped is not None
    assert "a mean or a share" in result.skipped
