"""What drove a change: of all dimensions, the one whose segments moved unlike the whole, and its few segments.

Adtributor (Bhagwan and others, 2014): a segment explains a share of the change, and surprises by how far its share of
the total moved (Jensen-Shannon divergence). For averages the change is split into mix and rate (Kitagawa, 1955).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import Field

from datasets.battery._changes.contributions import Part, additive_parts, mix_and_rate, segments_of_all
from datasets.battery._changes.measure import Change, measure_change
from datasets.battery._changes.windows import Pair, change_calendar, pairs_of
from datasets.battery._kind import StepKind, StepParams, measured
from datasets.battery._wording.phrases import p_text, percent_text
from datasets.battery._wording.scope import Scope
from datasets.battery._wording.words import listed_and
from datasets.charts import Bar, bar_chart
from datasets.errors import DatasetError
from datasets.evidence import Candidate, Claim, ClaimValue, StepResult
from datasets.measures import Filter, Grain, Metric, Window

if TYPE_CHECKING:
    from datasets.view import AnalysisView

_MOST_DIMENSIONS, _MOST_SEGMENTS = 12, 200
_ENOUGH, _TELLING, _MOST_NAMED = 0.67, 0.1, 3
_ALPHA = 0.05
_EVEN = 1e-4


class DriversParams(StepParams):
    """Parameters of a search for what drove a change; windows as in a change step."""

    metric: Metric = Field(default_factory=Metric)
    dimensions: tuple[str, ...] = Field(min_length=1, max_length=_MOST_DIMENSIONS)
    time: str | None = None
    window: Window | None = None
    versus: Window | None = None
    grain: Grain | None = None
    filters: tuple[Filter, ...] = ()


@dataclass(frozen=True)
class _Driver:
    """A dimension: the few segments that explain the change, the share of it that they carry, and their surprise."""

    dimension: str
    parts: tuple[Part, ...]
    carried: float
    surprise: float


def run(params: DriversParams, view: AnalysisView) -> StepResult:
    """Measure the change, rank the dimensions by surprise, and name the groups that carry it.

    :raises DatasetError: where nothing changed, or the metric cannot be split.
    """
    time = params.time or (params.window.column if params.window else view.card.time_column)
    if time is None:
        raise DatasetError("the dataset has no time column, so no change can be explained")
    metric = params.metric
    if not (metric.additive or metric.aggregate in {"mean", "share", "missing_share"}):
        raise DatasetError(f"a change of the {metric.words} cannot be split over segments")
    held = change_calendar(view, time, params.grain, metric)
    pair = pairs_of(held, params.window, params.versus)[0]
    scope = Scope.of(view, metric, held, params.filters, None)
    change, sql = measure_change(view, held, metric, params.filters, pair)
    if change.before.number is None or change.after.number is None:
        raise DatasetError(f"the {scope.words} has no value in {pair.before.words} or {pair.after.words}")
    drivers = []
    able = [d for d in params.dimensions if 2 <= view.card.column(d).distinct <= _MOST_SEGMENTS]
    if not able:
        raise DatasetError("no dimension has the 2 to 200 values that a change can be split over")
    segments, split_sql = segments_of_all(view, held, metric, params.filters, pair, able)
    for dimension, rows in segments.items():
        drivers += _driver(view, scope, pair, change, dimension, rows)
    if not drivers:
        raise DatasetError(f"the {scope.words} did not change between {pair.before.words} and {pair.after.words}")
    drivers.sort(key=lambda d: (-d.surprise, d.dimension))
    candidate = _candidate(scope, pair, change, drivers, [*sql, split_sql])
    return measured([candidate], p_values=[] if change.p is None else [change.p])


def _driver(
    view: AnalysisView, scope: Scope, pair: Pair, change: Change, dimension: str, rows: Sequence[tuple[Any, ...]]
) -> list[_Driver]:
    if scope.metric.additive:
        parts = additive_parts(view, rows, change, dimension, per_day=not pair.same_length)
        surprises = {p.segment: _surprise(p, parts) for p in parts}
    else:
        split = mix_and_rate(view, rows, dimension)
        parts = list(split.parts) if split else []
        size = sum(abs(p.delta) for p in parts)
        weights = {
            p.segment: (p.n_before + p.n_after) / max(1, sum(q.n_before + q.n_after for q in parts)) for p in parts
        }
        # A segment surprises by as much as its part of the change exceeds its part of the rows.
        surprises = {
            p.segment: max(0.0, abs(p.delta) / size - weights[p.segment]) * size if size else 0.0 for p in parts
        }
        scale = abs(change.before.number or 0.0) + abs(change.after.number or 0.0)
        surprises = {k: v / scale if scale else 0.0 for k, v in surprises.items()}
    total = sum(p.delta for p in parts)
    if len(parts) < 2 or total == 0:
        return []
    telling = [p for p in parts if p.delta / total >= _TELLING]
    telling.sort(key=lambda p: (-surprises[p.segment], -abs(p.delta), p.segment))
    chosen: list[Part] = []
    for part in telling[:_MOST_NAMED]:
        chosen.append(part)
        if sum(p.delta for p in chosen) / total >= _ENOUGH:
            break
    if not chosen:
        return []
    carried = sum(p.delta for p in chosen) / total
    return [_Driver(dimension, tuple(chosen), carried, sum(surprises[p.segment] for p in chosen))]


def _surprise(part: Part, parts: list[Part]) -> float:
    """The part's term of the Jensen-Shannon divergence between the shares before and after."""
    before, after = (
        sum(abs(v or 0.0) for v in values) for values in zip(*((p.before, p.after) for p in parts), strict=True)
    )
    p = abs(part.before or 0.0) / before if before else 0.0
    q = abs(part.after or 0.0) / after if after else 0.0
    middle = (p + q) / 2
    return sum(0.5 * v * math.log2(v / middle) for v in (p, q) if v > 0)


