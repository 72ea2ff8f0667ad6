"""r3: how many days a feed runs late, measured by what a later delivery filled in.

Source of the rule: per-date fingerprints of two loads, r(d) = n before / n after on the days that both could know; the
lag is the trailing run of days with r < .995.
"""

from collections.abc import Mapping, Sequence
from datetime import date

from pydantic import BaseModel, ConfigDict, Field

from datasets.snapshot._taking import Snapshot

Ratios = Mapping[str, float]

_COMPLETE_0_1 = 0.995
_LONGEST_LAG_DAYS = 31
_FEWEST_SETTLED_DAYS = 10
_SETTLED_WINDOW_DAYS = 28
_SETTLED_SHARE_0_1 = 0.9
_ALIKE_SHARE_0_1 = 0.5


class MeasuredLag(BaseModel):
    """How late rows (or the values of one measure) arrive; `days` 0: the earlier delivery was complete to its end."""

    model_config = ConfigDict(frozen=True)

    column: str = Field(description="the event time")
    measure: str | None = Field(default=None, description="the column whose values are late; None: whole rows")
    amounts: bool = Field(default=False, description="the values are there and their amounts still grow")
    days: int = Field(ge=0, description="calendar days from the first incomplete one to the newest of the delivery")
    first: date = Field(description="first incomplete day of the earlier delivery; its newest day where there is none")
    last: date = Field(description="newest day of the earlier delivery")
    complete_0_1: list[float] = Field(
        default_factory=list, description="what the earlier delivery had of each day in the run, oldest first"
    )


def measured_lag(before: Snapshot, after: Snapshot) -> MeasuredLag | None:
    """Measure how many of the newest days of `before` had fewer rows than `after` has for them.

    None where the two cannot tell: the same data, no common event time by day, no newer day to prove completeness, or
    a past that differs as well (a restatement everywhere, an extract by a filter, a backfill).
    """
    if not _comparable(before, after):
        return None
    held, holds = before.by_day, after.by_day
    known = sorted(held)
    oldest = min(holds) if before.bucket == "day" else known[0]
    ratios = {
        d: held.get(d, {"n": 0})["n"] / numbers["n"]
        for d, numbers in holds.items()
        if oldest <= d <= known[-1] and numbers["n"]
    }
    if known[-1] not in ratios:
        return None
    return _lag(before, after, ratios, measure=None)


def measured_null_lags(before: Snapshot, after: Snapshot) -> list[MeasuredLag]:
    """Measure the same of the values of each measure, beyond what late rows explain; only lags of at least a day."""
    if not _comparable(before, after):
        return []
    found = []
    for measure in sorted(before.total.get("non_null", {}).keys() & after.total.get("non_null", {}).keys()):
        ratios = {}
        for d, old in before.by_day.items():
            new = after.by_day.get(d)
            if new and old["n"] and new["non_null"].get(measure):
                filled = new["non_null"][measure] / new["n"]
                ratios[d] = old["non_null"].get(measure, 0) / old["n"] / filled
        lag = _lag(before, after, ratios, measure=measure) if max(before.by_day) in ratios else None
        if lag and lag.days:
            found.append(lag)
    return found


def measured_amount_lags(earlier: Snapshot, before: Snapshot, after: Snapshot) -> list[MeasuredLag]:
    """Measure how many newest days have amounts that still grow on the same rows, from three deliveries in order.

    One pair cannot tell late corrections from a past restated once: both pairs must have grown at their newest days,
    and nowhere near them. The longer run is the lag.
    """
    first = {lag.measure: lag for lag in _amounts_late(earlier, before)}
    second = {lag.measure: lag for lag in _amounts_late(before, after)}
    both = sorted(m for m in first.keys() & second.keys() if m)
    return [max((second[m], first[m]), key=lambda lag: lag.days) for m in both]


def _amounts_late(before: Snapshot, after: Snapshot) -> list[MeasuredLag]:
    """Measures of which the newest days grew on rows that were all there."""
    if not _comparable(before, after) or max(after.by_day) <= max(before.by_day):
        return []
    found = []
    for measure in sorted(before.total.get("sum", {}).keys() & after.total.get("sum", {}).keys()):
        ratios = {}
        for d, old in before.by_day.items():
            new = after.by_day.get(d)
            same = new and (old["n"], old["non_null"].get(measure)) == (new["n"], new["non_null"].get(measure))
            if new and same and new["sum"].get(measure):
                ratios[d] = old["sum"].get(measure, 0.0) / new["sum"][measure]
        lag = _lag(before, after, ratios, measure=measure) if max(before.by_day) in ratios else None
        if lag and lag.days and min(lag.complete_0_1) >= 0:
            found.append(lag.model_copy(update={"amounts": True}))
    return found


def _comparable(before: Snapshot, after: Snapshot) -> bool:
    return bool(
        before.fingerprint.content_hash != after.fingerprint.content_hash
        and before.time_column is not None
        and before.time_column == after.time_column
        and before.by_day
        and after.by_day
    )


def _lag(before: Snapshot, after: Snapshot, ratios: Ratios, *, measure: str | None) -> MeasuredLag | None:
    days = sorted(ratios)
    run = _trailing_run(days, ratios)
    settled = days[: len(days) - len(run)]
    if not _past_agrees(settled, ratios):
        return None
    last = date.fromisoformat(days[-1])
    first = date.fromisoformat(run[0]) if run else last
    length = (last - first).days + 1 if run else 0
    if length > _LONGEST_LAG_DAYS or (not run and max(after.by_day) <= days[-1]):
        return None
    return MeasuredLag(
        column=before.time_column or "",
        measure=measure,
        days=length,
        first=first,
        last=last,
        complete_0_1=[round(ratios[d], 4) for d in run],
    )


def _trailing_run(days: Sequence[str], ratios: Ratios) -> Sequence[str]:
    start = len(days)
    while start and ratios[days[start - 1]] < _COMPLETE_0_1:
        start -= 1
    return days[start:]


def _past_agrees(settled: Sequence[str], ratios: Ratios) -> bool:
    """Whether the days before the run are what they were; one restated month far back does no harm."""
    if len(settled) < _FEWEST_SETTLED_DAYS:
        return False
    alike = [abs(ratios[d] - 1) < 1 - _COMPLETE_0_1 for d in settled]
    near = alike[-_SETTLED_WINDOW_DAYS:]
    return sum(near) >= _SETTLED_SHARE_0_1 * len(near) and sum(alike) >= _ALIKE_SHARE_0_1 * len(alike)
