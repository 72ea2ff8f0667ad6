"""A world with planted events, played delivery by delivery: comparisons, lags and verdicts are what was planted."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from datasets import Catalogue, Snapshot
from datasets.snapshot import compare, measured_lag
from recallyst import Document, Recallyst

ROOT = Path(__file__).parents[1]
FRESH = "Which region has the highest revenue, and how is revenue developing?"
STILL = "Does North still have the highest total revenue by region?"
Expected = list[dict[str, Any]]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the deliveries and of what is expected of them."""
    folder = tmp_path_factory.mktemp("world")
    command = [sys.executable, str(ROOT / "benchmarks" / "world.py"), "--out", str(folder), "--orders", "30"]
    subprocess.run(command, check=True, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True)
    return folder


@pytest.fixture
def expected(world: Path) -> Expected:
    """What is expected of each delivery, in order."""
    loaded: Expected = json.loads((world / "expected.json").read_text())
    return loaded


def test_every_delivery_is_compared_and_its_lag_measured_as_planted(
    world: Path, expected: Expected, tmp_path: Path
) -> None:
    catalogue, before = Catalogue(tmp_path / "home", allow_paths=True), None
    for e in expected:
        file = Path(shutil.copy(world / e["file"], tmp_path / "sales.csv"))
        with catalogue.open(str(file), now=datetime.fromisoformat(e["delivered"]).replace(tzinfo=UTC)) as dataset:
            after: Snapshot = dataset.snapshot()
        if before is not None:
            change, lag = compare(before, after), measured_lag(before, after)
            days = (change.restated_days, change.filled_days)
            assert (change.kind, *days) == (e["kind"], e["restated_days"], e["filled_days"]), e["event"]
            assert change.columns_renamed == e["renamed"]
            assert (lag.days if lag else None) == e["measured_lag_days"], e["event"]
        before = before if e["kind"] == "replaced" else after


def test_the_world_played_through_the_product(
    world: Path, expected: Expected, asker: Callable[..., Recallyst], tmp_path: Path
) -> None:
    def play(delivery: int, question: str, mode: str | None) -> Document:
        e = expected[delivery - 1]
        file = shutil.copy(world / e["file"], tmp_path / "sales.csv")
        now = datetime.fromisoformat(e["delivered"]).replace(hour=20, tzinfo=UTC)
        return asker(now=now).ask(file, question, mode=mode).document

    first = play(1, FRESH, None)
    (suspected,) = _lags(first)
    assert suspected["status"] == "suspected"

    second = play(2, STILL, "revalidate")
    (measured,) = _lags(second)
    assert (measured["status"], measured["directive"]["days"]) == ("measured", 3)
    assert measured["statement"].startswith("Rows arrive up to 3 days late, measured on two deliveries.")
    assert [a["directive"]["days"] for a in second.applied] == [3]
    assert second.verdict is not None
    assert second.verdict["verdict"] == "holds"
    assert measured["memory_id"] in second.memory["superseded"]
    per_row = [d.usage["cells_read"] / d.dataset.rows for d in (first, second)]
    assert per_row[1] <= per_row[0] / 10

    play(4, STILL, "revalidate")
    restated = play(5, STILL, "revalidate")
    assert restated.verdict is not None
    assert restated.verdict["span"]["window"] is None
    assert "Since it was last confirmed: Past data changed: 31 known days" in restated.verdict["reason"]

    renamed = play(6, FRESH, "re-run")
    assert renamed.data_changed is not None
    assert renamed.data_changed["columns_renamed"] == {"revenue": "net_revenue"}
    assert [s["signature"] for s in renamed.plan] == [s["signature"] for s in first.plan]
    unfit = {s["signature"]: s["reason"] for s in renamed.skipped if s.get("signature")}
    assert all("revenue" in unfit[s["signature"]] for s in renamed.plan if "revenue" in s["signature"])
    assert [row["statement_before"] for row in renamed.comparison] == [f.statement for f in first.findings]
    gone = [row for row in renamed.comparison if "revenue" in row["statement_before"]]
    assert {(row["verdict"], row["now"]) for row in gone} == {("cannot_tell", None)}

    known = play(8, FRESH, "fresh")
    replaced = play(9, "What stands out?", None)
    assert (replaced.status, replaced.mode, replaced.gate) == ("done", "fresh", None)
    assert replaced.data_changed is not None
    assert replaced.data_changed["kind"] == "replaced"
    assert not _lags(replaced)

    back = play(10, FRESH, None)
    assert back.status == "waiting"
    assert back.gate is not None
    assert {p["memory_id"] for p in back.gate.prior_findings} == {f.memory_id for f in known.findings} - {None}
    assert back.data_changed is not None
    assert back.data_changed["summary"].startswith("In between, other data had this name. Data was added:")

    play(11, FRESH, "fresh")
    turned = play(12, STILL, "revalidate")
    assert turned.verdict is not None
    assert turned.verdict["verdict"] == "reversed"
    assert turned.verdict["span"]["window"]["start"] == "2025-05-11"
    assert turned.verdict["reason"].startswith("It is South now and was North. Up to 2025-05-10 nothing was restated")
    assert [s["params"]["window"]["start"] for s in turned.plan] == ["2025-05-11"]
    assert turned.memory["superseded"]
    assert [(q["status"], q["directive"]["days"]) for q in _lags(turned)] == [("measured", 3)]