def _candidate(scope: Scope, pair: Pair, change: Change, drivers: list[_Driver], sql: list[str]) -> Candidate:
    best = drivers[0]
    per_day = scope.metric.additive and not pair.same_length
    first, last = ((level.number or 0.0) / (level.days if per_day else 1.0) for level in (change.before, change.after))
    by_chance = change.p is not None and change.p > _ALPHA
    even = best.surprise < _EVEN
    moved = "rise" if last > first else "fall"
    ends = f"from {_text(scope, first)} in {pair.before.words} to {_text(scope, last)} in {pair.after.words}"
    lead = f"The {moved} of the {scope.worded(per_day=per_day)} {ends}"
    days = (change.before.days, change.after.days) if per_day else (1.0, 1.0)
    named = listed_and([f"{p.name} ({_ends(scope, p, days)})" for p in best.parts])
    if even:
        said = f"{lead} is spread over all groups in proportion; no dimension of {len(drivers)} stands out."
    else:
        said = f"{lead} comes to {percent_text(best.carried)} from {best.dimension} {named}."
    others = [d.dimension for d in drivers[1:] if d.surprise >= _EVEN]
    same = [d.dimension for d in drivers[1:] if d.surprise < _EVEN]
    if not even and others:
        said += f" No other dimension moved so unlike the whole; next come {listed_and(others[:4])}."
    elif not even and same:
        said += f" The groups of {listed_and(same[:4])} moved with the whole."
    caveats = ["where a change comes from is not why it came"]
    if by_chance and change.p is not None:
        said += f" But chance alone can explain a change of this size ({p_text(change.p)})."
    if per_day:
        caveats.append("contributions are per day, because the spans differ in length")
    return Candidate(
        claim=Claim(
            subject=scope.subject(relation="drivers", period=pair.after.key, against=pair.before.key),
            value=ClaimValue(
                number=best.carried, unit="share of the change", direction="none" if even or by_chance else None,
                text=None if even or by_chance else f"{best.dimension}: {', '.join(p.name for p in best.parts)}",
            ),
        ),
        statement=said,
        n=change.before.n + change.after.n,
        test=change.test,
        p_value=change.p,
        null=even or by_chance,
        interest_0_1=0.4 if even or by_chance else 0.8,
        chart=bar_chart(
            [Bar(d.dimension, d.surprise) for d in drivers], title="How unlike the whole the groups moved",
            value_title="surprise (bits)", name_title="dimension", highlight=[] if even else [best.dimension],
        ),
        table=[
            {"dimension": d.dimension, "segments": ", ".join(p.name for p in d.parts), "share of change": d.carried,
             "surprise": d.surprise}
            for d in drivers
        ],
        sql=sql,
        caveats=caveats,
    )  # fmt: skip


def _ends(scope: Scope, part: Part, days: tuple[float, float]) -> str:
    return f"{_text(scope, (part.before or 0.0) / days[0])} to {_text(scope, (part.after or 0.0) / days[1])}"


def _text(scope: Scope, value: float) -> str:
    return scope.text(round(value, 2) if abs(value) >= 1 else value)


KIND = StepKind("drivers", DriversParams, run, "of all dimensions, the one whose groups a change comes from")
