"""battery: runs the steps on the analysis view; each finished step survives a crash."""

import time
from collections.abc import Callable

from langgraph.config import get_stream_writer
from langgraph.func import task

from datasets import AnalysisView
from datasets.battery import run_step
from datasets.evidence import Subject
from datasets.steps import Step
from graph.services import Run
from graph.state import Json, State


def battery(state: State, run: Run) -> Json:
    """Run the planned steps in order. Each result is a checkpointed task: after a crash only the rest is run."""
    services = run.services
    planned = [Step.model_validate({k: v for k, v in s.items() if k != "signature"}) for s in state.get("plan") or []]
    if not planned:
        return {"results": [], "applied": []}
    pinned = state["fingerprint"]["content_hash"]
    directives = [(d["memory_id"], d["directive"]) for d in state.get("directives") or []]
    statements = {_key(d["memory_id"], d["directive"]): d["statement"] for d in state.get("directives") or []}
    with services.catalogue.open(state["dataset"], now=services.clock(), content_hash=pinned) as dataset:
        view = dataset.view(directives)
        results, late = _run(planned, view, run.context.budget_seconds, _confirmed(state))
        applied = [
            {
                "memory_id": a.memory_id,
                "directive": a.directive,
                "statement": statements.get(_key(a.memory_id, a.directive)) or a.statement,
                "effect": a.statement,
                "recalled": a.memory_id is not None,
            }
            for a in view.applied
        ]
        not_applied = [
            {"what": f"directive {n.directive.get('name', '?')}", "reason": n.reason, "memory_id": n.memory_id}
            for n in view.not_applied
        ]
    usage = dict(state["usage"])
    usage["steps"] = len(results)
    usage["rows_scanned"] += sum(r["rows_scanned"] for r in results)
    usage["cells_read"] += sum(r["cells_read"] for r in results)
    reasons = {s.signature: s.reason or s.kind for s in planned}
    missed = [
        {"what": reasons[r["signature"]], "signature": r["signature"], "reason": r["skipped"]}
        for r in results
        if r["skipped"]
    ]
    return {
        "results": results,
        "applied": applied,
        "skipped": [*(state.get("skipped") or []), *late, *missed, *not_applied],
        "usage": usage,
    }


def _confirmed(state: State) -> Subject | None:
    """What the claim that a revalidation tests is about."""
    target = state.get("target")
    return Subject.model_validate(target["claim"]["subject"]) if target else None


def _run(
    planned: list[Step], view: AnalysisView, budget_seconds: float, confirming: Subject | None
) -> tuple[list[Json], list[Json]]:
    report = get_stream_writer()
    measure = _durable(view, confirming)
    started, results, late = time.monotonic(), [], []
    for i, step in enumerate(planned):
        if time.monotonic() - started > budget_seconds:
            late.append(
                {
                    "what": step.reason or step.kind,
                    "signature": step.signature,
                    "reason": f"the time budget of {budget_seconds:g} s was used up",
                }
            )
            continue
        report({"phase": "battery", "step": i + 1, "steps": len(planned), "kind": step.kind, "reason": step.reason})
        results.append(measure(step))
    return results, late


def _durable(view: AnalysisView, confirming: Subject | None) -> Callable[[Step], Json]:
    """Return a function that runs a step as a LangGraph task, whose result is written to the checkpoint at once."""

    @task
    def run_battery_step(step: Json) -> Json:
        return run_step(Step.model_validate(step), view, confirming=confirming).model_dump(mode="json")

    return lambda step: run_battery_step(step.model_dump(mode="json")).result()


def _key(memory_id: str | None, directive: Json) -> str:
    about = directive.get("column") or directive.get("metric")
    return f"{memory_id}|{directive.get('name')}|{about}"
