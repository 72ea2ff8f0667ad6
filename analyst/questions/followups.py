"""A follow-up takes over from the question before it what it leaves out: "And by region?"."""

import re
from collections.abc import Callable, Sequence
from typing import Any

from analyst.protocol import Ask, Intent, Turn
from analyst.questions.kinds import place_number
from analyst.questions.parts import dimensions_of
from analyst.questions.scene import Scene, Slots
from analyst.questions.sentences import Message
from analyst.questions.slots import read_slots
from analyst.reading.matching import Matcher
from datasets.measures import Filter, Metric

_CUE = re.compile(
    r"^(?:and|now|then|also|ok(?:ay)?|so|but|what about|how about"
    r"|same|only|just|instead|per|by|for|in|without|excluding|except"
    r"|split|break|group)\b|\b(?:instead|as well|too|that|those|it|the same|them)\b",
    re.I,
)
_EXPLETIVE = re.compile(r"\b(?:is|was) it (?:(?:still|really|also) )*(?:true|correct|right|so|the case) that\b", re.I)
"""Words that point at nothing, though they look it."""
_SHORT_WORDS = 6
_LONG_WORDS = 14
_ASKS_ANEW = frozenset({"trend", "change", "outliers", "distribution", "share", "compare", "relation"})
_WHY = re.compile(
    r"^(?:(?:and|but|so|then|ok(?:ay)?|hm+)[\s,]+)*(?:why|how come|(?:what(?:'s| is| lies)|what could be) behind|"
    r"what (?:explains|causes|caused)|what(?:'s| is) the (?:reason|cause)(?: (?:for|of))?)"
    r"(?: (?:is|was) (?:that|it|this)(?: so)?| so| that| it| this)?[\s?!.]*$",
    re.I,
)
_SIGNIFICANT = re.compile(
    r"^(?:(?:and|but|so|ok(?:ay)?)[\s,]+)*(?:is|are|was|were) (?:that|this|the|these|those|it|they)"
    r"(?: (?:difference|gap|effect|result|finding)s?)? (?:statistically )?(?:significant|real|by chance|due to chance)"
    r"[\s?!.]*$",
    re.I,
)
_NTH = re.compile(
    r"^(?:(?:and|so|then|ok(?:ay)?|what about|how about|what(?:'s| is)|which(?: one)? is|who is|show me)[\s,]+)*"
    r"(?:the )?(?P<nth>second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|\d{1,2}(?:nd|rd|th))(?: one| place)?"
    r"[\s?!.]*$",
    re.I,
)
_REGROUPS = re.compile(r"\b(?:by|per|each|every|for each)\b", re.I)
_BY_SUPERLATIVE = re.compile(
    r"\b(?:high|low|larg|small|bigg|long|short|b)est(?: in| by| on)? (?:average|mean|median|typical|total|sum)\b", re.I
)
_CARRIED = frozenset({"sum", "mean", "median", "min", "max", "std", "pstd", "var", "quantile"})
_Understand = Callable[..., Intent]


def taken_over(
    asks: tuple[Ask, ...],
    message: Message,
    scene: Scene,
    history: Sequence[Turn],
    understand: _Understand,
) -> tuple[Ask, ...]:
    """The asks, completed from the last question of the history where the new one is elliptical."""
    text = _EXPLETIVE.sub("", " ".join(message.asked)).strip()
    why = _WHY.match(text) is not None
    elliptical = why or _CUE.search(text) is not None or (not asks and len(text.split()) <= _SHORT_WORDS)
    if not history or len(text.split()) > _LONG_WORDS or not elliptical:
        return asks
    earlier = _last_asks(scene.matcher, history, understand)
    if not earlier:
        return asks
    if why:
        return (_behind(earlier[-1], text),)
    ranked = earlier[-1].kind == "extreme" and bool(earlier[-1].dimensions)
    if ranked and (nth := _NTH.match(text)):
        place = str(place_number(f"{nth['nth']} most"))
        base = _plainly(earlier[-1])
        return (base.model_copy(update={"options": {**base.options, "place": place}, "top": None, "text": text}),)
    if _SIGNIFICANT.match(text) and (tested := _tested(earlier[-1], text)):
        return (tested,)
    slots = read_slots(text, scene)
    names_metric = bool(slots.measures) or any(a.counts for a in slots.aggregates)
    if asks and names_metric and not (len(text.split()) <= _SHORT_WORDS and _CUE.search(text) and not slots.aggregates):
        return asks
    if asks and (asks[0].kind in {"quality", "extreme", "list", "open"} or (names_metric and asks[0].kind != "value")):
        return asks
    done = completed(earlier[-1], slots, scene, asks)
    return (done,) if done else asks


