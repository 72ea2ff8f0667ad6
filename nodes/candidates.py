"""What of a run could become memory: labelled findings and facts about the data, as units with their provenance."""

import json
from collections.abc import Collection

from datasets.battery import direct_step
from datasets.evidence import Subject
from datasets.measures import Metric
from datasets.steps import Step
from graph.state import Json, State
from memory import NewUnit

_WITH_ANY_QUESTION = frozenset({"evenness", "concentration", "distribution"})


def finding_unit(state: State, finding: Json, artifact_id: str | None) -> NewUnit:
    planned = next(s for s in state["plan"] if s["signature"] == finding["evidence"]["step"])
    step = Step.model_validate({k: v for k, v in planned.items() if k != "signature"})
    target = state.get("target")
    again = (
        Step.model_validate(target["step"])
        if target
        else direct_step(step, Subject.model_validate(finding["claim"]["subject"]))
    )
    span = (state.get("verdict") or {}).get("span") or {}
    return NewUnit(
        unit_key=f"finding:{finding['id']}",
        memory_type="finding",
        summary=finding["statement"],
        detail="; ".join(finding["evidence"]["caveats"]),
        label=finding["label"],
        claim=_claim(state, finding),
        data_source=state["data_source"],
        artifact_id=artifact_id,
        provenance={
            "run_id": state["run_id"],
            "signature": again.signature,
            "step": again.model_dump(mode="json"),
            "sql": finding["evidence"]["sql"],
            "fingerprint": state["fingerprint"],
            "data_id": state["data_id"],
            "n": finding["evidence"]["n"],
            "p_value": finding["evidence"]["p_value"],
            "since": span.get("since"),
            "until": span.get("until"),
        },
    )


def told_only(state: State, finding: Json, known: Collection[str]) -> str | None:
    """Why a finding is told and not remembered, None where it is kept.

    An absence that nobody asked about is kept where it is one of the measure asked about, or where it bears on what is
    known: memory then confirms it, or closes the effect that it denies. `known`: the subjects of the findings in force.
    What a revalidation measured is kept.
    """
    evidence = finding["evidence"]
    if state.get("target") or subject_key(finding["claim"]) in known:
        return None
    if evidence["inconclusive"]:
        return "the data can tell neither a difference nor its absence"
    asked = any(s["signature"] == evidence["step"] and s["stated"] for s in state["plan"])
    trivial = evidence["null"] and not asked and not _of_asked_measure(state, finding["claim"]["subject"])
    return "nothing was found, and nobody asked" if trivial else None


def _of_asked_measure(state: State, subject: Json) -> bool:
    """Whether an absence speaks of a measure of the question; an even spread of the rows comes with any question."""
    if subject["relation"] in _WITH_ANY_QUESTION:
        return False
    metric = str(subject["metric"] or "")
    intent = state["intent"]
    asked = {c for a in intent["asks"] for m in a["metrics"] for c in m["measure"]["columns"]}
    return any(column in metric for column in asked) or (bool(intent["open"]) and metric != Metric().key)


def subject_key(claim: Json) -> str:
    """What a claim is about, whatever it says of it."""
    return json.dumps({k: v for k, v in claim["subject"].items() if v is not None}, sort_keys=True)


def _claim(state: State, finding: Json) -> Json:
    """Return the claim to keep. What a revalidation measured is kept under the subject of the claim it tested.

    So memory reconfirms the tested finding where it holds, and supersedes it where it does not, also where the test
    now speaks of an absence.
    """
    target, verdict = state.get("target"), state.get("verdict") or {}
    claim: Json = finding["claim"]
    if not target:
        return claim
    tested: Json = target["claim"]
    return tested if verdict.get("verdict") == "holds" else {"subject": tested["subject"], "value": claim["value"]}


def quality_unit(state: State, fact: Json) -> NewUnit:
    return NewUnit(
        unit_key=fact_key(fact),
        memory_type="data_quality",
        summary=fact["statement"],
        confidence={"suspected": 0.7, "measured": 0.9, "confirmed": 0.9}[fact["status"]],
        claim=fact["claim"],
        directive=fact["directive"],
        data_source=state["data_source"],
        provenance={
            "run_id": state["run_id"],
            "rule": fact["rule"],
            "status": fact["status"],
            "sql": fact["sql"],
            "fingerprint": state["fingerprint"],
        },
    )


def fact_key(fact: Json) -> str:
    return f"quality:{fact['kind']}:{fact['column']}"
