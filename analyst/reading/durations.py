"""Durations between a time that names a start and one that names an end."""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from analyst.reading.matching import Matcher
from analyst.reading.words import likeness, name_words, stem, tokens
from datasets.measures import Measure
from datasets.schema import Column, SchemaCard

_STARTS = frozenset(
    [
        "open",
        "start",
        "begin",
        "create",
        "purchase",
        "order",
        "submit",
        "request",
        "admit",
        "admission",
        "hire",
        "depart",
        "departure",
        "birth",
        "from",
        "pickup",
        "in",
        "issue",
        "signup",
        "receive",
        "book",
        "join",
        "report",
        "enter",
        "arrive",
        "entry",
        "draft",
        "post",
        "list",
        "launch",
        "publish",
        "check",
        "placed",
        "opened",
        "first",
        "init",
        "file",
        "filed",
        "log",
        "logged",
        "raise",
        "raised",
        "apply",
        "register",
        "enrol",
        "enroll",
        "incur",
        "intake",
        "commence",
    ]
)


_ENDS = frozenset(
    [
        "close",
        "end",
        "finish",
        "resolve",
        "process",
        "complete",
        "completion",
        "expire",
        "expiration",
        "expiry",
        "due",
        "deliver",
        "delivery",
        "ship",
        "return",
        "discharge",
        "arrival",
        "to",
        "dropoff",
        "exit",
        "terminate",
        "termination",
        "leave",
        "approve",
        "pay",
        "paid",
        "settle",
        "sold",
        "out",
        "last",
        "decide",
        "fulfil",
        "fulfill",
        "until",
        "death",
        "renewal",
        "decision",
        "reject",
        "accept",
        "answer",
        "reimburse",
        "clear",
        "fix",
        "repair",
        "restore",
        "release",
    ]
)


_ORIGINS = frozenset(["join", "hire", "birth", "born", "signup", "register", "enrol", "enroll", "onboard", "purchase"])
"""Starts of a whole relation, which other starts follow: a claim is submitted after its author has joined."""


_UNSURE = frozenset(["update", "updated", "modify", "modified", "sync", "change"])


_TIME_WORDS = frozenset(["at", "on", "date", "time", "datetime", "timestamp", "ts", "day", "utc", "sys", "dt", "when"])


_LONG = re.compile(r"\b(?:take|took|taking)s? (?:\w+ ){0,2}long(?:er|est)?\b|\bslow(?:er|est|ly)?\b", re.I)
_DURATION_CUE = re.compile(
    r"\b(?:durations?|time|times|periods?|how long|lengths?|days"
    r"|hours|tenure|delays?|turnaround|lead|speed|age|lifetime|efficien\w+"
    r"|slow\w*|fast\w*|quick\w*|backlog|workflow|performance|long\w*)\b",
    re.I,
)


OUTCOMES: tuple[frozenset[str], ...] = (
    frozenset(["decline", "declined", "reject", "rejected", "rejection", "denied", "deny", "refuse", "refused"]),
    frozenset(["approve", "approved", "approval", "accepted", "accept", "granted"]),
    frozenset(
        [
            "complete",
            "completed",
            "completion",
            "success",
            "successful",
            "succeeded",
            "done",
            "achieved",
            "met",
            "passed",
        ]
    ),
    frozenset(["fail", "failed", "failure", "failing", "error", "unsuccessful", "lost"]),
    frozenset(["cancel", "cancelled", "canceled", "cancellation"]),
    frozenset(["churn", "churned", "attrition", "exited", "quit", "resigned", "terminated", "termination"])
    | frozenset(["left", "leave", "leaves", "leaving", "leavers"]),
    frozenset(["return", "returned", "refund", "refunded"]),
    frozenset(["resolve", "resolved", "closed", "solved"]),
    frozenset(["won", "win", "converted", "conversion"]),
    frozenset(["late", "delayed", "overdue"]),
    frozenset(["default", "defaulted"]),
)


