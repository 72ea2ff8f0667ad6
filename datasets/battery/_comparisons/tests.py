"""Tests of a comparison: do the groups differ, does the one that stands out differ from the rest, is it robust."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from scipy import stats

from datasets.battery._comparisons.groups import Comparison, Summary, base_sql
from datasets.battery._rows.halves import half_sql
from datasets.battery._rows.tally import tally_of
from datasets.battery._statistics.groups import Z95, Difference, Group, Tested, pooled, welch_anova, welch_t
from datasets.battery._statistics.ranks import brunner_munzel, kruskal
from datasets.battery._statistics.rates import shares, two_shares
from datasets.sql import literals

if TYPE_CHECKING:
    from datasets.view import AnalysisView

MIN_ROWS = 5
_NORMAL_ROWS = 30
_SKEWED = 2.0
_SURELY, _NOTICEABLE = 0.001, 0.2
_PART_OF_LEVEL, _LITTLE_OF_LEVEL, _PART_OF_SPREAD = 0.2, 0.05, 0.5
_POINTS_0_1 = 0.1
_NEGLIGIBLE = {
    "omega_squared": 0.01,
    "epsilon_squared": 0.01,
    "cramers_v": 0.1,
    "hedges_g": 0.1,
    "risk_difference": 0.01,
    "cliffs_delta": 0.05,
}


@dataclass(frozen=True)
class Outcome:
    """What the tests say.

    `lead` is the difference of the outstanding group from the rest, its p corrected for choosing that group; `ranks`
    says that ranks were tested instead of values.
    """

    omnibus: Tested
    lead: Difference | None
    ranks: bool
    multiple: bool = False
    """Whether a share is surely far from that of the rest in proportion to it, as 2% is from 4%."""

    @property
    def negligible(self) -> bool:
        """Whether the interval of the effect leaves no room for a difference that matters, however small its p."""
        effect, floor = self.omnibus.effect, _NEGLIGIBLE.get(self.omnibus.effect.name, 0.0)
        low, high = effect.low, effect.high
        small = low is not None and high is not None and max(abs(low), abs(high)) < floor
        return small and not self.multiple


def differing(view: AnalysisView, what: Comparison, groups: Sequence[Summary], leader: Summary) -> Outcome | None:
    """Test groups of MIN_ROWS rows and more; None for metrics without a test and for values that are all equal."""
    if what.counted:
        return _of_shares(groups, leader)
    if what.metric.aggregate == "mean" and not _needs_ranks(groups):
        return _of_means(groups, leader)
    if what.metric.aggregate in {"mean", "median"}:
        return _of_ranks(view, what, groups, leader)
    return None


def _needs_ranks(groups: Sequence[Summary]) -> bool:
    small_and_skewed = any(g.n < _NORMAL_ROWS and abs(g.skewness) > _SKEWED for g in groups)
    return small_and_skewed or any(g.var <= 0 for g in groups)


def _of_means(groups: Sequence[Summary], leader: Summary) -> Outcome | None:
    rest = pooled([g.group for g in groups if g is not leader])
    lead = welch_t(leader.group, rest)
    if len(groups) == 2:
        return None if lead is None else Outcome(Tested("Welch t", lead.p, lead.effect), lead, False)
    omnibus = welch_anova([g.group for g in groups])
    return None if omnibus is None else Outcome(omnibus, _chosen(lead, len(groups)), False)


def _of_shares(groups: Sequence[Summary], leader: Summary) -> Outcome | None:
    rest = [g for g in groups if g is not leader]
    found = two_shares(leader.hits, leader.n, sum(g.hits for g in rest), sum(g.n for g in rest))
    if found is None:
        return None
    name, lead = found
    chosen = _chosen(lead, len(groups)) if len(groups) > 2 else lead
    level = sum(g.hits for g in rest) / sum(g.n for g in rest)
    nearest = 0.0 if lead.low <= 0 <= lead.high else min(abs(lead.low), abs(lead.high))
    multiple = chosen is not None and chosen.p <= _SURELY and nearest >= _PART_OF_LEVEL * level > 0
    if len(groups) == 2:
        return Outcome(Tested(name, lead.p, lead.effect), lead, False, multiple)
    omnibus = shares([g.hits for g in groups], [g.n for g in groups])
    return None if omnibus is None else Outcome(omnibus, chosen, False, multiple)


def _of_ranks(view: AnalysisView, what: Comparison, groups: Sequence[Summary], leader: Summary) -> Outcome | None:
    """Kruskal-Wallis, for two groups Brunner-Munzel, with ranks taken in the database."""
    rows = view.query(rank_sql(view, what, [g.key for g in groups])).rows
    if len(rows) < 2:
        return None
    tested = kruskal([int(r[1]) for r in rows], [float(r[2]) for r in rows], float(rows[0][3]))
    if len(groups) == 2:
        tested = _brunner_munzel(view, what, groups) or tested
    if tested is None:
        return None
    lead = None
    if what.metric.aggregate == "mean" and len(groups) >= 2:
        lead = _chosen(welch_t(leader.group, pooled([g.group for g in groups if g is not leader])), len(groups))
    return Outcome(tested, lead, True)


def _brunner_munzel(view: AnalysisView, what: Comparison, groups: Sequence[Summary]) -> Tested | None:
    """Compare two groups by ranks without assuming equal spread; None where every value of one exceeds the other's."""
    keys = [g.key for g in groups]
    sql = (
        f"{base_sql(view, what)}, kept AS (SELECT g1::VARCHAR AS g, v::DOUBLE AS v FROM base WHERE v IS NOT NULL"
        f" AND g1::VARCHAR IN {literals(keys)}),"
        f" placed AS (SELECT g, rank() OVER (ORDER BY v) + (count(*) OVER (PARTITION BY v) - 1) / 2.0 AS r,"
        f" rank() OVER (PARTITION BY g ORDER BY v) + (count(*) OVER (PARTITION BY g, v) - 1) / 2.0 AS own FROM kept)"
        f" SELECT g, count(*), avg(r), var_samp(r - own) FROM placed GROUP BY g"
    )
    found = {str(g): (int(n), float(mean), float(var or 0.0)) for g, n, mean, var in view.query(sql).rows}
    if len(found) < 2:
        return None
    return brunner_munzel(*(found[key] for key in keys))


