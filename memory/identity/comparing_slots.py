"""Comparing the slots of two statements that are read exactly: numbers, identifiers, columns, names and periods."""

from collections.abc import Sequence

from memory.identity import lexicon
from memory.identity.alignment import role_of
from memory.identity.quantities import Quantity, same_quantity
from memory.identity.wording import Statement

_RANKED = frozenset({"top", "bottom", "largest", "smallest", "best", "worst"})


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
    """Whether they speak of other groups with a bound, "drivers under 25" and "drivers over 70", beside their value."""
    bounds_a, bounds_b = _bounds(a), _bounds(b)
    return bool(bounds_a and bounds_b and bounds_a != bounds_b) and min(len(a.quantities), len(b.quantities)) > 1


def _bounds(statement: Statement) -> set[str]:
    """Numbers that close a group off: a noun, "under" or "over", and the number right after it."""
    found = set()
    items = statement.items
    if len(items) > 2 and items[1].text.casefold() in _RANKED and items[2].kind == "quantity":
        found.add(items[2].key)  # "the top 3 customers"
    for position, item in enumerate(items[2:], start=2):
        before, noun = items[position - 1].text.casefold(), items[position - 2]
        closes_off = (
            before in {"under", "over", "above", "below", "aged"} and noun.text.casefold() not in lexicon.OPPOSED
        )
        in_subject = noun.kind == "word" and role_of(items, position - 2) in {"part", "head"}
        if item.kind == "quantity" and closes_off and in_subject:
            found.add(item.key + before)
    return found


def compare_names(a: Statement, b: Statement) -> dict[str, float]:
    """Identifiers, columns, quoted values, proper names and periods."""
    parts = [part for part in "ymdqhkw" if _conflict(_part(a, part), _part(b, part))]
    numbers = bool(a.quantities or b.quantities)
    differing = {period for part in parts for period in _part(a, part) ^ _part(b, part)}
    bounded = bool(differing & (a.bounds | b.bounds)) or (a.superlative and b.superlative and not numbers)
    # The day of a peak is its value; its month or year says which peak is meant.
    bounded = bounded or (a.superlative and b.superlative and "d" in parts and not a.names ^ b.names)
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
        "capital_first": float(
            bool(capitals_a) != bool(capitals_b) and _opens_with_another(a, b, capitals_a, capitals_b)
        ),
        "capitals_in_one": float(bool(capitals_a) != bool(capitals_b)),
        "capitals_common": float(bool(a.capitals & b.capitals)),
        "period_conflict": float(bool(parts) and not bounded),
        "bound_conflict": float(bool(parts) and bounded),
        "period_common": float(bool(a.periods & b.periods) and not parts),
        "period_in_one": float(bool(a.periods - b.periods) != bool(b.periods - a.periods)),
        "clock_conflict": float(_conflict(_part(a, "t"), _part(b, "t"))),
    }


def _opens_with_another(a: Statement, b: Statement, capitals_a: frozenset[str], capitals_b: frozenset[str]) -> bool:
    """Whether one names something that the other lacks, and the other opens with a word that the first lacks."""
    one, other = (b, a) if capitals_a else (a, b)
    first = next(iter(one.items), None)
    return (
        first is not None
        and first.kind == "word"
        and first.text.casefold() not in lexicon.STOP | lexicon.LEAD_INS
        and first.key not in {item.key for item in other.items}
    )


def _part(statement: Statement, part: str) -> frozenset[tuple[str, str]]:
    return frozenset(period for period in statement.periods if period[0] == part)


def _conflict(a: frozenset[object], b: frozenset[object]) -> bool:
    return bool(a - b) and bool(b - a)
