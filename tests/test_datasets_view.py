"""Workarounds act: each directive changes the numbers that a query over the analysis view returns."""

import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from datasets import AnalysisView, Catalogue, Dataset, DatasetError
from datasets.directives import (
    Dedupe,
    Directive,
    ExcludeRecent,
    FilterRows,
    MetricDefinition,
    NullSentinel,
    PreferGrain,
    UseColumn,
    Winsorize,
)
from datasets.errors import QueryLimitError
from datasets.measures import Filter, Measure

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
ORDERS = """order_id,day,status,region,amount,flag,note
1,2026-01-01,9,North,10,true,a
2,2026-01-02,1,South,20,false,b
2,2026-01-02,1,South,20,false,b
3,2026-01-03,1,North,-999,true,c
4,2026-01-04,9,North,40,true,9
5,2026-01-05,2,,50,,d
6,2026-01-05,2,East,60,true,e
"""
Open = Callable[..., AnalysisView]


@pytest.fixture
def orders(tmp_path: Path) -> Iterator[Dataset]:
    file = tmp_path / "orders.csv"
    file.write_text(ORDERS)
    with Catalogue(tmp_path / "home", allow_paths=True).open(str(file), now=NOW) as dataset:
        yield dataset


def total(dataset: Dataset, *directives: Directive | dict[str, Any]) -> tuple[int, int]:
    view = dataset.view([("m1", d) for d in directives])
    assert not view.not_applied
    ((n, amount),) = view.query("SELECT count(*), sum(amount) FROM analysis").rows
    assert n == view.rows
    return n, amount


def keep(column: str, op: str, *values: Any) -> FilterRows:
    return FilterRows.model_validate({"predicate": {"column": column, "op": op, "values": values}})


def test_no_directive_is_the_file_as_loaded(orders: Dataset) -> None:
    assert total(orders) == (7, -799)


def test_null_sentinel_changes_the_sum(orders: Dataset) -> None:
    assert total(orders, NullSentinel(column="amount", values=(-999,))) == (7, 200)
    assert total(orders, NullSentinel(column="amount", values=("-999",))) == (7, 200)
    view = orders.view([(None, NullSentinel(column="amount", values=(-999, 10)))])
    assert view.applied[0].statement == "-999, 10 in amount is read as missing (2 cells)"


def test_winsorizing_holds_far_values_at_the_quantiles(orders: Dataset) -> None:
    held = Winsorize(column="amount", low_0_1=0.2, high_0_1=0.8)
    assert total(orders, held) == (7, 10 + 20 + 20 + 10 + 40 + 50 + 50)
    view = orders.view([(None, held)])
    assert view.applied[0].statement == "amount is held within its 20% and 80% quantiles, 10 to 50 (2 cells)"
    # The quantiles are those of the rows that are left and of the values that are known, whatever was said first.
    known = NullSentinel(column="amount", values=(-999,))
    assert total(orders, held, known) == total(orders, known, held) == (7, 20 + 20 + 20 + 40 + 50 + 50)


def test_another_column_is_read_in_the_place_of_one(orders: Dataset) -> None:
    other = UseColumn(column="status", instead_of="amount")
    assert total(orders, other) == (7, 9 + 1 + 1 + 1 + 9 + 2 + 2)
    # Rules on the column hold for what stands in its place.
    assert total(orders, keep("amount", "gt", 5), other) == total(orders, other, keep("amount", "gt", 5)) == (2, 18)
    view = orders.view([("m1", other)])
    assert view.card.column("amount").maximum == "9"
    with view.as_loaded() as loaded:
        assert loaded.card.column("amount").maximum == "60"


def test_a_defined_metric_replaces_its_column_or_is_a_further_one(orders: Dataset) -> None:
    expression = Measure(kind="product_of", columns=("order_id", "status"))
    assert total(orders, MetricDefinition(metric="amount", expression=expression)) == (7, 9 + 2 + 2 + 3 + 36 + 10 + 12)
    view = orders.view([("m1", MetricDefinition(metric="score", expression=expression))])
    assert view.query("SELECT sum(score), sum(amount) FROM analysis").rows == [(74, -799)]
    assert view.card.column("score").role == "measure"
    assert view.applied[0].statement == "score is order_id * status"


@pytest.mark.parametrize(
    ("directive", "reason"),
    [
        (Winsorize(column="region"), "'region' is VARCHAR here, not a number"),
        (Winsorize(column="price"), "there is no column 'price' here"),
        (UseColumn(column="net", instead_of="amount"), "there is no column 'net' here"),
        (UseColumn(column="region", instead_of="amount"), "'region' (VARCHAR) cannot stand for 'amount' (BIGINT)"),
        (
            MetricDefinition(metric="x", expression=Measure(kind="sum_of", columns=("amount", "price"))),
            "there is no column 'price' here",
        ),
        (
            MetricDefinition(metric="region", expression=Measure(kind="sum_of", columns=("amount", "status"))),
            "'region' is VARCHAR here, not a number",
        ),
    ],
)
def test_a_measure_rule_that_no_longer_fits_is_told_of(orders: Dataset, directive: Directive, reason: str) -> None:
    view = orders.view([("m1", directive)])
    assert [(n.memory_id, n.reason) for n in view.not_applied] == [("m1", reason)]
    assert view.query("SELECT count(*), sum(amount) FROM analysis").rows == [(7, -799)]


