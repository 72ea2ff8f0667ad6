"""What lies ahead at the gate: what each mode would do with the question, what it would cost, which one fits."""

from collections.abc import Sequence

from analyst import Intent, Known, analyst_for
from analyst.modes.habits import with_habits
from analyst.modes.suggestion import SURE_0_1, listed
from analyst.opening import builtin_for
from analyst.priors.choosing import asked_about
from datasets import Dataset
from datasets.steps import Step
from graph.modes import parse_mode
from graph.services import Run, Services
from graph.state import Json, Mode, State
from nodes.costs import cost
from nodes.modes import explored_plan, last_battery, stored_battery, to_known
from nodes.standing import planning_grain


def modes_ahead(state: State, dataset: Dataset, run: Run) -> Json:
    """Say what each mode would do with this question and what it would cost; planning reads no rows."""
    services = run.services
    analyst, planner = analyst_for(run), builtin_for(services)  # what a mode costs is told without asking a model
    intent = Intent.model_validate(state["intent"])
    prior = [to_known(p) for p in state["prior"]]
    grain, recorded = planning_grain(state), last_battery(state, services)
    fresh = planner.plan(intent, dataset.card, grain=grain, max_steps=run.context.max_steps).steps
    extend = explored_plan(state, planner, dataset.card, run).steps
    target, about = analyst.choose_prior(state["question"], intent, prior), asked_about(intent)
    target = target or (None if about else next((k for k in prior if k.step), None))
    retest = [Step.model_validate(target.step)] if target and target.step else list(fresh) if about else []
    changed = state.get("data_changed") or {}
    # A model is asked only where the suggestion can decide something.
    undecided = parse_mode(state.get("requested")) is None and not state.get("session_mode")
    suggestion = (analyst if undecided else planner).suggest_mode(
        state["question"],
        intent,
        prior,
        data_changed=changed.get("kind") not in {None, "unchanged"},
        days_since_last=min((p["age_days"] for p in state["prior"]), default=None),
    )

    def option(mode: Mode, does: str, steps: Sequence[Step]) -> Json:
        costs = cost(steps, rows=dataset.card.rows, recorded=recorded, looks=mode != "revalidate")
        return {"mode": mode, "does": does, "cost": {**costs, "model_calls": analyst.model_calls(mode)}}

    tested = f"Test again on today's data: {target.summary}" if target else "Nothing is known that could be tested."
    if target is None and about:
        tested = f"No prior finding is about {listed(about)}, so the question would be run fresh."
    suggested = with_habits(suggestion, _past_choices(services))
    return {
        "options": [
            option("fresh", "Analyse the question from the start; prior findings stay out of it.", fresh),
            option("extend", f"Take the {len(prior)} prior findings as known and go past them.", extend),
            {**option("revalidate", tested, retest), "choices": _choices(target, prior)},
            option("re-run", "Repeat the stored battery unchanged on today's data.", stored_battery(state, services)),
        ],
        "suggested": {**suggested.model_dump(mode="json"), "sure": suggested.confidence >= SURE_0_1},
    }


def _choices(target: Known | None, prior: Sequence[Known]) -> list[Json]:
    """Return the findings between which the person may choose, where the question fits two equally."""
    if target is None or target.rival is None:
        return []
    fitting = [target, *(k for k in prior if k.summary == target.rival and k.memory_id != target.memory_id)]
    return [{"memory_id": k.memory_id, "summary": k.summary} for k in fitting]


def _past_choices(services: Services) -> list[tuple[str, str]]:
    """Return what this person chose at the gate, beside what was suggested."""
    decided = services.memory.decisions(services.principal)
    return [(d["suggested"], d["mode"]) for d in decided if d.get("mode_source") == "gate" and d.get("suggested")]
