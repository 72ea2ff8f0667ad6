"""Clauses that ask for a study of its own kind: retention, a funnel, an experiment, a forecast."""

import re
from collections.abc import Callable, Sequence

from analyst.protocol import Ask
from analyst.questions.parts import dimension_of, dimensions_of, plain_aggregate
from analyst.questions.scene import Scene, Slots
from analyst.questions.study_columns import ahead, arm_column, began, outcome, party, stage_column, stage_columns
from analyst.questions.time_asks import timed_metrics
from analyst.questions.waiting import waiting_columns
from analyst.times.periods import Periods
from datasets.measures import Grain, Metric

_RETENTION = re.compile(
    r"\b(?:retention|retain\w*|cohorts?|(?:come|comes|came|coming) back"
    r"|return(?:s|ed|ing)? (?:customers|users|visitors|members|a (?:week|month) later)"
    r"|(?:repeat|returning) (?:customers|users|buyers|visitors) (?:rate|share))\b",
    re.I,
)
_SURVIVAL = re.compile(
    r"\b(?:survival|surviv\w* (?:curve|analysis|time|function)|kaplan|log-?rank|hazards?|time[- ]to[- ](?:event|churn)"
    r"|how (?:long|soon|quickly)\b.{0,40}\b(?:until|till|before|stay\w*|remain\w*|last\w*|keep\w*|leave\w*|churn\w*"
    r"|cancel\w*|quit\w*)"
    r"|(?:stays?|stayed|remains?|lasts?)\b.{0,20}\b(?:longer|shorter)"
    r"|(?:leave|churn|cancel|quit)\w*\b.{0,20}\b(?:sooner|earlier|faster|quicker)"
    r"|(?:still|not yet) (?:\w+ )?(?:active|open|there|alive|employed|subscribed|customers|with us|closed|resolved)"
    r"\b.{0,30}\b(?:after|within|beyond)"
    r"|(?:active|open|alive|employed|subscribed)\b.{0,20}\bafter (?:\d+|an?|one|two|three|six|twelve)"
    r"|(?:median|typical|average|expected) (?:time (?:to|until)|lifetime|tenure until|survival))\b",
    re.I,
)
"""How long until something happens, where some still wait; of a table without such rows it is a plain duration."""
_SPAN = re.compile(
    r"\b(?:after|within|in|at|beyond) (?:the first )?(?P<n>\d+(?:\.\d+)?|an?|one|two|three|four|five|six|twelve)[- ]"
    r"(?P<u>minute|hour|day|week|month|year)s?\b",
    re.I,
)
_NUMBERS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "twelve": 12}
_MOST_GROUPS = 20
_FUNNEL = re.compile(
    r"\b(?:funnels?|drop[- ]?offs?|conversion (?:rates? )?(?:from|between|through|by (?:step|stage))"
    r"|(?:get|make it|go) (?:all the way )?from \w+ to"
    r"|where (?:do|are) (?:we|most|people|users|customers) (?:los|drop)\w*"
    r"|los[et]\w* (?:along|on) the way)\b",
    re.I,
)
_EXPERIMENT = re.compile(r"\b(?:split tests?|experiments?|control group|treatment group|uplift)\b", re.I)
_WON = re.compile(
    r"\b(?:a/?b[- ]?tests?"
    r"|(?:variants?|variations?|versions?|arms?|treatment|test group|group) (?:\w+ ){0,2}(?:w[io]n\w*|works?|worked"
    r"|beats?|outperform\w*|performs? better|(?:is|was|does|did|do) better|helps?|helped)"
    r"|which (?:variant|variation|version|arm)\b.{0,40}\b(?:better|best|w[io]n\w*))\b",
    re.I,
)
"""The column of the arms may be called by these words, so that they are looked for before names are crossed out."""
_FORECAST = re.compile(
    r"\b(?:forecast\w*|extrapolat\w*|(?:predict|project|expect|estimate)\w*\b.{0,60}\b(?:next|coming|upcoming|future)"
    r"|what (?:will|can we expect)|how (?:much|many)\b.{0,40}\bwill)\b",
    re.I,
)

_LEADS = re.compile(
    r"\b(?:leads?|leading|lags?|lagging|precedes?|anticipates?|follows?|trails?)\b"
    r"|\bhow many (?P<unit>hour|day|week|month|quarter|year)s? (?P<ahead>after|before)\b"
    r"|\b(?P<between>lags?|delays?|lead time|cross-?correlation)\b.{0,20}\bbetween\b",
    re.I,
)
"""Which of two measures comes first. The verb stands between the two; "how many weeks after" and "a delay between" do
not."""


_GRAINS: dict[str, Grain] = {"hour": "hour", "day": "day", "week": "week", "month": "month", "quarter": "quarter",
                             "year": "year"}  # fmt: skip


def study_asks(slots: Slots, scene: Scene, before: Sequence[Ask]) -> list[Ask]:
    """The study that a clause asks for; empty where it asks for none, or the dataset has not the columns for it."""
    for cue, build in _STUDIES:
        if cue.search(slots.wording) or (build is _experiment and _WON.search(slots.text)):
            found = build(slots, scene, before)
            if found is not None:
                return [found]
    return []


def _named(slots: Slots, scene: Scene) -> tuple[str, ...]:
    """Columns that the clause names, in its order."""
    mentions = sorted((m for m in slots.mentions if m.how != "value"), key=lambda m: m.start)
    return tuple(dict.fromkeys(name for m in mentions for name in (dimension_of(m, scene.card), m.column)))


