"""When one word could be a column and a value of another one, or a column and a part of speech."""

import re

from analyst.reading.aggregates import aggregate_words
from analyst.reading.mentions import Mention

_STATE_LEAD = re.compile(
    r"\b(?:is|are|was|were|be|being|been|got|get|gets|become|became|marked(?: as)?|still"
    r"|in (?:the )?(?:state|status|stage)|(?:state|status|stage)(?: of| is| =)?)\s+(?:not\s+)?[\"'`(]?$",
    re.I,
)
_BEFORE_ROWS = re.compile(
    r"(?:^|\b(?:how many|number of|count of|of|for|the|all|and|or|do|did|among|in|any)\s+)$", re.I
)
_ROWS = re.compile(r"\s+(?!was\b|is\b|has\b|does\b)[a-z]{2,}s\b", re.I)
_NO_ROWS = re.compile(r"\s+(?:by|at|on|date|time|per|in|during|since|before|after|between|last|this|year|from)\b", re.I)
_WHEN = re.compile(
    r"\s+(?:in|on|during|since|before|after|between|last|this|by|at|from|within|over|per|each|every|yesterday|today)\b",
    re.I,
)
_PLAIN_COUNT = re.compile(r"(?:number|count|total)s?", re.I)


def says_state(text: str, value: Mention) -> bool:
    """Whether a value is said of the rows: "is Closed", "in state closed", "how many severe patients".

    Where a time or a person follows, it may as well be when or by whom ("were closed in March").
    """
    lead = text[: value.start]
    if _STATE_LEAD.search(lead):
        return _WHEN.match(text, value.end) is None
    return bool(_BEFORE_ROWS.search(lead) and _ROWS.match(text, value.end) and not _NO_ROWS.match(text, value.end))


def without_counts(text: str, mentions: list[Mention]) -> list[Mention]:
    """Leave out columns that "number of" only seems to name: in "number of incidents" no column "number" is meant."""
    counts = [a for a in aggregate_words(text) if a.counts or a.aggregates == ("distinct",)]
    return [
        m
        for m in mentions
        if m.how not in {"name", "words", "fuzzy"}
        or not _PLAIN_COUNT.fullmatch(m.text)
        or not any(a.start <= m.start and m.end < a.end for a in counts)
    ]
