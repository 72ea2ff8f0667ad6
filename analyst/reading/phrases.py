"""Noun phrases: when several mentions in a row mean one column, or one mention means its sibling."""

import re
from collections.abc import Sequence
from dataclasses import replace

from analyst.reading.mentions import Mention
from analyst.reading.words import likeness, name_words
from datasets.schema import SchemaCard

_WEAK = 0.62
_PERCENT_OF = re.compile(
    r"\b(?:percent(?:age)?s?|shares?|proportions?|%)\s+of\s+(?:the\s+)?(?:number\s+of\s+)?(?:all\s+)?$", re.I
)
_PERCENT_WORDS = frozenset({"per", "pct", "perc", "percent", "percentage", "share", "prop", "proportion", "rate"})
_LISTED = re.compile(r"[\"'`]*\s*(?:,|and|or|&|versus|vs\.?)\s*(?:the\s+)?[\"'`]*", re.I)
_BRACKET = re.compile(r"\s*\(\s*")
_TIE = 0.12


def one_each(text: str, mentions: Sequence[Mention], card: SchemaCard) -> list[Mention]:
    """The mentions with noun phrases read as one.

    "ticket class (Pclass)" is Pclass; "life expectancy score" is the life expectancy though another column is a score;
    "percentage of votes for X" is per_x where votes_x has such a sibling; in "votes for X and Y" Y follows X.
    """
    kept: list[Mention] = []
    for mention in mentions:
        before = kept[-1] if kept else None
        if mention.how in {"quoted", "name"} and before and _BRACKET.fullmatch(text[before.end : mention.start]):
            while kept and kept[-1].how != "value" and not text[kept[-1].end : mention.start].strip(" ("):
                mention_start = kept.pop()
                mention = replace(mention, start=min(mention.start, mention_start.start))
            kept.append(mention)
            continue
        if before and not text[before.end : mention.start].strip() and _absorbed(before, mention, card):
            continue
        if mention.how in {"words", "fuzzy"}:
            mention = _percentage(text, mention, card)
            if before and _LISTED.fullmatch(text[before.end : mention.start]):
                mention = _in_line(mention, before)
        kept.append(mention)
    return kept


def _absorbed(before: Mention, mention: Mention, card: SchemaCard) -> bool:
    alike = card.column(before.column).role == card.column(mention.column).role
    return (
        alike and mention.how in {"words", "fuzzy"} and mention.score < _WEAK < before.score and before.how != "value"
    )


def _percentage(text: str, mention: Mention, card: SchemaCard) -> Mention:
    if not _PERCENT_OF.search(text[: mention.start]):
        return mention
    own = set(name_words(mention.column))
    for column in card.columns:
        words = set(name_words(column.name))
        rest = words - _PERCENT_WORDS
        if words & _PERCENT_WORDS and rest and rest < own and column.numeric:
            return replace(mention, columns=((column.name, mention.score), *mention.columns))
    return mention


def _in_line(mention: Mention, before: Mention) -> Mention:
    """Among candidates that fit about as well, the one whose name is built like the one before it."""
    others = [(name, score) for name, score in mention.columns if score >= mention.score - _TIE]
    if len(others) < 2:
        return mention
    spoken = name_words(mention.text)

    def shared(name: str) -> int:
        rest = [w for w in name_words(name) if not any(likeness(a, w) >= 0.75 for a in spoken)]
        return len(set(rest) & set(name_words(before.column)))

    best = max(others, key=lambda pair: (shared(pair[0]), pair[1]))
    return replace(mention, columns=(best, *(c for c in mention.columns if c[0] != best[0])))
