"""When the gate fires and what it shows. Pure functions of the state."""

from graph.state import Json, Mode, State

FEWEST_PRIOR_FINDINGS = 3
NAMED_0_1 = 0.5
"""From this relevance on a question is about a column."""
_ABSENT = frozenset({"none", "flat"})


def asks_something(state: State) -> bool:
    """Whether the message asks at all; the mere statement of a preference does not."""
    intent = state.get("intent") or {}
    return bool(intent.get("asks") or intent.get("open") or intent.get("unclear"))


def asks_for_analysis(state: State) -> bool:
    """Whether there is something to measure: a question that can be read, or a mode that brings its own steps."""
    if state.get("chosen_mode") in {"revalidate", "re-run"}:
        return asks_something(state)
    intent = state.get("intent") or {}
    # Of several things asked, those that can be read are measured, and the one that cannot is said.
    return asks_something(state) and bool(intent.get("asks") or not intent.get("unclear"))


def gate_fires(state: State) -> bool:
    """Whether there is enough prior work to ask about and no mode has been given for this session."""
    return (
        len(state.get("prior") or []) >= FEWEST_PRIOR_FINDINGS
        and not state.get("session_mode")
        and asks_something(state)
    )


def agreeable(state: State) -> Mode | None:
    """The suggested mode, to which a mere "yes" agrees; None where the gate could not tell one."""
    suggested = state.get("suggested") or {}
    mode: Mode | None = suggested.get("mode") if suggested.get("sure") else None
    return mode


def gate_payload(state: State) -> Json:
    """Return what the person sees: the question, what is known, what changed, the suggestion, what each mode costs."""
    shown = (
        "memory_id", "summary", "label", "confidence", "age_days", "last_confirmed", "days_until_expiry", "sightings",
    )  # fmt: skip
    return {
        "question": state.get("question"),
        "dataset": state.get("data_source"),
        "prior_findings": [{k: p[k] for k in shown} for p in _foremost(state)],
        "data_changed": state.get("data_changed"),
        "suggested": state.get("suggested"),
        "options": state.get("options") or [],
    }


def _foremost(state: State) -> list[Json]:
    """Prior findings with those on the question's columns first, then effects before absences, then what was asked."""
    relevance: Json = (state.get("intent") or {}).get("relevance") or {}
    named = [column for column, weight in relevance.items() if weight >= NAMED_0_1]

    def rank(card: Json) -> tuple[bool, bool, bool]:
        claim = card["claim"] or {}
        held = " ".join(str(v) for v in (claim.get("subject") or {}).values() if v)
        absent = (claim.get("value") or {}).get("direction") in _ABSENT
        return not any(column in held for column in named), absent, card["label"] != "confirmatory"

    return sorted(state.get("prior") or [], key=rank)