def test_a_rerun_on_the_next_delivery_says_then_and_now(
    world: Path, expected: Expected, asker: Callable[..., Recallyst], tmp_path: Path
) -> None:
    file = tmp_path / "sales.csv"
    shutil.copy(world / "delivery-01.csv", file)
    first = asker(now=datetime(2024, 7, 10, 20, tzinfo=UTC)).ask(file, FRESH).document
    shutil.copy(world / "delivery-02.csv", file)
    again = asker(now=datetime(2024, 8, 10, 20, tzinfo=UTC)).ask(file, FRESH, mode="re-run").document
    assert first.comparison == []
    assert len(again.comparison) == len(first.findings)
    leader = next(row for row in again.comparison if row["then"].startswith("North: "))
    assert (leader["then"].split(":")[0], leader["now"].split(":")[0]) == ("North", "North")
    assert leader["verdict"] in {"holds", "weakened"}
    assert leader["statement_now"] in {f.statement for f in again.findings}
    assert leader["change"].startswith("+")


def test_a_replacement_says_why_nothing_is_asked_and_later_sessions_remember_it(
    world: Path, expected: Expected, asker: Callable[..., Recallyst], tmp_path: Path
) -> None:
    file = tmp_path / "sales.csv"
    shutil.copy(world / "delivery-08.csv", file)
    asker(now=datetime(2025, 2, 10, 20, tzinfo=UTC)).ask(file, FRESH)
    shutil.copy(world / "delivery-09.csv", file)
    day = datetime(2025, 3, 10, 20, tzinfo=UTC)
    replaced = asker(now=day).ask(file, "How many tickets by priority?").document
    assert replaced.status == "done"
    (warning,) = [w for w in replaced.warnings if "other data" in w]
    assert warning.startswith("This is other data under the same name")
    assert warning.endswith("not taken up.")
    later = asker(now=day.replace(day=12)).ask(file, "Is the number of tickets still the same?", mode="revalidate")
    assert "North" not in json.dumps(later.verdict or {})


def test_who_asks_to_revalidate_on_other_data_gets_a_verdict(
    world: Path, asker: Callable[..., Recallyst], tmp_path: Path
) -> None:
    file = tmp_path / "sales.csv"
    shutil.copy(world / "delivery-08.csv", file)
    asker(now=datetime(2025, 2, 10, 20, tzinfo=UTC)).ask(file, FRESH)
    shutil.copy(world / "delivery-09.csv", file)
    day = datetime(2025, 3, 10, 20, tzinfo=UTC)
    tested = asker(now=day).ask(file, STILL, mode="revalidate").document
    assert (tested.mode, tested.usage["steps"]) == ("revalidate", 1)
    assert tested.verdict is not None
    assert tested.verdict["verdict"] == "cannot_tell"
    assert [w for w in tested.warnings if "found in other data under this name" in w]


def _lags(document: Document) -> list[dict[str, Any]]:
    return [q for q in document.data_quality if q["kind"] == "reporting_lag"]
