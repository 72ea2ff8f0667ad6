"""Direction, rank, absence and certainty in a sentence, held against what the cited findings claim."""

import re
from collections.abc import Sequence
from itertools import pairwise

from analyst.grounding.cells import LOWEST_IS, Cell, Evidence
from analyst.grounding.words import (
    CAUSE,
    CLAUSE,
    DENIED,
    DOUBT,
    DOWN,
    HIGH,
    LESS,
    LOW,
    MORE,
    NEGATIVE,
    NO,
    NOTHING,
    POSITIVE,
    RANGE,
    SURE,
    THAN,
    UP,
)
from analyst.protocol import LabelledFinding

ALPHA = 0.05


def clauses(sentence: str) -> list[tuple[int, int]]:
    """Return the places of the clauses of a sentence; "between A and B" stays one."""
    found = [m.start() for m in CLAUSE.finditer(sentence) if not RANGE.search(sentence[: m.start()])]
    return [(a, b) for a, b in pairwise([0, *found, len(sentence)]) if sentence[a:b].strip()]


def contradiction(sentence: str, evidence: Evidence, matched: Sequence[tuple[int, Sequence[Cell]]]) -> str | None:
    """Return why the words of a sentence go against its findings, or None.

    `matched`: for each number the place where it starts and the cells it was traced to.
    """
    nothing = [f for f in evidence.findings if _is_null(f)]
    denies = [m for m in NOTHING.finditer(sentence) if not _denied(sentence, m.start())]
    doubted = len(nothing) < len(evidence.findings) or bool(denies) or DOUBT.search(sentence) is not None
    wrong = _unsupported(sentence, evidence, [m.group() for m in denies] if not nothing else [])
    for start, end in clauses(sentence):
        cells = [c for place, found in matched if start <= place < end for c in found]
        wrong = wrong or _wrong_way(sentence, start, end, evidence, cells, doubted=doubted)
    return wrong or _wrong_ranks(sentence, evidence)


def _unsupported(sentence: str, evidence: Evidence, denies: Sequence[str]) -> str | None:
    """Why an absence, a certainty, a cause or a sign is claimed that no finding claims."""
    statements = " ".join(evidence.texts)
    if denies and not NOTHING.search(statements):
        return f"“{denies[0]}” is not what the findings say"
    sure = [
        m for m in SURE.finditer(sentence) if not (_denied(sentence, m.start()) or NO.search(sentence[: m.start()]))
    ]
    if sure and not any(_is_sure(f) for f in evidence.findings):
        return "no test of the findings carries that certainty"
    if CAUSE.search(sentence) and not CAUSE.search(statements):
        return "no finding carries a cause"
    claimed = {f.candidate.claim.value.direction for f in evidence.findings}
    for name, pattern in (("positive", POSITIVE), ("negative", NEGATIVE)):
        if pattern.search(sentence) and name not in claimed and not pattern.search(statements):
            return f"no finding is {name}"
    return None


def _wrong_way(
    sentence: str, start: int, end: int, evidence: Evidence, cells: Sequence[Cell], *, doubted: bool
) -> str | None:
    """Why an up or a down in a clause is not carried: by the sign of its own numbers, else by the claims."""
    signs = {"up" if c.value > 0 else "down" for c in cells if c.change and c.value}
    known = signs or _ways(evidence)
    for way, other, pattern in (("up", "down", UP), ("down", "up", DOWN)):
        for match in pattern.finditer(sentence, start, end):
            if _denied(sentence, match.start()):
                if known == {way}:
                    return f"“{match.group()}” is denied, and the findings say it"
            elif way not in known:
                opposite = " is not what" if other in known else " is nothing that"
                return f"“{match.group()}”{opposite} the findings say"
            elif not doubted:
                return f"“{match.group()}” is said without the doubt that the findings carry"
    return None


def _wrong_ranks(sentence: str, evidence: Evidence) -> str | None:
    """Why a highest or a lowest is given to another group than the findings give it to.

    A clause without a rank of its own lends its groups to the next ("North and West have the highest ...").
    """
    leaders, last = _leaders(evidence), _last(evidence)
    lent: set[str] = set()
    for start, end in clauses(sentence):
        clause = sentence[start:end]
        own = _named(clause, evidence)
        ranks = [(HIGH.search(clause), leaders), (LOW.search(clause), last)]
        for match, groups in ranks:
            named = own | lent
            if match and named and not named & groups:
                return f"“{match.group()}” is given to {min(named)!r}, which the findings do not say"
        wrong = _wrong_comparison(clause, evidence, leaders, last)
        if wrong:
            return wrong
        lent = set() if any(m for m, _ in ranks) else own
    return None


def _wrong_comparison(clause: str, evidence: Evidence, leaders: set[str], last: set[str]) -> str | None:
    """Why "A is higher than B" does not follow: where the findings name a leader, it is the one that is higher."""
    for pattern, higher in ((MORE, True), (LESS, False)):
        match = pattern.search(clause)
        if not match or not leaders or not THAN.search(clause):
            continue
        named = _named(clause[: match.start()], evidence)
        fits = named & leaders if higher else not named & (leaders - last)
        if named and not fits:
            return f"“{match.group()}” is given to {min(named)!r}, which the findings do not say"
    return None


def _named(text: str, evidence: Evidence) -> set[str]:
    folded = text.casefold()
    return {label for label in evidence.labels if re.search(rf"(?<!\w){re.escape(label)}(?!\w)", folded)}


def _ways(evidence: Evidence) -> set[str]:
    ways: set[str] = {d for f in evidence.findings if (d := f.candidate.claim.value.direction) in {"up", "down"}}
    for finding in evidence.findings:
        ways |= {"up"} if UP.search(finding.candidate.statement) else set()
        ways |= {"down"} if DOWN.search(finding.candidate.statement) else set()
    return ways


def _leaders(evidence: Evidence) -> set[str]:
    found = set()
    for finding in evidence.findings:
        value = finding.candidate.claim.value
        if value.text and value.direction != "lower":
            found.add(value.text.casefold())
        found |= _edge(finding.candidate.table, highest=True)
    return found


def _last(evidence: Evidence) -> set[str]:
    found = set()
    for finding in evidence.findings:
        value = finding.candidate.claim.value
        if value.text and value.direction in {"lower", "down"}:
            found.add(value.text.casefold())
        found |= {m["name"].strip().casefold() for m in LOWEST_IS.finditer(finding.candidate.statement)}
        found |= _edge(finding.candidate.table, highest=False)
    return found


def _edge(table: Sequence[dict[str, object]], *, highest: bool) -> set[str]:
    """The groups of the row with the most extreme figure; the figure is the first number that is no count."""
    rows = [r for r in table if any(isinstance(v, str) for v in r.values())]
    keys = [k for k, v in rows[0].items() if isinstance(v, int | float) and k not in {"n", "rows"}] if rows else []
    figures = [(v, r) for r in rows if keys and isinstance(v := r.get(keys[0]), int | float)]
    if len(figures) < 2:
        return set()
    best = (max if highest else min)(v for v, _ in figures)
    return {t.casefold() for v, r in figures if v == best for t in r.values() if isinstance(t, str)}


def _denied(sentence: str, place: int) -> bool:
    return DENIED.search(sentence[:place]) is not None


def _is_null(finding: LabelledFinding) -> bool:
    return finding.candidate.null or finding.candidate.claim.value.direction in {"flat", "none"}


def _is_sure(finding: LabelledFinding) -> bool:
    corrected = finding.q_value if finding.q_value is not None else finding.candidate.p_value
    return not finding.candidate.null and corrected is not None and corrected <= ALPHA
