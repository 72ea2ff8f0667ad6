"""What a revalidation tests: the claim on what came since it was confirmed, or on all the data as it is now.

One test answers both questions. Whether the past still says the same is told by the kept snapshots, which read no rows;
where it does and enough came since, the test is of what came since alone; else it is of all the data.
"""

from datetime import date, datetime

from datasets import Snapshot
from datasets.evidence import Claim
from datasets.plain import counted
from datasets.retesting import Since, since, step_since
from datasets.snapshot import DataChange, compare
from datasets.steps import Step
from graph.services import Services
from graph.state import Json, State


def retest(state: State, services: Services, step: Step, target: Json, now: Snapshot) -> tuple[Step, Json]:
    """Return the step to run, and what is known of the past and of what came since: keys told, window (None: all)."""
    then = _when_confirmed(state, services, target)
    if then is None or now.time_column is None:
        return step, {"told": "", "window": None}
    change = compare(then, now)
    if change.kind == "unchanged":
        return step, {"told": "The data is the same as when it was last confirmed.", "window": None}
    past, ahead = _past(change, then), _since(step, target, then, now) if change.kind == "appended" else None
    if ahead is None or not ahead.held:
        return step, {"told": past, "window": None}
    if ahead.enough:
        span = {"window": ahead.window.model_dump(mode="json"), "needed": ahead.needed}
        return step_since(step, ahead.window), {**span, "told": f"{past} It was tested on what came since then alone."}
    came = counted(ahead.held, ahead.counted)
    few = f"The {came} since then are too few to be tested alone (it takes about {ahead.needed:,}), so all was tested."
    return step, {"told": f"{past} {few}", "window": None}


def _when_confirmed(state: State, services: Services, target: Json) -> Snapshot | None:
    kept = services.memory.artifacts(
        services.principal,
        kind="snapshot",
        dataset=state["data_source"],
        not_after=datetime.fromisoformat(target["last_confirmed"]),
        limit=1,
    )
    if not kept or kept[0].content.get("data_id") not in {None, state["data_id"]}:
        return None
    return Snapshot.model_validate(kept[0].content)


def _past(change: DataChange, then: Snapshot) -> str:
    until = _newest(then)
    known = f"Up to {until.isoformat()} " if until else "Of what was known then, "
    if change.kind == "appended":
        return f"{known}nothing was restated since it was last confirmed."
    return f"Since it was last confirmed: {change.summary}"


def _since(step: Step, target: Json, then: Snapshot, now: Snapshot) -> Since | None:
    after, until = _newest(then), _newest(now)
    if after is None or until is None or now.time_column is None or not then.daily:
        return None
    days = now.by_day if now.by_day and min(now.by_day) <= after.isoformat() else now.daily
    return since(
        step,
        Claim.model_validate(target["claim"]),
        time_column=now.time_column,
        span=(date.fromisoformat(min(then.daily)), after, until),
        rows=(then.fingerprint.rows, sum(n["n"] for day, n in days.items() if day > after.isoformat())),
        n_before=target.get("n") or 0,
        p_before=target.get("p_value"),
    )


def _newest(snapshot: Snapshot) -> date | None:
    newest = snapshot.fingerprint.newest_event
    return datetime.fromisoformat(newest).date() if newest else None