def test_dedupe_changes_the_count(orders: Dataset) -> None:
    assert total(orders, Dedupe()) == (6, -819)
    assert total(orders, Dedupe(keys=("region",)))[0] == 4
    view = orders.view([(None, Dedupe(keys=("region",)))])
    assert view.query("SELECT order_id FROM analysis").rows == [(1,), (2,), (5,), (6,)]


@pytest.mark.parametrize(
    ("column", "op", "values", "rows"),
    [
        ("status", "ne", (9,), 5),
        ("status", "ne", ("9",), 5),
        ("status", "eq", (9.0,), 2),
        ("status", "in", (1, "2"), 5),
        ("status", "not_in", (1, 2), 2),
        ("status", "gt", ("1",), 4),
        ("status", "between", (1, 2), 5),
        ("note", "eq", (9,), 1),
        ("note", "ne", (9,), 6),
        ("note", "eq", ("9",), 1),
        ("region", "eq", ("North",), 3),
        ("region", "ne", ("North",), 4),
        ("region", "is_null", (), 1),
        ("region", "not_null", (), 6),
        ("region", "contains", ("ORT",), 3),
        ("flag", "eq", (True,), 4),
        ("flag", "eq", ("yes",), 4),
        ("flag", "ne", (1,), 3),
        ("day", "ge", ("2026-01-04",), 3),
        ("day", "lt", ("2026-01-02",), 1),
        ("day", "eq", ("2026-01-02",), 2),
        ("day", "between", ("2026-01-02", "2026-01-03"), 3),
        ("amount", "lt", (0,), 1),
    ],
)
def test_filters_meet_both_numbers_and_texts(
    orders: Dataset, column: str, op: str, values: tuple[Any, ...], rows: int
) -> None:
    assert total(orders, keep(column, op, *values))[0] == rows


def test_exclude_recent_clips_whole_days(orders: Dataset) -> None:
    assert total(orders, ExcludeRecent(column="day", days=1)) == (5, -909)
    assert total(orders, ExcludeRecent(column="day", days=2)) == (4, -949)
    view = orders.view([("m1", ExcludeRecent(column="day", days=2))])
    assert view.newest == datetime(2026, 1, 3)
    assert view.as_loaded_newest == datetime(2026, 1, 5)
    assert view.applied[0].statement == "the last 2 days of day, after 2026-01-03, are left out (3 rows)"


def test_exclude_recent_of_a_measure_blanks_only_that_column(orders: Dataset) -> None:
    assert total(orders, ExcludeRecent(column="day", days=1, measure="amount")) == (7, -909)
    view = orders.view([("m1", ExcludeRecent(column="day", days=1, measure="amount"))])
    assert view.query("SELECT count(amount), count(note) FROM analysis").rows == [(5, 7)]
    assert view.newest == datetime(2026, 1, 5)


def test_grain_sets_the_preference(orders: Dataset) -> None:
    view = orders.view([("m1", PreferGrain(unit="week"))])
    assert view.grain == "week"
    assert view.rows == 7
    assert orders.view().grain is None


def test_directives_work_together_in_a_fixed_order(orders: Dataset) -> None:
    given: list[tuple[str | None, Directive | dict[str, Any]]] = [
        ("m4", ExcludeRecent(column="day", days=1)),
        ("m3", {"name": "filter", "predicate": {"column": "status", "op": "ne", "values": [9]}}),
        ("m2", {"name": "dedupe"}),
        ("m1", {"name": "null_sentinel", "column": "amount", "values": [-999]}),
    ]
    view = orders.view(given)
    assert [a.memory_id for a in view.applied] == ["m1", "m2", "m3", "m4"]
    assert view.query("SELECT count(*), count(amount), sum(amount) FROM analysis").rows == [(2, 1, 20)]


def test_what_does_not_fit_is_listed_with_its_reason(orders: Dataset) -> None:
    given: list[tuple[str | None, Directive | dict[str, Any]]] = [
        ("gone", keep("country", "eq", "NA")),
        ("type", ExcludeRecent(column="region", days=3)),
        ("late", ExcludeRecent(column="day", days=3, measure="tax")),
        ("all", ExcludeRecent(column="day", days=300)),
        ("none", keep("region", "eq", "Atlantis")),
        ("text", keep("amount", "eq", "many")),
        ("word", keep("day", "ge", "yesterday")),
        ("nul", keep("note", "eq", "a\x00")),
        ("empty", keep("note", "eq")),
        ("unknown", {"name": "winsorize", "column": "amount", "quantiles": [0.01, 0.99]}),
        ("broken", {"name": "exclude_recent", "column": "day", "days": "many"}),
        ("keys", Dedupe(keys=("order_id", "line_no"))),
    ]
    view = orders.view(given)
    reasons = {n.memory_id: n.reason for n in view.not_applied}
    assert reasons.keys() == {memory_id for memory_id, _ in given}
    assert reasons["gone"] == "there is no column 'country' here"
    assert reasons["type"] == "'region' is VARCHAR here, not a date"
    assert reasons["none"] == "no row would be left"
    assert "winsorize" in reasons["unknown"]
    assert view.query("SELECT count(*), sum(amount) FROM analysis").rows == [(7, -799)]


