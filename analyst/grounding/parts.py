"""Parts and wholes: "A of B", per cent of what, most of them, as many times as whom, the average of which end."""

import re
from collections.abc import Sequence
from itertools import pairwise

from analyst.grounding.cells import Cell, Evidence, fits
from analyst.grounding.directions import clauses
from analyst.grounding.numbers import Stated, numbers_in
from analyst.protocol import LabelledFinding

_OF = re.compile(r"^ of (?:the |all |its )?$")
_BASE = re.compile(
    r"^ of (?P<base>[^,.;]{1,60}?)(?= (?:are|is|was|were|comes?|came|have|has|had|belongs?|goes|go|falls?|stems?|lies?|"
    r"concern|live|in|at|on|from|for|by)\b|[,.;]|$)",
    re.IGNORECASE,
)
_OF_COUNT = re.compile(r"^ of (?:the |all |its )?[\d,]+ (?P<rest>[^\d].*)$", re.DOTALL)
_WHERE = re.compile(r"^ (?:in|at|from|for|on|with) (?:the )?", re.IGNORECASE)
_TOGETHER = re.compile(r"\b(?:others?|rest|together|combined|all)\b(?!.*\bnext\b)", re.IGNORECASE)
_RATED = re.compile(r"^(?:share|mean)\(.+ (?:in \[.*\]|[<>=]+ .+)\)$|^missing_share\(")
_MOST = re.compile(
    r"(?<!the )(?<!has )(?<!have )(?<!had )(?<!with )(?<!second )\bmost (?:of\b|(?!likely|common|often)[a-z]+s\b)"
    r"|\b(?:the )?(?:vast |large |clear |overwhelming )?majority\b|\b(?:mostly|mainly|predominantly)\b",
    re.IGNORECASE,
)
_SAYS_MOST = re.compile(r"\bmost of\b|\bmajority\b|\bmore than half\b", re.IGNORECASE)
_NEXT = re.compile(r"(?P<times>[\d.]+) times as (?:many|much) as the next, (?P<name>[^(;,]+?) \(")
_ENDS = re.compile(
    r"Above (?P<top>-?\d[\d,]*(?:\.\d+)?)%?(?: [A-Za-z]+)? it averages (?P<high>-?\d[\d,]*(?:\.\d+)?)%?(?: \w+)?, "
    r"up to (?P<bottom>-?\d[\d,]*(?:\.\d+)?)%?(?: [A-Za-z]+)? (?P<low>-?\d[\d,]*(?:\.\d+)?)"
)
_ENDED = re.compile(r"\b(?:[Aa]bove|[Bb]elow|[Oo]ver|[Uu]nder|[Bb]eyond|[Uu]p to|top|bottom)\b")
_JOINT = re.compile(r"^(?P<names>.+? and .+?) account for (?P<part>[\d,]+) of [\d,]+ rows \((?P<share>[\d.]+)%\)")
_BOTH = re.compile(r"\b(?:both|together|the two|top two|between them|jointly|combined)\b", re.IGNORECASE)
_ALL_OF = re.compile(r"\ball [\d,]+ rows where .+? is (?P<part>.+?) have (?:\S+ )?(?P<whole>[^.]+)\.")
_UNIVERSAL = re.compile(r"\b(?:all|every|each|only)\b", re.IGNORECASE)
_HALF = 0.5


def misparted(sentence: str, matched: Sequence[tuple[Stated, Sequence[Cell]]], evidence: Evidence) -> str | None:
    """Return why a part, a share, a majority or a multiple is one of another whole than in the findings, or None.

    `matched`: the numbers of the sentence with the cells they were traced to.
    """
    for (part, _), (whole, _) in pairwise(matched):
        if _OF.match(sentence[part.end : whole.start]) and not part.unit and not whole.unit:
            if part.value > whole.value:
                return f"{part.text!r} is no part of what follows it"
            if not any(_go_together(part, whole, f) for f in evidence.findings):
                return f"“{sentence[part.start : whole.end]}” is no part and whole of the findings"
    for number, cells in matched:
        wrong = (
            _turned_round(sentence, number, cells, evidence)
            or _other_next(sentence, number, evidence)
            or _of_one_alone(sentence, number, evidence)
        )
        if wrong:
            return wrong
    return (
        _converse(sentence, evidence)
        or _no_majority(sentence, evidence)
        or _other_end(sentence, [n for n, _ in matched], evidence)
    )


