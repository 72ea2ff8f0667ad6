"""Column names as a question may write them: whole, without a bracketed part, or by the bracketed part alone."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache

from rapidfuzz import fuzz

from analyst.reading.lexicon import GENERIC
from analyst.reading.words import Token, chained, lemma, likeness, name_words, weight

_BRACKETED = re.compile(r"[(\[]([^)\]]*)[)\]]")
_ENOUGH_0_1 = 0.5
_FUZZY_0_100 = 86
MAX_SKIPPED = 3
_APART = re.compile(
    r"(?:relat|correlat|associat|affect|influenc|impact|driv|depend|determin|predict|explain|compar|differ|vary|varies)\w*"
    r"|versus|vs|against|between|than|per|each|every|within"
)
"""Words that set two things against each other: no one name stands on both sides of them."""
_JOINED = frozenset(["and", "or"])
_STATISTICS = frozenset(
    ["min", "max", "mean", "median", "avg", "average", "std", "sum", "total", "count", "minimum", "maximum"]
)


@dataclass(frozen=True)
class Alias:
    """One way to write a column name, as words."""

    column: str
    words: tuple[str, ...]

    @property
    def generic(self) -> bool:
        """Whether no word of it says anything by itself ("date", "total", "number")."""
        return all(weight(w) < 1 for w in self.words)


@dataclass(frozen=True)
class Hit:
    """An alias found at tokens first..last."""

    column: str
    first: int
    last: int
    score: float
    matched: int
    """How many words of the name were found, those for aggregates ("max", "mean") not counted."""


@lru_cache(maxsize=2048)
def aliases(column: str) -> tuple[Alias, ...]:
    """Ways to write a column name, the whole name first."""
    forms = [name_words(column)]
    inner = _BRACKETED.search(column)
    if inner:
        forms.append(name_words(_BRACKETED.sub(" ", column)))
        if sum(weight(w) for w in name_words(inner.group(1))) >= 1.5:
            forms.append(name_words(inner.group(1)))
    whole = forms[0]
    if "in" in whole[1:-1]:
        forms.append(whole[: whole.index("in", 1)])
    # "Trips over the past 24-hours" are trips, "Miles traveled today" are miles traveled.
    timed = next((i for i, w in enumerate(whole) if i and w in {"over", "during", "today"}), None)
    if timed:
        forms.append(whole[:timed])
    return tuple(Alias(column, form) for form in dict.fromkeys(forms) if form)


_SO_FAR = frozenset({"cumulative", "cumulated", "running", "accumulated"})
_UNSAID = 0.75


def hits(alias: Alias, asked: Sequence[Token], *, fuzzy: bool = False, own: Collection[str] = frozenset()) -> list[Hit]:
    """Places where the words of an alias stand close together in a question, with the share of the name found.

    `own`: words that no other column has; one of them is enough to mean the column.
    """
    by_word = {
        word: [_grade(word, w, fuzzy=fuzzy) for w in alias.words] for word in {t.word for t in asked if t.is_word}
    }
    if any(any(row) for row in by_word.values()):
        total = sum(weight(w) for w in alias.words)
        none = [0.0] * len(alias.words)
        grades = [by_word.get(t.word, none) for t in asked]
        found = [h for h in (_from(alias, asked, grades, start, total, own) for start in range(len(asked))) if h]
    else:
        found = []
    if len(alias.words) == 1 and len(alias.words[0]) >= 5:
        found += _spelled(alias, asked)
    return found


def _from(
    alias: Alias, asked: Sequence[Token], grades: list[list[float]], start: int, total: float, own: Collection[str]
) -> Hit | None:
    """The hit that begins at one token, if enough of the name is there."""
    if not any(grades[start]) or (asked[start].is_stop and alias.words[0] != asked[start].word):
        return None
    got: dict[int, float] = {}
    last, skipped, content, joined = start, 0, 0, False
    for i in range(start, len(asked)):
        token = asked[i]
        if not token.is_word and token.text not in "-_/().'\"&%:$":
            break
        best = max((j for j in range(len(alias.words)) if j not in got), key=lambda j: grades[i][j], default=None)
        if best is not None and grades[i][best] > 0:
            if joined and (best != max(got) + 1 or min(grades[i][best], *got.values()) < 1):
                break
            got[best] = grades[i][best]
            last, skipped, content, joined = i, 0, 0, False
            continue
        if _APART.fullmatch(token.word):
            break
        joined = joined or token.word in _JOINED
        skipped += token.is_word
        content += token.is_word and not token.is_stop
        if content and all(weight(alias.words[j]) < 1 for j in got):
            break
        if skipped > MAX_SKIPPED or content > 1:
            break
    score = sum(weight(alias.words[j]) * grade for j, grade in got.items()) / total
    solid = any(weight(alias.words[j]) >= 1 for j in got) or (alias.generic and len(got) == len(alias.words))
    enough = 0.8 if _abbreviated(alias) else 0.9
    if score < _ENOUGH_0_1 and any(alias.words[j] in own and grade >= enough for j, grade in got.items()):
        score = _ENOUGH_0_1
    if score < _ENOUGH_0_1 or not solid:
        return None
    if any(w in _SO_FAR and j not in got for j, w in enumerate(alias.words)):
        score *= _UNSAID  # A running total is meant only where it is called one.
    matched = sum(alias.words[j] not in _STATISTICS for j in got)
    return Hit(alias.column, start, last, score, matched)


def _abbreviated(alias: Alias) -> bool:
    """Whether a name is made of shortened words, of which the beginning is all that can be said: "SibSp"."""
    return len(alias.words) > 1 and all(weight(w) >= 1 and 2 <= len(w) <= 4 for w in alias.words)


def _spelled(alias: Alias, asked: Sequence[Token]) -> list[Hit]:
    """Places where consecutive words, shortened, spell a name written in one piece."""
    name: str = alias.words[0]
    found: list[Hit] = []
    if not any(t.word[:2] == name[:2] for t in asked):
        return found
    for start in range(len(asked)):
        if not asked[start].is_word or asked[start].word[:2] != name[:2]:
            continue
        for length in (2, 3, 4):
            part = asked[start : start + length]
            if len(part) == length and all(t.is_word for t in part) and chained([t.word for t in part], name):
                found.append(Hit(alias.column, start, start + length - 1, 0.92, length))
    return found


def _grade(asked: str, named: str, *, fuzzy: bool) -> float:
    grade = likeness(asked, named)
    if not grade and fuzzy and len(asked) >= 5 and len(named) >= 5 and asked not in GENERIC:
        ratio = float(max(fuzz.ratio(asked, named), fuzz.ratio(lemma(asked), lemma(named))))
        grade = 0.8 * ratio / 100 if ratio >= _FUZZY_0_100 else 0.0
    return grade
