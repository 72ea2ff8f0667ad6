"""A remembered claim tested on what came since alone, where that is enough to tell and its numbers compare."""

import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date, timedelta
from statistics import NormalDist
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from datasets.battery import make_step, step_kinds
from datasets.charts import Bar, Spec, bar_chart
from datasets.errors import DatasetError
from datasets.evidence import Candidate, Claim
from datasets.measures import Metric, Window
from datasets.steps import Step

# Claims that say the same of any stretch of time; a total, outliers or a change between two periods do not.
_OF_ANY_SPAN = {
    "value", "extreme", "share", "concentration", "evenness", "trend", "difference", "correlation", "association",
}  # fmt: skip
# Relations whose number is an amount where the metric adds up: it grows with the span.
_AMOUNTS = {"value", "extreme", "difference"}
_FEWEST_ROWS = 100
_FEWEST_PERIODS = 8
_UNTESTED_SHARE_0_1 = 0.2
# The z that a test must reach on average to be significant in four of five cases (alpha 5 %, two-sided).
_POWERED_Z = 1.96 + 0.8416
_LARGEST_Z = 37.0
_DAYS = {"day": 1, "week": 7, "month": 31, "quarter": 92, "year": 366}


class Since(BaseModel):
    """The stretch after the data on which a claim was last confirmed, and whether it can be tested alone."""

    model_config = ConfigDict(frozen=True)

    window: Window
    held: int = Field(description="rows in it that the claim is about, as the past lets expect; periods of a trend")
    needed: int = Field(description="how many would find the remembered effect in four of five cases")
    counted: str = Field(description="what is counted: row, or the grain of a trend")

    @property
    def enough(self) -> bool:
        """Whether the stretch can be tested alone."""
        return self.held >= self.needed


def since(
    step: Step,
    claim: Claim,
    *,
    time_column: str,
    span: tuple[date, date, date],
    rows: tuple[int, int],
    n_before: int,
    p_before: float | None,
) -> Since | None:
    """Return the stretch after the data that a claim was confirmed on; None where it is not about any stretch of time.

    :param span: first and last day of the data when the claim was confirmed, and the last day now.
    :param rows: rows up to the second of these days, and after it.
    :param n_before: rows behind the claim; p_before: the p-value of its test, where there was one.
    """
    first, after, until = span
    subject = claim.subject
    metric = Metric.model_validate(step.params.get("metric") or {})
    fixed = step.params.get("window") is not None or "[" in (subject.period or "")
    if fixed or subject.relation not in _OF_ANY_SPAN or "window" not in step_kinds()[step.kind].params.model_fields:
        return None
    if subject.relation == "value" and metric.additive:
        return None
    if step.params.get("time") not in {None, time_column} or until <= after or not (n_before and rows[0]):
        return None
    window = from_day(time_column, after + timedelta(days=1))
    if subject.relation != "trend":
        held = round(rows[1] * min(1.0, n_before / rows[0]))
        needed = max(_FEWEST_ROWS, _needed(n_before, p_before, growth=0.5))
        return Since(window=window, held=held, needed=needed, counted="row")
    grain = (subject.period or "").removeprefix("by ")
    if grain not in _DAYS:
        return None
    periods = int(((after - first).days + 1) / _DAYS[grain])
    needed = max(_FEWEST_PERIODS, _needed(periods, p_before, growth=1.5))
    return Since(window=window, held=int((until - after).days / _DAYS[grain]), needed=needed, counted=grain)


def as_claimed(step: Step, claim: Claim) -> Step:
    """Return the step with the grain that the claim was made at: longer data would suggest a longer one by itself."""
    grain = (claim.subject.period or "").partition(" in ")[0].removeprefix("by ")
    free = "grain" in step_kinds()[step.kind].params.model_fields and step.params.get("grain") is None
    return _with(step, {"grain": grain}) if free and grain in _DAYS else step


def against_level(step: Step, claim: Claim, confirmed_until: date | None) -> Step:
    """Return the test of a level: of a series without a trend against what was known, of a moved one against before."""
    until = _split(claim) or (confirmed_until if claim.value.direction in {"flat", "none"} else None)
    if until is None or claim.subject.relation != "trend" or step.kind != "trend" or step.params.get("by"):
        return step
    return _with(step, {"known_until": until.isoformat()})


