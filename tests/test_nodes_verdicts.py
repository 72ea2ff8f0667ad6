"""A claim whose past was restated is tested on the restated days and on what came since, each alone."""

import random
from datetime import date, timedelta
from pathlib import Path

import pytest

from recallyst import Recallyst

ASKED = "Does the mean amount differ between regions?"
DAYS, SINCE = 60, 40


def deliver(file: Path, days: int, *, past: float, since: float) -> None:
    """Write days of amounts; `past` and `since`: how far North is above South in the first days and after them."""
    draw = random.Random(7)
    rows = ["day,region,amount"]
    for i in range(days):
        for n in range(12):
            region = "North" if n % 2 else "South"
            ahead = past if i < DAYS else since
            amount = 100 + (ahead if region == "North" else 0) + draw.gauss(0, 5)
            rows.append(f"{date(2025, 1, 1) + timedelta(days=i)},{region},{amount:.2f}")
    file.write_text("\n".join(rows))


@pytest.mark.parametrize(
    ("past", "since", "verdict", "tests", "window"),
    [
        (20, 20, "holds", 1, "since"),
        (20, -20, "reversed", 1, "since"),
        (20.5, 20, "holds", 2, "since"),
        (-20, 20, "reversed", 2, "past"),
        (20.5, -20, "reversed", 2, "since"),
        (-20, -20, "reversed", 2, "since"),
    ],
)
def test_both_questions_of_a_revalidation_are_answered(
    past: float, since: float, verdict: str, tests: int, window: str, tmp_path: Path
) -> None:
    file, analyst = tmp_path / "sales.csv", Recallyst(home=tmp_path / "home")
    deliver(file, DAYS, past=20, since=20)
    analyst.ask(file, ASKED, mode="fresh")
    deliver(file, DAYS + SINCE, past=past, since=since)
    told = analyst.ask(file, ASKED, mode="revalidate")
    assert told.verdict is not None
    assert (told.verdict["verdict"], len(told.plan)) == (verdict, tests), told.verdict["reason"]
    day = str(date(2025, 1, 1) + timedelta(days=DAYS))
    (finding,) = told.findings
    assert [s["params"]["window"].get("start") for s in told.plan] == [day, None][:tests]
    assert finding.evidence["step"] == told.plan[window == "past"]["signature"]
    assert ("On the restated data before" in told.verdict["reason"]) == (tests == 2)
    assert bool(told.memory["superseded"]) == (verdict != "holds")
    again = analyst.ask(file, ASKED, mode="revalidate")
    assert again.verdict is not None
    assert again.verdict["verdict"] == "holds", again.verdict["reason"]


def test_a_rerun_repeats_the_battery_of_the_question_it_is_about(tmp_path: Path) -> None:
    file, analyst = tmp_path / "sales.csv", Recallyst(home=tmp_path / "home")
    deliver(file, DAYS, past=20, since=20)
    first = analyst.ask(file, ASKED, mode="fresh")
    last = analyst.ask(file, "How many rows are there by day?", mode="fresh")
    again = analyst.ask(file, "Is the amount different by region?", mode="re-run")
    assert [s["signature"] for s in again.plan] == [s["signature"] for s in first.plan]
    assert any(ASKED in w for w in again.warnings)
    same = analyst.ask(file, "How many rows are there by day?", mode="re-run")
    assert [s["signature"] for s in same.plan] == [s["signature"] for s in last.plan]
