"""Missing values, repeated rows, keys, constants and types as they are asked for; and the overview."""

import csv
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from datasets import Catalogue
from datasets.battery import make_step, run_step
from datasets.evidence import StepResult

NOW = datetime(2026, 1, 1, tzinfo=UTC)
TEMP = [23.5, 20.4, 20.3, 19.4, 18.7, 22.8, 23.5, 22.4, 20.0, 18.1]


def table(folder: Path, columns: Mapping[str, Sequence[object]]) -> Path:
    file = folder / "sensors.csv"
    with file.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([columns, *zip(*columns.values(), strict=True)])
    return file


def run(kind: str, file: Path, **params: Any) -> StepResult:
    with Catalogue(file.parent / "home", allow_paths=True).open(str(file), now=NOW) as dataset:
        result = run_step(make_step(kind, params), dataset.view())
    json.dumps(result.model_dump(), allow_nan=False)
    return result


def said(kind: str, file: Path, **params: Any) -> list[str]:
    result = run(kind, file, **params)
    assert result.skipped is None, result.skipped
    return [c.statement for c in result.candidates]


@pytest.fixture
def sensors(tmp_path: Path) -> Path:
    """Thirty rows: batch and spent constant, note empty, almost 5 except once."""
    return table(
        tmp_path,
        {
            "row": list(range(1, 31)),
            "batch": ["B7"] * 30,
            "temp": TEMP * 3,
            "note": [""] * 30,
            "spent": [0.3] * 30,
            "almost": [5] * 29 + [6],
        },
    )


def test_missing_values_of_asked_columns(tmp_path: Path) -> None:
    file = table(tmp_path, {"id": list(range(891)), "Cabin": ["C1"] * 204 + [""] * 687, "Sex": ["m", "f", "m"] * 297})
    result = run("quality_facts", file, columns=["Cabin", "Sex"], what="missing")
    assert [c.statement for c in result.candidates] == [
        "Cabin: 687 of 891 values are missing (77.1%).",
        "Sex: no value is missing (891 rows).",
    ]
    first, second = result.candidates
    assert first.claim.value.number == pytest.approx(687 / 891)
    assert (first.claim.subject.relation, first.claim.subject.column) == ("quality", "Cabin")
    assert second.null
    assert said("quality_facts", file, what="missing") == [
        "1 of 3 columns has missing values, of 891 rows: Cabin 687 (77.1%)."
    ]


def test_keys_are_counted_exactly(tmp_path: Path) -> None:
    customers = [f"C{i}" for i in range(2990)] + [f"C{i}" for i in range(10)]
    file = table(tmp_path, {"invoice_no": [f"INV{i}" for i in range(3000)], "customer_no": customers})
    assert said("quality_facts", file, columns=["invoice_no", "customer_no"], what="keys")[:2] == [
        "invoice_no is a key: 3,000 distinct values in 3,000 rows, none missing.",
        "customer_no is not a key: 2,990 distinct of 3,000 values, 10 repeats.",
    ]


def test_columns_together_may_be_a_key(tmp_path: Path) -> None:
    file = table(tmp_path, {"order_id": ["a", "a", "b", "b"], "line_no": [1, 2, 1, 2]})
    assert said("quality_facts", file, columns=["order_id", "line_no"], what="keys")[2] == (
        "order_id and line_no are together a key: 4 distinct values in 4 rows, none missing."
    )


def test_repeated_rows_are_counted_and_the_most_repeated_told(tmp_path: Path) -> None:
    rows = [(f"u{i}", 100 + i, "Travel") for i in range(50)] + [("evanskevin", 51285, "Miscellaneous")] * 10
    file = table(tmp_path, dict(zip(("user", "amount", "category"), zip(*rows, strict=True), strict=True)))
    found = run("quality_facts", file, what="duplicates").candidates[0]
    assert found.statement == (
        "9 rows repeat an earlier row exactly, of 60 rows (15%); one row occurs 10 times: 10 identical rows "
        "(amount 51,285, user evanskevin, category Miscellaneous)."
    )
    assert found.table[0] == {"user": "evanskevin", "amount": 51285, "category": "Miscellaneous", "copies": 10}
    assert found.claim.value.number == 9.0


def test_no_repeats_is_a_null_finding(sensors: Path) -> None:
    found = run("quality_facts", sensors, what="duplicates").candidates[0]
    assert found.null
    assert found.statement == "No row repeats another one: all 30 rows are different."


def test_columns_without_information_are_named(sensors: Path) -> None:
    assert said("quality_facts", sensors, what="constants") == [
        "Columns that carry no information: 1 empty: note; 2 constant: batch (B7 in all 30 values) and spent (0.3 in "
        "all 30 values); 1 nearly constant: almost (29 of 30 values are 5)."
    ]
    assert said("quality_facts", sensors)[0] == "1 of 6 columns has missing values, of 30 rows: note 30 (100%)."


def test_types_are_listed(sensors: Path) -> None:
    assert said("quality_facts", sensors, what="types", columns=["temp", "batch"]) == [
        "The columns hold: temp number (DOUBLE) and batch text (VARCHAR)."
    ]


def test_overview_is_compact(tmp_path: Path) -> None:
    days = [date(2024, 1, 1) + timedelta(days=i) for i in range(30)]
    file = table(tmp_path, {"day": days, "batch": ["B7"] * 30, "temp": TEMP * 3, "note": [""] * 30})
    assert said("overview", file) == [
        "sensors has 30 rows and 4 columns; day runs from 2024-01-01 to 2024-01-30. Main measures: temp with mean "
        "20.91, median 20.35, range 18.10 to 23.50. Without any value: note (30 of 30 missing). "
        "Constant: batch (B7)."
    ]


def test_overview_of_one_row_and_of_none(tmp_path: Path) -> None:
    one = table(tmp_path, {"id": [1], "region": ["North"], "amount": [19.5]})
    assert said("overview", one) == [
        "sensors has 1 row and 3 columns. Main measures: amount is 19.50. Standard deviation, trend and outliers are "
        "not defined for one row."
    ]
    none = table(tmp_path, {"id": [], "region": [], "amount": []})
    assert said("overview", none) == ["sensors has no rows; its columns are called id, region and amount."]
    assert run("quality_facts", none).skipped == "there are no rows (columns: id, region, amount)"


def test_levels_have_no_total(tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    file.write_text("age,discount_pct,amount\n" + "\n".join(f"{20 + i},{i % 7 * 5},{i}.5" for i in range(30)))
    (statement,) = said("overview", file)
    assert statement.count("total") == 1
    assert "amount with mean 15, total 450, " in statement
