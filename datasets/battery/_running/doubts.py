"""What the reading of the file left open limits what may be claimed with it."""

from datasets.evidence import Candidate, StepResult
from datasets.schema import SchemaCard
from datasets.sql import ident


def doubted(result: StepResult, card: SchemaCard) -> StepResult:
    """Mark candidates that lean on a date column whose day and month cannot be told apart: exploratory at most."""
    if not card.ambiguous_dates:
        return result
    return result.model_copy(update={"candidates": [_candidate(c, card.ambiguous_dates) for c in result.candidates]})


def _candidate(candidate: Candidate, ambiguous: tuple[str, ...]) -> Candidate:
    used = [name for name in ambiguous if _leans_on(candidate, name)]
    if not used:
        return candidate
    caveat = f"the order of day and month in {', '.join(used)} cannot be known, so periods may be other ones"
    return candidate.model_copy(update={"limit": "exploratory", "caveats": [*candidate.caveats, caveat]})


def _leans_on(candidate: Candidate, name: str) -> bool:
    subject = candidate.claim.subject
    named = (subject.metric, subject.dimension, subject.column, subject.period, subject.against, subject.filters)
    return any(ident(name) in sql for sql in candidate.sql) or any(name in text for text in named if text)
