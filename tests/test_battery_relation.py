"""Relations: two measures, two categories, groups that say otherwise, and screens of many columns."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from measured_tables import run_on, table
from scipy import stats

from datasets.battery._statistics.groups import chi_square, pearson, spearman
from datasets.evidence import Candidate, StepResult

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def relate(file: Path, home: Path, **params: Any) -> StepResult:
    return run_on(file, home, "relation", **params)


def first(result: StepResult) -> Candidate:
    assert result.skipped is None, result.skipped
    return result.candidates[0]


def col(name: str) -> dict[str, Any]:
    return {"kind": "column", "columns": [name]}


def cloud(seed: int, n: int, slope: float, noise: float = 1.0) -> tuple[list[float], list[float]]:
    rng = np.random.default_rng(seed)
    x = rng.normal(50, 10, n)
    y = slope * x + rng.normal(0, 10 * noise, n)
    return [round(float(v), 3) for v in x], [round(float(v), 3) for v in y]


def test_a_correlation_is_that_of_scipy_with_its_interval(tmp_path: Path) -> None:
    x, y = cloud(1, 80, 0.8)
    found = first(relate(table(tmp_path, {"spend": x, "clicks": y}), tmp_path, x=col("spend"), y=col("clicks")))
    expected = stats.pearsonr(x, y)
    low, high = expected.confidence_interval()
    assert found.claim.value.number == pytest.approx(expected.statistic)
    assert found.p_value == pytest.approx(expected.pvalue)
    assert found.claim.value.low == pytest.approx(low)
    assert found.claim.value.high == pytest.approx(high)
    assert found.claim.value.direction == "positive"
    assert found.statement.startswith(f"clicks grows with spend: correlation r = {expected.statistic:.3f} (95% CI ")
    assert (
        f"R² = {expected.statistic**2:.3f}, Spearman rho = {stats.spearmanr(x, y).statistic:.3f}; n = 80)"
        in found.statement
    )
    assert "it averages" in found.statement
    assert found.robust is True
    assert (found.claim.subject.column, found.claim.subject.against) == ("clicks", "spend")


def test_the_order_of_the_two_does_not_matter(tmp_path: Path) -> None:
    x, y = cloud(1, 80, 0.8)
    file = table(tmp_path, {"a": x, "b": y})
    one, other = (first(relate(file, tmp_path, x=col(p), y=col(q))) for p, q in (("a", "b"), ("b", "a")))
    assert one.claim.subject == other.claim.subject
    assert one.claim.value.number == pytest.approx(other.claim.value.number)


def test_no_relation_is_said_with_its_interval(tmp_path: Path) -> None:
    x, y = cloud(4, 200, 0.0)
    found = first(relate(table(tmp_path, {"a": x, "b": y}), tmp_path, x=col("a"), y=col("b")))
    assert found.null
    assert found.claim.value.direction == "none"
    assert found.statement.startswith("There is neither a linear nor a monotone relation between a and b: r = ")
    assert found.effect is not None
    assert (found.effect.low or 0) < 0 < (found.effect.high or 0)


def test_few_pairs_show_no_absence_of_a_relation(tmp_path: Path) -> None:
    x, y = cloud(4, 30, 0.0)
    found = first(relate(table(tmp_path, {"a": x, "b": y}), tmp_path, x=col("a"), y=col("b")))
    assert found.null
    assert found.inconclusive
    assert found.statement.startswith("There is no clear linear or monotone relation between a and b: r = ")
    assert "is not ruled out, at 95% confidence." in found.statement


def test_a_trifling_correlation_of_many_rows_is_no_relation(tmp_path: Path) -> None:
    x, y = cloud(4, 20_000, 0.04)
    found = first(relate(table(tmp_path, {"a": x, "b": y}), tmp_path, x=col("a"), y=col("b")))
    assert found.p_value is not None
    assert found.p_value < 0.001
    assert found.null
    assert "no noteworthy linear relation" in found.statement


def test_an_outlier_that_makes_the_correlation_is_not_robust(tmp_path: Path) -> None:
    x, y = cloud(6, 60, 0.0)
    found = first(relate(table(tmp_path, {"a": [*x, 900], "b": [*y, 900]}), tmp_path, x=col("a"), y=col("b")))
    assert found.p_value is not None
    assert found.p_value < 1e-6
    assert found.robust is False
    without = float(np.corrcoef(x, y)[0, 1])
    assert found.statement.endswith(f"But it rests on one row far outside: without it r = {without:.3f} (n = 60).")


def test_a_bent_relation_is_claimed_by_ranks(tmp_path: Path) -> None:
    x = [i / 10 for i in range(1, 101)]
    y = [round(float(np.exp(v)), 4) for v in x]
    found = first(relate(table(tmp_path, {"dose": x, "cells": y}), tmp_path, x=col("dose"), y=col("cells")))
    assert found.test == "Spearman"
    assert found.claim.value.number == pytest.approx(1.0)
    assert "but not in a straight line: Spearman rho = 1.00" in found.statement
    plain = first(
        relate(table(tmp_path, {"dose": x, "cells": y}), tmp_path, x=col("dose"), y=col("cells"), method="pearson")
    )
    assert plain.claim.value.number == pytest.approx(stats.pearsonr(x, y).statistic)


def test_two_series_that_only_share_their_trend_are_not_robust(tmp_path: Path) -> None:
    rng = np.random.default_rng(9)
    days = [date(2023, 1, 1) + timedelta(days=i) for i in range(200)]
    a = [round(i + float(rng.normal(0, 8)), 3) for i in range(200)]
    b = [round(2 * i + float(rng.normal(0, 8)), 3) for i in range(200)]
    found = first(relate(table(tmp_path, {"day": days, "a": a, "b": b}), tmp_path, x=col("a"), y=col("b")))
    assert (found.claim.value.number or 0) > 0.9
    assert found.robust is False
    assert any(c.startswith("both move with day; with it held constant r = ") for c in found.caveats)


def test_a_duration_grows_with_an_amount_whichever_is_named_first(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    amounts = [int(v) for v in rng.integers(100, 9000, 150)]
    opened = [datetime(2024, 1, 1, 8) + timedelta(hours=7 * i) for i in range(150)]
    closed = [
        o + timedelta(days=a / 300 + float(rng.normal(0, 0.5)) ** 2) for o, a in zip(opened, amounts, strict=True)
    ]
    file = table(tmp_path, {"opened_at": opened, "closed_at": closed, "amount": amounts})
    duration = {"kind": "duration", "columns": ["opened_at", "closed_at"]}
    found = first(relate(file, tmp_path, x=duration, y=col("amount")))
    assert found.statement.startswith("Time from opened_at to closed_at grows with amount: correlation r = 0.99")
    assert "days" in found.statement.split("Above")[1]


def test_copies_and_multiples_are_no_news(tmp_path: Path) -> None:
    x, _ = cloud(1, 50, 1)
    file = table(tmp_path, {"a": x, "copy": x, "cents": [round(100 * v, 1) for v in x]})
    copy = first(relate(file, tmp_path, x=col("a"), y=col("copy")))
    assert copy.statement == "copy and a hold the same values in all 50 rows."
    assert copy.interest_0_1 < 0.2
    cents = first(relate(file, tmp_path, x=col("a"), y=col("cents")))
    assert cents.interest_0_1 < 0.2
    assert "one is the other times 100" in cents.caveats


def test_groups_are_correlated_one_by_one_and_simpson_is_seen(tmp_path: Path) -> None:
    rng = np.random.default_rng(12)
    rows = [
        (team, round(10 * k + float(v), 3), round(10 * k - float(v) + float(rng.normal(0, 0.3)), 3))
        for k, team in enumerate(("A", "B", "C"))
        for v in rng.normal(0, 1, 60)
    ]
    file = table(tmp_path, {"team": [r[0] for r in rows], "x": [r[1] for r in rows], "y": [r[2] for r in rows]})
    whole, groups = relate(file, tmp_path, x=col("x"), y=col("y"), within="team").candidates
    assert (whole.claim.value.number or 0) > 0.9
    assert "are related the other way within groups of team: " in groups.statement
    assert groups.claim.subject.dimension == "team"
    by_hand = {t: stats.pearsonr([r[1] for r in rows if r[0] == t], [r[2] for r in rows if r[0] == t]) for t in "ABC"}
    for row in groups.table:
        assert row["r"] == pytest.approx(by_hand[row["team"]].statistic)


def test_categories_are_associated_by_cramers_v(tmp_path: Path) -> None:
    rows = [("IT", "High")] * 40 + [("IT", "Low")] * 10 + [("HR", "High")] * 15 + [("HR", "Low")] * 55
    file = table(tmp_path, {"team": [r[0] for r in rows], "priority": [r[1] for r in rows]})
    found = first(relate(file, tmp_path, x=col("team"), y=col("priority")))
    counts = [[40, 10], [15, 55]]
    expected = stats.chi2_contingency(counts, correction=False)
    assert found.p_value == pytest.approx(expected.pvalue)
    assert found.claim.value.number == pytest.approx(np.sqrt(expected.statistic / 120))
    assert found.claim.subject.relation == "association"
    assert "Most telling: 80% of IT (40 of 50) are High, against 45.8% overall." in found.statement


def test_unrelated_categories_are_said_to_be(tmp_path: Path) -> None:
    rows = [(t, p) for t in ("A", "B", "C") for p in ("x", "y") for _ in range(40)]
    file = table(tmp_path, {"team": [r[0] for r in rows], "kind": [r[1] for r in rows]})
    found = first(relate(file, tmp_path, x=col("team"), y=col("kind")))
    assert found.null
    assert "are not noticeably related" in found.statement


def test_a_category_and_a_number_are_compared_by_groups(tmp_path: Path) -> None:
    x, y = cloud(1, 60, 0.0)
    file = table(tmp_path, {"team": ["A" if i % 2 else "B" for i in range(60)], "score": y, "other": x})
    found = first(relate(file, tmp_path, x=col("score"), y=col("team")))
    assert found.claim.subject.dimension == "team"
    assert found.claim.subject.metric == "mean(score)"


def test_of_203_columns_only_the_planted_one_is_related(shared: Path, tmp_path: Path) -> None:
    file = shared / "cases" / "21-wide-noise" / "panel.csv"
    result = relate(file, tmp_path, screen=True)
    assert [c.statement.split(" (20,301")[0] for c in result.candidates[:1]] == [
        "Exactly one pair of the 202 numeric columns is related: target and planted (r = 0.9811)"
    ]
    assert "(20,301 pairs tested, Benjamini-Hochberg correction)" in result.candidates[0].statement
    assert len(result.candidates) == 2
    pair = result.candidates[1]
    assert pair.claim.value.number == pytest.approx(0.9811, abs=5e-5)
    assert {pair.claim.subject.column, pair.claim.subject.against} == {"planted", "target"}
    assert len(result.raw_p_values) == result.tests_run == 2


def test_a_target_is_screened_against_the_others(shared: Path, tmp_path: Path) -> None:
    file = shared / "cases" / "21-wide-noise" / "panel.csv"
    result = relate(file, tmp_path, x=col("target"), screen=True)
    assert first(result).statement == (
        "target is related to exactly one of 201 other numeric columns: planted (r = 0.9811) (201 pairs tested,"
        " Benjamini-Hochberg correction)."
    )


def test_constants_are_remarked_not_correlated(shared: Path, tmp_path: Path) -> None:
    file = shared / "cases" / "30-constant-columns" / "sensors.csv"
    summary, pair = relate(file, tmp_path, screen=True).candidates
    assert summary.statement.startswith(
        "Of the numeric columns only two can be related, and they are: temp and humidity (r = -0.9895). Not used: "
    )
    for remark in (
        "almost is almost constant: 29 of 30 values are equal", "batch is constant (B7)", "spent is constant (0.3)",
        "note is empty",
    ):  # fmt: skip
        assert remark in summary.statement
    assert pair.claim.value.number == pytest.approx(-0.9895, abs=5e-5)
    assert all("row" not in (c.claim.subject.column, c.claim.subject.against) for c in (summary, pair))
    almost = first(relate(file, tmp_path, x=col("temp"), y=col("almost")))
    assert almost.null
    assert almost.claim.value.number == pytest.approx(0.188, abs=5e-4)
    assert almost.p_value == pytest.approx(0.32, abs=5e-3)
    assert "almost is almost constant: 29 of 30 values are equal" in almost.caveats


def test_a_screen_of_noise_says_that_nothing_is_related(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    columns: dict[str, Sequence[object]] = {
        f"v{i}": [round(float(v), 4) for v in rng.normal(size=50)] for i in range(12)
    }
    found = first(relate(table(tmp_path, columns), tmp_path, screen=True))
    assert found.null
    assert found.statement.startswith(
        "No two of the 12 numeric columns are clearly related (66 pairs tested, Benjamini-Hochberg"
    )


def test_missing_values_are_left_out_pair_by_pair(tmp_path: Path) -> None:
    x, y = cloud(1, 60, 1.0, 0.5)
    holes = {
        "a": ["" if i % 7 == 0 else v for i, v in enumerate(x)],
        "b": ["" if i % 5 == 0 else v for i, v in enumerate(y)],
    }
    both = [(p, q) for i, (p, q) in enumerate(zip(x, y, strict=True)) if i % 7 and i % 5]
    file = table(tmp_path, {**holes, "c": cloud(8, 60, 0)[1]})
    result = relate(file, tmp_path, screen=True, columns=["a", "b", "c"])
    expected = stats.pearsonr([p for p, _ in both], [q for _, q in both])
    strongest = first(result).table[0]
    assert strongest["r"] == pytest.approx(expected.statistic)
    assert strongest["p_value"] == pytest.approx(expected.pvalue)
    assert strongest["n"] == len(both)


@pytest.mark.parametrize(
    ("columns", "params", "reason"),
    [
        ({"a": [1, 2, 3, 4, 5], "b": [7, 7, 7, 7, 7]}, {}, "b is constant in the 5 rows"),
        ({"a": [1, 2], "b": [3, 5]}, {}, "only 2 rows have both a and b"),
        ({"a": [1.5, 2, 3], "b": ["", "", ""]}, {}, "'b' is empty"),
        ({"a": [1, 2, 3], "b": [1, 2, 3]}, {"y": col("a")}, "cannot be related to itself"),
        ({"a": [1, 2, 3], "b": [1, 2, 3]}, {"y": col("c")}, "no column 'c'"),
        ({"a": ["x", "x"], "b": ["y", "z"]}, {}, "need two values each"),
        ({"a": [1.5], "b": [2.5]}, {"screen": True, "x": None, "y": None}, "nothing can be related"),
    ],
)
def test_what_cannot_be_related_is_said(
    tmp_path: Path, columns: dict[str, list[object]], params: dict[str, Any], reason: str
) -> None:
    result = relate(table(tmp_path, columns), tmp_path, **{"x": col("a"), "y": col("b"), **params})
    assert result.candidates == []
    assert reason in (result.skipped or "")


def test_coefficients_at_the_edge_stay_finite() -> None:
    perfect = pearson(1.0 + 1e-16, 20)
    assert perfect is not None
    assert (perfect.p, perfect.effect.low, perfect.effect.high) == (0.0, 1.0, 1.0)
    assert pearson(0.5, 3) is None
    assert spearman(0.5, 3) is None
    assert chi_square([[3, 4]]) is None
    assert chi_square([[0, 0], [3, 4]]) is None
    sparse = chi_square([[1, 2, 3], [3, 1, 0], [0, 5, 1]])
    assert sparse is not None
    assert sparse.name == "Monte Carlo chi-square"
    assert sparse == chi_square([[1, 2, 3], [3, 1, 0], [0, 5, 1]])


@pytest.mark.parametrize("seed", [1, 32], ids=["both move with time", "neither does"])
def test_two_series_that_wander_are_not_called_related_without_a_word(tmp_path: Path, seed: int) -> None:
    rng = np.random.default_rng(seed)
    walks = np.cumsum(rng.normal(0, 1, (2, 200)), axis=1)
    days = [date(2025, 1, 1) + timedelta(i) for i in range(200)]
    rounded = [[round(float(v), 3) for v in walk] for walk in walks]
    file = table(tmp_path, {"day": days, "a": rounded[0], "b": rounded[1]})
    found = first(relate(file, tmp_path / "home", x=col("a"), y=col("b")))
    assert abs(found.claim.value.number or 0) > 0.3
    assert "But from one day to the next they do not move together" in found.statement
    assert found.robust is False
