"""Grounding: whether a sentence says nothing that the findings it cites do not carry."""

import re
from collections.abc import Sequence

from analyst.grounding.cells import Cell, Evidence, evidence_of, fits
from analyst.grounding.directions import clauses, contradiction
from analyst.grounding.elsewhere import elsewhere
from analyst.grounding.numbers import Stated, numbers_in
from analyst.grounding.overstatement import overstated
from analyst.grounding.parts import misparted
from analyst.grounding.ranks import at_edge, misranked
from analyst.grounding.scopes import misplaced
from analyst.grounding.senses import misused
from analyst.grounding.times import Moment, is_spoken_of, moments_in
from analyst.protocol import LabelledFinding
from datasets.schema import SchemaCard

_SPREAD = re.compile(r"\b(?:others?|rest|between|differ\w*|than|each|every|range[sd]?|apart|account)\b", re.IGNORECASE)
_OTHERS = re.compile(r"\b(?:from|next|against|overall|in all|in total|of all)\b", re.IGNORECASE)
_AFTER = re.compile(r"^(?:\s+(?:a|per|each|every))?[\s-]*(second|minute|hour|day|week|month|quarter|year)s?\b", re.I)
_P_OF = re.compile(r"\bp(?:-value)?(?: of|\s*[=<>\u2264]) ?$", re.IGNORECASE)
_RANGE = re.compile(r"\d%? to $")
_RANGED = re.compile(r"^ to [-+]?\d")


def ungrounded(sentence: str, findings: Sequence[LabelledFinding], card: SchemaCard | None = None) -> str | None:
    """Return why a sentence cannot stand on the findings that it cites, or None when it can.

    Every number is traced to a cell of their evidence: within the rounding it is written with, in the same unit, and
    of the group that the sentence names. Every time and every value of the dataset must be one they speak of, and
    direction, rank, absence and certainty must be theirs.
    """
    evidence = evidence_of(findings)
    if not findings:
        return "it cites no finding"
    moments = moments_in(sentence)
    stray = next((m for m in moments if not is_spoken_of(m, evidence.times)), None)
    if stray is not None and not _is_number(stray, sentence, evidence):
        return f"the time {sentence[stray.start : stray.end]!r} is not in the evidence"
    covered = [(m.start, m.end) for m in moments if m is not stray] + _label_places(sentence, evidence)
    stated = [s for s in numbers_in(sentence) if not any(a < s.end and s.start < b for a, b in covered)]
    matched: list[tuple[Stated, list[Cell]]] = []
    for number in stated:
        cells = [c for c in evidence.cells if fits(number, c)]
        if _P_OF.search(sentence[: number.start]):
            cells = [c for c in cells if c.unit == "p"]
        if not cells:
            return f"the number {number.text!r} is not in the evidence"
        wrong = _wrong_unit(number, sentence, evidence)
        if wrong:
            return wrong
        matched.append((number, cells))
    return (
        misparted(sentence, matched, evidence)
        or _other_group(sentence, matched, evidence)
        or _other_period(sentence, moments, matched, evidence)
        or (elsewhere(sentence, evidence, card) if card else None)
        or contradiction(sentence, evidence, [(s.start, cells) for s, cells in matched])
        or misplaced(sentence, matched, evidence, card)
        or misused(sentence, matched, evidence, card)
        or overstated(sentence, evidence)
        or misranked(sentence, evidence)
    )


def numbers_not_in(text: str, findings: Sequence[LabelledFinding]) -> list[str]:
    """Return the numbers of a text that no cell of the findings holds, whichever group or unit they stand with."""
    evidence = evidence_of(findings)
    covered = [(m.start, m.end) for m in moments_in(text) if is_spoken_of(m, evidence.times)]
    covered += _label_places(text, evidence)
    return [
        s.text
        for s in numbers_in(text)
        if not any(a < s.end and s.start < b for a, b in covered) and not any(fits(s, c) for c in evidence.cells)
    ]


def _is_number(moment: Moment, sentence: str, evidence: Evidence) -> bool:
    """Whether what looks like a year is a number of the evidence."""
    here = [s for s in numbers_in(sentence) if s.start == moment.start and s.end == moment.end]
    return any(fits(s, c) for s in here for c in evidence.cells)


def _label_places(sentence: str, evidence: Evidence) -> list[tuple[int, int]]:
    """Where names of groups stand that hold digits themselves ("Pclass 1", "web1")."""
    digits = [label for label in evidence.labels if any(c.isdigit() for c in label)]
    return [place for label in digits for place in evidence.places_of(label, sentence)]


def _wrong_unit(number: Stated, sentence: str, evidence: Evidence) -> str | None:
    """Why the unit of a number is not that of the evidence."""
    words = evidence.words
    if number.unit and number.unit not in {"%", "pp", "x"}:
        code = number.unit.casefold()
        symbol = {"usd": "$", "eur": "€", "gbp": "£", "jpy": "¥"}.get(code, code)
        if code not in words and symbol not in words:
            return f"the unit of {number.text!r} is not in the evidence"
    after = _AFTER.match(sentence[number.end :])
    if after and not re.search(rf"\b{after[1].lower()}s?\b", words):
        return f"{number.text!r} is given in {after[1].lower()}s, of which the evidence does not speak"
    return None


