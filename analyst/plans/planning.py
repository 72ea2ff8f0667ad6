"""From an intent to a battery: what is asked first, then what is worth exploring, within a budget of steps."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from analyst.plans.ask_parts import Setting
from analyst.plans.balances import not_summed
from analyst.plans.deepening import deepen
from analyst.plans.drafts import Draft, steps_of
from analyst.plans.exploration import explore
from analyst.plans.focus import focus_of
from analyst.plans.signals import signals_of
from analyst.plans.steps_for_asks import drafts_for
from analyst.protocol import Intent, Known, Plan
from datasets.measures import Grain, Measure
from datasets.schema import SchemaCard
from datasets.steps import Step

CONTEXT_STEPS = 6
"""Exploratory steps around a question that asks for something definite."""
_CONTEXT_WEIGHT = 0.4
_OPEN_WEIGHT = 0.08
_MAX_LISTED = 12
_SPLIT_LIMIT = 40
_SAME_KIND = 0.96
_SAME_THEME = 0.92


def plan_battery(
    intent: Intent,
    card: SchemaCard,
    derived: Sequence[tuple[Measure, float]],
    *,
    known: Sequence[Known] = (),
    facts: Sequence[Mapping[str, Any]] = (),
    grain: Grain | None = None,
    max_steps: int = 24,
) -> Plan:
    """Plan a battery. See `Analyst.plan`; `derived` are the measures that the question implies (durations, rates)."""
    if intent.unclear and not intent.open and not intent.asks:
        return Plan(steps=(), skipped=({"what": "the battery", "reason": intent.unclear},))
    explored = {k.signature: k for k in known if k.signature}
    repeated = repeated_values(known, facts)
    focus = focus_of(intent, card, derived)
    dimensions = tuple(name for name, _ in focus.dimensions if focus.size(name) <= _SPLIT_LIMIT)
    setting = Setting(card, grain=grain, repeated=repeated, dimensions=dimensions, overview=intent.open)
    asked = [d for ask in intent.asks for d in drafts_for(ask, setting)]
    levels = balances(known, facts)
    asked, notes = not_summed(asked, levels, card)
    stated, skipped = steps_of(asked)
    skipped += notes
    steps: list[Step] = []
    for draft, step in stated:
        prior = explored.get(step.signature)
        if prior is not None:
            skipped.append(_known_already(draft, prior) | {"asked": "yes"})
        else:
            steps.append(step)
    if intent.open or intent.asks:
        room = max_steps if intent.open else min(max_steps, len(steps) + CONTEXT_STEPS)
        floor = _OPEN_WEIGHT if intent.open else _CONTEXT_WEIGHT
        findings = [k for k in known if k.memory_type == "finding"]
        drafts = deepen(focus, card, findings) if findings else explore(focus)
        taken = {s.signature for s in steps}
        unsummed = {c: f"{c} repeats within {key}, so its rows do not add up" for c, key in repeated.items()}
        more, left = _fill(drafts, taken, explored, unsummed, levels, grain, room - len(steps), floor)
        steps += more
        skipped += left
    return Plan(steps=tuple(steps[:max_steps]), skipped=tuple(skipped), without=without(intent))


def without(intent: Intent) -> tuple[str, ...]:
    """An exploration of repeated records must see them; any other question counts each record once."""
    return ("dedupe",) if intent.open and signals_of(intent.question).repeated else ()


def repeated_values(known: Sequence[Known], facts: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Read which columns repeat one value on every row of a key: column → key column.

    Reads data-quality units in `known`, and facts as JSON, whose kind (or claim metric) is `repeated_value`; the
    claim's subject holds the column and, as `against`, the key.
    """
    found: dict[str, str] = {}
    claims = [k.claim for k in known if k.memory_type == "data_quality"] + [f.get("claim") for f in facts]
    for claim in claims:
        subject = (claim or {}).get("subject") or {}
        if subject.get("metric") == "repeated_value" and subject.get("column") and subject.get("against"):
            found[str(subject["column"])] = str(subject["against"])
    return found


