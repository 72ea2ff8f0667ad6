"""Wishes about memory: which units they mean, what is answered, and what is done."""

import re
from collections.abc import Sequence

from analyst.priors.bearing import bearing_on, names_in
from analyst.priors.memory_talk import MemoryRequest
from analyst.reading.matching import Matcher
from datasets import Dataset
from datasets.plain import counted
from graph.cards import unit_card
from graph.services import Services
from graph.state import Json, State
from memory import MemoryUnit, UnknownMemory

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
    elif request.every and _whole(request, state):
        found = [u for u in units if u.data_source == state["data_source"]]
    elif request.every:
        found = _bearing(request.about, units, state, services)
    elif request.about:
        hits = services.memory.search(
            services.principal,
            request.about,
            dataset=state["data_source"],
            limit=_NEAR if request.kind == "list" else 1,
        )
        found = [hit.unit for hit in hits]
    elif request.number:
        shown = _still_there(state.get("shown") or [], units)
        place = request.number - (1 if request.number > 0 else 0)
        named = shown[place] if -len(shown) <= place < len(shown) else None
        found = [named] if named else []
    else:
        found = [u for u in _still_there(state.get("said") or [], units) if u]
        found = _corrected(request.why, found, state, services) if request.why else found
    now = services.clock()
    whole = request.every and _whole(request, state)
    cards = [unit_card(u, now) for u in found]
    return {**request.model_dump(mode="json"), "units": cards, "known": len(units), "whole": whole}


def _whole(request: MemoryRequest, state: State) -> bool:
    """Whether all that is known of the dataset is meant: nothing else is named, or it is."""
    named = re.sub(r"^(?:the|this|my) | (?:data(?:set)?|file|table)$", "", request.about.casefold())
    return named in {"", state["data_source"].casefold()}


def _still_there(ids: Sequence[str], units: Sequence[MemoryUnit]) -> list[MemoryUnit | None]:
    by_id = {u.memory_id: u for u in units}
    return [by_id.get(i) for i in ids]


def _bearing(about: str, units: Sequence[MemoryUnit], state: State, services: Services) -> list[MemoryUnit]:
    with _opened(state, services) as dataset:
        places = bearing_on(about, [_told_of(u) for u in units], Matcher(dataset.card))
    return [units[n] for n in places]


def _corrected(why: str, said: Sequence[MemoryUnit], state: State, services: Services) -> list[MemoryUnit]:
    """Of what was said last, the units on a column or value that the correction names; all where it names none."""
    with _opened(state, services) as dataset:
        matcher = Matcher(dataset.card)
        named = names_in(why, matcher)
        told = [_told_of(u) for u in said]
        places = {n for name in named for n in bearing_on(name, told, matcher)}
    return [u for n, u in enumerate(said) if n in places or not named]


def _told_of(unit: MemoryUnit) -> Json:
    return {"summary": unit.summary, "claim": unit.claim, "directive": unit.directive}


def _opened(state: State, services: Services) -> Dataset:
    pinned = state["fingerprint"]["content_hash"]
    return services.catalogue.open(state["dataset"], now=services.clock(), content_hash=pinned)


def told(state: State) -> str:
    """Say what is remembered, or what becomes of the meant units."""
    request = state["request"] or {}
    units: Sequence[Json] = request["units"]
    if request["kind"] == "list":
        return _listing(state, units)
    if not units:
        return _nothing_meant(state)
    if request["kind"] == "forget":
        kept = " What colleagues have seen as well stays theirs." if request["whole"] else ""
        return (
            f"Forgotten{_named(state, units)}.{kept} This conversation still shows it; `recallyst memory forget` with "
            "the unit or the dataset takes the conversations along."
        )
    noted = f" Noted instead: {request['why']}" if request["why"] else " Say what is right, and I will note it."
    return f"I no longer hold this for true{_named(state, units)}.{noted}"


def _nothing_meant(state: State) -> str:
    request = state["request"] or {}
    about, source = request["about"], state["data_source"]
    if request["every"]:
        return f"I remember nothing {f'about {about} ' if about else ''}of {source}, so there is nothing to forget."
    if request["why"]:
        return f"None of what I said last is taken back by this. Noted all the same: {request['why']}"
    return (
        "I do not know which memory you mean. Ask what I remember, then say “forget number 2” or “number 2 is wrong”."
    )


def _named(state: State, units: Sequence[Json]) -> str:
    """Name the units: one in the sentence, several counted and listed."""
    if len(units) == 1:
        return f": {units[0]['summary'].rstrip('.')}"
    request = state["request"] or {}
    about = f" about {request['about']}" if request["about"] and request["every"] else ""
    lines = [f"{n}. {u['summary'].rstrip('.')}" for n, u in enumerate(units[:LISTED], 1)]
    more = [f"…and {len(units) - LISTED:,} more"] if len(units) > LISTED else []
    return "\n".join([f", {_tally(units)}{about}:", *lines, *more])


def carry_out(state: State, services: Services) -> Json:
    """Forget or close the meant units; a repetition after a crash finds nothing left to do. Returns ids by outcome."""
    request = state["request"] or {}
    ids = [u["memory_id"] for u in request["units"]]
    if request["kind"] == "forget":
        if request["whole"] and ids:
            services.memory.forget(services.principal, dataset=state["data_source"])
            return {"forgotten": ids}
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
    lines = [f"{n}. {u['summary'].rstrip('.')} ({_standing(u)})" for n, u in enumerate(units, 1)]
    more = request["known"] - len(units)
    rest = [f"…and {more:,} more: `recallyst memory list`."] if more > 0 and not about else []
    return "\n".join([f"Of {source} I remember {_tally(units)}:", *lines, *rest])


def _tally(units: Sequence[Json]) -> str:
    """Count the units by their kinds: "3 findings, 1 preference"."""
    counts = [(words, sum(u["memory_type"] == kind for u in units)) for kind, words in _KINDS]
    return ", ".join(_many(n, words) for words, n in counts if n)


def _many(n: int, words: str) -> str:
    if words.startswith("fact") and n != 1:
        return f"{n} facts about the data"
    return counted(n, words)


def _standing(unit: Json) -> str:
    seen = counted(unit["sightings"], "session")
    until = "pinned" if unit["days_until_expiry"] is None else f"{unit['days_until_expiry']:.0f} days left"
    label = f"{unit['label'].replace('_', ' ')}, " if unit["label"] else ""
    return f"{label}seen in {seen}, last on {unit['last_confirmed'][:10]}, {until}"
