"""A total that is repeated on each line of its record is found; a price, an age or a rate is not."""

from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pytest

from datasets import Catalogue
from detecting import NOW, look, of_kind

RNG = np.random.default_rng(1)


def orders(count: int = 80, *, dated: bool = True) -> dict[str, list[object]]:
    """Order lines with the order's total and shipping fee on each line."""
    names = (
        "order_id order_day customer_id customer_age region line_no sku unit_price line_amount order_total region_fee"
    )
    table: dict[str, list[object]] = {name: [] for name in names.split()}
    for order in range(count):
        lines = [(int(RNG.integers(0, 12)), round(float(RNG.lognormal(3, 0.5)), 2)) for _ in range(RNG.integers(1, 5))]
        customer = int(RNG.integers(0, 30))
        for line, (sku, amount) in enumerate(lines):
            values = (
                f"O{order:03d}", date(2025, 1, 1) + timedelta(days=order), f"C{customer:02d}", 20 + customer * 7 % 50,
                "NSEW"[order % 4], line + 1, f"SKU{sku:02d}", 10.5 + 7.3 * sku, amount,
                round(sum(a for _, a in lines), 2), [1.5, 2.0, 2.5, 3.0][order % 4],
            )  # fmt: skip
            for column, value in zip(table.values(), values, strict=True):
                column.append(value)
    if not dated:
        del table["order_day"]
    return table


@pytest.mark.parametrize("dated", [True, False])
def test_only_the_total_of_the_order_is_a_repeated_value(tmp_path: Path, dated: bool) -> None:
    detection = look(tmp_path, {**orders(dated=dated)})
    (fact,) = of_kind(detection, "repeated_value")
    assert fact.column == "order_total"
    assert fact.claim.subject.column == "order_total"
    assert fact.claim.subject.against == "order_id"
    assert fact.directive is None
    assert fact.statement.startswith("order_total is the same on every row of one order_id (80 order_id values on ")
    assert ("repeated_value", "line_amount") in detection.powered


def test_the_evidence_gives_both_sums(tmp_path: Path) -> None:
    table = orders()
    totals = dict(zip(table["order_id"], table["order_total"], strict=True))
    (fact,) = of_kind(look(tmp_path, {**table}), "repeated_value")
    with Catalogue(tmp_path / "home", allow_paths=True).open(str(tmp_path / "table.csv"), now=NOW) as dataset:
        once, per_row = (float(dataset.view().query(sql).rows[0][0]) for sql in fact.sql)
    assert once == pytest.approx(sum(float(str(total)) for total in totals.values()))
    assert per_row > 1.5 * once


def test_one_row_for_each_key_repeats_nothing(tmp_path: Path) -> None:
    n = 200
    table = {
        "order_id": range(n),
        "region": ["NSEW"[i % 4] for i in range(n)],
        "order_total": [i * 1.7 for i in range(n)],
    }
    assert not of_kind(look(tmp_path, table), "repeated_value")


def test_a_country_keeps_its_area_through_the_years(tmp_path: Path) -> None:
    rows = [(f"K{k:02d}", 2000 + y, 1000 + 37 * k, round(50 + k * y * 0.31, 2)) for k in range(40) for y in range(12)]
    table = dict(zip(("country_code", "year", "area", "income"), zip(*rows, strict=True), strict=True))
    assert not of_kind(look(tmp_path, table), "repeated_value")


def test_exact_repeats_alone_are_no_repeated_value(tmp_path: Path) -> None:
    rows = [(f"O{i:03d}", round(i * 1.37 % 90, 2), "NS"[i % 2]) for i in range(100)]
    table = dict(zip(("order_id", "total", "region"), zip(*(rows + rows), strict=True), strict=True))
    assert not of_kind(look(tmp_path, table), "repeated_value")
