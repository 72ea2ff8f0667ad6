"""What kind of question a clause is, from its wording."""

import re
from typing import Literal

from analyst.protocol import AskKind
from analyst.questions.cues import (
    CLEANING,
    CUES,
    GROUP_TEST,
    INDEPENDENCE,
    LEAST,
    MOST,
    MOVED_MOST,
    OPEN,
    OVERVIEW,
    SUPERLATIVE_FIRST,
    TOP_N,
    UNLIKE,
    WHICH,
    Cue,
)
from datasets.measures import Grain

GRAINS: tuple[Grain, ...] = ("hour", "day", "week", "month", "quarter", "year")
_UNUSUAL = re.compile(
    r"\b(?:unusual|anomalous|odd|strange|abnormal|outlying|exceptional) (?P<g>hour|day|week|month|quarter|year)s?\b"
    r"|\b(?P<h>hour|day|week|month|quarter|year)s? (?:that )?(?:stands?|stood) out\b",
    re.I,
)
_WORD_NUMBERS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10}


def has(cue: Cue, text: str) -> bool:
    """Whether the wording of one kind is in the text."""
    return CUES[cue].search(text) is not None


def wants_overview(text: str) -> bool:
    """Whether an overview or insights are wanted besides what is asked."""
    return OVERVIEW.search(text) is not None


def wants_exploration(text: str) -> bool:
    """Whether the text asks to look around rather than for one number."""
    return OPEN.search(text) is not None


_PART = re.compile(
    r"\b(?:top|bottom|highest|lowest)[ -](?:\d+(?:\.\d+)?\s?(?:%|percent)|(?:quartile|decile|quarter|half)\b)", re.I
)
"""A part of the rows by their rank limits the rows and asks for no extreme."""


def extreme_order(text: str) -> Literal["asc", "desc"] | None:
    """The order in which the wanted one comes first, where a text asks which one; None where it does not."""
    text = _PART.sub(" ", text)
    if not WHICH.search(text) and not SUPERLATIVE_FIRST.match(text):
        return None
    least, most = LEAST.search(text), MOST.search(text)
    if least and (not most or least.start() < most.start()):
        return "asc"
    return "desc" if most else None


def unusual_periods(text: str) -> Grain | None:
    """The grain of "any unusual days", "which week stands out"; read with names, since a date may be called "day"."""
    found = _UNUSUAL.search(text)
    named = (found["g"] or found["h"]).lower() if found else None
    return next((grain for grain in GRAINS if grain == named), None)


_PLACES = ("second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_PLACE = re.compile(
    rf"\b(?:(?P<w>{'|'.join(_PLACES)})|(?P<n>\d{{1,2}})(?:nd|rd|th))[- ]"
    r"(?=(?:most|least|fewest|highest|lowest|largest|biggest|smallest|greatest|best|worst|longest|shortest|oldest"
    r"|youngest|busiest|cheapest|priciest)\b)",
    re.I,
)


def place_number(text: str) -> int | None:
    """The n of "the nth most": 2 for "the second highest"."""
    match = _PLACE.search(text)
    if match is None:
        return None
    return _PLACES.index(match["w"].lower()) + 2 if match["w"] else int(match["n"])


def top_number(text: str) -> int | None:
    """The N of "top N"."""
    match = TOP_N.search(text)
    if match is None:
        return None
    number = (match["n"] or match["n2"] or match["n3"]).lower()
    return int(number) if number.isdigit() else _WORD_NUMBERS[number]


def kind_of(text: str) -> AskKind | None:
    """The kind by wording alone, or None when nothing but its metrics tells; the order settles mixed wordings."""
    order = extreme_order(text)
    if has("quality", text) and not CLEANING.search(text):
        return "quality"
    if has("outliers", text):
        return "outliers"
    if GROUP_TEST.search(text):
        return "compare"
    if INDEPENDENCE.search(text):
        return "relation"
    if has("relation", text) and not re.search(r"\b(?:why|how many|how much)\b", text, re.I):
        return "relation"
    if has("why", text):
        return "change"
    if (has("change", text) and order is None) or MOVED_MOST.search(text):
        return "change"
    if UNLIKE.search(text) and order is None:
        return "compare"
    if has("distribution", text):
        return "distribution"
    if order is not None:
        return "extreme"
    if has("trend", text):
        return "trend"
    if has("compare", text):
        return "compare"
    if has("share", text):
        return "share"
    return "list" if has("list", text) else None
