"""Verdicts: holds, weakened, reversed, gone, cannot tell."""

import json
from typing import Any

import pytest

from datasets.battery import match_candidate, verdict_of
from datasets.evidence import Candidate, Claim, ClaimValue, Subject


def claim(relation: str = "difference", /, **value: Any) -> Claim:
    return Claim(subject=Subject(relation=relation, metric="mean(x)"), value=ClaimValue(**value))


def found(
    relation: str = "difference", /, *, p: float | None = None, null: bool = False, n: int = 100, **value: Any
) -> Candidate:
    return Candidate(
        claim=claim(relation, **value),
        statement="As measured.",
        n=n,
        test=None if p is None else "welch_t",
        p_value=p,
        null=null,
    )


@pytest.mark.parametrize(
    ("before", "after", "verdict"),
    [
        (claim("value", number=100.0), found("value", number=104.9), "holds"),
        (claim("value", number=100.0), found("value", number=94.0), "weakened"),
        (claim("value", number=100.0), found("value", number=106.0), "weakened"),
        (claim("value", number=100.0), found("value", number=300.0), "gone"),
        (claim("value", number=100.0), found("value", number=-100.0), "reversed"),
        (claim("value", number=0.0), found("value", number=0.0), "holds"),
        (claim("value", number=0.12), found("value", number=0.02), "gone"),
        (claim("share", number=0.672, text="Hardware"), found("share", number=0.66, text="hardware"), "holds"),
        (claim("share", number=0.672, text="Hardware"), found("share", number=0.672, text="Software"), "reversed"),
        (claim("share", number=0.672, text="Hardware"), found("share", number=0.4, text="Hardware"), "weakened"),
        (claim("share", number=0.4, text="Hardware"), found("share", number=0.6, text="Hardware"), "holds"),
        (claim("share", number=0.6, low=0.5, high=0.7), found("share", number=0.45, low=0.38, high=0.52), "holds"),
        (claim("share", number=0.6), found("share", number=0.55, low=0.48, high=0.62), "holds"),
        (claim("share", number=0.6, low=0.55, high=0.65), found("share", number=0.4, low=0.3, high=0.5), "weakened"),
        (claim(number=2.0, direction="higher"), found(number=-2.0, direction="lower", p=0.001), "reversed"),
        (claim(number=2.0, direction="higher"), found(number=2.1, direction="higher", p=0.001), "holds"),
        (claim("trend", number=2.0, direction="up"), found("trend", direction="flat", null=True, p=0.7), "gone"),
        (claim(number=2.0), found(number=0.1, low=-0.2, high=0.4, null=True, p=0.5), "gone"),
        (claim(number=2.0), found(number=0.9, low=-1.0, high=2.8, null=True, p=0.3), "cannot_tell"),
        (claim(number=2.0), found(number=0.9, low=-1.0, high=2.8, p=0.3), "cannot_tell"),
        (claim(number=2.0), found(number=0.6, low=-0.1, high=1.3, p=0.08), "weakened"),
        (claim(number=2.0), found(number=0.6, p=0.08), "gone"),
        (claim("trend", direction="flat"), found("trend", direction="flat", null=True, p=0.7), "holds"),
        (claim("trend", direction="flat"), found("trend", direction="up", number=3.0, p=0.001), "reversed"),
        (claim("trend", direction="flat"), found("trend", direction="up", number=3.0, p=0.2), "cannot_tell"),
        (claim("evenness", number=0.05), found("share", number=0.7, text="A", p=0.0001), "reversed"),
        (claim("evenness", number=0.05), found("evenness", number=0.06, null=True, p=0.6), "holds"),
        (claim("outliers", number=2.0, text="4,000 and -35"), found("outliers", number=2.0, text="a, b"), "holds"),
        (claim("value", number=3.0), found("value", text="not defined"), "cannot_tell"),
    ],
)
def test_verdict(before: Claim, after: Candidate, verdict: str) -> None:
    given = verdict_of(before, after)
    assert given.verdict == verdict, given.reason
    json.dumps(given.model_dump(), allow_nan=False)


def test_too_few_rows_says_how_many_would_be_needed() -> None:
    given = verdict_of(claim(number=2.0), found(number=0.9, low=-1.1, high=2.9, p=0.3, n=50))
    # Half width 2 must shrink to 2 / (2.8016 / 1.96): 50 x 1.4294 squared.
    assert given.reason == (
        "With n = 50 the interval holds both zero and the former value 2; about 103 would be needed."
    )


def test_a_step_that_measured_nothing_cannot_tell() -> None:
    given = verdict_of(claim(number=2.0), None, skipped="the column is gone")
    assert (given.verdict, given.reason, given.after) == ("cannot_tell", "The column is gone.", {})


@pytest.mark.parametrize("before", [claim("extreme", number=140.0, text="A"), claim(direction="none")])
def test_who_leads_in_the_few_rows_that_are_left_cannot_tell(before: Claim) -> None:
    after = found("extreme", number=99.0, text="B", n=1)
    given = verdict_of(before, after, n_before=649)
    assert (given.verdict, given.reason) == (
        "cannot_tell", "1 of 649 rows left, too few to say: As measured.",
    )  # fmt: skip
    assert verdict_of(before, after, n_before=3).verdict == "reversed"
    assert verdict_of(claim("value", number=140.0), found("value", number=1.0, n=1), n_before=649).verdict == "gone"


def test_a_null_result_about_another_period_is_another_matter() -> None:
    monthly = Claim(
        subject=Subject(relation="share", metric="rows", dimension="country", period="in every month"),
        value=ClaimValue(text="Australia"),
    )
    null = Claim(subject=Subject(relation="trend", metric="rows", dimension="country"), value=ClaimValue(number=0.1))
    flat = Candidate(claim=null, statement="No trend.", n=60, test="mk", p_value=0.3, null=True)
    assert match_candidate(monthly, [flat]) is None


def test_shares_are_written_as_percentages() -> None:
    given = verdict_of(
        claim("share", number=0.672, unit="share", text="A"), found("share", number=0.4, unit="share", text="A")
    )
    assert given.reason == "40% now against 67.2% before: same direction, smaller."
    assert given.before == {"number": 0.672, "unit": "share", "text": "A"}
    assert given.after["n"] == 100


def test_match_prefers_the_same_subject() -> None:
    other = found("extreme", number=1.0)
    same = found(number=1.0)
    assert match_candidate(claim(number=3.0), [other, same]) is same


def test_match_takes_a_null_result_in_the_place_of_an_effect_and_the_reverse() -> None:
    even = found("evenness", number=0.05, null=True, p=0.8)
    leader = found("share", number=0.6, text="A", p=0.001)
    assert match_candidate(claim("share", number=0.6, text="A"), [even]) is even
    assert match_candidate(claim("evenness", number=0.05), [leader]) is leader
    assert match_candidate(claim("share", number=0.6, text="A"), [found("trend", number=1.0)]) is None


@pytest.mark.parametrize(
    ("groups", "number", "verdict"),
    [(["A", "B"], 1.0, "cannot_tell"), (["A", "B"], 3.0, "reversed"), (["A", "B", "late"], 1.0, "reversed")],
)
def test_a_leader_that_is_gone_may_have_another_name(groups: list[str], number: float, verdict: str) -> None:
    after = found(number=number, direction="higher", text="B", p=0.001)
    after = after.model_copy(update={"table": [{"shift": g, "mean": 1.0} for g in groups]})
    judged = verdict_of(claim(number=1.02, direction="higher", text="late"), after)
    assert judged.verdict == verdict
    assert ("not among the groups" in judged.reason) == ("late" not in groups)
