"""A follow-up takes over from the question before it what it leaves out: "And by region?"."""

import re
from collections.abc import Callable, Sequence

from analyst.matching import Matcher
from analyst.protocol import Ask, Intent, Turn
from analyst.sentences import Message
from analyst.slots import Scene, read_slots
from analyst.time_expressions import newest_day
from analyst.parts import dimensions_of

_CUE = re.compile(
    r"^(?:and|now|then|also|ok(?:ay)?|so|but|what about|how about|same|only|just|instead|per|by|for|in|without|excluding|except|split|break|group)\b|\b(?:instead|as well|too|that|those|it|the same|them)\b",
    re.I,
)
_WORDS = 14
_Understand = Callable[..., Intent]


def taken_over(
    asks: tuple[Ask, ...],
    unread: Sequence[str],
    message: Message,
    matcher: Matcher,
    history: Sequence[Turn],
    understand: _Understand,
) -> tuple[Ask, ...]:
    """The asks, completed from the last question of the history where the new one is elliptical."""
    text = " ".join(message.asked)
    if not history or len(text.split()) > _WORDS:
        return asks
    earlier = _last_asks(matcher, history, understand)
    if not earlier:
        return asks
    card = matcher.card
    base = earlier[0] if len(earlier) == 1 else earlier[-1]
    slots = read_slots(text, _scene(matcher))
    dims = dimensions_of(slots, _scene(matcher))
    names_metric = bool(slots.measures) or any(a.counts for a in slots.aggregates)
    only_rows = bool(asks) and all(m.measure.kind == "rows" for a in asks for m in a.metrics) and not names_metric
    elliptical = _CUE.search(text) is not None or len(text.split()) <= 4
    if asks and not (only_rows and elliptical) and not (elliptical and not slots.measures and slots.aggregates):
        return asks
    changed: dict[str, object] = {"text": text}
    if dims or slots.others:
        named = (
            dims or tuple(m.column for m in slots.others if card.column(m.column).role in {"dimension", "boolean"})[:2]
        )
        if named:
            changed |= {"dimensions": named, "grain": slots.grain}
            if base.kind in {"extreme"}:
                changed["kind"] = "value"
    if slots.grain:
        changed |= {"grain": slots.grain, "dimensions": dims}
    if slots.filters:
        replaced = {f.column for f in slots.filters}
        changed["filters"] = (*(f for f in base.filters if f.column not in replaced), *slots.filters)
    if slots.periods.window:
        changed |= {"window": slots.periods.window, "versus": slots.periods.versus}
    if slots.aggregates and not slots.measures and not any(a.counts for a in slots.aggregates) and base.metrics:
        of = base.metrics[0].measure
        if of.kind != "rows":
            changed["metrics"] = tuple(m for a in slots.aggregates for m in a.metrics(of))
    elif asks and asks[0].kind in {"trend", "change", "outliers", "distribution", "share", "compare"}:
        changed |= {"kind": asks[0].kind, "options": asks[0].options}
    return (base.model_copy(update=changed),) if len(changed) > 1 else asks


def _scene(matcher: Matcher) -> Scene:
    time = next((c for c in matcher.card.columns if c.name == matcher.card.time_column), None)
    return Scene(matcher, newest=newest_day(time.maximum) if time else None)


def _last_asks(matcher: Matcher, history: Sequence[Turn], understand: _Understand) -> tuple[Ask, ...]:
    """The asks of the latest earlier question that had any, itself completed from those before it."""
    turns = [t for t in history if t.role == "user"][-6:]
    for i in range(len(turns) - 1, -1, -1):
        intent = understand(turns[i].content, matcher.card, history=turns[:i], matcher=matcher)
        kept = tuple(a for a in intent.asks if a.kind not in {"open", "quality"})
        if kept:
            return kept
    return ()
