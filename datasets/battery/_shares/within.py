"""Which values of a second column each group is rich in."""

import math
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

from datasets.battery._shares.params import ShareParams
from datasets.battery._statistics.groups import Tested, chi_square
from datasets.battery._statistics.rates import two_shares, wilson
from datasets.battery._statistics.sameness import unrelated
from datasets.battery._wording.phrases import p_text, percent_text
from datasets.battery._wording.ranking import nouns
from datasets.battery._wording.words import name_text
from datasets.charts import Bar, bar_chart
from datasets.errors import DatasetError
from datasets.evidence import Candidate, Claim, ClaimValue
from datasets.measures import where
from datasets.sql import ident
from datasets.view import AnalysisView

_MOST_CELLS = 5_000
_MOST_TESTED = 25
_MIN_RESIDUAL, _MIN_LIFT, _MIN_COUNT = 3.0, 1.5, 5
_WEAK_V = 0.1
_ALPHA = 0.05
_DRIVERS = 3


@dataclass(frozen=True)
class Cross:
    """Counts of every pair of values, and of each value; the values in order of their counts, largest first."""

    counts: dict[tuple[Any, Any], int]
    first: tuple[Any, ...]
    second: tuple[Any, ...]
    rows: dict[Any, int]
    columns: dict[Any, int]
    sql: str

    @property
    def total(self) -> int:
        """All rows with both values."""
        return sum(self.counts.values())


@dataclass(frozen=True)
class Driver:
    """A cell that holds more rows than the margins explain; `residual` is the adjusted standardised one."""

    a: Any
    b: Any
    count: int
    size: int
    elsewhere: float
    residual: float


def share_within(view: AnalysisView, params: ShareParams, within: str) -> tuple[list[Candidate], list[float]]:
    """Return what drives the association of dimension and `within`, or that there is none, and the p-values.

    :raises DatasetError: when a pair of columns has too many values, or one of them only one.
    """
    cross = _cross(view, params, within)
    if not cross.counts:
        raise DatasetError(f"no row has values in both {params.dimension!r} and {within!r}{params.scope}")
    test = chi_square(_pooled(cross))
    if test is None:
        raise DatasetError(f"{params.dimension} or {within} has only one value{params.scope}")
    if test.effect.value < _WEAK_V or test.p > _ALPHA:
        return ([_none(view, params, within, cross, test)] if test.p > _ALPHA or cross.total >= 100 else []), [test.p]
    drivers = _drivers(cross)
    cells = len(cross.first) * len(cross.second)
    found = [_driver(view, params, within, cross, test, d, cells) for d in drivers]
    tests = [test.p, *(c.p_value for c in found if c.p_value is not None)]
    return found, tests


def _cross(view: AnalysisView, params: ShareParams, within: str) -> Cross:
    a, b = ident(view.card.column(params.dimension).name), ident(view.card.column(within).name)
    scope = where(params.filters, params.window, f"{a} IS NOT NULL", f"{b} IS NOT NULL")
    sql = f"SELECT {a} AS g1, {b} AS g2, count(*) AS n FROM analysis{scope} GROUP BY ALL ORDER BY n DESC, g1, g2"
    rows = view.query(f"{sql} LIMIT {_MOST_CELLS + 1}").rows
    if len(rows) > _MOST_CELLS:
        raise DatasetError(f"{params.dimension} and {within} have too many pairs of values to compare")
    counts = {(_key(r[0]), _key(r[1])): int(r[2]) for r in rows}
    firsts: dict[Any, int] = {}
    seconds: dict[Any, int] = {}
    for (x, y), n in counts.items():
        firsts[x] = firsts.get(x, 0) + n
        seconds[y] = seconds.get(y, 0) + n
    return Cross(counts, _by_count(firsts), _by_count(seconds), firsts, seconds, sql)


def _key(value: Any) -> Any:
    return value if isinstance(value, Hashable) else str(value)


def _by_count(counts: dict[Any, int]) -> tuple[Any, ...]:
    return tuple(sorted(counts, key=lambda key: -counts[key]))


def _pooled(cross: Cross) -> list[list[int]]:
    """The counts as a table of at most 25 by 25: the rarest values of each column are joined into one."""
    kept_a = {a: i for i, a in enumerate(cross.first[: _MOST_TESTED - 1])}
    kept_b = {b: i for i, b in enumerate(cross.second[: _MOST_TESTED - 1])}
    rows = min(len(cross.first), _MOST_TESTED)
    columns = min(len(cross.second), _MOST_TESTED)
    table = [[0] * columns for _ in range(rows)]
    for (a, b), n in cross.counts.items():
        table[kept_a.get(a, rows - 1)][kept_b.get(b, columns - 1)] += n
    return table


