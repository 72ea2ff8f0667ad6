"""Who did something: where several columns hold people, the verb tells which one is meant."""

import re
from collections.abc import Sequence
from dataclasses import replace

from analyst.reading.durations import OUTCOMES
from analyst.reading.mentions import Mention
from analyst.reading.words import name_words, stem, tokens
from datasets.schema import Column, SchemaCard

_PEOPLE = re.compile(
    r"\b(?:agents?|employees?|staff|managers?|owners?|users?|people|persons?|members?|workers?|assignees?|individuals?"
    r"|representatives?|technicians?|engineers?|callers?|customers?)\b",
    re.I,
)
_NAME = re.compile(r"[A-Z][\w.'-]+(?: [A-Z][\w.'-]*)? [A-Z][\w'-]+")
_ROLES = frozenset({"assigned", "owner", "user", "manager", "employee", "agent", "caller", "assignee", "by"})
_WORKING = frozenset({"assigned", "assignee", "agent", "owner", "employee"})


def holds_people(column: Column) -> bool:
    """Whether values look like names of people, two capitalised words, and the name is one for people."""
    values = column.values[:20]
    named = sum(_NAME.fullmatch(v) is not None for v in values)
    return bool(values) and named >= 0.8 * len(values) and bool(set(name_words(column.name)) & _ROLES)


def person_column(card: SchemaCard) -> str | None:
    """The column that "who" means where no word says more: those who have the work, else any people."""
    people = [c.name for c in card.by_role("dimension", "text") if holds_people(c)]
    return min(people, key=lambda name: not set(name_words(name)) & _WORKING, default=None)


def with_agents(text: str, mentions: Sequence[Mention], card: SchemaCard) -> list[Mention]:
    """The mentions, each word for people on the column of those who did what the clause says.

    "Which agent resolved the most" is closed_by, not assigned_to; a word for people that names no column stands for the
    only column of people there is.
    """
    people = [c for c in card.by_role("dimension", "text", "identifier") if holds_people(c)]
    if not people:
        return list(mentions)
    verbs = [t.word for t in tokens(text) if t.is_word]
    done = next((c for c in people if name_words(c.name)[-1] == "by" and _does(c, verbs)), None)
    result = [_by_deed(m, done) for m in mentions]
    for match in _PEOPLE.finditer(text):
        if any(m.start < match.end() and match.start() < m.end for m in mentions):
            continue
        column = done or (people[0] if len(people) == 1 else None)
        if column:
            result.append(Mention(match.start(), match.end(), match.group(), ((column.name, 0.7),), "fuzzy"))
    return sorted(result, key=lambda m: m.start)


def others_like(mention: Mention, card: SchemaCard) -> tuple[str, ...]:
    """Other columns of people that a word for people could mean as well; empty for a column named as it is."""
    if mention.how in {"value", "quoted", "name"} or not _PEOPLE.fullmatch(mention.text.split()[0]):
        return ()
    if {stem(w) for w in name_words(mention.text)} & {stem(w) for w in name_words(mention.column)}:
        return ()
    people = [c.name for c in card.by_role("dimension", "text", "identifier") if holds_people(c)]
    return tuple(n for n in people if n != mention.column) if mention.column in people else ()


def _does(column: Column, verbs: Sequence[str]) -> bool:
    deed = name_words(column.name)[0]
    kin = {w for group in OUTCOMES if deed in group for w in group} | {deed}
    return any(stem(v) in {stem(k) for k in kin} for v in verbs)


def _by_deed(mention: Mention, done: Column | None) -> Mention:
    spoken = mention.how in {"words", "fuzzy"} and _PEOPLE.fullmatch(mention.text)
    if done is None or not spoken or {stem(mention.text.lower())} & {stem(w) for w in name_words(mention.column)}:
        return mention
    return replace(mention, columns=((done.name, mention.score), *mention.columns))
