"""Groups in the order of a metric, and the sentences that name who leads, who follows and who is last."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from datasets.battery._wording.phrases import extreme_words, is_share, percent_text
from datasets.battery._wording.words import figure, listed_and
from datasets.measures import Metric
from datasets.schema import SchemaCard

MOST_LISTED = 12
_FAR_RATIO = 1.5


@dataclass(frozen=True)
class Group:
    """One group with its value; `n` rows with a value."""

    name: str
    value: Any
    n: int


@dataclass(frozen=True)
class Ranking:
    """Groups from the first to the last; `groups` counts all, of which the middle ones may be missing in `listed`.

    `tied` groups share the first place. `total`: the value of the whole, `total_n`: its rows.
    """

    metric: Metric
    listed: Sequence[Group]
    groups: int
    tied: int
    descending: bool
    total: Any = None
    total_n: int = 0

    @property
    def whole(self) -> bool:
        """Whether every group is listed."""
        return self.groups == len(self.listed)

    @property
    def detached(self) -> bool:
        """Whether the first lies further from the second than all others from each other, and 1.5 times as far out."""
        numeric = all(isinstance(g.value, int | float | Decimal) for g in self.listed)
        if self.tied > 1 or self.groups < 3 or len(self.listed) < 3 or not numeric:
            return False
        first, second, last = (float(g.value) for g in (self.listed[0], self.listed[1], self.listed[-1]))
        far = first >= _FAR_RATIO * second if self.descending else second >= _FAR_RATIO * first
        return abs(first - second) > abs(second - last) and min(first, second) >= 0 and far


def superlative(metric: Metric, *, high: bool, distance: str = "") -> str:
    """Word the first place: "the highest average amount", "by far the fewest rows per manager"."""
    many, (most, least) = ("most", "fewest"), extreme_words(metric)
    column = metric.measure.words
    counted = {
        "count": "rows" if metric.measure.kind == "rows" else f"{column} values",
        "distinct": f"distinct {nouns(column)}",
        "missing": f"missing values in {column}",
        "rows_per_distinct": f"rows per {column}",
        "max": f"maximum {column}",
        "min": f"minimum {column}",
    }
    if metric.aggregate in {"max", "min"}:
        return f"{distance}the {'highest' if high else 'lowest'} {counted[metric.aggregate]}"
    if metric.aggregate in counted:
        return f"{distance}the {many[0] if high else many[1]} {counted[metric.aggregate]}"
    return f"{distance}the {most if high else least} {metric.words}"


def plural(noun: str, count: int) -> str:
    """Write "4 departments", "4 values of assigned_to"."""
    return f"{count:,} {nouns(noun)}"


def nouns(noun: str) -> str:
    """Put a column name that is a plain noun into the plural; "values of assigned_to" for any other."""
    if not noun.isalpha() or not noun.islower() or noun.endswith(("ss", "us", "is", "ed", "by")):
        return f"values of {noun}"
    if noun.endswith("s"):
        return noun
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return f"{noun[:-1]}ies"
    return f"{noun}{'es' if noun.endswith(('x', 'ch', 'sh')) else 's'}"


def ranking_sentences(
    card: SchemaCard, ranking: Ranking, *, noun: str, scope: str = "", top: int | None = None
) -> list[str]:
    """Write who leads with its figure and basis, who follows, who is last; then the rest where at most 12 groups exist.

    `noun` names the dimension ("department").
    """
    metric, listed = ranking.metric, ranking.listed
    said = _Said(card, ranking)
    if ranking.groups == 1:
        only = listed[0]
        return [f"{only.name} is the only {noun}{scope}, with {_of(metric)}: {said.full(only)}."]
    if listed[0].value == listed[-1].value:
        basis = said.figure(listed[0])
        everyone = f"Both {nouns(noun)}" if ranking.groups == 2 else f"All {plural(noun, ranking.groups)}"
        return [f"{everyone} have the same {_of(metric)}{scope}: {basis}."]
    lead, named = _lead(said, scope)
    follow = max(0, min((top or 3) - named, len(listed) - named, 20 if ranking.whole or top else 3))
    rest = list(listed[named : named + follow])
    last = listed[-1]
    if ranking.groups == 2 and named == 1:
        return [f"{lead} against {said.full(last)} for {last.name}."]
    tail = ""
    if ranking.detached:
        ends = sorted((listed[1], last), key=lambda g: float(g.value))
        span = " to ".join(dict.fromkeys(said.figure(g) for g in ends))
        tail = f" against {span} in the other {plural(noun, ranking.groups - 1)}"
        if is_share(metric) and ranking.total is not None:
            tail = (
                f" against {said.write(ranking.total)} overall; {span} in the other {plural(noun, ranking.groups - 1)}"
            )
        rest = rest if top else []
    elif is_share(metric) and ranking.total is not None:
        tail = f" against {said.write(ranking.total)} overall"
    if rest:
        tail += f", followed by {listed_and([said.short(g) for g in rest])}"
    if last not in rest and len(listed) > named and not ranking.detached:
        tail += f"; {said.last(last)}"
        rest = [*rest, last]
    sentences = [f"{lead}{tail}."]
    unnamed = [g for g in listed[named:] if g not in rest]
    if ranking.whole and ranking.groups <= MOST_LISTED and unnamed and top is None:
        sentences.append(f"The others: {listed_and([said.short(g) for g in unnamed])}.")
    return sentences


_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


def place_sentence(card: SchemaCard, ranking: Ranking, place: int, *, noun: str, scope: str = "") -> str:
    """Write who is at one place of the order, and who stands before: "B has the second most rows: 131, after A (136)".

    `place` counts from 1; of groups that tie, each takes a place.
    """
    said = _Said(card, ranking)
    if place > ranking.groups:
        return f"There are only {plural(noun, ranking.groups)}{scope}, so none is at place {place}."
    found, before = ranking.listed[place - 1], ranking.listed[place - 2]
    ordinal = _ORDINALS[place - 1] if place <= len(_ORDINALS) else f"{place}th"
    words = superlative(ranking.metric, high=ranking.descending).replace("the ", f"the {ordinal} ", 1)
    tied = [g.name for g in ranking.listed if g.value == found.value and g is not found]
    also = f" (the same as {listed_and(tied[:3])})" if tied else ""
    return f"{found.name} has {words}{scope}: {said.full(found)}{also}, after {said.short(before)}."


def _lead(said: "_Said", scope: str) -> tuple[str, int]:
    ranking = said.ranking
    metric, first = ranking.metric, ranking.listed[0]
    distance = "by far " if ranking.detached else ""
    words = superlative(metric, high=ranking.descending, distance=distance)
    if ranking.tied == 1:
        return f"{first.name} has {words}{scope}: {said.full(first)}", 1
    shown = ranking.listed[: min(ranking.tied, 5)]
    names = listed_and([g.name for g in shown])
    if ranking.tied > len(shown):
        return f"{ranking.tied:,} share {words}{scope}, {said.figure(first)} each, among them {names}", len(shown)
    return f"{names} have {words}{scope}: {said.figure(first)} each", len(shown)


def _of(metric: Metric) -> str:
    if metric.aggregate == "distinct":
        return f"number of distinct {nouns(metric.measure.words)}"
    return metric.words


@dataclass(frozen=True)
class _Said:
    """Figures of the groups, with what they are based on."""

    card: SchemaCard
    ranking: Ranking

    def write(self, value: Any) -> str:
        return (
            percent_text(float(value))
            if is_share(self.ranking.metric)
            else figure(self.ranking.metric, self.card, value)
        )

    def figure(self, group: Group) -> str:
        return self.write(group.value)

    def last(self, group: Group) -> str:
        """ "the lowest is HR (13)", "HR has the fewest (13)" """
        high = not self.ranking.descending
        if self.ranking.metric.aggregate in {"count", "distinct", "missing", "rows_per_distinct"}:
            return f"{group.name} has the {'most' if high else 'fewest'} ({self.figure(group)})"
        return f"the {extreme_words(self.ranking.metric)[0 if high else 1]} is {self.short(group)}"

    def short(self, group: Group) -> str:
        """ "HR (13)" """
        return f"{group.name} ({self.figure(group)})"

    def full(self, group: Group) -> str:
        """The figure with its basis: "336 of 500 rows (67.2%)", "44.2% (19 of 43)", "87.96 (216 rows)"."""
        metric, said = self.ranking.metric, self.figure(group)
        share = self._share(group)
        if metric.aggregate == "count":
            noun = "rows" if metric.measure.kind == "rows" else "values"
            return f"{said} of {self.ranking.total_n:,} {noun} ({share})" if share else f"{said} {noun}"
        if is_share(metric):
            return f"{said} ({round(float(group.value) * group.n):,} of {group.n:,})"
        if metric.aggregate in {"distinct", "rows_per_distinct"}:
            return f"{said} ({group.n:,} rows)"
        if metric.measure.kind == "sum_per":
            return f"{said} ({group.n:,} {metric.measure.columns[1]} values)"
        return f"{said} ({share} of the total)" if share else f"{said} ({group.n:,} row{'' if group.n == 1 else 's'})"

    def _share(self, group: Group) -> str:
        ranking = self.ranking
        if not ranking.metric.additive or ranking.total is None or not float(ranking.total):
            return ""
        lowest = min(float(ranking.listed[0].value), float(ranking.listed[-1].value))
        if lowest < 0:
            return ""
        return percent_text(float(group.value) / float(ranking.total))
