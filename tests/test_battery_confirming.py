"""The leaner run of a revalidation: one claim, the same numbers, and few cells read."""

import csv
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from datasets import Catalogue
from datasets.battery import make_step, match_candidate, run_step, verdict_of

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """2,000 people in six columns: income grows with age, spend with income, and regions are alike but for one."""
    rng = np.random.default_rng(11)
    file = tmp_path / "people.csv"
    with file.open("w", newline="", encoding="utf-8") as stream:
        out = csv.writer(stream)
        out.writerow(["age", "income", "region", "score", "spend", "tier"])
        for _ in range(2_000):
            age, region = int(rng.integers(18, 80)), "NSEW"[int(rng.integers(4))]
            income = round(20_000 + 500 * age + float(rng.normal(0, 9_000)) + (6_000 if region == "N" else 0), 2)
            score = round(float(rng.normal(50, 10)), 1)
            out.writerow(
                [
                    age,
                    income,
                    region,
                    score,
                    round(0.1 * income + float(rng.normal(0, 400)), 2),
                    "AB"[int(rng.integers(2))],
                ]
            )
    return file


def _col(name: str) -> dict[str, object]:
    return {"kind": "column", "columns": [name]}


def _mean(name: str) -> dict[str, object]:
    return {"aggregate": "mean", "measure": _col(name)}


@pytest.mark.parametrize(
    ("kind", "params", "cells"),
    [
        ("relation", {"x": _col("age"), "y": _col("income")}, 2),
        ("relation", {"x": _col("age"), "y": _col("score")}, 2),
        ("relation", {"x": _col("age"), "y": _col("income"), "within": "region"}, 5),
        ("relation", {"screen": True}, 4),
        ("relation", {"x": _col("income"), "y": {"kind": "column", "columns": ["region"]}}, 2),
        ("compare", {"metric": _mean("income"), "dimension": "region"}, 2),
        ("compare", {"metric": _mean("score"), "dimension": "region"}, 2),
        ("outliers", {"measure": _col("income")}, 2),
        ("drill", {"metric": _mean("income"), "dimension": "region", "over": ["tier"], "over_time": False}, 4),
        ("answer", {"metrics": [_mean("income")], "by": ["region"]}, 2),
        ("overview", {}, 6),
    ],
)
def test_a_claim_is_confirmed_by_reading_its_columns_once(
    people: Path, tmp_path: Path, kind: str, params: dict[str, object], cells: int
) -> None:
    with Catalogue(tmp_path / "home", allow_paths=True).open(str(people), now=NOW) as dataset:
        view, step = dataset.view(), make_step(kind, params)
        whole = run_step(step, view)
        assert whole.skipped is None
        for before in whole.candidates:
            again = run_step(step, view, confirming=before.claim.subject)
            after = match_candidate(before.claim, again.candidates)
            assert after is not None
            assert (after.claim.subject, after.null, after.n) == (before.claim.subject, before.null, before.n)
            assert after.claim.value.number == pytest.approx(before.claim.value.number)
            if not any("pairs tested" in c for c in before.caveats):  # where p is corrected for all pairs
                assert after.p_value == pytest.approx(before.p_value)
            assert verdict_of(before.claim, after).verdict == "holds"
            assert again.cells_read <= cells * view.rows
