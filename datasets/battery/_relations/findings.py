"""A relation between two measures as a candidate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from datasets.battery._relations.numbers import Axis, Checks, Correlated, Pair
from datasets.battery._relations.words import (
    bin_words,
    chance_words,
    constant_words,
    far_words,
    null_words,
    r_text,
    relation_words,
    time_words,
)
from datasets.battery._statistics.groups import Tested, pearson, spearman
from datasets.battery._statistics.sameness import WEAK_R, weakest_bound
from datasets.battery._wording.phrases import capital, filters_key, readable, scope_text
from datasets.charts import Cell, scatter_chart
from datasets.evidence import Candidate, Claim, ClaimValue, Direction, Subject
from datasets.plain import number_text

if TYPE_CHECKING:
    from datasets.view import AnalysisView

_NEGLIGIBLE = 0.1
_CURVED = 0.15
# How a measure moves with its first and with its second column; with all of them where it is not named.
_SIGNS = {"duration": (-1, 1), "ratio_of": (1, -1), "at_least": (1, -1), "difference_of": (1, -1)}


def relation_candidate(
    view: AnalysisView, pair: Pair, found: Correlated, *, method: str, alpha: float, briefly: bool = False
) -> tuple[Candidate, list[float]]:
    """Word a correlation, and give the p-values of the tests that were run. `briefly`: read nothing more for it."""
    linear, ranked = pearson(found.r, found.n), spearman(found.rho, found.n)
    assert linear is not None
    assert ranked is not None
    main = _main(linear, ranked, method)
    low, high = main.effect.low or 0.0, main.effect.high or 0.0
    null = main.p > alpha or max(abs(low), abs(high)) < _NEGLIGIBLE
    trivial = _trivial(pair, found)
    caveats = [*constant_words(pair, found), *([trivial] if trivial else [])]
    same = max(weakest_bound(linear.effect), weakest_bound(ranked.effect)) <= WEAK_R
    statement, robust = null_words(pair, linear, ranked, same=same), None
    if not null:
        robust = _robust(main, found.checks, alpha)
        statement = relation_words(pair, found, main, linear, ranked)
        statement += "" if briefly else bin_words(view, pair, found, main.effect.value)
        if (inside := found.checks.inside) and not _stays(main, inside, alpha):
            statement += far_words(inside, found.n)
        elif found.checks.steps is not None and not _together(main, found.checks.steps, alpha):
            statement += chance_words(found.checks)
        caveats += time_words(found.checks)
    r = main.effect.value
    direction: Direction = "none" if null else "positive" if r > 0 else "negative"
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
        inconclusive=null and not same,
        robust=robust,
        interest_0_1=0.15 if trivial else 0.3 if null else 0.35 + 0.55 * abs(r),
        chart=_chart(pair, found),
        table=_table(pair, found),
        sql=[found.sql],
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


def _main(linear: Tested, ranked: Tested, method: str) -> Tested:
    """The coefficient that is claimed: Pearson, unless ranks say clearly more (a bent or heavy-tailed relation)."""
    if method != "auto":
        return ranked if method == "spearman" else linear
    bent = abs(ranked.effect.value) - abs(linear.effect.value) >= _CURVED and ranked.p < 0.05
    return ranked if bent else linear


def _robust(main: Tested, checks: Checks, alpha: float) -> bool:
    """Whether sign and a third of the size stay without outliers, the sign in both halves, and the rest beyond time."""
    r = main.effect.value
    if checks.inside is not None and not _stays(main, checks.inside, alpha):
        return False
    if any(half * r < 0 for half in checks.halves):
        return False
    if checks.partial is not None and checks.inside is not None:
        beyond = pearson(checks.partial, checks.inside[1])
        if beyond is not None and (beyond.p > alpha or checks.partial * r <= 0):
            return False
    return checks.steps is None or _together(main, checks.steps, alpha)


def _together(main: Tested, steps: tuple[float, int], alpha: float) -> bool:
    """Whether the changes from one row to the next are related in the same way."""
    stepwise = pearson(*steps)
    return stepwise is None or (stepwise.p <= alpha and steps[0] * main.effect.value > 0)


def _stays(main: Tested, inside: tuple[float, int], alpha: float) -> bool:
    """Whether sign and a third of the size are left where outliers are left out."""
    r, (value, n) = main.effect.value, inside
    again = pearson(value, n)
    return again is not None and again.p <= alpha and value * r > 0 and abs(value) >= abs(r) / 3


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
    """The sign that a shared column alone gives the relation."""
    sign = 1
    for measure in (pair.x.measure, pair.y.measure):
        first, second = _SIGNS.get(measure.kind, (1, 1))
        sign *= first if column == measure.columns[0] else second
    return sign


def _table(pair: Pair, found: Correlated) -> list[dict[str, Any]]:
    key = f"average {pair.y.words}"
    return [{f"{pair.x.words} from": b.low, f"{pair.x.words} to": b.high, key: b.mean, "n": b.n} for b in found.bins]


def _chart(pair: Pair, found: Correlated) -> dict[str, Any]:
    first, last = ((x, found.intercept + found.slope * x) for x in (found.low_x, found.high_x))
    return scatter_chart(
        [Cell(*cell) for cell in found.cells],
        title=capital(f"{pair.y.words} against {pair.x.words}{scope_text(pair.filters, pair.window)}"),
        x_title=_title(pair.x),
        y_title=_title(pair.y),
        line=(first, last),
        subtitle=f"r = {r_text(found.r)}, n = {found.n:,}",
    )


def _title(axis: Axis) -> str:
    return f"{axis.words} (days since 1970)" if axis.sql.startswith("epoch(") else axis.words
