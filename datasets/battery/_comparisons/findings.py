"""A comparison of groups as a candidate: who stands out, against what, and how sure that is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from datasets.battery._comparisons.gaps import apart
from datasets.battery._comparisons.groups import Comparison, Summary, Whole, interval_of
from datasets.battery._comparisons.tests import (
    MIN_ROWS,
    Outcome,
    differing,
    largest_possible,
    masked,
    matters,
    robust,
    widest_gap,
)
from datasets.battery._comparisons.within import compare_within, hidden, turned_round
from datasets.battery._comparisons.words import Wording
from datasets.battery._statistics.groups import Difference
from datasets.battery._wording.phrases import capital, filters_key, is_share, listed, p_text, unit_of
from datasets.charts import Bar, NumberStyle, bar_chart
from datasets.evidence import Candidate, Claim, ClaimValue, Direction, Relation, Subject
from datasets.plain import plain

if TYPE_CHECKING:
    from datasets.view import AnalysisView

_ALPHA = 0.05
_FEW = 30
_ROOM = 2.0  # Little is known of groups that could differ by more than twice what matters.
_NEAR = 0.2  # Values within a fifth of the largest may be about the same.


class Comparing:
    """One comparison: its groups, the one that stands out, and the candidate that says so.

    `briefly`: read the rows no second time, for halves, outliers or other columns.
    """

    def __init__(
        self,
        view: AnalysisView,
        what: Comparison,
        groups: Sequence[Summary],
        whole: Whole,
        sql: list[str],
        *,
        briefly: bool = False,
    ) -> None:
        self._view = view
        self._what = what
        self._groups = sorted(groups, key=lambda g: (-g.number, g.name))
        self._overall, self._briefly = whole.value, briefly
        self._sql = list(sql)
        split = apart([g.number for g in self._groups])
        self._far = split is not None and split.far
        self._leader = self._groups[-1] if split is not None and not split.high else self._groups[0]
        said = (what.counted or what.metric.aggregate == "mean") and not what.segments
        self._words = Wording(
            what, self._groups, split, unit_of(what.metric, view.card), self._overall if said else None
        )
        self._small = ""
        self._caveats = [f"{whole.lost:,} rows without {what.dimension} are left out"] if whole.lost else []

    def tested(self, left_out: Sequence[Summary], *, within: str | None = None) -> tuple[Candidate, list[float]]:
        """The candidate, and the p-values of the tests that were run.

        `left_out`: groups too small to be compared; `within`: a dimension that could explain the difference.
        """
        if left_out:
            names = listed([f"{g.name} ({g.n})" for g in left_out], most=4)
            self._caveats.append(f"groups with fewer than {MIN_ROWS} rows are left out: {names}")
            self._small = f" {self._words.too_small(left_out, MIN_ROWS)}"
        small = [f"{g.name} ({g.n})" for g in self._groups if g.n < _FEW]
        if small:
            self._caveats.append(f"few rows in {listed(small, most=4)}")
        outcome = differing(self._view, self._what, self._groups, self._leader)
        if outcome is None:
            return self.described(), []
        if outcome.ranks and self._what.metric.aggregate == "mean":
            self._caveats.append("small skewed groups, so ranks are tested instead of means")
        p_values = [outcome.omnibus.p]
        if outcome.lead is not None and len(self._groups) > 2:
            p_values.append(outcome.lead.p)
        if outcome.omnibus.p > _ALPHA or outcome.negligible:
            candidate, more = self._alike(outcome)
            return candidate, p_values + more
        return self._different(outcome, within), p_values

    def described(self) -> Candidate:
        """A candidate without a test, for metrics that have none and for groups that are too small."""
        leader, words = self._leader, self._words
        fewest, most = min(g.n for g in self._groups), max(g.n for g in self._groups)
        thin = sorted(g.n for g in self._groups)[-2] < MIN_ROWS
        statement = f"{words.ranking()}."
        if thin:
            rows = f"{most} row{'s' if most > 1 else ''}" if fewest == most else f"{fewest} to {most} rows"
            self._small = f" Each rests on {rows}."
        if self._groups[0].number == self._groups[-1].number:
            statement = f"{words.subject} is the same in {words.everywhere()}: {words.text(leader)}."
        unit = "share" if is_share(self._what.metric) else words.unit
        direction: Direction = "lower" if leader is self._groups[-1] else "higher"
        value = ClaimValue(number=leader.number, unit=unit, direction=direction, text=leader.name)
        return self._candidate("extreme", statement, value, interest=0.8 if self._far and not thin else 0.4)

    def _different(self, outcome: Outcome, within: str | None) -> Candidate:
        lead = outcome.lead
        held = None
        if lead is not None and within:
            held = compare_within(self._view, self._what, self._leader, within)
        elif lead is not None and not self._briefly:
            held = turned_round(self._view, self._what, self._leader, lead)
        if held is not None and lead is not None:
            self._caveats.append(held.words(lead))
            self._sql.append(held.sql)
        two = len(self._groups) == 2
        sentence = self._words.of_two(_upwards(lead)) if two else self._words.ranking()
        size = abs(outcome.omnibus.effect.value)
        if outcome.omnibus.effect.name.endswith("_squared"):
            size = math.sqrt(size)
        others = [g.key for g in self._groups if g is not self._leader]
        reversed_ = held is not None and lead is not None and not held.holds(lead)
        turn = f" But {held.words(lead)}." if reversed_ and held is not None and lead is not None else ""
        return self._candidate(
            "difference",
            f"{sentence} ({outcome.omnibus.name} {p_text(outcome.omnibus.p)}).{turn}",
            self._difference(outcome),
            interest=0.35 + 0.5 * min(1.0, size) + (0.15 if self._far else 0.0),
            test=outcome.omnibus.name,
            p_value=outcome.omnibus.p,
            effect=outcome.omnibus.effect,
            robust=False if reversed_ else self._robust(lead, others),
        )

    def _robust(self, lead: Difference | None, others: Sequence[str]) -> bool | None:
        return None if self._briefly else robust(self._view, self._what, self._leader, lead, others)

    def _alike(self, outcome: Outcome) -> tuple[Candidate, list[float]]:
        what, words = self._what, self._words
        high, low, gap = widest_gap(what, self._groups)
        most = largest_possible(what, self._groups)
        slight = outcome.omnibus.p <= _ALPHA
        near = high.number - low.number <= _NEAR * max(abs(high.number), abs(low.number))
        slight = slight and (most is None or most <= _ROOM * matters(what, self._groups))
        same = slight or (near and most is not None and most <= matters(what, self._groups))
        room = ""
        if len(self._groups) == 2 and gap is not None:
            room = f"; {high.name} and {low.name} differ by {words.delta(gap)}"
        elif most is not None and same:
            room = f"; no two differ by more than {words.size(most)}, at 95% confidence"
        elif most is not None:
            room = f"; a difference of up to {words.size(most)} is not ruled out, at 95% confidence"
        verb = "is practically the same in" if slight else "is about the same in"
        where_ = words.everywhere()
        if not same:
            verb, where_ = "shows no clear difference between", where_.replace("all ", "the ", 1)
        statement = (
            f"{words.subject} {verb} {where_}: {words.values(low, high)}"
            f" ({outcome.omnibus.name} {p_text(outcome.omnibus.p)}){room}."
        )
        lead = outcome.lead.value if outcome.lead is not None else 0.0
        held, tried = (None, []) if self._briefly else hidden(self._view, what, self._leader, lead)
        if held is not None:
            verb = "higher" if held.adjusted > 0 else "lower"
            size = words.size(abs(held.adjusted))
            statement += f" But within all {held.strata} groups of {held.dimension}, {self._leader.name} is {verb}, by"
            mix = "turns it round" if held.adjusted * lead < 0 else "hides it"
            statement += f" {size} ({p_text(held.p)}): an unequal mix {mix}."
            self._sql.append(held.sql)
        others = [g.key for g in self._groups if g is not self._leader]
        without = None if self._briefly else masked(self._view, what, self._leader, others)
        if without is not None:
            side = "higher" if without.value > 0 else "lower"
            statement += f" But without far values {self._leader.name} is {side}, by {words.size(abs(without.value))}"
            statement += f" ({p_text(without.p)})."
        candidate = self._candidate(
            "difference",
            statement,
            self._difference(outcome).model_copy(update={"direction": "none"}),
            interest=0.3,
            test=outcome.omnibus.name,
            p_value=outcome.omnibus.p,
            effect=outcome.omnibus.effect,
            null=True,
            inconclusive=not same,
            robust=None if held is None and without is None else False,
        )
        return candidate, tried

    def _difference(self, outcome: Outcome) -> ClaimValue:
        """The leader against the rows of all others; against the middle group where no difference was tested."""
        rest = sorted(g.number for g in self._groups if g is not self._leader)
        direction: Direction = "higher" if self._leader.number >= rest[-1] else "lower"
        factor = 100.0 if is_share(self._what.metric) else 1.0
        unit = "percentage points" if is_share(self._what.metric) else self._words.unit
        number, low, high = self._leader.number - rest[len(rest) // 2], None, None
        if outcome.lead is not None:
            number, low, high = outcome.lead.value, factor * outcome.lead.low, factor * outcome.lead.high
        return ClaimValue(
            number=factor * number, unit=unit, direction=direction, text=self._leader.name, low=low, high=high
        )

    def _candidate(
        self, relation: Relation, statement: str, value: ClaimValue, *, interest: float, **more: Any
    ) -> Candidate:
        what = self._what
        subject = Subject(
            relation=relation,
            metric=what.metric.key,
            dimension=what.dimension_key,
            segment=", ".join(what.segments) or None,
            period=what.window.key if what.window else None,
            filters=filters_key(what.filters),
        )
        return Candidate(
            claim=Claim(subject=subject, value=value),
            statement=f"{statement}{self._small}",
            n=sum(g.n for g in self._groups),
            interest_0_1=interest,
            chart=self._chart(),
            table=[self._row(g) for g in self._groups[:50]],
            sql=self._sql,
            caveats=self._caveats,
            **more,
        )

    def _row(self, group: Summary) -> dict[str, Any]:
        ends = interval_of(self._what, group)
        row = {self._what.dimension_key: group.name, self._what.metric.key: plain(group.value), "n": group.n}
        return row if ends is None else {**row, "low": ends[0], "high": ends[1]}

    def _chart(self) -> dict[str, Any]:
        metric, name = self._what.metric, self._what.dimension_key
        style: NumberStyle = "percent" if is_share(metric) else "number"
        ends = [interval_of(self._what, g) or (None, None) for g in self._groups]
        baseline = self._overall if self._what.counted or metric.aggregate in {"mean", "median"} else None
        return bar_chart(
            [Bar(g.name, g.number, *e) for g, e in zip(self._groups, ends, strict=True)],
            title=capital(f"{metric.words} by {name}{self._words.scope}"),
            value_title=metric.words,
            name_title=name,
            style=style,
            highlight=[self._leader.name],
            baseline=None if baseline is None else float(baseline),
        )


def _upwards(lead: Difference | None) -> Difference | None:
    """The difference of the larger from the smaller."""
    if lead is None or lead.value >= 0:
        return lead
    return Difference(-lead.value, -lead.high, -lead.low, lead.p, lead.effect)
