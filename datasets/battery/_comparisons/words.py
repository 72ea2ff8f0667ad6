"""The sentences of a comparison of groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from datasets.battery._comparisons.gaps import Apart
from datasets.battery._comparisons.groups import Comparison, Summary
from datasets.battery._statistics.groups import Difference
from datasets.battery._wording.phrases import (
    capital,
    interval_text,
    is_share,
    listed,
    points_text,
    readable,
    scope_text,
    span_text,
    value_text,
)
from datasets.battery._wording.ranking import plural, superlative
from datasets.plain import number_text

_TIMES = 1.5
_NAMED = 3  # As many others are named with their values.
_SIGNS = {"%", "$", "€", "£", "¥"}


@dataclass(frozen=True)
class Wording:
    """Groups, the highest value first, and how to write them. `overall`: the metric over all rows, where it is said."""

    what: Comparison
    groups: Sequence[Summary]
    apart: Apart | None
    unit: str | None
    overall: Any = None

    @property
    def scope(self) -> str:
        """The filters in words, with a leading space."""
        return scope_text(self.what.filters, self.what.window)

    @property
    def subject(self) -> str:
        """ "The average amount where state is Closed"."""
        return capital(f"the {self.what.metric.words}{self.scope}")

    def ranking(self) -> str:
        """Who stands out, against whom; without the final stop."""
        if len(self.groups) == 2:
            a, b = self.groups
            return f"{a.name} has {self._best(high=True)}: {self.told(a)} against {self.told(b)} for {b.name}"
        if self.apart is None:
            return self._in_order()
        split = self.apart
        lead = self.groups[: split.size] if split.high else self.groups[-split.size :][::-1]
        rest = [g for g in self.groups if g not in lead]
        best = self._best(high=split.high, distance="by far " if split.far else "")
        others = f"{self.span(rest)} in the other {self._number(len(rest))}{self._largest(lead, rest)}"
        if len(rest) == 1 or (len(rest) <= _NAMED and rest[0].value != rest[-1].value):
            others = listed([f"{self.told(g)} in {g.name}" for g in rest])
        if len(lead) == 1:
            return f"{lead[0].name} has {best}: {self.told(lead[0])} against {others}{self._overall()}"
        names = listed([self.short(g) for g in lead])
        return f"{names} have {best}, against {others}{self._overall()}"

    def of_two(self, lead: Difference | None) -> str:
        """Compare two groups, with the difference of the first from the second; without the final stop."""
        a, b = self.groups
        more = "longer" if self.what.metric.measure.kind == "duration" else "higher"
        size = f"; the difference is {self.delta(lead)}" if lead is not None else ""
        return (
            f"{a.name} has a {more} {self.what.metric.words} than {b.name}{self.scope}:"
            f" {self.told(a)} against {self.told(b)}{self._times(a, b)}{size}"
        )

    def _times(self, high: Summary, low: Summary) -> str:
        """ ", 3.8 times as much", where the lower value is above zero and the higher at least half as much again."""
        if self.what.counted or not isinstance(high.value, int | float) or not isinstance(low.value, int | float):
            return ""
        ratio = high.value / low.value if low.value > 0 else 0.0
        return f", {number_text(readable(ratio))} times as much" if ratio >= _TIMES else ""

    def everywhere(self) -> str:
        """ "all 5 departments", or the names of two groups."""
        k = len(self.groups)
        return f"all {self._number(k)}" if k > 2 else f"{self.groups[0].name} and {self.groups[1].name}"

    def values(self, low: Summary, high: Summary) -> str:
        """ "between 3 and 5"; of two groups each by its name: "5 in East and 3 in West"."""
        if len(self.groups) == 2:
            return f"{self.told(high)} in {high.name} and {self.told(low)} in {low.name}"
        return f"between {self.text(low)} and {self.text(high)}"

    def too_small(self, left_out: Sequence[Summary], fewest: int) -> str:
        """ "Left out for fewer than 5 rows: Tiny (3).", so that a superlative is not taken for one over all groups."""
        if len(left_out) > _NAMED:
            return f"Left out: {self._number(len(left_out))} with fewer than {fewest} rows."
        return f"Left out for fewer than {fewest} rows: {listed([f'{g.name} ({g.n})' for g in left_out])}."

    def text(self, group: Summary) -> str:
        """The value."""
        return value_text(self.what.metric, group.value, self.unit)

    def told(self, group: Summary) -> str:
        """The value, for shares with the rows behind it: "44.2% (19 of 43)"."""
        return f"{self.text(group)} ({group.hits:,} of {group.n:,})" if self.what.counted else self.text(group)

    def short(self, group: Summary) -> str:
        """ "IT (44.2%, 19 of 43)"."""
        basis = f", {group.hits:,} of {group.n:,}" if self.what.counted else ""
        return f"{group.name} ({self.text(group)}{basis})"

    def span(self, groups: Sequence[Summary]) -> str:
        """The values of some groups, from the lowest to the highest."""
        low, high = groups[-1], groups[0]
        if low.value == high.value:
            return self.text(low)
        bare = self.text(low) if self.unit in _SIGNS else value_text(self.what.metric, low.value)
        return span_text((bare, self.text(high)))

    def delta(self, found: Difference) -> str:
        """A difference with its interval: "26.09 days (95% CI 21.58 to 30.59)"."""
        ends = (found.low, found.high)
        if is_share(self.what.metric) or self.unit == "%":
            factor = 1.0 if is_share(self.what.metric) else 0.01
            low, high = (points_text(factor * end) for end in ends)
            return f"{points_text(factor * found.value)} percentage points ({interval_text(low, high)})"
        low, high = (number_text(readable(end)) for end in ends)
        return f"{number_text(readable(found.value), unit=self.unit)} ({interval_text(low, high)})"

    def size(self, value: float) -> str:
        """The size of a difference."""
        if is_share(self.what.metric) or self.unit == "%":
            return f"{points_text(value if is_share(self.what.metric) else value / 100)} percentage points"
        return number_text(readable(value), unit=self.unit)

    def _in_order(self) -> str:
        groups = self.groups
        first, last = groups[0], groups[-1]
        followers = listed([self.short(g) for g in groups[1 : max(2, min(3, len(groups) - 1))]])
        most = self._best(high=True)
        tied = [g.name for g in groups if g.value == first.value]
        least = superlative(self.what.metric, high=False).removesuffix(f" {self.what.metric.words}")
        if len(tied) > 1:
            return (
                f"{listed(tied)} share {most}: {self.text(first)} each; {last.name} has {least}"
                f" ({self.told(last)}){self._overall()}"
            )
        return (
            f"{first.name} has {most}: {self.told(first)}, followed by {followers};"
            f" {last.name} has {least} ({self.told(last)}){self._overall()}"
        )

    def _largest(self, lead: Sequence[Summary], rest: Sequence[Summary]) -> str:
        """The share of the group that has most rows, where it is not the one that stands out by share."""
        largest = max(rest, key=lambda g: g.n)
        if not self.what.counted or largest.n <= max(g.n for g in lead):
            return ""
        return f" ({largest.name}, the largest, has {self.text(largest)}: {largest.hits:,} of {largest.n:,})"

    def _best(self, *, high: bool, distance: str = "") -> str:
        return f"{superlative(self.what.metric, high=high, distance=distance)}{self.scope}"

    def _number(self, k: int) -> str:
        if self.what.datepart:
            return f"{k} {self.what.datepart}s of {self.what.dimension}"
        return plural(self.what.dimension, k)

    def _overall(self) -> str:
        return "" if self.overall is None else f"; {value_text(self.what.metric, self.overall, self.unit)} overall"
