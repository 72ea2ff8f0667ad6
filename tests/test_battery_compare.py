"""Comparisons of groups: who stands out, that they are alike, and what is too small to say."""

import math
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from measured_tables import run_on, table
from scipy import stats

from datasets.battery import match_candidate
from datasets.battery._comparisons.gaps import apart
from datasets.battery._statistics.groups import Group, even, pooled, welch_anova, welch_t
from datasets.battery._statistics.ranks import kruskal
from datasets.evidence import Candidate, StepResult

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def compare(file: Path, home: Path, **params: Any) -> StepResult:
    result = run_on(file, home, "compare", **params)
    assert result.tests_run == len(result.raw_p_values)
    return result


def only(result: StepResult) -> Candidate:
    assert result.skipped is None, result.skipped
    assert len(result.candidates) == 1
    return result.candidates[0]


def of(aggregate: str, *columns: str, kind: str = "column", **more: Any) -> dict[str, Any]:
    return {"aggregate": aggregate, "measure": {"kind": kind, "columns": columns, **more}}


def groups_of(folder: Path, values: Mapping[str, Sequence[float]]) -> Path:
    rows = [(name, value) for name, held in values.items() for value in held]
    return table(folder, {"team": [r[0] for r in rows], "hours_spent": [r[1] for r in rows]})


def normal(seed: int, mean: float, n: int, sd: float = 1.0) -> list[float]:
    return [round(float(v), 4) for v in np.random.default_rng(seed).normal(mean, sd, n)]


def test_one_group_by_far_the_highest(tmp_path: Path) -> None:
    values = {"Ops": normal(1, 30, 60), "Dev": normal(2, 5, 60), "HR": normal(3, 5.5, 60), "IT": normal(4, 6, 60)}
    values["Law"] = normal(5, 5.8, 60)
    found = only(compare(groups_of(tmp_path, values), tmp_path, metric=of("mean", "hours_spent"), dimension="team"))
    assert found.statement.startswith("Ops has by far the highest average hours_spent: 29.9")
    assert "in the other 4 teams;" in found.statement
    assert found.statement.endswith(" overall (Welch ANOVA p < 0.001).")
    rest = [v for name, held in values.items() if name != "Ops" for v in held]
    expected = stats.ttest_ind(values["Ops"], rest, equal_var=False)
    low, high = expected.confidence_interval()
    assert found.claim.value.text == "Ops"
    assert found.claim.value.direction == "higher"
    assert found.claim.value.number == pytest.approx(np.mean(values["Ops"]) - np.mean(rest), rel=1e-9)
    assert found.claim.value.low == pytest.approx(low, rel=1e-6)
    assert found.claim.value.high == pytest.approx(high, rel=1e-6)
    assert found.effect is not None
    assert found.effect.name == "omega_squared"
    assert found.effect.low is not None
    assert found.effect.low <= found.effect.value <= (found.effect.high or 0)
    assert found.robust is True
    assert found.n == 300


def test_a_low_outlier_is_as_interesting_as_a_high_one(tmp_path: Path) -> None:
    values = {"A": normal(1, 20, 50), "B": normal(2, 21, 50), "C": normal(3, 20.5, 50), "D": normal(4, 4, 50)}
    found = only(compare(groups_of(tmp_path, values), tmp_path, metric=of("mean", "hours_spent"), dimension="team"))
    assert found.statement.startswith("D has by far the lowest average hours_spent: ")
    assert found.claim.value.direction == "lower"
    assert (found.claim.value.number or 0) < 0


def test_alike_groups_are_said_to_be_alike_and_how_much_could_be_missed(tmp_path: Path) -> None:
    values = {"A": normal(1, 20, 80), "B": normal(2, 20, 80), "C": normal(3, 20, 80)}
    found = only(compare(groups_of(tmp_path, values), tmp_path, metric=of("mean", "hours_spent"), dimension="team"))
    assert found.null
    assert found.claim.value.direction == "none"
    assert found.statement.startswith("The average hours_spent is about the same in all 3 teams: between ")
    assert "no two differ by more than 0.539, at 95% confidence" in found.statement
    assert found.effect is not None
    assert found.effect.high is not None
    assert found.effect.high < 0.05


