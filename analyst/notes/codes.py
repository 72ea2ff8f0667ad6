"""What values of a column mean, and what repeated rows are: codes, values that stand for missing, duplicates."""

import re

from analyst.notes.acts import Act
from analyst.notes.conditions import columns_named, conditions
from datasets.directives import Dedupe, NullSentinel
from datasets.schema import SchemaCard

_MISSING = re.compile(
    r"\b(?:missing|null|unknown|n/?a|not (?:measured|recorded|available|known|asked|observed|filled|a (?:real|"
    r"true) \w+)|"
    r"no (?:value|reading|data|measurement|answer|observation|signal)|(?:isn't|not|no) (?:a )?real|absent|invalid|"
    r"sensor (?:off|fault|error)|empty|blank)\b",
    re.IGNORECASE,
)
_SENTINEL = re.compile(
    r"(?:\b(?:values? of|a value of|readings? of|the value|"
    r"entries of)\s+)?(?<![\w.-])(?P<v>-?\d+(?:\.\d+)?)(?:\s*(?:,|and|or)\s*(?P<v2>-?\d+(?:\.\d+)?))?"
    r"(?:\s+(?:in|for|under)\s+(?:the\s+)?[\w -]{1,40}?)?\s+(?:mean|means|is|are|stands? for|denotes?|marks?|"
    r"=|as|counts? as)\b",
    re.IGNORECASE,
)
_DUPLICATES = re.compile(
    r"\b(?:drop|remove|delete|ignore|discard|leave out|exclude|skip|throw out|without)\s+(?:all |any |the |"
    r"exact |these )*(?:duplicat\w+|repeated rows|double (?:rows|entries))"
    r"|\bde-?dup\w*|\bduplicat\w+\s+(?:rows |records |entries |lines )?(?:out|must go|should be (?:dropped|"
    r"removed)|don't count)",
    re.IGNORECASE,
)
_MEANS = re.compile(
    r"\s*(?:column |field )?[,:]?\s*(?:means?|stands? for|denotes?|refers? to|is|are|=|marks?)\s+(?!out\b|"
    r"missing\b|never\b|not\b|no\b|in\b|excluded\b|to be\b|left\b)"
    r"(?P<m>[\"'\w][^.;!?\n]{1,80}?)(?=\s*(?:[.;!?\n]|$|,\s*(?:so|and|please|leave|exclude|drop|keep|not|"
    r"never|always|ignore|don't|we|they)\b|\s+(?:so|and) (?:please|leave|exclude|drop|ignore|keep)\b))",
    re.IGNORECASE,
)
_PASSING = re.compile(
    r"\b(?:since|until|still|now|today|yesterday|currently|again|"
    r"(?:this|last) (?:week|month|year)|next)\b",
    re.IGNORECASE,
)
"""Words of a state that passes: "field 12 is leased out since spring" says nothing of what 12 means."""


def sentinel_acts(text: str, card: SchemaCard | None) -> list[Act]:
    """Read values that stand for missing in one numeric column of the card."""
    match = _SENTINEL.search(text)
    missing = _MISSING.search(text, match.end()) if match else None
    if not match or not missing or missing.start() - match.end() > 40:
        treated = re.search(
            r"\b(?:treat|read|take|handle)\s+(?:values? of\s+)?(?P<v>-?\d+(?:\.\d+)?)\b.{0,40}\bas\b", text, re.I
        )
        if not treated or not _MISSING.search(text, treated.end()):
            return _unreal(text, card)
        match = treated
    columns = columns_named(text, card)
    raw = [v for v in (match.group("v"), match.groupdict().get("v2")) if v]
    if len(columns) != 1 or not columns[0].numeric:
        return []
    values = tuple(int(v) if re.fullmatch(r"-?\d+", v) else float(v) for v in raw)
    name, words = columns[0].name, " and ".join(raw)
    directive = NullSentinel(column=name, values=values).model_dump(mode="json")
    return [Act("sentinel", f"null:{name}", f"{words} is missing", f"In {name}, {words} means missing.", directive)]


def _unreal(text: str, card: SchemaCard | None) -> list[Act]:
    """ "If wait is 240 the timer had stopped, that's no real wait": a condition on a measure, then "missing"."""
    for condition in conditions(text, card):
        column = card.column(condition.filter.column) if card else None
        missing = _MISSING.search(text, condition.end)
        near = missing is not None and missing.start() - condition.end <= 60
        if column and near and column.numeric and column.role == "measure" and condition.filter.op in {"eq", "in"}:
            values = condition.filter.values
            words = " and ".join(map(str, values))
            directive = NullSentinel(column=column.name, values=values).model_dump(mode="json")
            sentence = f"In {column.name}, {words} means missing."
            return [Act("sentinel", f"null:{column.name}", f"{words} is missing", sentence, directive)]
    return []


def dedupe_acts(text: str, card: SchemaCard | None) -> list[Act]:
    """Read that repeated rows go, on the key columns that are named."""
    match = _DUPLICATES.search(text)
    if not match or re.search(r"\b(?:don't|do not|never|no need to|stop)\s+(?:\w+ )?$", text[: match.start()], re.I):
        return []
    keyed = re.search(r"\b(?:on|by|per|of|with the same|same)\b(.{2,80})", text[match.end() :], re.I)
    keys = tuple(c.name for c in columns_named(keyed.group(1), card)) if keyed else ()
    words = f"the same {', '.join(keys)}" if keys else "all values equal"
    directive = Dedupe(keys=keys).model_dump(mode="json") if card is not None else None
    return [
        Act(
            "dedupe",
            "dedupe",
            f"on {', '.join(keys)}" if keys else "whole rows",
            f"Keep one row of those with {words}.",
            directive,
        )
    ]


def code_acts(text: str, card: SchemaCard | None) -> list[Act]:
    """Read what codes stand for; a code has no directive."""
    out = []
    for condition in conditions(text, card):
        match = _MEANS.match(text, condition.end)
        if condition.filter.op != "eq" or not match:
            continue
        meaning = match.group("m").strip().strip("\"'")
        if _PASSING.search(meaning):
            continue
        column, value = condition.filter.column, condition.filter.values[0]
        out.append(Act("code", f"code:{condition.slot}", meaning, f"In {column}, {value} means {meaning}."))
    return out
