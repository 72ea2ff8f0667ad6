"""Verdicts: whether a prior finding still holds, on what came since and on what was known before."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from analyst.protocol import LabelledFinding
from datasets.battery import match_candidate, verdict_of
from datasets.evidence import Candidate, Claim, StepResult
from datasets.measures import Window
from datasets.retesting import as_before, spanless, then_and_now_chart, too_few
from datasets.steps import Step
from graph.state import Json, State
from nodes.labelling import labelled_as

_GRAVITY = ("holds", "cannot_tell", "weakened", "gone", "reversed")
"""Verdicts from the mildest on."""
_BECAME = {
    "holds": "holds", "cannot_tell": "cannot be told", "weakened": "is weaker", "gone": "is gone",
    "reversed": "is reversed",
}  # fmt: skip


def judge_target(
    state: State, results: list[StepResult], labelled: list[LabelledFinding]
) -> tuple[Json | None, list[LabelledFinding]]:
    """Judge the tested prior finding on today's data; of a revalidation only the tested claim is a finding.

    A test that was stated and failed is a finding as well: that the claim does not hold any more.
    """
    target = state.get("target")
    if not target:
        return None, labelled
    step, before = Step.model_validate(target["step"]), Claim.model_validate(target["claim"])
    span = target["span"]
    tests = _tests(state, span, step, before, results)
    judged = [_judged(target, test) for test in tests]
    # The claim stands where it stands on both stretches; of two that fail alike, what came since tells more.
    at = max(range(len(tests)), key=lambda i: _GRAVITY.index(judged[i][0]["verdict"]))
    test, (deciding, after) = tests[at], judged[at]
    verdict = {
        "memory_id": target["memory_id"],
        "statement": target["summary"],
        "verdict": deciding["verdict"],
        "reason": f"{_reason(judged, span)} {span['told']}".strip(),
        "before": deciding["before"],
        "after": deciding["after"],
        "span": {**span, **test.stretch} if test.restated else span,
    }
    if after is None:
        return verdict, []
    found = test.measured[test.candidates.index(after)]
    tested = next((f for f in labelled if f.candidate == found), None)
    if tested is None:
        tested = labelled_as(test.step, found, "exploratory", None)
    chart = then_and_now_chart(test.before, after.claim, f"Then and now: {target['summary']}") or found.chart
    return verdict, [tested.model_copy(update={"candidate": found.model_copy(update={"chart": chart})})]


@dataclass(frozen=True)
class _Test:
    """One test of a remembered claim, on all the rows or on a stretch of them."""

    step: Step
    before: Claim
    """The remembered claim, without an amount that the stretch cannot compare."""
    measured: Sequence[Candidate]
    candidates: Sequence[Candidate]
    """The measured ones as the remembered claim would say them, in the same order."""
    skipped: str | None
    needed: int = 0
    stretch: Json = field(default_factory=dict)
    """First day, and first day after it, of the restated stretch."""
    restated: bool = False
    """Whether the stretch is the one that the claim was made from, with other numbers now."""


def _tests(state: State, span: Json, step: Step, before: Claim, results: Sequence[StepResult]) -> list[_Test]:
    """Return what was tested: what came since or all, then the restated stretch where it was tested apart."""
    by_signature = {r.signature: r for r in results}
    tests: list[_Test] = []
    for planned in state["plan"]:
        ran = Step.model_validate({k: v for k, v in planned.items() if k != "signature"})
        result = by_signature.get(planned["signature"])
        measured, skipped = (result.candidates, result.skipped) if result else ([], None)
        window = span["past"] if tests else span["window"]
        said = [as_before(c, Window.model_validate(window)) for c in measured] if window else measured
        if tests:
            stretch = {"since": window["start"], "until": window["end"]}
            tests.append(_Test(ran, before, measured, said, skipped, stretch=stretch, restated=True))
            continue
        # What a total is now is what a question of one asks.
        ours = before
        if span["window"] or (span["grew"] and before.subject.relation != "value"):
            ours, said = spanless(before, step), [_spanless(c, step) for c in said]
        tests.append(_Test(ran, ours, measured, said, skipped, needed=span["needed"] if window else 0))
    return tests


def _judged(target: Json, test: _Test) -> tuple[Json, Candidate | None]:
    after = match_candidate(test.before, test.candidates)
    few = too_few(test.needed, after) if test.needed else None
    found = None if few else after
    judged = verdict_of(test.before, found, skipped=few or test.skipped, n_before=target.get("n"))
    return judged.model_dump(), after


def _reason(judged: Sequence[tuple[Json, Candidate | None]], span: Json) -> str:
    """Why, of one test; of two, what became of each stretch, the restated one first."""
    if len(judged) == 1:
        return str(judged[0][0]["reason"])
    (since, _), (past, _) = judged
    first = span["window"]["start"]
    return (
        f"On the restated data before {first} it {_BECAME[past['verdict']]}: {past['reason']} "
        f"Since {first} it {_BECAME[since['verdict']]}: {since['reason']}"
    )


def _spanless(candidate: Candidate, step: Step) -> Candidate:
    return candidate.model_copy(update={"claim": spanless(candidate.claim, step)})
