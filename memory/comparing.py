"""Comparing two statements slot by slot: each comparison is a number with a name that the judge weighs."""

import difflib
from collections.abc import Sequence
from itertools import combinations

from memory import lexicon
from memory.alignment import Alignment, Likeness, Word, align, role_of
from memory.quantities import Quantity, same_quantity
from memory.sides import Sides, sides_of
from memory.thesaurus import kinship
from memory.wording import Item, Statement

_SIMILAR_SENTENCES = 0.5
_OF_A_PART = frozenset({"in", "for", "of", "among", "from", "between", "on"})
_OF_A_VALUE = frozenset({"as", "at", "to", "with", "by", "keeping", "than", "instead", "through", "using", "into", "is", "are"})
_DETERMINERS = frozenset({"the", "a", "an", "all", "its", "every", "each"})
_CLAUSE_ENDS = frozenset({"and", "but", "while", "than", "vs", "versus", "against", "compared", "not", "instead", "rather"})


def compare(a: Statement, b: Statement, likeness: Likeness) -> dict[str, float]:
    """The comparisons of two statements by name; `likeness` is the cosine of two texts."""
    aligned = align(a, b, likeness)
    values = (
        compare_quantities(a, b)
        | compare_names(a, b)
        | _words(a, b, aligned, likeness)
        | _sides(a, b, sides_of(a), sides_of(b))
        | _bindings(a, b, aligned)
        | _build(a, b, likeness)
    )
    return values | _crossed(values)


def _crossed(values: dict[str, float]) -> dict[str, float]:
    """What the numbers say together with what is left over: the same figure of the same thing, or of another."""
    if values["number_conflict"]:
        numbers = "conflict"
    elif values["number_match"]:
        numbers = "match"
    else:
        numbers = "none" if values["number_none"] else "other"
    if values["left_none"]:
        left = "none"
    elif values["subject_both"]:
        left = "subjects"
    elif values["left_both"]:
        left = "words"
    else:
        left = "part" if values["part_in_one"] else "one"
    crossed = {f"{n}_{w}": 0.0 for n in ("conflict", "match", "none", "other") for w in ("none", "subjects", "words", "part", "one")}
    return crossed | {f"{numbers}_{left}": 1.0}


def compare_quantities(a: Statement, b: Statement) -> dict[str, float]:
    """Which numbers are the same, which contradict, which stand alone."""
    left_a, left_b, matched = list(a.quantities), list(b.quantities), 0
    for quantity in a.quantities:
        partner = next((other for other in left_b if same_quantity(quantity, other)), None)
        if partner is not None:
            left_a.remove(quantity)
            left_b.remove(partner)
            matched += 1
    return {
        "number_match": float(matched > 0 and not left_a and not left_b),
        "number_some": float(matched > 0),
        "number_conflict": float(_same_unit(left_a, left_b)),
        "number_left_both": float(bool(left_a) and bool(left_b)),
        "number_left_one": float(bool(left_a) != bool(left_b)),
        "number_none": float(not a.quantities and not b.quantities),
        "segment_bound_conflict": float(_segment_bound_differs(a, b)),
    }


def _same_unit(a: Sequence[Quantity], b: Sequence[Quantity]) -> bool:
    return any(x.unit == y.unit for x in a for y in b)


def _segment_bound_differs(a: Statement, b: Statement) -> bool:
    """Whether the two speak of other groups with a bound, "drivers under 25" and "drivers over 70", beside their value."""
    bounds_a, bounds_b = _bounds(a), _bounds(b)
    return bool(bounds_a and bounds_b and bounds_a != bounds_b) and min(len(a.quantities), len(b.quantities)) > 1


def _bounds(statement: Statement) -> set[str]:
    """Numbers that close a group off: a noun, "under" or "over", and the number right after it."""
    found = set()
    items = statement.items
    for position, item in enumerate(items[2:], start=2):
        before, noun = items[position - 1].text.casefold(), items[position - 2]
        if item.kind == "quantity" and before in {"under", "over", "above", "below", "aged"} and noun.kind == "word":
            if role_of(items, position - 2) in {"part", "head"} and noun.text.casefold() not in lexicon.OPPOSED:
                found.add(item.key + before)
    return found