def test_many_rows_do_not_make_a_trifle_a_difference(tmp_path: Path) -> None:
    values = {name: normal(i, 100 + i * 0.05, 20_000) for i, name in enumerate("ABC")}
    found = only(compare(groups_of(tmp_path, values), tmp_path, metric=of("mean", "hours_spent"), dimension="team"))
    assert found.p_value is not None
    assert found.p_value < 0.05
    assert found.null
    assert "practically the same in all 3 teams" in found.statement


def test_two_groups_are_told_with_their_difference(tmp_path: Path) -> None:
    values = {"A": normal(1, 20, 50), "B": normal(2, 22, 50)}
    found = only(compare(groups_of(tmp_path, values), tmp_path, metric=of("mean", "hours_spent"), dimension="team"))
    assert found.statement.startswith("B has a higher average hours_spent than A: 2")
    assert "; the difference is " in found.statement
    assert found.test == "Welch t"
    assert found.p_value == pytest.approx(stats.ttest_ind(values["A"], values["B"], equal_var=False).pvalue, rel=1e-6)
    assert found.effect is not None
    assert found.effect.name == "hedges_g"


def test_small_skewed_groups_are_compared_by_ranks(tmp_path: Path) -> None:
    rng = np.random.default_rng(8)
    values = {
        name: [round(float(v), 3) for v in rng.lognormal(m, 1.5, 20)] for name, m in (("A", 0), ("B", 0), ("C", 3))
    }
    found = only(compare(groups_of(tmp_path, values), tmp_path, metric=of("mean", "hours_spent"), dimension="team"))
    assert found.test == "Kruskal-Wallis"
    assert found.p_value == pytest.approx(stats.kruskal(*values.values()).pvalue, rel=1e-9)
    assert "small skewed groups, so ranks are tested instead of means" in found.caveats


def test_medians_with_ties_are_tested_as_scipy_does(tmp_path: Path) -> None:
    values = {"A": [1, 1, 2, 3, 3, 4, 5], "B": [3, 3, 4, 5, 5, 6, 7], "C": [8, 8, 9, 9, 9, 10, 30]}
    found = only(compare(groups_of(tmp_path, values), tmp_path, metric=of("median", "hours_spent"), dimension="team"))
    assert found.p_value == pytest.approx(stats.kruskal(*values.values()).pvalue, rel=1e-9)
    assert "median hours_spent" in found.statement


def test_two_skewed_groups_are_compared_by_brunner_and_munzel(tmp_path: Path) -> None:
    rng = np.random.default_rng(8)
    values = {name: [round(float(v), 1) for v in rng.lognormal(m, 1.5, 20)] for name, m in (("A", 0), ("B", 2))}
    found = only(compare(groups_of(tmp_path, values), tmp_path, metric=of("median", "hours_spent"), dimension="team"))
    assert found.test == "Brunner-Munzel"
    assert found.p_value == pytest.approx(stats.brunnermunzel(values["A"], values["B"]).pvalue, rel=1e-9)
    assert found.effect is not None
    assert found.effect.name == "cliffs_delta"


