"""Comparing two statements slot by slot: each comparison is a number with a name that the judge weighs."""

from collections.abc import Sequence

from memory.identity import lexicon
from memory.identity.alignment import Alignment, Likeness, Word, align
from memory.identity.comparing_build import compare_bindings, compare_build
from memory.identity.comparing_slots import compare_names, compare_quantities
from memory.identity.sides import Sides, sides_of
from memory.identity.wording import Statement


def compare(a: Statement, b: Statement, likeness: Likeness) -> dict[str, float]:
    """The comparisons of two statements by name; `likeness` is the cosine of two texts."""
    aligned = align(a, b, likeness)
    values = (
        compare_quantities(a, b)
        | compare_names(a, b)
        | _words(a, b, aligned, likeness)
        | _sides(a, b, sides_of(a), sides_of(b))
        | compare_bindings(a, b, aligned)
        | compare_build(a, b, likeness)
    )
    if values["turned_round"]:  # "B less than A" for "A more than B" puts the words the other way round by itself
        values |= {"order_swapped": 0.0, "bound_crosswise": 0.0, "numbers_crosswise": 0.0}
    if values["rejected_same"] and not values["rejects_affirmed"]:  # "not in UTC but in local time"
        values |= {"order_swapped": 0.0}
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
    crossed = {
        f"{n}_{w}": 0.0
        for n in ("conflict", "match", "none", "other")
        for w in ("none", "subjects", "words", "part", "one")
    }
    first = values["first_of_all"] and values["put_once"]
    return crossed | {
        f"{numbers}_{left}": 1.0,
        "another_first": float(first and values["put_first"] and not values["put_last"]),
        "first_of_another": float(first and not values["put_first"]),
        # "the most overtime" and "the most sick leave", "best by margin" and "best by footfall".
        "first_by_another_measure": float(
            values["criterion_differs"] or (values["superlative_both"] and values["put_once"] and values["put_measure"])
        ),
        "first_by_another_name": float(values["superlative_both"] and values["capital_first"]),
        "effect_against_alone": float(values["effect_against"] and not values["subject_both"]),
    }


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
        "among_others": float(_among_others(a, left_a) or _among_others(b, left_b)),
        "part_in_one": float(bool(_of(left_a, "part")) != bool(_of(left_b, "part"))),
        "only_reason_left": float(both and all(word.role == "reason" for word in (*left_a, *left_b))),
        "reason_left": float(any(word.role == "reason" for word in (*left_a, *left_b))),
        "contrast": float(bool(contrasts)),
        "criterion_differs": float(a.superlative and b.superlative and _criteria(a, left_a) and _criteria(b, left_b)),
        "contrast_opposite": float(any(kin == "opposite" for _, _, kin in contrasts)),
        "contrast_subject": float(
            any(x.role in {"head", "part"} and y.role in {"head", "part"} for x, y, _ in contrasts)
        ),
        "contrast_value": float(any("value" in {x.role, y.role} for x, y, _ in contrasts)),
        "single_value": float(_single(left_a, left_b, "value")),
        "single_subject": float(_single(left_a, left_b, "head", "part")),
        "single_contrast": float(bool(contrasts) and len(left_a) == len(left_b) == 1),
        "single_contrast_value": float(bool(contrasts) and _single(left_a, left_b, "value")),
        "near_pairs": sum(pair.kin == "near" for pair in aligned.pairs) / 3,
        "first_of_all": float(a.first_of_all and b.first_of_all),
        "superlative_both": float(a.superlative and b.superlative),
        "superlative_subject": float(a.superlative and b.superlative and bool(subject_a) and bool(subject_b)),
        "few_words": 1.0 / max(1, paired + min(len(left_a), len(left_b))),
    }


def _criteria(statement: Statement, left: Sequence[Word]) -> bool:
    """Whether a word left over says by what something comes first: "the best channel by revenue"."""
    return any(word.position and statement.items[word.position - 1].text.casefold() == "by" for word in left)


def _scoped(statement: Statement) -> bool:
    """Whether a statement says itself that it is about a part of something only."""
    return any(
        item.kind == "word" and item.text.casefold() in {"among", "amongst", "within", "alone"}
        for item in statement.items
    )


def _among_others(statement: Statement, left: Sequence[Word]) -> bool:
    """Whether a statement opens by naming a part, "Among monthly donors, ...", that the other says nothing of."""
    items = statement.items
    if not items or items[0].text.casefold() not in {"among", "amongst", "within"}:
        return False
    end = next((at for at, item in enumerate(items) if item.kind == "mark" and item.text == ","), 0)
    return any(word.position < end for word in left)


def _single(left_a: Sequence[Word], left_b: Sequence[Word], *roles: str) -> bool:
    return len(left_a) == len(left_b) == 1 and left_a[0].role in roles and left_b[0].role in roles


def _of(words: Sequence[Word], *roles: str) -> list[Word]:
    return [word for word in words if word.role in roles]


def _phrase(words: Sequence[Word]) -> str:
    return " ".join(word.text for word in words)


def _sides(a: Statement, b: Statement, one: Sides, other: Sides) -> dict[str, float]:
    swapped = (
        bool(one.reference & other.affirmed - one.affirmed)
        and bool(other.reference & one.affirmed - other.affirmed)
        and _in_order(a) != _in_order(b)
    )
    flipped = one.direction * other.direction < 0
    axes = one.axes.keys() & other.axes.keys()
    against = [axis for axis in axes if one.axes[axis] != other.axes[axis]]
    # What else is named beside something that both reject is its surroundings: "monthly figures".
    reverses = not one.rejected & other.rejected and (
        bool(one.rejected & other.affirmed - one.affirmed) or bool(other.rejected & one.affirmed - other.affirmed)
    )
    return {
        # "longer than" turned round is "faster than": only the same word with its sides swapped is another claim.
        "sides_swapped": float(
            swapped and not flipped and (bool(one.turns & other.turns) or not (one.turns or other.turns))
        ),
        "turned_round": float(swapped and flipped),
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
        "steady_against": float(
            (one.steady and other.direction != 0 and not other.steady)
            or (other.steady and one.direction != 0 and not one.steady)
        ),
        "closing_new": float(b.closing and not a.closing),
        "closing_old": float(a.closing and not b.closing),
    }


def _in_order(statement: Statement) -> list[str]:
    """Keys of what is spoken of, in its order, without numbers and the words that turn a sentence round."""
    return [
        item.key
        for item in statement.items
        if item.kind not in {"mark", "quantity"} and item.text.casefold() not in lexicon.OPPOSED
    ]


def _no_effect(one: Sides, other: Sides) -> bool:
    """Whether one says that there is no effect or difference and the other says which."""
    return one.axes.get("related") == -1 != other.axes.get("related") and (
        other.direction != 0 or other.axes.get("related") == 1
    )