def test_the_same_directive_of_two_memories_acts_once_and_names_both(orders: Dataset) -> None:
    view = orders.view([("m1", keep("status", "ne", 9)), ("m2", keep("status", "ne", 9))])
    assert [a.memory_id for a in view.applied] == ["m1", "m2"]
    assert view.applied[0].statement == view.applied[1].statement
    assert view.rows == 5


def test_the_file_order_stays_out_of_sight(orders: Dataset) -> None:
    view = orders.view([(None, keep("status", "ne", 9))])
    assert view.query("SELECT * FROM analysis").columns == (
        "order_id",
        "day",
        "status",
        "region",
        "amount",
        "flag",
        "note",
    )
    assert view.query("SELECT order_id FROM analysis").rows == [(2,), (2,), (3,), (5,), (6,)]
    with pytest.raises(DatasetError, match="cannot be run"):
        view.query('SELECT "__row" FROM analysis')


def test_the_meter_counts_rows_and_cells(orders: Dataset) -> None:
    view = orders.view()
    view.query("SELECT region, sum(amount) FROM analysis WHERE status <> 9 GROUP BY 1")
    assert view.meter.take() == (7, 21)
    view.query("SELECT count(*) FROM analysis")
    assert view.meter.take() == (7, 0)
    view.query("SELECT * FROM analysis")
    view.query("SELECT 1")
    assert view.meter.take() == (7, 49)
    assert (view.meter.rows_scanned, view.meter.cells_read) == (21, 70)


def test_limits_stop_a_query_and_leave_the_view_usable(orders: Dataset) -> None:
    view = orders.view(time_limit_s=0.3)
    with pytest.raises(QueryLimitError, match=r"more than 0\.3 s"):
        view.query("SELECT count(*) FROM range(1000000000000) a, range(1000000) b")
    with pytest.raises(QueryLimitError, match="more than 3 rows"):
        view.query("SELECT * FROM analysis", limit_rows=3)
    with pytest.raises(DatasetError, match="amounts"):
        view.query("SELECT sum(amounts) FROM analysis")
    assert view.query("SELECT count(*) FROM analysis", limit_rows=1).rows == [(7,)]


def test_memory_is_bounded(orders: Dataset) -> None:
    view = orders.view()
    with pytest.raises(QueryLimitError, match="memory"):
        view.query("SELECT length(list(a.range)::VARCHAR) FROM range(200000000) a")
    assert view.query("SELECT count(*) FROM analysis").rows == [(7,)]


def test_several_views_in_several_threads(orders: Dataset) -> None:
    views = [orders.view([(None, keep("status", "ne", 9))] if i % 2 else []) for i in range(6)]
    answers: dict[int, set[int]] = {i: set() for i in range(6)}
    errors: list[Exception] = []

    def ask(i: int) -> None:
        try:
            for _ in range(20):
                answers[i].add(views[i].query("SELECT count(*) FROM analysis").rows[0][0])
                answers[0].add(views[0].query("SELECT count(*) FROM analysis").rows[0][0])
        except Exception as error:  # noqa: BLE001
            errors.append(error)

    threads = [threading.Thread(target=ask, args=(i,)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert answers == {i: {5 if i % 2 else 7} for i in range(6)}


def test_a_closed_view_says_so(orders: Dataset) -> None:
    view = orders.view()
    orders.close()
    with pytest.raises(DatasetError, match="closed"):
        view.query("SELECT 1")


def test_zoned_times_are_read_in_utc(tmp_path: Path) -> None:
    file = tmp_path / "z.csv"
    file.write_text("seen_at,v\n2025-03-30T01:30:00+02:00,1\n2025-03-31T11:30:00Z,2\n2025-04-01T00:30:00+02:00,3\n")
    dataset = Catalogue(tmp_path / "home", allow_paths=True).open(str(file), now=NOW)
    assert dataset.fingerprint.newest_event == "2025-03-31T22:30:00"
    view = dataset.view([(None, ExcludeRecent(column="seen_at", days=1))])
    assert view.query("SELECT sum(v) FROM analysis").rows == [(1,)]
    assert view.newest == datetime(2025, 3, 29, 23, 30)


def test_case_a_rule_that_changes(shared: Path, tmp_path: Path) -> None:
    file = shared / "cases/37-contradiction-supersede/orders.csv"
    dataset = Catalogue(tmp_path / "home", allow_paths=True).open(str(file), now=NOW)
    sql = "SELECT count(*), round(sum(revenue), 2) FROM analysis"
    assert dataset.view([("m", FilterRows(predicate=Filter(column="status", op="ne", values=(9,))))]).query(
        sql
    ).rows == [(81, 3802.44)]
    assert dataset.view().query(sql).rows == [(90, 4200.31)]
