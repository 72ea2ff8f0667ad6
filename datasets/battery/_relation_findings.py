"""A relation between two measures as a candidate."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from datasets.battery._phrases import (
    capital,
    filters_key,
    interval_text,
    p_digits,
    readable,
    scope_text,
    unit_of,
)
from datasets.battery._relation_numbers import (
    Axis,
    Checks,
    Correlated,
    Pair,
    bins,
    cells,
    check,
    means_outside,
)
from datasets.battery._stats import Tested, pearson, spearman
from datasets.charts import Cell, scatter_chart
from datasets.evidence import Candidate, Claim, ClaimValue, Direction, Subject
from datasets.measures import Metric
from datasets.plain import number_text

if TYPE_CHECKING:
    from datasets.view import AnalysisView

_ALMOST_CONSTANT = 0.95
_NEGLIGIBLE = 0.1
_CURVED = 0.15
_BINS_FROM_R = 0.3


def relation_candidate(
    view: AnalysisView, pair: Pair, found: Correlated, *, method: str, alpha: float
) -> tuple[Candidate, list[float]]:
    """Word a correlation, and give the p-values of the tests that were run."""
    linear, ranked = pearson(found.r, found.n), spearman(found.rho, found.n)
    assert linear is not None
    assert ranked is not None
    main = _main(linear, ranked, method)
    low, high = main.effect.low or 0.0, main.effect.high or 0.0
    null = main.p > alpha or max(abs(low), abs(high)) < _NEGLIGIBLE
    checks = check(view, pair) if not null else None
    trivial = _trivial(pair, found)
    caveats = [*_constant_words(pair, found), *([trivial] if trivial else [])]
    statement, robust = _null_words(pair, linear, ranked), None
    if checks is not None:
        robust = _robust(main, checks, alpha)
        statement = _words(view, pair, found, main, linear, ranked)
        caveats += _time_words(pair, checks)
    r = main.effect.value
    direction: Direction = "none" if null else "positive" if r > 0 else "negative"
    table, table_sql = _table(view, pair)
    candidate = Candidate(
        claim=Claim(
            subject=subject_of(pair),
            value=ClaimValue(number=r, unit=main.effect.name, direction=direction, low=low, high=high),
        ),
        statement=statement,
        n=found.n,
        test=main.name,
        p_value=main.p,
        effect=main.effect,
        null=null,
        robust=robust,
        interest_0_1=0.15 if trivial else 0.3 if null else 0.35 + 0.55 * abs(r),
        chart=_chart(view, pair, found),
        table=table,
        sql=[*found.sql, table_sql],
        caveats=caveats,
    )
    return candidate, [main.p]


def subject_of(pair: Pair, **more: Any) -> Subject:
    """The claim's subject; the same whichever of the two is named first."""
    first, second = sorted((pair.x.measure.key, pair.y.measure.key))
    return Subject(
        relation="correlation",
        column=first,
        against=second,
        period=pair.window.key if pair.window else None,
        filters=filters_key(pair.filters),
        **more,
    )


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


def _main(linear: Tested, ranked: Tested, method: str) -> Tested:
    """The coefficient that is claimed: Pearson, unless ranks say clearly more (a bent or heavy-tailed relation)."""
    if method != "auto":
        return ranked if method == "spearman" else linear
    bent = abs(ranked.effect.value) - abs(linear.effect.value) >= _CURVED and ranked.p < 0.05
    return ranked if bent else linear


def _words(view: AnalysisView, pair: Pair, found: Correlated, main: Tested, linear: Tested, ranked: Tested) -> str:
    r = main.effect.value
    scope = scope_text(pair.filters, pair.window)
    verb = f"grows with {pair.x.words}" if r > 0 else f"falls as {pair.x.words} grows"
    if found.same:
        return f"{_named(pair.y)} and {pair.x.words} hold the same values in all {found.n:,} rows{scope}."
    name = "correlation r" if main is linear else "Spearman rho"
    interval = interval_text(r_text(main.effect.low or 0.0), r_text(main.effect.high or 0.0))
    other = f"Spearman rho = {r_text(ranked.effect.value)}" if main is linear else f"Pearson r = {r_text(found.r)}"
    bent = "" if main is linear else ", but not in a straight line"
    text = (
        f"{_named(pair.y)} {verb}{scope}{bent}: {name} = {r_text(r)} ({interval}, {p_digits(main.p)};"
        f" {other}; n = {found.n:,}), a {strength_words(r)} relation."
    )
    return text + _bin_words(view, pair, found, r)


def _bin_words(view: AnalysisView, pair: Pair, found: Correlated, r: float) -> str:
    """ " It averages 26.46 days where amount is above 5,000 and 1.63 days up to 500."."""
    if abs(r) < _BINS_FROM_R or pair.x.temporal or pair.y.temporal or found.n < 20:
        return ""
    rows, _ = bins(view, pair, 5)
    low, high = _round_cut(rows[0][1]), _round_cut(rows[-1][0])
    if found.distinct_x <= 12:
        low, high = found.low_x, math.nextafter(found.high_x, -math.inf)
    if not low < high:
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


