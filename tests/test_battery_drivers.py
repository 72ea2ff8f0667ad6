"""What drove a change: the dimension whose groups moved unlike the whole, mix against rate, and no dimension at all."""

import csv
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from datasets import Catalogue
from datasets.battery import make_step, run_step
from datasets.evidence import StepResult

NOW = datetime(2026, 1, 1, tzinfo=UTC)
TOTAL = {"aggregate": "sum", "measure": {"kind": "column", "columns": ["sales"]}}
MEAN = {"aggregate": "mean", "measure": {"kind": "column", "columns": ["sales"]}}
Sales = Callable[[int, str, str], float]


def drivers(folder: Path, sales: Sales, **params: Any) -> StepResult:
    """July and August 2025, each day a row for each of three regions and two channels."""
    file = folder / "sales.csv"
    with file.open("w", newline="", encoding="utf-8") as stream:
        out = csv.writer(stream)
        out.writerow(["day", "region", "channel", "sales"])
        for k in range(62):
            for region in ("North", "South", "West"):
                for channel in ("Web", "Store"):
                    value = sales(k, region, channel) + (k * 7 % 5) / 10
                    out.writerow([date(2025, 7, 1) + timedelta(days=k), region, channel, round(value, 2)])
    with Catalogue(folder / "home", allow_paths=True).open(str(file), now=NOW) as dataset:
        step = make_step("drivers", {"metric": TOTAL, "dimensions": ["region", "channel"], "grain": "month", **params})
        return run_step(step, dataset.view())


def test_the_dimension_of_the_group_that_fell_is_found(tmp_path: Path) -> None:
    (found,) = drivers(tmp_path, lambda k, r, c: 100 - (60 if k >= 31 and r == "West" else 0)).candidates
    assert found.claim.value.text == "region: West"
    assert found.claim.value.number == pytest.approx(1.0, abs=0.02)
    assert found.statement.startswith("The fall of the total sales from 18,636")
    assert "comes to 100% from region West (6,212 to 2,492.40)." in found.statement
    assert "The groups of channel moved with the whole." in found.statement
    assert found.p_value is not None
    assert found.p_value < 0.001


def test_a_change_in_proportion_stands_out_nowhere(tmp_path: Path) -> None:
    found = drivers(tmp_path, lambda k, r, c: 100.0 if k < 31 else 80.0).candidates[0]
    assert found.null
    assert "spread over all groups in proportion" in found.statement


def test_an_average_that_fell_in_one_group_is_told_apart_by_it(tmp_path: Path) -> None:
    found = drivers(tmp_path, lambda k, r, c: 100 - (60 if k >= 31 and r == "West" else 0), metric=MEAN).candidates[0]
    assert found.claim.value.text == "region: West"


def test_chance_is_said_where_it_explains_the_change(tmp_path: Path) -> None:
    found = drivers(tmp_path, lambda k, r, c: 100 + (k * 37 % 61) * (3 if r == "West" else 1)).candidates[0]
    assert found.null
    assert "chance alone can explain" in found.statement


def test_a_metric_that_cannot_be_split_is_refused(tmp_path: Path) -> None:
    median = {"aggregate": "median", "measure": {"kind": "column", "columns": ["sales"]}}
    result = drivers(tmp_path, lambda k, r, c: 100.0, metric=median)
    assert result.skipped == "a change of the median sales cannot be split over segments"
