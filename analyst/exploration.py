"""Open exploration: the steps worth running when a question wants more than one number."""

from collections.abc import Iterator, Sequence
from typing import Any

from analyst.drafts import Draft, dumped, within_words
from analyst.focus import Focus
from datasets.measures import Filter, Metric

ROWS = Metric()
_MAX_DIMENSIONS = 8
_MAX_METRICS = 5


def explore(focus: Focus) -> list[Draft]:
    """Return exploratory drafts, the most relevant first."""
    drafts = [
        *over_dimensions(focus),
        *over_time(focus),
        *_relations(focus),
        *_holders(focus),
        *_unusual(focus),
        Draft("overview", {}, "what the dataset holds", 0.12),
    ]
    for segment, weight in focus.segments:
        drafts += within_segment(focus, segment, weight)
    return sorted(drafts, key=lambda d: -d.weight)


def over_dimensions(focus: Focus, filters: Sequence[Filter] = ()) -> Iterator[Draft]:
    """Shares of the count and comparisons of each metric over the dimensions."""
    where = within_words(filters)
    fixed = {f.column for f in filters}
    chosen = [pair for pair in focus.dimensions if pair[0] not in fixed][:_MAX_DIMENSIONS]
    for dimension, weight in chosen:
        rest: dict[str, Any] = {"dimension": dimension, "filters": [dumped(f) for f in filters]}
        yield Draft(
            "share", {"metric": {}, **rest}, f"share of rows by {dimension}{where}", 0.95 * weight * focus.count_weight
        )
        for metric, importance in focus.metrics[:_MAX_METRICS]:
            if dimension in metric.measure.columns:
                continue
            about = f"{metric.words} by {dimension}{where}"
            kind = "share" if metric.additive else "compare"
            yield Draft(kind, {"metric": dumped(metric), **rest}, about, weight * importance)


def over_time(focus: Focus, filters: Sequence[Filter] = ()) -> Iterator[Draft]:
    """Trends of the count and of the metrics, overall and by the leading dimensions."""
    if focus.time is None:
        return
    where = within_words(filters)
    fixed = {f.column for f in filters}
    urgency = 1.0 if focus.signals.trend else 0.75
    metrics = [(ROWS, focus.count_weight), *((m, w) for m, w in focus.metrics if m.aggregate != "sum")]
    leading = [pair for pair in focus.dimensions if pair[0] not in fixed][:3]
    for metric, importance in metrics[:_MAX_METRICS]:
        params: dict[str, Any] = {
            "metric": dumped(metric),
            "time": focus.time,
            "filters": [dumped(f) for f in filters],
        }
        yield Draft("trend", params, f"trend of {metric.words}{where}", urgency * importance)
        for dimension, weight in leading:
            if dimension not in metric.measure.columns:
                about = f"trend of {metric.words} by {dimension}{where}"
                yield Draft("trend", {**params, "by": dimension}, about, 0.9 * urgency * importance * weight)


def within_segment(focus: Focus, segment: Filter, weight: float, *, builds_on: str | None = None) -> Iterator[Draft]:
    """The same looks within one segment."""
    for draft in (*over_dimensions(focus, (segment,)), *over_time(focus, (segment,))):
        if draft.kind == "trend" and draft.params.get("by"):
            continue
        yield draft.within(weight=0.8 * weight, builds_on=builds_on)
    if focus.signals.text:
        yield Draft(
            "terms",
            {"filters": [dumped(segment)]},
            f"frequent terms{within_words((segment,))}",
            0.8 * weight,
            builds_on=builds_on,
        )


def _relations(focus: Focus) -> Iterator[Draft]:
    urgency = 1.0 if focus.signals.relation else 0.6
    measures = {
        m.measure.key: (m.measure, w)
        for m, w in focus.metrics
        if m.aggregate == "mean" and m.measure.kind in {"column", "duration", "sum_of", "ratio_of"}
    }
    listed = list(measures.values())[:_MAX_METRICS]
    for i, (x, first) in enumerate(listed):
        for y, second in listed[i + 1 :]:
            about = f"relation between {x.words} and {y.words}"
            params: dict[str, Any] = {"x": dumped(x), "y": dumped(y)}
            weight = urgency * first * second
            yield Draft("relation", params, about, weight)
            for segment, importance in focus.segments[:4]:
                narrowed = {**params, "filters": [dumped(segment)]}
                yield Draft("relation", narrowed, about + within_words((segment,)), 0.7 * weight * importance)


def _holders(focus: Focus) -> Iterator[Draft]:
    """How the rows spread over managers, owners or users: how many each group has, and how much each of them holds."""
    urgency = 1.0 if focus.signals.load else 0.5
    for holder, weight in focus.holders[:2]:
        spread = {"kind": "column", "columns": [holder]}
        top = {"metrics": [{}], "by": [holder], "order": "desc", "top": 5}
        yield Draft("answer", top, f"rows by {holder}", 0.7 * urgency * weight)
        for dimension, importance in focus.dimensions[:3]:
            if dimension == holder:
                continue
            for aggregate, order, words in (
                ("distinct", "asc", f"number of distinct {holder} by {dimension}"),
                ("rows_per_distinct", "desc", f"rows per {holder} by {dimension}"),
            ):
                metric = {"aggregate": aggregate, "measure": spread}
                params = {"metrics": [metric], "by": [dimension], "order": order}
                yield Draft("answer", params, words, 0.95 * urgency * weight * importance)
        for segment, importance in focus.segments[:3]:
            if segment.column != holder:
                narrowed = {**top, "filters": [dumped(segment)]}
                about = f"rows by {holder}{within_words((segment,))}"
                yield Draft("answer", narrowed, about, 0.9 * urgency * weight * importance)


def _unusual(focus: Focus) -> Iterator[Draft]:
    repeated = 1.0 if focus.signals.repeated else 0.0
    if repeated or focus.signals.quality:
        yield Draft("quality_facts", {"what": "duplicates"}, "repeated rows", 0.95)
    if focus.signals.quality:
        yield Draft("quality_facts", {"what": "missing"}, "missing values", 0.8)
    urgency = 0.8 if focus.signals.outliers else 0.45
    for metric, weight in focus.metrics[:3]:
        if metric.aggregate == "mean":
            about = f"outliers in {metric.measure.words}"
            yield Draft("outliers", {"measure": dumped(metric.measure)}, about, urgency * weight)
    if focus.signals.text:
        yield Draft("terms", {}, "frequent terms in free text", 0.8)
