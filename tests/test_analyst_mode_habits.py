"""Past choices at the gate move a suggestion, as counts against the reading of the question."""

import pytest

from analyst.modes.habits import with_habits
from analyst.protocol import Suggestion

READ = Suggestion(mode="revalidate", confidence=0.7, reason="You ask whether it holds.")


def test_without_choices_on_that_suggestion_nothing_moves() -> None:
    assert with_habits(READ, []) == READ
    assert with_habits(READ, [("extend", "fresh")] * 20) == READ


def test_agreement_makes_surer() -> None:
    found = with_habits(READ, [("revalidate", "revalidate")] * 6)
    assert found.mode == "revalidate"
    assert found.confidence == pytest.approx((6 * 0.7 + 6) / 12, abs=1e-3)
    assert found.reason.endswith("Where I suggested revalidate, you chose revalidate in 6 of 6 cases.")


def test_who_always_decides_otherwise_is_followed_in_time() -> None:
    moved = [with_habits(READ, [("revalidate", "re-run")] * n).mode for n in range(8)]
    assert moved[0] == moved[3] == "revalidate"
    assert moved[-1] == "re-run"
    assert moved == sorted(moved, key=["revalidate", "re-run"].index)


def test_chances_stay_chances_and_unknown_modes_do_not_count() -> None:
    found = with_habits(READ, [("revalidate", "banana")] * 50 + [("revalidate", "fresh")] * 2)
    assert 0.25 <= found.confidence <= 1
    assert found.mode == "revalidate"
