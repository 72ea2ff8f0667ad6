"""Outliers by three rules, in columns that are mostly zero, within groups, and groups that stand out."""

import json
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from measured_tables import table

from datasets import Catalogue, DatasetError
from datasets.battery import make_step, run_step
from datasets.battery._wording.ranking import nouns
from datasets.evidence import StepResult

NOW = datetime(2026, 1, 1, tzinfo=UTC)
PAID = [
    46, 36, 24, 57, 31, 38, 55, 32, 44, 38, 33, 49, 35, 36, 34, 47, 32, 40, 4000, -35,
    45, 60, 35, 52, 44, 26, 28, 45, 42, 35,
]  # fmt: skip


def outliers(file: Path, **params: Any) -> StepResult:
    with Catalogue(file.parent / "home", allow_paths=True).open(str(file), now=NOW) as dataset:
        result = run_step(make_step("outliers", params), dataset.view())
    json.dumps(result.model_dump(), allow_nan=False)
    return result


def column(name: str) -> dict[str, Any]:
    return {"kind": "column", "columns": [name]}


@pytest.fixture
def claims(tmp_path: Path) -> Path:
    """170 zeros, 28 ordinary payments, 4,000 and -35."""
    paid = [0] * 200
    for i, value in enumerate(PAID):
        paid[10 + 6 * i] = value
    return table(tmp_path, {"claim_day": [date(2025, 1, 1) + timedelta(days=i) for i in range(200)], "paid": paid})


def test_a_column_of_zeros_is_looked_at_in_two_parts(claims: Path) -> None:
    found = outliers(claims, measure=column("paid")).candidates[0]
    assert found.statement == (
        "paid is mostly 0: 170 of 200 values (85%), so it was looked at in two parts. paid has 2 outliers among 30 "
        "other values (6.7%) by the robust rule (3.5 MADs from the median): 4,000 and -35. The median of the 30 other "
        "values is 38. The mean is 25.42 with them and 5.6515 without."
    )
    assert (found.claim.value.number, found.claim.value.text) == (2.0, "4,000 and -35")
    assert [row["paid"] for row in found.table] == [4000, -35]
    assert "negative values may be corrections or errors" in found.caveats


def test_the_iqr_rule_says_when_it_has_nothing_to_hold_on_to(claims: Path) -> None:
    found = outliers(claims, measure=column("paid"), method="iqr").candidates[0]
    assert found.claim.value.number == 30.0
    assert found.caveats[0] == "the quartiles are equal, so the rule takes every other value for an outlier"


def test_iqr_reports_count_range_means_and_the_mean_without(tmp_path: Path) -> None:
    values = np.round(np.random.default_rng(3).lognormal(9, 0.9, 1338), 0)
    found = outliers(table(tmp_path, {"charges": list(values)}), measure=column("charges"), method="iqr").candidates[0]
    q1, q3 = np.quantile(values, [0.25, 0.75])
    low, high = q1 - 1.5 * (q3 - q1), q3 + 1.5 * (q3 - q1)
    out = values[(values < low) | (values > high)]
    assert found.claim.value.number == len(out)
    assert f"all above {high:,.2f}. They range from {out.min():,.0f} to {out.max():,.0f}" in found.statement
    assert f"with mean {out.mean():,.2f} and median {np.median(out):,.0f}." in found.statement
    rest = values[(values >= low) & (values <= high)]
    assert found.statement.endswith(f"The mean is {values.mean():,.2f} with them and {rest.mean():,.2f} without.")
    assert found.chart is not None


def test_z_scores_take_the_population_unless_told_otherwise(tmp_path: Path) -> None:
    values = [10.0] * 10 + [11.0] * 10 + [9.0] * 9 + [15.2]
    file = table(tmp_path, {"country": [f"C{i}" for i in range(30)], "score": values})
    for deviation, spread in (("population", np.std(values)), ("sample", np.std(values, ddof=1))):
        found = outliers(file, measure=column("score"), method="z", deviation=deviation, show=["country"]).candidates[0]
        out = [v for v in values if abs(v - np.mean(values)) > 3 * spread]
        assert found.claim.value.number == len(out) == 1
        assert ": C29 (15.20). The mean is" in found.statement
        assert f"(|z| > 3, {deviation} standard deviation)" in found.statement


def test_no_outlier_is_a_finding(tmp_path: Path) -> None:
    file = table(tmp_path, {"x": list(range(50))})
    found = outliers(file, measure=column("x"), method="z").candidates[0]
    assert found.null
    assert found.statement == (
        "There are no outliers in x by the z-score rule (|z| > 3, population standard deviation): none of the "
        "50 values lies above 67.79."
    )


def test_skewed_positive_values_are_judged_on_a_log_scale(tmp_path: Path) -> None:
    values = [round(float(v), 3) for v in np.random.default_rng(5).lognormal(3, 1, 500)]
    found = outliers(table(tmp_path, {"x": [*values, 1e6]}), measure=column("x")).candidates[0]
    assert "on a log scale" in found.statement
    assert found.claim.value.number is not None
    assert 1 <= found.claim.value.number <= 4
    assert found.table[0]["x"] == 1e6


