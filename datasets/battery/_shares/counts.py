"""A count over the values of a column: who leads, whether it is spread evenly, how concentrated it is."""

from datasets.battery._shares.leader import Counts, leading, tested
from datasets.battery._shares.over_time import leading_throughout
from datasets.battery._shares.params import Segments, ShareParams
from datasets.battery._shares.words import MOST_NAMED, caveats_of, share_chart, span_words, unit_words
from datasets.battery._statistics.concentration import gini
from datasets.battery._statistics.rates import wilson
from datasets.battery._wording.phrases import capital, p_text, percent_text, points_text
from datasets.battery._wording.ranking import plural
from datasets.battery._wording.words import listed_and
from datasets.evidence import Candidate, Claim, ClaimValue, Effect
from datasets.plain import number_text
from datasets.view import AnalysisView

_MANY = 20


def share_counts(view: AnalysisView, params: ShareParams, segments: Segments) -> tuple[list[Candidate], list[float]]:
    """Return the candidates of a count, and the p-values of the tests that were run."""
    listed = segments.listed
    if len(listed) == 1:
        return [_only(params, segments)], []
    counts = tested(segments)
    if counts.spread_evenly:
        return [_even(params, counts)], counts.p_values
    if counts.leader_p > 0.05:
        return [_listing(params, counts)], counts.p_values
    found = [leading(view, params, counts), _concentration(params, counts), leading_throughout(view, params, counts)]
    return [c for c in found if c is not None], counts.p_values


def _even(params: ShareParams, counts: Counts) -> Candidate:
    test, segments = counts.evenness, counts.segments
    assert test is not None
    listed = segments.listed
    total = int(segments.total)
    unit = unit_words(params)
    span = span_words(listed).removesuffix(" each")
    nearly = "" if test.p > 0.05 else "nearly "
    statement = (
        f"{capital(unit)} are spread {nearly}evenly over {params.dimension}{params.scope}: "
        f"each of the {len(listed)} has {span} of {total:,} ({test.name} {p_text(test.p)}); no share is more than"
        f" {points_text(max(counts.room))} percentage points away from an equal one, at 95% confidence."
    )
    if len(listed) <= MOST_NAMED and listed[0].value != listed[-1].value:
        statement += f" {listed_and([f'{s.name} {int(s.value):,}' for s in listed])}."
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
        chart=share_chart(params, segments, set()),
        table=segments.table(params.dimension, params.metric.words),
        sql=[segments.sql],
        caveats=caveats_of(params, segments),
    )


def _listing(params: ShareParams, counts: Counts) -> Candidate:
    """Exact counts where neither a leader nor evenness is shown."""
    segments = counts.segments
    total, listed = int(segments.total), segments.listed
    unit, p = unit_words(params), p_text(counts.leader_p)
    if len(listed) <= MOST_NAMED:
        named = listed_and([f"{s.name} {int(s.value):,} ({percent_text(int(s.value) / total)})" for s in listed])
        statement = (
            f"{capital(unit)} by {params.dimension}{params.scope}: {named} of {total:,}; none clearly stands out ({p})."
        )
    else:
        statement = (
            f"No {params.dimension} clearly stands out{params.scope} ({p}): "
            f"the {plural(params.dimension, len(listed))} have {span_words(listed)} of {total:,} {unit}, "
            f"{listed[0].name} the most."
        )
    share = int(listed[0].value) / total
    low, high = wilson(int(listed[0].value), total)
    return Candidate(
        claim=Claim(
            subject=params.subject("share"),
            value=ClaimValue(number=share, low=low, high=high, unit="share", text=listed[0].name, direction="none"),
        ),
        statement=statement,
        n=total,
        interest_0_1=0.2,
        chart=share_chart(params, segments, set()),
        table=segments.table(params.dimension, params.metric.words),
        sql=[segments.sql],
        caveats=caveats_of(params, segments),
    )


def _concentration(params: ShareParams, counts: Counts) -> Candidate | None:
    """How much the first tenth of many segments holds, where that says more than the leader does."""
    listed, total = counts.segments.listed, int(counts.segments.total)
    k = len(listed)
    m = min(10, k // 10)
    if k < _MANY or m <= counts.cluster:
        return None
    held = sum(int(s.value) for s in listed[:m])
    share = held / total
    if share < max(0.3, 2 * m / k):
        return None
    hhi = sum((int(s.value) / total) ** 2 for s in listed)
    unequal = gini([s.value for s in listed])
    spread = f"; Gini coefficient {_interval(unequal)}" if unequal else ""
    alike = percent_text(m / k)
    low, high = wilson(held, total)
    return Candidate(
        claim=Claim(
            subject=params.subject("concentration", against=f"top {m}"),
            value=ClaimValue(number=share, low=low, high=high, unit="share", direction="higher"),
        ),
        statement=(
            f"The {m} most common of {plural(params.dimension, k)} account for {held:,} of {total:,} "
            f"{unit_words(params)} ({percent_text(share)}){params.scope}; spread evenly it would be {alike} "
            f"(Herfindahl index {number_text(round(hhi, 4))}{spread})."
        ),
        n=total,
        effect=unequal,
        interest_0_1=0.3 + 0.4 * share,
        table=counts.segments.table(params.dimension, params.metric.words),
        sql=[counts.segments.sql],
    )


def _interval(effect: Effect) -> str:
    return f"{effect.value:.2f}, {effect.low:.2f} to {effect.high:.2f} at 95% confidence"


def _only(params: ShareParams, segments: Segments) -> Candidate:
    only = segments.listed[0]
    n, unit = int(only.value), unit_words(params)
    held, have = (f"All {n:,} {unit}", "have") if n > 1 else (f"The only {unit.replace('rows', 'row')}", "has")
    return Candidate(
        claim=Claim(subject=params.subject("share"), value=ClaimValue(number=1.0, unit="share", text=only.name)),
        statement=f"{held}{params.scope} {have} {params.dimension} {only.key}.",
        n=only.n,
        interest_0_1=0.15,
        table=segments.table(params.dimension, params.metric.words),
        sql=[segments.sql],
        caveats=caveats_of(params, segments),
    )
