"""Words that group: "by region", "per month", "for each class", "which country"."""

import re
from collections.abc import Sequence

from analyst.reading.mentions import Mention
from datasets.measures import Grain
from datasets.schema import SchemaCard

_GRAINS: tuple[tuple[Grain, str, str], ...] = (
    ("hour", r"hours?(?: of (?:the )?day)?", "hourly"),
    ("day", r"(?:calendar )?days?|dates?", "daily"),
    ("week", r"(?:calendar )?weeks?", "weekly"),
    ("month", r"(?:calendar )?months?", "monthly"),
    ("quarter", r"quarters?", "quarterly"),
    ("year", r"(?:calendar )?years?", r"yearly|annual(?:ly)?"),
)
_GRAIN_WORDS = tuple(
    (
        grain,
        re.compile(
            rf"(?<!\w)(?:(?:by|per|each|every|across|over)\s+(?:the\s+)?(?:{nouns})|a\s+{grain}|{adverb})(?!\w)", re.I
        ),
    )
    for grain, nouns, adverb in _GRAINS
)
_GROUPING = re.compile(
    r"(?:(?<![\w-])(?P<by>by|per)|(?:for|in|of|within|at|on|from"
    r"|to) (?:each|every)|(?<!\w)(?:each|every)|(?<!\w)(?:across"
    r"|among|between|of) (?:the )?(?:different|various|several|individual)"
    r"|(?<!\w)across(?! all)(?: the)?|broken down by|grouped by|split by"
    r"|segmented by|(?<!\w)varying \w+ of \w+ \w+ across|for the different)\s+"
    r"(?:the\s+|each\s+|different\s+|various\s+|every\s+)?(?P<w>(?:[\w-]+\s+){0,2})[(\"'`]*\s*$",
    re.I,
)
_PASSIVE = re.compile(
    r"\b(?!group|split|segment|categor|aggregat|divid|sort|order"
    r"|rank|break|broken|stratif|classif|separat|bucket|assign|men\b"
    r"|women|children)"
    r"(?:\w{2,}(?:ed|en)|paid|made|sold|held|won|sent|spent|bought"
    r"|brought|caught|done|run|told|known|shown|grown|drawn|led|met)\s+$",
    re.I,
)
_CHAINED = re.compile(
    r"[\"'`)]*\s*(?:,|and|&|,\s*and|or|x|×)\s*(?:by\s+|per\s+|each\s+|the\s+|for each\s+)*[\"'`(]*\s*$", re.I
)
_SAME_AGAIN = re.compile(r"[\w\s-]{0,24}\(\s*[\"'`]?\s*$")
_ASKED = re.compile(
    r"(?<!\w)(?:which|what|who(?:se)?|in (?:which|what)|on (?:which"
    r"|what)|identify the|find (?:and report )?the|determine the"
    r"|name the|return the|report the|show the|list the|the)\s+"
    r"(?:(?:top|bottom|single|one|first|\d+|two|three|four|five|ten"
    r"|best|worst|specific|combination of)\s+)*(?P<w>(?:[\w-]+\s+){0,1})[\"'`]*$",
    re.I,
)
_COPULA = re.compile(r"\b(?:is|was|are|were)\s+[\"'`]*$", re.I)
"""In "what was revenue" the number itself is asked for."""
_TOP = re.compile(
    r"(?<!\w)(?:top|bottom|best|worst|leading|first|last)[- ](?:\d+"
    r"|two|three|four|five|six|seven|eight|nine|ten)\s+(?P<w>(?:[\w-]+\s+){0,1})$"
    r"|(?<!\w)(?:rank|ranking of)\s+(?:the\s+)?(?P<w2>)$",
    re.I,
)


def grain_in(text: str) -> tuple[Grain, int, int] | None:
    """The grain that a text groups time by, and the places of its words."""
    best: tuple[Grain, int, int] | None = None
    for grain, pattern in _GRAIN_WORDS:
        match = pattern.search(text)
        if match and (best is None or match.start() < best[1]):
            best = (grain, match.start(), match.end())
    return best


def grouped(text: str, mentions: Sequence[Mention], card: SchemaCard) -> list[Mention]:
    """The column mentions that the wording groups by, in order."""
    found: list[Mention] = []
    for mention in mentions:
        if mention.how == "value" or not _groups(card, mention):
            continue
        lead = text[: mention.start]
        between = [m.end for m in mentions if m.end <= mention.start and m not in found]
        match = _GROUPING.search(lead, max(between, default=0)) or _GROUPING.search(lead)
        if match and (match["by"] or "").lower() == "per" and card.column(mention.column).role == "measure":
            match = None
        words_between = match["w"] if match else ""
        passive = match is not None and (match["by"] or "").lower() == "by" and _PASSIVE.search(lead[: match.start()])
        crossed = (
            any(m.start >= match.start() and m.end <= mention.start and m not in found for m in mentions)
            if match
            else False
        )
        if (
            match
            and not passive
            and not crossed
            and not re.search(r"\b(?:and|the|in|with|for|among|where|from)\b|\bof\b(?!\s*$)", words_between)
        ):
            if (
                found
                and found[-1].start >= match.start()
                and _SAME_AGAIN.fullmatch(text[found[-1].end : mention.start])
            ):
                found.pop()
            found.append(mention)
        elif (
            found
            and found[-1].end <= mention.start
            and not text[found[-1].end : mention.start].strip()
            and not found[-1].text.endswith("s'")
            and "'s" not in found[-1].text
        ):
            found[-1] = mention
        elif found and _CHAINED.fullmatch(text[found[-1].end : mention.start]):
            found.append(mention)
        elif found and found[-1].end <= mention.start and _SAME_AGAIN.fullmatch(text[found[-1].end : mention.start]):
            found[-1] = mention
        elif re.match(r"[- ](?:wise|level)\b", text[mention.end :]):
            found.append(mention)
    return found


def asked_for(text: str, mentions: Sequence[Mention], card: SchemaCard) -> list[Mention]:
    """The column mentions that the question wants a name of: "which country", "top 5 products"."""
    found: list[Mention] = []
    for mention in mentions:
        if mention.how == "value":
            continue
        lead = text[: mention.start]
        match = _ASKED.search(lead) or _TOP.search(lead)
        plain = match is not None and match.group().lstrip().lower().startswith("the ")
        role = card.column(mention.column).role
        named = mention.best(card, {"dimension", "identifier", "text", "boolean", "time"}) is not None
        if plain and not re.match(
            r"[\"'`)]*\s*(?:with|that (?:has|have|had)|which (?:has|have|had)|having|whose)\b",
            text[mention.end :],
            re.I,
        ):
            match = None
        told = match is not None and _COPULA.search(match.group()) and role == "measure"
        if (
            match and (named or (not plain and not told and role in {"constant", "measure"})) and not (plain and found)
        ) or (found and _CHAINED.fullmatch(text[found[-1].end : mention.start]) and named):
            found.append(mention)
    return found


def _groups(card: SchemaCard, mention: Mention) -> bool:
    column = card.column(mention.column)
    if mention.best(card, {"dimension", "boolean", "text", "identifier", "constant"}) is not None:
        return True
    return column.role in {"measure", "time"} and (column.distinct <= 60 or not column.numeric)
