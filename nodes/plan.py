"""plan: intent + buckets + mode → battery, and the directives that the analysis view enforces."""

from collections.abc import Sequence

from analyst import Intent, Plan, analyst_for
from analyst.protocol import Probe
from datasets import Dataset
from datasets.quality import detected
from graph.gating import asks_for_analysis
from graph.services import Run
from graph.state import Json, Mode, State
from nodes.deliveries import earlier_delivery, lineage, measure_lags, settle_lags, still_open
from nodes.modes import (
    explored_plan,
    going_on,
    nothing_to_test,
    revalidation_plan,
    standing_units,
    stored_battery,
    which_battery,
)
from nodes.queries import probe_on
from nodes.retesting import retest
from nodes.standing import planning_grain, taken_back, with_one_grain, without_restated
from nodes.workarounds import directive_key, known_directives, overtaken, stated_directives


def plan(state: State, run: Run) -> Json:
    """Plan the battery of the chosen mode. Data-quality units and preferences apply in every mode.

    Detectors look at the data as loaded, except in a revalidation, which reads no more than its one test needs. A lag
    is measured in every mode, from the snapshots of this delivery and an earlier one.
    """
    services = run.services
    more = going_on(state)
    if more:
        state = {**state, "intent": more}
    recalled = state.get("recalled") or {}
    units = [u for name in ("data_quality", "preferences", "patterns", "over_budget") for u in recalled.get(name, [])]
    stated = state.get("stated") or []
    back = taken_back(units, stated)
    units = with_one_grain(without_restated(units, stated), stated, state["question"])
    if not asks_for_analysis(state):
        return {"plan": [], "directives": known_directives(units), "quality": _carried(units)}
    pinned = state["fingerprint"]["content_hash"]
    with services.catalogue.open(state["dataset"], now=services.clock(), content_hash=pinned) as dataset:
        mode = state["chosen_mode"]
        warnings = [*(state.get("warnings") or []), *dataset.card.doubts]
        detection = None if mode == "revalidate" else detected(dataset)
        found = [f.model_dump(mode="json") for f in detection.facts] if detection else []
        now = dataset.snapshot()
        before = lineage(state, services, now).before
        lags = measure_lags(before, now, earlier_delivery(state, services, before))
        facts = settle_lags(found, lags, units)
        acting = [*known_directives(units), *stated_directives(stated), *(f for f in facts if f["directive"])]
        probe = probe_on(dataset, [(d.get("memory_id"), d["directive"]) for d in acting])
        planned, target, mode, warning = _battery(state, dataset, run, facts, probe)
        if warning:
            warnings.append(warning)
        if state.get("mode_source") == "gate":
            warnings += _moved_on(state["dataset"], pinned, dataset, run)
    powered = still_open(detection.powered, lags, units) if detection else []
    past = overtaken(units, facts, powered)
    directives = known_directives([u for u in units if u["memory_id"] not in past]) + stated_directives(stated)
    known = {directive_key(d["directive"]) for d in directives}
    directives += [
        {"memory_id": None, "directive": f["directive"], "statement": f["statement"]}
        for f in facts
        if f["directive"] and directive_key(f["directive"]) not in known
    ]
    set_aside = [d for d in directives if d["directive"]["name"] in planned.without]
    usage = dict(state["usage"])
    if detection:
        usage["rows_scanned"] += detection.rows_scanned
        usage["cells_read"] += detection.cells_read
    return {
        "chosen_mode": mode,
        "intent": state["intent"],
        "plan": [{**s.model_dump(mode="json"), "signature": s.signature} for s in planned.steps],
        "skipped": [*(dict(s) for s in planned.skipped), *(_set_aside(d) for d in set_aside), *past.values(), *back],
        "target": target,
        "directives": [d for d in directives if d not in set_aside],
        "quality": facts if detection else [*_carried(units, without=facts), *facts],
        "powered": powered,
        "usage": usage,
        "warnings": warnings,
    }


def _moved_on(name: str, pinned: str, dataset: Dataset, run: Run) -> list[str]:
    """What happened to the file while the gate was open; the answer is about the data that was asked about."""
    if dataset.fingerprint.content_hash != pinned:
        return ["The file has changed since this was asked, and the data as it was is not kept: this is the new data."]
    happened = run.services.catalogue.moved_on(name, pinned)
    if happened is None:
        return []
    told = "has changed" if happened == "changed" else "is no longer there"
    again = " Ask again for the new one." if happened == "changed" else ""
    return [f"The file {told} since this was asked: the answer is about the data as it was then.{again}"]


def _battery(
    state: State, dataset: Dataset, run: Run, facts: list[Json], probe: Probe
) -> tuple[Plan, Json | None, Mode, str | None]:
    """Return the plan, the tested prior finding, the mode that is really run, and a warning where it differs."""
    mode, services = state["chosen_mode"], run.services
    analyst = analyst_for(run)
    intent = Intent.model_validate(state["intent"])
    if mode == "extend":
        return explored_plan(state, analyst, dataset.card, run, facts=facts, probe=probe), None, mode, None
    if mode == "revalidate":
        tested = revalidation_plan(state, analyst, intent)
        if tested:
            steps, span = retest(state, services, tested.step, tested.target, dataset.snapshot())
            return Plan(steps=steps), {**tested.target, "span": span}, mode, tested.warning
        warning = nothing_to_test(state, services, intent)
    elif mode == "re-run":
        stored = stored_battery(state, services)
        if stored:
            return Plan(steps=tuple(stored)), None, mode, which_battery(state, services)
        warning = "There is no stored battery of this dataset to repeat, so the question was run fresh."
    else:
        warning = None
    fresh = analyst.plan(
        intent,
        dataset.card,
        facts=facts,
        grain=planning_grain(state),
        max_steps=run.context.max_steps,
        standing=standing_units(state),
        probe=probe,
    )
    return fresh, None, "fresh", warning


def _set_aside(directive: Json) -> Json:
    """Tell of a directive that would hide what the question is about."""
    name = directive["directive"]["name"]
    return {"what": f"directive {name}", "reason": "the question is about what it would leave out"}


def _carried(units: list[Json], *, without: Sequence[Json] = ()) -> list[Json]:
    """Data-quality facts that memory carries, in the shape of detected ones, but for those known better now."""
    better = {(f["kind"], f["column"]) for f in without}
    carried = [
        {
            "kind": (u["claim"] or {}).get("subject", {}).get("metric") or "noted",
            "column": (u["claim"] or {}).get("subject", {}).get("column"),
            "statement": u["summary"],
            "directive": u["directive"],
            "status": u["fact_status"],
            "informational": False,
            "memory_id": u["memory_id"],
        }
        for u in units
        if u["memory_type"] == "data_quality"
    ]
    return [f for f in carried if (f["kind"], f["column"]) not in better]