def balances(known: Sequence[Known], facts: Sequence[Mapping[str, Any]]) -> set[str]:
    """Read which columns are balances, from data-quality units in `known` and facts as JSON."""
    claims = [k.claim for k in known if k.memory_type == "data_quality"] + [f.get("claim") for f in facts]
    subjects = [(claim or {}).get("subject") or {} for claim in claims]
    return {str(s["column"]) for s in subjects if s.get("metric") == "balance" and s.get("column")}


def _adds_up(draft: Draft) -> bool:
    """Whether the step adds the rows of its metric; shares and contributions do so whatever they name."""
    metric = draft.params.get("metric") or {}
    return metric.get("aggregate") == "sum" or draft.kind in {"share", "drill"}


def _fill(
    drafts: Sequence[Draft],
    taken: set[str],
    explored: Mapping[str, Known],
    unsummed: Mapping[str, str],
    levels: Collection[str],
    grain: Grain | None,
    room: int,
    floor: float,
) -> tuple[list[Step], list[dict[str, str]]]:
    proposed, _ = steps_of([_at_grain(d, grain) for d in varied(drafts) if d.weight >= floor])
    steps: list[Step] = []
    skipped: list[dict[str, str]] = []
    beyond: list[str] = []
    for draft, step in proposed:
        prior = explored.get(step.signature)
        column = next((c for c in _summed(draft) if c in unsummed), None)
        level = next((c for c in _summed(draft) if c in levels and _adds_up(draft)), None)
        if step.signature in taken:
            continue
        if prior is not None:
            skipped.append(_known_already(draft, prior))
        elif column is not None:
            skipped.append({"what": draft.about, "reason": unsummed[column]})
        elif level is not None:
            reason = f"{level} is a balance: it is not added up over time"
            skipped.append({"what": draft.about, "reason": reason})
        elif len(steps) < room:
            steps.append(step)
        else:
            beyond.append(draft.about)
    skipped += [{"what": about, "reason": "beyond the budget of steps"} for about in beyond[:_MAX_LISTED]]
    if len(beyond) > _MAX_LISTED:
        skipped.append({"what": f"{len(beyond) - _MAX_LISTED} more", "reason": "beyond the budget of steps"})
    return steps, skipped


def varied(drafts: Sequence[Draft]) -> list[Draft]:
    """Order drafts by weight, each further one of a kind, and of a kind on the same metric, counting less."""
    left = sorted(drafts, key=lambda d: -d.weight)
    kinds: Counter[str] = Counter()
    themes: Counter[str] = Counter()
    ordered = []
    while left:
        best = max(left, key=lambda d: d.weight * _SAME_KIND ** kinds[d.kind] * _SAME_THEME ** themes[_theme(d)])
        left.remove(best)
        kinds[best.kind] += 1
        themes[_theme(best)] += 1
        ordered.append(best)
    return ordered


def _theme(draft: Draft) -> str:
    return f"{draft.kind} {draft.params.get('metric')} {draft.params.get('filters')}"


def _at_grain(draft: Draft, grain: Grain | None) -> Draft:
    if grain is None or draft.kind not in {"trend", "change"} or draft.params.get("grain"):
        return draft
    return Draft(draft.kind, {**draft.params, "grain": grain}, draft.about, draft.weight, False, draft.builds_on)


def _summed(draft: Draft) -> tuple[str, ...]:
    """Columns whose rows an exploratory step aggregates."""
    metric = draft.params.get("metric") or {}
    return tuple((metric.get("measure") or {}).get("columns", ()))


def _known_already(draft: Draft, prior: Known) -> dict[str, str]:
    return {"what": draft.about, "reason": f"already known: {prior.summary}", "memory_id": prior.memory_id}
