"""Grounding: whether a sentence says nothing that the findings it cites do not carry."""

import re
from collections.abc import Sequence

from analyst.grounding.cells import Cell, Evidence, evidence_of, fits
from analyst.grounding.directions import clauses, contradiction
from analyst.grounding.numbers import Stated, numbers_in
from analyst.grounding.times import Moment, is_spoken_of, moments_in
from analyst.protocol import LabelledFinding
from datasets.schema import SchemaCard

_NAME_CHARS = 3
_TIME_UNITS = ("day", "hour", "minute", "second")
_SPREAD = re.compile(r"\b(?:others?|rest|between|differ\w*|than|each|every|range[sd]?|apart|account)\b", re.IGNORECASE)
_OTHERS = re.compile(r"\b(?:from|next|against|overall|in all|in total|of all)\b", re.IGNORECASE)
_AFTER = re.compile(r"^[\s-]*(day|hour|minute|second)s?\b", re.IGNORECASE)


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
        if not cells:
            return f"the number {number.text!r} is not in the evidence"
        wrong = _wrong_unit(number, sentence, evidence)
        if wrong:
            return wrong
        matched.append((number, cells))
    return (
        _other_group(sentence, matched, evidence)
        or (_other_value(sentence, evidence, card) if card else None)
        or contradiction(sentence, evidence, [(s.start, cells) for s, cells in matched])
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
    folded, places = sentence.casefold(), []
    for label in evidence.labels:
        if any(c.isdigit() for c in label):
            places += [m.span() for m in re.finditer(rf"(?<!\w){re.escape(label)}(?!\w)", folded)]
    return places


def _wrong_unit(number: Stated, sentence: str, evidence: Evidence) -> str | None:
    """Why the unit of a number is not that of the evidence."""
    words = evidence.words
    if number.unit and number.unit != "%":
        code = number.unit.casefold()
        symbol = {"usd": "$", "eur": "€", "gbp": "£", "jpy": "¥"}.get(code, code)
        if code not in words and symbol not in words:
            return f"the unit of {number.text!r} is not in the evidence"
    after = _AFTER.match(sentence[number.end :])
    if after and after[1].lower() not in words:
        known = [u for u in _TIME_UNITS if re.search(rf"\b{u}s?\b", words)]
        if known:
            return f"{number.text!r} is given in {after[1].lower()}s, and the evidence speaks of {known[0]}s"
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
        if any(not c.labels and c.unit != "p" and _not_a_row(c, evidence) for c in cells):
            continue
        here = [p for p in places if start <= p[0] < end]
        before = [p[2] for p in here if p[1] <= number.start][-1:]
        after = [p[2] for p in here if p[0] >= number.end][:1]
        lone = {only} if only and not _OTHERS.search(sentence[start:end]) else set()
        near = {*before, *after} or lone
        if near and not near & owners:
            return f"the number {number.text!r} belongs to another group"
    return None


def _places(sentence: str, evidence: Evidence) -> list[tuple[int, int, str]]:
    """Where a sentence names groups of the evidence; a name inside a longer one does not count."""
    folded = sentence.casefold()
    found = [
        (m.start(), m.end(), label)
        for label in evidence.labels
        for m in re.finditer(rf"(?<!\w){re.escape(label)}(?!\w)", folded)
    ]
    return sorted(p for p in found if not any(o[0] <= p[0] and p[1] <= o[1] and o != p for o in found))


def _not_a_row(cell: Cell, evidence: Evidence) -> bool:
    """Whether a cell without a group is a figure of its own, not one of a row said again in the statement."""
    rows = [c for c in evidence.cells if c.labels]
    return not any(
        abs(abs(c.value) * times - abs(cell.value)) <= max(0.06 if times == 100 else 5e-3, 1e-3 * abs(cell.value))
        for c in rows
        for times in ((1, 100) if c.unit == "share" or abs(c.value) <= 1 else (1,))
    )


def _other_value(sentence: str, evidence: Evidence, card: SchemaCard) -> str | None:
    """Why a value of the dataset that a sentence names is none that its findings speak of."""
    words = evidence.words
    for column in card.columns:
        if column.role not in {"dimension", "text", "identifier"}:
            continue
        for value in column.values:
            if len(value) < _NAME_CHARS or not value[:1].isupper() or value not in sentence:
                continue
            if value.casefold() in words or not re.search(rf"(?<!\w){re.escape(value)}(?!\w)", sentence):
                continue
            if sentence.startswith(value) and value.casefold() == value.split()[0].casefold() and len(value) < 4:
                continue
            return f"{value!r} is not in the evidence"
    return None
