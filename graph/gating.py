"""When the gate fires and what it shows. Pure functions of the state."""

from graph.state import Json, Mode, State

FEWEST_PRIOR_FINDINGS = 3


def asks_something(state: State) -> bool:
    """Whether the message asks at all; the mere statement of a preference does not."""
    intent = state.get("intent") or {}
    return bool(intent.get("asks") or intent.get("open") or intent.get("unclear"))


def asks_for_analysis(state: State) -> bool:
    """Whether there is something to measure: a question that can be read, or a mode that brings its own steps."""
    if state.get("chosen_mode") in {"revalidate", "re-run"}:
        return asks_something(state)
    return asks_something(state) and not (state.get("intent") or {}).get("unclear")


def gate_fires(state: State) -> bool:
    """Whether there is enough prior work to ask about and no mode has been given for this session."""
    return (
        len(state.get("prior") or []) >= FEWEST_PRIOR_FINDINGS
        and not state.get("session_mode")
        and asks_something(state)
    )


def agreeable(state: State) -> Mode | None:
    """The suggested mode, to which a mere "yes" agrees."""
    mode: Mode | None = (state.get("suggested") or {}).get("mode")
    return mode


def gate_payload(state: State) -> Json:
    """Return what the person sees: the question, what is known, what changed, the suggestion, what each mode costs."""
    shown = (
        "memory_id", "summary", "label", "confidence", "age_days", "last_confirmed", "days_until_expiry", "sightings",
    )  # fmt: skip
    return {
        "question": state.get("question"),
        "dataset": state.get("data_source"),
        "prior_findings": [{k: p[k] for k in shown} for p in state.get("prior") or []],
        "data_changed": state.get("data_changed"),
        "suggested": state.get("suggested"),
        "options": state.get("options") or [],
    }