def test_too_few_or_equal_values_are_refused(tmp_path: Path) -> None:
    assert outliers(table(tmp_path, {"a": [1], "x": [19.5]}), measure=column("x")).skipped == (
        "1 value: too few to speak of outliers"
    )
    same = table(tmp_path, {"a": list(range(30)), "x": [0.3] * 30, "y": [5] * 29 + [6]})
    assert outliers(same, measure=column("x")).skipped == "all 30 values are 0.3, so none can be an outlier"
    assert outliers(same, measure=column("y")).skipped == "1 value besides 5: too few to speak of outliers"


def test_within_groups_each_has_its_own_fences(tmp_path: Path) -> None:
    cities = ["A"] * 20 + ["B"] * 20
    values = [10 + i % 5 for i in range(19)] + [60] + [1000 + 10 * (i % 5) for i in range(20)]
    result = outliers(table(tmp_path, {"city": cities, "x": values}), measure=column("x"), by="city", method="iqr")
    within, overall = result.candidates
    assert within.claim.value.number == 1.0
    assert "in 1 of 2 groups, most in A (1 of 20)." in within.statement
    assert "It is 60. The mean is " in within.statement
    assert " with it and " in within.statement
    assert within.claim.subject.dimension == "city"
    assert overall.claim.subject.dimension is None
    assert overall.null


def test_a_group_far_above_all_others_stands_out(tmp_path: Path) -> None:
    managers = ["Ed Gompf"] * 76 + ["Mariano"] * 24 + [f"m{i}" for i in range(40) for _ in range(10)]
    departments = ["IT"] * 100 + [f"d{i // 10}" for i in range(40) for _ in range(10)]
    file = table(tmp_path, {"manager": managers, "department": departments})
    found = outliers(file, metric={}, by="manager").candidates[0]
    assert found.statement == (
        "Ed Gompf has far more rows than any other manager: 76, followed by Mariano (24), against 10 each for the "
        "other 40 managers."
    )
    assert found.claim.value.text == "Ed Gompf and Mariano"
    spread = {"kind": "column", "columns": ["manager"]}
    load = outliers(file, metric={"aggregate": "rows_per_distinct", "measure": spread}, by="department").candidates[0]
    assert load.statement == (
        "IT has far more rows per manager than any other department: 50 against 10 each for the other 4 departments."
    )
    few = outliers(file, metric={"aggregate": "distinct", "measure": spread}, by="department").candidates[0]
    assert few.statement == (
        "IT has far fewer distinct managers than any other department: 2 against 10 each for the other 4 departments."
    )
    assert few.claim.value.direction == "lower"


def test_groups_alike_are_a_null_finding(tmp_path: Path) -> None:
    agents = [f"a{i}" for i in range(6) for _ in range(84 + 4 * i)]
    found = outliers(table(tmp_path, {"agent": agents}), metric={}, by="agent").candidates[0]
    assert found.null
    assert found.statement == "No agent stands out in number of rows: the 6 agents have 84 to 104."


def test_parameters_are_rows_or_groups() -> None:
    with pytest.raises(DatasetError, match="give either measure"):
        make_step("outliers", {})
    with pytest.raises(DatasetError, match="metric needs by"):
        make_step("outliers", {"metric": {}})


def test_a_lower_fence_is_said_where_values_are_negative(tmp_path: Path) -> None:
    file = table(tmp_path, {"x": list(range(-10, 40))})
    found = outliers(file, measure=column("x"), method="z").candidates[0]
    assert found.statement.endswith("none of the 50 values lies below -28.79 or above 57.79.")


def test_one_outlier_is_spoken_of_in_the_singular(tmp_path: Path) -> None:
    found = outliers(table(tmp_path, {"x": [*range(50), 500]}), measure=column("x")).candidates[0]
    assert "has 1 outlier among 51 values" in found.statement
    assert " with it and 24.50 without." in found.statement


def test_values_far_beyond_the_others_share_one_bar(tmp_path: Path) -> None:
    values = [*(10 + i % 40 for i in range(400)), 90_000, 120_000]
    chart = outliers(table(tmp_path, {"x": values}), measure=column("x")).candidates[0].chart
    assert chart is not None
    bars = chart["data"]["values"]
    assert len(bars) >= 8
    assert sum(b["count"] for b in bars) == 400
    assert max(b["end"] for b in bars) < 1_000
    (past,) = chart["layer"][1]["data"]["values"]
    assert past["count"] == 2
    assert past["beyond"].startswith("above ")


def test_without_far_values_a_histogram_shows_the_whole_range(tmp_path: Path) -> None:
    chart = outliers(table(tmp_path, {"x": [*range(50), 200]}), measure=column("x")).candidates[0].chart
    assert chart is not None
    assert sum(b["count"] for b in chart["data"]["values"]) == 51
    assert "above" not in str(chart)


@pytest.mark.parametrize(
    ("name", "said"), [("status", "values of status"), ("basis", "values of basis"), ("region", "regions")]
)
def test_only_plain_nouns_are_put_into_the_plural(name: str, said: str) -> None:
    assert nouns(name) == said
