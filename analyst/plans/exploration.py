"""Open exploration: the steps worth running when a question wants more than one number."""

from collections.abc import Iterator, Sequence
from typing import Any

from analyst.plans.drafts import Draft, dumped, within_words
from analyst.plans.focus import BACKGROUND, Focus
from datasets.measures import YES_OR_NO, Filter, Metric

ROWS = Metric()
_MAX_DIMENSIONS = 8
_MAX_METRICS = 5
_MANY_PER_GROUP = 3.0
"""Holders are counted per group where there are at least this many times more of them than groups."""
_SHARE_LIMIT = 25
_FEW_VALUES = 12
_FEWEST_SCREENED = 3


def explore(focus: Focus) -> list[Draft]:
    """Return exploratory drafts, the most relevant first."""
    drafts = [
        *over_dimensions(focus),
        *over_time(focus),
        *_drills(focus),
        *_seasons(focus),
        *_relations(focus),
        *_holders(focus),
        *_unusual(focus),
        *_texts(focus),
        Draft("overview", {}, "what the dataset holds", 0.12),
    ]
    for segment, weight in focus.segments:
        drafts += within_segment(focus, segment, weight)
    drafts += _between_segments(focus)
    return sorted(drafts, key=lambda d: -d.weight)


def over_dimensions(focus: Focus, filters: Sequence[Filter] = (), *, least: float = 0.0) -> Iterator[Draft]:
    """Shares of the count and comparisons of each metric over the dimensions, each weighing at least `least`."""
    where = within_words(filters)
    fixed = {f.column for f in filters}
    chosen = [pair for pair in focus.dimensions if pair[0] not in fixed][:_MAX_DIMENSIONS]
    for dimension, importance in chosen:
        weight = max(least, importance) * (0.4 if any(focus.alike(dimension, f) for f in fixed) else 1.0)
        rest: dict[str, Any] = {"dimension": dimension, "filters": [dumped(f) for f in filters]}
        if dimension not in focus.booleans:
            about = f"share of rows by {dimension}{where}"
            yield Draft("share", {"metric": {}, **rest}, about, weight * focus.count_weight)
        for metric, relevance in _measured(focus, fixed):
            if dimension in metric.measure.columns or (metric.additive and dimension in focus.booleans):
                continue
            about = f"{metric.words} by {dimension}{where}"
            kind = "share" if metric.additive else "compare"
            yield Draft(kind, {"metric": dumped(metric), **rest}, about, weight * relevance)


def over_time(focus: Focus, filters: Sequence[Filter] = ()) -> Iterator[Draft]:
    """Trends of the count and of the metrics, overall and by the leading dimensions."""
    if focus.time is None:
        return
    where = within_words(filters)
    fixed = {f.column for f in filters}
    urgency = 1.0 if focus.signals.trend else 0.5
    followed = _measured(focus, fixed)
    summed = {m.measure.key for m, _ in followed if m.aggregate == "sum"}
    means = [(m, w * (0.75 if m.aggregate == "mean" and m.measure.key in summed else 1.0)) for m, w in followed]
    metrics = [(ROWS, 0.9 * focus.count_weight), *means]
    leading = [pair for pair in focus.dimensions if pair[0] not in fixed][:3]
    for metric, relevance in metrics[:_MAX_METRICS]:
        params: dict[str, Any] = {
            "metric": dumped(metric),
            "time": focus.time,
            "filters": [dumped(f) for f in filters],
        }
        yield Draft("trend", params, f"trend of {metric.words}{where}", urgency * relevance)
        if metric.measure.kind in YES_OR_NO:
            value = {"metrics": [dumped(metric)], "filters": params["filters"]}
            yield Draft("answer", value, f"{metric.words}{where}", 0.6 * relevance)
        for dimension, weight in leading:
            if dimension not in metric.measure.columns:
                about = f"trend of {metric.words} by {dimension}{where}"
                yield Draft("trend", {**params, "by": dimension}, about, 0.9 * urgency * relevance * weight)


