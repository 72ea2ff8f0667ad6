"""consolidate: labelled findings and data-quality facts → memory. Idempotent, keyed by run and step."""

from collections.abc import Sequence
from typing import Any

from graph.services import Run, Services
from graph.state import Json, State
from memory import Outcome
from nodes.candidates import fact_key, finding_unit, quality_unit, subject_key, told_only
from nodes.memory_talk import carry_out


def consolidate(state: State, run: Run) -> Json:
    """Keep what deserves to be kept and tell what became of each candidate.

    A run killed in here and resumed repeats every call with the same run and unit keys: nothing is lost or doubled.
    """
    services = run.services
    memory, principal = services.memory, services.principal
    run_id, session_id = state["run_id"], state["session_id"]
    if state.get("request"):
        spoken_of = [u["memory_id"] for u in (state["request"] or {})["units"]]
        # A list leaves open which of its units "that" is.
        said = spoken_of if len(spoken_of) == 1 else []
        return {"memory": {**_tally([], [], {}), **carry_out(state, services)}, "shown": spoken_of, "said": said}
    findings = [dict(f) for f in state.get("findings") or []]
    facts = [dict(f) for f in state.get("quality") or []]
    if not state.get("plan"):
        _keep_snapshot(state, services)
        return {"memory": _tally([], [], {})}
    artifact_id = _keep_artifacts(state, services)
    told = _told_only(state, services, findings)
    units = [finding_unit(state, f, artifact_id) for f in findings if _keeps(state) and f["id"] not in told]
    units += [quality_unit(state, f) for f in facts if not f["informational"] and not f.get("memory_id")]
    outcomes = memory.remember(principal, units, run_id=run_id, session_id=session_id)
    ids = {o.unit_key: o.memory_id for o in outcomes}
    for finding in findings:
        finding["memory_id"] = ids.get(f"finding:{finding['id']}")
    for fact in facts:
        fact["memory_id"] = fact.get("memory_id") or ids.get(fact_key(fact))
        fact["durative"] = any(o.unit.is_durative for o in outcomes if o.memory_id == fact["memory_id"] and o.unit)
    resolved = _resolve(state, services, {i for i in ids.values() if i}) + _close_tested(state, services, outcomes)
    applied = [dict(a) for a in state.get("applied") or []]
    for act in applied:
        act["memory_id"] = act["memory_id"] or next(
            (f["memory_id"] for f in facts if f["directive"] == act["directive"]), None
        )
    statements = {u.unit_key: u.summary for u in units}
    memory.audit(
        principal,
        "decided",
        {
            "mode": state.get("chosen_mode"),
            "mode_source": state.get("mode_source"),
            "suggested": (state.get("suggested") or {}).get("mode"),
            "applied": [a["memory_id"] for a in applied if a["memory_id"]],
        },
        run_id=run_id,
        session_id=session_id,
    )
    return {
        "findings": findings,
        "shown": [f["memory_id"] for f in findings if f["memory_id"]],
        "said": _said(state["answer"], findings),
        "quality": facts,
        "applied": applied,
        "memory": _with_told(_tally(outcomes, resolved, statements), findings, told),
    }


def _told_only(state: State, services: Services, findings: list[Json]) -> dict[str, str]:
    """Return which findings are told and not remembered, by their id, each with the reason."""
    units = services.memory.list(services.principal, dataset=state["data_source"], memory_type="finding")
    known = {subject_key(u.claim) for u in units if u.claim}
    reasons = {f["id"]: told_only(state, f, known) for f in findings}
    return {finding: reason for finding, reason in reasons.items() if reason}


def _with_told(tally: Json, findings: list[Json], told: dict[str, str]) -> Json:
    left = [{"statement": f["statement"], "reason": told[f["id"]]} for f in findings if f["id"] in told]
    return {**tally, "dropped": [*tally["dropped"], *left]}


def _said(answer: str, findings: list[Json]) -> list[str]:
    """Return the units whose statements the answer consists of; the first one where it says it in other words."""
    kept = [f for f in findings if f["memory_id"]]
    said = [f["memory_id"] for f in kept if f["statement"].rstrip(".") in answer]
    return said or [f["memory_id"] for f in kept[:1]]