def rank_sql(view: AnalysisView, what: Comparison, keys: Sequence[str]) -> str:
    """Rank sums over the values of some groups, with Σ (t³ − t) over ties."""
    return (
        f"{base_sql(view, what)}, kept AS (SELECT g1, v::DOUBLE AS v FROM base WHERE v IS NOT NULL"
        f" AND g1::VARCHAR IN {literals(keys)}),"
        f" tied AS (SELECT v, count(*) AS t FROM kept GROUP BY v),"
        f" placed AS (SELECT v, t, sum(t) OVER (ORDER BY v) - t + (t + 1) / 2.0 AS place FROM tied)"
        f" SELECT g1, count(*), sum(place), (SELECT sum(t::DOUBLE ** 3 - t) FROM tied)"
        f" FROM kept JOIN placed USING (v) GROUP BY g1 ORDER BY g1"
    )


def robust(
    view: AnalysisView, what: Comparison, leader: Summary, lead: Difference | None, others: Sequence[str]
) -> bool | None:
    """Whether the leader differs the same way without outliers and in both halves; None where that cannot be checked.

    Halves are the earlier and the later rows where the dataset has a time column, else alternating rows. Outliers lie
    more than three interquartile ranges outside the quartiles of their own group.
    """
    if lead is None or not (what.counted or what.metric.aggregate == "mean") or what.folded:
        return None
    rows = view.query(_cells_sql(view, what)).rows
    cells = [(str(r[0]), r[1], bool(r[2]), Group("", int(r[3]), float(r[4]), float(r[5]))) for r in rows]
    known = {leader.key, *others}
    parts = [[c for c in cells if c[0] in known and c[1] == half] for half in (1, 2)]
    if not what.counted:
        parts.append([c for c in cells if c[0] in known and c[2]])
    for part in parts:
        mine = [g for key, _, _, g in part if key == leader.key]
        rest = [g for key, _, _, g in part if key != leader.key]
        if sum(g.n for g in mine) < MIN_ROWS or sum(g.n for g in rest) < MIN_ROWS:
            continue
        if (pooled(mine).mean - pooled(rest).mean) * lead.value <= 0:
            return False
    return True


