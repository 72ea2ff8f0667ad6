"""What a sentence speaks of: part of the rows or all of them, as the findings it cites."""

import re
from collections.abc import Sequence

from analyst.grounding.cells import Cell, Evidence
from analyst.grounding.names import name_pattern, opposite
from analyst.grounding.numbers import Stated
from analyst.protocol import LabelledFinding
from datasets.schema import SchemaCard

_PREDICATE = re.compile(r"^(?P<column>.+?) (?P<op>[a-z_]+) \[(?P<values>.*)\]$")
_OVERALL = re.compile(
    r"\b(?:overall|in general|generally|across the board|on the whole|altogether|all (?:rows|of them))\b", re.IGNORECASE
)
_BACK = re.compile(
    r"\b(?:there|them|these|those|such|within (?:it|this|that)|here|this group|that group|they|of which|of whom)\b",
    re.IGNORECASE,
)
_STEM_CHARS = 5
_LEAST_CHARS = 3
_MOST_VALUES = 60


def misplaced(
    sentence: str, matched: Sequence[tuple[Stated, Sequence[Cell]]], evidence: Evidence, card: SchemaCard | None
) -> str | None:
    """Return why a sentence speaks of other rows than its findings, or None.

    A finding on part of the rows carries a sentence that names the part, and not its other side. Where the question
    itself is on that part, a sentence need not say so again.
    """
    restricted = [f for f in evidence.findings if f.candidate.claim.subject.filters]
    if len(restricted) < len(evidence.findings) or not restricted:
        return None
    folded = sentence.casefold()
    for column, value in sorted({p for f in restricted for p in _equals(f)}):
        other = _other_value(folded, column, value, evidence, card)
        if other is not None:
            return f"{other!r} is not what the findings are about"
    whole = all(c.kind == "overall" for _, cells in matched for c in cells) and matched
    said = _OVERALL.search(sentence)
    if said and not whole and all(not _named(folded, p) for f in restricted for p in _equals(f)):
        return f"“{said.group()}” is more than the part of the rows that the findings are about"
    unsaid = [f for f in restricted if not f.step.stated and not all(_named(folded, p) for p in _equals(f))]
    if len(unsaid) == len(restricted) and not _BACK.search(sentence):
        return "it leaves out which part of the rows the findings are about"
    return None


def _equals(finding: LabelledFinding) -> list[tuple[str, str]]:
    """Column and value of each predicate that fixes one value, in lower case."""
    told = [_PREDICATE.match(p) for p in (finding.candidate.claim.subject.filters or "").split(" & ")]
    return [(m["column"].casefold(), m["values"].casefold()) for m in told if m and m["op"] == "eq"]


def _named(folded: str, predicate: tuple[str, str]) -> bool:
    """Whether a sentence in lower case names the part: by its value, or by a word like the column's name."""
    column, value = predicate
    if name_pattern(value).search(folded) or name_pattern(f"{column} {value}").search(folded):
        return True
    stem = column[:_STEM_CHARS]
    return opposite(f"{column} {value}") is not None and len(stem) > _LEAST_CHARS and stem in folded


def _other_value(folded: str, column: str, value: str, evidence: Evidence, card: SchemaCard | None) -> str | None:
    """Another value of a column than the one that the findings are restricted to, which the sentence names."""
    held = next((c for c in card.columns if c.name.casefold() == column), None) if card else None
    others = [v.casefold() for v in held.values[:_MOST_VALUES]] if held and len(held.values) <= _MOST_VALUES else []
    names = [v for v in others if v != value and v[:1].isalpha() and len(v) >= _LEAST_CHARS]
    other_side = opposite(f"{column} {value}")
    for name in [*names, *([other_side] if other_side else [])]:
        if name_pattern(name).search(folded) and not name_pattern(name).search(evidence.words):
            return name
    return None