def test_a_difference_that_turns_round_within_a_second_dimension_is_not_robust(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    rows = [
        (team, size, round(float(rng.normal(level, 1)), 3))
        for team, size, level, n in (
            ("A", "large", 9, 90), ("A", "small", 2, 10), ("B", "large", 10, 10), ("B", "small", 3, 90),
        )
        for _ in range(n)
    ]  # fmt: skip
    file = table(tmp_path, {"team": [r[0] for r in rows], "size": [r[1] for r in rows], "cost": [r[2] for r in rows]})
    plain = only(compare(file, tmp_path, metric=of("mean", "cost"), dimension="team"))
    assert plain.claim.value.text == "A"
    found = only(compare(file, tmp_path, metric=of("mean", "cost"), dimension="team", within="size"))
    assert found.robust is False
    assert "within groups of size the difference turns round: it comes from their unequal mix" in found.caveats
    same = only(compare(file, tmp_path, metric=of("mean", "cost"), dimension="size", within="team"))
    assert "the same within all 2 groups of team" in same.caveats


def test_groups_past_the_largest_two_hundred_do_not_disturb_the_ranks(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    values = {f"t{i}": [round(float(v), 3) for v in rng.normal(0, 1, 12 if i < 200 else 6)] for i in range(240)}
    found = only(compare(groups_of(tmp_path, values), tmp_path, metric=of("median", "hours_spent"), dimension="team"))
    assert found.p_value == pytest.approx(stats.kruskal(*list(values.values())[:200]).pvalue, rel=1e-9)


def test_shares_come_with_their_counts(tmp_path: Path) -> None:
    rows = [("IT", i < 19) for i in range(43)] + [("Sales", i < 10) for i in range(150)]
    rows += (
        [("HR", i < 9) for i in range(120)] + [("Dev", i < 4) for i in range(60)] + [("Law", i < 7) for i in range(100)]
    )
    file = table(tmp_path, {"team": [r[0] for r in rows], "state": ["Declined" if r[1] else "Open" for r in rows]})
    metric = of("share", "state", kind="indicator", values=["Declined"])
    found = only(compare(file, tmp_path, metric=metric, dimension="team"))
    assert found.statement == (
        "IT has by far the highest share with state = Declined: 44.2% (19 of 43) against 6.7% to 7.5% in the other 4"
        " teams (Sales, the largest, has 6.7%: 10 of 150); 10.4% overall (chi-square p < 0.001)."
    )
    assert found.claim.value.unit == "percentage points"
    assert found.claim.value.number == pytest.approx(100 * (19 / 43 - 30 / 430))
    assert found.effect is not None
    assert found.effect.name == "cramers_v"


def test_two_groups_that_lead_together(tmp_path: Path) -> None:
    values = {"A": normal(1, 30, 40), "B": normal(2, 28, 40), "C": normal(3, 8, 40), "D": normal(4, 6, 40)}
    found = only(compare(groups_of(tmp_path, values), tmp_path, metric=of("mean", "hours_spent"), dimension="team"))
    assert found.statement.startswith("A (")
    assert " and B (" in found.statement
    assert "have by far the highest average hours_spent, against " in found.statement
    assert found.claim.value.text == "A"


def test_a_ladder_of_groups_is_told_in_order(tmp_path: Path) -> None:
    values = {name: normal(i, 10 + 3 * i, 40) for i, name in enumerate("ABCDE")}
    found = only(compare(groups_of(tmp_path, values), tmp_path, metric=of("mean", "hours_spent"), dimension="team"))
    assert "by far" not in found.statement
    assert found.statement.startswith("E has the highest average hours_spent: ")
    assert "followed by D (" in found.statement
    assert "; A has the lowest (" in found.statement


def test_distinct_values_and_rows_per_value_are_described(tmp_path: Path) -> None:
    rows = [("IT", f"m{i % 2}") for i in range(100)]
    rows += [(team, f"{team}{i % 10}") for team in ("HR", "Sales", "Ops") for i in range(100)]
    file = table(tmp_path, {"team": [r[0] for r in rows], "manager": [r[1] for r in rows]})
    few = only(compare(file, tmp_path, metric=of("distinct", "manager"), dimension="team"))
    assert few.statement == "IT has by far the fewest distinct managers: 2 against 10 in the other 3 teams."
    assert few.test is None
    many = only(compare(file, tmp_path, metric=of("rows_per_distinct", "manager"), dimension="team"))
    assert many.statement == "IT has by far the most rows per manager: 50 against 10 in the other 3 teams."


def test_counts_are_handed_to_the_step_that_knows_shares(tmp_path: Path) -> None:
    file = table(tmp_path, {"team": ["A"] * 202 + ["B"] * 199 + ["C"] * 200})
    found = compare(file, tmp_path, metric={}, dimension="team").candidates[0]
    assert found.null
    assert "evenly" in found.statement


def test_parts_of_the_calendar_are_compared_per_day(tmp_path: Path) -> None:
    days = [date(2024, 1, 1) + timedelta(days=i) for i in range(364)]
    rows = [d for d in days for _ in range(6 if d.weekday() == 0 else 2)]
    found = only(compare(table(tmp_path, {"day": rows}), tmp_path, metric={}, dimension="day", datepart="weekday"))
    assert found.statement == (
        "Monday has by far the most rows per day: 6 against 2 in the other 6 weekdays of day (chi-square p < 0.001)."
    )
    assert found.claim.subject.relation == "seasonality"
    assert found.claim.subject.dimension == "weekday of day"
    assert [row["days"] for row in found.table] == [52] * 7


def test_months_of_unequal_length_are_even_per_day(tmp_path: Path) -> None:
    rows = [date(2023, 1, 1) + timedelta(days=i // 3) for i in range(3 * 365)]
    found = only(compare(table(tmp_path, {"day": rows}), tmp_path, metric={}, dimension="day", datepart="month"))
    assert found.null
    assert found.statement == (
        "Rows are spread evenly over the months of day: 3 per day (chi-square p = 1.00); a share that is off its part"
        " of the days by more than 2.7 percentage points is ruled out, at 95% confidence."
    )


def test_quarters_of_a_date_are_compared_by_their_average(tmp_path: Path) -> None:
    days = [date(2023, 1, 1) + timedelta(days=i) for i in range(365)]
    score = [v + (8 if d.month > 9 else 0) for d, v in zip(days, normal(3, 60, 365, 3), strict=True)]
    file = table(tmp_path, {"start_date": days, "score": score})
    found = only(compare(file, tmp_path, metric=of("mean", "score"), dimension="start_date", datepart="quarter"))
    assert found.statement.startswith("Q4 has the highest average score: 6")
    assert " in Q2" in found.statement
    assert found.claim.subject.dimension == "quarter of start_date"


def test_a_value_repeated_on_every_line_counts_once(shared: Path, tmp_path: Path) -> None:
    file = shared / "cases" / "27-repeated-order-totals" / "order_lines.csv"
    metric = of("mean", "order_total")
    found = only(compare(file, tmp_path, metric=metric, dimension="region", once_per="order_id"))
    assert found.n == 40
    assert {row["region"]: round(row["mean(order_total)"], 2) for row in found.table} == {"N": 78.12, "S": 75.8}


def test_a_kolmogorov_smirnov_test_that_is_named_is_told_with_its_p(tmp_path: Path) -> None:
    """Equal means and unequal spreads: the named test sees what a comparison of means does not."""
    a, b = normal(1, 50, 200, 2), normal(2, 50, 200, 8)
    file = table(tmp_path, {"team": ["A"] * 200 + ["B"] * 200, "score": [*a, *b]})
    found = only(compare(file, tmp_path, metric=of("mean", "score"), dimension="team", test="ks"))
    expected = stats.ks_2samp(a, b)
    assert f" Kolmogorov-Smirnov test: D = {expected.statistic:.4g}, p < 0.0001." in found.statement
    assert found.named_p_value == pytest.approx(expected.pvalue)
    assert found.p_value != found.named_p_value


def test_groups_of_a_few_rows_are_left_out_and_named(tmp_path: Path) -> None:
    values = {"A": normal(1, 20, 40), "B": normal(2, 30, 40), "tiny": [900.0, 950.0]}
    found = only(compare(groups_of(tmp_path, values), tmp_path, metric=of("mean", "hours_spent"), dimension="team"))
    assert "groups with fewer than 5 rows are left out: tiny (2)" in found.caveats
    assert found.statement.startswith("B has a higher average hours_spent than A")


def test_equal_values_everywhere_are_no_difference(tmp_path: Path) -> None:
    values = {"A": [7.5] * 10, "B": [7.5] * 10, "C": [7.5] * 10}
    found = compare(groups_of(tmp_path, values), tmp_path, metric=of("mean", "hours_spent"), dimension="team")
    assert only(found).statement == "The average hours_spent is the same in all 3 teams: 7.5."


@pytest.mark.parametrize(
    ("columns", "params", "reason"),
    [
        ({"team": ["A"], "v": [1]}, {}, "nothing to compare"),
        ({"team": ["A", "A", "A"], "v": [1, 2, 3]}, {}, "nothing to compare"),
        ({"team": ["", ""], "v": [1, 2]}, {}, "nothing to compare"),
        ({"team": ["A", "B"], "v": ["", ""]}, {}, "'v' is empty"),
        ({"team": ["A", "B"], "v": ["x", "y"]}, {}, "'v' holds text"),
        ({"team": [f"t{i}" for i in range(60)], "v": range(60)}, {}, "nearly every row has its own team"),
        ({"team": ["A", "B"], "v": [1, 2]}, {"dimension": "nobody"}, "no column 'nobody'"),
    ],
)
def test_what_cannot_be_compared_is_said(
    tmp_path: Path, columns: dict[str, Sequence[object]], params: dict[str, Any], reason: str
) -> None:
    result = compare(table(tmp_path, columns), tmp_path, **{"metric": of("mean", "v"), "dimension": "team", **params})
    assert result.candidates == []
    assert reason in (result.skipped or "")


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([50, 12, 11, 10], (1, True, True)),
        ([21, 20, 19, 2], (1, False, True)),
        ([60, 55, 11, 9], (2, True, True)),
        ([70.2, 63.9, 63.4, 62.5], (1, True, False)),
        ([5, 4, 3, 2, 1], None),
        ([3, 3, 3], None),
        ([9, 1], None),
    ],
)
def test_the_largest_gap_says_who_stands_apart(values: list[float], expected: tuple[int, bool, bool] | None) -> None:
    found = apart(values)
    assert (None if found is None else (found.size, found.high, found.far)) == expected


def test_summaries_give_what_the_rows_give() -> None:
    held = [normal(i, i, 12 + i, 1 + i / 3) for i in range(4)]
    groups = [Group(str(i), len(v), float(np.mean(v)), float(np.var(v, ddof=1))) for i, v in enumerate(held)]
    whole = pooled(groups)
    rows = [v for part in held for v in part]
    assert whole.n == len(rows)
    assert whole.mean == pytest.approx(np.mean(rows))
    assert whole.var == pytest.approx(np.var(rows, ddof=1))
    tested = welch_t(groups[0], groups[3])
    assert tested is not None
    assert tested.p == pytest.approx(stats.ttest_ind(held[0], held[3], equal_var=False).pvalue)
    ranks = stats.rankdata(np.round(rows, 1))
    cuts = np.cumsum([len(v) for v in held])[:-1]
    _, ties = np.unique(np.round(rows, 1), return_counts=True)
    by_rank = kruskal([len(v) for v in held], [float(r.sum()) for r in np.split(ranks, cuts)],
                      float((ties**3 - ties).sum()))  # fmt: skip
    assert by_rank is not None
    assert by_rank.p == pytest.approx(stats.kruskal(*np.split(np.round(rows, 1), cuts)).pvalue)


def test_what_is_not_defined_is_none_and_never_nan() -> None:
    still = Group("still", 10, 3.0, 0.0)
    assert welch_anova([still, Group("b", 10, 4.0, 1.0)]) is None
    assert welch_t(still, still) is None
    assert welch_t(Group("one", 1, 3.0, 0.0), Group("b", 10, 4.0, 1.0)) is None
    assert kruskal([3, 3], [10.5, 10.5], 6**3 - 6) is None
    same = even([20, 20, 20])
    assert (same.p, same.effect.value, same.effect.low) == (1.0, 0.0, 0.0)
    assert math.isfinite(same.effect.high or 0.0)


def test_a_superlative_says_which_groups_were_too_small_to_count(tmp_path: Path) -> None:
    values = {"A": normal(1, 20, 50), "B": normal(2, 21, 50), "C": normal(3, 40, 50), "Tiny": [90.0, 91.0, 95.0]}
    found = only(compare(groups_of(tmp_path, values), tmp_path, metric=of("mean", "hours_spent"), dimension="team"))
    assert found.statement.startswith("C has by far the highest average hours_spent: ")
    assert found.statement.endswith(" Left out for fewer than 5 rows: Tiny (3).")


def test_alike_groups_also_say_which_groups_were_left_out(tmp_path: Path) -> None:
    values = {"A": normal(1, 20, 50), "B": normal(2, 20, 50), "C": normal(3, 20, 50)}
    values |= {f"T{i}": [90.0] for i in range(4)}
    found = only(compare(groups_of(tmp_path, values), tmp_path, metric=of("mean", "hours_spent"), dimension="team"))
    assert "in all 3 teams: " in found.statement
    assert found.statement.endswith(" Left out: 4 teams with fewer than 5 rows.")


def test_values_far_apart_are_not_called_about_the_same(tmp_path: Path) -> None:
    values = {"A": normal(11, 3, 12, 9), "B": normal(12, 5, 12, 9), "C": normal(13, 8, 12, 9)}
    found = only(compare(groups_of(tmp_path, values), tmp_path, metric=of("mean", "hours_spent"), dimension="team"))
    assert found.null
    assert found.statement.startswith("The average hours_spent shows no clear difference between the 3 teams: ")


def test_the_largest_group_is_named_beside_the_one_with_the_highest_share(tmp_path: Path) -> None:
    sizes = {"IT": (19, 43), "Sales": (8, 122), "Service": (16, 267), "HR": (1, 40), "Dev": (1, 40), "Law": (1, 40)}
    rows = [(team, "yes" if i < hits else "no") for team, (hits, n) in sizes.items() for i in range(n)]
    file = table(tmp_path, {"team": [r[0] for r in rows], "declined": [r[1] for r in rows]})
    metric = of("share", "declined", kind="indicator", values=["yes"])
    found = only(compare(file, tmp_path, metric=metric, dimension="team"))
    assert "44.2% (19 of 43) against 2.5% to 6.6% in the other 5 teams" in found.statement
    assert " (Service, the largest, has 6%: 16 of 267); " in found.statement


def test_ranked_groups_of_equal_size_name_no_largest(tmp_path: Path) -> None:
    rows = [
        (team, "yes" if i < hits else "no")
        for team, hits in zip("ABCDEF", (30, 3, 4, 5, 4, 3), strict=True)
        for i in range(40)
    ]
    file = table(tmp_path, {"team": [r[0] for r in rows], "declined": [r[1] for r in rows]})
    metric = of("share", "declined", kind="indicator", values=["yes"])
    assert "the largest" not in only(compare(file, tmp_path, metric=metric, dimension="team")).statement


def test_a_difference_that_any_few_valued_dimension_turns_round_is_said_and_not_robust(tmp_path: Path) -> None:
    cells = {("A", "hard"): (93, 100), ("A", "easy"): (219, 300), ("B", "hard"): (261, 300), ("B", "easy"): (69, 100)}
    rows = [(t, s, "yes" if i % n < hits else "no") for (t, s), (hits, n) in cells.items() for i in range(4 * n)]
    file = table(tmp_path, dict(zip(("treatment", "severity", "healed"), zip(*rows, strict=True), strict=True)))
    metric = of("share", "healed", kind="indicator", values=["yes"])
    found = only(compare(file, tmp_path, metric=metric, dimension="treatment"))
    assert found.statement.startswith("B has a higher share with healed = yes than A: 82.5%")
    assert found.statement.endswith(
        " But within groups of severity the difference turns round: it comes from their unequal mix."
    )
    assert found.robust is False


def test_a_difference_that_an_unequal_mix_hides_is_told(tmp_path: Path) -> None:
    """A is paid 5 more in either job, but is mostly in the job that pays 10 less; over all both earn the same."""
    rng = np.random.default_rng(8)
    rows: list[tuple[str, str, float]] = []
    for group, job, level, n in (("A", "junior", 45, 300), ("A", "senior", 55, 100), ("B", "junior", 40, 100),
                                 ("B", "senior", 50, 300)):  # fmt: skip
        values = rng.normal(level, 6, n)
        rows += [(group, job, float(v) - float(values.mean()) + level) for v in values]
    file = table(
        tmp_path, {"grp": [r[0] for r in rows], "job": [r[1] for r in rows], "pay": [round(r[2], 2) for r in rows]}
    )
    found = only(result := compare(file, tmp_path / "home", metric=of("mean", "pay"), dimension="grp"))
    assert found.null
    assert (
        "But within all 2 groups of job, A is higher, by 5" in found.statement or "B is lower, by 5" in found.statement
    )
    assert found.robust is False
    assert result.tests_run == 2


def shares_of(tmp_path: Path, cells: list[tuple[str, str, int, int]]) -> Candidate:
    """Compare the share of `hit` between groups, from (group, stratum, hits, rows)."""
    rows = [(group, stratum, i < hits) for group, stratum, hits, n in cells for i in range(n)]
    data = {"grp": [r[0] for r in rows], "size": [r[1] for r in rows], "out": ["hit" if r[2] else "no" for r in rows]}
    file = table(tmp_path, data)
    return only(compare(file, tmp_path, metric=of("share", "out", kind="indicator", values=["hit"]), dimension="grp"))


def test_a_mix_that_turns_a_small_difference_round_is_told(tmp_path: Path) -> None:
    """The success of two treatments of kidney stones (Charig et al., 1986): A is better for small and large ones."""
    found = shares_of(tmp_path, [("A", "small", 81, 87), ("A", "large", 192, 263),
                                 ("B", "small", 234, 270), ("B", "large", 55, 80)])  # fmt: skip
    assert "But within all 2 groups of size, B is lower, by 5.4 percentage points" in found.statement
    assert "an unequal mix turns it round" in found.statement
    assert found.robust is False


def test_a_rare_outcome_twice_as_common_is_a_difference_and_few_rows_show_no_sameness(tmp_path: Path) -> None:
    rare = shares_of(tmp_path, [("A", "x", 60, 2000), ("B", "x", 115, 2000), ("C", "x", 100, 2000)])
    assert not rare.null
    assert rare.statement.startswith("A has by far the lowest share")
    few = [(f"g{i:02d}", "x", 120 if i < 12 else int(i == 30) * 3, 1200 if i < 12 else 5) for i in range(40)]
    unsure = shares_of(tmp_path, few)
    assert "practically the same" not in unsure.statement
    assert "no two differ by more" not in unsure.statement


def test_alike_groups_stay_alike_within_other_columns(tmp_path: Path) -> None:
    values = normal(3, 50, 400)
    file = table(
        tmp_path, {"grp": ["A", "B"] * 200, "job": ["x", "x", "y", "y"] * 100, "pay": [round(v, 3) for v in values]}
    )
    found = only(compare(file, tmp_path / "home", metric=of("mean", "pay"), dimension="grp"))
    assert found.null
    assert "But within" not in found.statement
    assert found.robust is None


def test_a_difference_that_far_values_hide_is_told(tmp_path: Path) -> None:
    a, b = normal(5, 12.0, 200), normal(6, 10.0, 200)
    b[:3] = [900.0, 950.0, 1000.0]
    a[:3] = [700.0, 800.0, 900.0]
    file = groups_of(tmp_path, {"A": a, "B": b})
    result = compare(file, tmp_path / "home", metric=of("mean", "hours_spent"), dimension="team")
    assert "But without far values" in only(result).statement
    assert only(result).robust is False


def test_naming_both_of_two_groups_is_naming_none_also_where_a_third_comes_later(tmp_path: Path) -> None:
    two = {"a": normal(1, 10, 40), "b": normal(2, 12, 40)}
    metric = of("mean", "hours_spent")
    both = only(compare(groups_of(tmp_path, two), tmp_path, metric=metric, dimension="team", segments=("a", "b")))
    assert both.claim.subject.segment is None
    three = groups_of(tmp_path, {**two, "c": normal(3, 11, 40)})
    of_three = only(compare(three, tmp_path, metric=metric, dimension="team", segments=("a", "b")))
    assert of_three.claim.subject.segment == "a, b"
    assert match_candidate(both.claim, [of_three]) == of_three
