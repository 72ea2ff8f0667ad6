"""Summaries and tests of normality against SciPy, and what is said where a value is not defined."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from measured_tables import table
from numpy.typing import NDArray
from scipy import stats

from datasets import Catalogue
from datasets.battery import make_step, run_step
from datasets.battery._statistics.normality import Moments, anderson, jarque_bera, normaltest
from datasets.evidence import StepResult

NOW = datetime(2026, 1, 1, tzinfo=UTC)
RNG = np.random.default_rng(11)
SAMPLES = {
    "normal": RNG.normal(30, 6, 200),
    "skewed": RNG.exponential(5, 300),
    "far from zero": RNG.normal(0, 1, 500) + 1e7,
    "few": RNG.uniform(0, 1, 9),
}


def distribution(file: Path, name: str, **params: Any) -> StepResult:
    with Catalogue(file.parent / "home", allow_paths=True).open(str(file), now=NOW) as dataset:
        measure = {"kind": "column", "columns": [name]}
        result = run_step(make_step("distribution", {"measure": measure, **params}), dataset.view())
    json.dumps(result.model_dump(), allow_nan=False)
    return result


def moments(x: NDArray[np.float64]) -> Moments:
    d = x - x.mean()
    return Moments(len(x), float(x.mean()), float((d**2).mean()), float((d**3).mean()), float((d**4).mean()))


@pytest.mark.parametrize("name", SAMPLES)
def test_tests_from_moments_agree_with_scipy(name: str) -> None:
    x = SAMPLES[name]
    m = moments(x)
    assert normaltest(m).p == pytest.approx(float(stats.normaltest(x).pvalue), rel=1e-6)
    assert jarque_bera(m).p == pytest.approx(float(stats.jarque_bera(x).pvalue), rel=1e-6)
    assert m.skewness == pytest.approx(float(stats.skew(x, bias=False)), rel=1e-6)
    assert m.kurtosis == pytest.approx(float(stats.kurtosis(x, bias=False)), rel=1e-6)


def test_anderson_darling_agrees_with_the_published_table() -> None:
    # At the 5 % point of the adjusted statistic (D'Agostino & Stephens 1986: 0.752) the p-value is 5 %.
    found = anderson(list(SAMPLES["normal"]))
    n = len(SAMPLES["normal"])
    adjusted = found.statistic * (1 + 0.75 / n + 2.25 / n**2)
    assert (adjusted > 0.752) == (found.p < 0.05)
    assert anderson(list(SAMPLES["skewed"])).p < 1e-6


def test_summary_gives_centre_spread_quartiles_and_shape(tmp_path: Path) -> None:
    values = [float(v) for v in np.round(SAMPLES["skewed"], 1)]
    file = table(tmp_path, {"id": list(range(300)), "wait": values})
    found = distribution(file, "wait").candidates[1]
    assert found.claim.value.number == pytest.approx(np.mean(values))
    row = found.table[0]
    assert [row["q1"], row["median"], row["q3"], row["p99"]] == pytest.approx(
        np.quantile(values, [0.25, 0.5, 0.75, 0.99])
    )
    assert row["std"] == pytest.approx(np.std(values, ddof=1))
    assert row["skewness"] == pytest.approx(float(stats.skew(values, bias=False)))
    assert row["excess_kurtosis"] == pytest.approx(float(stats.kurtosis(values, bias=False)))
    assert "(right-skewed)" in found.statement
    assert found.chart is not None
    assert sum(b["count"] for b in found.chart["data"]["values"]) == 300


def test_shapiro_decides_up_to_five_thousand_values(tmp_path: Path) -> None:
    values = [float(v) for v in SAMPLES["skewed"]]
    result = distribution(table(tmp_path, {"id": list(range(300)), "wait": values}), "wait")
    found = result.candidates[0]
    expected = stats.shapiro(values)
    assert found.test == "Shapiro-Wilk"
    assert found.p_value == pytest.approx(float(expected.pvalue))
    assert found.statement == (
        f"wait is not normally distributed (Shapiro-Wilk W = {round(float(expected.statistic), 4)}, p < 0.001)."
    )
    assert found.claim.value.text == "not normal"
    assert not found.null
    assert result.raw_p_values == [found.p_value]


def test_normal_values_are_a_null_finding_with_an_interval(tmp_path: Path) -> None:
    values = [float(v) for v in SAMPLES["normal"]]
    found = distribution(table(tmp_path, {"id": list(range(200)), "bmi": values}), "bmi").candidates[0]
    assert found.null
    assert found.claim.value.text == "normal"
    assert found.statement.startswith("bmi is normally distributed as far as the 200 values show (Shapiro-Wilk W = 0.9")
    assert found.effect is not None
    assert found.effect.low is not None


def test_many_values_are_tested_by_their_moments(tmp_path: Path) -> None:
    values = np.random.default_rng(2).normal(5, 1, 6000).round(6)
    found = distribution(table(tmp_path, {"x": list(values)}), "x").candidates[0]
    assert found.test == "D'Agostino-Pearson"
    assert found.p_value == pytest.approx(float(stats.normaltest(values).pvalue), rel=1e-6)
    asked = distribution(table(tmp_path, {"x": list(values)}), "x", test="shapiro").candidates[0]
    assert asked.caveats[0] == "with more than 5,000 values the p-value of Shapiro-Wilk is approximate"


def test_skewness_rule_is_no_test(tmp_path: Path) -> None:
    values = [float(v) for v in SAMPLES["normal"]]
    result = distribution(table(tmp_path, {"id": list(range(200)), "bmi": values}), "bmi", test="skewness")
    skewness = float(stats.skew(values, bias=False))
    assert result.candidates[0].statement.startswith(
        f"bmi is normally distributed by the skewness rule: its skewness of {skewness:.3g}"[:70]
    )
    assert result.tests_run == 0
    strict = distribution(
        table(tmp_path, {"id": list(range(200)), "bmi": values}), "bmi", test="skewness", threshold=0.001
    )
    assert strict.candidates[0].claim.value.text == "not normal"


def test_mostly_zero_values_are_described_in_two_parts(tmp_path: Path) -> None:
    values = [0] * 170 + [38] * 15 + [30] * 8 + [50] * 7
    found = distribution(table(tmp_path, {"id": list(range(200)), "paid": values}), "paid").candidates[1]
    assert found.statement.endswith("It is mostly 0: 170 of 200 values (85%); the other 30 have the median 38.")


def test_one_value_and_constant_values_have_no_shape(tmp_path: Path) -> None:
    one = distribution(table(tmp_path, {"id": [1], "amount": [19.5]}), "amount")
    assert [c.statement for c in one.candidates] == [
        "amount: 1 value, all 19.50. Standard deviation, skewness and outliers are not defined for one row."
    ]
    same = distribution(table(tmp_path, {"id": list(range(30)), "spent": [0.3] * 30}), "spent")
    assert [c.statement for c in same.candidates] == ["spent: 30 values, all 0.3."]
    few = distribution(table(tmp_path, {"id": [1, 2], "x": [1.0, 2.5]}), "x")
    assert few.candidates[0].caveats == ["2 values are too few to test for a normal distribution"]


def test_empty_columns_are_refused(tmp_path: Path) -> None:
    result = distribution(table(tmp_path, {"id": list(range(5)), "note": [""] * 5}), "note")
    assert result.skipped == "'note' is empty: all 5 values are missing"


def test_moments_are_those_of_scipy_where_the_population_form_is_wanted(tmp_path: Path) -> None:
    values = [1.0, 2.0, 2.5, 3.0, 3.5, 4.0, 9.0, 15.0]
    file = tmp_path / "few.csv"
    file.write_text("v\n" + "\n".join(map(str, values)))
    measure = {"kind": "column", "columns": ["v"]}
    with Catalogue(tmp_path / "home", allow_paths=True).open(
        str(file), now=datetime(2026, 1, 1, tzinfo=UTC)
    ) as dataset:
        for moments, bias in (("sample", False), ("population", True)):
            step = make_step("distribution", {"measure": measure, "moments": moments})
            row = run_step(step, dataset.view()).candidates[-1].table[0]
            assert row["skewness"] == pytest.approx(float(stats.skew(values, bias=bias)))
            assert row["excess_kurtosis"] == pytest.approx(float(stats.kurtosis(values, bias=bias)))