def _go_together(part: Stated, whole: Stated, finding: LabelledFinding) -> bool:
    """Whether a finding has the two as a part and its whole: written so, or a count of its rows or of a row's."""
    candidate = finding.candidate
    for text in (candidate.statement, *candidate.caveats):
        told = numbers_in(text)
        if any(
            (a.value, b.value) == (part.value, whole.value) and _OF.match(text[a.end : b.start].removesuffix(" the "))
            for a, b in pairwise(told)
        ):
            return True
    if whole.value == len(candidate.table) or "rows" not in f"{candidate.statement} {list(candidate.table[:1])}":
        return True
    rows = [[v for v in row.values() if isinstance(v, int | float)] for row in candidate.table]
    shared = re.search(rf"\) of {whole.text}(?!\d)", candidate.statement) is not None
    if shared or fits(whole, Cell(float(candidate.n))) or whole.value == sum(r[-1] for r in rows if r):
        return any(fits(part, Cell(float(v))) for row in rows for v in row) or not rows
    return any(
        any(fits(part, Cell(float(v))) for v in row) and any(fits(whole, Cell(float(v))) for v in row) for row in rows
    )


def _turned_round(sentence: str, number: Stated, cells: Sequence[Cell], evidence: Evidence) -> str | None:
    """Why "24.7% of all complaints are from trial" does not follow from 24.7% of trial that complained.

    A rate is one of its own group; a part is one of the whole, in which its group is not named.
    """
    base, rest = _base(sentence, number, evidence)
    if base is None:
        return None
    for finding in evidence.findings:
        groups = _groups(finding, number, cells) | _counted(finding, sentence, number)
        within = _within(finding)
        if within and evidence.places_of(within, base) and not any(evidence.places_of(g, base) for g in groups):
            return f"{number.text!r} is a share of another whole"
        in_base = [g for g in groups if evidence.places_of(g, base)]
        in_rest = [g for g in groups if evidence.places_of(g, rest)]
        rate = _is_rate(finding)
        if groups and ((rate and in_rest and not in_base) or (not rate and in_base)):
            return f"{number.text!r} is a share of another whole"
    return None


def _base(sentence: str, number: Stated, evidence: Evidence) -> tuple[str | None, str]:
    """What a share, or a count of a count, is said to be of, and the rest of the clause.

    A group behind a preposition belongs to it where a verb follows ("of the women in A survived").
    """
    if number.unit not in {"%", None}:
        return None, ""
    end = next((b for a, b in clauses(sentence) if a <= number.start < b), len(sentence))
    behind = sentence[number.end :]
    if number.unit is None:
        counted = _OF_COUNT.match(behind)
        behind = f" of {counted['rest']}" if counted else ""
    found = _BASE.match(behind)
    if found is None:
        return None, ""
    base, rest = found["base"], behind[found.end() : max(found.end(), len(behind) - (len(sentence) - end))]
    where = _WHERE.match(rest)
    if where:
        group = next(
            (b for g in evidence.labels for a, b in evidence.places_of(g, rest) if a == where.end()), None
        )  # fmt: skip
        if group is not None and re.match(r" (?!and\b)[a-z]{3,}", rest[group:]):
            return base + rest[:group], rest[group:]
    return base, rest


def _within(finding: LabelledFinding) -> str | None:
    """The value in which the rows of a group are concentrated, in lower case; None where that is not said."""
    claim = finding.candidate.claim
    if claim.subject.relation != "association" or not claim.value.text:
        return None
    text, column = claim.value.text.casefold(), (claim.subject.against or "").casefold()
    bare = text.removeprefix(column).strip()
    return bare if bare.isalpha() else text


def _is_rate(finding: LabelledFinding) -> bool:
    subject = finding.candidate.claim.subject
    return subject.relation == "association" or _RATED.match(subject.metric or "") is not None


def _groups(finding: LabelledFinding, number: Stated, cells: Sequence[Cell]) -> set[str]:
    """The groups whose share a number is in a finding; empty where it is none of its shares."""
    claim = finding.candidate.claim
    if claim.subject.relation == "association":
        return {claim.subject.segment.casefold()} if claim.subject.segment else set()
    told = (claim.value.text or "").casefold()
    own = {label for c in cells if c.row and c.unit == "share" for label in c.labels}
    held = {str(v).casefold() for row in finding.candidate.table for v in row.values() if isinstance(v, str)}
    if claim.value.number is not None and fits(number, Cell(claim.value.number, claim.value.unit)):
        own |= {told, *told.split(" and "), *told.split(", ")} - {""}
    return own & (held | {told})


