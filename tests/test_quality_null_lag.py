"""A column that is empty at the newest edge is late; one that is empty because a case is still open is not."""

from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path

import numpy as np

from datasets.directives import ExcludeRecent
from detecting import look, of_kind

DAYS = 100
PER_DAY = 12
N = DAYS * PER_DAY
DAY = [date(2025, 3, 3) + timedelta(days=i // PER_DAY) for i in range(N)]


def tail(days: int) -> list[bool]:
    return [i >= N - days * PER_DAY for i in range(N)]


def amounts(seed: int, *, empty: Sequence[bool], gone: object = "") -> list[object]:
    values = np.random.default_rng(seed).lognormal(3, 0.5, N).round(2)
    return [gone if e else v for e, v in zip(empty, values, strict=True)]


def table(**columns: Sequence[object]) -> dict[str, Sequence[object]]:
    return {"order_id": range(1, N + 1), "day": DAY, **columns}


def test_empty_values_in_the_last_days_are_late(tmp_path: Path) -> None:
    detection = look(tmp_path, table(margin=amounts(1, empty=tail(4)), price=amounts(2, empty=tail(0))))
    (fact,) = of_kind(detection, "null_lag")
    assert fact.column == "margin"
    assert fact.directive == ExcludeRecent(column="day", days=4, measure="margin")
    assert fact.status == "suspected"
    assert fact.statement == (
        "margin is empty on the last 4 days of day (all 48 rows), against never before; suspected late values. "
        "Those days are left out where margin is used."
    )
    assert {("null_lag", "margin"), ("null_lag", "price")} <= set(detection.powered)


def test_zeros_in_the_last_days_are_late_too(tmp_path: Path) -> None:
    (fact,) = of_kind(look(tmp_path, table(cost=amounts(3, empty=tail(3), gone=0))), "null_lag")
    assert "cost is zero on the last 3 days" in fact.statement
    assert fact.claim.value.text == "zero"


def test_usual_gaps_do_not_hide_a_lag_and_are_none(tmp_path: Path) -> None:
    gaps = np.random.default_rng(4).random(N) < 0.2
    with_lag = amounts(5, empty=[bool(g) or t for g, t in zip(gaps, tail(5), strict=True)])
    detection = look(tmp_path, table(late=with_lag, gappy=amounts(6, empty=[bool(g) for g in gaps])))
    (fact,) = of_kind(detection, "null_lag")
    assert fact.column == "late"
    assert "of the rows before" in fact.statement


def test_an_open_case_has_no_closing_date_and_that_is_no_lag(tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    is_open = [t or bool(rng.random() < 0.02) for t in tail(5)]
    status = ["Open" if o else ["Closed", "Resolved"][i % 2] for i, o in enumerate(is_open)]
    closed = ["" if o else (d + timedelta(days=1)).isoformat() for o, d in zip(is_open, DAY, strict=True)]
    detection = look(tmp_path, table(status=status, closed_on=closed, fee=amounts(8, empty=is_open)))
    assert not of_kind(detection, "null_lag")


def test_a_column_that_is_late_with_it_excuses_nothing(tmp_path: Path) -> None:
    both = tail(4)
    detection = look(tmp_path, table(margin=amounts(9, empty=both), grade=["" if b else "A" for b in both]))
    assert {fact.column for fact in of_kind(detection, "null_lag")} >= {"margin"}


def test_the_name_of_the_week_excuses_nothing(tmp_path: Path) -> None:
    weeks = [f"week {i // (PER_DAY * 5):02d}" for i in range(N)]
    detection = look(tmp_path, table(week=weeks, margin=amounts(10, empty=tail(5))))
    assert [fact.column for fact in of_kind(detection, "null_lag")] == ["margin"]


def test_a_gap_as_long_as_an_earlier_one_is_no_lag(tmp_path: Path) -> None:
    earlier = [DAYS // 2 <= i // PER_DAY < DAYS // 2 + 4 for i in range(N)]
    empty = [a or b for a, b in zip(earlier, tail(4), strict=True)]
    assert not of_kind(look(tmp_path, table(margin=amounts(11, empty=empty))), "null_lag")


def test_a_column_that_stopped_weeks_ago_is_not_late(tmp_path: Path) -> None:
    assert not of_kind(look(tmp_path, table(margin=amounts(12, empty=tail(20)))), "null_lag")


def test_a_column_that_is_mostly_empty_has_no_power(tmp_path: Path) -> None:
    rng = np.random.default_rng(13)
    detection = look(tmp_path, table(coupon=amounts(14, empty=[bool(rng.random() < 0.7) for _ in range(N)])))
    assert not of_kind(detection, "null_lag")
    assert ("null_lag", "coupon") not in detection.powered


def test_random_gaps_raise_no_alarm(tmp_path: Path) -> None:
    rng = np.random.default_rng(15)
    columns = {f"m{i}": amounts(i, empty=[bool(x) for x in rng.random(N) < 0.03 * i]) for i in range(20)}
    assert not of_kind(look(tmp_path, table(**columns)), "null_lag")
