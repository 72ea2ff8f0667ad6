"""Changes between periods: complete against complete, running like for like, per day, and what they come from."""

import json
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from measured_tables import run_on, table

from datasets import Catalogue
from datasets.battery import direct_step, make_step, match_candidate, run_step
from datasets.evidence import Candidate, StepResult

NOW = datetime(2026, 1, 1, tzinfo=UTC)
REVENUE = {"aggregate": "sum", "measure": {"kind": "column", "columns": ["revenue"]}}


def change(file: Path, home: Path, **params: Any) -> StepResult:
    result = run_on(file, home, "change", **params)
    assert result.tests_run == len(result.raw_p_values)
    return result


def found(result: StepResult) -> list[Candidate]:
    assert result.skipped is None, result.skipped
    return list(result.candidates)


def of(aggregate: str, *columns: str, kind: str = "column", **more: Any) -> dict[str, Any]:
    return {"aggregate": aggregate, "measure": {"kind": kind, "columns": columns, **more}}


def window(start: str, end: str, column: str = "day") -> dict[str, str]:
    return {"column": column, "start": start, "end": end}


def days_from(start: date, count: int) -> list[date]:
    return [start + timedelta(days=i) for i in range(count)]


@pytest.fixture
def revenue(shared: Path) -> Path:
    return shared / "cases" / "23-partial-last-month" / "daily_revenue.csv"


def test_the_last_complete_month_against_the_one_before(revenue: Path, tmp_path: Path) -> None:
    first = found(change(revenue, tmp_path, metric=REVENUE))[0]
    assert first.statement == (
        "The total revenue is 35,273.77 in August 2025 against 35,011.31 in July 2025: +0.75% (+262.46); no more than"
        " chance explains (95% CI -0.66% to +2.2%, p = 0.32)."
    )
    assert first.null
    assert first.claim.value.number == pytest.approx(100 * (35273.77 / 35011.31 - 1))
    assert first.claim.value.unit == "%"
    assert first.claim.subject.period == "day [2025-08-01, 2025-09-01)"
    assert first.claim.subject.against == "day [2025-07-01, 2025-08-01)"
    assert first.n == 186


def test_the_running_month_is_compared_like_for_like(revenue: Path, tmp_path: Path) -> None:
    result = change(revenue, tmp_path, metric=REVENUE)
    running = found(result)[1]
    assert running.statement == (
        "September 2025 is incomplete: 9 of 30 days, data end 2025-09-09. Like for like, the total revenue is 10,342.65"
        " in 1-9 September 2025 against 10,347.26 in 1-9 August 2025: -0.04% (-4.61); per day it is +0.99% against all"
        " of August 2025."
    )
    assert running.claim.value.number == pytest.approx(100 * (10342.65 / 10347.26 - 1))
    assert running.claim.value.direction == "flat"
    everything = json.dumps(result.model_dump())
    assert "-70" not in everything


def test_a_running_month_that_was_asked_for_is_never_read_as_whole(revenue: Path, tmp_path: Path) -> None:
    asked = found(change(revenue, tmp_path, metric=REVENUE, window=window("2025-09-01", "2025-10-01")))
    assert [c.claim.subject.period for c in asked] == ["day [2025-09-01, 2025-09-10)"]
    assert "-0.04% (-4.61)" in asked[0].statement


def test_months_of_different_length_are_compared_per_day(revenue: Path, tmp_path: Path) -> None:
    february = found(change(revenue, tmp_path, metric=REVENUE, window=window("2025-02-01", "2025-03-01")))[0]
    assert february.statement.startswith(
        "The total revenue per day rises from 1,001.13 in January 2025 to 1,022.71 in February 2025: +2.2%; more than"
        " chance explains"
    )
    assert february.statement.endswith(
        "; in total 31,035.06 in January 2025 (31 days) and 28,635.82 in February 2025 (28 days)."
    )
    assert february.claim.value.direction == "up"
    assert february.claim.value.low is not None
    assert february.claim.value.low > 0


def test_totals_come_in_the_order_of_the_values(revenue: Path, tmp_path: Path) -> None:
    east = [{"column": "region", "values": ["S"]}]
    june = found(change(revenue, tmp_path, metric=REVENUE, window=window("2025-06-01", "2025-07-01"), filters=east))[0]
    assert june.null
    assert june.statement.startswith("The total revenue per day where region is S is ")
    after, before = june.statement.partition("; in total ")[2].split(" and ")
    assert after.endswith(" in June 2025 (30 days)")
    assert before.endswith(" in May 2025 (31 days).")