def durations(card: SchemaCard, phrase: str = "", matcher: Matcher | None = None) -> list[tuple[Measure, float]]:
    """Durations between a column that names a start and one that names an end."""
    times = [c for c in card.columns if c.temporal and c.distinct >= 1]
    found: list[tuple[Measure, float]] = []
    for first in times:
        for second in times:
            fit = 0.0 if first.name == second.name else _pair_fit(first, second)
            if fit:
                unit = _unit(phrase, first, second)
                found.append((Measure(kind="duration", columns=(first.name, second.name), unit=unit), fit))
    if not phrase or not found:
        return sorted(found, key=lambda pair: -pair[1])
    asked = 0.35 if _DURATION_CUE.search(phrase) else 0.0
    near = _nearness(phrase, [m for m, _ in found], matcher)
    scored = [(m, 0.5 * fit + asked + n) for (m, fit), n in zip(found, near, strict=True)]
    return sorted(scored, key=lambda pair: -pair[1])


def asks_why_long(phrase: str) -> bool:
    """Whether a phrase says that something takes long: the verb beside it ends a duration and names no state."""
    return _LONG.search(phrase) is not None


def ends_it(measure: Measure, word: str) -> bool:
    """Whether a word says how a duration ends: "resolve" of opened_at to closed_at."""
    parts = {w for name in measure.columns for w in _time_parts(name)}
    kin = {stem(w) for group in OUTCOMES if group & parts for w in group} | {stem(w) for w in parts}
    return stem(word.casefold()) in kin


def _pair_fit(first: Column, second: Column) -> float:
    one, two = _time_parts(first.name), _time_parts(second.name)
    if (one | two) & _UNSURE:
        return 0.0
    known = min(first.rows - first.nulls, second.rows - second.nulls) / max(1, first.rows)
    if known < 0.05:
        return 0.0
    if _meets(one, _ORIGINS) and not _meets(two, _ORIGINS) and _follows(first, second):
        return 0.9 if _meets(two, _ENDS) else 0.7
    starts, ends = _meets(one, _STARTS), _meets(two, _ENDS)
    if not (starts and ends) or _meets(one, _ENDS) > starts or _meets(two, _STARTS) > ends:
        return 0.0
    rest_one = {w for w in one if not any(likeness(w, s) >= 0.9 for s in _STARTS)}
    rest_two = {w for w in two if not any(likeness(w, e) >= 0.9 for e in _ENDS)}
    return 0.9 if rest_one == rest_two else 0.7


def _follows(first: Column, second: Column) -> bool:
    """Whether a time begins and ends no earlier than another, as the later of two does."""
    return (first.minimum or "") <= (second.minimum or "") and (first.maximum or "") <= (second.maximum or "")


def _time_parts(name: str) -> set[str]:
    words = name_words(name)
    kept = {w for w in words if w not in _TIME_WORDS}
    return kept or set(words)


def _meets(words: set[str], known: frozenset[str]) -> int:
    return sum(any(w == k or stem(w) == stem(k) for k in known) for w in words)


def _nearness(phrase: str, measures: Sequence[Measure], matcher: Matcher | None) -> list[float]:
    """How much a phrase speaks of each duration: shared stems, else meaning."""
    asked = {stem(t.word) for t in tokens(phrase) if t.is_word and not t.is_stop}
    shared = []
    for measure in measures:
        parts = {stem(w) for name in measure.columns for w in _time_parts(name)}
        kin = {
            stem(w) for group in OUTCOMES if group & {w for n in measure.columns for w in _time_parts(n)} for w in group
        }
        shared.append(0.3 if asked & (parts - {"year"}) else 0.2 if asked & kin else 0.0)
    cosines = None if matcher is None or max(shared) else matcher.meaning([phrase], [m.words for m in measures])
    if cosines is None:
        return shared
    return [max(s, 0.3 * max(0.0, float(c))) for s, c in zip(shared, cosines[0], strict=True)]


def _unit(phrase: str, first: Column, second: Column) -> Literal["days", "hours", "minutes"]:
    if re.search(r"\bhours?\b", phrase, re.I):
        return "hours"
    if re.search(r"\bminutes?\b", phrase, re.I):
        return "minutes"
    try:
        low = datetime.fromisoformat((first.minimum or "")[:19])
        high = datetime.fromisoformat((second.maximum or "")[:19])
    except ValueError:
        return "days"
    return "hours" if (high - low).days < 3 and first.sql_type.startswith("TIMESTAMP") else "days"
