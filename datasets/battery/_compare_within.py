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