def masked(view: AnalysisView, what: Comparison, leader: Summary, others: Sequence[str]) -> Difference | None:
    """The difference of the leader from the rest that far values hide: clear once they are left out, none with them.

    Far values lie more than three interquartile ranges outside the quartiles of their own group.
    """
    if what.counted or what.metric.aggregate != "mean" or what.folded:
        return None
    rows = [r for r in view.query(_cells_sql(view, what)).rows if bool(r[2])]
    cells = [(str(r[0]), Group("", int(r[3]), float(r[4]), float(r[5]))) for r in rows]
    mine = [g for key, g in cells if key == leader.key]
    rest = [g for key, g in cells if key in set(others)]
    if sum(g.n for g in mine) < MIN_ROWS or sum(g.n for g in rest) < MIN_ROWS:
        return None
    found = welch_t(pooled(mine), pooled(rest))
    if found is None or found.p * (len(others) + 1) > _SURELY or abs(found.effect.value) < _NOTICEABLE:
        return None
    return found


def _cells_sql(view: AnalysisView, what: Comparison) -> str:
    """Summaries by group, half of the rows, and whether the value lies inside the fences of its group."""
    half = half_sql(view, view.card.time_column, what.filters, what.window)
    values = (
        f"{base_sql(view, what, f'{half} AS half')}"
        f" SELECT g1::VARCHAR AS g, half, v::DOUBLE AS v FROM base WHERE v IS NOT NULL"
    )
    cells = tally_of(view, values, [*what.distinct_cells(view), 2], by=["g"])
    return (
        f"WITH cells AS NOT MATERIALIZED (SELECT * FROM {cells.rows}),"
        f" fences AS (SELECT g, {cells.quantile(0.25)} AS a, {cells.quantile(0.75)} AS b FROM cells GROUP BY g)"
        f" SELECT g, half, v BETWEEN a - 3 * (b - a) AND b + 3 * (b - a) AS inside, {cells.count()},"
        f" {cells.mean()}, coalesce({cells.variance()}, 0) FROM cells JOIN fences USING (g) GROUP BY ALL ORDER BY ALL"
    )


def _chosen(lead: Difference | None, groups: int) -> Difference | None:
    """Bonferroni over the groups, because the one that stands out was chosen after looking."""
    if lead is None:
        return None
    return Difference(lead.value, lead.low, lead.high, min(1.0, lead.p * groups), lead.effect)


def largest_possible(what: Comparison, groups: Sequence[Summary]) -> float | None:
    """The largest difference between any two groups that the data leave room for, at 95 % over all pairs (Bonferroni).

    None for metrics without an interval, and for more than 50 groups.
    """
    pairs = list(combinations(groups, 2))
    if len(groups) > 50 or not (what.counted or what.metric.aggregate == "mean"):
        return None
    wider = float(stats.norm.ppf(1 - 0.025 / len(pairs))) / Z95
    room = 0.0
    for a, b in pairs:
        counted = two_shares(a.hits, a.n, b.hits, b.n) if what.counted else None
        found = counted[1] if counted is not None else None if what.counted else welch_t(a.group, b.group)
        if found is not None:
            ends = (found.value - (found.value - found.low) * wider, found.value + (found.high - found.value) * wider)
            room = max(room, *(abs(end) for end in ends))
    return (min(1.0, room) if what.counted else room) or None


def widest_gap(what: Comparison, groups: Sequence[Summary]) -> tuple[Summary, Summary, Difference | None]:
    """The groups with the highest and the lowest value, and their difference where the metric has one with interval."""
    ordered = sorted(groups, key=lambda g: -g.number)
    high, low = ordered[0], ordered[-1]
    if what.counted:
        found = two_shares(high.hits, high.n, low.hits, low.n)
        return high, low, found[1] if found else None
    return high, low, welch_t(high.group, low.group) if what.metric.aggregate == "mean" else None


def matters(what: Comparison, groups: Sequence[Summary]) -> float:
    """The smallest difference between two groups that matters, in units of the metric.

    Of means half a standard deviation within groups (Cohen's medium effect), where all values have one sign no less
    than a twentieth and no more than a fifth of the largest; of shares ten percentage points, and no more than half of
    the largest share.
    """
    level = max(abs(g.number) for g in groups)
    if what.counted:
        return min(_POINTS_0_1, _PART_OF_SPREAD * level)
    spread = math.sqrt(sum(g.var * (g.n - 1) for g in groups) / max(1, sum(g.n - 1 for g in groups)))
    one_sign = len({g.number > 0 for g in groups}) == 1
    margin = _PART_OF_SPREAD * spread
    return min(max(margin, _LITTLE_OF_LEVEL * level), _PART_OF_LEVEL * level) if one_sign else margin
