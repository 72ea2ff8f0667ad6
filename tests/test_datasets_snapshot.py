"""Two snapshots tell what changed in a dataset."""

from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from datasets import Catalogue, Snapshot
from datasets.snapshot import compare, measured_amount_lags, measured_lag, measured_null_lags

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
START = date(2025, 1, 1)
Take = Callable[..., Snapshot]
Row = tuple[object, ...]


@pytest.fixture
def take(tmp_path: Path) -> Take:
    """The snapshot of a file with these rows."""
    catalogue = Catalogue(tmp_path / "home", allow_paths=True)
    number = iter(range(1_000))

    def _take(rows: Sequence[Row], header: str = "day,region,amount") -> Snapshot:
        file = tmp_path / f"data{next(number)}.csv"
        file.write_text("\n".join([header, *(",".join(map(str, r)) for r in rows)]) + "\n")
        with catalogue.open(str(file), now=NOW) as dataset:
            return dataset.snapshot()

    return _take


def days(count: int, per_day: int = 3) -> list[Row]:
    return [(START + timedelta(days=d), "NSE"[k], d + k + 0.5) for d in range(count) for k in range(per_day)]


def test_a_snapshot_holds_counts_sums_and_non_missing_by_day(take: Take) -> None:
    snapshot = take([*days(2), (START, "N", "")])
    assert snapshot.time_column == "day"
    assert snapshot.daily == {
        "2025-01-01": {"n": 4, "sum": {"amount": 4.5}, "non_null": {"amount": 3}},
        "2025-01-02": {"n": 3, "sum": {"amount": 7.5}, "non_null": {"amount": 3}},
    }
    assert snapshot.total == {"n": 7, "sum": {"amount": 12.0}, "non_null": {"amount": 6}}
    assert snapshot.columns == {"day": "DATE", "region": "VARCHAR", "amount": "DOUBLE"}
    assert Snapshot.model_validate_json(snapshot.model_dump_json()) == snapshot


def test_the_same_bytes_are_unchanged(take: Take) -> None:
    change = compare(take(days(10)), take(days(10)))
    assert (change.kind, change.rows_before, change.rows_after) == ("unchanged", 30, 30)


def test_new_days_are_appended(take: Take) -> None:
    change = compare(take(days(10)), take(days(13)))
    assert change.kind == "appended"
    assert change.restated_days == []
    assert (change.newest_before, change.newest_after) == ("2025-01-10T00:00:00", "2025-01-13T00:00:00")
    assert change.summary == "Data was added: 9 more rows, data up to 2025-01-13 (before: 2025-01-10)."


def test_late_rows_of_the_last_days_are_appended_and_listed(take: Take) -> None:
    before = [r for r in days(40) if r[0] != START + timedelta(days=39) or r[1] == "N"]
    change = compare(take(before), take(days(42)))
    assert change.kind == "appended"
    assert (change.restated_days, change.filled_days) == ([], ["2025-02-09"])
    assert "1 known day (2025-02-09) filled up" in change.summary


def test_other_numbers_in_the_past_are_a_restatement(take: Take) -> None:
    after = [(d, r, 99.5 if d == START + timedelta(days=3) else a) for d, r, a in days(40)]
    change = compare(take(days(40)), take(after))
    assert change.kind == "restated"
    assert change.restated_days == ["2025-01-04"]


def test_a_day_that_vanished_is_a_restatement(take: Take) -> None:
    after = [r for r in days(40) if r[0] != START + timedelta(days=5)]
    change = compare(take(days(40)), take(after))
    assert (change.kind, change.restated_days) == ("restated", ["2025-01-06"])


def test_other_data_is_a_replacement(take: Take) -> None:
    moved = [(d + timedelta(days=400), r, a) for d, r, a in days(20) if isinstance(d, date)]
    assert compare(take(days(20)), take(moved)).kind == "replaced"
    other = [(d, r, (i * 7919) % 101 + 1) for i, (d, r, _) in enumerate(days(20))]
    assert compare(take(days(20)), take(other)).kind == "replaced"


def test_a_history_restated_as_a_whole_is_no_replacement(take: Take) -> None:
    doubled = [(d, r, float(str(a)) * 2) for d, r, a in days(20)]
    change = compare(take(days(20)), take(doubled))
    assert change.columns_retyped == []
    assert (change.kind, len(change.restated_days)) == ("restated", 20)
    uneven = [row for i in range(20) for row in days(20)[2 * i : 2 * i + 1] * (1 + i % 4)]
    other = [(d, r, (i * 7919) % 101 + 1) for i, (d, r, _) in enumerate(uneven)]
    assert compare(take(uneven), take(other)).kind == "restated"


