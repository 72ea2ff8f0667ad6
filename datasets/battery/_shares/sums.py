"""Who has most of a total."""

from datasets.battery._shares.params import Segments, ShareParams
from datasets.battery._wording.phrases import capital, percent_text
from datasets.battery._wording.ranking import Group, Ranking, ranking_sentences
from datasets.battery._wording.words import value_of
from datasets.charts import Bar, bar_chart
from datasets.evidence import Candidate, Claim, ClaimValue
from datasets.view import AnalysisView

_NEARLY_EQUAL = 1.1
_MIRRORED = 1.1


def share_sums(view: AnalysisView, params: ShareParams, segments: Segments) -> Candidate:
    """Return who leads and follows in a total. Exact; shares only where no segment is negative."""
    listed, metric = segments.listed, params.metric
    total, first = segments.total, listed[0]
    groups = [Group(s.name, s.value, s.n) for s in listed]
    tied = sum(1 for s in listed if s.value == first.value)
    ranking = Ranking(metric, groups, len(groups), tied, True, total, segments.rows)
    shares = float(listed[-1].value) >= 0 and float(total) > 0
    value = value_of(metric, view.card, first.value, text=first.name, direction="higher")
    share = float(first.value) / float(total) if shares else 0.0
    if shares:
        value = ClaimValue(number=share, unit="share", text=first.name, direction="higher")
    statement = " ".join(ranking_sentences(view.card, ranking, noun=params.dimension, scope=params.scope, top=3))
    even = 1 / len(listed)
    # That one of nearly equal totals is the largest is worth little.
    plain = 0.35 if float(first.value) > _NEARLY_EQUAL * float(listed[-1].value) else 0.1
    # So is a total that only mirrors how many rows there are.
    mirrored = 0.5 if shares and segments.rows and share <= _MIRRORED * first.n / segments.rows else 1.0
    return Candidate(
        claim=Claim(subject=params.subject("share"), value=value),
        statement=statement,
        n=segments.rows,
        interest_0_1=plain + (0.5 * mirrored * (share - even) / (1 - even) if shares and len(listed) > 1 else 0.0),
        chart=bar_chart(
            [Bar(s.name, float(s.value)) for s in listed],
            title=f"{capital(metric.words)} by {params.dimension}{params.scope}",
            value_title=metric.words,
            name_title=params.dimension,
            highlight=[first.name],
            subtitle=f"{first.name}: {percent_text(share)} of the total" if shares else "",
        ),
        table=segments.table(params.dimension, metric.words),
        sql=[segments.sql],
        caveats=[] if shares else ["some groups are negative, so shares of the total say nothing"],
    )
