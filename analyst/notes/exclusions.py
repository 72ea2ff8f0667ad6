"""Which rows a rule leaves out, keeps only, or lets back in."""

import re

from analyst.notes.acts import Act
from analyst.notes.conditions import Condition, conditions, inverse
from datasets.directives import ExcludeRecent, FilterRows
from datasets.schema import SchemaCard

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


def recent_acts(text: str, card: SchemaCard | None) -> list[Act]:
    """Read that the last days or weeks are to be left out."""
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


def filter_acts(text: str, card: SchemaCard | None, recent: Condition | None) -> list[Act]:
    """Read filters from conditions on columns; `recent` is what "those rows" means when the text names none."""
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
