"""Asked sums of a balance: what stands in the accounts is not added up over days."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from analyst.plans.drafts import Draft
from analyst.times.calendar_units import newest_day
from datasets.schema import SchemaCard


def not_summed(
    drafts: Sequence[Draft], levels: Collection[str], card: SchemaCard
) -> tuple[list[Draft], list[dict[str, str]]]:
    """The drafts with sums of a balance put right, and what was done in their place.

    A total without periods becomes that of the newest day, over all accounts; any other sum becomes the average.
    """
    if not levels:
        return list(drafts), []
    changed: list[Draft] = []
    notes: list[dict[str, str]] = []
    for draft in drafts:
        summed = next(
            (c for m in _metrics(draft) if m.get("aggregate") == "sum" for c in _columns(m) if c in levels), None
        )
        if summed is None and draft.kind in {"share", "drill"}:
            summed = next((c for m in _metrics(draft) for c in _columns(m) if c in levels), None)
        if summed is None:
            changed.append(draft)
            continue
        done, how = _put_right(draft, levels, card)
        changed += [done] if done else []
        notes.append({"what": draft.about, "reason": f"{summed} is a balance, not added up over time: {how}"})
    return changed, notes


def _put_right(draft: Draft, levels: Collection[str], card: SchemaCard) -> tuple[Draft | None, str]:
    time = card.column(card.time_column) if card.time_column else None
    newest = newest_day(time.maximum) if time is not None else None
    params = draft.params
    plain = draft.kind in {"answer", "share"} and not params.get("grain") and not params.get("window")
    if plain and time is not None and newest is not None:
        window = {"column": time.name, "start": newest.isoformat(), "label": f"the state of {newest.isoformat()}"}
        return replace(draft, params={**params, "window": window}), f"the total is that of {newest.isoformat()}"
    if draft.kind in {"share", "drill"}:
        return None, "left out"
    return replace(draft, params=_averaged(params, levels)), "the average is told instead"


def _averaged(params: dict[str, Any], levels: Collection[str]) -> dict[str, Any]:
    def mean(metric: dict[str, Any]) -> dict[str, Any]:
        balance = metric.get("aggregate") == "sum" and set(_columns(metric)) & set(levels)
        return {**metric, "aggregate": "mean"} if balance else metric

    done = dict(params)
    if isinstance(params.get("metric"), dict):
        done["metric"] = mean(params["metric"])
    if isinstance(params.get("metrics"), list):
        done["metrics"] = [mean(m) for m in params["metrics"]]
    return done


def _metrics(draft: Draft) -> list[dict[str, Any]]:
    single = draft.params.get("metric")
    return [*([single] if isinstance(single, dict) else []), *draft.params.get("metrics", [])]


def _columns(metric: dict[str, Any]) -> list[str]:
    return list((metric.get("measure") or {}).get("columns", ()))