def _split(claim: Claim) -> date | None:
    """The last day before the level that a claim speaks of."""
    told = re.fullmatch(r"level since (\d{4}-\d{2}-\d{2})", claim.value.text or "")
    return date.fromisoformat(told[1]) - timedelta(days=1) if told else None


def rests_on(step: Step, claim: Claim, columns: Collection[str]) -> set[str]:
    """Return those of the columns that the step reads or the claim names."""
    named = set(_texts(step.params))
    said = " ".join(str(v) for v in claim.subject.model_dump(exclude_none=True).values())
    return {c for c in columns if c in named or re.search(rf"(?<!\w){re.escape(c)}(?!\w)", said)}


def _texts(params: object) -> Iterator[str]:
    if isinstance(params, str):
        yield params
    elif isinstance(params, Mapping):
        for value in params.values():
            yield from _texts(value)
    elif isinstance(params, Sequence):
        for value in params:
            yield from _texts(value)


def from_day(time_column: str, start: date) -> Window:
    """Return the stretch from a day on."""
    return Window(column=time_column, start=start, label=f"the time since {start.isoformat()}")


def until_day(time_column: str, start: date | None, ahead: Window) -> Window:
    """Return the stretch from a day (None: the first) up to the one ahead of it."""
    end = ahead.start
    label = f"the time before {end.isoformat()}" if end else "all the time"
    return Window(column=time_column, start=start, end=end, label=label)


def _needed(n: int, p: float | None, *, growth: float) -> int:
    """How many give the remembered effect a powered test; z grows with n to the power of `growth`."""
    if p is None:
        return math.ceil(_UNTESTED_SHARE_0_1 * n)
    z = min(_LARGEST_Z, -NormalDist().inv_cdf(p / 2)) if p > 0 else _LARGEST_Z
    if z < 1.96:
        return math.ceil(_UNTESTED_SHARE_0_1 * n)
    return math.ceil(n * math.pow(_POWERED_Z / z, 1 / growth))


def step_since(step: Step, window: Window) -> Step:
    """Return the step on the rows of a window."""
    return _with(step, {"window": window.model_dump(mode="json")})


def _with(step: Step, changes: Mapping[str, Any]) -> Step:
    """Return the step with other parameters; unchanged where it cannot have them."""
    try:
        return make_step(
            step.kind, {**step.params, **changes}, reason=step.reason, stated=step.stated, builds_on=step.builds_on
        )
    except DatasetError:
        return step


def as_before(candidate: Candidate, window: Window) -> Candidate:
    """Return what was found in a window under the subject that it has without one, as the remembered claim has it."""
    subject = candidate.claim.subject
    period = (subject.period or "").replace(f" in {window.key}", "").replace(window.key, "") or None
    claim = candidate.claim.model_copy(update={"subject": subject.model_copy(update={"period": period})})
    return candidate.model_copy(update={"claim": claim})


def spanless(claim: Claim, step: Step) -> Claim:
    """Return the claim without an amount that grows with the stretch of time it is taken over."""
    metric = Metric.model_validate(step.params.get("metric") or {})
    if not (metric.additive and claim.subject.relation in _AMOUNTS):
        return claim
    bare = claim.value.model_copy(update={"number": None, "low": None, "high": None})
    return claim.model_copy(update={"value": bare})


def too_few(needed: int, found: Candidate | None) -> str | None:
    """Say that a stretch held far fewer rows of the claim than the past let expect; None where it did not."""
    if found is None or found.claim.subject.relation == "trend" or 2 * found.n >= needed:
        return None
    return f"Only {found.n:,} rows of it came since then, and it takes about {needed:,}: {found.statement}"


def then_and_now_chart(before: Claim, now: Claim, title: str) -> Spec | None:
    """Draw the remembered value beside the one found now, with their intervals; None where one has no number."""
    bars = []
    for name, value in (("then", before.value), ("now", now.value)):
        if value.number is None:
            return None
        factor = 100.0 if value.unit == "share" else 1.0
        ends = (None, None) if value.low is None or value.high is None else (factor * value.low, factor * value.high)
        label = f"{name}: {value.text}" if value.text else name
        bars.append(Bar(label, factor * value.number, *ends))
    unit = "%" if before.value.unit == "share" else before.value.unit or ""
    return bar_chart(bars, title=title, value_title=unit, name_title="", ordered=True)
