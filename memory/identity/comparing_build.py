"""Comparing how two statements are built: what stands together in them, and what one puts in place of the other."""

import difflib
from collections.abc import Sequence
from itertools import combinations

from memory.identity import lexicon
from memory.identity.alignment import Alignment, Likeness
from memory.identity.thesaurus import kinship
from memory.identity.wording import Item, Statement

_SIMILAR_SENTENCES = 0.5
_OF_A_PART = frozenset({"in", "for", "of", "among", "from", "between", "on"})
_OF_A_VALUE = frozenset(
    {"as", "at", "to", "with", "by", "keeping", "than", "instead", "through", "using", "into", "is", "are"}
)
_DETERMINERS = frozenset({"the", "a", "an", "all", "its", "every", "each"})
_CLAUSE_ENDS = frozenset(
    {"and", "but", "while", "than", "vs", "versus", "against", "compared", "not", "instead", "rather"}
)


def compare_bindings(a: Statement, b: Statement, aligned: Alignment) -> dict[str, float]:
    """How much of what stands together in one statement stands together in the other."""
    names = {pair.new.position: pair.old.key for pair in aligned.pairs}
    together_a, together_b = _together(a.items, {}), _together(b.items, names)
    known = {k for pair in together_a for k in pair} & {k for pair in together_b for k in pair}
    one = {pair for pair in together_a if pair <= known}
    other = {pair for pair in together_b if pair <= known}
    alike = len(one & other) / min(len(one), len(other)) if one and other else 1.0
    return {
        "bound_alike": alike,
        "bound_crosswise": float(_crosswise(one - other, other - one)),
        "numbers_crosswise": float(_crosswise(_measured(one - other), _measured(other - one))),
        "order_swapped": float(_swapped(aligned)),
    }


def _measured(pairs: set[frozenset[str]]) -> set[frozenset[str]]:
    return {pair for pair in pairs if sum(key[0].isdigit() for key in pair) == 1}


def _crosswise(lost: set[frozenset[str]], gained: set[frozenset[str]]) -> bool:
    """Whether two things changed partners: 70 % scanning and 20 % typing for 20 % scanning and 70 % typing."""
    for one, other in combinations([sorted(pair) for pair in lost], 2):
        for x, y in (one, one[::-1]):
            for v, w in (other, other[::-1]):
                if len({x, y, v, w}) == 4 and frozenset((x, w)) in gained and frozenset((v, y)) in gained:
                    return True
    return False


def _swapped(aligned: Alignment) -> bool:
    """Whether an odd number of pairs of contrasting words stand the other way round: "tables to charts"."""
    pairs = [pair for pair in aligned.pairs if pair.kin == "equal"]
    flips = 0
    for one, other in combinations(pairs, 2):
        if kinship(one.old.text, other.old.text) in {"opposite", "sibling"}:
            flips += (one.old.position < other.old.position) != (one.new.position < other.new.position)
    return flips % 2 == 1


def _together(items: tuple[Item, ...], names: dict[int, str]) -> set[frozenset[str]]:
    """Pairs of keys that stand in one clause; brackets around a number belong to the clause before."""
    clauses: list[set[str]] = [set()]
    for position, item in enumerate(items):
        text = item.text.casefold()
        if (item.kind == "mark" and item.text in ",;:.") or (item.kind == "word" and text in _CLAUSE_ENDS):
            clauses.append(set())
        elif item.kind != "mark" and text not in lexicon.STOP:
            clauses[-1].add(names.get(position, item.key))
    return {frozenset(pair) for clause in clauses for pair in combinations(sorted(clause), 2)}


def compare_build(a: Statement, b: Statement, likeness: Likeness) -> dict[str, float]:
    """Where sentences of one build put one wording for another: in the subject, a part named, or the value."""
    matcher = difflib.SequenceMatcher(None, a.tokens, b.tokens, autojunk=False)
    ratio = matcher.ratio()
    values = {"build": ratio, "put_first": 0.0, "put_in_part": 0.0, "put_in_value": 0.0, "put_last": 0.0}
    values |= {"put_likeness": 0.0, "put_format": 0.0, "put_contrast": 0.0, "put_synonym": 0.0, "put_once": 0.0}
    if ratio < _SIMILAR_SENTENCES:
        return values
    puts = [code for code in matcher.get_opcodes() if code[0] != "equal"]
    for kind, a1, a2, b1, b2 in puts:
        old, new = a.tokens[a1:a2], b.tokens[b1:b2]
        if kind != "replace" or not (_says_what(old) and _says_what(new)):
            continue
        lead = next((word for word in reversed(a.tokens[:a1]) if word not in _DETERMINERS), "")
        kin = {kinship(x, y) for x in old for y in new if x[0].isalpha() and y[0].isalpha()}
        return values | {
            "put_first": float(a1 <= 2),
            "put_in_part": float(lead in _OF_A_PART),
            "put_in_value": float(lead in _OF_A_VALUE),
            "put_last": float(a2 >= len(a.tokens) - 1),
            "put_likeness": likeness(" ".join(old), " ".join(new)),
            "put_format": float(any(mark in "".join(old + new) for mark in "#/'%")),
            "put_contrast": float(bool(kin & {"opposite", "sibling"})),
            "put_synonym": float(bool(kin & {"equal", "synonym"})),
            "put_once": float(len(puts) == 1),
        }
    return values


def _says_what(tokens: Sequence[str]) -> bool:
    return any(t[0].isalpha() and t not in lexicon.STOP and t not in lexicon.OPPOSED for t in tokens)
