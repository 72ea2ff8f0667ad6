"""report: labels the findings and writes the answer: the direct answer first, then what carries it."""

import uuid

from langchain_core.messages import AIMessage

from analyst import Intent, analyst_for
from analyst.protocol import LabelledFinding, Report
from datasets.battery import adjust, label_of, verdict_of
from datasets.evidence import Claim, StepResult
from datasets.steps import Step
from graph.services import Run
from graph.state import Json, State
from memory.units import CONFIDENCE


def report(state: State, run: Run) -> Json:
    """Label what the steps measured, no stronger than the evidence allows, and say it."""
    services = run.services
    results = [StepResult.model_validate(r) for r in state.get("results") or []]
    steps = {
        s["signature"]: Step.model_validate({k: v for k, v in s.items() if k != "signature"})
        for s in state.get("plan") or []
    }
    labelled = _label(state, results, steps)
    verdict, labelled = _verdict(state, results, labelled)
    intent = Intent.model_validate(state["intent"])
    pinned = state["fingerprint"]["content_hash"]
    with services.catalogue.open(state["dataset"], now=services.clock(), content_hash=pinned) as dataset:
        said = analyst_for(services).report(intent, dataset.card, labelled, results, context=_context(state, verdict))
    findings = [_finding(f"f{n + 1}", labelled[i]) for n, i in enumerate(said.findings)]
    answer = said.answer
    return {
        "answer": answer,
        "findings": findings,
        "verdict": verdict,
        "skipped": [*(state.get("skipped") or []), *_left_out(said)],
        "messages": [AIMessage(content=_message(state, answer, findings), id=uuid.uuid4().hex, name="recallyst")],
        "asked": len(state.get("messages") or []) + 1,
        "summary": _rolled(state, findings),
    }


def _label(state: State, results: list[StepResult], steps: dict[str, Step]) -> list[LabelledFinding]:
    """Attach the strongest label that correction, robustness and, in extend, prior findings leave."""
    prior = [p for p in state.get("prior") or [] if p["claim"]] if state["chosen_mode"] == "extend" else []
    claims = {_subject(p["claim"]["subject"]): Claim.model_validate(p["claim"]) for p in prior if _readable(p["claim"])}
    rerun = state["chosen_mode"] == "re-run"
    stated = {sig for sig, s in steps.items() if s.stated or rerun}
    q_values = adjust(results, stated)
    labelled = []
    for result in results:
        for index, candidate in enumerate(result.candidates):
            q_value = q_values.get((result.signature, index))
            before = claims.get(_subject(candidate.claim.subject.model_dump()))
            contradicts = before is not None and verdict_of(before, candidate).verdict in {"reversed", "gone"}
            label = label_of(candidate, stated=result.signature in stated, q_value=q_value, contradicts=contradicts)
            if label:
                labelled.append(
                    LabelledFinding(
                        step=steps[result.signature],
                        candidate=candidate,
                        label=label,
                        confidence=CONFIDENCE[label],
                        q_value=q_value,
                    )
                )
    return labelled


def _verdict(
    state: State, results: list[StepResult], labelled: list[LabelledFinding]
) -> tuple[Json | None, list[LabelledFinding]]:
    """Judge the tested prior finding on today's data; of a revalidation only the tested claim is a finding."""
    target = state.get("target")
    if not target:
        return None, labelled
    before = Claim.model_validate(target["claim"])
    after = next((c for r in results for c in r.candidates if c.claim.subject == before.subject), None)
    judged = verdict_of(before, after)
    verdict = {
        "memory_id": target["memory_id"],
        "statement": target["summary"],
        "verdict": judged.verdict,
        "reason": judged.reason,
        "before": judged.before,
        "after": judged.after,
    }
    return verdict, [f for f in labelled if f.candidate.claim.subject == before.subject][:1]


def _context(state: State, verdict: Json | None) -> Json:
    return {
        "mode": state["chosen_mode"],
        "verdict": verdict,
        "applied": state.get("applied") or [],
        "quality": state.get("quality") or [],
        "known": state.get("prior") or [] if state["chosen_mode"] == "extend" else [],
        "skipped": state.get("skipped") or [],
    }


def _finding(finding_id: str, finding: LabelledFinding) -> Json:
    c = finding.candidate
    return {
        "id": finding_id,
        "statement": c.statement,
        "label": finding.label,
        "confidence": finding.confidence,
        "claim": c.claim.model_dump(mode="json"),
        "evidence": {
            "step": finding.step.signature,
            "kind": finding.step.kind,
            "n": c.n,
            "test": c.test,
            "p_value": c.p_value,
            "q_value": finding.q_value,
            "effect": c.effect.model_dump(mode="json") if c.effect else None,
            "sql": c.sql,
            "table": c.table,
            "caveats": c.caveats,
            "robust": c.robust,
        },
        "chart": c.chart,
        "memory_id": None,
    }


def _left_out(said: Report) -> list[Json]:
    """Return the findings that did not make it into the report, with reasons."""
    return [{"what": d["statement"], "reason": d["reason"]} for d in said.dropped]


def _message(state: State, answer: str, findings: list[Json]) -> str:
    """Return the chat form of the report: the answer, the findings with their labels, what memory did."""
    parts = [answer]
    if findings:
        shown = findings[:7]
        lines = [f"{n}. {f['statement']} ({f['label'].replace('_', ' ')})" for n, f in enumerate(shown, 1)]
        more = len(findings) - len(shown)
        parts.append("**Findings**\n" + "\n".join(lines) + (f"\n…and {more} more in the report." if more > 0 else ""))
    if state.get("applied"):
        lines = [f"- {a['effect']}" for a in state["applied"]]
        parts.append("**Applied from what is known of the data**\n" + "\n".join(lines))
    if state.get("warnings"):
        parts.append("\n".join(f"- {w}" for w in state["warnings"]))
    return "\n\n".join(p for p in parts if p)


def _rolled(state: State, findings: list[Json]) -> str:
    """Keep the session's gist, newest last, in at most 2,000 characters."""
    line = f"Asked: {state['question'][:200]}"
    if findings:
        line += f" Found: {findings[0]['statement'][:200]}"
    return f"{state.get('summary') or ''}\n{line}".strip()[-2000:]


def _subject(subject: Json) -> tuple[tuple[str, str], ...]:
    return tuple(sorted((k, str(v)) for k, v in subject.items() if v is not None))


def _readable(claim: Json) -> bool:
    return set(claim.get("subject", {})) <= set(Claim.model_fields["subject"].annotation.model_fields)  # type: ignore[union-attr]
