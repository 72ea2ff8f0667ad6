"""What each mode plans from: the stored battery, the explored ground, the one test of a prior finding."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from analyst import Analyst, Intent, Known, Plan
from analyst.modes.suggestion import listed, wants_more
from analyst.plans.deepening import grounded
from analyst.priors.choosing import asked_about, narrower
from analyst.protocol import Probe
from datasets import SchemaCard
from datasets.steps import Step
from graph.services import Run, Services
from graph.state import Json, State
from nodes.standing import planning_grain

_BATTERIES_BACK = 10
_MOST_STEPS = 200


@dataclass(frozen=True)
class Revalidation:
    """The one step of a revalidation, the card of the finding it tests, and what to tell the person."""

    step: Step
    target: Json
    warning: str | None


def last_battery(state: State, services: Services) -> Json | None:
    """Return what was kept of the principal's analysis of this data that a re-run repeats: question, steps, results.

    Of an earlier session; where this one has been the only one, of an earlier question in it. Of several, that of
    the same question, else the one whose question was about most of the columns that are asked about now; of such that
    are alike, the last.
    """
    kept = _batteries(state, services)
    columns, question = asked_about(Intent.model_validate(state["intent"])), state["question"].strip().casefold()
    return max(
        kept,
        key=lambda b: (str(b.get("question")).strip().casefold() == question, _asked_in(b, columns)),
        default=None,
    )


def which_battery(state: State, services: Services) -> str | None:
    """Say whose battery a re-run repeats, where it is not that of the last question."""
    kept, chosen = _batteries(state, services), last_battery(state, services)
    if chosen is None or chosen is kept[0] or chosen["question"] == kept[0]["question"]:
        return None
    return (
        f"What was repeated is the battery of the question {chosen['question']!r}, which fits this one better than "
        f"that of the last, {kept[0]['question']!r}."
    )


def _batteries(state: State, services: Services) -> list[Json]:
    which: Json = {"kind": "battery", "dataset": state["data_source"]}
    for session in (state["session_id"], None):
        kept = services.memory.artifacts(services.principal, **which, exclude_session=session, limit=_BATTERIES_BACK)
        ours = [
            battery.content
            for battery in kept
            if battery.run_id != state["run_id"] and battery.content.get("data_id") in {None, state["data_id"]}
        ]
        if ours:
            return ours
    return []


def _asked_in(battery: Json, columns: Sequence[str]) -> int:
    """How many of the columns the stated steps of a battery read."""
    stated = " ".join(Step.model_validate(s).signature for s in battery["steps"] if s.get("stated"))
    return sum(re.search(rf"(?<!\w){re.escape(c)}(?!\w)", stated) is not None for c in columns)


def stored_battery(state: State, services: Services) -> list[Step]:
    """Return the steps of the analysis of this data that a re-run repeats, in their order."""
    battery = last_battery(state, services)
    return [Step.model_validate(s) for s in battery["steps"]] if battery else []


def explored_plan(
    state: State,
    analyst: Analyst,
    card: SchemaCard,
    run: Run,
    *,
    facts: Sequence[Mapping[str, Any]] = (),
    probe: Probe | None = None,
) -> Plan:
    """Plan past what is known: no step whose signature is explored, by a prior finding or by the stored battery."""
    known = [to_known(p) for p in state.get("prior") or []]
    explored = {k.signature for k in known if k.signature} | _run_before(state, run.services)
    room = run.context.max_steps
    plan = analyst.plan(
        Intent.model_validate(state["intent"]),
        card,
        known=known,
        facts=facts,
        grain=planning_grain(state),
        max_steps=min(_MOST_STEPS, room + len(explored)),
        standing=standing_units(state),
        probe=probe,
    )
    kept = [s for s in plan.steps if s.signature not in explored]
    left_out = [
        {"what": s.reason or s.signature, "reason": "explored before", **({"asked": "yes"} if s.stated else {})}
        for s in plan.steps
        if s.signature in explored
    ]
    beyond = [s for s in kept if not s.proposed][room:]  # What a model adds has a budget of its own.
    left_out += [{"what": s.reason or s.kind, "reason": "beyond the budget of steps"} for s in beyond]
    planned = tuple(grounded(s, known) for s in kept if s not in beyond)
    return Plan(steps=planned, skipped=(*plan.skipped, *left_out))


def going_on(state: State) -> Json | None:
    """Return the intent of "go deeper", which names nothing and takes its ground from what is known; else None."""
    intent = state.get("intent") or {}
    if state.get("chosen_mode") != "extend" or not intent.get("unclear") or intent.get("asks"):
        return None
    if not state.get("prior") or not wants_more(state["question"]):
        return None
    return {**intent, "open": True, "unclear": None}


def _run_before(state: State, services: Services) -> set[str]:
    """Return the signatures of the steps of the last batteries on this data, of this session's too."""
    kept = services.memory.artifacts(
        services.principal, kind="battery", dataset=state["data_source"], limit=_BATTERIES_BACK
    )
    return {
        Step.model_validate(step).signature
        for battery in kept
        if battery.run_id != state["run_id"] and battery.content.get("data_id") in {None, state["data_id"]}
        for step in battery.content["steps"]
    }


