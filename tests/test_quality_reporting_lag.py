"""Rows missing at the newest edge are found; quiet weekends, declines, noise and running days are not."""

import re
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from datasets import Catalogue
from datasets.directives import ExcludeRecent
from datasets.quality import detect
from datasets.quality._edge import read_edge
from detecting import NOW, look, of_kind


def daily_rows(counts: Sequence[int], *, first: date = date(2025, 1, 6)) -> dict[str, Sequence[object]]:
    """A table with that many rows on each day."""
    days = [first + timedelta(days=i) for i, n in enumerate(counts) for _ in range(n)]
    return {"order_id": range(1, len(days) + 1), "day": days, "amount": [(i * 37) % 101 / 4 for i in range(len(days))]}


def poisson(seed: int, days: int, rate: float) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.random.default_rng(seed).poisson(rate, days)


@pytest.mark.parametrize(("days", "kept"), [(2, (60, 9)), (3, (41, 12, 3)), (7, (70, 60, 50, 30, 20, 12, 2))])
def test_a_lag_is_found_with_its_length_and_said_in_words(tmp_path: Path, days: int, kept: tuple[int, ...]) -> None:
    counts = [*poisson(1, 120 - days, 200), *kept]
    detection = look(tmp_path, daily_rows(counts))
    (fact,) = of_kind(detection, "reporting_lag")
    assert fact.directive == ExcludeRecent(column="day", days=days)
    assert fact.status == "suspected"
    assert fact.claim.subject.column == "day"
    assert fact.claim.value.number == days
    assert f"The last {days} days of day look incomplete" in fact.statement
    assert re.search(r"rows against about (19|20)\d a day expected", fact.statement)
    assert ("reporting_lag", "day") in detection.powered


def test_one_late_day_reads_as_one(tmp_path: Path) -> None:
    (fact,) = of_kind(look(tmp_path, daily_rows([*poisson(2, 119, 60), 6])), "reporting_lag")
    assert fact.statement.startswith("The last day of day looks incomplete: 6 rows against about ")
    assert fact.statement.endswith("It is left out of trends and comparisons.")


def test_a_crash_cannot_be_told_from_a_lag_and_stays_suspected(tmp_path: Path) -> None:
    (fact,) = of_kind(look(tmp_path, daily_rows([*poisson(3, 117, 200), 80, 78, 83])), "reporting_lag")
    assert fact.status == "suspected"
    assert "suspected" in fact.statement


def test_weekends_without_rows_are_no_lag(tmp_path: Path) -> None:
    week = [1.0, 1.0, 1.0, 1.0, 1.0, 0.05, 0.0]
    counts = [int(n * week[i % 7]) for i, n in enumerate(poisson(4, 126, 100))]
    detection = look(tmp_path, daily_rows(counts[:-1]))
    assert not of_kind(detection, "reporting_lag")
    assert ("reporting_lag", "day") in detection.powered


def test_a_lag_over_a_weekend_counts_calendar_days(tmp_path: Path) -> None:
    week = [1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0]
    counts = [int(n * week[i % 7]) for i, n in enumerate(poisson(5, 127, 100))]
    counts[-4:] = [10, 0, 0, 4]  # Friday, Saturday, Sunday, Monday
    (fact,) = of_kind(look(tmp_path, daily_rows(counts)), "reporting_lag")
    assert fact.directive == ExcludeRecent(column="day", days=4)


def test_a_steady_decline_is_no_lag(tmp_path: Path) -> None:
    rates = 200 * np.exp(-0.01 * np.arange(180))
    counts = np.random.default_rng(6).poisson(rates)
    assert not of_kind(look(tmp_path, daily_rows([int(n) for n in counts])), "reporting_lag")


def test_a_feed_that_stops_at_noon_is_no_lag_but_one_that_stops_at_night_is(tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    stamps = []
    for i, n in enumerate(rng.poisson(40, 90)):
        start = datetime(2025, 1, 6) + timedelta(days=i)
        stamps += [start + timedelta(minutes=int(m)) for m in rng.integers(0, 1440, n)]
    noon = [s for s in stamps if s < datetime(2025, 1, 6, 11) + timedelta(days=89)]
    assert not of_kind(look(tmp_path, {"id": range(len(noon)), "seen_at": noon}), "reporting_lag")
    last = datetime(2025, 1, 6) + timedelta(days=89)
    late = [s for i, s in enumerate(stamps) if s < last or i % 8 == 0]
    assert of_kind(look(tmp_path, {"id": range(len(late)), "seen_at": late}), "reporting_lag")


def test_too_short_and_too_thin_series_have_no_power(tmp_path: Path) -> None:
    for counts in (poisson(8, 50, 200), poisson(9, 300, 1)):
        detection = look(tmp_path, daily_rows([int(n) for n in counts]))
        assert not of_kind(detection, "reporting_lag")
        assert ("reporting_lag", "day") not in detection.powered


def test_a_few_rows_in_the_far_future_are_no_lag(tmp_path: Path) -> None:
    table = daily_rows([int(n) for n in poisson(10, 120, 40)])
    days = list(table["day"])
    days[5] = days[6] = date(2026, 12, 24)
    assert not of_kind(look(tmp_path, {**table, "day": days}), "reporting_lag")


def test_a_view_that_already_leaves_the_days_out_shows_no_lag(tmp_path: Path) -> None:
    table = daily_rows([*poisson(11, 117, 200), 41, 12, 3])
    look(tmp_path, table)
    with Catalogue(tmp_path / "home", allow_paths=True).open(str(tmp_path / "table.csv"), now=NOW) as dataset:
        clipped = dataset.view([("m1", ExcludeRecent(column="day", days=3))])
        assert not of_kind(detect(clipped), "reporting_lag")


@pytest.mark.parametrize("rate", [20, 200])
def test_recall_and_false_alarms_over_many_series(rate: int) -> None:
    found = false = 0
    for seed in range(60):
        rng = np.random.default_rng([12, rate, seed])
        noise = np.zeros(180)
        for i in range(1, 180):
            noise[i] = 0.6 * noise[i - 1] + rng.normal(0, 0.1)
        counts = rng.poisson(rate * np.exp(noise))
        false += read_edge(counts, 0).tail is not None
        counts[-3:] = rng.binomial(counts[-3:], 0.1)
        found += read_edge(counts, 0).tail is not None
    assert found >= 57
    assert false <= 1
