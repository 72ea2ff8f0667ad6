"""Cut a sentence into clauses that each ask one thing."""

import re

from analyst.questions.kinds import has, kind_of
from analyst.reading.aggregates import aggregate_words
from analyst.reading.lexicon import GENERIC
from analyst.reading.matching import Matcher
from analyst.reading.mentions import Mention
from analyst.reading.words import lemma, tokens

_JOINT = re.compile(
    r"\s*(?:;|,\s*(?:and|then|also|plus|as well as)\b|,|\band\b|\bas well as\b|\bplus\b)\s+(?:then |also )?", re.I
)
_MAX_JOINTS = 40
_BEGINS = re.compile(
    r"(?:how (?:many|much|long|often|do|does|did|is|are)|what|which"
    r"|who|when|where|why|is|are|does|do|did|list|show|give|find"
    r"|calculate|compute|determine|count|identify"
    r"|return|plot|tell|check|any|compare|rank|describe|test|can)\b",
    re.I,
)
_SCOPE = re.compile(
    r"(?:among|in|for|within|of|during|when|if|given|considering"
    r"|excluding|except|without|looking at|on|at|from|since|after"
    r"|before|only|group|grouping|using|based on|with)\b",
    re.I,
)
_BY = re.compile(
    r"(?<!\w)(?:by|per|for each|in each|of each|within each|across|broken down by|grouped by|split by)(?!\w)", re.I
)


def clauses(sentence: str, matcher: Matcher) -> list[str]:
    """Parts of a sentence, in order. A part is cut off only where it could stand alone and what precedes it could too.

    "Total revenue and orders, and revenue by region" is two; "mean and median of fare by class" is one.
    """
    mentions = matcher.mentions(sentence)
    cuts = [0]
    ends: list[int] = []
    joints = [j for j in _JOINT.finditer(sentence) if not any(m.start <= j.start() < m.end for m in mentions)][
        :_MAX_JOINTS
    ]
    for i, joint in enumerate(joints):
        until = joints[i + 1].start() if i + 1 < len(joints) else len(sentence)
        left = _Part(sentence, cuts[-1], joint.start(), mentions)
        right = _Part(sentence, joint.end(), until, mentions)
        comma = "," in joint.group() or ";" in joint.group()
        if _divides(left, right, comma=comma, more=i + 1 < len(joints)):
            ends.append(joint.start())
            cuts.append(joint.end())
    ends.append(len(sentence))
    return [sentence[a:b].strip(" ,;") for a, b in zip(cuts, ends, strict=True)]


class _Part:
    """What a stretch of a sentence holds."""

    def __init__(self, sentence: str, start: int, end: int, mentions: tuple[Mention, ...]) -> None:
        self.text = sentence[start:end]
        self.columns = {m.column for m in mentions if start <= m.start and m.end <= end and m.how != "value"}
        inside = [(m.start - start, m.end - start) for m in mentions]
        self.aggregates = [
            a for a in aggregate_words(self.text) if not any(s <= a.start and a.end <= e for s, e in inside)
        ]
        self.counts = any(a.counts for a in self.aggregates)
        self.by = _BY.search(self.text) is not None
        self.begins = _BEGINS.match(self.text.lstrip()) is not None
        self.kind = kind_of(self.text)
        self.words = {lemma(t.word) for t in tokens(self.text) if t.is_word and not t.is_stop and t.word not in GENERIC}

    @property
    def whole(self) -> bool:
        """Whether it could be asked alone."""
        return bool(
            (self.aggregates and (self.columns or self.counts))
            or (self.columns and self.by)
            or self.kind in {"quality", "outliers"}
            or (self.kind in {"trend", "distribution"} and (self.columns or self.begins))
            or (self.begins and len(self.text.split()) > 1)
        )


def _divides(left: _Part, right: _Part, *, comma: bool, more: bool) -> bool:
    if has("relation", left.text) and not (right.begins or (comma and right.kind not in {None, "relation"})):
        return False
    if _BY.match(right.text.lstrip()) or re.match(r"(?:if so|respectively|or|but)\b", right.text.lstrip(), re.I):
        return False
    if _SCOPE.match(left.text.lstrip()) and not left.aggregates:
        return False
    left_whole = bool(left.columns or left.aggregates or left.kind)
    if not left_whole or not right.whole:
        return comma and left.kind == "quality" and bool(right.aggregates) and left.whole
    if right.begins and (
        comma
        or right.text.split()[0].lower()
        not in {"is", "are", "count", "did", "do", "does", "can", "any", "when", "where", "who", "which"}
    ):
        return True
    if right.kind != left.kind and {right.kind, left.kind} & {
        "quality",
        "outliers",
        "list",
        "distribution",
        "relation",
    }:
        return True
    if left.by and (comma or right.by):
        return True
    repeated = bool(left.words & right.words) or (left.counts and right.counts)
    return right.by and repeated and (comma or not more)
