"""Conditions that compare a column with its own mean, median or percentile: "fare above the median", "the top 10%"."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from analyst.reading.mentions import Mention
from datasets.measures import Filter, FilterOp
from datasets.schema import SchemaCard

_RANKED = (
    r"(?:(?P<p>\d{1,2}(?:\.\d+)?)(?:st|nd|rd|th)[ -]percentile|(?P<q>first|1st|lower|third|3rd|upper)[ -]quartile"
    r"|(?P<w>average|mean|median))"
)
_COMPARED = re.compile(
    r"(?P<link>\s*[\"'`]?\s*(?:\b(?:is|are|was|were|that is|that are|which is|values?|being|strictly)\s+)*)?"
    r"\b(?P<op>above|below|over|under|exceed(?:s|ing)?|(?:higher|lower|greater|less|more|larger|smaller|longer|shorter"
    r"|older|younger|fewer) than)[ -](?:the |their |its |an? )?(?:overall |global |general |sample )?"
    + _RANKED
    + r"(?!\w)",
    re.I,
)
_OF_COLUMN = re.compile(
    r"\s*(?:(?:value|values)\s+)?(?:of|for|in(?: both)?)?\s*(?:the |their |its |all )?[\"'`]?", re.I
)
_ALSO = re.compile(r"[\"'`]?\s*(?:,|and|,? and)\s+(?:in |the )*[\"'`]?", re.I)
_NARROWED = re.compile(
    r"\s*[\"'`]?\s*(?:of|for|in|within|among|by|per)\s+(?!all\b|the (?:data|dataset|whole)\b)\w", re.I
)
_TOP = re.compile(
    r"\b(?P<side>top|bottom|highest|lowest)[ -](?:(?P<n>\d{1,2}(?:\.\d+)?)\s?(?:%|percent)|(?P<part>quartile"
    r"|decile|quarter|half))(?!\w)(?: of [a-z]+s)?(?:\s+(?:by|of|for|in|on|in terms of)\s+(?:the |their )?)?[\"'`]?",
    re.I,
)
_BEFORE_TOP = re.compile(
    r"[\"'`]?\s*(?:(?:is|are|was|were|that is|that are|value|values)\s+)*(?:in|within|among|at) the\s+$", re.I
)
_DENIED = re.compile(
    r"(?:\bnot|n't|\bexclud\w+|\bexcept(?: for)?|\bwithout|\boutside(?: of)?|\bother than|\bleav\w+ out|\bignor\w+"
    r"|\bremov\w+|\bdropp?\w*)(?: (?:in|within|among|those|the|of|being|strictly)){0,3}\s*$",
    re.I,
)
_OF_EACH = re.compile(r"\s*[\"'`]?\s*(?:of|for|within|among|in) (?:its|their|each|every|the same)\b", re.I)
_PARTS = {"quartile": 0.25, "quarter": 0.25, "decile": 0.1, "half": 0.5}
_LESS = frozenset(["below", "under", "lower", "less", "smaller", "shorter", "younger", "fewer"])


@dataclass(frozen=True)
class LevelCondition:
    """One such condition, its place in the text, and the mentions that it uses up."""

    filter: Filter
    start: int
    end: int
    used: tuple[Mention, ...]


def level_conditions(text: str, mentions: Sequence[Mention], card: SchemaCard) -> list[LevelCondition]:
    """The conditions of a text, in order. None for a level of some rows only, such as "the average of its class"."""
    numbers = [m for m in mentions if m.how != "value" and card.column(m.column).numeric]
    found: list[LevelCondition] = []
    for match in _COMPARED.finditer(text):
        value: str | float = "mean"
        if match["p"]:
            value = float(match["p"]) / 100
        elif match["q"]:
            value = 0.25 if match["q"].lower() in {"first", "1st", "lower"} else 0.75
        elif match["w"].lower() == "median":
            value = 0.5
        less = match["op"].lower().split()[0] in _LESS
        found += _compared(text, match, numbers, "below_level" if less else "above_level", value)
    for match in _TOP.finditer(text):
        share = float(match["n"]) / 100 if match["n"] else _PARTS[match["part"].lower()]
        before = next(
            (m for m in numbers if m.end <= match.start() and _BEFORE_TOP.fullmatch(text[m.end : match.start()])), None
        )
        after = next((m for m in numbers if m.start == match.end()), None)
        of = before or after
        if of is not None and share > 0:
            top = match["side"].lower() in {"top", "highest"}
            op: FilterOp = "top_share" if top else "bottom_share"
            if _DENIED.search(text[: match.start()]):
                op, share = ("below_level", round(1 - share, 9)) if top else ("above_level", share)
            start, end = min(match.start(), of.start), max(match.end(), of.end)
            found.append(LevelCondition(Filter(column=of.column, op=op, values=(share,)), start, end, (of,)))
    return found


def _compared(
    text: str, match: re.Match[str], numbers: Sequence[Mention], op: FilterOp, value: str | float
) -> list[LevelCondition]:
    """The conditions of one comparison: on the column before it, else on the one or more behind it."""
    before = next((m for m in numbers if m.end == match.start("link") and match["link"] is not None), None)
    behind: list[Mention] = []
    for mention in numbers:
        gap = text[match.end() : mention.start] if not behind else text[behind[-1].end : mention.start]
        if mention.start >= match.end() and (_ALSO if behind else _OF_COLUMN).fullmatch(gap):
            behind.append(mention)
    if before is not None and behind and behind[0].column != before.column:
        return []
    used = ([before] if before else []) + (behind[:1] if before else behind)
    if (
        not used
        or _DENIED.search(text[: match.start("op")])
        or (before is not None and not behind and _NARROWED.match(text, match.end()))
    ):
        return []
    end = max(match.end(), used[-1].end)
    if behind and _OF_EACH.match(text, end):
        return []
    start = min(match.start("op"), used[0].start)
    columns = dict.fromkeys(m.column for m in used)
    return [LevelCondition(Filter(column=c, op=op, values=(value,)), start, end, tuple(used)) for c in columns]
