"""Which of two measures comes first: a delay is found, drifting series that have nothing to do with each other not."""

import csv
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from statsmodels.tsa.stattools import ccf

from datasets import Catalogue
from datasets.battery import make_step, run_step
from datasets.battery._statistics.leads import lead, whitened
from datasets.evidence import StepResult


def leads(folder: Path, spend: Any, revenue: Any) -> StepResult:
    file = folder / "weeks.csv"
    with file.open("w", newline="", encoding="utf-8") as stream:
        out = csv.writer(stream)
        out.writerow(["day", "spend", "revenue"])
        days = [date(2023, 1, 2) + timedelta(days=7 * k) for k in range(len(spend))]
        out.writerows([d, round(s, 3), round(r, 3)] for d, s, r in zip(days, spend, revenue, strict=True))
    x, y = ({"aggregate": "sum", "measure": {"kind": "column", "columns": [c]}} for c in ("spend", "revenue"))
    with Catalogue(folder / "home", allow_paths=True).open(str(file), now=datetime(2026, 1, 1, tzinfo=UTC)) as dataset:
        return run_step(make_step("leads", {"x": x, "y": y}), dataset.view())


def test_a_measure_that_follows_after_two_weeks_is_found(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    spend = 100 + rng.normal(0, 10, 90)
    revenue = 500 + 3 * np.roll(spend, 2) + rng.normal(0, 10, 90)
    (found,) = leads(tmp_path, spend, revenue).candidates
    assert found.statement.startswith("Total revenue follows total spend by 2 weeks (r = 0.")
    assert found.claim.value.number == 2
    assert found.p_value == pytest.approx(1 / 2000)


def test_nothing_found_is_told_with_its_bound(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    (found,) = leads(tmp_path, 100 + rng.normal(0, 10, 60), 100 + rng.normal(0, 10, 60)).candidates
    assert found.null
    assert "is ruled out there, at 95% confidence" in found.statement


def test_too_few_periods_are_said(tmp_path: Path) -> None:
    assert "needs 20" in str(leads(tmp_path, list(range(12)), list(range(12))).skipped)


def test_correlations_are_those_of_the_whitened_series() -> None:
    rng = np.random.default_rng(5)
    x, y = rng.normal(size=80).cumsum(), rng.normal(size=80).cumsum()
    found, a, b = lead(x, y), whitened(x), whitened(y)
    assert found is not None
    assert a is not None
    assert b is not None
    later = dict(found.every)
    assert [later[k] for k in range(13)] == pytest.approx(list(ccf(b, a, adjusted=False, nlags=13)))


def test_series_that_drift_apart_from_each_other_are_seldom_related() -> None:
    rng = np.random.default_rng(6)
    pairs = [(rng.normal(size=60).cumsum(), rng.normal(size=60).cumsum()) for _ in range(60)]
    assert sum(found.p <= 0.05 for x, y in pairs if (found := lead(x, y))) <= 8
