"""A repeated row is a fault where a key says that it is the same record, and a matter of course where none does."""

from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path

import numpy as np

from datasets.directives import Dedupe
from detecting import look, of_kind


def order_lines(orders: int) -> list[tuple[object, ...]]:
    rng = np.random.default_rng(1)
    rows: list[tuple[object, ...]] = []
    for order in range(orders):
        rows += [
            (f"O{order:04d}", line + 1, f"SKU{rng.integers(0, 9)}", round(float(rng.lognormal(3, 0.6)), 2))
            for line in range(1 + int(rng.integers(0, 4)))
        ]
    return rows


def columns(names: str, rows: Sequence[Sequence[object]]) -> dict[str, Sequence[object]]:
    return dict(zip(names.split(), zip(*rows, strict=True), strict=True))


def test_repeats_that_share_a_key_of_two_columns_are_counted_once(tmp_path: Path) -> None:
    rows = order_lines(60)
    detection = look(
        tmp_path, columns("order_id line_no sku line_amount", [*rows, rows[3], rows[20], rows[20], rows[44]])
    )
    (fact,) = of_kind(detection, "duplicates")
    assert fact.directive == Dedupe()
    assert fact.status == "measured"
    assert not fact.informational
    assert fact.claim.value.number == 4
    assert fact.claim.value.text == "order_id, line_no"
    assert "share their order_id and line_no" in fact.statement


def test_a_single_record_that_stands_many_times_is_named(tmp_path: Path) -> None:
    rows = [(f"T{i:05d}", f"2025-01-{1 + i % 28:02d}", round(i * 1.37 % 90, 2)) for i in range(300)]
    (fact,) = of_kind(look(tmp_path, columns("ticket_no opened amount", rows + [rows[7]] * 99)), "duplicates")
    assert fact.directive == Dedupe()
    assert "99 of 399 rows (24.81%)" in fact.statement
    assert "one record alone stands there 100 times" in fact.statement
    assert "(T00007)" in fact.statement


def test_rows_without_an_identifier_may_look_alike(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    rows = [
        (int(a), "mf"[int(b)], int(c)) for a, b, c in zip(*rng.integers(0, [[60], [2], [4]], (3, 800)), strict=True)
    ]
    (fact,) = of_kind(look(tmp_path, columns("age sex children", rows)), "duplicates")
    assert fact.directive is None
    assert fact.informational
    assert "they are kept" in fact.statement


def test_two_like_purchases_of_a_customer_are_two_purchases(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    rows = [
        (f"C{rng.integers(0, 120):03d}", f"2025-{1 + rng.integers(0, 3):02d}-{1 + rng.integers(0, 28):02d}", "tea", 4.5)
        for _ in range(1500)
    ]
    detection = look(tmp_path, columns("customer_id day product price", rows))
    assert [fact.directive for fact in of_kind(detection, "duplicates")] == [None]


def test_a_clean_table_has_the_power_and_no_fact(tmp_path: Path) -> None:
    detection = look(tmp_path, columns("order_id line_no sku line_amount", order_lines(60)))
    assert not of_kind(detection, "duplicates")
    assert ("duplicates", None) in detection.powered


def test_a_list_of_values_repeats_by_nature(tmp_path: Path) -> None:
    assert not of_kind(look(tmp_path, {"x": [1, 2, 2, 3, 3, 3] * 20}), "duplicates")


def test_a_day_that_was_loaded_twice_is_found_without_a_key(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    rows = [
        (date(2025, 1, 1) + timedelta(days=i), "NSEW"[int(rng.integers(0, 4))], int(rng.integers(0, 6)))
        for i in range(60)
        for _ in range(20)
    ]
    again = [row for row in rows if row[0] == date(2025, 2, 3)]
    (fact,) = of_kind(look(tmp_path, columns("day region units", rows + again)), "double_load")
    assert fact.column == "day"
    assert fact.statement.startswith("2025-02-03 was probably loaded twice")
    assert fact.directive is None


def test_alike_rows_on_ordinary_days_are_no_double_load(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    rows = [
        (date(2025, 1, 1) + timedelta(days=i), "NS"[int(rng.integers(0, 2))], int(rng.integers(0, 3)))
        for i in range(300)
        for _ in range(int(rng.poisson(20)))
    ]
    assert not of_kind(look(tmp_path, columns("day region units", rows)), "double_load")


def test_an_identifier_that_stands_in_different_rows_is_an_exception(tmp_path: Path) -> None:
    rows = [[f"E{i:04d}", 20 + i % 40, round(2000 + i * 3.7, 2)] for i in range(400)]
    rows[17][0] = rows[16][0]
    (fact,) = of_kind(look(tmp_path, columns("employee_id age pay", rows)), "key_exceptions")
    assert fact.column == "employee_id"
    assert fact.statement == "employee_id is unique but for 1 value, which stands in 2 rows that differ: E0016."


def test_a_second_identifier_may_repeat(tmp_path: Path) -> None:
    rows = [(i + 1, f"C{i if i % 200 else 0:04d}", i * 1.5) for i in range(600)]
    assert not of_kind(look(tmp_path, columns("invoice_id customer_no amount", rows)), "key_exceptions")