def test_a_few_untested_days_neither_rise_nor_fall(tmp_path: Path) -> None:
    days = days_from(date(2024, 6, 1), 64)
    file = table(tmp_path, {"day": days, "revenue": [100 if d.month < 8 else 150 for d in days]})
    running = found(change(file, tmp_path, metric=REVENUE))[-1]
    assert running.statement.startswith(
        "August 2024 is incomplete: 3 of 31 days, data end 2024-08-03. Like for like, the total revenue is 450 in"
        " 1-3 August 2024 against 300 in 1-3 July 2024: +50% (+150); too few days to tell chance from change"
    )
    assert running.claim.value.direction == "up"


def test_contributions_add_up_to_the_change(revenue: Path, tmp_path: Path) -> None:
    first, parts, _ = found(change(revenue, tmp_path, metric=REVENUE, contributions=["region"]))
    total = sum(row["contribution"] for row in parts.table)
    assert total == pytest.approx(35273.77 - 35011.31)
    assert sum(row["share_of_change"] for row in parts.table) == pytest.approx(1)
    assert parts.statement == (
        "By region, the change of +262.46 in the total revenue from July 2025 to August 2025 comes from S +157.15"
        " (59.9%), N +92.77 (35.3%) and W +12.54 (4.8%)."
    )
    assert parts.claim.value.text == "S"
    assert parts.test is None
    assert "the change as a whole is no more than chance explains" in parts.caveats
    assert parts.chart is not None
    assert first.claim.subject.dimension is None


@pytest.mark.parametrize(
    ("august", "said"),
    [
        (
            (12, 11, 5, 8),
            "the change of -124 in the total revenue from July 2024 to August 2024 comes from status 3 -155 (71.4% of"
            " the decreases) and status 4 -62 (28.6% of the decreases), against status 1 +62 and status 2 +31.",
        ),
        (
            (14, 12, 5, 10),
            "the total revenue from July 2024 to August 2024 changes by +31 net: status 1 +124 and status 2 +62 are"
            " nearly offset by status 3 -155.",
        ),
        (
            (15, 10, 9, 10),
            "the change of +124 in the total revenue from July 2024 to August 2024 comes from status 1 +155 (125%),"
            " against status 3 -31.",
        ),
    ],
)
def test_only_gains_and_losses_of_like_size_offset_each_other(tmp_path: Path, august: Sequence[int], said: str) -> None:
    rows = [
        (d, status + 1, 10 if d.month == 7 else august[status])
        for d in days_from(date(2024, 7, 1), 62)
        for status in range(4)
    ]
    file = table(tmp_path, {n: [r[i] for r in rows] for i, n in enumerate(("day", "status", "revenue"))})
    parts = found(change(file, tmp_path, metric=REVENUE, grain="month", contributions=["status"]))[1]
    assert parts.statement == f"By status, {said}"
    assert parts.claim.value.text in {"1", "3"}


def test_a_value_repeated_on_every_line_counts_once(tmp_path: Path) -> None:
    orders = [
        (d, f"O{d:%j}", 10 if d.month == 7 else 30, "x" if d.day % 2 else "y") for d in days_from(date(2024, 7, 1), 62)
    ]
    lines = [order for order in orders for _ in range(3)]
    file = table(tmp_path, {name: [r[i] for r in lines] for i, name in enumerate(("day", "order", "total", "kind"))})
    metric = of("sum", "total")
    first, parts = found(change(file, tmp_path, metric=metric, grain="month", contributions=["kind"], once_per="order"))
    assert [row["sum(total)"] for row in first.table] == [310, 930]
    assert sum(row["contribution"] for row in parts.table) == 620


