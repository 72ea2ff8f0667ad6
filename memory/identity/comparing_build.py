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
_LISTING = frozenset({"and", "or", "nor", "plus", "be"})
"""Between two things that may change places: a list, or "a quarter of sales were exports"."""
_BOTH_WAYS = frozenset(
    {"related", "unrelated", "together", "identical", "difference", "differ", "join", "compare", "match", "between"}
)
_PREPOSITIONS = _OF_A_PART | {"at", "to", "with", "by", "as", "per", "before", "after", "since", "until", "when", "if"}
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
        "numbers_crosswise": float(
            _numbers_change_places(a, b) or _crosswise(_measured(one - other), _measured(other - one))
        ),
        "order_swapped": float(_swapped(aligned)),
        "exchanged": float(_exchanged(a, b)),
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


def _numbers_change_places(a: Statement, b: Statement) -> bool:
    """Whether the same numbers stand in another order in otherwise the same sentence."""
    (frame_a, numbers_a), (frame_b, numbers_b) = _frame(a), _frame(b)
    return frame_a == frame_b and numbers_a != numbers_b and sorted(numbers_a) == sorted(numbers_b)


def _frame(statement: Statement) -> tuple[list[str], list[str]]:
    """Keys of a sentence in their order without its numbers, and its numbers."""
    words = [item.key if item.kind != "quantity" else "" for item in statement.items if item.kind != "mark"]
    return words, [f"{item.quantity.value:g}" for item in statement.items if item.quantity]


def _swapped(aligned: Alignment) -> bool:
    """Whether an odd number of pairs of contrasting words stand the other way round: "tables to charts"."""
    pairs = [pair for pair in aligned.pairs if pair.kin == "equal"]
    flips = 0
    for one, other in combinations(pairs, 2):
        if kinship(one.old.text, other.old.text) in {"opposite", "sibling"}:
            flips += (one.old.position < other.old.position) != (one.new.position < other.new.position)
    return flips % 2 == 1


def _exchanged(a: Statement, b: Statement) -> bool:
    """Whether two things changed places in otherwise the same sentence: "noise rather than dirt, not dirt ... noise".

    What brings its own preposition along, or stands in a list, or is compared both ways, may stand anywhere.
    """
    one, other = (
        [item for item in s.items if item.kind != "mark" and item.text.casefold() not in _DETERMINERS] for s in (a, b)
    )
    if len(one) != len(other) or any(item.key in _BOTH_WAYS for item in one):
        return False
    same = [x.key == y.key for x, y in zip(one, other, strict=True)]
    if all(same):
        return False
    start, end = same.index(False), len(same) - same[::-1].index(False)
    x_keys, y_keys = [item.key for item in one[start:end]], [item.key for item in other[start:end]]
    length = end - start
    for x in range(1, length - 1):
        for y in range(1, length - x):
            middle = x_keys[x : length - y]
            if (
                x_keys[:x] == y_keys[length - x :]
                and x_keys[length - y :] == y_keys[:y]
                and middle == y_keys[y : length - x]
                and not set(middle) <= _LISTING
                and not {one[start].text.casefold(), other[start].text.casefold()} & _PREPOSITIONS
            ):
                return True
    return False


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
    values |= {"put_twice": 0.0, "put_any_part": 0.0, "put_measure": 0.0}
    if ratio < _SIMILAR_SENTENCES:
        return values
    puts = [code for code in matcher.get_opcodes() if code[0] != "equal"]
    wordings = [code for code in puts if code[0] == "replace" and _changes_words(a.tokens, b.tokens, code)]
    if not wordings:
        return values
    _, a1, a2, b1, b2 = wordings[0]
    old, new = a.tokens[a1:a2], b.tokens[b1:b2]
    kin = {kinship(x, y) for x in old for y in new if x[0].isalpha() and y[0].isalpha()}
    return values | {
        "put_first": float(a1 <= 2),
        "put_in_part": float(_lead(a.tokens, a1) in _OF_A_PART),
        "put_in_value": float(_lead(a.tokens, a1) in _OF_A_VALUE),
        "put_last": float(a2 >= len(a.tokens) - 1),
        "put_likeness": likeness(" ".join(old), " ".join(new)),
        "put_format": float(any(mark in "".join(old + new) for mark in "#/'%")),
        "put_contrast": float(bool(kin & {"opposite", "sibling"})),
        "put_synonym": float(bool(kin & {"equal", "synonym"})),
        "put_once": float(len(puts) == 1),
        "put_measure": float(bool({_lead(a.tokens, a1), _lead(b.tokens, b1)} & lexicon.SUPERLATIVES)),
        "put_twice": float(len(wordings) > 1),
        "put_any_part": float(any(_lead(a.tokens, start) in _OF_A_PART for _, start, *_ in wordings)),
    }


def _changes_words(a: Sequence[str], b: Sequence[str], code: tuple[str, int, int, int, int]) -> bool:
    _, a1, a2, b1, b2 = code
    return _says_what(a[a1:a2]) and _says_what(b[b1:b2])


def _lead(tokens: Sequence[str], start: int) -> str:
    """The word before a place in a sentence, but for articles."""
    return next((word for word in reversed(tokens[:start]) if word not in _DETERMINERS), "")


def _says_what(tokens: Sequence[str]) -> bool:
    return any(t[0].isalpha() and t not in lexicon.STOP and t not in lexicon.OPPOSED for t in tokens)
