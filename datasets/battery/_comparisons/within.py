"""Whether the group that stands out does so within the groups of a second dimension, too (Simpson)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scipy import stats

from datasets.battery._comparisons.groups import Comparison, Summary, base_sql
from datasets.battery._comparisons.tests import MIN_ROWS
from datasets.battery._statistics.groups import Difference, Group, pooled
from datasets.battery._wording.phrases import listed
from datasets.battery._wording.words import name_text
from datasets.sql import ident

if TYPE_CHECKING:
    from datasets.view import AnalysisView

_MOST_STRATA = 50
_FEW_VALUES = 6
_MOST_TRIED = 4
_CLEARLY = 0.2
_TURNED = 0.5
_SURELY = 0.001


@dataclass(frozen=True)
class Within:
    """The difference of the leader from the rest with the second dimension held constant.

    `adjusted` weighs the strata by their rows, with its standard `error`; `against` are strata in which the difference
    has the other sign.
    """

    dimension: str
    adjusted: float
    strata: int
    against: tuple[str, ...]
    sql: str
    error: float = 0.0

    @property
    def p(self) -> float:
        """Of the adjusted difference being none; two-sided, normal, as strata are large."""
        return 2.0 * float(stats.norm.sf(abs(self.adjusted) / self.error)) if self.error > 0 else 1.0

    def holds(self, lead: Difference) -> bool:
        """Whether the difference keeps its sign."""
        return self.adjusted * lead.value > 0

    def words(self, lead: Difference) -> str:
        """What the second dimension does to the difference."""
        if not self.holds(lead):
            return f"within groups of {self.dimension} the difference turns round: it comes from their unequal mix"
        if not self.against:
            return f"the same within all {self.strata} groups of {self.dimension}"
        return f"the other way in {listed(self.against, most=4)}, of {self.strata} groups of {self.dimension}"


def turned_round(view: AnalysisView, what: Comparison, leader: Summary, lead: Difference) -> Within | None:
    """The first other dimension of few values within which the difference has the other sign; None where none has."""
    if what.folded or what.metric.aggregate not in {"mean", "share"}:
        return None
    for name in _others(view, what):
        held = compare_within(view, what, leader, name)
        if held is not None and held.adjusted * lead.value < 0 and abs(held.adjusted) >= _CLEARLY * abs(lead.value):
            return held
    return None


def hidden(view: AnalysisView, what: Comparison, leader: Summary, lead: float) -> tuple[Within | None, list[float]]:
    """A difference that an unequal mix hides: none over all rows, one way and clear within another dimension.

    The difference over all rows, `lead`, must not explain it. Where none is clear, one that has the other sign in every
    group, which no equal mix can bring about. Also the p-values of the dimensions that were tried, which the first is
    corrected for.
    """
    if what.folded or what.metric.aggregate not in {"mean", "share"}:
        return None, []
    tried = [h for name in _others(view, what) if (h := compare_within(view, what, leader, name)) is not None]
    p_values = [h.p for h in tried]
    clear = [h for h in tried if h.p * len(tried) <= _SURELY and not h.against and abs(h.adjusted) > 2 * abs(lead)]
    turned = [h for h in tried if not h.against and h.adjusted * lead < 0 and abs(h.adjusted) >= _TURNED * abs(lead)]
    return min(clear or turned, key=lambda h: h.p, default=None), p_values


def _others(view: AnalysisView, what: Comparison) -> list[str]:
    """Other dimensions of few values, that could explain or hide a difference."""
    fixed = {what.dimension, *what.metric.measure.columns, *(f.column for f in what.filters)}
    names = [
        c.name
        for c in view.card.by_role("dimension", "boolean")
        if 2 <= c.distinct <= _FEW_VALUES and c.name not in fixed
    ]
    return names[:_MOST_TRIED]


def compare_within(view: AnalysisView, what: Comparison, leader: Summary, dimension: str) -> Within | None:
    """Compare the leader with the rest in each group of `dimension`; None where fewer than two hold both."""
    second = ident(view.card.column(dimension).name)
    sql = (
        f"{base_sql(view, what, f'{second}::VARCHAR AS stratum')}"
        f" SELECT stratum, g1::VARCHAR, count(v), avg(v::DOUBLE), coalesce(var_samp(v::DOUBLE), 0) FROM base"
        f" WHERE v IS NOT NULL AND stratum IS NOT NULL AND g1 IS NOT NULL GROUP BY 1, 2 ORDER BY 1, 2"
    )
    strata: dict[str, list[tuple[str, Group]]] = {}
    for stratum, key, n, mean, var in view.query(sql).rows:
        strata.setdefault(str(stratum), []).append((str(key), Group("", int(n), float(mean), float(var))))
    differences = []
    for stratum, cells in strata.items():
        mine = [g for key, g in cells if key == leader.key]
        rest = [g for key, g in cells if key != leader.key]
        if sum(g.n for g in mine) >= MIN_ROWS and sum(g.n for g in rest) >= MIN_ROWS:
            inside, outside = pooled(mine), pooled(rest)
            error = inside.var / inside.n + outside.var / outside.n
            differences.append((stratum, inside.mean - outside.mean, inside.n + outside.n, error))
    if not 2 <= len(differences) <= _MOST_STRATA:
        return None
    rows = sum(n for _, _, n, _ in differences)
    adjusted = sum(d * n for _, d, n, _ in differences) / rows
    error = math.sqrt(sum((n / rows) ** 2 * e for _, _, n, e in differences))
    against = tuple(name_text(view.card, dimension, s) for s, d, _, _ in differences if d * adjusted < 0)
    return Within(dimension, adjusted, len(differences), against, sql, error)
