"""gate: the only interrupt. Asks what to do with what is already known, before anything is planned."""

from langgraph.types import interrupt

from graph.gating import gate_fires, gate_payload
from graph.modes import ANSWER_SCHEMA, parse_mode, refusal, wanted
from graph.services import Run
from graph.state import Json, State


def gate(state: State, run: Run) -> Json:
    """Settle the mode: as requested, as chosen earlier in this session, by suggestion, or by asking.

    Nothing is read or written before the interrupt, so that running this node again on resume repeats nothing.
    An answer that names no mode is refused with a sentence and asked again; "yes" does so in the talk only, where a
    person answers the suggestion and not a form.
    """
    requested = parse_mode(state.get("requested"))
    suggested = state.get("suggested")
    if requested:
        answered = (state.get("waiting") or {}).get("answered")
        return _settled(state, requested, "gate" if answered else "user")
    if state.get("requested") == "auto" and suggested:
        sure = suggested["confidence"] >= run.services.settings.auto_threshold_0_1
        if sure or not gate_fires(state):
            return _settled(state, suggested["mode"], "auto")
    if not gate_fires(state):
        return _settled(state, _carried(state.get("session_mode")), "default")
    payload = gate_payload(state)
    note = (state.get("waiting") or {}).get("note")
    while True:
        answer = interrupt({**payload, "note": note}, response_schema=ANSWER_SCHEMA)
        mode = parse_mode(answer)
        if mode:
            return {
                **_settled(state, mode, "gate"),
                "gate": payload,
                "wanted": wanted(mode, answer, payload["options"]),
            }
        note = refusal(answer)


def _carried(session_mode: str | None) -> str:
    """Mode of a follow-up: a revalidation or a re-run is done once, what follows builds on it."""
    return {"revalidate": "extend", "re-run": "extend"}.get(session_mode or "", session_mode or "fresh")


def _settled(state: State, mode: str, source: str) -> Json:
    kept = state.get("session_mode") if source == "default" else mode
    return {"chosen_mode": mode, "mode_source": source, "session_mode": kept, "waiting": None}
