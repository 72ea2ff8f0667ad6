"""Whether a question takes for granted what the tested finding says, or the contrary of it."""

import re
from collections.abc import Mapping
from typing import Any

from analyst.protocol import Intent
from datasets.schema import SchemaCard

_HIGH = r"more|most|highest|higher|ahead|above|longest|longer|biggest|bigger|largest|larger|greatest|leads?|leading|top"
_LOW = r"less|least|lowest|lower|behind|below|shortest|shorter|smallest|smaller|fewest|fewer|weakest"
_UP = r"grow\w*|ris(?:e|es|ing)|increas\w*|climb\w*|upward\w*|going up|up"
_DOWN = r"fall(?:s|ing)?|declin\w*|drop\w*|decreas\w*|shrink\w*|sink\w*|downward\w*|going down|down"
_FLAT = r"stable|steady|level|flat|constant|stagna\w*"
_EFFECT = r"differ\w*|relat(?:ed|ion|es?)|correlat\w*|depend\w*|linked|affects?"
_NONE = r"alike|equal|the same|unrelated|uncorrelated|independent"
_DENIED = re.compile(r"\b(?:not|no|never|without|neither)\b|n't\b", re.IGNORECASE)
_OF_GROUPS = frozenset({"extreme", "difference", "share", "concentration"})
_OF_EFFECTS = frozenset({"difference", "correlation", "association", "evenness"})


def contrary(intent: Intent, card: SchemaCard, claim: Mapping[str, Any]) -> bool:
    """Whether a question expects the opposite of a claim: another leader, another direction, an effect where none is.

    False where the question expects nothing that can be told, or denies something in words that read both ways.
    """
    subject, value = claim.get("subject") or {}, claim.get("value") or {}
    relation, direction = subject.get("relation"), value.get("direction")
    if relation == "trend":
        expected = _one_of(intent.question, up=_UP, down=_DOWN, flat=_FLAT)
        return expected not in {None, "flat" if direction == "none" else direction} and not _denied(intent)
    named = _named(intent, card, str(subject.get("dimension") or ""))
    if relation in _OF_EFFECTS and direction in {"none", "flat", None}:
        effect = _one_of(intent.question, effect=_EFFECT, none=_NONE) == "effect"
        leads = bool(named) and _one_of(intent.question, higher=_HIGH, lower=_LOW) is not None
        return (effect or leads) and not _denied(intent)
    if relation in {"correlation", "association"}:
        return _one_of(intent.question, effect=_EFFECT, none=_NONE) == "none" or _names_no(intent)
    if relation in _OF_GROUPS and _led(value):
        leader = str(value["text"]).casefold().removeprefix(f"{subject.get('dimension')} ".casefold())
        return _other_leader(intent, named, leader, str(direction))
    return False


def _other_leader(intent: Intent, named: list[str], leader: str, direction: str) -> bool:
    way = _one_of(intent.question, higher=_HIGH, lower=_LOW)
    if way is None or not named or _denied(intent):
        return False
    if named[0] == leader:
        return way != direction
    return way == direction


def _named(intent: Intent, card: SchemaCard, dimension: str) -> list[str]:
    """Return the groups that a question names, in its order: as they were read, else as they are written in it."""
    named = []
    for ask in intent.asks:
        named += [str(v).casefold() for f in ask.filters if f.column == dimension for v in f.values]
        if dimension in ask.dimensions:
            named += [s.casefold() for s in ask.options.get("segments", "").split("|") if s]
    if named:
        return named
    question = intent.question.casefold()
    groups = [v.casefold() for c in card.columns if c.name == dimension for v in c.values]
    places = {g: re.search(rf"(?<!\w){re.escape(g)}(?!\w)", question) for g in groups}
    return [g for g, _ in sorted(((g, m.start()) for g, m in places.items() if m), key=lambda pair: pair[1])]


def _led(value: Mapping[str, Any]) -> bool:
    return bool(value.get("text")) and value.get("direction") in {"higher", "lower"}


def _one_of(question: str, **words: str) -> str | None:
    """Return the one meaning that a question has a word of; None where it has none, or several."""
    found = [name for name, pattern in words.items() if re.search(rf"\b(?:{pattern})\b", question, re.IGNORECASE)]
    return found[0] if len(found) == 1 else None


def _denied(intent: Intent) -> bool:
    return bool(_DENIED.search(intent.question))


def _names_no(intent: Intent) -> bool:
    return _denied(intent) and bool(re.search(rf"\b(?:{_EFFECT})\b", intent.question, re.IGNORECASE))
