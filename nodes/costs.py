"""What a battery will cost: steps, rows, and seconds as recorded when this data was analysed before."""

from collections.abc import Sequence
from statistics import mean

from datasets.steps import Step
from graph.state import Json

_AROUND_STEPS = ("understand", "recall", "plan", "report", "consolidate", "transcript")


def cost(steps: Sequence[Step], *, rows: int, recorded: Json | None, looks: bool = True) -> Json:
    """Return the cost of a battery. `recorded`: the kept battery of an earlier analysis; seconds are None without one.

    :param looks: whether detectors look at the data before the plan; a revalidation does without them.

    Seconds of a step are those of its kind, else of any step, in proportion to the rows then and now.
    """
    found: Json = {"steps": len(steps), "rows": len(steps) * rows, "seconds": None}
    results = (recorded or {}).get("results") or []
    if not recorded or not results:
        return found
    took: dict[str, list[float]] = {}
    for result in results:
        took.setdefault(result["kind"], []).append(result["seconds"])
    usual = mean(r["seconds"] for r in results)
    phases = (recorded.get("usage") or {}).get("seconds") or {}
    growth = rows / max(1, recorded["fingerprint"]["rows"])
    battery = sum(mean(took.get(s.kind) or [usual]) for s in steps) * growth
    around = sum(phases.get(p, 0.0) for p in _AROUND_STEPS if looks or p != "plan")
    found["seconds"] = round(around + battery, 2)
    return found