def within_segment(focus: Focus, segment: Filter, weight: float, *, builds_on: str | None = None) -> Iterator[Draft]:
    """The same looks within one segment: over dimensions that the question does not name, too."""
    for draft in (*over_dimensions(focus, (segment,), least=0.5), *over_time(focus, (segment,))):
        if not draft.params.get("by"):
            yield draft.within(weight=0.85 * weight, builds_on=builds_on)
    if focus.signals.text and focus.has_text:
        about = f"frequent words{within_words((segment,))}"
        yield Draft("terms", {"filters": [dumped(segment)]}, about, 0.8 * weight, builds_on=builds_on)


def _between_segments(focus: Focus) -> Iterator[Draft]:
    """How much of one named segment another named one holds."""
    named = [(f, w) for f, w in focus.segments if w >= 0.6]
    for segment, weight in named:
        for other, importance in named:
            if segment.column != other.column and other.op == "eq":
                params = {"dimension": segment.column, "filters": [dumped(other)]}
                about = f"share of rows by {segment.column}{within_words((other,))}"
                yield Draft("share", params, about, 0.85 * weight * importance)


def _measured(focus: Focus, fixed: set[str]) -> list[tuple[Metric, float]]:
    """The heaviest metrics, without indicators on a column that the filters fix."""
    kept = [(m, w) for m, w in focus.metrics if not (m.measure.kind == "indicator" and set(m.measure.columns) & fixed)]
    return kept[:_MAX_METRICS]


def _drills(focus: Focus) -> Iterator[Draft]:
    """Find the leading segment of a dimension and look within it; and which pairs of dimensions go together."""
    looks = [(ROWS, focus.count_weight), *((m, w) for m, w in focus.metrics[:3] if not m.additive)]
    for dimension, weight in focus.dimensions[:3]:
        if weight <= BACKGROUND:
            continue
        over = [name for name, _ in focus.dimensions if name != dimension and not focus.alike(name, dimension)]
        for metric, relevance in looks:
            if dimension in metric.measure.columns or (metric.additive and dimension in focus.booleans):
                continue
            # How many rows say yes is told once as a share, not of each group and month.
            silent = focus.booleans if metric.additive else frozenset()
            inner = [n for n in over if n not in metric.measure.columns and n not in silent][:_MAX_DIMENSIONS]
            params: dict[str, Any] = {"metric": dumped(metric), "dimension": dimension, "over": inner}
            params["text"] = focus.signals.text and focus.has_text
            about = f"what is behind the {dimension} with the highest {metric.words}"
            yield Draft("drill", params, about, 0.85 * weight * relevance)
        for other in over[:3]:
            if max(focus.size(dimension), focus.size(other)) > _FEW_VALUES:
                continue
            about = f"which {other} each {dimension} is rich in"
            params = {"dimension": dimension, "within": other}
            yield Draft("share", params, about, 0.6 * weight * focus.count_weight)


def _seasons(focus: Focus) -> Iterator[Draft]:
    """Parts of the year or week, where the question speaks of them; the days of the week where it asks everything."""
    asked = focus.signals.season
    parts = asked or (("weekday",) if focus.wide and focus.weekdays else ())
    if focus.time is None:
        return
    for metric, weight in [(ROWS, focus.count_weight), *((m, w) for m, w in focus.metrics[:2] if not m.additive)]:
        for part in parts:
            about = f"{metric.words} by {part} of {focus.time}"
            params = {"metric": dumped(metric), "dimension": focus.time, "datepart": part}
            yield Draft("compare", params, about, (0.95 if asked else 0.6) * weight)


