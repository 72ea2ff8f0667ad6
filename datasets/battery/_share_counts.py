"""Who has most of the rows, whether they are spread evenly, and how concentrated they are."""

import math
from dataclasses import dataclass
from typing import Any

from scipy import stats

from datasets.battery._phrases import capital, p_text, percent_text
from datasets.battery._ranking import plural
from datasets.battery._rates import wilson
from datasets.battery._share_params import Segment, Segments, ShareParams
from datasets.battery._stats import Tested, even
from datasets.battery._words import listed_and, rows_text
from datasets.charts import Bar, bar_chart
from datasets.evidence import Candidate, Claim, ClaimValue, Effect
from datasets.measures import where
from datasets.plain import number_text
from datasets.sql import ident, literal
from datasets.view import AnalysisView

_FAR_RATIO = 2.0
_CLUSTER_RATIO = 1.5
_EVEN_W, _NEARLY_EVEN_W = 0.2, 0.1
_MOST_NAMED = 12
_MANY = 10


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
        """Whether no segment differs from an equal share by more than a little."""
        test = self.evenness
        if test is None:
            return False
        return (test.p > 0.05 and test.effect.value < _EVEN_W) or test.effect.value < _NEARLY_EVEN_W


def share_counts(view: AnalysisView, params: ShareParams, segments: Segments) -> tuple[list[Candidate], list[float]]:
    """Return the candidates of a count, and the p-values of the tests that were run."""
    listed = segments.listed
    if len(listed) == 1:
        return [_only(params, segments)], []
    counts = _tested(segments)
    if counts.spread_evenly:
        return [_even(params, counts)], counts.p_values
    found = [_leader(view, params, counts)] if counts.leader_p <= 0.05 else [_listing(params, counts)]
    concentration = _concentration(params, counts)
    return [*found, *([concentration] if concentration else [])], counts.p_values


def _tested(segments: Segments) -> Counts:
    values = [int(s.value) for s in segments.listed]
    total, k = sum(values), len(values)
    evenness = even(values) if total / k >= 5 else None
    cluster = _cluster(values)
    # The chance that some cluster of that size holds so much, were all alike: a union bound over the clusters.
    p = float(stats.binom.sf(sum(values[:cluster]) - 1, total, cluster / k)) * math.comb(k, cluster)
    return Counts(segments, evenness, cluster, min(1.0, p))