def _retention(slots: Slots, scene: Scene, before: Sequence[Ask]) -> Ask | None:
    """options: start = when somebody began. columns: whose rows they are."""
    card = scene.card
    who = party(card, _named(slots, scene))
    if who is None or card.time_column is None:
        return None
    start = began(card, card.time_column)
    return Ask(kind="retention", columns=(who.name,), options={"start": start.name} if start is not None else {})


def _funnel(slots: Slots, scene: Scene, before: Sequence[Ask]) -> Ask | None:
    """columns: the stages; or with options entity, the one column that holds them."""
    card, named = scene.card, _named(slots, scene)
    stage, who = stage_column(card, named), party(card, named)
    fixed = {c.name for c in (stage, who) if c is not None}
    dims = tuple(d for d in dimensions_of(slots, scene) if d not in fixed and not card.column(d).temporal)[:1]
    if stage is not None and who is not None:
        return Ask(kind="funnel", columns=(stage.name,), dimensions=dims, options={"entity": who.name})
    wide = stage_columns(card, named)
    return Ask(kind="funnel", columns=wide, dimensions=tuple(d for d in dims if d not in wide)) if wide else None


def _experiment(slots: Slots, scene: Scene, before: Sequence[Ask]) -> Ask | None:
    """dimensions: the column of the arms; options unit = what was assigned to them."""
    card, named = scene.card, _named(slots, scene)
    arm = arm_column(card, named)
    if arm is None:
        return None
    metric = _judged_by(slots, scene, arm.name)
    if metric is None:
        return None
    # "Did variant B win?" compares B with the others; it leaves none of them out.
    slots.filters = [f for f in slots.filters if f.column != arm.name]
    who = party(card, named)
    options = {"unit": who.name} if who is not None and who.name not in {arm.name, *metric.measure.columns} else {}
    return Ask(kind="experiment", metrics=(metric,), dimensions=(arm.name,), options=options)


def _judged_by(slots: Slots, scene: Scene, arm: str) -> Metric | None:
    """What is named; else an outcome column; never a count or a total, which grow with the size of an arm."""
    card = scene.card
    named = [m for m in timed_metrics(slots, scene, ()) if arm not in m.measure.columns and m.measure.kind != "rows"]
    asked = bool(slots.measures)
    result = outcome(card, arm)
    if result is not None and not asked:
        return result
    for metric in named:
        return metric.model_copy(update={"aggregate": "mean"}) if metric.additive else metric
    return result


def _forecast(slots: Slots, scene: Scene, before: Sequence[Ask]) -> Ask | None:
    """options: ahead = how many periods. What lies ahead is no window to read."""
    if scene.card.time_column is None:
        return None
    slots.periods = Periods()
    periods, grain = ahead(slots.text)
    metrics = timed_metrics(slots, scene, before)
    return Ask(kind="forecast", metrics=metrics[:1], grain=slots.grain or grain, options={"ahead": str(periods)})


def _survival(slots: Slots, scene: Scene, before: Sequence[Ask]) -> Ask | None:
    """columns: those of the times or of the event. options: start and end, or duration and event; at and unit."""
    card, named = scene.card, _named(slots, scene)
    waits = waiting_columns(card, slots.text, scene.matcher, named)
    if waits is None:
        return None
    slots.periods = slots.periods if slots.periods.window and not _SPAN.search(slots.text) else Periods()
    fixed = set(waits.columns)
    # "Do customers on plan A stay longer than those on plan B?" compares the plans; it leaves none of them out.
    compared = [f for f in slots.filters if f.op == "in" and len(f.values) > 1]
    whole = [f for f in compared if len(f.values) >= card.column(f.column).distinct]
    named_groups = [dimension_of(m, card) for m in (*slots.subjects, *slots.others)]
    dims = [*dimensions_of(slots, scene), *(f.column for f in compared), *named_groups]
    slots.filters = [f for f in slots.filters if f.column not in fixed and f not in whole]
    options = dict(waits.options)
    if span := _SPAN.search(slots.text):
        options |= {"at": str(_NUMBERS.get(span["n"].lower(), span["n"])), "unit": f"{span['u'].lower()}s"}
        slots.filters = [f for f in slots.filters if f.until is None]
    able = [d for d in dims if d not in fixed and card.column(d).role in {"dimension", "boolean"}]
    groups = tuple(dict.fromkeys(d for d in able if 2 <= card.column(d).distinct <= _MOST_GROUPS))
    return Ask(kind="survival", columns=waits.columns, dimensions=groups, options=options)


def _leads(slots: Slots, scene: Scene, before: Sequence[Ask]) -> Ask | None:
    """metrics: the two measures, in the order they are named."""
    named = list({m.key: m for _, m in sorted(slots.measures, key=lambda item: item[0])}.values())
    if scene.card.time_column is None or len(named) != 2 or any(m.kind == "rows" for m in named):
        return None
    said = _LEADS.search(slots.wording)
    if said is None:
        return None
    starts = sorted(at for at, _ in slots.measures)
    before_both = said["ahead"] is not None or said["between"] is not None
    # "Which region leads in price and quantity?" asks who is first, not what comes first.
    if not before_both and not starts[0] < said.start() < starts[-1]:
        return None
    metrics = tuple(Metric(aggregate=plain_aggregate(m, scene.card), measure=m) for m in named)
    return Ask(kind="leads", metrics=metrics, grain=slots.grain or _GRAINS.get((said["unit"] or "").lower()))


_STUDIES: tuple[tuple[re.Pattern[str], Callable[[Slots, Scene, Sequence[Ask]], Ask | None]], ...] = (
    (_FORECAST, _forecast),
    (_FUNNEL, _funnel),
    (_SURVIVAL, _survival),
    (_RETENTION, _retention),
    (_EXPERIMENT, _experiment),
    (_LEADS, _leads),
)
