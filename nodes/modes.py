"""What each mode plans from: the stored battery, the explored ground, the one test of a prior finding."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from analyst import Analyst, Intent, Known, Plan
from datasets import SchemaCard
from datasets.measures import Grain
from datasets.steps import Step
from graph.services import Run, Services
from graph.state import Json, State

_BATTERIES_BACK = 10


@dataclass(frozen=True)
class Revalidation:
    """The one step of a revalidation, the card of the finding it tests, and what to tell the person."""

    step: Step
    target: Json
    warning: str | None


def last_battery(state: State, services: Services) -> Json | None:
    """Return what was kept of the principal's last analysis of this data: steps, results, findings, usage.

    Of an earlier session; where this one has been the only one, of an earlier question in it.
    """
    which: Json = {"kind": "battery", "dataset": state["data_source"]}
    for session in (state["session_id"], None):
        kept = services.memory.artifacts(services.principal, **which, exclude_session=session, limit=_BATTERIES_BACK)
        for battery in kept:
            if battery.run_id != state["run_id"] and battery.content.get("data_id") in {None, state["data_id"]}:
                return battery.content
    return None


def stored_battery(state: State, services: Services) -> list[Step]:
    """Return the steps of the last analysis of this data, in their order."""
    battery = last_battery(state, services)
    return [Step.model_validate(s) for s in battery["steps"]] if battery else []


def explored_plan(
    state: State,
    analyst: Analyst,
    card: SchemaCard,
    run: Run,
    *,
    facts: Sequence[Mapping[str, Any]] = (),
) -> Plan:
    """Plan past what is known: no step whose signature is explored, by a prior finding or by the stored battery."""
    known = [to_known(p) for p in state.get("prior") or []]
    stored = stored_battery(state, run.services)
    steps = {k.signature for k in known if k.signature} | {s.signature for s in stored}
    plan = analyst.plan(
        Intent.model_validate(state["intent"]),
        card,
        known=known,
        facts=facts,
        grain=planning_grain(state),
        max_steps=run.context.max_steps,
    )
    kept = tuple(s for s in plan.steps if s.signature not in steps)
    left_out = [
        {"what": s.signature, "reason": "explored in an earlier session"} for s in plan.steps if s.signature in steps
    ]
    return Plan(steps=kept, skipped=(*plan.skipped, *left_out))


def revalidation_plan(state: State, analyst: Analyst, intent: Intent) -> Revalidation | None:
    """Choose the prior finding that the question is about; without one, the best-founded recent one, and say so."""
    by_id = {p["memory_id"]: p for p in state.get("prior") or [] if p["step"]}
    if not by_id:
        return None
    known = [to_known(p) for p in by_id.values()]
    chosen, warning = analyst.choose_prior(state["question"], intent, known), None
    if chosen is None:
        chosen = max(known, key=lambda k: (k.confidence, -k.age_days))
        warning = "The question names none of the prior findings; the best-founded recent one was tested."
    elif chosen.rival:
        warning = (
            f"Two prior findings fit the question equally. Tested: {chosen.summary} Not tested: {chosen.rival} "
            "Name its columns to have that one tested."
        )
    card = by_id[chosen.memory_id]
    step = Step.model_validate(card["step"]).model_copy(
        update={"stated": True, "builds_on": chosen.memory_id, "reason": f"test again: {chosen.summary}"}
    )
    return Revalidation(step=step, target=card, warning=warning)


def planning_grain(state: State) -> Grain | None:
    """Return the preferred grain of time series: said with the question, else among the recalled preferences."""
    for rule in [*(state.get("stated") or []), *(state.get("recalled") or {}).get("preferences", [])]:
        directive = rule["directive"] or {}
        if directive.get("name") == "grain":
            return directive["unit"]  # type: ignore[no-any-return]
    return None


def to_known(card: Json) -> Known:
    """Turn the card of a unit into what an analyst is told of it."""
    return Known.model_validate({k: v for k, v in card.items() if k in Known.model_fields})