def test_columns_come_go_and_change_type(take: Take) -> None:
    before = take(days(5))
    after = take([(d, "x", f"A{a}") for d, r, a in days(5)], header="day,channel,amount")
    change = compare(before, after)
    assert change.kind == "schema"
    assert (change.columns_added, change.columns_removed, change.columns_retyped) == (
        ["channel"],
        ["region"],
        ["amount"],
    )
    assert "new columns: channel" in change.summary
    assert "amount was a number and is text now" in change.summary
    shown = change.with_examples({"amount": ["12.5", "A1.5", "A2.5"]})
    assert "amount was a number and is text now, as in 'A1.5'" in shown.summary
    assert change.with_examples({"amount": ["12.5"]}) == change


def test_without_a_date_column_only_the_totals_speak(take: Take) -> None:
    change = compare(take([("a", 1)], header="k,v"), take([("a", 1), ("b", 2)], header="k,v"))
    assert (change.kind, change.summary) == ("changed", "The file changed: 1 more row.")


def test_long_spans_are_kept_by_week_and_compared_across_buckets(take: Take) -> None:
    before, after = take(days(990, 1)), take(days(1_030, 1))
    assert (before.bucket, after.bucket) == ("day", "week")
    assert len(after.daily) < 160
    change = compare(before, after)
    assert change.kind == "appended"
    assert len(change.restated_days) <= 1


def test_order_of_rows_does_not_matter(take: Take) -> None:
    change = compare(take(days(30)), take(list(reversed(days(30)))))
    assert (change.kind, change.restated_days) == ("changed", [])


def test_case_incident_table_is_compact(shared: Path, tmp_path: Path) -> None:
    file = shared / "insightbench/flag-1.csv"
    with Catalogue(tmp_path / "home", allow_paths=True).open(str(file), now=NOW) as dataset:
        snapshot = dataset.snapshot()
    assert sum(d["n"] for d in snapshot.daily.values()) == snapshot.total["n"] == 500
    assert len(snapshot.model_dump_json()) < 40_000


def test_a_renamed_measure_is_told_from_a_new_one(take: Take) -> None:
    change = compare(take(days(30)), take(days(33), header="day,region,net_amount"))
    assert change.kind == "schema"
    assert change.columns_renamed == {"amount": "net_amount"}
    assert "renamed: amount is net_amount now" in change.summary
    other = compare(take(days(30)), take([(d, r, float(str(a)) * 3) for d, r, a in days(30)], "day,region,cost"))
    assert other.columns_renamed == {}


def test_a_restatement_says_which_measure_moved_by_how_much(take: Take) -> None:
    after = [(d, r, float(str(a)) * 2 if d == START + timedelta(days=3) else a) for d, r, a in days(40)]
    change = compare(take(days(40)), take(after))
    (moved,) = change.restated_by
    assert (moved.measure, moved.before, moved.after) == ("amount", 13.5, 27.0)
    assert "1 known day (2025-01-04) with other numbers now (amount 27 against 13.50, +100%)" in change.summary


def test_other_columns_are_a_replacement(take: Take) -> None:
    change = compare(take(days(20)), take([(i, i % 3) for i in range(20)], header="ticket,priority"))
    assert change.kind == "replaced"
    assert change.summary.startswith("This is other data under the same name (new columns: ticket, priority;")


def late(rows: Sequence[Row], *shares: int) -> list[Row]:
    """The rows with only the first k of each of the last days, oldest first."""
    newest = sorted({r[0] for r in rows if isinstance(r[0], date)})[-len(shares) :]
    kept = dict(zip(newest, shares, strict=True))
    seen: dict[object, int] = {}
    found = []
    for r in rows:
        seen[r[0]] = seen.get(r[0], 0) + 1
        if seen[r[0]] <= kept.get(r[0], 10**6):  # type: ignore[call-overload]
            found.append(r)
    return found


@pytest.mark.parametrize(("kept", "length"), [((1,), 1), ((2, 2, 1), 3), ((2, 1, 1, 1, 1, 1, 1), 7), ((0, 1), 2)])
def test_a_later_delivery_measures_the_lag_exactly(take: Take, kept: tuple[int, ...], length: int) -> None:
    before, after = take(late(days(60), *kept)), take(late(days(90), *kept))
    lag = measured_lag(before, after)
    assert lag is not None
    assert (lag.column, lag.days, lag.last) == ("day", length, START + timedelta(days=59))
    assert lag.first == lag.last - timedelta(days=length - 1)
    assert lag.complete_0_1 == [pytest.approx(k / 3, abs=1e-4) for k in kept]