def _round_cut(value: float) -> float:
    """A number near the value that reads well: one significant digit, or two where one would move it by a quarter."""
    if value == 0:
        return 0.0
    one = float(f"{value:.1g}")
    return one if abs(one - value) <= 0.25 * abs(value) else float(f"{value:.2g}")


def _null_words(pair: Pair, linear: Tested, ranked: Tested) -> str:
    r, rho = linear.effect, ranked.effect
    interval = interval_text(r_text(r.low or 0.0), r_text(r.high or 0.0))
    scope = scope_text(pair.filters, pair.window)
    word = "no" if linear.p > 0.05 else "no noteworthy"
    both = "neither a linear nor a monotone" if linear.p > 0.05 and ranked.p > 0.05 else f"{word} linear"
    return (
        f"There is {both} relation between {pair.x.words} and {pair.y.words}{scope}: r = {r_text(r.value)}"
        f" ({interval}, {p_digits(linear.p)}; Spearman rho = {r_text(rho.value)})."
    )


def _robust(main: Tested, checks: Checks, alpha: float) -> bool:
    """Whether sign and a third of the size stay without outliers, the sign in both halves, and the rest beyond time."""
    r = main.effect.value
    if checks.inside is not None:
        value, n = checks.inside
        again = pearson(value, n)
        if again is None or again.p > alpha or value * r <= 0 or abs(value) < abs(r) / 3:
            return False
    if any(half * r < 0 for half in checks.halves):
        return False
    if checks.partial is not None and checks.inside is not None:
        beyond = pearson(checks.partial, checks.inside[1])
        if beyond is not None and (beyond.p > alpha or checks.partial * r <= 0):
            return False
    if checks.steps is not None:
        stepwise = pearson(*checks.steps)
        if stepwise is not None and (stepwise.p > alpha or checks.steps[0] * r <= 0):
            return False
    return True


def _time_words(pair: Pair, checks: Checks) -> list[str]:
    if checks.partial is None or checks.time is None:
        return []
    said = f"both move with {checks.time}; with it held constant r = {r_text(checks.partial)}"
    if checks.steps is not None:
        said += f", and from one row to the next r = {r_text(checks.steps[0])}"
    return [said]


def _constant_words(pair: Pair, found: Correlated) -> list[str]:
    said = []
    for axis, share in ((pair.x, found.top_x), (pair.y, found.top_y)):
        if share >= _ALMOST_CONSTANT:
            said.append(f"{axis.words} is almost constant: {round(share * found.n):,} of {found.n:,} values are equal")
    return said


def _trivial(pair: Pair, found: Correlated) -> str:
    """Why the relation is no news, or nothing."""
    shared = sorted(set(pair.x.measure.columns) & set(pair.y.measure.columns))
    if shared and _mechanical(pair, shared[0]) * found.r >= 0:
        return f"both are computed from {shared[0]}"
    if found.same:
        return "the two are copies of each other"
    plain = pair.x.measure.kind == pair.y.measure.kind == "column" and not (pair.x.temporal or pair.y.temporal)
    scaled = abs(found.intercept) <= 1e-6 * abs(found.mean_y)
    if plain and abs(found.r) > 1 - 1e-9 and scaled:
        return f"one is the other times {number_text(readable(found.slope))}"
    return ""


def _mechanical(pair: Pair, column: str) -> int:
    """The sign that a shared column alone gives the relation; 0 where that is not known."""
    sign = 1
    for measure in (pair.x.measure, pair.y.measure):
        first, second = {"duration": (-1, 1), "ratio_of": (1, -1), "at_least": (1, -1)}.get(measure.kind, (1, 1))
        sign *= first if column == measure.columns[0] else second
    return sign


def _table(view: AnalysisView, pair: Pair) -> tuple[list[dict[str, Any]], str]:
    rows, sql = bins(view, pair)
    key = f"average {pair.y.words}"
    return [
        {f"{pair.x.words} from": low, f"{pair.x.words} to": high, key: mean, "n": n} for low, high, mean, n in rows
    ], sql


def _chart(view: AnalysisView, pair: Pair, found: Correlated) -> dict[str, Any]:
    ends = ((x, found.intercept + found.slope * x) for x in (found.low_x, found.high_x))
    first, last = ends
    return scatter_chart(
        [Cell(x, y, n) for x, y, n in cells(view, pair, found)],
        title=capital(f"{pair.y.words} against {pair.x.words}{scope_text(pair.filters, pair.window)}"),
        x_title=_title(pair.x),
        y_title=_title(pair.y),
        line=(first, last),
        subtitle=f"r = {r_text(found.r)}, n = {found.n:,}",
    )


def _named(axis: Axis) -> str:
    """The start of a sentence; a column keeps its own spelling."""
    return axis.words if axis.measure.kind == "column" else capital(axis.words)


def _title(axis: Axis) -> str:
    return f"{axis.words} (days since 1970)" if axis.sql.startswith("epoch(") else axis.words