def _relations(focus: Focus) -> Iterator[Draft]:
    urgency = 1.0 if focus.signals.relation else 0.6
    measures = {
        m.measure.key: (m.measure, w)
        for m, w in focus.metrics
        if m.aggregate == "mean" and m.measure.kind in {"column", "duration", "sum_of", "ratio_of"}
    }
    listed = list(measures.values())[:_MAX_METRICS]
    plain = [m for m, _ in measures.values() if m.kind == "column"]
    screened = focus.wide and len(plain) >= _FEWEST_SCREENED
    if screened:
        yield Draft("relation", {"screen": True}, "which numeric columns are related to each other", 0.8)
    for i, (x, first) in enumerate(listed):
        for y, second in listed[i + 1 :]:
            if screened and x.kind == y.kind == "column":
                continue
            about = f"relation between {x.words} and {y.words}"
            params: dict[str, Any] = {"x": dumped(x), "y": dumped(y)}
            weight = urgency * (min(first, second) if focus.wide else first * second)
            yield Draft("relation", params, about, weight)
            for dimension, importance in focus.dimensions[:2]:
                by = f"{about} within {dimension}"
                yield Draft("relation", {**params, "within": dimension}, by, 0.8 * weight * max(0.5, importance))


def _holders(focus: Focus) -> Iterator[Draft]:
    """How the rows spread over managers, owners or users: how many each group has, and how much each of them holds."""
    urgency = 1.0 if focus.signals.load else 0.5
    for holder, weight in focus.holders[:2]:
        spread = {"kind": "column", "columns": [holder]}
        top = {"metrics": [{}], "by": [holder], "order": "desc", "top": 5}
        if focus.size(holder) > _SHARE_LIMIT:
            yield Draft("answer", top, f"rows by {holder}", 0.7 * urgency * weight)
        for dimension, importance in focus.dimensions[:3]:
            if focus.size(holder) < _MANY_PER_GROUP * focus.size(dimension):
                continue
            for aggregate, order, words in (
                ("distinct", "asc", f"number of distinct {holder} by {dimension}"),
                ("rows_per_distinct", "desc", f"rows per {holder} by {dimension}"),
            ):
                metric = {"aggregate": aggregate, "measure": spread}
                params = {"metrics": [metric], "by": [dimension], "order": order}
                yield Draft("answer", params, words, 0.95 * urgency * weight * importance)
            for segment, relevance in focus.segments[:3]:
                if segment.column not in {holder, dimension}:
                    narrowed = {**top, "by": [dimension, holder], "filters": [dumped(segment)]}
                    about = f"rows by {dimension} and {holder}{within_words((segment,))}"
                    yield Draft("answer", narrowed, about, 0.8 * weight * importance * relevance)
        for segment, relevance in focus.segments[:3]:
            if segment.column != holder and focus.size(holder) > _SHARE_LIMIT:
                narrowed = {**top, "filters": [dumped(segment)]}
                about = f"rows by {holder}{within_words((segment,))}"
                yield Draft("answer", narrowed, about, 0.9 * urgency * weight * relevance)


def _unusual(focus: Focus) -> Iterator[Draft]:
    if focus.signals.repeated:
        yield Draft("quality_facts", {"what": "duplicates"}, "repeated rows", 0.95)
    if focus.signals.quality:
        yield Draft("quality_facts", {"what": "missing"}, "missing values", 0.8)
    urgency = 0.8 if focus.signals.outliers else 0.45
    for metric, weight in focus.metrics[:3]:
        if metric.aggregate == "mean":
            about = f"outliers in {metric.measure.words}"
            yield Draft("outliers", {"measure": dumped(metric.measure)}, about, urgency * weight)


def _texts(focus: Focus) -> Iterator[Draft]:
    """Words of free text: the frequent ones, and those that go with a metric."""
    if focus.signals.text and focus.has_text:
        yield Draft("terms", {}, "frequent words in free text", 0.7)
        for metric, weight in focus.metrics[:2]:
            if not metric.additive:
                about = f"words that go with a higher or lower {metric.words}"
                yield Draft("terms", {"metric": dumped(metric)}, about, 0.7 * weight)
