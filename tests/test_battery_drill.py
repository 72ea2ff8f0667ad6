"""Drilling: the leading group is found from the data, then looked into."""

from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from datasets import Catalogue, Dataset
from datasets.battery import direct_step, make_step, run_step
from datasets.evidence import Subject

NOW = datetime(2026, 1, 1, tzinfo=UTC)
HOURS = {"aggregate": "mean", "measure": {"kind": "column", "columns": ["hours"]}}


def opened(tmp_path: Path, *, slow: float) -> Dataset:
    """Tickets of three teams; team c takes `slow` hours more, and only where the priority is low."""
    rng = np.random.default_rng(5)
    rows = []
    for i in range(360):
        team, priority = "abc"[i % 3], ("low", "high")[(i // 3) % 2]
        hours = 10 + float(rng.normal(0, 1)) + (slow if team == "c" and priority == "low" else 0)
        rows.append(f"2025-{1 + i // 30:02d}-{1 + i % 28:02d},{team},{priority},{hours:.3f}")
    path = tmp_path / "tickets.csv"
    path.write_text("opened,team,priority,hours\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return Catalogue(tmp_path / "home", allow_paths=True).open(str(path), now=NOW)


def test_the_leading_group_is_looked_into(tmp_path: Path) -> None:
    step = make_step("drill", {"metric": HOURS, "dimension": "team", "over": ["priority"]})
    with opened(tmp_path, slow=30) as dataset:
        result = run_step(step, dataset.view())
    assert result.skipped is None
    assert {c.claim.subject.filters for c in result.candidates} == {"team eq [c]"}
    inside = next(c for c in result.candidates if c.claim.subject.dimension == "priority")
    assert inside.claim.value.text == "low"
    assert any(c.claim.subject.relation == "trend" for c in result.candidates)
    assert result.tests_run >= 3


def test_nothing_is_looked_into_where_the_groups_are_alike(tmp_path: Path) -> None:
    step = make_step("drill", {"metric": HOURS, "dimension": "team", "over": ["priority"]})
    with opened(tmp_path, slow=0) as dataset:
        result = run_step(step, dataset.view())
    assert result.candidates == []
    assert "none leads" in (result.skipped or "")


@pytest.mark.parametrize(("over", "reason"), [(["colour"], "no column 'colour'"), (["team"], "nothing within it")])
def test_a_look_that_cannot_be_taken_is_said(tmp_path: Path, over: list[str], reason: str) -> None:
    step = make_step("drill", {"metric": HOURS, "dimension": "team", "over": over, "over_time": False})
    with opened(tmp_path, slow=30) as dataset:
        result = run_step(step, dataset.view())
    assert result.candidates == []
    assert reason in (result.skipped or "")


def test_a_leading_share_is_followed_to_who_holds_it_and_what_it_is_rich_in(tmp_path: Path) -> None:
    rows = [
        f"{'abc'[i % 3]},{'red' if i % 3 == 2 else 'blue'},{'ann' if i % 2 else 'bob'},"
        f"{'declined' if i % 3 == 2 and i % 2 else 'paid'}"
        for i in range(300)
    ]
    path = tmp_path / "claims.csv"
    path.write_text("team,colour,person,state\n" + "\n".join(rows) + "\n", encoding="utf-8")
    declined = {"aggregate": "share", "measure": {"kind": "indicator", "columns": ["state"], "values": ["declined"]}}
    step = make_step("drill", {"metric": declined, "dimension": "team", "over": ["colour", "person"]})
    with Catalogue(tmp_path / "home", allow_paths=True).open(str(path), now=NOW) as dataset:
        result = run_step(step, dataset.view())
    rich = next(c for c in result.candidates if c.claim.subject.relation == "association")
    assert (rich.claim.subject.segment, rich.claim.value.text) == ("c", "red")
    held = [c for c in result.candidates if c.claim.subject.filters == "state in [declined] & team eq [c]"]
    assert any("ann" in c.statement for c in held)
    plain = {direct_step(step, c.claim.subject).kind for c in (rich, *held)}
    assert plain == {"share"}


def test_each_claim_of_a_drill_can_be_measured_again_by_a_plain_step(tmp_path: Path) -> None:
    step = make_step("drill", {"metric": HOURS, "dimension": "team", "over": ["priority"]}, builds_on="m1")
    with opened(tmp_path, slow=30) as dataset:
        view = dataset.view()
        for candidate in run_step(step, view).candidates:
            plain = direct_step(step, candidate.claim.subject)
            assert plain.kind != "drill"
            assert plain.builds_on == "m1"
            assert candidate.claim in [c.claim for c in run_step(plain, view).candidates]


def test_a_plain_step_is_its_own() -> None:
    step = make_step("share", {"dimension": "team"})
    assert direct_step(step, Subject(relation="share", dimension="team")) == step