def _keeps(state: State) -> bool:
    """Nothing is learned from a table without rows; a revalidation that cannot tell changes nothing."""
    return state["shape"]["rows"] > 0 and (state.get("verdict") or {}).get("verdict") != "cannot_tell"


def _keep_snapshot(state: State, services: Services) -> None:
    """Store what the data holds now, and which data that is."""
    pinned = state["fingerprint"]["content_hash"]
    with services.catalogue.open(state["dataset"], now=services.clock(), content_hash=pinned) as dataset:
        snapshot = dataset.snapshot()
    held = {**snapshot.model_dump(mode="json"), "data_id": state["data_id"]}
    services.memory.save_artifact(services.principal, kind="snapshot", content=held, **_common(state))


def _keep_artifacts(state: State, services: Services) -> str | None:
    """Store the snapshot of the data, and the battery with its evidence unless it was only one test of a claim."""
    _keep_snapshot(state, services)
    kind = "revalidation" if state.get("target") else "battery"
    content = {
        "question": state["question"],
        "mode": state["chosen_mode"],
        "fingerprint": state["fingerprint"],
        "data_id": state["data_id"],
        "steps": [{k: v for k, v in s.items() if k != "signature"} for s in state["plan"]],
        "results": state.get("results") or [],
        "findings": [{k: f[k] for k in ("id", "statement", "label", "claim")} for f in state.get("findings") or []],
        "usage": state["usage"],
    }
    return services.memory.save_artifact(services.principal, kind=kind, content=content, **_common(state))


def _common(state: State) -> dict[str, Any]:
    return {"dataset": state["data_source"], "session_id": state["session_id"], "run_id": state["run_id"]}


def _resolve(state: State, services: Services, seen: set[str]) -> list[str]:
    """Close data-quality units whose detector had the power to find them again and did not; return which."""
    powered: set[tuple[str, str | None]] = {(kind, column) for kind, column in state.get("powered") or []}
    gone = []
    for unit in (state.get("recalled") or {}).get("data_quality", []):
        subject = (unit["claim"] or {}).get("subject", {})
        kind, column = subject.get("metric"), subject.get("column")
        if unit["memory_id"] not in seen and ((kind, column) in powered or (kind, None) in powered):
            gone.append(unit)
    if not gone:
        return []
    closed = services.memory.resolve(
        services.principal,
        [u["memory_id"] for u in gone],
        run_id=state["run_id"],
        reason="its detector looked again with the power to find it and did not",
    )
    return [unit.memory_id for unit in closed]


def _close_tested(state: State, services: Services, outcomes: Sequence[Outcome]) -> list[str]:
    """Close a tested finding that lives on under new names, or does not hold and has nothing kept in its place."""
    target, verdict = state.get("target"), state.get("verdict") or {}
    if not target or verdict.get("verdict") in {None, "cannot_tell"}:
        return []
    kept = any(o.action != "dropped" for o in outcomes)
    if kept and target.get("renamed"):
        reason = f"known under new names now: {', '.join(f'{a} is {b}' for a, b in target['renamed'].items())}"
    elif kept or verdict["verdict"] == "holds":
        return []
    else:
        reason = f"tested again: {verdict['verdict']}. {verdict['reason']}"
    closed = services.memory.resolve(
        services.principal, [target["memory_id"]], run_id=state["run_id"], reason=reason
    )  # fmt: skip
    return [unit.memory_id for unit in closed]


def _tally(outcomes: Sequence[Outcome], resolved: list[str], statements: dict[str, str]) -> Json:
    tally: Json = {"stored": [], "reconfirmed": [], "superseded": [], "resolved": [], "forgotten": [], "dropped": []}
    for o in outcomes:
        if o.action == "dropped":
            tally["dropped"].append({"statement": statements.get(o.unit_key, o.unit_key), "reason": o.reason})
        elif o.memory_id not in tally[o.action]:
            tally[o.action].append(o.memory_id)
    tally["resolved"] = resolved
    return tally
