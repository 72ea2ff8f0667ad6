"""What a revalidation tests: the claim on what came since it was confirmed, or on all the data as it is now.

Whether the past still says the same is told by the kept snapshots, which read no rows. Where it does and enough came
since, one test of what came since alone answers both questions. Where the past was restated and enough came since, the
claim is tested on each stretch: no row is read twice. Else one test is of all the data.
"""

from datetime import date, datetime, timedelta

from datasets import Snapshot
from datasets.evidence import Claim
from datasets.measures import Window
from datasets.plain import counted
from datasets.retesting import (
    Since,
    against_level,
    as_claimed,
    rests_on,
    since,
    step_since,
    until_day,
)
from datasets.snapshot import DataChange, compare
from datasets.steps import Step
from graph.services import Services
from graph.state import Json, State


def retest(state: State, services: Services, step: Step, target: Json, now: Snapshot) -> tuple[tuple[Step, ...], Json]:
    """Return the steps to run, and what is known of the past and of what came since.

    Keys of the second: told, window (None: all rows), needed, since (first day of the window, None: all rows), grew
    (whether rows came to those that the claim was made from, so that totals do not compare), past (the restated stretch
    that the second step tests; None: there is one step).

    A claim that was last tested on a stretch alone is about that stretch: it is tested from the same day on, and
    up to the same day where what came after it was tested apart.
    """
    then, time = when_confirmed(state, services, target), now.time_column
    start = date.fromisoformat(target["since"]) if target.get("since") else None
    until = date.fromisoformat(target["until"]) if target.get("until") else None
    whole = (
        Window(column=time, start=start, end=until, label=_label(start, until)) if (start or until) and time else None
    )
    claim = Claim.model_validate(target["claim"])
    step = against_level(as_claimed(step, claim), claim, _newest(then) if then else None)
    known = step_since(step, whole) if whole else step
    if then is None or time is None:
        return (known,), _span("", whole)
    change = compare(then, now)
    if change.kind == "unchanged":
        return (known,), _span("The data is the same as when it was last confirmed.", whole)
    told, grew = _past(change, then), now.fingerprint.rows != then.fingerprint.rows
    restated = change.kind not in {"appended", "schema"} or bool(change.restated_days)
    if change.kind in {"restated", "schema"} and change.restated_days:
        own = rests_on(step, claim, now.columns)
        bearing = compare(then.of(own), now.of(own))
        restated = bearing.kind not in {"appended", "schema"} or bool(bearing.restated_days)
        told = told if restated else f"{told} None of that bears on this finding."
    ahead = None if change.kind == "replaced" else _since(step, claim, target, then, now, start)
    if ahead is None or not ahead.held:
        return (known,), _span(told, whole, grew=grew)
    if ahead.enough and restated:
        past = until_day(time, start, ahead.window)
        span = _span(told, ahead.window, needed=ahead.needed)
        return (
            (step_since(step, ahead.window), step_since(step, past)),
            {**span, "past": past.model_dump(mode="json")},
        )
    if ahead.enough:
        told = f"{told} It was tested on what came since then alone."
        return (step_since(step, ahead.window),), _span(told, ahead.window, needed=ahead.needed)
    came, all_of_it = counted(ahead.held, ahead.counted), f"all of {whole.label}" if whole else "all"
    few = f"The {came} since then are too few to be tested alone (it takes about {ahead.needed:,})"
    return (known,), _span(f"{told} {few}, so {all_of_it} was tested.", whole, grew=grew)


def _label(start: date | None, until: date | None) -> str:
    told = [f"since {start.isoformat()}"] if start else []
    return f"the time {' and '.join([*told, f'before {until.isoformat()}'] if until else told)}"


def _span(told: str, window: Window | None = None, *, needed: int = 0, grew: bool = False) -> Json:
    since = _day(window.start if window else None)
    shown = window.model_dump(mode="json") if window else None
    return {
        "told": told,
        "window": shown,
        "needed": needed,
        "since": since,
        "until": _day(window.end if window else None),
        "grew": grew,
        "past": None,
    }


def _day(end: date | None) -> str | None:
    return end.isoformat() if end else None


def when_confirmed(state: State, services: Services, target: Json) -> Snapshot | None:
    """Return what this data held when a finding was last confirmed; None where that is not known."""
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


def _since(step: Step, claim: Claim, target: Json, then: Snapshot, now: Snapshot, start: date | None) -> Since | None:
    after, until = _newest(then), _newest(now)
    if target.get("until"):
        after = date.fromisoformat(target["until"]) - timedelta(days=1)
    if after is None or until is None or now.time_column is None or not then.daily:
        return None
    days = now.by_day if now.by_day and min(now.by_day) <= after.isoformat() else now.daily
    first = max(start, date.fromisoformat(min(then.daily))) if start else date.fromisoformat(min(then.daily))
    apart = start or target.get("until")
    known = [n["n"] for day, n in then.daily.items() if first.isoformat() <= day <= after.isoformat()]
    before = sum(known) if apart else None
    return since(
        step,
        claim,
        time_column=now.time_column,
        span=(first, after, until),
        rows=(before or then.fingerprint.rows, sum(n["n"] for day, n in days.items() if day > after.isoformat())),
        n_before=target.get("n") or 0,
        p_before=target.get("p_value"),
    )


def _newest(snapshot: Snapshot) -> date | None:
    newest = snapshot.fingerprint.newest_event
    return datetime.fromisoformat(newest).date() if newest else None
