"""Spikes and dips of a series as candidates."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

from datasets.battery._rows.by_period import Series, Spot
from datasets.battery._statistics.series import FEWEST_FOR_SPIKES, Spike, spikes
from datasets.battery._wording.phrases import capital, listed
from datasets.battery._wording.scope import Scope
from datasets.battery._wording.series_display import chart_of, table_of
from datasets.evidence import Candidate, Claim, ClaimValue, Effect

_COUNTS = {"count", "missing"}
_SPIKY = {"count", "missing", "sum", "mean", "share", "median"}
_MIN_ROWS = 5
_MOST = 3
_CLEARLY = 1.25
_WEEK, _FEWEST_WEEKS = 7, 4
_APART = 4.0
"""How often the usual distance of a day from its weekday's median the medians must lie apart."""


def spike_candidates(
    series: Series, scope: Scope, sql: str, *, by: str | None = None, segment: str | None = None
) -> tuple[list[Candidate], list[float]]:
    """Candidates for periods that stand far out, strongest first, and the p-values of the tests that were run.

    Every stretch that was tested counts, shown or not; a search that found none counts as one test.
    """
    usable = series.usable
    if scope.metric.aggregate not in _SPIKY:
        return [], []
    counts = scope.metric.aggregate in _COUNTS
    usual = _weekly(series)
    raw = [float(s.value) for s in usable] if counts else [series.level(s) for s in usable]
    values = [v / u for v, u in zip(raw, usual, strict=True)]
    alone = series.metric.additive and not counts and _one_row_each(usable)
    # A period's one row is a figure of its own, not a draw of rows: its size is no measure of chance.
    noise = [0.0 if alone else e / u for e, u in zip(_noise(series, counts=counts), usual, strict=True)]
    days = [s.period.days for s in usable]
    every = spikes(values, noise=noise, counts=counts, days=days)
    found = [s for s in every if alone or all(p.n >= _MIN_ROWS or counts for p in usable[s.first : s.last + 1])]
    found = _beyond_all_others([float(s.value) / u for s, u in zip(usable, usual, strict=True)], found)
    shown = found[:_MOST]
    tests = [s.p for s in every] or ([1.0] if len(usable) >= FEWEST_FOR_SPIKES else [])
    return [_candidate(series, scope, sql, spike, found, by, segment) for spike in shown], tests


def no_spike_candidate(series: Series, scope: Scope, sql: str) -> Candidate | None:
    """That no period stands out, with the highest and the lowest; None where too few periods are there to say so."""
    usable = series.usable
    if len(usable) < FEWEST_FOR_SPIKES or scope.metric.aggregate not in _SPIKY:
        return None
    grain = scope.calendar.grain
    high, low = (pick(usable, key=series.level) for pick in (max, min))
    ends = f"the highest is {scope.text(high.value)} in {high.period.label}, the lowest {scope.text(low.value)}"
    return Candidate(
        claim=Claim(
            subject=scope.subject(relation="outliers"), value=ClaimValue(number=0.0, unit="periods", direction="none")
        ),
        statement=(
            f"No {grain} stands out in the {scope.words}: none of the {len(usable):,} complete {grain}s lies clearly"
            f" beyond all others; {ends} in {low.period.label}."
        ),
        n=len(usable),
        null=True,
        interest_0_1=0.4,
        chart=chart_of(series, scope, None),
        table=table_of(series, None),
        sql=[sql],
    )


def _weekly(series: Series) -> list[float]:
    """What share of a usual day each day of its weekday has, where days follow the week; 1 for every other period.

    They follow it where the medians of the weekdays lie far further apart than the days from the one of their own.
    """
    usable = series.usable
    by_day: dict[int, list[float]] = {}
    for spot in usable:
        by_day.setdefault(spot.period.start.weekday(), []).append(series.level(spot))
    plain = [1.0] * len(usable)
    if series.calendar.grain != "day" or len(by_day) < _WEEK or min(len(v) for v in by_day.values()) < _FEWEST_WEEKS:
        return plain
    medians = {day: statistics.median(v) for day, v in by_day.items()}
    overall = statistics.median(medians.values())
    if overall <= 0 or min(medians.values()) <= 0:
        return plain
    off = statistics.median(abs(v - medians[day]) for day, values in by_day.items() for v in values)
    if max(medians.values()) - min(medians.values()) <= _APART * off:
        return plain
    return [medians[spot.period.start.weekday()] / overall for spot in usable]


