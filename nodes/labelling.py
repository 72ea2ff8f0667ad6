"""Labels and verdicts: how much a measured candidate may claim, and whether a prior finding still holds."""

from analyst.protocol import Label, LabelledFinding
from datasets.battery import adjust, label_of, match_candidate, verdict_of
from datasets.evidence import Candidate, Claim, StepResult, Subject
from datasets.measures import Window
from datasets.retesting import as_before, spanless, then_and_now_chart, too_few
from datasets.steps import Step
from graph.state import Json, State
from memory.units import CONFIDENCE

_WORDED_BY_MODEL = "sql"
"""A query states nothing before looking: whether it asks what the question asks, no test can tell."""


def label_results(state: State, results: list[StepResult], steps: dict[str, Step]) -> list[LabelledFinding]:
    """Attach the strongest label that correction, robustness and, in extend, prior findings leave.

    A repeated battery states nothing anew: what scanning found in these rows is not confirmed by the same rows.
    """
    mode = state["chosen_mode"]
    stated = {s for s, step in steps.items() if step.stated and step.kind != _WORDED_BY_MODEL}
    claims = _prior_claims(state) if mode == "extend" else {}
    # What a model adds is corrected among all; it makes no claim of the drafted battery weaker.
    drafted = [r for r in results if not steps[r.signature].proposed]
    q_values = adjust(results, stated) | adjust(drafted, stated)
    labelled = []
    for result in results:
        for index, candidate in enumerate(result.candidates):
            q_value = q_values.get((result.signature, index))
            before = claims.get(_key(candidate.claim.subject))
            contradicts = before is not None and verdict_of(before, candidate).verdict in {"reversed", "gone"}
            label = label_of(candidate, stated=result.signature in stated, q_value=q_value, contradicts=contradicts)
            if label:
                labelled.append(_labelled(steps[result.signature], candidate, label, q_value))
    return labelled


def relabelled(finding: LabelledFinding, label: Label | None) -> LabelledFinding:
    """Return the finding with a weaker label, and the confidence that follows from it."""
    if label is None:
        return finding
    return finding.model_copy(update={"label": label, "confidence": CONFIDENCE[label]})


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
    measured = [c for r in results for c in r.candidates]
    candidates, span = measured, target["span"]
    if span["window"]:
        window = Window.model_validate(span["window"])
        before, candidates = spanless(before, step), [as_before(c, step, window) for c in candidates]
    elif span["grew"] and before.subject.relation != "value":  # what a total is now is what a question of one asks
        before, candidates = spanless(before, step), [_spanless(c, step) for c in candidates]
    after = match_candidate(before, candidates)
    few = too_few(span["needed"], after) if span["needed"] else None
    skipped = few or next((r.skipped for r in results if r.skipped), None)
    judged = verdict_of(before, None if few else after, skipped=skipped, n_before=target.get("n"))
    verdict = {
        "memory_id": target["memory_id"],
        "statement": target["summary"],
        "verdict": judged.verdict,
        "reason": f"{judged.reason} {span['told']}".strip(),
        "before": judged.before,
        "after": judged.after,
        "span": span,
    }
    if after is None:
        return verdict, []
    found = measured[candidates.index(after)]
    tested = next((f for f in labelled if f.candidate == found), None)
    if tested is None:
        ran = next(Step.model_validate({k: v for k, v in s.items() if k != "signature"}) for s in state["plan"])
        tested = _labelled(ran, found, "exploratory", None)
    chart = then_and_now_chart(before, after.claim, f"Then and now: {target['summary']}") or found.chart
    return verdict, [tested.model_copy(update={"candidate": found.model_copy(update={"chart": chart})})]


def _spanless(candidate: Candidate, step: Step) -> Candidate:
    return candidate.model_copy(update={"claim": spanless(candidate.claim, step)})


def _labelled(step: Step, candidate: Candidate, label: Label, q_value: float | None) -> LabelledFinding:
    return LabelledFinding(step=step, candidate=candidate, label=label, confidence=CONFIDENCE[label], q_value=q_value)


def _prior_claims(state: State) -> dict[str, Claim]:
    """Claims of prior findings by subject; a claim that this version cannot read contradicts nothing."""
    claims = {}
    for prior in state.get("prior") or []:
        claim = prior["claim"]
        if claim and set(claim.get("subject") or {"": ""}) <= set(Subject.model_fields):
            read = Claim.model_validate(claim)
            claims[_key(read.subject)] = read
    return claims


def _key(subject: Subject) -> str:
    return subject.model_dump_json(exclude_none=True)
