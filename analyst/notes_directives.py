"""What a rule makes the engine do: directives read from its words against the schema card."""

import re
from dataclasses import dataclass
from typing import Any, Literal

from analyst.notes_conditions import Condition, columns_named, conditions, inverse
from datasets.directives import Dedupe, ExcludeRecent, FilterRows, NullSentinel, PreferGrain
from datasets.measures import Grain
from datasets.schema import SchemaCard

_UNITS: dict[str, Grain] = {
    "hour": "hour", "hourly": "hour", "day": "day", "daily": "day", "week": "week", "weekly": "week", "month": "month",
    "monthly": "month", "quarter": "quarter", "quarterly": "quarter", "year": "year", "yearly": "year", "annual": "year",
    "annually": "year",
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
_COUNTS = {
    "a": 1,
    "one": 1,
    "two": 2,
    "couple of": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "ten": 10,
}
_RECENT = re.compile(
    r"\b(?:last|latest|most recent|newest|final)\s+(?P<n>\d{1,3}|a|one|two|(?:a )?couple of|three|four|five|"
    r"six|seven|ten)?\s*"
    r"(?:calendar |full |whole )?(?P<u>day|week)s?\b",
    re.IGNORECASE,
)
EXCLUDES = re.compile(
    r"\b(?:(?:leave|leaving|keep|keeping|take|taking|throw|cut|cutting|filter|kept|left|"
    r"taken)\s+(?:(?!in\b)[\w'=<>.-]+\s+){0,9}?(?:out|off|aside|away)\b|"
    r"exclud\w+|drop(?:ped|ping)?|remov\w+|ignor\w+|omit\w*|skip\w*|discard\w*|without|strip|suppress|disregard|"
    r"(?:don't|do not|never|not|doesn't|shouldn't|must not|mustn't|cannot|can't)\s+(?:be\s+|"
    r"to\s+)?(?:count\w*|includ\w*|us(?:e|ed)|tak\w*|look|show\w*|belong)|"
    r"(?:go|goes|stay|stays|are|is|be)\s+out|out of (?:it|everything|all|every|any|each)|"
    r"[\w-]+ out\b(?=[.,;!]|$)|no \w+ (?:rows|orders|accounts|records|entries))",
    re.IGNORECASE,
)
ONLY = re.compile(r"\b(?:only|restrict\w*|limit(?:ed)? to|nothing but|solely|just)\b", re.IGNORECASE)
READMITS = re.compile(
    r"\b(?:keep|leave|put|take|bring|let|have|want)\s+(?:[\w'=-]+\s+){0,6}?(?:back\b|in\b(?=\s*(?:[.,;!]|$|"
    r"again|too|please|now|from)))|"
    r"(?<!never )(?<!not )(?<!n't )\b(?:include|count|use|show)\s+(?:[\w'=-]+\s+){1,6}?(?:again|after all|"
    r"once more)\b|"
    r"\b(?:can|may|should)\s+(?:\w+ )?(?:stay in|come back|be included|be kept|go back in)\b|"
    r"\b(?:no longer|stop|no need to|needn't)\s+(?:\w+ )?(?:exclud|leav|drop|remov|filter|ignor|skip|omit)\w*|"
    r"\b(?:don't|do not|never)\s+(?:\w+ )?(?:exclud|leav|drop|remov|filter|ignor|skip|"
    r"omit)\w*\b.*\b(?:any ?more|any longer|again)\b",
    re.IGNORECASE,
)
_THOSE = re.compile(r"\b(?:those|them|these|they|it|that one|such rows|such)\b", re.IGNORECASE)
_MISSING = re.compile(
    r"\b(?:missing|null|unknown|n/?a|not (?:measured|recorded|available|known|asked|observed|filled|a (?:real|"
    r"true) \w+)|"
    r"no (?:value|reading|data|measurement|answer|observation|signal)|isn't a real|absent|invalid|"
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

Kind = Literal["grain", "filter", "readmit", "sentinel", "dedupe", "recent", "code"]


@dataclass(frozen=True)
class Act:
    """One executable or coded reading of a rule: slot, canonical value, a sentence, and a directive where there is one."""

    kind: Kind
    subject: str
    value: str
    sentence: str
    directive: dict[str, Any] | None = None


def acts_of(
    text: str, card: SchemaCard | None, *, recent: Condition | None = None, core: str | None = None
) -> list[Act]:
    """Read what a rule asks of the engine.

    `recent` is the condition that "those rows" means when the text names none. `core` is the part of the text that
    states the rule; a grain is read from nothing else, since complaints name the unwanted one.
    """
    out: list[Act] = []
    out += _sentinel(text, card) or _codes(text, card)
    out += _dedupe(text, card)
    recently = _recent(text, card)
    out += recently
    if not recently and not any(a.kind in {"sentinel", "dedupe"} for a in out):
        out += _filters(text, card, recent)
    if not out:
        out += _grain(core or text, card)
    return out


def _grain(text: str, card: SchemaCard | None) -> list[Act]:
    if not _GRAIN_CONTEXT.search(text):
        return []
    for form in _GRAIN_FORMS:
        for match in re.finditer(form, text, re.IGNORECASE):
            before = text[: match.start()]
            if re.search(_NOT_THIS, text[: match.start("u")], re.I) or re.search(_NOT_THIS, before, re.I):
                continue
            if _WINDOW_WORDS.search(before[-12:]) or re.search(r"\d\s*$", before):
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
    named = [c for c in columns_named(before, card) if c.role not in {"time", "empty", "constant"} and not c.temporal]
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


def _recent(text: str, card: SchemaCard | None) -> list[Act]:
    match = _RECENT.search(text)
    if not match or not EXCLUDES.search(text):
        return []
    raw = (match.group("n") or "one").lower().removeprefix("a ") or "a"
    days = (int(raw) if raw.isdigit() else _COUNTS.get(raw, 1)) * (7 if match.group("u").lower() == "week" else 1)
    column = _time_column(card)
    fits = column is not None and 1 <= days <= 366
    directive = ExcludeRecent(column=column, days=days).model_dump(mode="json") if fits and column else None
    span = f"the last {days} days" if days > 1 else "the last day"
    return [Act("recent", "exclude_recent", f"{days} days", f"Leave out {span} of the data.", directive)]


def _time_column(card: SchemaCard | None) -> str | None:
    if card is None:
        return None
    if card.time_column:
        return card.time_column
    temporal = [c.name for c in card.columns if c.temporal or c.role == "time"]
    return temporal[0] if len(temporal) == 1 else None


def _sentinel(text: str, card: SchemaCard | None) -> list[Act]:
    match = _SENTINEL.search(text)
    missing = _MISSING.search(text, match.end()) if match else None
    if not match or not missing or missing.start() - match.end() > 40:
        treated = re.search(
            r"\b(?:treat|read|take|handle)\s+(?:values? of\s+)?(?P<v>-?\d+(?:\.\d+)?)\b.{0,40}\bas\b", text, re.I
        )
        if not treated or not _MISSING.search(text, treated.end()):
            return []
        match = treated
    columns = columns_named(text, card)
    raw = [v for v in (match.group("v"), match.groupdict().get("v2")) if v]
    if len(columns) != 1 or not columns[0].numeric:
        return []
    values = tuple(int(v) if re.fullmatch(r"-?\d+", v) else float(v) for v in raw)
    name, words = columns[0].name, " and ".join(raw)
    directive = NullSentinel(column=name, values=values).model_dump(mode="json")
    return [Act("sentinel", f"null:{name}", f"{words} is missing", f"In {name}, {words} means missing.", directive)]


def _dedupe(text: str, card: SchemaCard | None) -> list[Act]:
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


def _codes(text: str, card: SchemaCard | None) -> list[Act]:
    out = []
    for condition in conditions(text, card):
        match = _MEANS.match(text, condition.end)
        if condition.filter.op != "eq" or not match:
            continue
        meaning = match.group("m").strip().strip("\"'")
        column, value = condition.filter.column, condition.filter.values[0]
        out.append(Act("code", f"code:{condition.slot}", meaning, f"In {column}, {value} means {meaning}."))
    return out


def _filters(text: str, card: SchemaCard | None, recent: Condition | None) -> list[Act]:
    found = conditions(text, card)
    readmits = READMITS.search(text)
    if readmits and not _excluding_after(text, readmits.end()):
        target = found or ([recent] if recent and _THOSE.search(text) else [])
        return [
            Act("readmit", f"filter:{c.slot}", f"{_said(c)} included", f"Keep the rows where {c.filter.words}.")
            for c in target[:1]
        ]
    excludes = EXCLUDES.search(text)
    if excludes:
        target = _near(found, text, excludes) or ([recent] if recent and _THOSE.search(text) else [])
        return [a for c in target if (a := _leave_out(c)) is not None]
    only = ONLY.search(text)
    if only and found:
        return [_keep_only(c) for c in _near(found, text, only)[:1]]
    return []


def _excluding_after(text: str, at: int) -> bool:
    return bool(EXCLUDES.search(text, at))


def _near(found: list[Condition], text: str, verb: re.Match[str]) -> list[Condition]:
    """The conditions that an exclusion is about: those of its clause, else those before it in the text."""
    start = max(text.rfind(m, 0, verb.start()) for m in (".", ";", "!", "?")) + 1
    ends = [e for e in (text.find(m, verb.end()) for m in (". ", ";", "!", "?")) if e >= 0]
    end = min(ends, default=len(text))
    inside = [c for c in found if start <= c.start < end]
    return inside or [c for c in found if c.start < start][-1:]


def _leave_out(condition: Condition) -> Act | None:
    kept = inverse(condition.filter)
    if kept is None:
        return None
    return Act(
        "filter",
        f"filter:{condition.slot}",
        f"{_said(condition)} excluded",
        f"Leave out the rows where {condition.filter.words}.",
        FilterRows(predicate=kept).model_dump(mode="json"),
    )


def _keep_only(condition: Condition) -> Act:
    return Act(
        "filter",
        f"filter:only {condition.filter.column}",
        f"{_said(condition)} only",
        f"Keep only the rows where {condition.filter.words}.",
        FilterRows(predicate=condition.filter).model_dump(mode="json"),
    )


def _said(condition: Condition) -> str:
    f = condition.filter
    if f.op in {"eq", "in"}:
        return f"{f.column} {', '.join(map(str, f.values))}"
    return f.words