def revalidation_plan(state: State, analyst: Analyst, intent: Intent) -> Revalidation | None:
    """Choose the prior finding that the question is about; None where it is about columns that no finding speaks of.

    A question that names no column is taken to mean the best-founded recent one, and the warning says so.
    """
    by_id = {p["memory_id"]: p for p in state.get("prior") or [] if p["step"]}
    if not by_id:
        return None
    known = [to_known(p) for p in by_id.values()]
    if (state.get("data_changed") or {}).get("kind") == "replaced":
        # Read on other data, the question is about other columns; that the finding has none there is the answer.
        intent = intent.model_copy(update={"asks": ()})
    wanted = next((k for k in known if k.memory_id == state.get("wanted")), None)
    chosen, warning = wanted or analyst.choose_prior(state["question"], intent, known), None
    if chosen is None:
        if asked_about(intent):
            return None
        chosen = max(known, key=lambda k: (k.confidence, -k.age_days))
        warning = "The question names none of the prior findings; the best-founded recent one was tested."
    elif chosen.rival:
        warning = (
            f"Two prior findings fit the question equally. Tested: {chosen.summary} Not tested: {chosen.rival} "
            "Name its columns, or choose it at the gate, to have that one tested."
        )
    elif narrower(((chosen.claim or {}).get("subject") or {}).get("filters"), intent):
        warning = (
            f"The finding that was tested is about a part of the data that the question does not name: {chosen.summary}"
        )
    card = by_id[chosen.memory_id]
    step = Step.model_validate(card["step"]).model_copy(
        update={"stated": True, "builds_on": chosen.memory_id, "reason": f"test again: {chosen.summary}"}
    )
    return Revalidation(step=step, target=card, warning=warning)


def nothing_to_test(state: State, services: Services, intent: Intent) -> str:
    """Say why nothing could be tested again: nothing was ever known of it, or what was known has expired, and when."""
    if any(p["step"] for p in state.get("prior") or []):
        about = listed(asked_about(intent))
        return f"No prior finding is about {about}, so nothing could be tested again and the question was run fresh."
    past = services.memory.list(
        services.principal, dataset=state["data_source"], memory_type="finding", status="expired"
    )
    if not past:
        return "There is no prior finding on this dataset that could be tested again, so the question was run fresh."
    last = max(past, key=lambda u: u.last_confirmed_at)
    until = f" and expired on {last.expires_at:%Y-%m-%d}" if last.expires_at else ""
    what = "The finding on this dataset has" if len(past) == 1 else f"The {len(past):,} findings on this dataset have"
    which = "it was" if len(past) == 1 else "the latest was"
    return (
        f"{what} expired, so nothing could be tested again and the question was run fresh: {which} last confirmed on "
        f"{last.last_confirmed_at:%Y-%m-%d}{until}: {last.summary}"
    )


def to_known(card: Json) -> Known:
    """Turn the card of a unit into what an analyst is told of it."""
    return Known.model_validate({k: v for k, v in card.items() if k in Known.model_fields})


def standing_units(state: State) -> list[Known]:
    """Return what holds in every mode, as recalled: data quality, preferences, patterns; required ones first."""
    recalled = state.get("recalled") or {}
    units = [to_known(u) for name in ("data_quality", "preferences", "patterns") for u in recalled.get(name, [])]
    return sorted(units, key=lambda k: not k.required)
