"""From what the question asks to the steps that answer it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from analyst.drafts import Draft, dumped, within_words
from analyst.protocol import Ask
from datasets.measures import Grain, Measure, Metric
from datasets.schema import SchemaCard

ROWS = Metric()


def drafts_for(
    ask: Ask, card: SchemaCard, *, grain: Grain | None = None, repeated: Mapping[str, str] | None = None
) -> list[Draft]:
    """Return the stated steps of one ask, most direct first; empty for an open ask or when nothing fits it.

    `repeated`: column → key within which its value is repeated; such a column is counted once per key.
    """
    build = _BUILDERS.get(ask.kind)
    if build is None:
        return []
    drafts = build(ask, card, grain or None, repeated or {})
    return [Draft(d.kind, d.params, d.about, 1.0, stated=True) for d in drafts]


def _value(ask: Ask, card: SchemaCard, grain: Grain | None, repeated: Mapping[str, str]) -> list[Draft]:
    metrics = ask.metrics or (ROWS,)
    params: dict[str, Any] = {
        "metrics": [dumped(m) for m in metrics],
        "by": list(ask.dimensions[:2]),
        **_scope(ask),
    }
    if ask.order is not None:
        params["order"] = ask.order
    if ask.top is not None:
        params["top"] = ask.top
    if ask.grain is not None or ask.options.get("over_time"):
        params["grain"] = ask.grain or grain
    if ask.kind == "extreme":
        params["order"] = ask.order or "desc"
        if not ask.dimensions and ask.columns:
            params |= {"show": list(ask.columns), "top": ask.top or 1}
    keys = {repeated[c] for m in metrics for c in m.measure.columns if c in repeated}
    if len(keys) == 1:
        params["once_per"] = keys.pop()
    return [Draft("answer", params, f"{_words(metrics)}{_by(ask.dimensions)}{within_words(ask.filters)}")]


def _trend(ask: Ask, card: SchemaCard, grain: Grain | None, repeated: Mapping[str, str]) -> list[Draft]:
    time = _time(ask, card)
    return [
        Draft(
            "trend",
            {
                "metric": dumped(metric),
                "time": time,
                "grain": ask.grain or grain,
                "by": ask.dimensions[0] if ask.dimensions else None,
                "filters": [dumped(f) for f in ask.filters],
            },
            f"trend of {metric.words}{_by(ask.dimensions[:1])}{within_words(ask.filters)}",
        )
        for metric in (ask.metrics or (ROWS,))[:3]
    ]


def _change(ask: Ask, card: SchemaCard, grain: Grain | None, repeated: Mapping[str, str]) -> list[Draft]:
    dims = list(ask.dimensions[:3])
    return [
        Draft(
            "change",
            {
                "metric": dumped(metric),
                "time": _time(ask, card),
                "window": _window(ask.window),
                "versus": _window(ask.versus),
                "grain": ask.grain or grain,
                "contributions": dims,
                "filters": [dumped(f) for f in ask.filters],
            },
            f"change of {metric.words} between periods{within_words(ask.filters)}",
        )
        for metric in (ask.metrics or (ROWS,))[:3]
    ]


def _compare(ask: Ask, card: SchemaCard, grain: Grain | None, repeated: Mapping[str, str]) -> list[Draft]:
    segments = ask.options.get("segments")
    return [
        Draft(
            "compare",
            {
                "metric": dumped(metric),
                "dimension": dimension,
                **_scope(ask),
                **({"segments": segments.split("|")} if segments else {}),
            },
            f"{metric.words} compared by {dimension}{within_words(ask.filters)}",
        )
        for metric in (ask.metrics or (ROWS,))[:3]
        for dimension in ask.dimensions[:3]
    ]


def _share(ask: Ask, card: SchemaCard, grain: Grain | None, repeated: Mapping[str, str]) -> list[Draft]:
    metric = next((m for m in ask.metrics if m.additive), ROWS)
    return [
        Draft(
            "share",
            {"metric": dumped(metric), "dimension": dimension, "filters": [dumped(f) for f in ask.filters]},
            f"share of {metric.words} by {dimension}{within_words(ask.filters)}",
        )
        for dimension in ask.dimensions[:3]
    ]


def _relation(ask: Ask, card: SchemaCard, grain: Grain | None, repeated: Mapping[str, str]) -> list[Draft]:
    measures = _measures(ask, card)
    rest: dict[str, Any] = {"filters": [dumped(f) for f in ask.filters]}
    if "method" in ask.options:
        rest["method"] = ask.options["method"]
    if len(measures) == 1:
        target = measures[0]
        return [Draft("relation", {"x": dumped(target), "screen": True, **rest}, f"what is related to {target.words}")]
    pairs = [(x, y) for i, x in enumerate(measures) for y in measures[i + 1 :]][:6]
    return [
        Draft(
            "relation",
            {"x": dumped(x), "y": dumped(y), **rest},
            f"relation between {x.words} and {y.words}{within_words(ask.filters)}",
        )
        for x, y in pairs
    ]


def _distribution(ask: Ask, card: SchemaCard, grain: Grain | None, repeated: Mapping[str, str]) -> list[Draft]:
    options = {"test": ask.options["test"]} if "test" in ask.options else {}
    drafts = [
        Draft(
            "distribution",
            {"measure": dumped(m), "filters": [dumped(f) for f in ask.filters], **options},
            f"distribution of {m.words}{within_words(ask.filters)}",
        )
        for m in _measures(ask, card)[:4]
    ]
    return drafts or _share(ask, card, grain, repeated)


def _outliers(ask: Ask, card: SchemaCard, grain: Grain | None, repeated: Mapping[str, str]) -> list[Draft]:
    options = {"method": ask.options["method"]} if "method" in ask.options else {}
    by = {"by": ask.dimensions[0]} if ask.dimensions else {}
    return [
        Draft(
            "outliers",
            {"measure": dumped(m), "filters": [dumped(f) for f in ask.filters], **by, **options},
            f"outliers in {m.words}{_by(ask.dimensions[:1])}{within_words(ask.filters)}",
        )
        for m in _measures(ask, card)[:4]
    ]


def _quality(ask: Ask, card: SchemaCard, grain: Grain | None, repeated: Mapping[str, str]) -> list[Draft]:
    what = ask.options.get("what", "all")
    columns = list(ask.columns)
    about = f"{'data quality' if what == 'all' else what}{' in ' + ', '.join(columns) if columns else ''}"
    return [Draft("quality_facts", {"columns": columns, "what": what}, about)]


_BUILDERS: dict[str, Callable[[Ask, SchemaCard, Grain | None, Mapping[str, str]], list[Draft]]] = {
    "value": _value,
    "extreme": _value,
    "list": _value,
    "trend": _trend,
    "change": _change,
    "compare": _compare,
    "share": _share,
    "relation": _relation,
    "distribution": _distribution,
    "outliers": _outliers,
    "quality": _quality,
}


def _scope(ask: Ask) -> dict[str, Any]:
    return {"filters": [dumped(f) for f in ask.filters], "window": _window(ask.window)}


def _window(window: Any) -> dict[str, Any] | None:
    return None if window is None else dict(window.model_dump(mode="json", exclude_defaults=True))


def _time(ask: Ask, card: SchemaCard) -> str | None:
    return ask.window.column if ask.window else card.time_column


def _measures(ask: Ask, card: SchemaCard) -> list[Measure]:
    """The measures an ask names: those of its metrics, then the numeric columns it names; each once."""
    found = [m.measure for m in ask.metrics if m.measure.kind != "rows"]
    found += [
        Measure(kind="column", columns=(name,))
        for name in (*ask.columns, *ask.dimensions)
        if card.has(name) and card.column(name).numeric
    ]
    return list({m.key: m for m in found}.values())


def _words(metrics: Sequence[Metric]) -> str:
    return ", ".join(m.words for m in metrics)


def _by(dimensions: Sequence[str]) -> str:
    return f" by {' and '.join(dimensions[:2])}" if dimensions else ""