def completed(base: Ask, slots: Slots, scene: Scene, asks: Sequence[Ask] = ()) -> Ask | None:
    """An earlier ask with what the new clause says put in place; None where the clause says nothing that fits it.

    A grouping takes the place of the earlier one, be it by columns or by periods; a filter on one group goes where the
    new clause asks for all groups of its column.
    """
    card, base = scene.card, _plainly(base)
    changed: dict[str, Any] = {}
    named = tuple(dict.fromkeys(m.column for m in slots.mentions if m.how != "value"))
    if base.kind == "quality":
        return base.model_copy(update={"columns": named, "text": slots.text}) if named else None
    dims = dimensions_of(slots, scene)
    others = [m.column for m in (*slots.subjects, *slots.others)]
    dims = dims or tuple(n for n in dict.fromkeys(others) if card.column(n).role in {"dimension", "boolean"})[:2]
    regrouped = bool(dims) or (slots.grain is not None and _REGROUPS.search(slots.text) is not None)
    if regrouped:
        changed |= {"dimensions": dims, "grain": slots.grain}
        if base.kind == "extreme":
            changed |= {"kind": "value", "order": None, "top": None, "columns": ()}
    elif slots.grain:
        changed["grain"] = slots.grain
    replaced = {f.column for f in slots.filters}
    kept = tuple(f for f in base.filters if f.column not in replaced and not (f.column in dims and _of_one(f)))
    if slots.filters or kept != base.filters:
        changed["filters"] = (*kept, *slots.filters)
    alone = {f.column for f in slots.filters if _of_one(f)} & set(base.dimensions)
    if alone and not regrouped:  # "only for South" of a ranking of regions is about the South, not a ranking of one
        left = tuple(d for d in base.dimensions if d not in alone)
        changed |= {"dimensions": left} | ({} if left else {"kind": "value", "order": None, "top": None})
    if slots.periods.window:
        changed |= {"window": slots.periods.window, "versus": slots.periods.versus}
    metrics = _metrics(base, slots, asks)
    end = {m.aggregate for m in metrics} if not slots.measures else set()
    if base.kind == "extreme" and not regrouped and end and end <= {"min", "max"}:
        changed["order"] = "asc" if end == {"min"} else "desc"  # the other end of the ranking, by the same metric
    elif metrics:
        changed["metrics"] = metrics
    elif asks and asks[0].kind in _ASKS_ANEW:
        changed |= {"kind": asks[0].kind, "options": asks[0].options}
    return base.model_copy(update={**changed, "text": slots.text}) if changed else None


def _of_one(condition: Filter) -> bool:
    """Whether a filter keeps one group alone, so that grouping by its column would show nothing else."""
    return condition.op == "eq" and len(condition.values) == 1


def _plainly(base: Ask) -> Ask:
    """The ask without the superlative of "the highest average kwh", which picks a group and is no maximum of kwh."""
    if not _BY_SUPERLATIVE.search(base.text):
        return base
    kept = tuple(m for m in base.metrics if m.aggregate not in {"min", "max"})
    return base.model_copy(update={"metrics": kept}) if kept else base


def _behind(base: Ask, text: str) -> Ask:
    """What a bare "why?" asks: where a change over time came from, or else what lies behind the metric."""
    base = _plainly(base)
    if base.kind in {"trend", "change"} or base.grain or base.window:
        return base.model_copy(update={"kind": "change", "grain": None, "order": None, "top": None, "text": text})
    return Ask(kind="open", metrics=base.metrics, dimensions=base.dimensions, filters=base.filters, text=text)


def _tested(base: Ask, text: str) -> Ask | None:
    """What "is that difference significant?" asks: a test of the groups just ranked; None where none were."""
    base = _plainly(base)
    if base.kind not in {"extreme", "value", "compare", "share"} or not base.dimensions:
        return None
    metrics = tuple(m for m in base.metrics if m.measure.kind != "rows")[:1]
    if not metrics:
        options = {k: v for k, v in base.options.items() if k not in {"place"}}
        return base.model_copy(update={"kind": "share", "order": None, "top": None, "options": options, "text": text})
    kept: dict[str, Any] = {
        "metrics": metrics,
        "kind": "compare",
        "order": None,
        "top": None,
        "options": {},
        "text": text,
    }
    return base.model_copy(update=kept)


def _metrics(base: Ask, slots: Slots, asks: Sequence[Ask]) -> tuple[Metric, ...]:
    """The old aggregates of a new measure, or new aggregates of the old one; a count does not pass to a measure."""
    words = [a for a in slots.aggregates if not a.counts]
    measures = list(dict.fromkeys(m for _, m in slots.measures))
    if measures and not slots.aggregates and base.metrics:
        carried = base.metrics[0]
        if carried.measure.kind == "rows" or carried.aggregate not in _CARRIED:
            return asks[0].metrics if asks else ()
        return tuple(carried.model_copy(update={"measure": of}) for of in measures)
    if words and not measures and base.metrics and base.metrics[0].measure.kind != "rows":
        return tuple(m for a in words for m in a.metrics(base.metrics[0].measure))
    return ()


def _last_asks(matcher: Matcher, history: Sequence[Turn], understand: _Understand) -> tuple[Ask, ...]:
    """The asks of the latest earlier question that had any, itself completed from those before it."""
    turns = [t for t in history if t.role == "user"][-6:]
    for i in range(len(turns) - 1, -1, -1):
        intent = understand(turns[i].content, matcher.card, history=turns[:i], matcher=matcher)
        kept = tuple(a for a in intent.asks if a.kind not in {"open", "quality"})
        if kept:
            return kept
    return ()
