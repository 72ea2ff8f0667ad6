"""The test that a question names, beside the one that fits the data: its statistic, degrees of freedom and p-value."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from scipy import stats

from datasets.battery._comparisons.groups import Comparison, Summary, base_sql
from datasets.battery._comparisons.tests import rank_sql
from datasets.battery._wording.phrases import p_digits
from datasets.plain import number_text
from datasets.sql import literals

if TYPE_CHECKING:
    from datasets.view import AnalysisView

_MOST_VALUES = 200_000
TestName = Literal["anova", "ttest", "welch", "mannwhitney", "kruskal", "chi2", "ks"]


@dataclass(frozen=True)
class NamedTest:
    """A test with its statistic as it is written: "F(2, 888) = 242.34"."""

    name: str
    statistic: str
    p: float

    @property
    def sentence(self) -> str:
        """ "One-way ANOVA: F(2, 888) = 242.34, p < 0.0001."."""
        return f"{self.name}: {self.statistic}, {p_digits(self.p)}."


def named_test(view: AnalysisView, what: Comparison, groups: Sequence[Summary], test: TestName) -> NamedTest | None:
    """Run the test over all groups with values; None where it does not fit: two groups, numbers or a share needed."""
    known = [g for g in groups if g.n > 0]
    if len(known) < 2:
        return None
    if test == "chi2":
        return _chi_square(known) if what.counted else None
    if test == "anova":
        return _anova([g for g in known if g.n > 0])
    if test in {"ttest", "welch"}:
        return _t(known, pooled=test == "ttest") if len(known) == 2 else None
    if what.metric.aggregate not in {"mean", "median"}:
        return None
    if test == "ks":
        return _kolmogorov(view, what, known)
    return _ranks(view, what, known, test)


def _anova(groups: Sequence[Summary]) -> NamedTest | None:
    total, k = sum(g.n for g in groups), len(groups)
    mean = sum(g.n * g.mean for g in groups) / total
    between = sum(g.n * (g.mean - mean) ** 2 for g in groups)
    inside = sum((g.n - 1) * (g.var if g.n > 1 else 0.0) for g in groups)
    if total <= k or inside <= 0:
        return None
    f = (between / (k - 1)) / (inside / (total - k))
    return NamedTest(
        "One-way ANOVA", f"F({k - 1:,}, {total - k:,}) = {_text(f)}", float(stats.f.sf(f, k - 1, total - k))
    )


def _t(groups: Sequence[Summary], *, pooled: bool) -> NamedTest | None:
    a, b = groups
    if min(a.n, b.n) < 2:
        return None
    if pooled:
        df = float(a.n + b.n - 2)
        error = math.sqrt(((a.n - 1) * a.var + (b.n - 1) * b.var) / df * (1 / a.n + 1 / b.n))
    else:
        ea, eb = a.var / a.n, b.var / b.n
        error = math.sqrt(ea + eb)
        df = error**4 / (ea**2 / (a.n - 1) + eb**2 / (b.n - 1)) if error > 0 else 0.0
    if error <= 0:
        return None
    t = (a.mean - b.mean) / error
    name = "t-test with equal variances" if pooled else "Welch's t-test"
    return NamedTest(name, f"t({df:,.4g}) = {_text(t)}", float(2 * stats.t.sf(abs(t), df)))


def _chi_square(groups: Sequence[Summary]) -> NamedTest | None:
    table = [[g.hits, g.n - g.hits] for g in groups]
    if not all(sum(column) for column in zip(*table, strict=True)):
        return None
    found = stats.chi2_contingency(table)
    yates = ", Yates' correction" if found.dof == 1 else ""
    return NamedTest(
        "Chi-square test", f"χ²({found.dof}{yates}) = {_text(float(found.statistic))}", float(found.pvalue)
    )


def _ranks(view: AnalysisView, what: Comparison, groups: Sequence[Summary], test: TestName) -> NamedTest | None:
    rows = view.query(rank_sql(view, what, [g.key for g in groups])).rows
    sizes, sums = [int(r[1]) for r in rows], [float(r[2]) for r in rows]
    total, ties = sum(sizes), float(rows[0][3])
    correction = 1 - ties / (total**3 - total) if total > 1 else 0.0
    if correction <= 0:
        return None
    if test == "kruskal":
        h = (
            12 / (total * (total + 1)) * sum(s * s / n for s, n in zip(sums, sizes, strict=True)) - 3 * (total + 1)
        ) / correction
        return NamedTest("Kruskal-Wallis", f"H({len(rows) - 1}) = {_text(h)}", float(stats.chi2.sf(h, len(rows) - 1)))
    if len(rows) != 2:
        return None
    n, m = sizes
    u = sums[0] - n * (n + 1) / 2
    spread = math.sqrt(n * m / 12 * (total + 1) * correction)
    z = (abs(u - n * m / 2) - 0.5) / spread
    return NamedTest("Mann-Whitney", f"U = {_text(u)}", min(1.0, float(2 * stats.norm.sf(z))))


def _kolmogorov(view: AnalysisView, what: Comparison, groups: Sequence[Summary]) -> NamedTest | None:
    """Two-sample Kolmogorov-Smirnov: the largest gap between the two shares of values up to a point."""
    if len(groups) != 2:
        return None
    sql = (
        f"{base_sql(view, what)} SELECT g1::VARCHAR, v::DOUBLE, count(*) FROM base WHERE v IS NOT NULL"
        f" AND g1::VARCHAR IN {literals([g.key for g in groups])} GROUP BY 1, 2"
    )
    rows = view.query(sql, limit_rows=_MOST_VALUES + 1).rows
    if len(rows) > _MOST_VALUES:
        return None
    one, other = (
        np.repeat([float(r[1]) for r in rows if r[0] == g.key], [int(r[2]) for r in rows if r[0] == g.key])
        for g in groups
    )
    found = stats.ks_2samp(one, other)
    return NamedTest("Kolmogorov-Smirnov test", f"D = {_text(float(found.statistic))}", float(found.pvalue))


def _text(value: float) -> str:
    return number_text(round(value, 4))
