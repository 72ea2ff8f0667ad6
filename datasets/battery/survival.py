"""How long it takes until something happens, those to whom it has not yet happened counted as still waiting."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from datasets.battery._kind import StepKind, measured
from datasets.battery._statistics.survival import Curve, LogRank, log_rank
from datasets.battery._survival.params import SurvivalParams
from datasets.battery._survival.reading import Observed, observe, whole
from datasets.battery._survival.words import Words
from datasets.battery._wording.phrases import filters_key, p_text
from datasets.battery._wording.words import listed_and, name_text, rows_text
from datasets.charts import Point, Spec, line_chart
from datasets.errors import DatasetError
from datasets.evidence import Candidate, Claim, ClaimValue, Direction, Effect, StepResult, Subject

if TYPE_CHECKING:
    from datasets.view import AnalysisView

_ALPHA, _FEWEST, _FEWEST_EVENTS, _MOST_GROUPS = 0.05, 10, 5, 8
_LEFT = 10
"""A share is told only while so many are still observed; what lies behind rests on a few rows."""
_MATTERS = 1.2
"""A hazard ratio within 1/1.2 and 1.2 is no difference that matters."""
_DRAWN = 60


def run(params: SurvivalParams, view: AnalysisView) -> StepResult:
    """Measure the Kaplan-Meier curve, and with `by` whether its groups differ.

    Rows without an end are censored where the data end, which is before the newest days where a reporting lag is known.

    :raises DatasetError: when nothing has ended, or too few rows are there.
    """
    seen = observe(params, view)
    curve = whole(seen.curves)
    if curve.n < _FEWEST:
        raise DatasetError(f"{rows_text(curve.n)} are too few to say how long it takes; at least {_FEWEST} are needed")
    words = Words(params, view.card, seen)
    if params.by is None:
        return measured([_of_all(params, curve, seen, words)], p_values=[])
    large = {g: c for g, c in seen.curves.items() if c.n >= _FEWEST and c.ended >= _FEWEST_EVENTS}
    chosen = dict(sorted(large.items(), key=lambda item: -item[1].n)[:_MOST_GROUPS])
    if len(chosen) < 2:
        raise DatasetError(
            f"fewer than two groups of {params.by} have {_FEWEST} rows and {_FEWEST_EVENTS} that have reached the end"
        )
    tested = log_rank(list(chosen.values()))
    names = {g: name_text(view.card, params.by, g) for g in chosen}
    named = {names[g]: c for g, c in chosen.items()}
    found = _of_groups(params, named, tested, seen, words, left_out=len(seen.curves) - len(chosen))
    return measured([found], p_values=[tested.p] if tested else [])


def _of_all(params: SurvivalParams, curve: Curve, seen: Observed, words: Words) -> Candidate:
    times = _told(params, curve, words.unit)
    median, low, high = curve.median()
    if params.at and times:
        number, low, high = curve.share_at(times[0]) or (None, None, None)
        unit = "share"
        said = words.shares(curve, times) + words.half(curve)
    elif params.at:
        raise DatasetError(f"nothing was observed for as long as {words.time(params.at[0])}; {words.longest(curve)}")
    else:
        number, unit = median, words.unit
        said = words.halves(curve) + words.shares_then(curve, times)
    said += words.waiting(curve)
    return Candidate(
        claim=Claim(
            subject=_subject(params, period=f"after {words.time(times[0])}" if params.at else None),
            value=ClaimValue(number=number, unit=unit, low=low, high=high),
        ),
        statement=said,
        n=curve.n,
        effect=None if number is None else Effect(name="median time" if unit != "share" else "share", value=number,
                                                  low=low, high=high),
        interest_0_1=0.6,
        chart=_chart({"": curve}, words),
        table=_table({"all": curve}, times, words),
        sql=[seen.sql],
        caveats=words.caveats(curve),
    )  # fmt: skip


def _of_groups(
    params: SurvivalParams, curves: dict[str, Curve], tested: LogRank | None, seen: Observed, words: Words, *,
    left_out: int,
) -> Candidate:  # fmt: skip
    ordered = _slowest_first(curves)
    (first, slow), (last, quick) = ordered[0], ordered[-1]
    pair = log_rank([quick, slow])
    ratio = pair.hazard_ratio if pair else None
    differs = tested is not None and tested.p <= _ALPHA and ratio is not None and _matters(ratio, len(curves))
    each = listed_and([words.median_of(name, c) for name, c in ordered])
    p = p_text(tested.p) if tested else ""
    test = f"log-rank chi-square({tested.df}) = {tested.chi2:.2f}, {p}" if tested else "no event tells them apart"
    direction: Direction = "none"
    if differs and ratio is not None:
        direction = "higher"
        said = (
            f"{words.takes_longest} in {first}: half are there after {each} ({test})."
            f" At any time {last} is {ratio[0]:.2f} times as likely as {first} to {words.reach} next"
            f" (hazard ratio, 95% interval {ratio[1]:.2f} to {ratio[2]:.2f})."
        )
    else:
        verb = "hardly differs" if tested is not None and tested.p <= _ALPHA else "is not shown to differ"
        said = f"How long it takes to {words.reach} {verb} by {params.by}: half after {each} ({test})."
        if ratio is not None and len(curves) == 2:
            said += f" A hazard ratio outside {ratio[1]:.2f} to {ratio[2]:.2f} is ruled out, at 95% confidence."
    total = whole(curves)
    said += words.waiting(total)
    table = _table(curves, _told(params, total, words.unit), words)
    return Candidate(
        claim=Claim(
            subject=_subject(params, dimension=params.by),
            value=ClaimValue(number=ratio[0] if ratio else None, unit="hazard ratio", direction=direction,
                             text=first if differs else None, low=ratio[1] if ratio else None,
                             high=ratio[2] if ratio else None),
        ),
        statement=said,
        n=total.n,
        test="log-rank",
        p_value=tested.p if tested else None,
        effect=Effect(name="hazard_ratio", value=ratio[0], low=ratio[1], high=ratio[2]) if ratio else None,
        null=not differs,
        inconclusive=not differs and (ratio is None or not (ratio[1] > 1 / _MATTERS**2 and ratio[2] < _MATTERS**2)),
        interest_0_1=0.7 if differs else 0.4,
        chart=_chart(curves, words),
        table=table,
        sql=[seen.sql],
        caveats=[*words.caveats(total), *_crossing(slow, quick), *words.left_out(left_out)],
    )  # fmt: skip


def _slowest_first(curves: dict[str, Curve]) -> list[tuple[str, Curve]]:
    """Groups of which half never get there, then by median; equal ones by their mean in the time all were seen."""
    horizon = min(c.last_event for c in curves.values())

    def rank(item: tuple[str, Curve]) -> tuple[bool, float, float]:
        median = item[1].median()[0]
        return median is not None, -(median or 0.0), -item[1].mean_up_to(horizon)

    return sorted(curves.items(), key=rank)


def _matters(ratio: tuple[float, float, float], groups: int) -> bool:
    """Whether the groups that are farthest apart differ by more than the floor; of two, the interval excludes 1."""
    beyond = max(ratio[0], 1 / ratio[0]) >= _MATTERS
    return beyond and (groups > 2 or ratio[1] > 1.0 or ratio[2] < 1.0)


def _crossing(slow: Curve, quick: Curve) -> list[str]:
    """A warning where the one curve is above the other early and below it late: one ratio cannot tell both."""
    ends = min(slow.last_event, quick.last_event)
    pairs = [(slow.share_at(t), quick.share_at(t)) for t in (ends / 4, ends / 2, 3 * ends / 4)]
    gaps = [a[0] - b[0] for a, b in pairs if a and b]
    if gaps and min(gaps) < -0.03 and max(gaps) > 0.03:
        return ["the curves cross, so one hazard ratio does not describe the whole time"]
    return []


_PLAIN = tuple(b * 10.0**e for e in range(-1, 7) for b in (1, 3))
_ROUND: dict[str, tuple[float, ...]] = {
    "minutes": (1, 5, 15, 30, 60, 120),
    "hours": (1, 4, 8, 24, 72, 168),
    "days": (1, 3, 7, 14, 30, 90, 180, 365, 730, 1825),
    "weeks": (1, 4, 13, 26, 52, 104, 260),
    "months": (1, 3, 6, 12, 24, 36, 60, 120),
    "years": (1, 2, 3, 5, 10, 20),
}


def _told(params: SurvivalParams, curve: Curve, unit: str) -> list[float]:
    """The times at which shares are told: those asked for, else a few round ones while enough are observed."""
    if params.at:
        return [t for t in params.at if curve.share_at(t) is not None and curve.left_at(t) > 0]
    reach = curve.reach(_LEFT)
    inside = [t for t in _ROUND.get(unit, _PLAIN) if reach / 40 <= t <= reach]
    return inside[-3:]


def _subject(params: SurvivalParams, *, dimension: str | None = None, period: str | None = None) -> Subject:
    within = params.window.key if params.window else None
    return Subject(
        relation="retention",
        column=params.end or (params.event.key if params.event else None),
        against=params.start or params.duration,
        dimension=dimension,
        period=" ".join(p for p in (period, f"in {within}" if within else None) if p) or None,
        filters=filters_key(params.filters),
    )


def _chart(curves: dict[str, Curve], words: Words) -> Spec:
    horizon = max(c.last_event for c in curves.values())
    points = []
    for name, curve in curves.items():
        for i in range(_DRAWN + 1):
            at = horizon * i / _DRAWN
            share = curve.share_at(at)
            if share is not None:
                label = words.axis(at)
                points.append(Point(label, share[0], name or None, low=share[1] if len(curves) == 1 else None,
                                    high=share[2] if len(curves) == 1 else None))  # fmt: skip
    return line_chart(
        points, title=words.title, x_title=words.x_title, y_title="share still waiting", style="percent", temporal=False
    )


def _table(curves: dict[str, Curve], times: list[float], words: Words) -> list[dict[str, Any]]:
    rows = []
    for name, curve in curves.items():
        shares = {f"after {words.time(t)}": found[0] for t in times if (found := curve.share_at(t))}
        median, low, high = curve.median()
        rows.append({"group": name, "rows": curve.n, "ended": curve.ended, "median": median, "median low": low,
                     "median high": high, **shares})  # fmt: skip
    return rows


KIND = StepKind("survival", SurvivalParams, run, "how long until it happens, those still waiting counted")