def _one_row_each(usable: Sequence[Spot]) -> bool:
    """Whether each period has its one row, so that few rows say nothing of how sure its value is."""
    return all(s.n == 1 for s in usable)


def _beyond_all_others(values: Sequence[float], found: Sequence[Spike]) -> list[Spike]:
    """The spikes that lie beyond every period outside of them, as their sentences say, and clearly so at the peak."""
    kept = list(found)
    while True:
        inside = {i for s in kept for i in range(s.first, s.last + 1)}
        others = [v for i, v in enumerate(values) if i not in inside]
        held = [s for s in kept if others and _beyond(values[s.first : s.last + 1], others, up=s.up)]
        if len(held) == len(kept):
            return held
        kept = held


def _beyond(run: Sequence[float], others: Sequence[float], *, up: bool) -> bool:
    if up:
        return min(run) > max(others) and max(run) >= _CLEARLY * max(others)
    return max(run) < min(others) and _CLEARLY * min(run) <= min(others)


def _noise(series: Series, *, counts: bool) -> list[float]:
    """The chance error of each period.

    Of a total it is that of a usual period, not of the peak itself, which would always explain itself. Of an average
    it is at least what the usual spread of rows gives for so few of them.
    """
    usable = series.usable
    if series.metric.additive:
        errors = [s.error if counts or not series.per_day else s.error / s.period.days for s in usable]
        usual = sorted(errors)[len(errors) // 2] if errors else 0.0
        # Where most periods are empty, the median error is none at all, and every row would be a spike.
        usual = usual or math.sqrt(sum(e * e for e in errors) / max(1, len(errors)))
        if not min(errors, default=1.0):
            return [usual] * len(errors)
        return [min(e, usual) for e in errors]
    spreads = sorted(s.error * math.sqrt(s.n) for s in usable if s.n >= 2)
    spread = spreads[len(spreads) // 2] if spreads else 0.0
    return [max(s.error, spread / math.sqrt(max(1, s.n))) for s in usable]


def _candidate(
    series: Series,
    scope: Scope,
    sql: str,
    spike: Spike,
    found: Sequence[Spike],
    by: str | None,
    segment: str | None,
) -> Candidate:
    usable = series.usable
    inside = usable[spike.first : spike.last + 1]
    alike = [s for s in found if s.up == spike.up]
    others = [s.value for i, s in enumerate(usable) if not any(a.first <= i <= a.last for a in alike)]
    names = _joined([s.period.label for s in inside])
    values = listed([scope.text(s.value) for s in inside], most=8)
    verb = "spikes" if spike.up else "dips"
    grain = series.calendar.grain
    what = capital(f"the {scope.words}") if segment is None else f"{segment}: the {scope.words}"
    rest = f"the other {grain}s" if len(alike) == 1 else f"{grain}s without such a {'spike' if spike.up else 'dip'}"
    statement = f"{what} {verb} in {names}: {values} against {scope.span(others)} in {rest}."
    extreme = max if spike.up else min
    peak = extreme(inside, key=lambda s: float(s.value))
    typical = sorted(float(v) for v in others)[len(others) // 2]
    number = float(peak.value)
    return Candidate(
        claim=Claim(
            subject=scope.subject(relation="outliers", dimension=by, segment=segment),
            value=ClaimValue(
                number=number, unit=scope.claim_unit, direction="up" if spike.up else "down",
                text=", ".join(s.period.label for s in inside),
            ),
        ),
        statement=statement,
        n=sum(s.n for s in usable),
        test="robust z of periods",
        p_value=spike.p,
        effect=Effect(name="ratio_to_typical", value=number / typical) if typical else None,
        interest_0_1=0.9 if spike.up else 0.8,
        chart=chart_of(series, scope, None),
        table=table_of(series, segment),
        sql=[sql],
    )  # fmt: skip


def _joined(labels: list[str]) -> str:
    """ "July and August 2023": a year that all labels end in is said once."""
    ends = {label.rpartition(" ")[2] for label in labels}
    if len(labels) > 1 and len(ends) == 1 and all(" " in label for label in labels):
        return f"{listed([label.rpartition(' ')[0] for label in labels], most=8)} {ends.pop()}"
    return listed(labels, most=8)
