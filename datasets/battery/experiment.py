"""Whether a variant of an experiment did better than the control, and whether the split can be trusted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import Field
from scipy import stats

from datasets.battery._comparisons.groups import Comparison, Summary, interval_of, summaries
from datasets.battery._kind import StepKind, StepParams, measured
from datasets.battery._statistics.groups import Difference, holm, welch_t
from datasets.battery._statistics.rates import two_shares
from datasets.battery._wording.phrases import (
    capital,
    filters_key,
    interval_text,
    is_share,
    listed,
    p_text,
    points_text,
    scope_text,
    unit_of,
    value_text,
)
from datasets.charts import Bar, bar_chart
from datasets.errors import DatasetError
from datasets.evidence import Candidate, Claim, ClaimValue, Direction, StepResult, Subject
from datasets.measures import Filter, Metric, Window, where
from datasets.plain import number_text
from datasets.sql import ident

if TYPE_CHECKING:
    from datasets.view import AnalysisView

_ALPHA, _MISMATCH = 0.05, 0.001
_MIN_ROWS, _MOST_VARIANTS = 30, 8
_CONTROLS = ("control", "baseline", "a", "0", "false", "off", "old", "no", "placebo", "original")


class ExperimentParams(StepParams):
    """Parameters of an experiment."""

    metric: Metric = Field(description="a mean or a share: what the experiment was to move")
    variant: str = Field(description="the column that says which arm a row belongs to")
    control: str | None = Field(default=None, description="the arm the others are compared with; None: by its name")
    unit: str | None = Field(default=None, description="what was assigned, e.g. user_id; it must be in one arm only")
    shares: tuple[float, ...] = Field(default=(), description="planned shares of the arms by name; empty: equal")
    filters: tuple[Filter, ...] = ()
    window: Window | None = None


@dataclass(frozen=True)
class _Arm:
    """A variant against the control; `p` is Holm-adjusted over the variants."""

    summary: Summary
    difference: Difference
    p: float


def run(params: ExperimentParams, view: AnalysisView) -> StepResult:
    """Compare each arm with the control; first check that units were split as planned and are in one arm only.

    :raises DatasetError: when there are no two arms, or units are in several.
    """
    what = Comparison(params.metric, params.variant, filters=params.filters, window=params.window)
    if not (what.counted or params.metric.aggregate == "mean"):
        raise DatasetError("an experiment is judged by a mean or a share, so that its arms can be of unequal size")
    found, _, sql = summaries(view, what)
    arms = sorted(found, key=lambda g: g.key)
    if not 2 <= len(arms) <= _MOST_VARIANTS:
        raise DatasetError(f"{params.variant!r} has {len(arms)} values; an experiment has 2 to {_MOST_VARIANTS} arms")
    if min(g.n for g in arms) < _MIN_ROWS:
        raise DatasetError(f"an arm of {params.variant!r} has fewer than {_MIN_ROWS} values, too few for a decision")
    if params.unit is not None:
        _refuse_mixed(params, view, params.unit)
    control = _control(params, arms)
    compared = _compared(what, arms, control)
    mismatch = _mismatch(params, arms)
    candidate = _candidate(params, view, what, arms, control, compared, mismatch, sql)
    return measured([candidate], p_values=[*(a.difference.p for a in compared), mismatch])


def _control(params: ExperimentParams, arms: list[Summary]) -> Summary:
    named = next(
        (g for g in arms if params.control is not None and g.key.casefold() == params.control.casefold()), None
    )
    if params.control is not None and named is None:
        raise DatasetError(
            f"no arm {params.control!r} in {params.variant!r}; there are: {listed([g.key for g in arms])}"
        )
    known = [g for name in _CONTROLS for g in arms if g.key.casefold() == name]
    return named or next(iter(known), arms[0])


def _refuse_mixed(params: ExperimentParams, view: AnalysisView, unit: str) -> None:
    key, variant = ident(view.card.column(unit).name), ident(params.variant)
    scope = where(params.filters, params.window, f"{key} IS NOT NULL")
    mixed = view.query(
        f"SELECT count(*) FILTER (WHERE arms > 1), count(*) FROM"
        f" (SELECT {key}, count(DISTINCT {variant}) AS arms FROM analysis{scope} GROUP BY 1)"
    ).rows[0]
    if int(mixed[0]):
        raise DatasetError(
            f"{int(mixed[0]):,} of {int(mixed[1]):,} values of {unit} are in more than one arm of {params.variant}, so"
            " the arms cannot be compared; leave those out first"
        )


def _compared(what: Comparison, arms: list[Summary], control: Summary) -> list[_Arm]:
    tested: list[tuple[Summary, Difference]] = []
    for arm in arms:
        if arm is control:
            continue
        if what.counted:
            found = two_shares(arm.hits, arm.n, control.hits, control.n)
            difference = found[1] if found else None
        else:
            difference = welch_t(arm.group, control.group)
        if difference is None:
            raise DatasetError(f"all values of the {what.metric.words} are equal in {arm.name} and {control.name}")
        tested.append((arm, difference))
    adjusted = holm([d.p for _, d in tested])
    return [_Arm(arm, d, float(p)) for (arm, d), p in zip(tested, adjusted, strict=True)]


def _mismatch(params: ExperimentParams, arms: list[Summary]) -> float:
    """The p-value of the sample ratio: whether rows fell into the arms as planned."""
    planned = params.shares if len(params.shares) == len(arms) else (1.0,) * len(arms)
    rows = sum(g.rows for g in arms)
    expected = [rows * share / sum(planned) for share in planned]
    return float(stats.chisquare([g.rows for g in arms], expected).pvalue)


def _candidate(
    params: ExperimentParams,
    view: AnalysisView,
    what: Comparison,
    arms: list[Summary],
    control: Summary,
    compared: list[_Arm],
    mismatch: float,
    sql: list[str],
) -> Candidate:
    metric, unit = params.metric, unit_of(params.metric, view.card)
    best = max(compared, key=lambda a: a.difference.value)
    worst = min(compared, key=lambda a: a.difference.value)
    told = best if best.p <= _ALPHA and best.difference.value > 0 else worst if worst.p <= _ALPHA else best
    shown = told.p <= _ALPHA
    better = shown and told.difference.value > 0
    off = mismatch < _MISMATCH

    def write(summary: Summary) -> str:
        return f"{value_text(metric, summary.value, unit)} in {summary.name} (n = {summary.n:,})"

    size = _size(metric, told.difference, unit)
    scope = scope_text(params.filters, params.window)
    names = f"{write(told.summary)} against {write(control)}{scope}"
    tested = f"{size}, {p_text(told.p)}{', Holm over the variants' if len(compared) > 1 else ''}"
    if not shown:
        said = f"No variant is shown to differ from {control.name} in the {metric.words}: {names} ({tested})."
    else:
        verb = "higher" if better else "lower"
        said = f"The {metric.words} is {verb} with {told.summary.name} than with {control.name}: {names} ({tested})."
    ratio = " : ".join(f"{g.rows:,}" for g in arms)
    caveats = [f"arms of {params.variant}: {ratio} rows, sample-ratio test {p_text(mismatch)}"]
    if off:
        split = f"The split into {params.variant} is not as planned ({ratio} rows, {p_text(mismatch)})"
        said = f"{split}, so no variant can be said to win. {said}"
    caveats.append("which direction is better depends on the metric; the test is two-sided")
    direction: Direction = "none" if not shown else "higher" if better else "lower"
    factor = 100.0 if is_share(metric) else 1.0
    ends = [interval_of(what, g) or (None, None) for g in arms]
    return Candidate(
        claim=Claim(
            subject=Subject(
                relation="experiment", metric=metric.key, dimension=params.variant, against=control.key,
                period=params.window.key if params.window else None, filters=filters_key(params.filters),
            ),
            value=ClaimValue(
                number=factor * told.difference.value, unit="percentage points" if is_share(metric) else unit,
                direction=direction, text=told.summary.name if shown else None,
                low=factor * told.difference.low, high=factor * told.difference.high,
            ),
        ),
        statement=said,
        n=sum(g.n for g in arms),
        test="two-proportion score" if what.counted else "Welch t",
        p_value=told.p,
        effect=told.difference.effect,
        null=not shown,
        robust=False if off else None,
        interest_0_1=0.9 if shown else 0.7,
        chart=bar_chart(
            [Bar(g.name, g.number, *e) for g, e in zip(arms, ends, strict=True)],
            title=capital(f"{metric.words} by {params.variant}{scope}"), value_title=metric.words,
            name_title=params.variant, style="percent" if is_share(metric) else "number",
            highlight=[told.summary.name] if shown else [], ordered=True,
        ),
        table=[_row(params, g, e, compared) for g, e in zip(arms, ends, strict=True)],
        sql=sql,
        caveats=caveats,
    )  # fmt: skip


def _row(
    params: ExperimentParams, arm: Summary, ends: tuple[float | None, float | None], compared: list[_Arm]
) -> dict[str, Any]:
    row: dict[str, Any] = {
        params.variant: arm.name, params.metric.key: float(arm.value), "low": ends[0], "high": ends[1], "n": arm.n,
    }  # fmt: skip
    against = next((a for a in compared if a.summary is arm), None)
    if against is None:
        return row
    d = against.difference
    return row | {"difference": d.value, "difference low": d.low, "difference high": d.high, "corrected_p": against.p}


def _size(metric: Metric, difference: Difference, unit: str | None) -> str:
    if is_share(metric):
        ends = interval_text(points_text(difference.low, signed=True), points_text(difference.high, signed=True))
        return f"{points_text(difference.value, signed=True)} percentage points, {ends}"
    low, high = (number_text(round(v, 3), unit=unit) for v in (difference.low, difference.high))
    return f"a difference of {number_text(round(difference.value, 3), unit=unit)}, {interval_text(low, high)}"


KIND = StepKind("experiment", ExperimentParams, run, "whether a variant beats the control, with a sample-ratio check")
