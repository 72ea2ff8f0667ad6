"""Forecasts: a season and a trend are foreseen, noise is not, and the last, incomplete period plays no part."""

import csv
import math
import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from datasets import Catalogue
from datasets.battery import make_step, run_step
from datasets.battery._statistics.forecasters import damped, mase, seasonal_naive, theta
from datasets.evidence import StepResult

NOW = datetime(2026, 1, 1, tzinfo=UTC)
TOTAL = {"aggregate": "sum", "measure": {"kind": "column", "columns": ["sales"]}}


def forecast(folder: Path, daily: Sequence[float], **params: Any) -> StepResult:
    file = folder / "sales.csv"
    with file.open("w", newline="", encoding="utf-8") as stream:
        out = csv.writer(stream)
        out.writerow(["day", "sales"])
        out.writerows([date(2024, 1, 1) + timedelta(days=k), round(v, 3)] for k, v in enumerate(daily))
    with Catalogue(folder / "home", allow_paths=True).open(str(file), now=NOW) as dataset:
        return run_step(make_step("forecast", {"metric": TOTAL, "grain": "day", **params}), dataset.view())


def weekly(days: int, *, slope: float = 0.0, noise: float = 3.0) -> list[float]:
    rng = np.random.default_rng(5)
    return [200 + slope * k + 40 * math.sin(2 * math.pi * k / 7) + float(rng.normal(0, noise)) for k in range(days)]


def test_a_week_with_a_trend_is_foreseen_with_its_interval(tmp_path: Path) -> None:
    (found,) = forecast(tmp_path, weekly(140, slope=1.0), horizon=7).candidates
    assert found.claim.subject.against == "7 ahead"
    assert len(found.table) == 7
    for k, row in enumerate(found.table):
        true = 200 + (140 + k) + 40 * math.sin(2 * math.pi * (140 + k) / 7)
        assert row["low"] < true < row["high"]
        assert row["expected"] == pytest.approx(true, abs=9)
    assert found.effect is not None
    assert found.effect.value < 0.97
    assert "tries in the past its error was" in found.statement
    held = re.search(
        r"the 80% ones held ([\d.]+)% of them, the 95% ones ([\d.]+)%; .*\(MASE\) ([\d.]+)", found.caveats[0]
    )
    assert held is not None
    assert float(held[1]) < float(held[2]) <= 100
    assert 0.1 < float(held[3]) < 1


def test_errors_are_scaled_by_the_step_from_season_to_season() -> None:
    assert mase(np.array([1.0, 5, 3, 9]), 2, np.array([[1.0, -2], [3, 0]])) == pytest.approx(1.5 / 3)
    assert mase(np.array([1.0, 5, 1, 5]), 2, np.array([[1.0]])) is None


def test_nothing_better_than_the_last_week_is_said_and_not_shown(tmp_path: Path) -> None:
    exact = [100.0 + k % 7 for k in range(120)]
    (found,) = forecast(tmp_path, exact).candidates
    assert found.claim.subject.against == "none"
    assert "of the error of simply repeating the season before" in found.statement


def test_months_of_unequal_length_are_forecast_per_day_and_said_in_full(tmp_path: Path) -> None:
    daily = [10.0 + 0.02 * k + float(v) for k, v in enumerate(np.random.default_rng(2).normal(0, 1, 731))]
    (found,) = forecast(tmp_path, daily, grain="month").candidates
    assert found.claim.value.text == "January 2026"
    true = sum(10.0 + 0.02 * k for k in range(731, 762))
    assert found.claim.value.number == pytest.approx(true, rel=0.05)


def test_the_running_month_is_not_used(tmp_path: Path) -> None:
    daily = [10.0 + 0.02 * k for k in range(731 + 5)]
    (found,) = forecast(tmp_path, daily, grain="month").candidates
    assert found.claim.value.text == "January 2026"
    assert any("incomplete" in c for c in found.caveats)


def test_a_short_file_says_how_much_is_needed(tmp_path: Path) -> None:
    result = forecast(tmp_path, weekly(8))
    assert result.skipped is not None
    assert "needs 13" in result.skipped


def test_models_continue_what_they_can_see() -> None:
    line = np.arange(40.0)
    assert seasonal_naive(np.arange(14.0), 7, 3) == pytest.approx([7, 8, 9])
    assert damped(line, 1, 1)[0] == pytest.approx(40, abs=1.5)
    assert theta(line, 1, 2)[1] > theta(line, 1, 2)[0]
    wave = np.array([10 + 5 * math.sin(2 * math.pi * k / 12) for k in range(60)])
    ahead = [10 + 5 * math.sin(2 * math.pi * k / 12) for k in range(60, 72)]
    assert theta(wave, 12, 12) == pytest.approx(ahead, abs=0.6)
