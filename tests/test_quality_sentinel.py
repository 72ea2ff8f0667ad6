"""Codes for a missing value are found far outside the other values, and only there."""

from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path

import numpy as np

from datasets import Catalogue
from datasets.directives import NullSentinel
from detecting import NOW, look, of_kind

N = 1200
RNG = np.random.default_rng(1)


def with_code(values: Sequence[object], code: object, rows: int) -> list[object]:
    mixed = list(values)
    for i in range(rows):
        mixed[(i * 97) % len(mixed)] = code
    return mixed


def integers(low: int, high: int) -> list[object]:
    return [int(x) for x in RNG.integers(low, high, N)]


def test_a_code_far_outside_is_read_as_missing(tmp_path: Path) -> None:
    codes = {"a": -999, "b": 9999, "c": -99, "d": 99999, "e": -9999}
    columns: dict[str, Sequence[object]] = {k: with_code(integers(0, 40), code, 12) for k, code in codes.items()}
    detection = look(tmp_path, {**columns, "other": integers(0, 90)})
    assert {fact.column: fact.directive for fact in of_kind(detection, "sentinel")} == {
        name: NullSentinel(column=name, values=(code,)) for name, code in codes.items()
    }
    first = of_kind(detection, "sentinel")[0]
    assert first.claim.value.number == 12
    assert "a holds -999 in 12 of 1,200 rows (1%), far outside its other values (0 to 39)" in first.statement
    assert ("sentinel", "other") in detection.powered


def test_two_codes_in_one_column_are_both_found(tmp_path: Path) -> None:
    values = with_code(with_code(integers(10, 60), -999, 9), -9999, 5)
    (fact,) = of_kind(look(tmp_path, {"score": values, "x": integers(0, 9)}), "sentinel")
    assert isinstance(fact.directive, NullSentinel)
    assert set(fact.directive.values) == {-999, -9999}


def test_a_top_code_beside_mostly_zeros_is_found(tmp_path: Path) -> None:
    gains = [0 if x < 0.9 else int(41_310 * y) for x, y in zip(RNG.random(N), RNG.random(N), strict=True)]
    (fact,) = of_kind(look(tmp_path, {"capital_gain": with_code(gains, 99999, 6), "x": integers(0, 9)}), "sentinel")
    assert fact.directive == NullSentinel(column="capital_gain", values=(99999,))


def test_a_date_that_stands_for_none_is_found_and_can_be_applied(tmp_path: Path) -> None:
    days: list[object] = [(date(2024, 1, 1) + timedelta(days=int(x))).isoformat() for x in RNG.integers(0, 300, N)]
    detection = look(tmp_path, {"paid_on": with_code(days, "1970-01-01", 15), "x": integers(0, 9)})
    (fact,) = of_kind(detection, "sentinel")
    assert fact.directive == NullSentinel(column="paid_on", values=("1970-01-01",))
    with Catalogue(tmp_path / "home", allow_paths=True).open(str(tmp_path / "table.csv"), now=NOW) as dataset:
        view = dataset.view([(None, fact.directive)])
        assert view.query("SELECT count(*) - count(paid_on) FROM analysis").rows == [(15,)]


def test_ordinary_values_are_no_codes(tmp_path: Path) -> None:
    columns: dict[str, Sequence[object]] = {
        "balance": with_code([int(x) for x in RNG.normal(0, 900, N)], -999, 12),
        "views": with_code([int(x) for x in RNG.lognormal(8, 1.5, N)], 9999, 12),
        "answer": [[-1, 0, 1][i % 3] for i in range(N)],
        "grade": with_code([int(x) for x in RNG.integers(1, 6, N)], -1, 12),
        "price": with_code([round(float(x), 2) for x in RNG.uniform(20, 900, N)], 999, 12),
        "days": with_code([int(x) for x in RNG.integers(0, 40, N)], -999, 2),
        "year": [1900 + i % 120 for i in range(N)],
        "shop_id": with_code([int(x) for x in RNG.integers(1, 500, N)], 9999, 12),
    }
    assert not of_kind(look(tmp_path, columns), "sentinel")