def _other_group(sentence: str, matched: Sequence[tuple[Stated, list[Cell]]], evidence: Evidence) -> str | None:
    """Why a number stands with a group whose number it is not.

    A number belongs to the groups that its clause names, nearest first; where the whole sentence names but one group,
    to that. Clauses that speak of ranges, differences or the others are left alone.
    """
    places = _places(sentence, evidence)
    only = places[0][2] if len({p[2] for p in places}) == 1 else None
    spans = clauses(sentence)
    for number, cells in matched:
        owners = frozenset(label for c in cells for label in c.labels)
        start, end = next(((a, b) for a, b in spans if a <= number.start < b), (0, len(sentence)))
        if not owners or _SPREAD.search(sentence[start:end]):
            continue
        if any(
            not c.labels and c.unit != "p" and c.kind not in {"edge", "limit"} and _not_a_row(c, evidence)
            for c in cells
        ):
            continue
        if _RANGE.search(sentence[: number.start]) or _RANGED.match(sentence[number.end :]):
            continue
        if _listed(sentence, number) or _as_told(sentence, number, evidence):
            continue
        edge = at_edge(sentence[start:end], evidence) or at_edge(sentence, evidence)
        if edge is not None and not places and not edge & owners:
            return f"the number {number.text!r} belongs to another group"
        said = any(c.kind == "figure" and not c.labels and not c.row for c in cells) and number.exact
        if edge is None and not places and not said and _is_of_one(owners, evidence):
            return f"the number {number.text!r} belongs to a group that the sentence does not name"
        if _one_of_two(sentence, number):
            start, end = 0, len(sentence)
            if owners & {p[2] for p in places}:
                continue
        here = [p for p in places if start <= p[0] < end]
        before = [p[2] for p in here if p[1] <= number.start][-1:]
        after = [p[2] for p in here if p[0] >= number.end][:1]
        lone = {only} if only and not _OTHERS.search(sentence[start:end]) else set()
        near = {*before, *after} or lone
        if near and not near & owners:
            return f"the number {number.text!r} belongs to another group"
    return None


def _other_period(
    sentence: str, moments: Sequence[Moment], matched: Sequence[tuple[Stated, list[Cell]]], evidence: Evidence
) -> str | None:
    """Why a number stands, in its clause, with another month, quarter or year than the one whose row it is from."""
    spans = [(a, b) for a, b in clauses(sentence) if not _SPREAD.search(sentence[a:b])]
    for number, cells in matched:
        start, end = next(((a, b) for a, b in spans if a <= number.start < b), (0, 0))
        here = [m for m in moments if start <= m.start < end and m.year and not m.days]
        own = [moments_in(label) for c in cells if c.row for label in c.labels]
        rows = {(m.year, m.quarter, m.month) for found in own for m in found}
        if not rows or not all(own) or any(not c.row and _not_a_row(c, evidence) for c in cells):
            continue
        levels = {(q is None, m is None) for _, q, m in rows}
        named = {(m.year, m.quarter, m.month) for m in here if (m.quarter is None, m.month is None) in levels}
        if named and not named & rows:
            return f"the number {number.text!r} belongs to another time"
    return None


def _listed(sentence: str, number: Stated) -> bool:
    """Whether a number is one of several in brackets, behind the names that they belong to."""
    opened, closed = sentence.rfind("(", 0, number.start), sentence.find(")", number.end)
    inside = sentence[opened:closed] if 0 <= opened < closed else ""
    return ")" not in inside and re.search(r"\d and [\d,.]+$", inside) is not None


def _one_of_two(sentence: str, number: Stated) -> bool:
    """Whether a number stands in a pair ("3 and 4"), which belongs to a pair of groups."""
    before, after = sentence[: number.start], sentence[number.end :]
    return re.search(r"\d%? and $", before) is not None or re.match(r" and [\d]", after) is not None


def _as_told(sentence: str, number: Stated, evidence: Evidence) -> bool:
    """Whether a number stands in a statement with the same word behind it ("5 groups")."""
    word = re.match(r"[^\w%]{1,2}([a-z]{3,})", sentence[number.end :])
    return number.exact and word is not None and f" {number.text} {word[1]}" in f" {evidence.statements}"


def _places(sentence: str, evidence: Evidence) -> list[tuple[int, int, str]]:
    """Where a sentence names groups of the evidence; a name inside a longer one does not count."""
    found = [(a, b, label) for label in evidence.labels for a, b in evidence.places_of(label, sentence)]
    return sorted(p for p in found if not any(o[0] <= p[0] and p[1] <= o[1] and o != p for o in found))


def _not_a_row(cell: Cell, evidence: Evidence) -> bool:
    """Whether a cell without a group is a figure of its own, not one of a row said again in the statement."""
    rows = [c for c in evidence.cells if c.labels]
    return not any(
        abs(abs(c.value) * times - abs(cell.value)) <= max(0.06 if times == 100 else 5e-3, 1e-3 * abs(cell.value))
        for c in rows
        for times in ((1, 100) if c.unit == "share" or abs(c.value) <= 1 else (1,))
    )


def _is_of_one(owners: frozenset[str], evidence: Evidence) -> bool:
    """Whether a figure is that of groups alone, and neither of a period nor of the whole."""
    return bool(owners) and not any(moments_in(o) for o in owners) and len(evidence.labels) > 1
