"""From a study that is asked for to its step."""

import json
from typing import Any

from analyst.plans.ask_parts import Setting, scope_of, time_of, window_of
from analyst.plans.drafts import Draft, dumped, within_words
from analyst.protocol import Ask
from datasets.measures import Metric

_MOST_DIMENSIONS = 8


def retention_steps(ask: Ask, setting: Setting) -> list[Draft]:
    """Who comes back."""
    params: dict[str, Any] = {"entity": ask.columns[0], "start": ask.options.get("start"), **scope_of(ask)}
    params["grain"] = ask.grain if ask.grain in {"day", "week", "month", "quarter", "year"} else None
    return [Draft("retention", params, f"who of {ask.columns[0]} comes back{within_words(ask.filters)}")]


def survival_steps(ask: Ask, setting: Setting) -> list[Draft]:
    """How long until it happens, of all or by group."""
    options = ask.options
    params: dict[str, Any] = {k: options[k] for k in ("start", "end", "duration", "unit") if k in options}
    if "event" in options:
        params["event"] = json.loads(options["event"])
    if "at" in options:
        params["at"] = [float(options["at"])]
    until = options.get("end") or (ask.columns[-1] if ask.columns else "the event")
    about = f"how long until {until}{within_words(ask.filters)}"
    if not ask.dimensions:
        return [Draft("survival", {**params, **scope_of(ask)}, about)]
    by = ask.dimensions[0]
    return [Draft("survival", {**params, "by": by, **scope_of(ask)}, f"{about}, by {by}")]


def funnel_steps(ask: Ask, setting: Setting) -> list[Draft]:
    """How many get from stage to stage."""
    entity = ask.options.get("entity")
    stages = {"entity": entity, "stage": ask.columns[0]} if entity else {"columns": list(ask.columns)}
    by = {"by": ask.dimensions[0]} if ask.dimensions else {}
    about = f"the way through {ask.columns[0] if entity else ', '.join(ask.columns)}"
    return [Draft("funnel", {**stages, **by, **scope_of(ask)}, f"{about}{within_words(ask.filters)}")]


def experiment_steps(ask: Ask, setting: Setting) -> list[Draft]:
    """Which arm did better."""
    params = {"variant": ask.dimensions[0], "unit": ask.options.get("unit"), **scope_of(ask)}
    return [
        Draft(
            "experiment",
            {"metric": dumped(m), **params},
            f"{m.words} by {ask.dimensions[0]}{within_words(ask.filters)}",
        )
        for m in ask.metrics
    ]


def forecast_steps(ask: Ask, setting: Setting) -> list[Draft]:
    """What comes next, and what it is read from."""
    grain = ask.grain or setting.grain
    horizon = int(ask.options.get("ahead", "1"))
    drafts = []
    for metric in ask.metrics:
        params = {"metric": dumped(metric), "time": time_of(ask, setting.card), "grain": grain, **scope_of(ask)}
        where = within_words(ask.filters)
        drafts.append(Draft("forecast", {**params, "horizon": horizon}, f"forecast of {metric.words}{where}"))
    return drafts


def leads_steps(ask: Ask, setting: Setting) -> list[Draft]:
    """Which of two measures comes first."""
    x, y = ask.metrics
    params = {"x": dumped(x), "y": dumped(y), "time": time_of(ask, setting.card), "grain": ask.grain}
    about = f"whether {y.words} follows {x.words}{within_words(ask.filters)}"
    return [Draft("leads", {**params, **scope_of(ask)}, about)]


def driver_steps(ask: Ask, setting: Setting, metric: Metric) -> list[Draft]:
    """Which dimension a change comes from; nothing where one is named, or there is only one."""
    able = metric.additive or metric.aggregate in {"mean", "share"}
    fixed = {f.column for f in ask.filters} | set(metric.measure.columns)
    dimensions = [d for d in setting.dimensions if d not in fixed and d not in setting.repeated][:_MOST_DIMENSIONS]
    if not able or ask.dimensions or len(dimensions) < 2 or "why" not in ask.options:
        return []
    params = {
        "metric": dumped(metric),
        "dimensions": dimensions,
        "time": time_of(ask, setting.card),
        "versus": window_of(ask.versus),
        "grain": ask.grain or setting.grain,
        **scope_of(ask),
    }
    return [Draft("drivers", params, f"what drove the change of {metric.words}{within_words(ask.filters)}")]
