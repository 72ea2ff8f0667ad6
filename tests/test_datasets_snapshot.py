"""Two snapshots tell what changed in a dataset."""

from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from datasets import Catalogue, Snapshot
from datasets.snapshot import compare

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
    assert change.restated_days == ["2025-02-09"]
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
    doubled = [(d, r, float(str(a)) * 2) for d, r, a in days(20)]
    assert compare(take(days(20)), take(doubled)).kind == "replaced"


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