@pytest.mark.parametrize("known", [985, 1_100])
def test_a_lag_is_measured_on_long_spans_too(take: Take, known: int) -> None:
    before, after = take(late(days(known), 2, 1)), take(late(days(known + 30), 2, 1))
    assert after.bucket == "week"
    assert len(after.recent) == 200
    lag = measured_lag(before, after)
    assert lag is not None
    assert lag.days == 2
    assert lag.complete_0_1 == [pytest.approx(2 / 3, abs=1e-4), pytest.approx(1 / 3, abs=1e-4)]


def test_a_delivery_that_was_complete_has_no_lag(take: Take) -> None:
    lag = measured_lag(take(days(60)), take(days(70)))
    assert lag is not None
    assert lag.days == 0


def test_a_drop_that_stays_is_no_lag(take: Take) -> None:
    before = late(days(60), 1, 1, 1)
    lag = measured_lag(take(before), take([*before, *days(70)[180:]]))
    assert lag is not None
    assert lag.days == 0


def test_a_restated_month_does_not_hide_the_lag(take: Take) -> None:
    more = [(START + timedelta(days=d), "W", 5.5) for d in range(15, 25)]
    lag = measured_lag(take(late(days(90), 1, 1)), take([*days(110), *more]))
    assert lag is not None
    assert lag.days == 2


def test_restatements_extracts_and_backfills_measure_no_lag(take: Take) -> None:
    whole, extract = take(days(60)), take([r for r in days(60) if r[1] != "N"])
    assert measured_lag(extract, take(days(70))) is None
    assert measured_lag(whole, take([r for r in days(70) if r[1] != "N"])) is None
    assert measured_lag(take(days(60)[60:]), take(days(70))) is not None
    assert measured_lag(take([r for i, r in enumerate(days(60)) if i % 2]), take(days(70))) is None
    assert measured_lag(whole, whole) is None
    assert measured_lag(whole, take(days(60)[3:])) is None


def test_late_values_are_measured_apart_from_late_rows(take: Take) -> None:
    known = [(d, r, a if d < START + timedelta(days=58) else "") for d, r, a in days(60) if isinstance(d, date)]
    before, after = take(late(known, 2)), take(days(80))
    rows = measured_lag(before, after)
    assert rows is not None
    assert rows.days == 1
    (values,) = measured_null_lags(before, after)
    assert (values.measure, values.days, values.complete_0_1) == ("amount", 2, [0.0, 0.0])
    assert measured_null_lags(take(days(60)), after) == []


def test_a_renamed_group_is_told_by_its_values(take: Take) -> None:
    groups = [(*row, f"team {n % 4}", ("yes", "no")[n % 2]) for n, row in enumerate(days(30))]
    change = compare(take(groups, "day,region,amount,queue,urgent"), take(groups, "day,region,amount,team,paid"))
    assert change.columns_renamed == {"queue": "team"}
    other = [(*row[:-2], f"site {n % 4}", row[-1]) for n, row in enumerate(groups)]
    changed = compare(take(groups, "day,region,amount,queue,urgent"), take(other, "day,region,amount,site,urgent"))
    assert changed.columns_renamed == {}


def test_a_restated_month_is_told_apart_from_days_that_filled_up(take: Take) -> None:
    before = [r for r in days(40) if r[0] != START + timedelta(days=39) or r[1] == "N"]
    after = [(d, n, 99 if d == START + timedelta(days=3) else v) for d, n, v in days(42)]
    change = compare(take(before), take(after))
    assert (change.kind, change.restated_days, change.filled_days) == ("restated", ["2025-01-04"], ["2025-02-09"])
    assert "2025-01-04) with other numbers" in change.summary
    assert "(2025-02-09) filled up" in change.summary


def grown(count: int, days_late: int, short: float = 0.9) -> list[Row]:
    """The rows of a delivery whose newest days lack a part of their amounts."""
    edge = count - days_late
    return [
        (START + timedelta(days=d), "NSE"[k], (d + k + 0.5) * (short if d >= edge else 1))
        for d in range(count)
        for k in range(3)
    ]


def test_amounts_that_grow_at_the_newest_days_are_late_and_not_restated(take: Take) -> None:
    first, second, third = (take(grown(n, 3)) for n in (50, 60, 70))
    change = compare(second, third)
    assert (change.kind, change.restated_days, len(change.filled_days)) == ("appended", [], 3)
    (lag,) = measured_amount_lags(first, second, third)
    assert (lag.measure, lag.days, lag.amounts, lag.complete_0_1) == ("amount", 3, True, [0.9, 0.9, 0.9])
    settled = take(days(50))
    assert measured_amount_lags(settled, second, third) == []
    shrunk = take(grown(60, 3, 1.1))
    assert measured_amount_lags(first, shrunk, third) == []
    assert compare(shrunk, third).kind == "restated"
