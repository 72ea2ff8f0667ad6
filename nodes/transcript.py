"""transcript: a light pass over the last turns for what never became a finding: preferences and working patterns."""

from collections.abc import Sequence

from langchain_core.messages import AIMessage

from analyst import Turn, analyst_for
from analyst.opening import builtin_for
from analyst.protocol import Note
from graph.cards import unit_card
from graph.services import Run
from graph.state import Json, State
from memory import MemoryUnit, NewUnit, Outcome
from nodes.standing import GRAIN, meant, slot_of
from nodes.workarounds import directive_key

LAST_TURNS = 40


def transcript(state: State, run: Run) -> Json:
    """Keep what the person said that should hold later. Turns that an earlier pass has read are context only."""
    services = run.services
    messages = [m for m in state.get("messages") or [] if m.type in {"human", "ai"}]
    first = max(0, len(messages) - LAST_TURNS)
    turns = [Turn(role="user" if m.type == "human" else "assistant", content=m.text) for m in messages[first:]]
    noted = state.get("noted") or 0
    request = state.get("request") or {}
    if request and not request["why"]:
        return {"noted": len(messages)}
    if request:
        asked = max(n for n, t in enumerate(turns) if t.role == "user")
        turns[asked] = turns[asked].model_copy(update={"content": request["why"]})
    if not any(t.role == "user" for t in turns):
        return {}
    pinned = state["fingerprint"]["content_hash"]
    # A test of one finding stays cheap: a message that states nothing is read without a model.
    plain = state.get("chosen_mode") == "revalidate" and not (state.get("intent") or {}).get("statements")
    reader = builtin_for(services) if plain else analyst_for(run)
    with services.catalogue.open(state["dataset"], now=services.clock(), content_hash=pinned) as dataset:
        notes = reader.transcript(turns, dataset.card)
    new = [n for n in notes if first + n.turn >= noted] or _right(request, len(turns) - 1)
    units = [_unit(state, n) for n in new if not n.withdraws]
    outcomes = services.memory.remember(
        services.principal, units, run_id=state["run_id"], session_id=state["session_id"]
    )
    closed = [*_taken_back(state, run, new), *_overtaken_grains(state, run, outcomes)]
    memory = {k: list(v) for k, v in state["memory"].items()}
    memory["resolved"] += [u.memory_id for u in closed if u.memory_id not in memory["resolved"]]
    said = {u.unit_key: u.summary for u in units}
    for o in outcomes:
        if o.action == "dropped":
            memory["dropped"].append({"statement": said[o.unit_key], "reason": o.reason})
        elif o.memory_id not in memory[o.action]:
            memory[o.action].append(o.memory_id)
    ids = {directive_key(u.directive): o.memory_id for u, o in zip(units, outcomes, strict=True) if u.directive}
    applied = [{**a, "memory_id": a["memory_id"] or ids.get(directive_key(a["directive"]))} for a in state["applied"]]
    update: Json = {"memory": memory, "noted": len(messages), "applied": applied}
    if not state.get("plan") and (state.get("intent") or {}).get("statements"):
        kept = [said[o.unit_key] for o in outcomes if o.action != "dropped"]
        update |= _told(state, kept, [u.summary for u in closed])
    return update


def _right(request: Json, turn: int) -> list[Note]:
    """What a correction says is right, in the person's words, where it states no rule of a known form."""
    if not request:
        return []
    said = request["why"]
    note = Note(
        memory_type="domain_pattern", subject=said.casefold(), value=said, statement=said, scope="this_dataset",
        polarity="do", quote=said, turn=turn,
    )  # fmt: skip
    return [note]


def _taken_back(state: State, run: Run, notes: Sequence[Note]) -> list[MemoryUnit]:
    """Close the rules that the person took back; their history stays, with the words that closed them."""
    services = run.services
    closed: list[MemoryUnit] = []
    for note in notes:
        if note.withdraws:
            active = services.memory.list(services.principal, dataset=state["data_source"])
            cards = [unit_card(u, services.clock()) for u in active]
            ids = [card["memory_id"] for card in meant(cards, note.subject)]
            reason = f"taken back by the user: “{note.quote}”"
            closed += services.memory.resolve(services.principal, ids, run_id=state["run_id"], reason=reason)
    return closed


def _overtaken_grains(state: State, run: Run, outcomes: Sequence[Outcome]) -> list[MemoryUnit]:
    """Close grains of single metrics on which a grain for all series was said later."""
    services = run.services
    wide = [o for o in outcomes if o.unit and o.action != "dropped" and slot_of({"claim": o.unit.claim}) == GRAIN]
    if not wide:
        return []
    active = services.memory.list(services.principal, dataset=state["data_source"], memory_type="user_preference")
    ids = [u.memory_id for u in active if slot_of({"claim": u.claim}).startswith(f"{GRAIN}:")]
    reason = f"a grain for all series was said later: {wide[-1].unit.summary}" if wide[-1].unit else ""
    return services.memory.resolve(services.principal, ids, run_id=state["run_id"], reason=reason)


def _told(state: State, kept: list[str], closed: list[str]) -> Json:
    """Answer a message that asked nothing with what was really kept of it, and what no longer holds."""
    told = [f"Noted: {' '.join(kept)}"] if kept else []
    told += [f"No longer in force: {' '.join(closed)}"] if closed else []
    answer = " ".join(told) or "I read that, but there is nothing in it that I would keep for later."
    last = (state.get("messages") or [])[-1]
    return {"answer": answer, "messages": [AIMessage(content=answer, id=last.id, name="recallyst")]}


def _unit(state: State, note: Note) -> NewUnit:
    return NewUnit(
        unit_key=f"note:{note.memory_type}:{note.subject}",
        memory_type=note.memory_type,
        summary=note.statement,
        detail=f"“{note.quote}”",
        confidence=0.8,
        claim={"subject": {"slot": note.subject}, "value": {"text": note.value, "direction": note.polarity}},
        directive=note.directive,
        data_source=state["data_source"] if note.scope == "this_dataset" else None,
        provenance={"run_id": state["run_id"], "quote": note.quote, "turn": note.turn},
    )
