"""Values with how often each occurs: what quantiles, fences and histograms of many rows are read from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datasets.view import AnalysisView

_MANY_ROWS = 200_000
_REPEATS = 4


@dataclass(frozen=True)
class Tally:
    """Numbers `v`, none of them NULL, as a relation that aggregates are taken over: `SELECT {aggregates} FROM {rows}`.

    `reduced`: a row of the relation is one distinct value, which `copies` rows hold; else it is a row itself.
    Quantiles are of all values, or of those of each group `by`.
    """

    relation: str
    reduced: bool = False
    by: tuple[str, ...] = ()

    @property
    def rows(self) -> str:
        """What to select from."""
        if not self.reduced:
            return self.relation
        groups = f"PARTITION BY {', '.join(self.by)}" if self.by else ""
        # Equal values stand in one frame, so `upto` counts all of them. `away` keeps the digits of large values.
        return (
            f"(SELECT *, sum(copies) OVER ({groups} ORDER BY v) AS upto, sum(copies) OVER ({groups}) AS total,"
            f" v - sum(v * copies) OVER ({groups}) / sum(copies) OVER ({groups}) AS away FROM {self.relation})"
        )

    def only(self, condition: str) -> Tally:
        """The values for which the condition holds."""
        return Tally(f"(SELECT * FROM {self.relation} WHERE {condition})", self.reduced, self.by)

    def of(self, expression: str) -> Tally:
        """The values of an expression in v."""
        return Tally(f"(SELECT * REPLACE ({expression} AS v) FROM {self.relation})", self.reduced, self.by)

    def count(self, condition: str = "") -> str:
        """SQL of the number of values."""
        if not self.reduced:
            return f"count(v){_filter(condition)}"
        return f"coalesce(sum(copies){_filter(condition)}, 0)::BIGINT"

    def mean(self, condition: str = "") -> str:
        """SQL of the mean, NULL of no values."""
        if not self.reduced:
            return f"avg(v){_filter(condition)}"
        kept = _filter(condition)
        return f"(sum(v * copies){kept} / sum(copies){kept})"

    def quantile(self, level_0_1: float) -> str:
        """SQL of the quantile between the two nearest values (as `quantile_cont`), NULL of no values."""
        if not self.reduced:
            return f"quantile_cont(v, {level_0_1})"
        below, above = (f"min(v) FILTER (WHERE upto > {side}({level_0_1} * (total - 1)))" for side in ("floor", "ceil"))
        place = f"{level_0_1} * (max(total) - 1)"
        return f"({below} + ({above} - {below}) * ({place} - floor({place})))"

    def quantiles(self, levels: Sequence[float]) -> str:
        """SQL of a list of quantiles."""
        if not self.reduced:
            return f"quantile_cont(v, [{', '.join(map(str, levels))}])"
        return f"[{', '.join(self.quantile(level) for level in levels)}]"

    def variance(self, *, sample: bool = True) -> str:
        """SQL of the variance, NULL where it is not defined."""
        if not self.reduced:
            return "var_samp(v)" if sample else "var_pop(v)"
        spread = "greatest(sum(copies * away ** 2) - sum(copies * away) ** 2 / sum(copies), 0)"
        return f"({spread} / nullif(sum(copies){' - 1' if sample else ''}, 0))"

    def skewness(self) -> str:
        """SQL of the skewness of all values, NULL where it is not defined."""
        if not self.reduced:
            return "skewness(v)"
        n, m2, m3 = "sum(copies)", *(f"sum(copies * away ** {power}) / sum(copies)" for power in (2, 3))
        return f"(sqrt({n} * ({n} - 1)) / nullif({n} - 2, 0) * ({m3}) / nullif(({m2}) ** 1.5, 0))"


def tally_of(view: AnalysisView, values: str, distinct: Sequence[int | None], *, by: Sequence[str] = ()) -> Tally:
    """Tally the values of a SELECT with column v and perhaps groups `by`, reduced where that is far less to read.

    :param distinct: numbers of different cells behind v and each further column; None where that is not known.
    """
    if not _repeats(view, distinct):
        return Tally(f"({values})", by=tuple(by))
    return Tally(_kept(view, values), reduced=True, by=tuple(by))


def copies_of(view: AnalysisView, rows: str, distinct: Sequence[int | None]) -> str:
    """A relation of the rows of a SELECT with how many `copies` each stands for: equal ones reduced to one, or each 1.

    :param distinct: as for `tally_of`.
    """
    return _kept(view, rows) if _repeats(view, distinct) else f"(SELECT *, 1 AS copies FROM ({rows}))"


def _repeats(view: AnalysisView, distinct: Sequence[int | None]) -> bool:
    known = [n for n in distinct if n is not None]
    few = len(known) == len(distinct) and prod(n + 1 for n in known) * _REPEATS <= view.rows
    return few and view.rows >= _MANY_ROWS


def _kept(view: AnalysisView, rows: str) -> str:
    """Equal rows as one, worked out once for each view and text."""
    relation = f"(SELECT *, count(*) AS copies FROM ({rows}) GROUP BY ALL)"
    view.keep(relation)
    return relation


def _filter(condition: str) -> str:
    return f" FILTER (WHERE {condition})" if condition else ""
