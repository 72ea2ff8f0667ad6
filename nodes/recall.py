"""recall: what memory knows that bears on this question, what changed in the data, and what each mode would cost."""

from graph.cards import unit_card
from graph.gating import asks_something, gate_fires
from graph.modes import parse_mode
from graph.services import Run
from graph.state import Json, Mode, State
from nodes.ahead import modes_ahead
from nodes.deliveries import Lineage, lineage
from nodes.memory_talk import meant
from nodes.renames import under_new_names


def recall(state: State, run: Run) -> Json:
    """Search both scopes and hand on four buckets; reads only. A question that waits at the gate keeps its answer."""
    services = run.services
    if state.get("waiting"):
        return {}
    if state.get("request"):
        return {"request": meant(state, services)}
    now, memory, principal = services.clock(), services.memory, services.principal
    source, session_id = state["data_source"], state["session_id"]
    found = memory.recall(
        principal,
        dataset=source,
        query=_query(state),
        run_id=state["run_id"],
        session_id=session_id,
        budget_tokens=run.context.recall_tokens,
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
        data = lineage(state, services, dataset.snapshot())
        update["data_id"] = data.data_id
        change = data.change.with_examples({c.name: c.values for c in dataset.card.columns}) if data.change else None
        update["data_changed"] = change.model_dump(mode="json") if change else None
        merged = _merged(state, update)
        update["prior"] = under_new_names(merged, services, dataset, update["prior"])
        asked = parse_mode(state.get("requested"))
        update |= _without_other_data(update, data, asked=asked)
        merged = _merged(state, update)
        if not asked and asks_something(merged) and (gate_fires(merged) or state.get("requested") == "auto"):
            update |= modes_ahead(merged, dataset, run)
        if not asked and gate_fires(merged):
            question = {k: state[k] for k in ("question", "dataset", "run_id")}
            update["waiting"] = {**question, "note": None}
    return update


def _merged(state: State, update: Json) -> State:
    return {**state, **update}  # type: ignore[typeddict-item]


def _query(state: State) -> str:
    """Build the query from the message, the session's rolling summary and the last action of the assistant."""
    last = next((m.text for m in reversed(state.get("messages") or []) if m.type == "ai"), "")
    return "\n".join(part for part in (state["question"], state.get("summary") or "", last[:300]) if part)


def _without_other_data(update: Json, data: Lineage, *, asked: Mode | None) -> Json:
    """Leave out findings about other data that once had this name; they are neither offered nor planned with.

    Who asks to revalidate has said what to do with what is known: then they are tested all the same.
    """

    def about_this(card: Json) -> bool:
        return card["data_id"] in {None, data.data_id}

    replaced = data.change is not None and data.change.kind == "replaced"
    recalled, prior, warnings = update["recalled"], update["prior"], list(update["warnings"])
    findings = [f for f in recalled["findings"] if f["data_source"] is None or about_this(f)]
    kept = [p for p in prior if about_this(p)]
    if asked == "revalidate" and prior and not kept:
        warnings.append("What is known was found in other data under this name; it was tested on the data as it is.")
        return {"warnings": warnings}
    dropped = len(prior) - len(kept)
    if dropped and replaced and data.change:
        what = "1 earlier finding is" if dropped == 1 else f"{dropped:,} earlier findings are"
        warnings.append(f"{data.change.summary} {what} about the other data and not taken up.")
    return {"prior": kept, "recalled": {**recalled, "findings": findings}, "warnings": warnings}
