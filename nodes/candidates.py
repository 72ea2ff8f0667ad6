"""What of a run could become memory: labelled findings and facts about the data, as units with their provenance."""

from datasets.battery import direct_step
from datasets.evidence import Subject
from datasets.steps import Step
from graph.state import Json, State
from memory import NewUnit


def finding_unit(state: State, finding: Json, artifact_id: str | None) -> NewUnit:
    planned = next(s for s in state["plan"] if s["signature"] == finding["evidence"]["step"])
    step = Step.model_validate({k: v for k, v in planned.items() if k != "signature"})
    target = state.get("target")
    again = (
        Step.model_validate(target["step"])
        if target
        else direct_step(step, Subject.model_validate(finding["claim"]["subject"]))
    )
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
            "since": ((target or {}).get("span") or {}).get("since"),
        },
    )


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
