"""Trends over complete periods: tests, null findings, spikes, and the segment that moves unlike the others."""

import json
import math
import re
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from measured_tables import table

from datasets import Catalogue
from datasets.battery import make_step, run_step
from datasets.battery._statistics.series import spikes, trend
from datasets.directives import ExcludeRecent
from datasets.evidence import Candidate, StepResult

NOW = datetime(2026, 1, 1, tzinfo=UTC)
ROWS: dict[str, Any] = {}


def measure_trend(file: Path, home: Path, *, directives: Sequence[Any] = (), **params: Any) -> StepResult:
    with Catalogue(home, allow_paths=True).open(str(file), now=NOW) as dataset:
        view = dataset.view([(None, d) for d in directives])
        result = run_step(make_step("trend", params), view)
        json.dumps(result.model_dump(), allow_nan=False)
        for candidate in result.candidates:
            assert len(candidate.table) <= 50
            for sql in candidate.sql:
                view.query(sql)
    assert result.tests_run == len(result.raw_p_values)
    return result


def only(result: StepResult) -> Candidate:
    assert result.skipped is None, result.skipped
    assert len(result.candidates) == 1, [c.statement for c in result.candidates]
    return result.candidates[0]


def of(aggregate: str, kind: str, *columns: str, **more: Any) -> dict[str, Any]:
    return {"aggregate": aggregate, "measure": {"kind": kind, "columns": columns, **more}}


def days_from(start: date, count: int) -> list[date]:
    return [start + timedelta(days=i) for i in range(count)]


def daily(folder: Path, level: Callable[[int], float], *, start: date, count: int) -> Path:
    return table(folder, {"day": days_from(start, count), "sales": [round(level(i), 2) for i in range(count)]})


def test_the_running_month_is_named_and_left_out(shared: Path, tmp_path: Path) -> None:
    file = shared / "cases" / "23-partial-last-month" / "daily_revenue.csv"
    found = only(measure_trend(file, tmp_path, metric=of("sum", "column", "revenue")))
    assert found.statement == (
        "The total revenue increases over time, from 31,035.06 in January 2025 to 35,273.77 in August 2025"
        " (about +2% a month, Mann-Kendall p < 0.001). September 2025 is incomplete: 9 of 30 days, data end 2025-09-09;"
        " it is left out of the trend."
    )
    assert found.claim.value.direction == "up"
    assert found.n == 729
    assert [row["complete"] for row in found.table] == [True] * 8 + [False]
    assert found.effect is not None
    assert found.effect.value == 1.0
    assert found.robust is True


def test_a_short_month_is_no_drop(tmp_path: Path) -> None:
    file = daily(tmp_path, lambda i: 100.0, start=date(2024, 1, 1), count=366)
    found = only(measure_trend(file, tmp_path, metric=of("sum", "column", "sales")))
    assert found.null
    assert found.statement == "The total sales is the same in all 12 complete months: 100 per day."


def test_growth_of_a_tenth_of_a_percent_a_day_outweighs_month_lengths(tmp_path: Path) -> None:
    file = daily(tmp_path, lambda i: 100 * 1.001**i, start=date(2024, 1, 1), count=366)
    found = only(measure_trend(file, tmp_path, metric=of("sum", "column", "sales")))
    assert found.claim.value.direction == "up"
    assert found.effect is not None
    assert found.effect.value == 1.0