def test_new_and_vanished_segments_are_told_apart_and_missing_ones_count(tmp_path: Path) -> None:
    rows = [(d, "old" if d.month == 1 else "new") for d in days_from(date(2024, 1, 1), 60)]
    rows += [(d, "") for d in days_from(date(2024, 1, 1), 60) if d.month == 2]
    rows += [(date(2024, 2, 10), "kept"), (date(2024, 1, 10), "kept"), (date(2024, 1, 11), "kept")]
    file = table(tmp_path, {"day": [r[0] for r in rows], "kind": [r[1] for r in rows], "n": [1] * len(rows)})
    parts = found(change(file, tmp_path, grain="month", contributions=["kind"]))[1]
    by_name = {row["segment"]: row for row in parts.table}
    assert set(by_name) == {"old", "new", "(missing)", "kept"}
    assert by_name["old"]["after"] == 0
    assert any(c.startswith("new in February 2024: ") and "new (" in c for c in parts.caveats)
    assert any(c.startswith("only in January 2024: old (") for c in parts.caveats)
    per_day = 59 / 29 - 33 / 31
    assert sum(row["contribution"] for row in parts.table) == pytest.approx(per_day)


def test_an_average_is_split_into_mix_and_rate_that_add_up(tmp_path: Path) -> None:
    rows = []
    for day in days_from(date(2024, 1, 1), 60):
        big = 1 if day.month == 1 else 3
        rows += [(day, "big", 100 + day.day % 3)] * big + [(day, "small", 10 + day.day % 2)] * 2
    file = table(tmp_path, {"day": [r[0] for r in rows], "size": [r[1] for r in rows], "price": [r[2] for r in rows]})
    first, split = found(change(file, tmp_path, metric=of("mean", "price"), grain="month", contributions=["size"]))
    assert first.claim.value.direction == "up"
    assert first.test == "Welch t"
    delta = sum(row["contribution"] for row in split.table)
    before, after = (row["mean(price)"] for row in first.table)
    assert delta == pytest.approx(after - before)
    assert "comes mostly from a shift in the mix of groups" in split.statement