def _drivers(cross: Cross) -> list[Driver]:
    """The strongest cell of each of the groups with the strongest cells."""
    total = cross.total
    best: dict[Any, Driver] = {}
    for (a, b), count in cross.counts.items():
        size, all_b = cross.rows[a], cross.columns[b]
        if count < _MIN_COUNT or size == total or all_b == total:
            continue
        expected = size * all_b / total
        residual = (count - expected) / math.sqrt(expected * (1 - size / total) * (1 - all_b / total))
        elsewhere = (all_b - count) / (total - size)
        if residual < _MIN_RESIDUAL or count / size < _MIN_LIFT * elsewhere:
            continue
        if a not in best or residual > best[a].residual:
            best[a] = Driver(a, b, count, size, elsewhere, residual)
    return sorted(best.values(), key=lambda d: -d.residual)[:_DRIVERS]


def _driver(
    view: AnalysisView,
    params: ShareParams,
    within: str,
    cross: Cross,
    test: Tested,
    driver: Driver,
    cells: int,
) -> Candidate:
    group, value = name_text(view.card, params.dimension, driver.a), name_text(view.card, within, driver.b)
    share = driver.count / driver.size
    low, high = wilson(driver.count, driver.size)
    rest = cross.total - driver.size
    compared = two_shares(driver.count, driver.size, round(driver.elsewhere * rest), rest)
    name, difference = compared if compared else (test.name, None)
    p = min(1.0, (difference.p if difference else test.p) * cells)
    elsewhere = percent_text(driver.elsewhere)
    return Candidate(
        claim=Claim(
            subject=params.subject("association", segment=group, against=within),
            value=ClaimValue(number=share, low=low, high=high, unit="share", text=value, direction="higher"),
        ),
        statement=(
            f"{group} rows are concentrated in {within} {driver.b}{params.scope}: {driver.count:,} of {driver.size:,} "
            f"({percent_text(share)}) against {elsewhere} of the other rows."
        ),
        n=cross.total,
        test=f"{name}, Bonferroni over {cells} cells",
        p_value=p,
        effect=difference.effect if difference else test.effect,
        interest_0_1=min(0.9, 0.4 + (share - driver.elsewhere) * 0.6),
        chart=_chart(view, params, within, cross, driver.b, group),
        table=_table(params, within, cross),
        sql=[cross.sql],
    )


def _none(view: AnalysisView, params: ShareParams, within: str, cross: Cross, test: Tested) -> Candidate:
    k = len(cross.first)
    # "Both smokers" would speak of people where yes and no are meant.
    said = not any(name_text(view.card, params.dimension, a).startswith(f"{params.dimension} ") for a in cross.first)
    noun = nouns(params.dimension) if said else f"values of {params.dimension}"
    groups = f"{k:,} {noun}"
    # A difference that the test shows is not called none for being small.
    sides = (min(k, _MOST_TESTED), min(len(cross.second), _MOST_TESTED))
    same = test.p <= _ALPHA or unrelated(test.effect, sides)
    high = 1.0 if test.effect.high is None else test.effect.high
    room = "" if test.p <= _ALPHA else f" (at most {high:.2f}, at 95% confidence)"
    if test.p > _ALPHA and same:
        alike = f"is distributed alike in {f'all {groups}' if k > 2 else f'both {noun}'}"
    elif not same:
        alike = f"shows no clear difference between the {groups if k > 2 else f'two {noun}'}"
        room = f" (up to {high:.2f} is not ruled out, at 95% confidence)"
    else:
        alike = f"differs only slightly between the {groups}"
    return Candidate(
        claim=Claim(
            subject=params.subject("association", against=within),
            value=ClaimValue(
                number=test.effect.value,
                low=test.effect.low,
                high=test.effect.high,
                unit="cramers_v",
                direction="none",
            ),
        ),
        statement=(
            f"{within} {alike}{params.scope}: "
            f"Cramér's V {test.effect.value:.2f}{room}, {test.name} {p_text(test.p)}, {cross.total:,} rows."
        ),
        n=cross.total,
        test=test.name,
        p_value=test.p,
        effect=test.effect,
        null=True,
        inconclusive=not same,
        interest_0_1=0.25,
        table=_table(params, within, cross),
        sql=[cross.sql],
    )


def _table(params: ShareParams, within: str, cross: Cross) -> list[dict[str, Any]]:
    return [
        {params.dimension: str(a), within: str(b), "rows": n, "share": n / cross.rows[a]}
        for (a, b), n in list(cross.counts.items())[:50]
    ]


def _chart(view: AnalysisView, params: ShareParams, within: str, cross: Cross, b: Any, group: str) -> dict[str, Any]:
    bars = []
    for a in cross.first:
        held, size = cross.counts.get((a, b), 0), cross.rows[a]
        bars.append(Bar(name_text(view.card, params.dimension, a), held / size, *wilson(held, size)))
    return bar_chart(
        bars,
        title=f"Share of {within} {b} by {params.dimension}{params.scope}",
        value_title=f"share of {within} {b}",
        name_title=params.dimension,
        style="percent",
        highlight=[group],
        baseline=cross.columns[b] / cross.total,
        subtitle="dashed: overall; lines: 95% intervals",
    )
