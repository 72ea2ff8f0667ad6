"""Who has most, whether rows are spread evenly, how concentrated they are, and what goes with what."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from measured_tables import table
from scipy import stats

from datasets import Catalogue
from datasets.battery import label_of, make_step, run_step
from datasets.battery._statistics.concentration import gini
from datasets.battery._statistics.rates import two_shares
from datasets.evidence import StepResult

NOW = datetime(2026, 1, 1, tzinfo=UTC)
AMOUNT = {"aggregate": "sum", "measure": {"kind": "column", "columns": ["amount"]}}


def share(file: Path, **params: Any) -> StepResult:
    with Catalogue(file.parent / "home", allow_paths=True).open(str(file), now=NOW) as dataset:
        result = run_step(make_step("share", params), dataset.view())
    json.dumps(result.model_dump(), allow_nan=False)
    return result


def spread(**counts: int) -> list[str]:
    return [name for name, n in counts.items() for _ in range(n)]


def test_a_clear_leader_is_named_with_count_share_and_distance(tmp_path: Path) -> None:
    file = table(tmp_path, {"category": spread(Hardware=336, Software=41, Network=51, Inquiry=32, Database=40)})
    result = share(file, dimension="category")
    found = result.candidates[0]
    assert found.statement == (
        "Hardware is by far the most common category: 336 of 500 rows (67.2%), 6.6 times as many as the next, Network "
        "(51); the other 4 categories have 32 to 51."
    )
    value = found.claim.value
    assert (value.number, value.unit, value.text) == (0.672, "share", "Hardware")
    assert [value.low, value.high] == pytest.approx([0.6297, 0.7117], abs=1e-4)
    assert found.claim.subject.segment is None
    assert result.tests_run == len(result.raw_p_values) == 2
    assert label_of(found, stated=True, q_value=found.p_value, contradicts=False) == "confirmatory"


def test_even_counts_are_a_null_finding_with_an_interval(tmp_path: Path) -> None:
    agents = spread(Fred=84, Howard=100, Beth=98, Luke=104, Charlie=103) + [""] * 11
    file = table(tmp_path, {"id": list(range(500)), "agent": agents})
    found = share(file, dimension="agent").candidates[0]
    assert found.statement == (
        "Rows are spread evenly over agent: each of the 5 has 84 to 104 of 489 (chi-square p = 0.62); no share "
        "is more than 6.8 percentage points away from an equal one, at 95% confidence. "
        "Luke 104, Charlie 103, Howard 100, Beth 98 and Fred 84."
    )
    assert found.null
    assert found.claim.subject.relation == "evenness"
    assert found.effect is not None
    assert found.effect.high is not None
    assert found.caveats == ["11 rows without a value in agent left out"]
    assert label_of(found, stated=True, q_value=None, contradicts=False) == "confirmatory"


def test_two_alike_leaders_are_named_together(tmp_path: Path) -> None:
    file = table(tmp_path, {"user": spread(Helene=7, Vernon=7, Virgil=2, Sadie=2, Forest=1)})
    found = share(file, dimension="user").candidates[0]
    assert found.statement == (
        "Helene and Vernon account for 14 of 19 rows (73.7%), 7 each; no other user has more than 2."
    )
    assert found.claim.value.text == "Helene and Vernon"


def test_a_much_larger_first_leads_alone(tmp_path: Path) -> None:
    file = table(tmp_path, {"department": spread(Support=267, Sales=122, IT=43, Finance=22)})
    assert share(file, dimension="department").candidates[0].claim.value.text == "Support"


def test_without_leader_or_evenness_the_counts_are_listed(tmp_path: Path) -> None:
    file = table(tmp_path, {"colour": spread(red=4, blue=3, green=2)})
    found = share(file, dimension="colour").candidates[0]
    assert found.statement.startswith("Rows by colour: red 4 (44.4%), blue 3 (33.3%) and green 2 (22.2%) of 9; none")
    assert found.test is None
    assert found.claim.value.direction == "none"


def test_many_segments_are_summed_up_not_dumped(tmp_path: Path) -> None:
    counts = {f"user{i:02d}": 3 + 7 * i % 12 for i in range(40)}
    found = share(table(tmp_path, {"login": spread(**counts)}), dimension="login").candidates[0]
    assert (
        found.statement
        == "No login clearly stands out (p = 1.00): the 40 logins have 3 to 14 of 336 rows, user05 the most."
    )


def test_concentration_of_many_segments(tmp_path: Path) -> None:
    counts = {f"user{i:02d}": 60 if i < 3 else 3 for i in range(30)}
    result = share(table(tmp_path, {"user": spread(**counts)}), dimension="user")
    assert result.candidates[0].claim.value.text == "user00, user01 and user02"
    counts = {f"user{i:02d}": 80 - 10 * i if i < 6 else 3 for i in range(40)}
    found = share(table(tmp_path, {"user": spread(**counts)}), dimension="user").candidates[-1]
    assert found.claim.subject.relation == "concentration"
    index = sum((n / 432) ** 2 for n in counts.values())
    assert found.statement == (
        "The 4 most common of 40 users account for 260 of 432 rows (60.2%); spread evenly it would be 10% "
        f"(Herfindahl index {index:.4f}; Gini coefficient 0.63, 0.53 to 0.74 at 95% confidence)."
    )
    assert found.effect is not None
    assert found.effect.name == "gini"


@pytest.mark.parametrize("values", [[1, 2, 3, 4, 90], [5, 5, 5], [0, 0, 3, 7, 7, 12.5], list(range(1, 40))])
def test_gini_is_half_the_relative_mean_difference_with_a_jackknife_interval(values: list[float]) -> None:
    def plain(x: np.ndarray) -> float:
        return float(np.abs(np.subtract.outer(x, x)).mean() / (2 * x.mean()))

    x = np.array(values, dtype=float)
    found = gini(values)
    assert found is not None
    assert found.value == pytest.approx(plain(x), abs=1e-12)
    without = np.array([plain(np.delete(x, i)) for i in range(len(x))])
    half = stats.t.ppf(0.975, len(x) - 1) * np.sqrt((len(x) - 1) / len(x) * ((without - without.mean()) ** 2).sum())
    assert found.low == pytest.approx(max(0.0, plain(x) - half), abs=1e-12)
    assert found.high == pytest.approx(min(1.0, plain(x) + half), abs=1e-12)


def test_gini_needs_holders_of_something() -> None:
    assert gini([1, 2]) is None
    assert gini([-1, 2, 3]) is None
    assert gini([0, 0, 9]) is None


@pytest.mark.parametrize(
    ("k1", "n1", "k2", "n2", "name"),
    [(1, 10, 7, 12, "Boschloo exact"), (0, 40, 4, 45, "Boschloo exact"), (3, 2000, 9, 2100, "two-proportion score"),
     (2, 2000, 5, 2100, "Fisher exact")],
)  # fmt: skip
def test_two_rates_of_few_hits_are_tested_exactly(k1: int, n1: int, k2: int, n2: int, name: str) -> None:
    found = two_shares(k1, n1, k2, n2)
    assert found is not None
    assert found[0] == name
    table = np.array([[k1, k2], [n1 - k1, n2 - k2]])
    oracle = {
        "Boschloo exact": lambda: stats.boschloo_exact(table).pvalue,
        "Fisher exact": lambda: stats.fisher_exact(table).pvalue,
        "two-proportion score": lambda: stats.chi2_contingency(table, correction=False).pvalue,
    }
    assert found[1].p == pytest.approx(oracle[name]())


def test_a_segment_is_compared_with_the_rest_of_the_data(tmp_path: Path) -> None:
    file = table(
        tmp_path,
        {
            "category": spread(Hardware=300, Other=200),
            "place": spread(Perth=240, Delhi=60) + spread(Perth=40, Delhi=160),
        },
    )
    found = share(file, dimension="place", filters=[{"column": "category", "values": ["Hardware"]}]).candidates[0]
    assert found.statement == (
        "Perth is by far the most common place where category is Hardware: 240 of 300 rows (80%) against 60 for Delhi; "
        "in the rest of the data it is 20%."
    )


def test_totals_name_who_leads_and_follows(tmp_path: Path) -> None:
    file = table(tmp_path, {"team": ["A", "A", "B", "C", "D"], "amount": [400, 300, 500, 250, 50]})
    found = share(file, metric=AMOUNT, dimension="team").candidates[0]
    assert found.statement == (
        "A has the highest total amount: 700 (46.7% of the total), followed by B (500) and C (250); the lowest is D "
        "(50)."
    )
    assert found.claim.value.number == pytest.approx(700 / 1500)
    assert found.test is None


def test_totals_with_negative_groups_have_no_shares(tmp_path: Path) -> None:
    file = table(tmp_path, {"team": ["A", "B", "C"], "amount": [400, -100, 30]})
    found = share(file, metric=AMOUNT, dimension="team").candidates[0]
    assert "%" not in found.statement
    assert found.claim.value.number == 400.0


def test_what_a_group_is_rich_in(tmp_path: Path) -> None:
    file = table(
        tmp_path,
        {
            "category": spread(Hardware=336, Network=82, Software=82),
            "place": spread(Perth=241, Delhi=50, Rome=45) + spread(Perth=16, Delhi=33, Rome=33) * 2,
        },
    )
    result = share(file, dimension="category", within="place")
    found = result.candidates[0]
    assert found.statement == (
        "Hardware rows are concentrated in place Perth: 241 of 336 (71.7%) against 19.5% of the other rows."
    )
    assert (found.claim.subject.segment, found.claim.subject.against) == ("Hardware", "place")
    assert found.p_value is not None
    assert found.p_value < 1e-10
    assert found.test == "two-proportion score, Bonferroni over 9 cells"


def test_no_association_is_a_null_finding(tmp_path: Path) -> None:
    file = table(tmp_path, {"area": spread(x=200, y=200), "kind": spread(p=101, q=99) + spread(p=98, q=102)})
    found = share(file, dimension="area", within="kind").candidates[0]
    assert found.null
    assert found.statement.startswith("kind is distributed alike in both areas: Cramér's V 0.0")


def test_a_slight_association_that_is_shown_is_not_called_none(tmp_path: Path) -> None:
    kinds = spread(p=1_320, q=280) + spread(p=1_248, q=352)
    found = share(table(tmp_path, {"area": spread(x=1_600, y=1_600), "kind": kinds}), dimension="area", within="kind")
    assert found.candidates[0].statement == (
        "kind differs only slightly between the 2 areas: Cramér's V 0.06, chi-square p = 0.0014, 3,200 rows."
    )


def test_shares_of_what_does_not_add_up_are_refused(tmp_path: Path) -> None:
    file = table(tmp_path, {"team": ["A", "B"], "amount": [1, 2], "id": [1, 2]})
    mean = {"aggregate": "mean", "measure": {"kind": "column", "columns": ["amount"]}}
    assert share(file, metric=mean, dimension="team").skipped == (
        "average amount does not add up; compare it by team instead"
    )
    assert share(file, dimension="nothing").skipped == "no column 'nothing' in table; it has: team, amount, id"


def test_nearly_every_row_its_own_value_is_no_share(tmp_path: Path) -> None:
    file = table(tmp_path, {"name": [f"n{i}" for i in range(100)]})
    assert share(file, dimension="name").skipped == (
        "'name' has too many values to speak of shares: nearly every row has its own"
    )


def test_a_leader_that_leads_in_every_complete_month_is_said(tmp_path: Path) -> None:
    days, agents = [], []
    for month in range(1, 13):
        for i in range(30):
            days.append(f"2024-{month:02d}-{1 + i % 28:02d}" if month < 12 else f"2024-12-{1 + i % 4:02d}")
            agents.append("Fred" if i % 3 or month == 12 else "BCDE"[i % 4])
    file = table(tmp_path, {"day": days, "agent": agents})
    found = share(file, dimension="agent").candidates[-1]
    assert found.statement == (
        "Fred leads in every month: in each of the 11 complete ones from January 2024 to November 2024 it has more "
        "rows than any other agent (20 a month)."
    )
    assert found.claim.subject.period == "in every month"
    assert found.chart is not None
    agents[:30] = ["B"] * 30
    changed = share(table(tmp_path, {"day": days, "agent": agents}), dimension="agent")
    assert all(c.claim.subject.period is None for c in changed.candidates)


def test_counts_that_are_all_equal_are_not_listed(tmp_path: Path) -> None:
    found = share(table(tmp_path, {"team": spread(A=200, B=200, C=200)}), dimension="team").candidates[0]
    assert found.statement == (
        "Rows are spread evenly over team: each of the 3 has 200 of 600 (chi-square p = 1.00); no share is more than "
        "4.7 percentage points away from an equal one, at 95% confidence."
    )


def test_few_rows_are_not_called_even(tmp_path: Path) -> None:
    found = share(table(tmp_path, {"team": spread(A=20, B=20, C=20)}), dimension="team").candidates[0]
    assert found.claim.subject.relation == "share"
    assert found.statement == (
        "Rows by team: A 20 (33.3%), B 20 (33.3%) and C 20 (33.3%) of 60; none clearly stands out (p = 1.00)."
    )


def test_few_rows_show_no_absence_of_an_association(tmp_path: Path) -> None:
    file = table(tmp_path, {"area": spread(x=20, y=20), "kind": spread(p=11, q=9) + spread(p=8, q=12)})
    found = share(file, dimension="area", within="kind").candidates[0]
    assert found.null
    assert found.inconclusive
    assert found.statement.startswith("kind shows no clear difference between the two areas: Cramér's V 0.15 (up to 0.")


def test_a_total_of_yes_or_no_is_worded_as_rows(tmp_path: Path) -> None:
    file = table(tmp_path, {"team": spread(A=20, B=20), "state": spread(Open=12, Done=8) + spread(Open=2, Done=18)})
    metric = {"aggregate": "sum", "measure": {"kind": "indicator", "columns": ["state"], "values": ["Open"]}}
    found = share(file, dimension="team", metric=metric).candidates[0]
    assert found.statement.startswith("A has the highest number of rows with state = Open: 12 (85.7% of the total)")


def test_a_name_with_marks_of_a_sentence_is_quoted(tmp_path: Path) -> None:
    found = share(table(tmp_path, {"Unnamed: 3": spread(A=60, B=4, C=4)}), dimension="Unnamed: 3").candidates[0]
    assert found.statement.startswith("A is by far the most common \u201cUnnamed: 3\u201d: 60 of 68 rows")