def test_counts_are_tested_as_poisson_rates(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    days = [d for d in days_from(date(2024, 7, 1), 62) for _ in range(int(rng.poisson(3 if d.month == 7 else 6)))]
    days += [date(2024, 7, 1), date(2024, 8, 31)]
    file = table(tmp_path, {"day": sorted(days), "id": range(len(days))})
    first = found(change(file, tmp_path, grain="month"))[0]
    july, august = (row["count(*)"] for row in first.table)
    assert first.test == "Poisson rates"
    assert first.p_value is not None
    assert first.p_value < 0.001
    assert first.statement.startswith(
        f"The number of rows rises from {july} in July 2024 to {august} in August 2024: +"
    )
    low, high = first.claim.value.low, first.claim.value.high
    assert low is not None
    assert high is not None
    assert low < 100 * (august / july - 1) < high


def test_shares_change_in_percentage_points(tmp_path: Path) -> None:
    rows = [(d, "yes" if i % (4 if d.month == 7 else 2) == 0 else "no")
            for d in days_from(date(2024, 7, 1), 62) for i in range(8)]  # fmt: skip
    file = table(tmp_path, {"day": [r[0] for r in rows], "won": [r[1] for r in rows]})
    metric = of("share", "won", kind="indicator", values=["yes"])
    first = found(change(file, tmp_path, metric=metric, grain="month"))[0]
    assert "rises from 25% in July 2024 to 50% in August 2024: +25 percentage points" in first.statement
    assert first.claim.value.unit == "percentage points"
    assert first.claim.value.number == pytest.approx(25)
    assert first.test == "two-proportion score"


def test_no_percentage_from_a_base_that_is_not_above_zero(tmp_path: Path) -> None:
    days = days_from(date(2024, 7, 1), 62)
    file = table(tmp_path, {"day": days, "profit": [-5 + i % 3 if d.month == 7 else 8 for i, d in enumerate(days)]})
    first = found(change(file, tmp_path, metric=of("sum", "profit"), grain="month"))[0]
    assert "%" not in first.statement.split("(p")[0]
    assert "no percentage, because the value before is not above zero" in first.caveats
    assert first.claim.value.direction == "up"


def test_a_segment_that_appears_from_nothing_has_no_percentage(tmp_path: Path) -> None:
    days = days_from(date(2024, 7, 1), 62)
    file = table(tmp_path, {"day": days, "kind": ["b" if d.month == 8 else "a" for d in days]})
    first = found(change(file, tmp_path, grain="month", filters=[{"column": "kind", "values": ["b"]}]))[0]
    assert first.statement.startswith(
        "The number of rows where kind is b rises from 0 in July 2024 to 31 in August 2024"
    )
    assert first.claim.value.number == 31


def test_a_year_earlier_is_remarked(tmp_path: Path) -> None:
    days = days_from(date(2023, 1, 1), 500)
    file = table(tmp_path, {"day": days, "revenue": [10 if d.year == 2023 else 20 for d in days]})
    first = found(change(file, tmp_path, metric=REVENUE))[0]
    assert "a year earlier, in April 2023: 300 (+100% since)" in first.caveats
    quarter = {"column": "day", "start": "2024-01-01", "end": "2024-04-01", "label": "Q1 2024"}
    assert not any(
        "a year earlier" in c for c in found(change(file, tmp_path, metric=REVENUE, window=quarter))[0].caveats
    )


def test_two_windows_of_the_callers_choice(tmp_path: Path) -> None:
    days = days_from(date(2024, 1, 1), 100)
    file = table(tmp_path, {"day": days, "revenue": [1 + i % 2 for i in range(100)]})
    first = found(
        change(
            file, tmp_path, metric=REVENUE, window=window("2024-03-01", "2024-03-11"),
            versus=window("2024-01-01", "2024-01-11"),
        )
    )[0]  # fmt: skip
    assert "is 15 in 1-10 March 2024 against 15 in 1-10 January 2024: no change" in first.statement


@pytest.mark.parametrize(
    ("columns", "params", "reason"),
    [
        ({"day": ["2024-01-05"], "v": [3]}, {}, "fewer than two complete"),
        ({"name": ["a"], "v": [3]}, {}, "no time column"),
        (
            {"day": days_from(date(2024, 1, 1), 90), "v": range(90)},
            {"window": window("2030-01-01", "2030-02-01")},
            "no data lie in January 2030",
        ),
        (
            {"day": days_from(date(2024, 1, 1), 90), "v": range(90)},
            {"window": window("2024-01-01", "2024-02-01")},
            "no data lie in December 2023",
        ),
        ({"day": days_from(date(2024, 1, 1), 90), "v": range(90)}, {"contributions": ["w"]}, "no column 'w'"),
    ],
)
def test_what_cannot_be_measured_is_said(
    tmp_path: Path, columns: dict[str, Sequence[object]], params: dict[str, Any], reason: str
) -> None:
    result = change(table(tmp_path, columns), tmp_path, **params)
    assert result.candidates == []
    assert reason in (result.skipped or "")


def test_a_change_is_tested_again_on_its_own_spans(tmp_path: Path) -> None:
    days = [date(2025, 1, 1) + timedelta(days=i) for i in range(120)]
    rows = [f"{d},{region},{10 + i + k}" for i, d in enumerate(days) for k, region in enumerate("NS")]
    (tmp_path / "sales.csv").write_text("day,region,amount\n" + "\n".join(rows) + "\n")
    metric = {"aggregate": "sum", "measure": {"kind": "column", "columns": ["amount"]}}
    step = make_step("change", {"metric": metric, "contributions": ["region"]})
    with Catalogue(tmp_path / "home", allow_paths=True).open(
        str(tmp_path / "sales.csv"), now=datetime(2026, 1, 1, tzinfo=UTC)
    ) as dataset:
        view = dataset.view()
        found = run_step(step, view).candidates
        assert len(found) >= 2
        for candidate in found:
            again = direct_step(step, candidate.claim.subject)
            assert again.params["window"]["start"]
            assert again.params["versus"]["start"]
            repeated = match_candidate(candidate.claim, run_step(again, view).candidates)
            assert repeated is not None
            assert repeated.claim == candidate.claim


def test_what_is_said_of_the_parts_adds_up_to_the_change(tmp_path: Path) -> None:
    sizes = {"a": 40, "b": 30, "c": 20, "d": 6, "e": 5, "f": -9, "g": -8, "h": -4, "i": -2}
    days = days_from(date(2024, 7, 1), 62)
    rows = [
        {"day": day, "team": team, "revenue": 100 + (step if day.month == 8 else 0)}
        for day in days
        for team, step in sizes.items()
    ]
    file = table(tmp_path, {name: [row[name] for row in rows] for name in ("day", "team", "revenue")})
    parts = found(change(file, tmp_path, metric=REVENUE, grain="month", contributions=["team"]))[1]
    assert "c +620 (25.6%)" in parts.statement
    assert "and 2 others +341 (14.1%), against f -279, g -248 and 2 others -186." in parts.statement
