"""Which columns a number or a yes/no depends on, each with the others held equal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import Field

from datasets.battery._kind import StepKind, StepParams, measured
from datasets.battery._statistics.adjusted import Fit, area_under_curve, inflation, least_squares, logistic
from datasets.battery._statistics.groups import Z95
from datasets.battery._wording.phrases import filters_key, p_text, percent_text, readable, scope_text
from datasets.battery._wording.words import listed_and, name_text
from datasets.charts import Bar, bar_chart
from datasets.errors import DatasetError
from datasets.evidence import Candidate, Claim, ClaimValue, Effect, StepResult, Subject
from datasets.measures import YES_OR_NO, Filter, Measure, Metric, Window, where
from datasets.plain import number_text
from datasets.schema import Column
from datasets.sql import ident

if TYPE_CHECKING:
    from datasets.view import AnalysisView

_ROWS, _SEED, _FEWEST, _PER_TERM = 20_000, 42, 50, 10
_MOST_COLUMNS, _MOST_LEVELS, _RARE = 12, 8, 10
_ALPHA, _FLOOR, _COPY, _INFLATED, _HELD_OUT = 0.05, 0.005, 0.995, 5.0, 0.3
_TOLD = 4


class InfluencersParams(StepParams):
    """Parameters of a step on what a measure depends on."""

    measure: Measure
    columns: tuple[str, ...] = Field(default=(), max_length=40, description="what may have an influence; empty: all")
    filters: tuple[Filter, ...] = ()
    window: Window | None = None


@dataclass(frozen=True)
class _Term:
    """What one column is made into: standardised numbers, or one column of 0 and 1 for each value but the commonest."""

    column: str
    values: np.ndarray[Any, np.dtype[np.float64]]
    levels: tuple[str, ...] = ()
    base: str = ""
    spread: float = 1.0


@dataclass(frozen=True)
class _Influence:
    """One column in the model: what is lost without it, and the p-value of all its terms, Holm-corrected."""

    term: _Term
    places: tuple[int, ...]
    lost: float
    p: float


def run(params: InfluencersParams, view: AnalysisView) -> StepResult:
    """Fit one model of all columns on at most 20,000 rows drawn with a fixed seed, and rank by what each one adds.

    Columns of keys, times and texts, near copies of the target and columns that the others make up are left out.

    :raises DatasetError: when the target or the rows do not carry a model.
    """
    yes_no = params.measure.kind in YES_OR_NO
    named = params.columns or tuple(c.name for c in view.card.columns)
    columns = [view.card.column(n) for n in named if n not in params.measure.columns]
    columns = [c for c in columns if _able(c)][:_MOST_COLUMNS]
    if not columns:
        raise DatasetError(f"no other column can have an influence on {params.measure.words}")
    picked = ", ".join([f"({params.measure.sql})::DOUBLE AS y", *(ident(c.name) for c in columns)])
    present = [f"({params.measure.sql}) IS NOT NULL", *(f"{ident(c.name)} IS NOT NULL" for c in columns)]
    inner = f"SELECT {picked} FROM analysis{where(params.filters, params.window, *present)}"
    sql = f"SELECT * FROM ({inner}) USING SAMPLE reservoir({_ROWS} ROWS) REPEATABLE ({_SEED})"
    rows = view.query(sql, limit_rows=_ROWS).rows
    y = np.array([r[0] for r in rows], dtype=np.float64)
    if len(y) < _FEWEST:
        raise DatasetError(
            f"{len(y):,} rows with all values are too few to tell what {params.measure.words} depends on"
        )
    if float(y.min()) == float(y.max()):
        raise DatasetError(f"{params.measure.words} is the same in all {len(y):,} rows, so it depends on nothing")
    made = [_term(view, c, [r[i] for r in rows]) for i, c in enumerate(columns, start=1)]
    terms, copies, left_out = _independent([t for t in made if t is not None], y)
    events = min(float(y.sum()), float(len(y) - y.sum())) if yes_no else float(len(y))
    while terms and sum(t.values.shape[1] for t in terms) > events / _PER_TERM:
        left_out.append(terms.pop().column)
    if not terms and copies:
        raise DatasetError(f"{listed_and(copies)} all but equals {params.measure.words}, and nothing else is left")
    if not terms:
        raise DatasetError(f"too few rows for a model of {params.measure.words}: one needs {_PER_TERM} for each value")
    fit, influences = _influences(terms, y, yes_no=yes_no)
    held_out = _held_out(terms, y, yes_no=yes_no)
    found = _candidate(params, view, fit, influences, held_out, len(y), copies, left_out, sql)
    return measured([found], p_values=[i.p for i in influences])


def _able(column: Column) -> bool:
    known = column.rows - column.nulls
    if column.temporal or known < 0.7 * column.rows or column.distinct < 2:
        return False
    if column.numeric and column.role == "measure":
        return True
    return column.role in {"dimension", "boolean"} and column.distinct <= 60


def _term(view: AnalysisView, column: Column, cells: list[Any]) -> _Term | None:
    if column.numeric and column.role == "measure":
        numbers = np.array(cells, dtype=np.float64)
        spread = float(numbers.std(ddof=1))
        return _Term(column.name, ((numbers - numbers.mean()) / spread)[:, None], spread=spread) if spread else None
    names = np.array([name_text(view.card, column.name, v) for v in cells])
    found, counts = np.unique(names, return_counts=True)
    order = [str(found[i]) for i in np.argsort(-counts) if counts[i] >= _RARE][:_MOST_LEVELS]
    if len(order) < 2:
        return None
    levels = tuple(order[1:])
    return _Term(column.name, np.column_stack([(names == v).astype(np.float64) for v in levels]), levels, order[0])


def _independent(
    terms: list[_Term], y: np.ndarray[Any, np.dtype[np.float64]]
) -> tuple[list[_Term], list[str], list[str]]:
    """Terms that are no near copy of the target and not made up of the others; the copies; and what is made up."""
    copies = [t.column for t in terms if not t.levels and abs(np.corrcoef(t.values[:, 0], y)[0, 1]) > _COPY]
    kept, out = [t for t in terms if t.column not in copies], []
    while sum(t.values.shape[1] for t in kept) > 1:
        worst = inflation(np.column_stack([t.values for t in kept]))
        of = [t for t in kept for _ in range(t.values.shape[1])]
        numbers = [(float(f), t) for f, t in zip(worst, of, strict=True) if not t.levels or len(t.levels) == 1]
        top = max(numbers, key=lambda pair: pair[0], default=(0.0, None))
        if top[1] is None or top[0] <= _INFLATED:
            break
        kept = [t for t in kept if t is not top[1]]
        out.append(top[1].column)
    return kept, copies, out


def _fit(terms: list[_Term], y: np.ndarray[Any, np.dtype[np.float64]], *, yes_no: bool) -> Fit:
    x = np.column_stack([t.values for t in terms])
    fitted = logistic(x, y) if yes_no else least_squares(x, y)
    if fitted is None:
        raise DatasetError("some column alone tells yes from no, so no model of all of them settles")
    return fitted


def _influences(
    terms: list[_Term], y: np.ndarray[Any, np.dtype[np.float64]], *, yes_no: bool
) -> tuple[Fit, list[_Influence]]:
    fit = _fit(terms, y, yes_no=yes_no)
    places, at = [], 0
    for term in terms:
        places.append(tuple(range(at, at + term.values.shape[1])))
        at += term.values.shape[1]
    raw = [fit.p_of(p) for p in places]
    ranked = sorted(range(len(raw)), key=raw.__getitem__)
    holm, most = [1.0] * len(raw), 0.0
    for rank, i in enumerate(ranked):
        most = max(most, min(1.0, raw[i] * (len(raw) - rank)))
        holm[i] = most
    found = []
    for i, term in enumerate(terms):
        others = [t for t in terms if t is not term]
        without = _fit(others, y, yes_no=yes_no).explained if others else 0.0
        found.append(_Influence(term, places[i], max(0.0, fit.explained - without), holm[i]))
    return fit, sorted(found, key=lambda i: -i.lost)


def _held_out(terms: list[_Term], y: np.ndarray[Any, np.dtype[np.float64]], *, yes_no: bool) -> float | None:
    """R² (or the area under the curve) in 30 % of the rows, of a model of the other 70 %."""
    x = np.column_stack([t.values for t in terms])
    order = np.random.default_rng(_SEED).permutation(len(y))
    cut = int(len(y) * _HELD_OUT)
    test, train = order[:cut], order[cut:]
    if len(set(y[test].tolist())) < 2 or len(set(y[train].tolist())) < 2:
        return None
    fitted = logistic(x[train], y[train]) if yes_no else least_squares(x[train], y[train])
    if fitted is None:
        return None
    guess = fitted.predicted(x[test])
    if yes_no:
        return area_under_curve(guess, y[test])
    return 1.0 - float(((y[test] - guess) ** 2).sum() / ((y[test] - y[test].mean()) ** 2).sum())


def _candidate(
    params: InfluencersParams, view: AnalysisView, fit: Fit, influences: list[_Influence], held_out: float | None,
    n: int, copies: list[str], left_out: list[str], sql: str,
) -> Candidate:  # fmt: skip
    yes_no = params.measure.kind in YES_OR_NO
    clear = [i for i in influences if i.p <= _ALPHA and i.lost >= _FLOOR]
    silent = [i.term.column for i in influences if i not in clear]
    scope, words = scope_text(params.filters, params.window), params.measure.words
    metric = Metric(aggregate="share" if yes_no else "mean", measure=params.measure)
    value = ClaimValue(direction="none")
    effect = None
    if clear:
        first = clear[0]
        told = "; ".join(_told(i, fit, yes_no=yes_no) for i in clear[:_TOLD])
        said = f"With the other columns held equal, {first.term.column} tells most about {words}{scope}: {told}."
        if len(clear) > _TOLD:
            said += f" Less is told by {listed_and([i.term.column for i in clear[_TOLD:]])}."
        low, high = _interval(fit.explained, n, sum(len(i.places) for i in influences))
        value = ClaimValue(number=first.lost, unit="share", text=first.term.column)
        effect = Effect(name="pseudo_r_squared" if yes_no else "r_squared", value=fit.explained, low=low, high=high)
    else:
        said = f"No column is shown to have an influence of its own on {words}{scope}, with the others held equal."
    if held_out is not None and clear:
        said += (
            f" Of two rows held out, one yes and one no, the model ranks {percent_text(held_out)} the right way round."
            if yes_no
            else f" Together they explain {percent_text(max(0.0, held_out))} of the differences in rows held out."
        )
    if silent and clear:
        said += f" Hardly anything is added by {listed_and(silent)}."
    if copies:
        said += f" Left out is {listed_and(copies)}, of which {words} is all but a copy."
    caveats = ["what goes together need not be the cause", "each influence is that of a model in which effects add up"]
    if left_out:
        caveats.append(f"left out, since made up of the others or too many for the rows: {listed_and(left_out)}")
    if n >= _ROWS:
        caveats.append(f"{n:,} rows drawn with a fixed seed")
    return Candidate(
        claim=Claim(
            subject=Subject(relation="drivers", metric=metric.key, filters=filters_key(params.filters),
                            period=params.window.key if params.window else None),
            value=value,
        ),
        statement=said,
        n=n,
        test="Wald test in a logistic model" if yes_no else "Wald test in least squares, HC3",
        p_value=min((i.p for i in influences), default=None),
        effect=effect,
        null=not clear,
        interest_0_1=0.8,
        chart=bar_chart(
            [Bar(i.term.column, i.lost) for i in influences], title=f"What each column tells about {words} on its own",
            value_title="share explained that is lost without it", name_title="column", style="percent", ordered=True,
        ),
        table=[{"column": i.term.column, "lost without it": i.lost, "p (Holm)": i.p} for i in influences],
        sql=[sql],
        caveats=caveats,
    )  # fmt: skip


def _told(influence: _Influence, fit: Fit, *, yes_no: bool) -> str:
    """ "smoker yes 23,849 more than no (95% CI ...)", "age +257 for each 1"; odds for a yes/no."""
    term = influence.term
    place = influence.places[0]
    if term.levels:
        place = max(influence.places, key=lambda p: abs(fit.term(p)[0]))
        level = term.levels[influence.places.index(place)]
        b, low, high = fit.term(place)
        name = level if level.startswith(term.column) else f"{term.column} {level}"
        if yes_no:
            return f"{name} has {_times(b, low, high)} the odds of {term.base} ({p_text(influence.p)})"
        more = "more" if b > 0 else "less"
        return f"{name} {_number(abs(b))} {more} than {term.base} ({_ends(low, high)})"
    b, low, high = (v / term.spread for v in fit.term(place))
    if yes_no:
        unit = term.spread
        return f"{term.column} {_times(b * unit, low * unit, high * unit)} the odds for each {_number(unit)} more"
    return f"{term.column} {'+' if b > 0 else '-'}{_number(abs(b))} for each 1 more ({_ends(low, high)})"


def _times(b: float, low: float, high: float) -> str:
    ends = f"95% CI {_number(float(np.exp(low)))} to {_number(float(np.exp(high)))}"
    return f"{_number(float(np.exp(b)))} times ({ends})"


def _ends(low: float, high: float) -> str:
    return f"95% CI {_number(low)} to {_number(high)}"


def _number(value: float) -> str:
    return number_text(readable(value))


def _interval(explained: float, n: int, terms: int) -> tuple[float, float]:
    """Olkin and Finn's interval of R², in large samples."""
    r2 = min(max(explained, 0.0), 0.999999)
    variance = 4 * r2 * (1 - r2) ** 2 * (n - terms - 1) ** 2 / ((n**2 - 1) * (n + 3))
    half = Z95 * float(np.sqrt(variance))
    return max(0.0, r2 - half), min(1.0, r2 + half)


KIND = StepKind("influencers", InfluencersParams, run, "what a number or a yes/no depends on, the rest held equal")
