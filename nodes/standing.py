"""What a person's rules come to when they meet: the last word on a subject stands, and a rule may be taken back."""

from collections.abc import Sequence

from datasets.measures import Grain
from graph.state import Json, State

GRAIN = "grain"


def slot_of(unit: Json) -> str:
    """The slot that a recalled unit is about, empty where it has none."""
    return str(((unit["claim"] or {}).get("subject") or {}).get("slot") or "")


def same_matter(slot: str, subject: str) -> bool:
    """Whether a word on `subject` is a word on `slot`: the same, or the broad one ("grain") of which it is a part."""
    return bool(slot) and (slot == subject or slot.startswith(f"{subject}:"))


def taken_back(units: Sequence[Json], stated: Sequence[Json]) -> list[Json]:
    """Tell of each remembered rule that the message takes back that it does not act, and why."""
    return [
        {"what": unit["summary"], "reason": f"you took it back: “{rule['statement']}”", "memory_id": unit["memory_id"]}
        for rule in stated
        if rule["withdraws"]
        for unit in meant(units, rule["slot"])
    ]


def without_restated(units: Sequence[Json], stated: Sequence[Json]) -> list[Json]:
    """Return the units but for preferences on which the message itself has a word, and rules that it takes back."""
    back = {row["memory_id"] for row in taken_back(units, stated)}
    slots = {s["slot"] for s in stated if not s["withdraws"]}
    return [
        u
        for u in units
        if u["memory_id"] not in back
        and not (u["memory_type"] == "user_preference" and any(same_matter(slot_of(u), slot) for slot in slots))
    ]


def meant(units: Sequence[Json], subject: str) -> list[Json]:
    """The user's rules that a withdrawal is about: all on its slot; of several exclusions that it does not tell apart
    the one said last."""
    said = [u for u in units if u["memory_type"] in {"user_preference", "domain_pattern"}]
    found = [u for u in said if same_matter(slot_of(u), subject)]
    if subject == "filter" and len(found) > 1:
        return [min(found, key=lambda u: float(u["age_days"]))]
    return found


def settled_grain(units: Sequence[Json], stated: Sequence[Json], question: str) -> Grain | None:
    """The grain that holds for a question: said with it, else said last, be it for all series or for its metric."""
    rule = _grain_rule(units, stated, question)
    return rule["directive"]["unit"] if rule else None


def with_one_grain(units: Sequence[Json], stated: Sequence[Json], question: str) -> list[Json]:
    """Return the units without the grains that do not hold for this question."""
    rule = _grain_rule(units, stated, question)
    return [u for u in units if not _sets_grain(u) or u is rule]


def planning_grain(state: State) -> Grain | None:
    """Return the preferred grain of time series for the question at hand, if any."""
    stated = state.get("stated") or []
    recalled = state.get("recalled") or {}
    units = [u for name in ("preferences", "over_budget") for u in recalled.get(name, [])]
    return settled_grain(without_restated(units, stated), stated, state["question"])


def _grain_rule(units: Sequence[Json], stated: Sequence[Json], question: str) -> Json | None:
    said = [s for s in stated if _sets_grain(s)]
    kept = sorted((u for u in units if _sets_grain(u)), key=lambda u: float(u["age_days"]))
    for rule in said:
        return rule
    return next((u for u in kept if _about(slot_of(u), question)), None)


def _sets_grain(rule: Json) -> bool:
    return bool((rule["directive"] or {}).get("name") == GRAIN)


def _about(slot: str, question: str) -> bool:
    """Whether a grain holds for all series, or for a metric that the question names."""
    metric = slot.partition(":")[2].casefold()
    return not metric or metric in question.casefold() or metric.replace("_", " ") in question.casefold()
