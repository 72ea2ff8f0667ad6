"""Labels: how much a measured candidate may claim."""

from analyst.protocol import Label, LabelledFinding
from datasets.battery import adjust, label_of, verdict_of
from datasets.evidence import Candidate, Claim, StepResult, Subject
from datasets.steps import Step
from graph.state import State
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
                labelled.append(labelled_as(steps[result.signature], candidate, label, q_value))
    return labelled


def relabelled(finding: LabelledFinding, label: Label | None) -> LabelledFinding:
    """Return the finding with a weaker label, and the confidence that follows from it."""
    if label is None:
        return finding
    return finding.model_copy(update={"label": label, "confidence": CONFIDENCE[label]})


def labelled_as(step: Step, candidate: Candidate, label: Label, q_value: float | None) -> LabelledFinding:
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
