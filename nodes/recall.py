"""recall: what memory knows that bears on this question, what changed in the data, and what each mode would cost."""

from datetime import datetime

from analyst import Intent, analyst_for
from analyst.opening import builtin_for
from datasets import Dataset
from datasets.snapshot import compare
from graph.cards import unit_card
from graph.gating import asks_something, gate_fires
from graph.modes import parse_mode
from graph.services import Run, Services
from graph.state import Json, Mode, State
from nodes.deliveries import earlier_snapshot, same_data_since
from nodes.modes import explored_plan, planning_grain, stored_battery, to_known


def recall(state: State, run: Run) -> Json:
    """Search both scopes and hand on four buckets; reads only. A question that waits at the gate keeps its answer."""
    services = run.services
    if state.get("waiting"):
        return {}
    now, memory, principal = services.clock(), services.memory, services.principal
    source, session_id = state["data_source"], state["session_id"]
    found = memory.recall(
        principal, dataset=source, query=_query(state), run_id=state["run_id"], budget_tokens=run.context.recall_tokens
    )
    prior = memory.prior_findings(principal, dataset=source, exclude_session=session_id)
    buckets: dict[str, list[Json]] = {
        name: [unit_card(u.unit, now, why=u.why, score=u.score, required=u.required) for u in getattr(found, name)]
        for name in ("findings", "data_quality", "preferences", "patterns")
    }
    # What missed the token budget is not told to the plan, but still acts on the data.
    buckets["over_budget"] = [unit_card(u.unit, now, why=u.why) for u in found.over_budget]
    update: Json = {
        "recalled": buckets,
        "prior": [unit_card(unit, now) for unit in prior],
        "warnings": [*(state.get("warnings") or []), *([found.degraded] if found.degraded else [])],
    }
    pinned = state["fingerprint"]["content_hash"]
    with services.catalogue.open(state["dataset"], now=now, content_hash=pinned) as dataset:
        update["data_changed"] = _data_changed(dataset, services, source, session_id)
        update |= _without_other_data(update, same_data_since(services, source, dataset.snapshot()))
        merged: State = {**state, **update}  # type: ignore[typeddict-item]
        if asks_something(merged):
            update |= _modes_ahead(merged, dataset, run)
            merged = {**state, **update}  # type: ignore[typeddict-item]
            if gate_fires(merged):
                asked = {k: state[k] for k in ("question", "dataset", "run_id")}
                update["waiting"] = {**asked, "note": None}
    return update


def _query(state: State) -> str:
    """Build the query from the message, the session's rolling summary and the last action of the assistant."""
    last = next((m.text for m in reversed(state.get("messages") or []) if m.type == "ai"), "")
    return "\n".join(part for part in (state["question"], state.get("summary") or "", last[:300]) if part)


def _data_changed(dataset: Dataset, services: Services, source: str, session_id: str) -> Json | None:
    before = earlier_snapshot(services, source, session_id)
    return compare(before, dataset.snapshot()).model_dump(mode="json") if before else None


def _without_other_data(update: Json, since: str | None) -> Json:
    """Leave out findings about other data that once had this name; they are neither offered nor planned with."""
    changed = update["data_changed"] or {}
    replaced = changed.get("kind") == "replaced"

    def about_this(card: Json) -> bool:
        confirmed = datetime.fromisoformat(card["last_confirmed"])
        return not replaced and (since is None or confirmed >= datetime.fromisoformat(since))

    kept = [p for p in update["prior"] if about_this(p)]
    dropped = len(update["prior"]) - len(kept)
    recalled = update["recalled"]
    findings = [f for f in recalled["findings"] if f["data_source"] is None or about_this(f)]
    warnings = list(update["warnings"])
    if dropped and replaced:
        what = "1 earlier finding is" if dropped == 1 else f"{dropped:,} earlier findings are"
        warnings.append(f"{changed['summary']} {what} about the other data and not taken up.")
    return {"prior": kept, "recalled": {**recalled, "findings": findings}, "warnings": warnings}


def _modes_ahead(state: State, dataset: Dataset, run: Run) -> Json:
    """Say what each mode would do with this question and what it would cost; planning reads no rows."""
    services = run.services
    analyst, planner = analyst_for(run), builtin_for(services)  # what a mode costs is told without asking a model
    intent = Intent.model_validate(state["intent"])
    prior = [to_known(p) for p in state["prior"]]
    rows, grain = dataset.card.rows, planning_grain(state)
    fresh = len(planner.plan(intent, dataset.card, grain=grain, max_steps=run.context.max_steps).steps)
    extend = len(explored_plan(state, planner, dataset.card, run).steps)
    stored = stored_battery(state, services)
    target = analyst.choose_prior(state["question"], intent, prior) or next((k for k in prior if k.step), None)
    changed = state.get("data_changed") or {}
    open_choice = parse_mode(state.get("requested")) is None and not state.get("session_mode")
    suggestion = (analyst if open_choice else planner).suggest_mode(
        state["question"],
        intent,
        prior,
        data_changed=changed.get("kind") not in {None, "unchanged"},
        days_since_last=min((p["age_days"] for p in state["prior"]), default=None),
    )

    def option(mode: Mode, does: str, steps: int) -> Json:
        calls = analyst.model_calls(mode)
        return {"mode": mode, "does": does, "cost": {"steps": steps, "rows": steps * rows, "model_calls": calls}}

    tested = f"Test again on today's data: {target.summary}" if target else "Nothing is known that could be tested."
    return {
        "options": [
            option("fresh", "Analyse the question from the start; prior findings stay out of it.", fresh),
            option("extend", f"Take the {len(prior)} prior findings as known and go past them.", extend),
            option("revalidate", tested, 1 if target else 0),
            option("re-run", "Repeat the stored battery unchanged on today's data.", len(stored)),
        ],
        "suggested": suggestion.model_dump(mode="json"),
    }
