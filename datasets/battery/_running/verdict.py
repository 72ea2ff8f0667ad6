"""Verdicts: whether a remembered claim still holds on the data as it is now."""

import math
from collections.abc import Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from datasets.battery._running.labels import ALPHA
from datasets.battery._wording.phrases import readable
from datasets.evidence import Candidate, Claim, ClaimValue, Subject
from datasets.plain import number_text

VerdictWord = Literal["holds", "weakened", "reversed", "gone", "cannot_tell"]

_OPPOSITE = {frozenset(pair) for pair in (("up", "down"), ("higher", "lower"), ("positive", "negative"))}
_NULL_DIRECTIONS = {"flat", "none"}
# A text in these is a list or a remark; everywhere else it names who leads.
_TEXT_IS_NO_LEADER = {"outliers", "overview", "quality", "value", "terms"}
# Numbers that are facts rather than effects: larger is as much a change as smaller.
_FACTS = {"value", "overview", "quality", "outliers", "distribution"}
# The number of who leads is an amount, which grows with the data: larger is not stronger.
_AMOUNTS = {"extreme"}
# A table of the evidence ends here; a group beyond it may still be there.
_TABLE_ROWS = 50
# Below this many rows, and a quarter of the former ones, what no test carries says nothing of a claim about groups.
_FEW_ROWS = 30
# n grows with the square of this where the interval is to exclude zero with 80 % power, not just in half of the cases.
_POWER = (1.96 + 0.8416) / 1.96


