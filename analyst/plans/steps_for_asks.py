"""From what the question asks to the steps that answer it."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from analyst.plans.ask_parts import (
    Setting,
    by_words,
    measures_of,
    metrics_words,
    once_per,
    row_by_row,
    scope_of,
    time_of,
    window_of,
)
from analyst.plans.drafts import Draft, dumped, within_words
from analyst.plans.steps_for_studies import (
    driver_steps,
    experiment_steps,
    forecast_steps,
    funnel_steps,
    leads_steps,
    retention_steps,
    survival_steps,
)
from analyst.protocol import Ask
from datasets.measures import YES_OR_NO, Measure, Metric

ROWS = Metric()
_MOST_METRICS = 3
_MOST_PAIRS = 6
_MOST_DRIVERS = 6
_GROUP_TESTS = frozenset({"anova", "ttest", "welch", "mannwhitney", "kruskal", "chi2", "ks"})
_NORMALITY = frozenset({"shapiro", "normaltest", "skewness", "anderson", "jarque_bera"})


def drafts_for(ask: Ask, setting: Setting) -> list[Draft]:
    """Return the stated steps of one ask, most direct first; empty for an open ask or when nothing fits it."""
    build = _BUILDERS.get(ask.kind)
    if ask.kind not in {"value", "extreme"} or ask.grain or ask.options.get("over_time"):
        # Followed over time or compared, a ratio is that of each row: only so it has a spread to be tested with.
        ask = ask.model_copy(update={"metrics": tuple(row_by_row(m) for m in ask.metrics)})
    return [replace(d, stated=True) for d in build(ask, setting)] if build else []


def _value(ask: Ask, setting: Setting) -> list[Draft]:
    metrics = ask.metrics or (ROWS,)
    if once_per(metrics, setting.repeated):
        metrics = tuple(row_by_row(m) for m in metrics)
    params: dict[str, Any] = {
        "metrics": [dumped(m) for m in metrics],
        "by": list(ask.dimensions[:2]),
        "order": ask.order,
        "top": ask.top,
        "grain": ask.grain or (setting.grain if ask.options.get("over_time") else None),
        **scope_of(ask),
        **once_per(metrics, setting.repeated),
    }
    if "once_per" in ask.options:
        params["once_per"] = ask.options["once_per"]
    if "place" in ask.options:
        params["place"] = int(ask.options["place"])
    if "averaged" in ask.options:
        params["averaged"] = True
    if ask.kind == "extreme":
        params["order"] = ask.order or "desc"
        if not ask.dimensions and not ask.grain and ask.columns:
            params |= {"show": list(ask.columns), "top": ask.top or 1}
    about = f"{metrics_words(metrics)}{by_words(ask.dimensions)}{within_words(ask.filters)}"
    drafts = [Draft("answer", params, about)]
    if setting.overview and setting.grain and not ask.dimensions and params["grain"] is None and ask.kind == "value":
        by_period = {"metrics": [dumped(row_by_row(m)) for m in metrics], "grain": setting.grain}
        drafts.append(Draft("answer", {**params, **by_period}, f"{about} by {setting.grain}"))
    return drafts


def _list(ask: Ask, setting: Setting) -> list[Draft]:
    if ask.options.get("what") == "terms":
        return [
            Draft(
                "terms", {"column": column, **scope_of(ask)}, f"frequent words of {column}{within_words(ask.filters)}"
            )
            for column in ask.columns[:2]
        ]
    by = (*ask.dimensions, *ask.columns)[:2]
    return _value(ask.model_copy(update={"dimensions": by, "order": ask.order or "desc"}), setting)


def _trend(ask: Ask, setting: Setting) -> list[Draft]:
    by: dict[str, Any] = {"by": ask.dimensions[0]} if ask.dimensions else {}
    by |= {"spikes": True} if ask.options.get("what") == "spikes" and not ask.dimensions else {}
    return [
        Draft(
            "trend",
            {
                "metric": dumped(metric),
                "time": time_of(ask, setting.card),
                "grain": ask.grain or setting.grain,
                **by,
                **scope_of(ask),
            },
            f"trend of {metric.words}{by_words(ask.dimensions[:1])}{within_words(ask.filters)}",
        )
        for metric in (ask.metrics or (ROWS,))[:_MOST_METRICS]
    ]


def _along(ask: Ask, setting: Setting) -> list[Draft]:
    """A metric along a column of years, or between two of them."""
    along = ask.options["along"]
    params: dict[str, Any] = {"by": list(ask.dimensions[:2]), "top": ask.top, **scope_of(ask)}
    about = f"{by_words(ask.dimensions)}{within_words(ask.filters)}"
    if "before" in ask.options:
        moved = {"down": "asc", "up": "desc"}.get(ask.options.get("moved", ""))
        states = {k: {"column": along, "values": [int(ask.options[k])]} for k in ("before", "after")}
        params |= {**states, "order": moved}
        about = f"{about} from {ask.options['before']} to {ask.options['after']}"
    else:
        params["along"] = along
        about = f"{about} along {along}"
    return [
        Draft("answer", {"metrics": [dumped(m)], **params}, f"{m.words}{about}")
        for m in (ask.metrics or (ROWS,))[:_MOST_METRICS]
    ]


def _change(ask: Ask, setting: Setting) -> list[Draft]:
    if "along" in ask.options:
        return _along(ask, setting)
    split = ask.dimensions[:3] or setting.dimensions[:3]
    metrics = (ask.metrics or (ROWS,))[:_MOST_METRICS]
    changes = [
        Draft(
            "change",
            {
                "metric": dumped(metric),
                "time": time_of(ask, setting.card),
                "versus": window_of(ask.versus),
                "grain": ask.grain or setting.grain,
                "contributions": list(split),
                **scope_of(ask),
            },
            f"change of {metric.words} between periods{within_words(ask.filters)}",
        )
        for metric in metrics
    ]
    return [*changes, *driver_steps(ask, setting, metrics[0])]


def _compare(ask: Ask, setting: Setting, dimensions: Sequence[str] | None = None) -> list[Draft]:
    segments = ask.options.get("segments")
    chosen: dict[str, Any] = {"segments": segments.split("|")} if segments else {}
    if "part" in ask.options:
        chosen["datepart"] = ask.options["part"]
    if ask.options.get("test") in _GROUP_TESTS:
        chosen["test"] = ask.options["test"]
    metrics = (ask.metrics or (ROWS,))[:_MOST_METRICS]
    return [
        Draft(
            "compare",
            {
                "metric": dumped(metric),
                "dimension": dimension,
                **scope_of(ask),
                **chosen,
                **once_per([metric], setting.repeated),
            },
            f"{metric.words} compared by {dimension}{within_words(ask.filters)}",
        )
        for metric in metrics
        for dimension in (ask.dimensions[:3] if dimensions is None else dimensions)
    ]


def _share(ask: Ask, setting: Setting) -> list[Draft]:
    metric = next((m for m in ask.metrics if m.additive), ROWS)
    where = within_words(ask.filters)
    drafts = []
    if "segment" in ask.options and ask.dimensions:
        values = ask.options["segment"].split("|")
        named = {"column": ask.dimensions[0], "op": "in" if len(values) > 1 else "eq", "values": values}
        params = {"metrics": [dumped(metric)], **scope_of(ask), **once_per([metric], setting.repeated)}
        params["filters"] = [*params["filters"], named]
        drafts.append(Draft("answer", params, f"{metric.words} of {' and '.join(values)}{where}"))
    if metric.aggregate == "sum" and once_per([metric], setting.repeated):
        return [*drafts, *_value(ask.model_copy(update={"kind": "value", "order": "desc"}), setting)]
    drafts += [
        Draft(
            "share",
            {"metric": dumped(metric), "dimension": dimension, **scope_of(ask)},
            f"share of {metric.words} by {dimension}{where}",
        )
        for dimension in ask.dimensions[:3]
    ]
    return drafts


def _relation(ask: Ask, setting: Setting) -> list[Draft]:
    measures = measures_of(ask, setting.card)
    rest: dict[str, Any] = dict(scope_of(ask))
    if ask.options.get("method") in {"pearson", "spearman"}:
        rest["method"] = ask.options["method"]
    if "alpha" in ask.options:
        rest["alpha"] = float(ask.options["alpha"])
    if "line" in ask.options and len(measures) == 2:
        rest["line"] = True
    if ask.options.get("screen") == "pairs" or not measures:
        return [Draft("relation", {"screen": True, **rest}, "which columns are related to each other")]
    if len(measures) == 1:
        target = measures[0]
        screen = Draft("relation", {"x": dumped(target), "screen": True, **rest}, f"what is related to {target.words}")
        if "depends" in ask.options:
            model = Draft(
                "influencers", {"measure": dumped(target), **scope_of(ask)}, f"what {target.words} depends on"
            )
            return [model, screen, *_drivers(target, ask, setting)]
        return [screen, *_drivers(target, ask, setting)]
    if ask.dimensions:
        rest["within"] = ask.dimensions[0]
    pairs = [(x, y) for i, x in enumerate(measures) for y in measures[i + 1 :]][:_MOST_PAIRS]
    return [
        Draft(
            "relation",
            {"x": dumped(x), "y": dumped(y), **rest},
            f"relation between {x.words} and {y.words}{within_words(ask.filters)}",
        )
        for x, y in pairs
    ]


def _drivers(target: Measure, ask: Ask, setting: Setting) -> list[Draft]:
    """The target in the groups of each dimension, since what drives it need not be a number."""
    rate = target.kind in YES_OR_NO
    metric = Metric(aggregate="share" if rate else "mean", measure=target)
    dimensions = [d for d in setting.dimensions if d not in target.columns][:_MOST_DRIVERS]
    return _compare(ask.model_copy(update={"metrics": (metric,), "dimensions": (), "options": {}}), setting, dimensions)


def _distribution(ask: Ask, setting: Setting) -> list[Draft]:
    rest: dict[str, Any] = dict(scope_of(ask))
    if ask.options.get("test") in _NORMALITY:
        rest["test"] = ask.options["test"]
    rest |= {k: float(ask.options[k]) for k in ("alpha", "threshold") if k in ask.options}
    rest |= {"moments": "population"} if ask.options.get("moments") == "population" else {}
    measures = measures_of(ask, setting.card)[:4]
    drafts = [
        Draft("distribution", {"measure": dumped(m), **rest}, f"distribution of {m.words}{within_words(ask.filters)}")
        for m in measures
    ]
    if not drafts:
        return _share(ask, setting)
    if ask.dimensions:
        means = tuple(Metric(aggregate="mean", measure=m) for m in measures[:2])
        drafts += _compare(ask.model_copy(update={"metrics": means, "options": {}}), setting)
    return drafts


def _outliers(ask: Ask, setting: Setting) -> list[Draft]:
    rest: dict[str, Any] = dict(scope_of(ask))
    if ask.options.get("method") in {"robust", "iqr", "z"}:
        rest["method"] = ask.options["method"]
    if "threshold" in ask.options:
        rest["threshold"] = float(ask.options["threshold"])
    if ask.options.get("std") in {"population", "sample"}:
        rest["deviation"] = ask.options["std"]
    rest |= {"by": ask.dimensions[0]} if ask.dimensions else {}
    rest |= {"show": list(ask.columns[:4])} if ask.columns else {}
    return [
        Draft(
            "outliers",
            {"measure": dumped(m), **rest},
            f"outliers in {m.words}{by_words(ask.dimensions[:1])}{within_words(ask.filters)}",
        )
        for m in measures_of(ask, setting.card, named=not ask.metrics)[:4]
    ]


def _quality(ask: Ask, setting: Setting) -> list[Draft]:
    what = ask.options.get("what", "all")
    columns = list(ask.columns)
    about = f"{'data quality' if what == 'all' else what}{' in ' + ', '.join(columns) if columns else ''}"
    return [Draft("quality_facts", {"columns": columns, "what": what}, about)]


_BUILDERS: dict[str, Callable[[Ask, Setting], list[Draft]]] = {
    "value": _value,
    "extreme": _value,
    "list": _list,
    "trend": _trend,
    "change": _change,
    "compare": _compare,
    "share": _share,
    "relation": _relation,
    "distribution": _distribution,
    "outliers": _outliers,
    "quality": _quality,
    "retention": retention_steps,
    "survival": survival_steps,
    "funnel": funnel_steps,
    "experiment": experiment_steps,
    "forecast": forecast_steps,
    "leads": leads_steps,
}
