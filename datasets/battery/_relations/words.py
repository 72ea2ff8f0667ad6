"""The sentences of a relation between two measures."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from datasets.battery._relations.numbers import Axis, Checks, Correlated, Pair, means_outside
from datasets.battery._statistics.groups import Tested
from datasets.battery._statistics.sameness import weakest_bound
from datasets.battery._wording.phrases import capital, interval_text, p_digits, readable, scope_text, unit_of
from datasets.measures import Metric
from datasets.plain import number_text

if TYPE_CHECKING:
    from datasets.view import AnalysisView

_ALMOST_CONSTANT = 0.95
_BINS_FROM_R = 0.3


def strength_words(r: float) -> str:
    """ "very strong" to "very weak", by |r|."""
    for floor, words in ((0.9, "very strong"), (0.7, "strong"), (0.5, "clear"), (0.3, "moderate"), (0.1, "weak")):
        if abs(r) >= floor:
            return words
    return "very weak"


def r_text(r: float) -> str:
    """Write a correlation: three decimals, four where it is close to one, "1.00" where those would be all nines."""
    if abs(r) >= 0.99995:
        return f"{r:.2f}"
    return f"{r:.4f}" if abs(r) >= 0.95 else f"{r:.3f}"


def relation_words(pair: Pair, found: Correlated, main: Tested, linear: Tested, ranked: Tested) -> str:
    """ "cost grows with amount: correlation r = 0.606 (95% CI ...), a clear relation."."""
    r = main.effect.value
    scope = scope_text(pair.filters, pair.window)
    verb = f"grows with {pair.x.words}" if r > 0 else f"falls as {pair.x.words} grows"
    if found.same:
        return f"{_named(pair.y)} and {pair.x.words} hold the same values in all {found.n:,} rows{scope}."
    name = "correlation r" if main is linear else "Spearman rho"
    interval = interval_text(r_text(main.effect.low or 0.0), r_text(main.effect.high or 0.0))
    other = f"Pearson r = {r_text(found.r)}"
    if main is linear:
        other = f"R² = {found.r**2:.3f}, Spearman rho = {r_text(ranked.effect.value)}"
    bent = "" if main is linear else ", but not in a straight line"
    return (
        f"{_named(pair.y)} {verb}{scope}{bent}: {name} = {r_text(r)} ({interval}, {p_digits(main.p)};"
        f" {other}; n = {found.n:,}), a {strength_words(r)} relation."
    )


def bin_words(view: AnalysisView, pair: Pair, found: Correlated, r: float) -> str:
    """ " It averages 26.46 days where amount is above 5,000 and 1.63 days up to 500."."""
    if found.same or abs(r) < _BINS_FROM_R or pair.x.temporal or pair.y.temporal or found.n < 20:
        return ""
    # The lowest and the highest fifth of the rows.
    low, high = _round_cuts(found.bins[1].high, found.bins[-2].low)
    if found.distinct_x <= 12:
        low, high = found.low_x, math.nextafter(found.high_x, -math.inf)
    if low > high:
        return ""
    below, above = means_outside(view, pair, low, high)
    if below is None or above is None or (above - below) * r <= 0:
        return ""
    unit = unit_of(Metric(aggregate="mean", measure=pair.y.measure), view.card)
    x_unit = unit_of(Metric(aggregate="mean", measure=pair.x.measure), view.card)
    ends = (number_text(readable(above), unit=unit), number_text(readable(below), unit=unit))
    if found.distinct_x <= 12:
        top, bottom = (number_text(v, unit=x_unit) for v in (found.high_x, found.low_x))
        return f" It averages {ends[0]} at {top} and {ends[1]} at {bottom}."
    top, bottom = number_text(high, unit=x_unit), number_text(low, unit=x_unit)
    return f" Above {top} it averages {ends[0]}, up to {bottom} {ends[1]}."


def _round_cuts(low: float, high: float) -> tuple[float, float]:
    """Two cuts that read well: of the steps 1, 2, 5, 10 between the two where they lie far apart, else few digits."""
    if low > 0 and high >= 3 * low:
        steps = [10.0**power * k for power in range(_power(low), _power(high) + 2) for k in (1, 2, 5)]
        between = [cut for cut in steps if low <= cut <= high]
        return between[0], between[-1]
    return _digit(low), _digit(high)


def _power(value: float) -> int:
    return math.floor(math.log10(value))


def _digit(value: float) -> float:
    one = float(f"{value:.1g}")
    return one if abs(one - value) <= 0.25 * abs(value) else float(f"{value:.2g}")


def null_words(pair: Pair, linear: Tested, ranked: Tested, *, same: bool) -> str:
    """ "There is neither a linear nor a monotone relation between a and b: r = 0.03 (...)".

    `same`: the intervals leave out a relation that matters; else there is "no clear relation".
    """
    r, rho = linear.effect, ranked.effect
    interval = interval_text(r_text(r.low or 0.0), r_text(r.high or 0.0))
    scope = scope_text(pair.filters, pair.window)
    word = "no" if linear.p > 0.05 else "no noteworthy"
    both = "neither a linear nor a monotone" if linear.p > 0.05 and ranked.p > 0.05 else f"{word} linear"
    most = r_text(max(weakest_bound(r), weakest_bound(rho)))
    room = f"; one of more than {most} is ruled out, at 95% confidence"
    if not same:
        both, room = "no clear linear or monotone", f"; one of up to {most} is not ruled out, at 95% confidence"
    return (
        f"There is {both} relation between {pair.x.words} and {pair.y.words}{scope}: r = {r_text(r.value)}"
        f" ({interval}, {p_digits(linear.p)}; Spearman rho = {r_text(rho.value)}){room}."
    )


def far_words(inside: tuple[float, int], n: int) -> str:
    """What a relation rests on that is not there without the rows far outside."""
    r, left = inside
    far = "one row far outside" if n - left == 1 else f"{n - left:,} rows far outside"
    return f" But it rests on {far}: without {'it' if n - left == 1 else 'them'} r = {r_text(r)} (n = {left:,})."


def time_words(checks: Checks) -> list[str]:
    """What is left of a relation of two measures that both move with time, or wander in it."""
    if checks.time is None or (checks.partial is None and checks.steps is None):
        return []
    if checks.partial is None:
        said = f"both stay close to their values before, in order of {checks.time}"
    else:
        said = f"both move with {checks.time}; with it held constant r = {r_text(checks.partial)}"
    if checks.steps is not None:
        said += f", and from one row to the next r = {r_text(checks.steps[0])}"
    return [said]


def chance_words(checks: Checks) -> str:
    """That two measures go together over time without moving together."""
    assert checks.steps is not None
    return (
        f" But from one {checks.time} to the next they do not move together (r = {r_text(checks.steps[0])}): two series"
        " that each drift can look related by chance."
    )


def constant_words(pair: Pair, found: Correlated) -> list[str]:
    """Remarks on measures of which nearly all values are equal."""
    said = []
    for axis, share in ((pair.x, found.top_x), (pair.y, found.top_y)):
        if share >= _ALMOST_CONSTANT:
            said.append(f"{axis.words} is almost constant: {round(share * found.n):,} of {found.n:,} values are equal")
    return said


def _named(axis: Axis) -> str:
    """The start of a sentence; a column keeps its own spelling."""
    return axis.words if axis.measure.kind == "column" else capital(axis.words)