def compare_names(a: Statement, b: Statement) -> dict[str, float]:
    """Identifiers, columns, quoted values, proper names and periods."""
    parts = [part for part in "ymdqhkw" if _conflict(_part(a, part), _part(b, part))]
    numbers = bool(a.quantities or b.quantities)
    bounded = a.bounded or b.bounded or (a.superlative and b.superlative and not numbers)
    first = a.first_of_all and b.first_of_all
    capitals_a = a.capitals - b.capitals - {t.strip("'") for t in b.tokens}
    capitals_b = b.capitals - a.capitals - {t.strip("'") for t in a.tokens}
    return {
        "name_conflict": float(_conflict(a.names, b.names) and not first),
        "first_conflict": float(_conflict(a.names, b.names) and first),
        "name_in_one": float(bool(a.names - b.names) != bool(b.names - a.names)),
        "name_common": float(bool(a.names & b.names)),
        "column_conflict": float(_conflict(a.columns, b.columns)),
        "column_common": float(bool(a.columns & b.columns)),
        "column_in_one": float(bool(a.columns - b.columns) != bool(b.columns - a.columns)),
        "quoted_conflict": float(_conflict(a.quoted, b.quoted)),
        "quoted_common": float(bool(a.quoted & b.quoted)),
        "quoted_in_one": float(bool(a.quoted - b.quoted) != bool(b.quoted - a.quoted)),
        "capitals_conflict": float(bool(capitals_a) and bool(capitals_b)),
        "capitals_in_one": float(bool(capitals_a) != bool(capitals_b)),
        "capitals_common": float(bool(a.capitals & b.capitals)),
        "period_conflict": float(bool(parts) and not bounded),
        "bound_conflict": float(bool(parts) and bounded),
        "period_common": float(bool(a.periods & b.periods) and not parts),
        "period_in_one": float(bool(a.periods - b.periods) != bool(b.periods - a.periods)),
        "clock_conflict": float(_conflict(_part(a, "t"), _part(b, "t"))),
    }


def _part(statement: Statement, part: str) -> frozenset[tuple[str, str]]:
    return frozenset(period for period in statement.periods if period[0] == part)


def _conflict(a: frozenset[object], b: frozenset[object]) -> bool:
    return bool(a - b) and bool(b - a)


