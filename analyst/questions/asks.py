"""One clause of a question → the asks it makes.

What `Ask` holds for each kind, beside filters, window and grain:
value: metrics, by dimensions (at most 2); top and order for "top N"; options averaged = yes (over periods), once_per
  (a key within which the measure is repeated), per (the key whose distinct number divides the sum), group (the name of
  a made-up range).
extreme: metrics[0] by dimensions (options place = n for the nth), or, without dimensions and grain, the extreme row
  that `columns` are shown of.
trend, change: metrics, dimensions; options why = yes, moved = down | up | most (which segment did so most), along = a
  column of years that stands for time, before and after = two of them that are compared.
compare: metrics by dimensions[0]; options segments = "a|b", test, alpha, relation or why = yes, part = weekday |
  weekend | hour | month where dimensions is a time column.
share: metrics[0] (additive) split over dimensions[0]; options segment = "a|b" for the one asked about.
relation: two or more metrics (their measures count) or, for names, columns with method = association; options method,
  screen = target (metrics[0] against all) | pairs, depends = yes (on all columns, each with the others held equal),
  report = r_squared; dimensions: separately within each.
distribution: metrics (their measures); options what = normality | shape, test, threshold, alpha, say_yes, say_no.
outliers: metrics (their measures), by dimensions; options method, threshold, std = population, also = without.
quality: columns (none: all); options what = missing | duplicates | keys | types | all, as = share, rank = desc.
list: columns; options what = values | terms | rows.
retention, survival, funnel, experiment, forecast, leads: see `analyst.questions.study_asks`.
All: options decimals; relation, distribution and compare: rules (see `analyst.questions.conclusions`).
"""

import re
from collections.abc import Callable, Sequence

from analyst.protocol import Ask, AskKind
from analyst.questions.calendar_asks import calendar_part
from analyst.questions.conclusions import rules_in
from analyst.questions.contrasts import contrast
from analyst.questions.extreme_asks import extreme, first_place
from analyst.questions.group_asks import compare
from analyst.questions.implied import additive
from analyst.questions.influences import influence
from analyst.questions.kinds import extreme_order, has, kind_of, unusual_periods
from analyst.questions.method_options import options_for, population
from analyst.questions.quality_asks import quality
from analyst.questions.relation_asks import distribution, outliers, relation
from analyst.questions.scene import Scene, Slots
from analyst.questions.shares import share
from analyst.questions.slots import read_slots
from analyst.questions.study_asks import study_asks
from analyst.questions.time_asks import change, listing, trend
from analyst.questions.value_asks import value
from analyst.times.year_columns import year_column
from datasets.measures import Metric

_WEEKEND = re.compile(r"\bweekends?\b", re.I)
_Build = Callable[[Slots, Scene, Sequence[Ask]], list[Ask]]
_BUILDERS: dict[AskKind, _Build] = {
    "value": value,
    "extreme": extreme,
    "trend": trend,
    "change": change,
    "compare": compare,
    "share": share,
    "relation": relation,
    "distribution": distribution,
    "outliers": outliers,
    "quality": quality,
    "list": listing,
}


def asks_in(clause: str, scene: Scene, whole: str, before: Sequence[Ask] = ()) -> list[Ask]:
    """Read one clause. `whole`: the question with its instructions, for options; `before`: asks read so far.

    Empty when the clause names nothing of the dataset and nothing can be taken over from the asks before it.
    """
    slots = read_slots(clause, scene)
    if study := study_asks(slots, scene, before):
        return [_finished(ask, slots, whole, scene) for ask in study]
    if meant := influence(slots, scene) or contrast(slots, scene):
        return [_finished(meant, slots, whole, scene)]
    limited = slots.ranges or any(f.op == "weekday" for f in slots.filters)
    weekend = calendar_part(slots, scene) if _WEEKEND.search(slots.text) and not limited else None
    if weekend:
        return [_finished(weekend, slots, whole, scene)]
    unusual: AskKind | None = "outliers" if unusual_periods(slots.text) else None
    kind: AskKind = unusual or kind_of(slots.wording) or ("list" if has("list", clause) else "value")
    timeless = scene.card.time_column is None and year_column(scene.card) is None
    if kind == "change" and timeless and extreme_order(slots.wording):
        kind = "extreme"
    if kind in {"value", "extreme"} and (claimed := first_place(slots, scene, before)):
        return [_finished(claimed, slots, whole, scene)]
    # Ranges that are compared, such as weekends and weekdays, are a value each.
    build = _BUILDERS["value" if kind == "compare" and slots.ranges else kind]
    return [_finished(ask, slots, whole, scene) for ask in build(slots, scene, before)]


def _finished(ask: Ask, slots: Slots, whole: str, scene: Scene) -> Ask:
    metrics = ask.metrics
    if population(whole):
        metrics = tuple(m.model_copy(update={"aggregate": "pstd"}) if m.aggregate == "std" else m for m in metrics)
    if ask.kind in {"value", "extreme"}:
        metrics = tuple(_pooled(m, scene) for m in metrics)
    rules = rules_in(whole.splitlines()) if ask.kind in {"relation", "distribution", "compare"} else ""
    options = {**options_for(ask.kind, f"{slots.text}\n{whole}"), **ask.options, **({"rules": rules} if rules else {})}
    return ask.model_copy(
        update={
            "metrics": metrics,
            "filters": ask.filters or tuple(slots.filters),
            "window": ask.window or slots.periods.window,
            "versus": ask.versus or slots.periods.versus,
            "grain": ask.grain or slots.grain,
            "options": options,
            "text": slots.text,
        }
    )


def _pooled(metric: Metric, scene: Scene) -> Metric:
    """Revenue per session is all revenue by all sessions, unless the question makes a column of the ratios itself."""
    of = metric.measure
    if of.kind != "ratio_of" or metric.aggregate != "mean" or of.values or any(f.measure == of for f in scene.features):
        return metric
    adds_up = all(additive(scene.card.column(name)) for name in of.columns)
    return metric.model_copy(update={"aggregate": "pooled"}) if adds_up else metric
