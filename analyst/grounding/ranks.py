"""First, last, second and "more than" in a sentence, held against the figures of the groups it names."""

import re
from collections.abc import Sequence

from analyst.grounding.cells import LOWEST_IS, Evidence
from analyst.grounding.directions import clauses, denied
from analyst.grounding.words import DOWN, HIGH, LESS, LOW, MORE, NEXT, PLACED, THIRD, TIMES_LESS, UP

_FASTEST = re.compile(r"\b(?:fastest|quickest|soonest)\b", re.IGNORECASE)
_LASTS = re.compile(r"\b(?:longest|shortest)\b")
_COUNTS = frozenset({"n", "rows"})
_COUNTED = re.compile(r"\b(?:rows?|records?|cases)\b", re.IGNORECASE)


def misranked(sentence: str, evidence: Evidence) -> str | None:
    """Return why a rank or a comparison is given to another group than the findings give it to, or None.

    A clause without a rank of its own lends its groups to the next ("North and West have the highest ...").
    """
    leaders, last = _leaders(evidence), _last(evidence)
    lent: set[str] = set()
    for start, end in clauses(sentence):
        clause = sentence[start:end]
        own = _named(clause, evidence)
        placed = PLACED.search(clause)
        if placed:
            if own and not own & _at_place(placed, clause, evidence):
                return _given(placed, own)
            continue
        ranks = [(HIGH.search(clause), leaders), (_low(clause, evidence), last)]
        for match, groups in ranks:
            named = own | lent
            if match and named and (named <= groups if denied(clause, match.start()) else not named & groups):
                return _given(match, named)
        wrong = _wrong_place(clause, own, evidence) or _wrong_comparison(clause, evidence, leaders, last)
        if wrong:
            return wrong
        lent = set() if any(m for m, _ in ranks) else own
    return None


def at_edge(clause: str, evidence: Evidence) -> set[str] | None:
    """Return the groups that the first or the last place of a clause stands for; None where it names no place."""
    if HIGH.search(clause):
        return _leaders(evidence)
    return _last(evidence) if _low(clause, evidence) else None


def _low(clause: str, evidence: Evidence) -> re.Match[str] | None:
    """The word for the last place; of what lasts, the fastest is the shortest."""
    return LOW.search(clause) or (_FASTEST.search(clause) if _LASTS.search(evidence.statements) else None)


def _at_place(placed: re.Match[str], clause: str, evidence: Evidence) -> set[str]:
    """The groups that a table has second, third or fourth from its top, or from its bottom."""
    place = {"second": 1, "third": 2, "fourth": 3}[placed["place"].lower()]
    found: set[str] = set()
    for finding in evidence.findings:
        ladder = _ladder(finding.candidate.table, clause)
        if len(ladder) > place:
            found |= set(ladder[place if placed["high"] else -1 - place][1])
    return found


def _wrong_place(clause: str, own: set[str], evidence: Evidence) -> str | None:
    """Why a second or a third place is given to a group that has it in no table."""
    for pattern, place in ((NEXT, 1), (THIRD, 2)):
        match = pattern.search(clause)
        ladders = [ladder for f in evidence.findings if len(ladder := _ladder(f.candidate.table, clause)) > place]
        if match and own and ladders and not any(set(ladder[place][1]) & own for ladder in ladders):
            return _given(match, own)
    return None


def _wrong_comparison(clause: str, evidence: Evidence, leaders: set[str], last: set[str]) -> str | None:
    """Why "A is higher than B" does not follow from their figures; without both, from who leads and who is last."""
    if TIMES_LESS.search(clause) and not TIMES_LESS.search(evidence.statements):
        return "a multiple is not a reduction"
    if UP.search(clause) or DOWN.search(clause):
        return None
    for pattern, higher in ((MORE, True), (LESS, False)):
        match = pattern.search(clause)
        if not match or not leaders or denied(clause, match.start()):
            continue
        before, after = _named(clause[: match.start()], evidence), _named(clause[match.end() :], evidence)
        pairs = [
            (a, b) for f in evidence.findings for a, b in [_figures(f.candidate.table, clause, before, after)]
            if a is not None and b is not None
        ]  # fmt: skip
        if pairs:
            if all((a <= b) if higher else (a >= b) for a, b in pairs):
                return _given(match, before)
        elif before and (before <= last - leaders if higher else before <= leaders - last):
            return _given(match, before)
    return None


def _figures(
    table: Sequence[dict[str, object]], clause: str, one: set[str], other: set[str]
) -> tuple[float | None, float | None]:
    """The figures of two groups in a table, where each is named and has one."""
    ladder = _ladder(table, clause)
    found = [
        next((v for v, labels in ladder if names and set(labels) & names and not set(labels) & others), None)
        for names, others in ((one, other), (other, one))
    ]
    return found[0], found[1]


def _named(text: str, evidence: Evidence) -> set[str]:
    return {label for label in evidence.labels if evidence.places_of(label, text)}


def _leaders(evidence: Evidence) -> set[str]:
    found = set()
    for finding in evidence.findings:
        value = finding.candidate.claim.value
        if value.text and value.direction != "lower":
            found |= {value.text.casefold(), *value.text.casefold().split(" and "), *value.text.casefold().split(", ")}
        found |= _edge(finding.candidate.table, highest=True)
    return found


def _last(evidence: Evidence) -> set[str]:
    found = set()
    for finding in evidence.findings:
        value = finding.candidate.claim.value
        if value.text and value.direction in {"lower", "down"}:
            found.add(value.text.casefold())
        lowest = {m["name"].strip().casefold() for m in LOWEST_IS.finditer(finding.candidate.statement)}
        # A table that the code has cut does not hold the last one; its statement names it.
        found |= lowest or _edge(finding.candidate.table, highest=False)
    return found


def _edge(table: Sequence[dict[str, object]], *, highest: bool) -> set[str]:
    """The groups of the row with the most extreme figure."""
    ladder = _ladder(table, "")
    if len(ladder) < 2:
        return set()
    best = (max if highest else min)(v for v, _ in ladder)
    return {label for v, labels in ladder if v == best for label in labels}


def _ladder(table: Sequence[dict[str, object]], clause: str) -> list[tuple[float, tuple[str, ...]]]:
    """Figures of a table with their groups, highest first; the figure is the first number that is no count.

    Where a clause speaks of rows, their count is the figure.
    """
    rows = [r for r in table if any(isinstance(v, str) for v in r.values())]
    numbers = [k for k, v in rows[0].items() if isinstance(v, int | float)] if rows else []
    keys = [k for k in numbers if k not in _COUNTS]
    counts = [k for k in numbers if k in _COUNTS]
    key = counts[0] if counts and _COUNTED.search(clause) else keys[0] if keys else None
    figures = [(float(v), r) for r in rows if key is not None and isinstance(v := r.get(key), int | float)]
    told = [(v, tuple(t.casefold() for t in r.values() if isinstance(t, str))) for v, r in figures]
    return sorted(told, key=lambda pair: -pair[0])


def _given(match: re.Match[str], named: set[str]) -> str:
    return f"“{match.group()}” is given to {min(named)!r}, which the findings do not say"