def _words(a: Statement, b: Statement, aligned: Alignment, likeness: Likeness) -> dict[str, float]:
    left_a, left_b, paired = aligned.left_old, aligned.left_new, len(aligned.pairs)
    equal = sum(pair.kin in {"equal", "short form"} for pair in aligned.pairs)
    contrasts = aligned.contrasts()
    subject_a, subject_b = _of(left_a, "head", "part"), _of(left_b, "head", "part")
    value_a, value_b = _of(left_a, "value"), _of(left_b, "value")
    smaller = max(1, paired + min(len(left_a), len(left_b)))
    both = bool(left_a) and bool(left_b)
    return {
        "paired": paired / max(1, paired + len(left_a) + len(left_b)),
        "equal": equal / max(1, paired + max(len(left_a), len(left_b))),
        "contained": paired / smaller,
        "left_none": float(not left_a and not left_b),
        "left_both": float(both),
        "left_least": min(len(left_a), len(left_b)) / 4,
        "left_most": max(len(left_a), len(left_b)) / 4,
        "left_likeness": likeness(_phrase(left_a), _phrase(left_b)) if both else 1.0,
        "subject_both": float(bool(subject_a) and bool(subject_b)),
        "subject_likeness": likeness(_phrase(subject_a), _phrase(subject_b)) if subject_a and subject_b else 1.0,
        "subject_least": min(len(subject_a), len(subject_b)) / 3,
        "subject_one": float(bool(subject_a) != bool(subject_b)),
        "value_both": float(bool(value_a) and bool(value_b)),
        "scope_in_one": float(_scoped(a) != _scoped(b)),
        "part_in_one": float(bool(_of(left_a, "part")) != bool(_of(left_b, "part"))),
        "reason_left": float(any(word.role == "reason" for word in (*left_a, *left_b))),
        "contrast": float(bool(contrasts)),
        "contrast_opposite": float(any(kin == "opposite" for _, _, kin in contrasts)),
        "contrast_subject": float(any(x.role in {"head", "part"} and y.role in {"head", "part"} for x, y, _ in contrasts)),
        "contrast_value": float(any("value" in {x.role, y.role} for x, y, _ in contrasts)),
        "single_value": float(_single(left_a, left_b, "value")),
        "single_subject": float(_single(left_a, left_b, "head", "part")),
        "single_contrast": float(bool(contrasts) and len(left_a) == len(left_b) == 1),
        "single_contrast_value": float(bool(contrasts) and _single(left_a, left_b, "value")),
        "near_pairs": sum(pair.kin == "near" for pair in aligned.pairs) / 3,
        "superlative_both": float(a.superlative and b.superlative),
        "superlative_subject": float(a.superlative and b.superlative and bool(subject_a) and bool(subject_b)),
        "few_words": 1.0 / max(1, paired + min(len(left_a), len(left_b))),
    }


def _scoped(statement: Statement) -> bool:
    """Whether a statement says itself that it is about a part of something only."""
    return any(item.kind == "word" and item.text.casefold() in {"among", "amongst", "within", "alone"} for item in statement.items)


def _single(left_a: Sequence[Word], left_b: Sequence[Word], *roles: str) -> bool:
    return len(left_a) == len(left_b) == 1 and left_a[0].role in roles and left_b[0].role in roles


def _of(words: Sequence[Word], *roles: str) -> list[Word]:
    return [word for word in words if word.role in roles]


def _phrase(words: Sequence[Word]) -> str:
    return " ".join(word.text for word in words)


def _sides(a: Statement, b: Statement, one: Sides, other: Sides) -> dict[str, float]:
    swapped = bool(one.reference & other.affirmed - one.affirmed) and bool(other.reference & one.affirmed - other.affirmed)
    flipped = one.direction * other.direction < 0
    axes = one.axes.keys() & other.axes.keys()
    against = [axis for axis in axes if one.axes[axis] != other.axes[axis]]
    reverses = bool(one.rejected & other.affirmed - one.affirmed) or bool(other.rejected & one.affirmed - other.affirmed)
    return {
        "sides_swapped": float(swapped and not flipped),
        "direction_flipped": float(flipped != swapped and bool(one.direction and other.direction)),
        "direction_same": float(one.direction * other.direction > 0 and not swapped),
        "direction_in_one": float((one.direction == 0) != (other.direction == 0)),
        "axis_against": float(bool(against)),
        "axis_same": float(bool(axes) and not against),
        "negation_differs": float(one.negated != other.negated and not (one.only or other.only)),
        "only_in_one": float(one.only != other.only),
        "negated_both": float(one.negated and other.negated),
        "rejects_affirmed": float(reverses),
        "rejected_same": float(bool(one.rejected & other.rejected)),
        "effect_against": float(_no_effect(one, other) or _no_effect(other, one)),
        "closing_new": float(b.closing and not a.closing),
        "closing_old": float(a.closing and not b.closing),
    }


def _no_effect(one: Sides, other: Sides) -> bool:
    """Whether one says that there is no effect or difference and the other says which."""
    return one.axes.get("related") == -1 != other.axes.get("related") and (other.direction != 0 or other.axes.get("related") == 1)


def _bindings(a: Statement, b: Statement, aligned: Alignment) -> dict[str, float]:
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


def _build(a: Statement, b: Statement, likeness: Likeness) -> dict[str, float]:
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
