"""A remembered claim is tested on what came since alone where that can tell."""

from datetime import date
from typing import Any

import pytest

from datasets.battery import make_step, match_candidate, verdict_of
from datasets.evidence import Candidate, Claim, ClaimValue, Subject
from datasets.retesting import (
    Since,
    against_level,
    as_before,
    as_claimed,
    rests_on,
    since,
    spanless,
    step_since,
    then_and_now_chart,
    too_few,
)
from datasets.steps import Step

SPAN = (date(2025, 1, 1), date(2025, 6, 30), date(2025, 9, 30))
MEAN = {"aggregate": "mean", "measure": {"kind": "column", "columns": ["price"]}}
SUM = {"aggregate": "sum", "measure": {"kind": "column", "columns": ["price"]}}
COMPARE = make_step("compare", {"metric": MEAN, "dimension": "region"})


def claim(relation: Any, /, *, metric: str = "mean(price)", period: str | None = None, **value: Any) -> Claim:
    subject = Subject(relation=relation, metric=metric, dimension="region", period=period)
    return Claim(subject=subject, value=ClaimValue.model_validate(value))


def ahead(step: Step = COMPARE, of: Claim | None = None, **changes: Any) -> Since | None:
    given: dict[str, Any] = {
        "time_column": "day",
        "span": SPAN,
        "rows": (1_000, 500),
        "n_before": 1_000,
        "p_before": 1e-6,
    } | changes
    return since(step, of or claim("difference", number=2.0), **given)


def test_what_came_since_starts_the_day_after_the_claim_was_confirmed() -> None:
    found = ahead()
    assert found is not None
    assert (found.window.key, found.held, found.counted) == ("day [2025-07-01, )", 500, "row")
    assert found.enough


@pytest.mark.parametrize(("p", "needed"), [(1e-6, 329), (0.04, 1_861), (0.5, 200), (None, 200), (0.0, 100)])
def test_how_many_rows_it_takes_follows_from_the_remembered_test(p: float | None, needed: int) -> None:
    found = ahead(p_before=p)
    assert found is not None
    assert found.needed == pytest.approx(needed, rel=0.02)
    assert found.enough == (needed <= 500)


def test_a_claim_about_some_rows_expects_only_those_since() -> None:
    found = ahead(n_before=250)
    assert found is not None
    assert found.held == 125


def test_a_trend_counts_periods_and_needs_eight() -> None:
    step = make_step("trend", {"metric": MEAN, "time": "day"})
    weekly, monthly = (ahead(step, claim("trend", period=f"by {grain}", number=1.0)) for grain in ("week", "month"))
    assert weekly is not None
    assert (weekly.held, weekly.counted, weekly.enough) == (13, "week", weekly.needed <= 13)
    assert monthly is not None
    assert (monthly.held, monthly.needed, monthly.enough) == (2, 8, False)


@pytest.mark.parametrize(
    ("step", "of"),
    [
        (make_step("answer", {"metrics": [SUM]}), claim("value", metric="sum(price)", number=5.0)),
        (make_step("compare", {"metric": MEAN, "dimension": "region", "window": {"column": "day"}}), None),
        (COMPARE, claim("difference", period="day [2025-01-01, 2025-02-01)", number=2.0)),
        (make_step("outliers", {"measure": MEAN["measure"]}), claim("outliers", number=2.0)),
        (make_step("trend", {"metric": MEAN, "time": "other"}), claim("trend", period="by week", number=1.0)),
    ],
)
def test_what_is_not_about_any_stretch_of_time_is_tested_whole(step: Step, of: Claim | None) -> None:
    metric = SUM if of and of.subject.metric == "sum(price)" else MEAN
    held = step if step.kind != "answer" else step.model_copy(update={"params": {"metric": metric}})
    assert ahead(held, of) is None


def test_nothing_new_or_nothing_known_has_no_stretch() -> None:
    assert ahead(span=(SPAN[0], SPAN[1], SPAN[1])) is None
    assert ahead(n_before=0) is None
    assert ahead(rows=(0, 500)) is None


def test_a_claim_found_in_a_window_is_judged_against_the_one_without() -> None:
    found = ahead()
    assert found is not None
    step = step_since(COMPARE, found.window)
    assert step.params["window"]["start"] == "2025-07-01"
    before = claim("difference", number=2.0, low=1.0, high=3.0, direction="higher", text="North")
    now = claim("difference", period=found.window.key, number=-2.0, low=-3.0, high=-1.0, direction="lower")
    measured = Candidate(claim=now, statement="Lower since.", n=400, test="welch_t", p_value=1e-5)
    assert match_candidate(before, [measured]) is None
    judged = as_before(measured, found.window)
    assert match_candidate(before, [judged]) == judged
    assert verdict_of(before, judged).verdict == "reversed"


def test_an_amount_is_not_compared_across_stretches_and_a_leader_is() -> None:
    step = make_step("compare", {"metric": SUM, "dimension": "region"})
    before = spanless(claim("extreme", number=1_000.0, text="North"), step)
    assert before.value.number is None
    for leader, verdict in (("North", "holds"), ("South", "reversed")):
        now = spanless(claim("extreme", number=90.0, text=leader), step)
        assert verdict_of(before, Candidate(claim=now, statement="So it is.", n=300)).verdict == verdict
    assert spanless(claim("difference", number=2.0), COMPARE).value.number == 2.0


def test_far_fewer_rows_than_expected_are_said() -> None:
    few = Candidate(claim=claim("share", number=0.4), statement="Web leads.", n=40)
    assert too_few(100, few) == "Only 40 rows of it came since then, and it takes about 100: Web leads."
    assert too_few(80, few) is None
    assert too_few(100, None) is None


def test_then_and_now_are_drawn_side_by_side() -> None:
    then, now = claim("share", number=0.5, unit="share", text="Web"), claim("share", number=0.4, unit="share")
    chart = then_and_now_chart(then, now, "Then and now")
    assert chart is not None
    assert [(r["name"], r["value"]) for r in chart["data"]["values"]] == [("then: Web", 50.0), ("now", 40.0)]
    assert then_and_now_chart(claim("extreme", text="North"), now, "") is None


def test_a_trend_is_tested_at_the_grain_it_was_claimed_at() -> None:
    step, weekly = make_step("trend", {"metric": MEAN, "time": "day"}), claim("trend", period="by week", number=1.0)
    assert as_claimed(step, weekly).params["grain"] == "week"
    assert as_claimed(COMPARE, weekly) == COMPARE
    assert as_claimed(step, claim("trend", number=1.0)) == step


def test_a_claim_rests_on_the_measures_it_reads_alone() -> None:
    assert rests_on(COMPARE, claim("difference"), ["price", "units", "day"]) == {"price"}
    counting = make_step("share", {"dimension": "region"})
    assert rests_on(counting, claim("share", metric="distinct(ticket_id)"), ["ticket", "ticket_id"]) == {"ticket_id"}


def test_a_flat_claim_is_held_against_the_level_up_to_its_confirmation_and_a_moved_one_against_the_one_before() -> None:
    step, known = make_step("trend", {"metric": MEAN, "time": "day"}), date(2025, 6, 30)
    assert against_level(step, claim("trend", direction="flat"), known).params["known_until"] == "2025-06-30"
    moved = claim("trend", direction="down", text="level since 2025-04-01")
    assert against_level(step, moved, known).params["known_until"] == "2025-03-31"
    for other in (claim("trend", direction="up"), claim("difference", direction="none")):
        assert against_level(step, other, known) == step