def _cluster(values: list[int]) -> int:
    """How many segments lead together: where, among the first three, the largest relative gap follows."""
    most = min(3, max(1, len(values) // 2), len(values) - 1)
    ratios = [values[c - 1] / max(1, values[c]) for c in range(1, most + 1)]
    best = max(range(most), key=lambda i: ratios[i])
    return best + 1 if ratios[best] >= _CLUSTER_RATIO else 1


def _leader(view: AnalysisView, params: ShareParams, counts: Counts) -> Candidate:
    segments, c = counts.segments, counts.cluster
    lead, rest = segments.listed[:c], segments.listed[c:]
    total, held = int(segments.total), sum(int(s.value) for s in lead)
    share = held / total
    low, high = wilson(held, total)
    names = listed_and([s.name for s in lead])
    outside, sql = _outside(view, params, lead, segments)
    statement = _leader_sentence(params, counts, names, held, total)
    excess = max(0.0, (share - c / len(segments.listed)) / (1 - c / len(segments.listed)))
    interest = 0.3 + 0.6 * excess
    if outside is not None:
        statement = f"{statement[:-1]}; of the rows outside it is {percent_text(outside)}."
        interest *= 0.5 if share < 1.2 * outside else 1.0
    return (
        Candidate(
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
            chart=_chart(params, segments, {s.name for s in lead}),
            table=segments.table(params.dimension, params.metric.words),
            sql=[segments.sql, *sql],
            caveats=_caveats(params, segments),
        )
        if rest
        else _only(params, segments)
    )


def _leader_sentence(params: ShareParams, counts: Counts, names: str, held: int, total: int) -> str:
    c, listed = counts.cluster, counts.segments.listed
    rest = listed[c:]
    unit = _unit(params)
    share = percent_text(held / total)
    if c > 1:
        each = f", {int(listed[0].value):,} each" if listed[0].value == listed[c - 1].value else ""
        inside = each or f" ({listed_and([f'{int(s.value):,}' for s in listed[:c]])})"
        others = f"no other {params.dimension} has more than {int(rest[0].value):,}"
        return capital(f"{names} account for {held:,} of {total:,} {unit} ({share}){params.scope}{inside}; {others}.")
    ratio = held / int(rest[0].value) if rest[0].value else math.inf
    far = "by far " if ratio >= _FAR_RATIO else ""
    head = f"{names} is {far}the most common {params.dimension}{params.scope}: {held:,} of {total:,} {unit} ({share})"
    if len(rest) == 1:
        return capital(f"{head} against {int(rest[0].value):,} for {rest[0].name}.")
    if ratio >= _CLUSTER_RATIO:
        times = f"{number_text(round(ratio, 1))} times as many as the next, {rest[0].name} ({int(rest[0].value):,})"
        span = _span(rest)
        return capital(f"{head}, {times}; the other {plural(params.dimension, len(rest))} have {span}.")
    followers = listed_and([f"{s.name} ({int(s.value):,})" for s in rest[:2]])
    last = f"; the least common is {rest[-1].name} ({int(rest[-1].value):,})" if len(rest) > 2 else ""
    return capital(f"{head}, followed by {followers}{last}.")


def _outside(
    view: AnalysisView, params: ShareParams, lead: tuple[Segment, ...], segments: Segments
) -> tuple[float | None, list[str]]:
    """The share that the leaders have among the rows that the filters leave out."""
    if not params.filters or params.metric.measure.kind != "rows":
        return None, []
    column = ident(params.dimension)
    held = f"{column} IN ({', '.join(literal(s.key) for s in lead)})"
    scope = where((), params.window)
    sql = f"SELECT count(*) FILTER (WHERE {held}), count({column}) FROM analysis{scope}"
    inside, rows = (int(v) for v in view.query(sql).rows[0])
    left = rows - segments.rows
    if left < 20:
        return None, []
    return (inside - sum(s.n for s in lead)) / left, [sql]


def _even(params: ShareParams, counts: Counts) -> Candidate:
    test, segments = counts.evenness, counts.segments
    assert test is not None
    listed = segments.listed
    total = int(segments.total)
    unit = _unit(params)
    span = _span(listed)
    nearly = "" if test.p > 0.05 else "nearly "
    statement = (
        f"{capital(unit)} are spread {nearly}evenly over {params.dimension}{params.scope}: "
        f"each of the {len(listed)} has {span} of {total:,} ({test.name} {p_text(test.p)})."
    )
    if len(listed) <= _MOST_NAMED:
        statement += f" {capital(listed_and([f'{s.name} {int(s.value):,}' for s in listed]))}."
    return Candidate(
        claim=Claim(
            subject=params.subject("evenness"),
            value=ClaimValue(
                number=test.effect.value, low=test.effect.low, high=test.effect.high, unit="cohens_w", direction="none"
            ),
        ),
        statement=statement,
        n=total,
        test=f"{test.name} against equal counts",
        p_value=test.p,
        effect=test.effect,
        null=True,
        interest_0_1=0.4,
        chart=_chart(params, segments, set()),
        table=segments.table(params.dimension, params.metric.words),
        sql=[segments.sql],
        caveats=_caveats(params, segments),
    )


def _listing(params: ShareParams, counts: Counts) -> Candidate:
    """Exact counts where neither a leader nor evenness is shown."""
    segments = counts.segments
    total, listed = int(segments.total), segments.listed
    named = listed_and(
        [f"{s.name} {int(s.value):,} ({percent_text(int(s.value) / total)})" for s in listed[:_MOST_NAMED]]
    )
    more = f", {len(listed):,} values in all" if len(listed) > _MOST_NAMED else ""
    share = int(listed[0].value) / total
    low, high = wilson(int(listed[0].value), total)
    return Candidate(
        claim=Claim(
            subject=params.subject("share"),
            value=ClaimValue(number=share, low=low, high=high, unit="share", text=listed[0].name, direction="none"),
        ),
        statement=f"{capital(_unit(params))} by {params.dimension}{params.scope}: {named} of {total:,}{more}; "
        f"no {params.dimension} stands out ({p_text(counts.leader_p)}).",
        n=total,
        interest_0_1=0.2,
        chart=_chart(params, segments, set()),
        table=segments.table(params.dimension, params.metric.words),
        sql=[segments.sql],
        caveats=_caveats(params, segments),
    )


def _concentration(params: ShareParams, counts: Counts) -> Candidate | None:
    """How much the first tenth of many segments holds, where that says more than the leader does."""
    listed, total = counts.segments.listed, int(counts.segments.total)
    k = len(listed)
    m = min(10, k // 10)
    if k < 2 * _MANY or m <= counts.cluster:
        return None
    held = sum(int(s.value) for s in listed[:m])
    share = held / total
    if share < max(0.3, 2 * m / k):
        return None
    hhi = sum((int(s.value) / total) ** 2 for s in listed)
    low, high = wilson(held, total)
    return Candidate(
        claim=Claim(
            subject=params.subject("concentration", against=f"top {m}"),
            value=ClaimValue(number=share, low=low, high=high, unit="share", direction="higher"),
        ),
        statement=(
            f"The {m} most common of {plural(params.dimension, k)} account for {held:,} of {total:,} {_unit(params)} "
            f"({percent_text(share)}){params.scope}; spread evenly it would be {percent_text(m / k)} "
            f"(Herfindahl index {number_text(round(hhi, 4))})."
        ),
        n=total,
        interest_0_1=0.3 + 0.4 * share,
        table=counts.segments.table(params.dimension, params.metric.words),
        sql=[counts.segments.sql],
    )


def _only(params: ShareParams, segments: Segments) -> Candidate:
    only = segments.listed[0]
    return Candidate(
        claim=Claim(subject=params.subject("share"), value=ClaimValue(number=1.0, unit="share", text=only.name)),
        statement=f"All {int(only.value):,} {_unit(params)}{params.scope} have {params.dimension} {only.key}.",
        n=only.n,
        interest_0_1=0.15,
        table=segments.table(params.dimension, params.metric.words),
        sql=[segments.sql],
        caveats=_caveats(params, segments),
    )


def _unit(params: ShareParams) -> str:
    measure = params.metric.measure
    if params.metric.aggregate == "missing":
        return f"missing values of {measure.words}"
    return "rows" if measure.kind == "rows" else f"values of {measure.words}"


def _span(segments: tuple[Segment, ...]) -> str:
    low, high = int(segments[-1].value), int(segments[0].value)
    return f"{low:,} each" if low == high else f"{low:,} to {high:,}"


def _caveats(params: ShareParams, segments: Segments) -> list[str]:
    if not segments.missing:
        return []
    return [f"{rows_text(segments.missing)} without a value in {params.dimension} left out"]


def _chart(params: ShareParams, segments: Segments, lit: set[str]) -> dict[str, Any]:
    total = int(segments.total)
    bars = [Bar(s.name, int(s.value) / total, *wilson(int(s.value), total)) for s in segments.listed]
    return bar_chart(
        bars,
        title=f"Share of {_unit(params)} by {params.dimension}{params.scope}",
        value_title=f"share of {_unit(params)}",
        name_title=params.dimension,
        style="percent",
        highlight=sorted(lit),
        baseline=1 / len(segments.listed),
        subtitle="dashed: equal shares; lines: 95% intervals",
    )