def _counted(finding: LabelledFinding, sentence: str, number: Stated) -> set[str]:
    """The groups whose rows a count is one of: "38 of 154", where 154 is the number of rows of one group."""
    whole = next((s for s in numbers_in(sentence[number.end :]) if _OF.match(sentence[number.end :][: s.start])), None)
    if number.unit or whole is None or not _is_rate(finding):
        return set()
    rows = [r for r in finding.candidate.table if r.get("n") == whole.value]
    return {str(v).casefold() for row in rows for v in row.values() if isinstance(v, str)}


def _other_next(sentence: str, number: Stated, evidence: Evidence) -> str | None:
    """Why "2.6 times as many as C" does not follow where the findings compare with the next, B."""
    if number.unit != "x":
        return None
    end = next((b for a, b in clauses(sentence) if a <= number.start < b), len(sentence))
    for told in _NEXT.finditer(evidence.statements):
        behind = {g for g in evidence.labels if evidence.places_of(g, sentence[number.end : end])}
        if abs(float(told["times"]) - number.value) > number.slack:
            continue
        if (behind and told["name"].strip() not in behind) or (
            not behind and _TOGETHER.search(sentence[number.end : end])
        ):
            return f"{number.text!r} times is said of {told['name'].strip()!r}"
    return None


def _of_one_alone(sentence: str, number: Stated, evidence: Evidence) -> str | None:
    """Why what two groups have together is not what one of them has."""
    for finding in evidence.findings:
        told = _JOINT.match(finding.candidate.statement)
        if told is None or _BOTH.search(sentence):
            continue
        sought = told["share"] if number.unit == "%" else told["part"].replace(",", "")
        groups = [g.strip().casefold() for g in re.split(r", | and ", told["names"])]
        named = [g for g in groups if evidence.places_of(g, sentence)]
        if abs(float(sought) - number.value) <= number.slack and named and len(named) < len(groups):
            return f"{number.text!r} is what {told['names']} have together"
    return None


def _converse(sentence: str, evidence: Evidence) -> str | None:
    """Why "all of B belong to A" does not follow from "all rows of A have B"."""
    said = _UNIVERSAL.search(sentence)
    for told in _ALL_OF.finditer(evidence.statements) if said else ():
        behind = sentence[said.end() :].casefold() if said else ""
        part, whole = behind.find(told["part"].strip()), behind.find(told["whole"].strip())
        if whole >= 0 and (whole < part or part < 0):
            return f"the findings say it of all rows of {told['part'].strip()!r}, not the other way round"
    return None


def _no_majority(sentence: str, evidence: Evidence) -> str | None:
    """Why "most" is too much: no group that the sentence names has more than half."""
    most = _MOST.search(sentence)
    if most is None or _SAYS_MOST.search(evidence.statements):
        return None
    named = {g for g in evidence.labels if evidence.places_of(g, sentence)}
    shares = [c for c in evidence.cells if c.unit in {"share", "%"} and c.kind in {"figure", "part"}]
    rows = [c.value for c in shares if c.labels]
    loose = [c for c in shares if not c.labels and not any(abs(100 * v - c.value) <= 0.06 for v in rows)]
    own = [c for c in shares if not named or c.labels & named] + loose
    if any((c.value if c.unit == "share" else c.value / 100) > _HALF and c.value != 95.0 for c in own):
        return None
    return f"“{most.group().strip()}” is more than half, which the findings do not say"


def _other_end(sentence: str, numbers: Sequence[Stated], evidence: Evidence) -> str | None:
    """Why the average of the one end is given to the other ("above 70 it averages ..., up to 40 ...")."""
    told = "\n".join(f.candidate.statement for f in evidence.findings)
    for ends in _ENDS.finditer(told):
        top, high, bottom, low = (float(ends[k].replace(",", "")) for k in ("top", "high", "bottom", "low"))
        for n in numbers:
            is_high, is_low = (abs(n.value - abs(v)) <= n.slack for v in (high, low))
            if is_high == is_low:
                continue
            near = sorted(
                (o for o in numbers if o.value in {top, bottom}),
                key=lambda o: (o.start > n.start, abs(o.start - n.start)),
            )
            if near and near[0].value == (bottom if is_high else top):
                return f"{n.text!r} is the average of the other end"
            if not near and not _ENDED.search(sentence):
                return f"{n.text!r} is the average of one end"
    return None