class Verdict(BaseModel):
    """What became of a remembered claim. `before` and `after` hold the values that were compared."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    verdict: VerdictWord
    reason: str = Field(description="one sentence with both numbers")
    before: dict[str, Any]
    after: dict[str, Any]


def match_candidate(before: Claim, candidates: Sequence[Candidate]) -> Candidate | None:
    """Return the candidate that speaks about the same subject: the same claim, else a null result in its place.

    A step that finds "spread evenly" instead of "A leads" returns another relation for the same column; so the second
    choice is a null candidate of the same metric and column, whatever its relation, and the reverse for a null claim.
    """
    for candidate in candidates:
        if candidate.claim.subject == before.subject:
            return candidate
    was_null = _was_null(before)
    for candidate in candidates:
        if candidate.null != was_null and _same_matter(candidate.claim.subject, before.subject):
            return candidate
    # Two groups were all there were, and a third has come, or the reverse.
    alone = [c for c in candidates if _but_for_others(c.claim.subject, before.subject)]
    return alone[0] if len(alone) == 1 else None


def verdict_of(
    before: Claim,
    after: Candidate | None,
    *,
    skipped: str | None = None,
    n_before: int | None = None,
    tolerance_0_1: float = 0.05,
) -> Verdict:
    """Compare a remembered claim with what the same step finds now.

    `after` is None when the step measured nothing about it; `skipped` then says why. Numbers are the same when their
    intervals meet, or within `tolerance_0_1` of the remembered one. A claim of absence is reversed by an effect.
    `n_before`: the rows that the claim was made from; who leads in a handful that is left of them says nothing.
    """
    if after is None:
        why = skipped or "The step found nothing that speaks for or against the claim."
        return _verdict("cannot_tell", before, None, _sentence(why))
    if _too_few(before, after, n_before):
        return _verdict(
            "cannot_tell", before, after, f"{after.n:,} of {n_before:,} rows left, too few to say: "
            f"{after.statement}"
        )  # fmt: skip
    word, reason = _judge(before, after, tolerance_0_1)
    return _verdict(word, before, after, reason)


def _sentence(reason: str) -> str:
    """A reason as it stands in an answer: with a capital and a full stop."""
    text = reason.strip()
    return f"{text[:1].upper()}{text[1:]}" + ("" if text.endswith((".", "!", "?")) else ".")


def _judge(before: Claim, after: Candidate, tolerance_0_1: float) -> tuple[VerdictWord, str]:
    then, now = before.value, after.claim.value
    nothing = after.null or now.direction in _NULL_DIRECTIONS
    unproven = after.p_value is not None and after.p_value > ALPHA and not nothing
    if _was_null(before):
        if nothing and after.null and not after.inconclusive:
            return "holds", f"Still no effect: {after.statement}"
        if nothing or unproven:
            return "cannot_tell", f"The effect is neither shown nor ruled out with n = {after.n:,}: {after.statement}"
        return "reversed", f"There was no effect, now there is one: {after.statement}"
    if nothing or unproven:
        return _faded(then, after)
    if then.direction and now.direction and frozenset((then.direction, now.direction)) in _OPPOSITE:
        return "reversed", f"The direction is {now.direction} now and was {then.direction}."
    if _leads(before) and then.text and now.text and then.text.casefold() != now.text.casefold():
        return _other_leader(then, after, tolerance_0_1)
    return _compare_numbers(before, after, tolerance_0_1)


def _other_leader(then: ClaimValue, after: Candidate, tolerance_0_1: float) -> tuple[VerdictWord, str]:
    """Another group leads; where the former one is gone and the new one has its figures, it may be the same by name."""
    now = after.claim.value
    shown = {str(cell).casefold() for row in after.table for cell in row.values()}
    if then.text is None or then.text.casefold() in shown or not 0 < len(after.table) < _TABLE_ROWS:
        return "reversed", f"It is {now.text} now and was {then.text}."
    gone = f"{then.text}, which led, is not among the groups any more"
    same = (
        then.number is not None
        and now.number is not None
        and (_meet(then, now) or abs(now.number - then.number) <= tolerance_0_1 * abs(then.number))
    )
    if same:
        return "cannot_tell", f"{gone}; {now.text} leads with the same figures and may be its new name."
    return "reversed", f"It is {now.text} now; {gone}."


def _too_few(before: Claim, after: Candidate, n_before: int | None) -> bool:
    untested = after.p_value is None and after.test is None
    shrunk = n_before is not None and after.n < _FEW_ROWS and 4 * after.n <= n_before
    return untested and shrunk and before.subject.relation not in _FACTS


def _faded(then: ClaimValue, after: Candidate) -> tuple[VerdictWord, str]:
    """An effect that is not shown any more: gone, smaller, or too few rows to say."""
    now = after.claim.value
    p = f"p = {number_text(after.p_value)}" if after.p_value is not None else "no effect"
    if then.number is not None and now.low is not None and now.high is not None:
        if min(now.low, now.high) <= then.number <= max(now.low, now.high) and now.low < 0 < now.high:
            needed = _needed_n(then.number, now, after.n)
            return "cannot_tell", (
                f"With n = {after.n:,} the interval holds both zero and the former value "
                f"{_number(then.number, then)}; about {needed:,} would be needed."
            )
        same_sign = now.number is not None and now.number * then.number > 0
        if not after.null and same_sign:
            return "weakened", f"{_change(then, now)} and not significant any more ({p})."
    return "gone", f"There was an effect and now there is none ({p}): {after.statement}"


def _needed_n(effect: float, now: ClaimValue, n: int) -> int:
    half = ((now.high or 0.0) - (now.low or 0.0)) / 2
    return max(n + 1, math.ceil(n * (_POWER * half / abs(effect)) ** 2)) if effect else n + 1


def _compare_numbers(before: Claim, after: Candidate, tolerance_0_1: float) -> tuple[VerdictWord, str]:
    then, now = before.value, after.claim.value
    if then.number is None or now.number is None:
        if then.number is None and now.number is None:
            return "holds", f"Unchanged: {after.statement}"
        return "cannot_tell", f"One of the two values is not defined: {after.statement}"
    change = _change(then, now)
    if _meet(then, now) or abs(now.number - then.number) <= max(tolerance_0_1 * abs(then.number), 1e-9):
        return "holds", f"{change}."
    if then.number * now.number < 0:
        return "reversed", f"{change}: the sign has changed."
    larger = abs(now.number) > abs(then.number)
    if larger and before.subject.relation in _AMOUNTS:
        return "holds", f"{change}."
    if before.subject.relation not in _FACTS:
        return ("holds", f"{change}: stronger.") if larger else ("weakened", f"{change}: same direction, smaller.")
    if then.number and 0.5 <= now.number / then.number <= 2:
        return "weakened", f"{change}: not the same value any more."
    return "gone", f"{change}: another value altogether."


def _meet(then: ClaimValue, now: ClaimValue) -> bool:
    """Whether the intervals overlap; a value without one counts as a point, and two points never meet."""
    if (then.low is None or then.high is None) and (now.low is None or now.high is None):
        return False
    spans = []
    for value in (then, now):
        number = value.number if value.number is not None else math.nan
        spans.append(
            (number, number) if value.low is None or value.high is None else tuple(sorted((value.low, value.high)))
        )
    return bool(spans[0][0] <= spans[1][1] and spans[1][0] <= spans[0][1])


def _was_null(claim: Claim) -> bool:
    return claim.subject.relation == "evenness" or claim.value.direction in _NULL_DIRECTIONS


def _leads(claim: Claim) -> bool:
    return claim.subject.relation not in _TEXT_IS_NO_LEADER


def _same_matter(a: Subject, b: Subject) -> bool:
    return (a.metric, a.dimension, a.column, a.filters, a.period) == (
        b.metric, b.dimension, b.column, b.filters, b.period
    )  # fmt: skip


def _but_for_others(a: Subject, b: Subject) -> bool:
    """Whether only one of the two names the groups that are compared, and all else is the same."""
    return (a.segment is None) != (b.segment is None) and (
        a.model_copy(update={"segment": None}) == b.model_copy(update={"segment": None})
    )


def _change(then: ClaimValue, now: ClaimValue) -> str:
    return f"{_number(now.number, now)} now against {_number(then.number, then)} before"


def _number(number: float | None, value: ClaimValue) -> str:
    if value.unit == "share" and number is not None:
        return number_text(number * 100, unit="%")
    return number_text(None if number is None else readable(number), unit="%" if value.unit == "%" else None)


def _verdict(word: VerdictWord, before: Claim, after: Candidate | None, reason: str) -> Verdict:
    found: dict[str, Any] = {}
    if after is not None:
        found = after.claim.value.model_dump(exclude_none=True)
        found |= {"statement": after.statement, "n": after.n}
        found |= {} if after.p_value is None else {"p_value": after.p_value}
    return Verdict(verdict=word, reason=reason, before=before.value.model_dump(exclude_none=True), after=found)
