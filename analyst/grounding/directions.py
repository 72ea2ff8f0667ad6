"""Direction, absence, cause and certainty in a sentence, held against what the cited findings claim."""

from collections.abc import Sequence
from itertools import pairwise

from analyst.grounding.cells import Cell, Evidence
from analyst.grounding.words import (
    CAUSE,
    CLAUSE,
    DENIED,
    DOUBT,
    DOWN,
    NEGATIVE,
    NO,
    NOTHING,
    POSITIVE,
    RANGE,
    SURE,
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
    nothing = [f for f in evidence.findings if is_null(f)]
    denies = [m for m in NOTHING.finditer(sentence) if not denied(sentence, m.start())]
    doubted = len(nothing) < len(evidence.findings) or bool(denies) or DOUBT.search(sentence) is not None
    wrong = _unsupported(sentence, evidence, [m.group() for m in denies] if not nothing else [])
    for start, end in clauses(sentence):
        cells = [c for place, found in matched if start <= place < end for c in found]
        wrong = wrong or _wrong_way(sentence, start, end, evidence, cells, doubted=doubted)
    return wrong


def _unsupported(sentence: str, evidence: Evidence, denies: Sequence[str]) -> str | None:
    """Why an absence, a certainty, a cause or a sign is claimed that no finding claims."""
    statements = evidence.statements
    if denies and not NOTHING.search(statements):
        return f"“{denies[0]}” is not what the findings say"
    sure = [m for m in SURE.finditer(sentence) if not (denied(sentence, m.start()) or NO.search(sentence[: m.start()]))]
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
            if denied(sentence, match.start()):
                if known == {way}:
                    return f"“{match.group()}” is denied, and the findings say it"
            elif way not in known:
                opposite = " is not what" if other in known else " is nothing that"
                return f"“{match.group()}”{opposite} the findings say"
            elif not doubted:
                return f"“{match.group()}” is said without the doubt that the findings carry"
    return None


def _ways(evidence: Evidence) -> set[str]:
    ways: set[str] = {d for f in evidence.findings if (d := f.candidate.claim.value.direction) in {"up", "down"}}
    for finding in evidence.findings:
        ways |= {"up"} if UP.search(finding.candidate.statement) else set()
        ways |= {"down"} if DOWN.search(finding.candidate.statement) else set()
    return ways


def denied(sentence: str, place: int) -> bool:
    return DENIED.search(sentence[:place]) is not None


def is_null(finding: LabelledFinding) -> bool:
    return finding.candidate.null or finding.candidate.claim.value.direction in {"flat", "none"}


def _is_sure(finding: LabelledFinding) -> bool:
    corrected = finding.q_value if finding.q_value is not None else finding.candidate.p_value
    return not finding.candidate.null and corrected is not None and corrected <= ALPHA
