"""Who has most of the rows: one segment, or two or three of about the same size."""

import math
from dataclasses import dataclass

from scipy import stats

from datasets.battery._shares.params import Segment, Segments, ShareParams
from datasets.battery._shares.words import caveats_of, share_chart, span_words, unit_words
from datasets.battery._statistics.groups import Tested, even
from datasets.battery._statistics.rates import wilson
from datasets.battery._statistics.sameness import room_of_shares, shares_as_expected
from datasets.battery._wording.phrases import percent_text
from datasets.battery._wording.ranking import plural
from datasets.battery._wording.words import listed_and, nameable
from datasets.evidence import Candidate, Claim, ClaimValue, Effect
from datasets.measures import where
from datasets.sql import ident, literal
from datasets.view import AnalysisView

_FAR_RATIO = 2.0
_CLUSTER_RATIO = 1.5
_NEARLY_EVEN_W = 0.1
_FEWEST_OUTSIDE = 20


@dataclass(frozen=True)
class Counts:
    """Segments of a count with the two tests: of evenness, and of the leading cluster."""

    segments: Segments
    evenness: Tested | None
    cluster: int
    leader_p: float

    @property
    def p_values(self) -> list[float]:
        """Of every test that was run."""
        return [*([self.evenness.p] if self.evenness else []), self.leader_p]

    @property
    def spread_evenly(self) -> bool:
        """Whether no segment is, or can be, more than a little away from an equal share."""
        test = self.evenness
        if test is None or not (test.p > 0.05 or test.effect.value < _NEARLY_EVEN_W):
            return False
        k = len(self.segments.listed)
        return shares_as_expected(self.room, [1 / k] * k)

    @property
    def room(self) -> list[float]:
        """How far from an equal share that of each segment can be, 0..1."""
        values = [int(s.value) for s in self.segments.listed]
        return room_of_shares(values, [1 / len(values)] * len(values))


def tested(segments: Segments) -> Counts:
    """Run both tests. Evenness is tested where an equal share would be at least 5 rows."""
    values = [int(s.value) for s in segments.listed]
    total, k = sum(values), len(values)
    evenness = even(values) if total / k >= 5 else None
    cluster = _cluster(values)
    # The chance that some cluster of that size holds so much, were all alike: a union bound over the clusters.
    p = float(stats.binom.sf(sum(values[:cluster]) - 1, total, cluster / k)) * math.comb(k, cluster)
    return Counts(segments, evenness, cluster, min(1.0, p))


def _cluster(values: list[int]) -> int:
    """How many segments of about the same size lead: up to three, where the largest relative gap follows."""
    most = min(3, max(1, len(values) // 2), len(values) - 1)
    alike = [c for c in range(1, most + 1) if values[0] < _CLUSTER_RATIO * values[c - 1]]
    best = max(alike, key=lambda c: values[c - 1] / max(1, values[c]))
    return best if values[best - 1] >= _CLUSTER_RATIO * values[best] else 1


def leading(view: AnalysisView, params: ShareParams, counts: Counts) -> Candidate:
    """Return who leads, with the share and how far the next is."""
    segments, c = counts.segments, counts.cluster
    lead = segments.listed[:c]
    total, held = int(segments.total), sum(int(s.value) for s in lead)
    share = held / total
    low, high = wilson(held, total)
    names = listed_and([s.name for s in lead])
    outside, sql = _outside(view, params, lead, segments)
    statement = _leader_sentence(params, counts, names, held, total)
    excess = max(0.0, (share - c / len(segments.listed)) / (1 - c / len(segments.listed)))
    interest = 0.3 + 0.6 * excess
    if outside is not None:
        statement = f"{statement[:-1]}; in the rest of the data it is {percent_text(outside)}."
        interest *= 0.15 if share < 1.2 * outside else 1.0
    return Candidate(
        claim=Claim(
            subject=params.subject("share"),
            value=ClaimValue(number=share, low=low, high=high, unit="share", text=names, direction="higher"),
        ),
        statement=statement,
        n=total,
        test="binomial against equal shares",
        p_value=counts.leader_p,
        effect=Effect(name="share", value=share, low=low, high=high),
        interest_0_1=interest,
        chart=share_chart(params, segments, {s.name for s in lead}),
        table=segments.table(params.dimension, params.metric.words),
        sql=[segments.sql, *sql],
        caveats=caveats_of(params, segments),
    )


def _leader_sentence(params: ShareParams, counts: Counts, names: str, held: int, total: int) -> str:
    c, listed = counts.cluster, counts.segments.listed
    rest = listed[c:]
    unit = unit_words(params)
    share = percent_text(held / total)
    if c > 1:
        each = f", {int(listed[0].value):,} each" if listed[0].value == listed[c - 1].value else ""
        inside = each or f" ({listed_and([f'{int(s.value):,}' for s in listed[:c]])})"
        others = f"no other {params.dimension} has more than {int(rest[0].value):,}"
        return f"{names} account for {held:,} of {total:,} {unit} ({share}){params.scope}{inside}; {others}."
    ratio = held / int(rest[0].value) if rest[0].value else math.inf
    far = "by far " if ratio >= _FAR_RATIO else ""
    head = f"{names} is {far}the most common {params.dimension}{params.scope}: {held:,} of {total:,} {unit} ({share})"
    if len(rest) == 1:
        return f"{head} against {int(rest[0].value):,} for {rest[0].name}."
    if ratio >= _CLUSTER_RATIO:
        factor = f"{ratio:.1f}".removesuffix(".0")
        times = f"{factor} times as many as the next, {rest[0].name} ({int(rest[0].value):,})"
        span = span_words(rest)
        return f"{head}, {times}; the other {plural(params.dimension, len(rest))} have {span}."
    followers = listed_and([f"{s.name} ({int(s.value):,})" for s in rest[:2]])
    last = f"; the least common is {rest[-1].name} ({int(rest[-1].value):,})" if len(rest) > 2 else ""
    return f"{head}, followed by {followers}{last}."


def _outside(
    view: AnalysisView, params: ShareParams, lead: tuple[Segment, ...], segments: Segments
) -> tuple[float | None, list[str]]:
    """The share that the leaders have among the rows that the filters leave out."""
    known = all(nameable(s.key) for s in lead)
    if not params.filters or params.metric.measure.kind != "rows" or not known:
        return None, []
    column = ident(params.dimension)
    held = f"{column} IN ({', '.join(literal(s.key) for s in lead)})"
    scope = where((), params.window)
    sql = f"SELECT count(*) FILTER (WHERE {held}), count({column}) FROM analysis{scope}"
    inside, rows = (int(v) for v in view.query(sql).rows[0])
    left = rows - segments.rows
    if left < _FEWEST_OUTSIDE:
        return None, []
    return (inside - sum(s.n for s in lead)) / left, [sql]