def test_no_trend_is_said_with_the_range_and_an_interval(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    days = [d for d in days_from(date(2023, 1, 1), 396) for _ in range(int(rng.poisson(2)))]
    found = only(measure_trend(table(tmp_path, {"opened": days, "id": range(len(days))}), tmp_path, metric=ROWS))
    assert found.null
    assert found.claim.value.direction == "flat"
    months = [row["count(*)"] for row in found.table if row["complete"]]
    expected = f"The number of rows shows no clear trend over time: between {min(months)} and {max(months)} a month"
    assert found.statement.startswith(expected)
    assert "; a change of up to 24.75 over the whole time is not ruled out, at 95% confidence." in found.statement
    assert found.inconclusive
    assert found.effect is not None
    assert found.effect.low is not None
    assert found.effect.low < 0 < (found.effect.high or 0)
    assert found.claim.value.low is not None


def test_a_level_is_stable_only_where_a_change_that_matters_is_ruled_out(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    days = [d for d in days_from(date(2023, 1, 1), 396) for _ in range(int(rng.poisson(40)))]
    found = only(measure_trend(table(tmp_path, {"opened": days, "id": range(len(days))}), tmp_path, metric=ROWS))
    assert found.null
    assert not found.inconclusive
    assert found.statement.startswith("The number of rows is stable over time, no trend: between ")
    assert " a month (Mann-Kendall p = " in found.statement
    room = re.search(r"a change of more than ([\d.]+) over the whole time is ruled out", found.statement)
    assert room is not None
    assert 0 < float(room.group(1)) <= 0.25 * 40 * 31


def test_a_sure_change_of_a_hundredth_over_two_years_is_practically_flat(tmp_path: Path) -> None:
    file = daily(tmp_path, lambda i: 1_000 + 0.013 * i, start=date(2023, 1, 1), count=730)
    found = only(measure_trend(file, tmp_path, metric=of("mean", "column", "sales")))
    assert found.null
    assert not found.inconclusive
    assert found.claim.value.direction == "flat"
    assert found.statement.startswith(
        "The average sales is practically flat over time: between 1,000.20 and 1,008.90 by"
    )


@pytest.mark.parametrize("later", [15, 5])
def test_a_step_between_long_flat_stretches_is_not_called_stable(tmp_path: Path, later: int) -> None:
    """Slowly wandering noise lies on both levels, so that a test for a trend finds none."""
    per_month = [10, 11, 10, 9, 10, 11, 10, 9, *(later + d for d in (0, 1, 0, -1, 0, 1, 0, -1))]
    days = [date(2023 + m // 12, m % 12 + 1, 1 + i % 28) for m, n in enumerate(per_month) for i in range(n)]
    days += [date(2024, 4, 30)]
    result = measure_trend(table(tmp_path, {"opened": sorted(days), "id": range(len(days))}), tmp_path, grain="month")
    found = result.candidates[0]
    assert "stable" not in found.statement
    way, since = ("up", "14 to 16") if later == 15 else ("down", "4 to 6")
    assert f"{way} in September 2023: 9 to 11 a month before, {since} since" in found.statement
    assert found.claim.value.direction == way


def test_a_steady_rise_is_no_step(tmp_path: Path) -> None:
    days = [date(2023, m + 1, 1 + i % 28) for m in range(12) for i in range(10 + 2 * m + m % 2)]
    days += [date(2023, 12, 31)]
    found = only(measure_trend(table(tmp_path, {"opened": days, "id": range(len(days))}), tmp_path, grain="month"))
    assert "increases over time" in found.statement
    assert "step" not in found.statement


def test_a_spike_names_its_months_and_what_the_others_have(tmp_path: Path) -> None:
    per_month = [8, 4, 12, 7, 9, 6, 44, 52, 10, 5, 8, 9]
    days = [date(2023, m + 1, 1 + i % 28) for m, n in enumerate(per_month) for i in range(n)]
    days += [date(2023, 12, 31), date(2023, 1, 1)]
    result = measure_trend(table(tmp_path, {"opened": sorted(days), "id": range(len(days))}), tmp_path, grain="month")
    assert [c.claim.subject.relation for c in result.candidates] == ["trend", "outliers"]
    spike = result.candidates[1]
    assert spike.statement == (
        "The number of rows spikes in July and August 2023: 44 and 52 against 4 to 12 in the other months."
    )
    assert spike.claim.value.text == "July 2023, August 2023"
    assert spike.p_value is not None
    assert spike.p_value < 1e-4
    assert result.candidates[0].null


def test_the_one_segment_that_rises_is_named_against_the_flat_ones(tmp_path: Path) -> None:
    rng = np.random.default_rng(11)
    starts, ends, agents = [], [], []
    for i, day in enumerate(days_from(date(2023, 1, 1), 365)):
        for agent in ("Ana", "Bo", "Cy"):
            wait = 5 + i / 6 if agent == "Cy" else 5 + rng.normal(0, 1)
            starts.append(datetime(day.year, day.month, day.day, 8))
            ends.append(starts[-1] + timedelta(days=float(wait)))
            agents.append(agent)
    file = table(tmp_path, {"opened_at": starts, "closed_at": ends, "agent": agents})
    result = measure_trend(file, tmp_path, metric=of("mean", "duration", "opened_at", "closed_at"), by="agent")
    found = result.candidates[0]
    assert found.statement.startswith("Cy stands out: the average time from opened_at to closed_at rises from 7.5")
    assert "in December 2023, while the other 2 groups of agent stay flat at" in found.statement
    assert found.claim.subject.dimension == "agent"
    assert found.claim.subject.segment is None
    assert found.claim.value.text == "Cy"
    assert found.robust is True
    assert result.tests_run == 6  # a trend and a search for spikes in each


def test_growth_is_ranked_over_segments(tmp_path: Path) -> None:
    rows = []
    for month in range(1, 13):
        sizes = {"Network": 3 * month, "Database": 2 * month, "Mail": 10}
        rows += [(date(2023, month, 1 + i % 28), kind) for kind, n in sizes.items() for i in range(n)]
        rows += [(date(2023, month, 1), "Mail"), (date(2023, month, 28), "Mail")]
    rows.append((date(2023, 12, 31), "Mail"))
    rows.sort()
    file = table(tmp_path, {"opened": [r[0] for r in rows], "category": [r[1] for r in rows]})
    found = measure_trend(file, tmp_path, by="category", grain="month").candidates[0]
    assert found.statement == (
        "The growth of the number of rows is strongest in Network (from 3 to 36 a month), followed by Database (from 2"
        " to 24). Mail stays flat."
    )
    assert found.claim.value.direction == "up"
    assert [row["segment"] for row in found.table] == ["Network", "Database", "Mail"]


def test_a_segment_that_leads_in_every_period_is_said(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    rows = [
        (day, who)
        for day in days_from(date(2023, 1, 1), 365)
        for who, rate in (("Fred", 3), ("Ana", 0.4), ("Bo", 0.3))
        for _ in range(int(rng.poisson(rate)))
    ]
    file = table(tmp_path, {"opened": [r[0] for r in rows], "agent": [r[1] for r in rows]})
    result = measure_trend(file, tmp_path, by="agent")
    leads = next(c for c in result.candidates if c.claim.subject.relation == "extreme")
    assert leads.statement.startswith("Fred has the most rows of all groups of agent in every month: ")
    assert leads.test is None


def test_quiet_months_of_a_segment_are_zeros_and_its_end_is_not_the_end_of_the_data(tmp_path: Path) -> None:
    days = days_from(date(2023, 1, 1), 365)
    kinds = ["rare" if d.day == 3 and d.month < 9 else "usual" for d in days]
    file = table(tmp_path, {"day": days, "kind": kinds})
    filters = [{"column": "kind", "values": ["rare"]}]
    found = measure_trend(file, tmp_path, filters=filters, grain="month").candidates[0]
    assert [row["count(*)"] for row in found.table] == [1] * 8 + [0] * 4
    assert all(row["complete"] for row in found.table)


def test_days_left_out_by_a_directive_make_the_last_month_incomplete(tmp_path: Path) -> None:
    file = daily(tmp_path, lambda i: 50 + i, start=date(2024, 1, 1), count=366)
    late = ExcludeRecent(column="day", days=3)
    found = only(measure_trend(file, tmp_path, directives=[late], metric=of("sum", "column", "sales"), grain="month"))
    assert "December 2024 is incomplete: 28 of 31 days, data end 2024-12-28" in found.caveats
    assert "data are used up to 2024-12-28; later days are left out" in found.caveats


def test_a_column_that_comes_late_ends_where_its_values_end(tmp_path: Path) -> None:
    file = daily(tmp_path, lambda i: 50 + i, start=date(2024, 1, 1), count=366)
    late = ExcludeRecent(column="day", days=3, measure="sales")
    total = only(measure_trend(file, tmp_path, directives=[late], metric=of("sum", "column", "sales"), grain="month"))
    assert "December 2024 is incomplete: 28 of 31 days, data end 2024-12-28" in total.caveats
    count = only(measure_trend(file, tmp_path, directives=[late], grain="month"))
    assert all(row["complete"] for row in count.table)


def test_too_few_periods_are_reported_without_a_test(tmp_path: Path) -> None:
    file = daily(tmp_path, lambda i: 10 + i, start=date(2024, 1, 1), count=182)
    found = only(measure_trend(file, tmp_path, metric=of("mean", "column", "sales"), grain="month"))
    assert found.test is None
    assert found.statement == (
        "The average sales goes from 25 in January 2024 to 176.50 in June 2024, over 6 complete months (too few for a"
        " trend test)."
    )


@pytest.mark.parametrize(
    ("columns", "params", "reason"),
    [
        ({"day": ["2024-01-05"], "v": [3]}, {"grain": "month"}, "only 0 complete months with data"),
        ({"day": ["2024-01-01", "2024-01-02"], "v": ["", ""]}, {"metric": of("sum", "column", "v")}, "'v' is empty"),
        ({"name": ["a", "b"], "v": [1, 2]}, {}, "no time column"),
        ({"day": ["2024-01-01", "2024-01-02"], "v": [1, 2]}, {"time": "v"}, "'v' holds no dates"),
        ({"day": ["2024-01-01", "2024-01-02"], "v": [1, 2]}, {"time": "w"}, "no column 'w'"),
    ],
)
def test_what_cannot_be_measured_is_said(
    tmp_path: Path, columns: dict[str, list[object]], params: dict[str, Any], reason: str
) -> None:
    result = measure_trend(table(tmp_path, columns), tmp_path, **params)
    assert result.candidates == []
    assert reason in (result.skipped or "")


def test_an_average_over_open_records_says_how_many_have_no_end(tmp_path: Path) -> None:
    days = days_from(date(2023, 1, 1), 365)
    ends = [d + timedelta(days=4) if i < 340 else "" for i, d in enumerate(days)]
    file = table(tmp_path, {"opened_at": days, "closed_at": ends})
    found = only(measure_trend(file, tmp_path, metric=of("mean", "duration", "opened_at", "closed_at")))
    assert found.n == 340
    assert "25 of 365 rows have no closed_at and are left out; recent ones may be open" in found.caveats


def test_years_as_numbers_every_fifth_year_are_no_gaps(tmp_path: Path) -> None:
    years = [y for y in range(1952, 2008, 5) for _ in range(3)]
    file = table(tmp_path, {"year": years, "life": [40 + (y - 1952) * 0.4 + i % 3 for i, y in enumerate(years)]})
    found = only(measure_trend(file, tmp_path, metric=of("mean", "column", "life"), time="year"))
    assert found.statement.startswith("The average life increases over time, from 41 in 1952 to 63 in 2007")
    assert len([row for row in found.table if row["mean(life)"] is not None]) == 12


def test_a_value_repeated_on_every_line_counts_once(tmp_path: Path) -> None:
    orders = [(d, f"O{d:%j}{k}", 10 + k) for d in days_from(date(2024, 1, 1), 366) for k in range(2)]
    lines = [order for order in orders for _ in range(3)]
    file = table(
        tmp_path, {"day": [r[0] for r in lines], "order": [r[1] for r in lines], "total": [r[2] for r in lines]}
    )
    found = only(measure_trend(file, tmp_path, metric=of("sum", "column", "total"), once_per="order"))
    assert found.statement == "The total total is the same in all 12 complete months: 21 per day."


def test_a_window_cuts_periods_and_says_so(tmp_path: Path) -> None:
    file = daily(tmp_path, lambda i: 50 + i, start=date(2024, 1, 1), count=366)
    window = {"column": "day", "start": "2024-02-01", "end": "2024-12-16"}
    found = only(measure_trend(file, tmp_path, metric=of("sum", "column", "sales"), window=window, grain="month"))
    assert [row["complete"] for row in found.table] == [True] * 10 + [False]
    assert "December 2024 is incomplete: it is cut by" in found.statement


def test_one_outlying_month_does_not_make_a_robust_trend() -> None:
    found = trend([5, 6, 5, 6, 5, 6, 5, 6, 5, 40])
    assert found is not None
    assert found.p > 0.05
    assert trend([3.0] * 12) is None
    assert trend([1, 2, 3]) is None


def test_mann_kendall_agrees_with_the_textbook_without_autocorrelation() -> None:
    values = [10, 24, 15, 30, 20, 33, 25, 38, 28, 41, 35, 38]
    found = trend(values)
    assert found is not None
    s = sum(np.sign(b - a) for i, a in enumerate(values) for b in values[i + 1 :])
    variance = (12 * 11 * 29 - 2 * 1 * 9) / 18
    assert found.tau.value == pytest.approx(s / 66)
    assert found.effective == 12
    z = float(s - 1) / math.sqrt(variance)
    assert found.p == pytest.approx(math.erfc(z / math.sqrt(2)))
    slopes = [(b - a) / (j - i) for i, a in enumerate(values) for j, b in enumerate(values) if j > i]
    assert found.slope == pytest.approx(np.median(slopes))


def test_autocorrelated_noise_is_seldom_called_a_trend() -> None:
    rng = np.random.default_rng(17)
    false = 0
    for _ in range(300):
        noise, x = rng.normal(size=44), np.zeros(44)
        for i in range(1, 44):
            x[i] = 0.5 * x[i - 1] + noise[i]
        found = trend([float(v) for v in x[20:]])
        assert found is not None
        false += found.p < 0.05
    assert false / 300 < 0.12


def test_noise_of_counts_is_seldom_called_a_spike() -> None:
    rng = np.random.default_rng(23)
    false = 0
    for _ in range(200):
        counts = [float(v) for v in rng.poisson(9, 13)]
        found = spikes(counts, noise=[3.0] * 13, counts=True, days=[30.0] * 13)
        false += any(s.p < 0.05 for s in found)
    assert false / 200 < 0.03


def test_the_top_of_a_slope_is_no_spike() -> None:
    growing = [10.0 * 1.15**i for i in range(40)]
    assert spikes(growing, noise=[1.0] * 40) == []


def test_single_rows_in_a_quiet_series_are_no_spikes(tmp_path: Path) -> None:
    days = days_from(date(2022, 1, 1), 730)
    rare = {(2022, 3): 2, (2022, 6): 1, (2023, 4): 4, (2023, 5): 1, (2023, 9): 2}
    kinds = ["rare" if d.day <= rare.get((d.year, d.month), 0) else "usual" for d in days]
    file = table(tmp_path, {"day": days, "kind": kinds})
    result = measure_trend(file, tmp_path, filters=[{"column": "kind", "values": ["rare"]}], grain="month")
    spikes_said = [c.statement for c in result.candidates if c.claim.subject.relation == "outliers"]
    assert spikes_said == [
        "The number of rows where kind is rare spikes in April 2023: 4 against 0 to 2 in the other months."
    ]


def test_two_spikes_are_each_held_against_the_months_without_one(tmp_path: Path) -> None:
    per_month = [8, 4, 12, 60, 9, 6, 7, 9, 10, 52, 8, 9]
    days = [date(2023, m + 1, 1 + i % 28) for m, n in enumerate(per_month) for i in range(n)]
    days += [date(2023, 12, 31), date(2023, 1, 1)]
    result = measure_trend(table(tmp_path, {"opened": sorted(days), "id": range(len(days))}), tmp_path, grain="month")
    assert [c.statement for c in result.candidates if c.claim.subject.relation == "outliers"] == [
        "The number of rows spikes in April 2023: 60 against 4 to 12 in months without such a spike.",
        "The number of rows spikes in October 2023: 52 against 4 to 12 in months without such a spike.",
    ]


def test_ends_that_hide_the_trend_give_way_to_the_trend_line(tmp_path: Path) -> None:
    values = [5.0, *(10 + 1.0 * i for i in range(10)), 5.1]
    months = [date(2023, m + 1, d) for m in range(12) for d in (1, 15, 28)] + [date(2023, 12, 31)]
    file = table(tmp_path, {"day": months, "score": [values[d.month - 1] for d in months]})
    found = measure_trend(file, tmp_path, metric=of("mean", "column", "score"), grain="month").candidates[0]
    assert found.p_value is not None
    if found.p_value <= 0.05:
        assert "along the trend line from about" in found.statement


def test_a_segment_that_only_goes_up_is_not_called_flat(tmp_path: Path) -> None:
    rows = []
    for month in range(1, 16):
        day = date(2023 + (month - 1) // 12, (month - 1) % 12 + 1, 1)
        opened = round(1.4 ** max(0, month - 3))
        rows += [(day + timedelta(days=i % 28), "Closed") for i in range(200 - 12 * month)]
        rows += [(day + timedelta(days=i % 28), "Open") for i in range(opened)]
    rows += [(date(2024, 3, 31), "Open")]
    rows.sort()
    file = table(tmp_path, {"opened": [r[0] for r in rows], "state": [r[1] for r in rows]})
    found = measure_trend(file, tmp_path, by="state", grain="month").candidates[0]
    assert "Open stays flat" not in found.statement


@pytest.mark.parametrize("lasting", [70, 300])
def test_durations_that_seem_to_fall_because_the_long_ones_are_open_are_told_so(tmp_path: Path, lasting: int) -> None:
    rng = np.random.default_rng(17)
    days = [d for d in days_from(date(2023, 1, 1), 365) for _ in range(4)]
    ends = [d + timedelta(days=round(float(rng.exponential(lasting)))) for d in days]
    closed = [end if end < date(2024, 1, 1) else "" for end in ends]
    file = table(tmp_path, {"opened": days, "closed": closed})
    found = only(measure_trend(file, tmp_path, metric=of("mean", "duration", "opened", "closed"), grain="month"))
    assert found.claim.value.direction == "down"
    assert "have no closed yet" in found.statement
    assert found.robust is False


def test_durations_that_really_fall_are_not_doubted(tmp_path: Path) -> None:
    days = days_from(date(2023, 1, 1), 365)
    ends = [d + timedelta(days=60 - i // 9) if i % 30 else "" for i, d in enumerate(days)]
    file = table(tmp_path, {"opened": days, "closed": ends})
    found = only(measure_trend(file, tmp_path, metric=of("mean", "duration", "opened", "closed"), grain="month"))
    assert found.claim.value.direction == "down"
    assert "yet" not in found.statement


def test_the_start_of_a_busy_time_is_no_spike(tmp_path: Path) -> None:
    counts = [0] * 20 + [14, 9, 0, 8, 9, 12, 10, 7, 0, 13, 11]
    days = [date(2021 + m // 12, m % 12 + 1, 1 + i % 28) for m, n in enumerate(counts) for i in range(n)]
    all_days = [date(2021 + m // 12, m % 12 + 1, d) for m in range(len(counts)) for d in (1, 15, 28)]
    every = sorted([(d, "busy") for d in days] + [(d, "usual") for d in [*all_days, date(2023, 7, 31)]])
    file = table(tmp_path, {"day": [r[0] for r in every], "kind": [r[1] for r in every]})
    result = measure_trend(file, tmp_path, filters=[{"column": "kind", "values": ["busy"]}], grain="month")
    assert [c.statement for c in result.candidates if c.claim.subject.relation == "outliers"] == []


def test_that_no_day_stands_out_is_told_where_it_is_asked(tmp_path: Path) -> None:
    rows = [{"day": date(2025, 1, 1) + timedelta(days=k), "sales": 100 + k * 7 % 11} for k in range(60)]
    file = tmp_path / "sales.csv"
    file.write_text("day,sales\n" + "\n".join(f"{r['day']},{r['sales']}" for r in rows))
    params = {"metric": {"aggregate": "sum", "measure": {"kind": "column", "columns": ["sales"]}}, "grain": "day"}
    with Catalogue(tmp_path / "home", allow_paths=True).open(str(file), now=NOW) as dataset:
        view = dataset.view()
        told = run_step(make_step("trend", {**params, "spikes": True}), view)
        plain = run_step(make_step("trend", params), view)
    assert told.candidates[0].statement.startswith("No day stands out in the total sales: none of the 60 complete days")
    assert told.candidates[0].null
    assert [c.claim.subject.relation for c in plain.candidates] == ["trend"]
    # The search for spikes is a test, whether or not it found one.
    assert plain.tests_run == told.tests_run == 2


def test_a_fall_in_closed_tickets_is_doubted_where_the_newest_are_still_open(tmp_path: Path) -> None:
    rng = np.random.default_rng(9)
    last = datetime(2025, 9, 30, 23)
    rows = ["opened_at,closed_at,status"]
    for k in range(3_276):
        opened = datetime(2025, 1, 1) + timedelta(hours=2 * k)
        closed = opened + timedelta(days=float(rng.exponential(60)))
        done = closed <= last
        rows.append(f"{opened},{closed if done else ''},{'closed' if done else 'open'}")
    file = tmp_path / "tickets.csv"
    file.write_text("\n".join(rows))
    closed_count = {"filters": [{"column": "status", "values": ["closed"]}], "time": "opened_at", "grain": "month"}
    measure = {"kind": "indicator", "columns": ["status"], "values": ["closed"]}
    closed_share = {"metric": {"aggregate": "share", "measure": measure}, "time": "opened_at", "grain": "month"}
    with Catalogue(tmp_path / "home", allow_paths=True).open(str(file), now=NOW) as dataset:
        for params in (closed_count, closed_share):
            found = run_step(make_step("trend", params), dataset.view()).candidates[0]
            assert found.claim.value.direction == "down"
            assert "have no closed_at yet" in found.statement
            assert "so this need be no real decrease" in found.statement


@pytest.mark.parametrize(
    ("drop", "window", "direction"),
    [(15.0, False, "down"), (15.0, True, "down"), (0.2, False, "flat"), (-15.0, False, "up")],
)
def test_a_flat_series_is_held_against_the_level_that_was_known(
    tmp_path: Path, drop: float, window: bool, direction: str
) -> None:
    noise = np.random.default_rng(3).normal(0, 2, 400)
    file = daily(tmp_path, lambda i: 100 + noise[i] - (drop if i >= 305 else 0), start=date(2024, 1, 1), count=390)
    since = {"column": "day", "start": "2024-11-01", "label": "the time since 2024-11-01"}
    found = measure_trend(
        file,
        tmp_path,
        metric=of("mean", "column", "sales"),
        grain="week",
        known_until="2024-10-31",
        window=since if window else None,
    ).candidates[0]
    assert found.claim.value.direction == direction
    assert found.null == (direction == "flat")
    if direction != "flat":
        assert f"moved to a {'lower' if drop > 0 else 'higher'} level" in found.statement
        assert found.claim.value.number == pytest.approx(-drop, abs=1)
