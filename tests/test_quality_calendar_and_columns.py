"""Running periods, constant and empty columns are told as facts; one detector that fails stops no other."""

from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pytest

from datasets import Catalogue, quality
from datasets.quality import DataQualityFact, Detection, detect
from datasets.quality._registry import detectors
from detecting import NOW, look, of_kind


def statements(detection: Detection, kind: str) -> list[str]:
    return [fact.statement for fact in of_kind(detection, kind)]


def days(first: date, last: date) -> list[date]:
    return [first + timedelta(days=i) for i in range((last - first).days + 1)]


def test_a_running_month_is_said_with_the_days_it_has(tmp_path: Path) -> None:
    dates = days(date(2025, 1, 1), date(2025, 9, 9))
    detection = look(tmp_path, {"day": dates, "revenue": [i * 7 % 50 for i in range(len(dates))]})
    (fact,) = of_kind(detection, "partial_period")
    assert fact.statement == (
        "2025-09 is incomplete: the data end 2025-09-09 (9 of 30 days). It is not compared with complete months."
    )
    assert fact.informational
    assert fact.directive is None
    assert (fact.claim.subject.period, fact.claim.value.number) == ("last month", 9)


def test_a_first_month_that_began_before_the_data_is_said_too(tmp_path: Path) -> None:
    dates = days(date(2025, 1, 20), date(2025, 6, 30))
    assert statements(look(tmp_path, {"day": dates, "n": range(len(dates))}), "partial_period") == [
        "2025-01 is incomplete: the data begin 2025-01-20 (12 of 31 days). It is not compared with complete months."
    ]


def test_a_month_that_ends_on_a_weekend_is_complete_for_working_days(tmp_path: Path) -> None:
    dates = [d for d in days(date(2025, 1, 1), date(2025, 8, 29)) if d.weekday() < 5]
    assert not statements(look(tmp_path, {"day": dates, "n": range(len(dates))}), "partial_period")


def test_dates_that_are_months_themselves_are_not_incomplete(tmp_path: Path) -> None:
    dates = [date(2020 + i // 12, 1 + i % 12, 1) for i in range(70)]
    assert not statements(look(tmp_path, {"month": dates, "n": range(len(dates))}), "partial_period")


def test_constant_almost_constant_and_empty_columns_are_told(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    detection = look(
        tmp_path,
        {
            "temp": [round(float(x), 2) for x in rng.normal(20, 2, 30)],
            "batch": ["B7"] * 30,
            "note": [""] * 30,
            "almost": [5] * 29 + [6],
            "rare": ["x"] * 6 + [""] * 24,
            "flag": ["yes"] * 29 + ["no"],
        },
    )
    assert statements(detection, "constant") == [
        "batch is constant: B7 in every row.",
        "rare is constant: x in each of the 6 rows that have a value.",
        "almost is almost constant: 29 of 30 rows (96.67%) are 5.",
    ]
    assert statements(detection, "missing") == [
        "note is empty: no value in any of the 30 rows.",
        "rare is missing in 24 of 30 rows (80%).",
    ]
    assert all(fact.informational for fact in detection.facts)


def test_an_empty_table_has_no_facts_and_no_power(tmp_path: Path) -> None:
    detection = look(tmp_path, {"a": [], "b": []})
    assert detection == Detection(seconds=detection.seconds)


def test_what_was_read_is_counted(tmp_path: Path) -> None:
    detection = look(tmp_path, {"day": days(date(2025, 1, 1), date(2025, 4, 30)), "n": range(120)})
    assert detection.rows_scanned >= 120
    assert detection.cells_read >= detection.rows_scanned


def test_a_stopped_query_is_named_and_the_other_detectors_still_look(tmp_path: Path) -> None:
    n = 100_000
    look(tmp_path, {"k": [f"k{i}" * 60 for i in range(n)], "v": [i % 977 for i in range(n)], "e": [""] * n})
    with Catalogue(tmp_path / "home", allow_paths=True).open(str(tmp_path / "table.csv"), now=NOW) as dataset:
        detection = detect(dataset.view(time_limit_s=0.001))
    assert detection.failed  # which of them take longest depends on the machine
    assert all("was stopped" in why for why in detection.failed.values())
    assert not {kind for kind, _ in detection.powered} & set(detection.failed)
    assert [fact.column for fact in of_kind(detection, "missing")] == ["e"]


def test_each_detector_is_one_file_and_is_found() -> None:
    files = [p for p in Path(quality.__file__).parent.glob("*.py") if not p.stem.startswith("_")]
    kinds = {detector.kind for detector in detectors()}
    assert len(kinds) == len(detectors()) == len(files) >= 26
    assert kinds >= {"reporting_lag", "null_lag", "sentinel", "duplicates", "balance", "unit_switch", "truncated"}


def test_the_face_is_what_it_says() -> None:
    assert sorted(quality.__all__) == ["DataQualityFact", "Detection", "detect", "detected", "lag_fact"]
    assert DataQualityFact.__module__ == Detection.__module__


@pytest.mark.parametrize("name", ["value", "rows", 'we"ird', "select"])
def test_column_names_of_any_kind_are_only_names(tmp_path: Path, name: str) -> None:
    ids = [f"O{i // 3:03d}" for i in range(300)]
    table: dict[str, list[object]] = {
        "order_id": [*ids],
        "when": [date(2025, 1, 1) + timedelta(days=i // 6) for i in range(300)],
        name: [i * 13 % 71 for i in range(300)],
        "total": [(i // 3) * 1.7 for i in range(300)],
    }
    detection = look(tmp_path, {key: [*values, values[0]] for key, values in table.items()})
    assert not detection.failed
    assert {fact.kind for fact in detection.facts} >= {"duplicates"}
