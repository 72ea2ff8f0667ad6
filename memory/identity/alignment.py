"""Setting two statements side by side: which words are the same, what each says alone, and in which part of it.

A word of one statement is paired with at most one of the other: first the equal, then short forms (CTR for
click-through rate), then what the dictionary calls the same. Nearness of word vectors pairs only what is left, and
never opposites or two kinds of one thing.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, NamedTuple

from memory.identity import lexicon, synonyms
from memory.identity.thesaurus import Kinship, kinship
from memory.identity.wording import Item, Statement

Role = Literal["head", "part", "value", "reason"]
Likeness = Callable[[str, str], float]

ALIGNED_FROM = 0.6
"""Cosine from which two different words count as one in two wordings."""

_CONTRASTS = frozenset({"opposite", "sibling"})
_PART = frozenset({"in", "for", "of", "among", "from", "between", "on", "within", "across", "per", "during", "where"})
_VALUE = frozenset(
    {
        "as",
        "at",
        "to",
        "with",
        "by",
        "keeping",
        "than",
        "instead",
        "through",
        "using",
        "into",
        "is",
        "are",
        "was",
        "were",
    }
)
_REASON = frozenset(
    {"cause", "so", "since", "mostly", "mainly", "which", "while", "although", "despite", "hence", "after"}
)
_SAYING = frozenset(
    {
        "show",
        "want",
        "user",
        "use",
        "should",
        "always",
        "figure",
        "figures",
        "ask",
        "please",
        "data",
        "still",
        "now",
        "recomputed",
        "recalculated",
        "according",
        "stand",
        "come",
    }
)
_LOOK_BACK = 4


class Word(NamedTuple):
    """A word that carries meaning, with the part of the sentence that it stands in."""

    text: str
    key: str
    role: Role
    position: int


class Pair(NamedTuple):
    """Two words that count as one."""

    old: Word
    new: Word
    kin: Kinship | Literal["near", "short form"]


@dataclass(frozen=True)
class Alignment:
    """What two statements share and what each says alone."""

    pairs: tuple[Pair, ...]
    left_old: tuple[Word, ...]
    left_new: tuple[Word, ...]

    def contrasts(self) -> list[tuple[Word, Word, Kinship]]:
        """Words left over that are opposites or two kinds of one thing."""
        return [
            (x, y, kin)
            for x in self.left_old
            for y in self.left_new
            if not {x.key, y.key} & synonyms.ON_AXES and (kin := kinship(x.text, y.text)) in _CONTRASTS
        ]


def align(a: Statement, b: Statement, likeness: Likeness) -> Alignment:
    """Pair the words of two statements; `likeness` is the cosine of two words."""
    old, new = list(content(a)), list(content(b))
    pairs = [*_equal(old, new), *_short_forms(a, b, old, new)]
    for accepted in ("equal", "synonym"):
        pairs += _greedy(old, new, partial(_kin, accepted), 0.5)
    pairs += _greedy(old, new, lambda x, y: _near(x, y, likeness), ALIGNED_FROM)
    return Alignment(tuple(pairs), tuple(old), tuple(new))


def content(statement: Statement) -> list[Word]:
    """The words that carry meaning, without directions and negations."""
    words = []
    led_in = _lead_in(statement.items)
    for position, item in enumerate(statement.items):
        text = item.text.casefold()
        if item.kind != "word" or len(text) < 2 or text in lexicon.STOP or text in lexicon.OPPOSED:
            continue
        if (
            item.key in lexicon.STOP
            or (item.key in _SAYING and not _counted(statement.items, position))
            or text.endswith("n't")
            or text in lexicon.APPROXIMATE
        ):
            continue
        words.append(
            Word(text, item.key, "reason" if position < led_in else role_of(statement.items, position), position)
        )
    return words


def _counted(items: Sequence[Item], position: int) -> bool:
    """Whether a word names what is counted, "three times as many likes", rather than says something."""
    return position > 0 and items[position - 1].text.casefold() in {"many", "more", "fewer", "few", "most"}


def _lead_in(items: Sequence[Item]) -> int:
    """Where the sentence proper starts, after the likes of "Looking at the audit log," and "Still true:"."""
    if not items or items[0].text.casefold() not in lexicon.LEAD_INS:
        return 0
    return next((i + 1 for i, item in enumerate(items) if item.kind == "mark" and item.text in ",:"), 0)


def role_of(items: Sequence[Item], position: int) -> Role:
    """The part of the sentence that an item stands in, by the words before it."""
    for item in reversed(items[:position]):
        if item.kind == "word" and item.key in _REASON:
            return "reason"
        if item.kind == "mark" and item.text in ".;":
            break
    for item in reversed(items[max(0, position - _LOOK_BACK) : position]):
        text = item.text.casefold()
        if item.kind == "mark":
            break
        if text in _PART:
            return "part"
        if text in _VALUE or item.key in synonyms.VALUE_LEADERS:
            return "value"
    return "head"


def _equal(old: list[Word], new: list[Word]) -> list[Pair]:
    """Equal words in the order that they stand in, so that a repeated word is not paired crosswise."""
    pairs = []
    for x in list(old):
        y = next((y for y in new if y.key == x.key), None)
        if y is not None:
            pairs.append(_pair(old, new, x, y, "equal"))
    return pairs


def _short_forms(a: Statement, b: Statement, old: list[Word], new: list[Word]) -> list[Pair]:
    pairs = []
    for short, full, swap in ((old, b, False), (new, a, True)):
        for word in list(short):
            if not 2 <= len(word.text) <= 5:
                continue
            spelled = _spelled_out(word.text, full, old if swap else new)
            for other in spelled:
                x, y = (other, word) if swap else (word, other)
                if x in old:
                    old.remove(x)
                if y in new:
                    new.remove(y)
                pairs.append(Pair(x, y, "short form"))
    return pairs


def _spelled_out(short: str, full: Statement, candidates: list[Word]) -> list[Word]:
    """The words of a statement whose first letters make the short form, {} where there are none."""
    words = [(i, item.text.casefold()) for i, item in enumerate(full.items) if item.kind == "word"]
    for start in range(len(words) - len(short) + 1):
        run = words[start : start + len(short)]
        if run[-1][0] - run[0][0] == len(short) - 1 and _begins(run, short):
            at = {i for i, _ in run}
            return [word for word in candidates if word.position in at]
    return []


def _begins(run: list[tuple[int, str]], short: str) -> bool:
    """Whether the words begin with these letters; "average" is read as "mean" and still begins with an a."""
    return all(
        letter == text[0] or (letter, text) == ("a", "mean") for letter, (_, text) in zip(short, run, strict=True)
    )


def _greedy(old: list[Word], new: list[Word], score: Callable[[Word, Word], float], floor: float) -> list[Pair]:
    scored = sorted(((score(x, y), -i, -j) for i, x in enumerate(old) for j, y in enumerate(new)), reverse=True)
    olds, news, pairs = list(old), list(new), []
    for value, i, j in scored:
        x, y = olds[-i], news[-j]
        if value >= floor and x in old and y in new:
            pairs.append(_pair(old, new, x, y, "synonym" if value == 1.0 else "near"))
    return pairs


def _pair(old: list[Word], new: list[Word], x: Word, y: Word, kin: Kinship | Literal["near", "short form"]) -> Pair:
    old.remove(x)
    new.remove(y)
    return Pair(x, y, kin)


def _kin(accepted: Kinship, x: Word, y: Word) -> float:
    return float(kinship(x.text, y.text) == accepted)


def _near(x: Word, y: Word, likeness: Likeness) -> float:
    return 0.0 if kinship(x.text, y.text) in _CONTRASTS else likeness(x.text, y.text)
