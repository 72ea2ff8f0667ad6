"""What the dictionary says of two words: the same, opposites, or two kinds of one thing.

The words are those of WordNet 3.1 in `assets/thesaurus.tsv.gz` (see NOTICE). The groups of `synonyms` come first, since
"blank" and "null" are one to an analyst and two to a dictionary.
"""

import gzip
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple

from memory.identity import synonyms

Kinship = Literal["equal", "synonym", "kind", "opposite", "sibling", "none"]

_ASSET = Path(__file__).parents[1] / "assets" / "thesaurus.tsv.gz"
_ENDINGS = (
    ("ies", "y"), ("ied", "y"), ("sses", "ss"), ("ches", "ch"), ("shes", "sh"), ("xes", "x"), ("ss", "ss"), ("s", ""),
    ("ing", "e"), ("ing", ""), ("ed", "e"), ("ed", ""), ("er", "e"), ("er", ""), ("est", "e"), ("est", ""),
)  # fmt: skip
_FORMS = frozenset({"ies", "ied", "ches", "shes", "xes", "s", "ing", "ed"})
_NO_FORMS = frozenset(
    [
        "evening",
        "morning",
        "during",
        "nothing",
        "something",
        "wedding",
        "ceiling",
        "news",
        "less",
        "press",
        "access",
        "process",
    ]
)
_FREQUENT_MEANINGS = 2  # kinds of one thing are only told by the first meanings: rarer ones make siblings of anything
_SAME_START = 5


class _Entry(NamedTuple):
    meanings: tuple[int, ...]
    parents: tuple[int, ...]
    opposites: frozenset[str]
    derived: frozenset[str]


def lemma(word: str) -> str:
    """The dictionary form of a word in lower case; the word itself where there is none."""
    return _lemma(word.casefold().removesuffix("'s").removesuffix("'"))


def key(word: str) -> str:
    """What stands for a word in comparisons: the name of its group, else its dictionary form."""
    base = lemma(word)
    return synonyms.GROUP_OF.get(word.casefold()) or synonyms.GROUP_OF.get(base) or base


@cache
def kinship(one: str, other: str) -> Kinship:
    """How two words relate, by their first meanings."""
    key_one, key_other = key(one), key(other)
    if key_one == key_other:
        return "equal"
    if frozenset((key_one, key_other)) in synonyms.OPPOSITES or _prefixed(key_one, key_other):
        return "opposite"
    if synonyms.CONTRASTS.get(key_one, set()) & synonyms.CONTRASTS.get(key_other, set()):
        return "sibling"
    a, b = _entries().get(lemma(one)), _entries().get(lemma(other))
    if a is None or b is None:
        return "synonym" if key_one[:_SAME_START] == key_other[:_SAME_START] and len(key_one) > _SAME_START else "none"
    if lemma(other) in a.opposites or lemma(one) in b.opposites:
        return "opposite"
    if lemma(other) in a.derived or lemma(one) in b.derived or a.derived & b.derived:
        return "synonym"
    if set(a.meanings) & set(b.meanings):
        return "synonym"
    if set(a.meanings[:_FREQUENT_MEANINGS]) & set(b.parents) or set(b.meanings[:_FREQUENT_MEANINGS]) & set(a.parents):
        return "kind"
    if set(a.parents[:_FREQUENT_MEANINGS]) & set(b.parents[:_FREQUENT_MEANINGS]):
        return "sibling"
    return "none"


def _prefixed(one: str, other: str) -> bool:
    """Whether one of two words is the other with a denying prefix: voluntary, involuntary."""
    short, long = sorted((one, other), key=len)
    return len(short) > 3 and any(long == prefix + short for prefix in ("un", "in", "non", "im", "ir", "dis", "off"))


@cache
def _lemma(word: str) -> str:
    if word in synonyms.IRREGULAR:
        return synonyms.IRREGULAR[word]
    entries = _entries()
    known = word in entries
    for ending, instead in _ENDINGS:
        # "included" is a word of its own to the dictionary, and a form of "include" to a comparison.
        if not word.endswith(ending) or (known and ending not in _FORMS) or word in _NO_FORMS:
            continue
        base = word.removesuffix(ending) + instead
        if len(base) > 2 and (base in entries or base in synonyms.GROUP_OF):
            return base
        if len(base) > 4 and base[-1] == base[-2] and base[:-1] in entries:
            return base[:-1]
    return word


@cache
def _entries() -> dict[str, _Entry]:
    entries = {}
    for line in gzip.decompress(_ASSET.read_bytes()).decode().splitlines():
        word, meanings, parents, opposites, derived = line.split("\t")
        entries[word] = _Entry(_numbers(meanings), _numbers(parents), _names(opposites), _names(derived))
    return entries


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in text.split(",") if number)


def _names(text: str) -> frozenset[str]:
    return frozenset(name for name in text.split(",") if name)
