"""Wishes about memory: which units they mean, what is answered, and what is done."""

from collections.abc import Sequence

from analyst.priors.memory_talk import MemoryRequest
from datasets.plain import counted
from graph.cards import unit_card
from graph.services import Services
from graph.state import Json, State
from memory import UnknownMemory

LISTED = 20
_NEAR = 5
_KINDS = (
    ("finding", "finding"),
    ("data_quality", "fact about the data"),
    ("user_preference", "preference"),
    ("domain_pattern", "working pattern"),
)


def meant(state: State, services: Services) -> Json:
    """Return the wish with the cards of the units that it means; reads only."""
    request = MemoryRequest.model_validate(state["request"])
    units = services.memory.list(services.principal, dataset=state["data_source"])
    if request.kind == "list" and not request.about:
        found = sorted(units, key=lambda u: [kind for kind, _ in _KINDS].index(u.memory_type))[:LISTED]
    elif request.about:
        hits = services.memory.search(
            services.principal,
            request.about,
            dataset=state["data_source"],
            limit=_NEAR if request.kind == "list" else 1,
        )
        found = [hit.unit for hit in hits]
    else:
        by_id = {u.memory_id: u for u in units}
        shown = [by_id.get(i) for i in state.get("shown") or []]
        place = (request.number or 1) - (1 if (request.number or 1) > 0 else 0)
        named = shown[place] if -len(shown) <= place < len(shown) else None
        found = [named] if named else []
    now = services.clock()
    return {**request.model_dump(mode="json"), "units": [unit_card(u, now) for u in found], "known": len(units)}


def told(state: State) -> str:
    """Say what is remembered, or what becomes of the meant unit."""
    request = state["request"] or {}
    units: Sequence[Json] = request["units"]
    if request["kind"] == "list":
        return _listing(state, units)
    if not units:
        how = "Ask what I remember, then say “forget number 2” or “number 2 is wrong”."
        noted = f" Noted all the same: {request['why']}" if request["why"] else ""
        return f"I do not know which memory you mean. {how}{noted}"
    said = units[0]["summary"].rstrip(".")
    if request["kind"] == "forget":
        return (
            f"Forgotten: {said}. This conversation still shows it; `recallyst memory forget` with the unit or the "
            "dataset takes the conversations along."
        )
    noted = f" Noted instead: {request['why']}" if request["why"] else " Say what is right, and I will note it."
    return f"I no longer hold this for true: {said}.{noted}"


def carry_out(state: State, services: Services) -> Json:
    """Forget or close the meant unit; a repetition after a crash finds nothing left to do. Returns ids by outcome."""
    request = state["request"] or {}
    ids = [u["memory_id"] for u in request["units"]]
    if request["kind"] == "forget":
        for memory_id in ids:
            try:
                services.memory.forget(services.principal, memory_id=memory_id)
            except UnknownMemory:  # forgotten before the run was cut off
                continue
        return {"forgotten": ids}
    if request["kind"] == "correct" and ids:
        reason = f"the owner said it is wrong: {request['why'] or 'without a reason'}"
        closed = services.memory.resolve(services.principal, ids, run_id=state["run_id"], reason=reason)
        return {"resolved": [unit.memory_id for unit in closed]}
    return {}


def _listing(state: State, units: Sequence[Json]) -> str:
    request = state["request"] or {}
    source, about = state["data_source"], request["about"]
    if not units:
        return f"I remember nothing {f'{about} ' if about else ''}of {source} yet."
    tally = [(words, sum(u["memory_type"] == kind for u in units)) for kind, words in _KINDS]
    held = ", ".join(_many(n, words) for words, n in tally if n)
    lines = [f"{n}. {u['summary'].rstrip('.')} ({_standing(u)})" for n, u in enumerate(units, 1)]
    more = request["known"] - len(units)
    rest = [f"…and {more:,} more: `recallyst memory list`."] if more > 0 and not about else []
    return "\n".join([f"Of {source} I remember {held}:", *lines, *rest])


def _many(n: int, words: str) -> str:
    if words.startswith("fact") and n != 1:
        return f"{n} facts about the data"
    return counted(n, words)


def _standing(unit: Json) -> str:
    seen = counted(unit["sightings"], "session")
    until = "pinned" if unit["days_until_expiry"] is None else f"{unit['days_until_expiry']:.0f} days left"
    label = f"{unit['label'].replace('_', ' ')}, " if unit["label"] else ""
    return f"{label}seen in {seen}, last on {unit['last_confirmed'][:10]}, {until}"
