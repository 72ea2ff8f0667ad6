"""Whether the group that stands out does so within the groups of a second dimension, too (Simpson)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from datasets.battery._compare_groups import Comparison, Summary, base_sql
from datasets.battery._compare_tests import MIN_ROWS
from datasets.battery._phrases import listed
from datasets.battery._stats import Difference, Group, pooled
from datasets.battery._words import name_text
from datasets.sql import ident

if TYPE_CHECKING:
    from datasets.view import AnalysisView

_MOST_STRATA = 50
_FEW_VALUES = 6
_MOST_TRIED = 4
_CLEARLY = 0.2


@dataclass(frozen=True)
class Within:
    """The difference of the leader from the rest with the second dimension held constant.

    `adjusted` weighs the strata by their rows; `against` are strata in which the difference has the other sign.
    """

    dimension: str
    adjusted: float
    strata: int
    against: tuple[str, ...]
    sql: str

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
    fixed = {what.dimension, *what.metric.measure.columns, *(f.column for f in what.filters)}
    others = [
        c.name
        for c in view.card.by_role("dimension", "boolean")
        if 2 <= c.distinct <= _FEW_VALUES and c.name not in fixed
    ]
    if what.folded or what.metric.aggregate not in {"mean", "share"}:
        return None
    for name in others[:_MOST_TRIED]:
        held = compare_within(view, what, leader, name)
        if held is not None and held.adjusted * lead.value < 0 and abs(held.adjusted) >= _CLEARLY * abs(lead.value):
            return held
    return None


def compare_within(view: AnalysisView, what: Comparison, leader: Summary, dimension: str) -> Within | None:
    """Compare the leader with the rest in each group of `dimension`; None where fewer than two hold both."""
    second = ident(view.card.column(dimension).name)
    sql = (
        f"{base_sql(view, what, f'{second}::VARCHAR AS stratum')}"
        f" SELECT stratum, g1::VARCHAR, count(v), avg(v::DOUBLE) FROM base"
        f" WHERE v IS NOT NULL AND stratum IS NOT NULL AND g1 IS NOT NULL GROUP BY 1, 2 ORDER BY 1, 2"
    )
    strata: dict[str, list[tuple[str, Group]]] = {}
    for stratum, key, n, mean in view.query(sql).rows:
        strata.setdefault(str(stratum), []).append((str(key), Group("", int(n), float(mean), 0.0)))
    differences = []
    for stratum, cells in strata.items():
        mine = [g for key, g in cells if key == leader.key]
        rest = [g for key, g in cells if key != leader.key]
        if sum(g.n for g in mine) >= MIN_ROWS and sum(g.n for g in rest) >= MIN_ROWS:
            inside, outside = pooled(mine), pooled(rest)
            differences.append((stratum, inside.mean - outside.mean, inside.n + outside.n))
    if not 2 <= len(differences) <= _MOST_STRATA:
        return None
    adjusted = sum(d * n for _, d, n in differences) / sum(n for _, _, n in differences)
    against = tuple(name_text(view.card, dimension, s) for s, d, _ in differences if d * adjusted < 0)
    return Within(dimension, adjusted, len(differences), against, sql)
