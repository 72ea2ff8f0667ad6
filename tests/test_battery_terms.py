"""Free text: frequent words, a name that stands out, words that go with a metric."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from datasets import Catalogue, Dataset
from datasets.battery import make_step, run_step

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def opened(tmp_path: Path, rows: list[str]) -> Dataset:
    """A dataset of ticket texts, kinds and hours."""
    path = tmp_path / "tickets.csv"
    path.write_text("ticket,kind,hours,note\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return Catalogue(tmp_path / "home", allow_paths=True).open(str(path), now=NOW)


def tickets() -> list[str]:
    rows = [
        f'T{i:03d},hardware,{5 + i % 7},"Printer{546 if i % 3 else 100 + i} is jammed again, case {i}"'
        for i in range(60)
    ]
    for i in range(60, 120):
        urgent = "the boiler is leaking" if i % 2 else "no screen signal today"
        rows.append(f'T{i:03d},other,{40 + i % 7 if i % 2 else 5 + i % 7},"Room {i} says: {urgent}"')
    return rows


def test_the_most_mentioned_word_is_said_with_its_count(tmp_path: Path) -> None:
    with opened(tmp_path, tickets()) as dataset:
        step = make_step("terms", {"column": "note", "filters": [{"column": "kind", "values": ["hardware"]}]})
        result = run_step(step, dataset.view())
    words = {c.claim.value.text: c for c in result.candidates}
    assert words.keys() >= {"Printer546"}
    leading = result.candidates[0]
    assert leading.statement.startswith("Most rows where kind is hardware mention ")
    assert "60 of 60 (100%)" in leading.statement
    assert leading.p_value is None


def test_a_numbered_name_far_above_its_kind_stands_out(tmp_path: Path) -> None:
    with opened(tmp_path, tickets()) as dataset:
        result = run_step(make_step("terms", {"column": "note"}), dataset.view())
    found = next(c for c in result.candidates if c.claim.value.text == "Printer546")
    assert found.claim.value.number == 40
    assert "no other printer is mentioned in more than 1." in found.statement


def test_a_word_that_goes_with_higher_values_is_found_with_its_companions(tmp_path: Path) -> None:
    metric = {"aggregate": "mean", "measure": {"kind": "column", "columns": ["hours"]}}
    with opened(tmp_path, tickets()) as dataset:
        result = run_step(make_step("terms", {"column": "note", "metric": metric}), dataset.view())
    (found,) = result.candidates
    assert found.claim.value.text in {"boiler", "leaking"}
    assert found.claim.value.direction == "higher"
    assert "boiler" in found.statement
    assert "leaking" in found.statement
    assert result.tests_run >= 2


def test_no_word_is_named_where_values_do_not_depend_on_the_text(tmp_path: Path) -> None:
    rows = [f'T{i:03d},a,{(i * 37) % 11},"note about {"apples" if i % 2 else "pears"} number {i}"' for i in range(120)]
    metric = {"aggregate": "mean", "measure": {"kind": "column", "columns": ["hours"]}}
    with opened(tmp_path, rows) as dataset:
        result = run_step(make_step("terms", {"column": "note", "metric": metric}), dataset.view())
    assert [c.null for c in result.candidates] == [True]


@pytest.mark.parametrize("params", [{}, {"column": "kind"}])
def test_a_table_without_free_text_is_skipped_with_a_reason(tmp_path: Path, params: dict[str, str]) -> None:
    rows = [f"T{i:03d},{'ab'[i % 2]},{i % 5},x{i % 3}" for i in range(40)]
    with opened(tmp_path, rows) as dataset:
        result = run_step(make_step("terms", params), dataset.view())
    assert not result.candidates
    assert result.skipped


def test_words_are_quoted_and_those_beside_are_not_called_next(tmp_path: Path) -> None:
    with opened(tmp_path, tickets()) as dataset:
        leading = run_step(make_step("terms", {"column": "note"}), dataset.view()).candidates[0]
    assert leading.statement.startswith('Many rows have the word "')
    assert "other frequent words are" in leading.statement


def test_the_interval_of_a_difference_of_shares_is_in_points(tmp_path: Path) -> None:
    metric = {"aggregate": "share", "measure": {"kind": "indicator", "columns": ["kind"], "values": ["hardware"]}}
    with opened(tmp_path, tickets()) as dataset:
        found = run_step(make_step("terms", {"column": "note", "metric": metric}), dataset.view()).candidates[0]
    assert "percentage points, Welch t" in found.statement
