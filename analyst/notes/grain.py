"""The grain that a rule asks for: "weekly figures", "report revenue by month instead of week"."""

import re

from analyst.notes.acts import Act
from analyst.notes.conditions import columns_named
from datasets.directives import PreferGrain
from datasets.measures import Grain
from datasets.schema import SchemaCard

_UNITS: dict[str, Grain] = {
    "hour": "hour", "hourly": "hour", "day": "day", "daily": "day", "week": "week", "weekly": "week",
    "month": "month", "monthly": "month", "quarter": "quarter", "quarterly": "quarter",
    "year": "year", "yearly": "year", "annual": "year", "annually": "year",
}  # fmt: skip
_UNIT = r"(?P<u>hour|day|week|month|quarter|year|hourly|daily|weekly|monthly|quarterly|yearly|annual(?:ly)?)s?"
_NOT_THIS = r"(?:instead of|rather than|not|no|never|over|than|without|isn't|from)\s+(?:by |per |the |in |a )?$"
_GRAIN_FORMS = (
    rf"\b(?:by|per|at|in|to)\s+(?:the\s+|calendar\s+|iso\s+|full\s+)?{_UNIT}(?:\s+(?:level|grain|granularity|"
    rf"buckets?|steps))?\b",
    r"\b(?P<u>hourly|daily|weekly|monthly|quarterly|yearly|annual(?:ly)?)\b",
    rf"\b{_UNIT}\s+(?:grain|granularity|level|view|figures|numbers|values|buckets?)\b",
    r"(?:^|[.!,] )\W*(?P<u>week|month|quarter|day|year|hour)s\b(?!\s+(?:\w+ )?(?:run|start|begin|end|are|with|of))",
)
_GRAIN_CONTEXT = re.compile(
    r"\b(?:report\w*|show\w*|give|giving|want|prefer|grain|granularity|default|level|figures|numbers|series|trends?|"
    r"aggregat\w*|group\w*|plot\w*|chart\w*|everything|always|please|view|values|present|look|see|need|work|"
    r"instead)\b",
    re.IGNORECASE,
)
_WINDOW_WORDS = re.compile(
    r"\b(?:last|latest|recent|newest|final|same|current|running|first|complete|"
    r"closed)\b",
    re.I,
)
_STATISTIC = re.compile(
    r"\s*(?:max\w*|min\w*|means?|averages?|medians?|totals?|sums?|peaks?|highs?|lows?|worked|driven|open|paid|of)\b",
    re.IGNORECASE,
)
"""What follows a unit that belongs to a statistic: "the daily maximum" asks for no grain."""
_POINTED_AT = re.compile(r"\b(?:that|this|those|these|your)\s+$", re.IGNORECASE)
"""What points at something shown: "that daily line is unreadable"."""
_IS = re.compile(r"\b(?:is|are|was|were|they're|it's) (?:given |paid |stored |always )?(?:by |per )?$", re.IGNORECASE)
"""What says how the data is rather than how it shall be reported: "salaries are yearly"."""

_VERB = re.compile(r"(?<!no )\b(?:report|show|give|plot|chart|present|want|see|need)\b(?= )", re.IGNORECASE)
_WHOLE = re.compile(r"\b(?:everything|anything)\s*$", re.IGNORECASE)


def grain_acts(text: str, card: SchemaCard | None) -> list[Act]:
    """Read the wanted grain; one that the rule turns down ("not daily") or that names a window does not count."""
    if not _GRAIN_CONTEXT.search(text):
        return []
    for form in _GRAIN_FORMS:
        for match in re.finditer(form, text, re.IGNORECASE):
            before = text[: match.start()]
            if re.search(_NOT_THIS, text[: match.start("u")], re.I) or re.search(_NOT_THIS, before, re.I):
                continue
            if (
                _POINTED_AT.search(before)
                or _STATISTIC.match(text[match.end() :])
                or _WINDOW_WORDS.search(before[-12:])
                or _IS.search(before)
                or re.search(r"\d\s*$", before)
            ):
                continue
            unit = _UNITS[match.group("u").lower()]
            metric = _metric(before, card)
            what = metric or "time series"
            return [
                Act(
                    "grain",
                    f"grain:{metric}" if metric else "grain",
                    unit,
                    f"Report {what} by {unit}.",
                    PreferGrain(unit=unit).model_dump(mode="json"),
                )
            ]
    return []


def _metric(before: str, card: SchemaCard | None) -> str | None:
    """What is to be reported, when it is named right before the unit: a column, else the one noun after the verb."""
    if _WHOLE.search(before):
        return None
    # The verb itself names no column: "show sales by week" is not about no_show.
    named = [
        c
        for c in columns_named(_VERB.sub("", before), card)
        if c.role not in {"time", "empty", "constant"} and not c.temporal
    ]
    if named:
        return named[-1].name
    match = re.search(
        r"\b(?:report|show|give me|give|plot|chart|present|want|see|need)\s+(?:me\s+)?(?:the |our |my |"
        r"all )?([a-z]{4,20})\s*$",
        before,
        re.I,
    )
    word = match.group(1).lower() if match else None
    return (
        None
        if word in {None, "everything", "results", "trends", "figures", "numbers", "them", "data", "always"}
        else word
    )
