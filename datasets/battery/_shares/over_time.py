"""Whether the one who leads overall leads in every period as well, or only because of some."""

from datasets.battery._rows.calendar import calendar
from datasets.battery._rows.periods import moment_of
from datasets.battery._shares.leader import Counts
from datasets.battery._shares.params import ShareParams
from datasets.battery._shares.words import unit_words
from datasets.battery._wording.words import nameable
from datasets.charts import Point, line_chart
from datasets.errors import DatasetError
from datasets.evidence import Candidate, Claim, ClaimValue
from datasets.measures import where
from datasets.sql import ident, literal
from datasets.view import AnalysisView

_FEWEST_PERIODS = 6
_FAR_RATIO = 2.0


def leading_throughout(view: AnalysisView, params: ShareParams, counts: Counts) -> Candidate | None:
    """Say that one segment leads in each complete period; None where it does not, or no time column tells."""
    name, listed = view.card.time_column, counts.segments.listed
    lead = listed[0]
    if name is None or counts.cluster > 1 or params.metric.measure.kind != "rows" or not nameable(lead.key):
        return None
    if name == params.dimension or int(lead.value) < _FAR_RATIO * int(listed[1].value):
        return None
    try:
        laid = calendar(view, name, window=params.window)
    except DatasetError:
        return None
    column = ident(params.dimension)
    scope = where(params.filters, params.window, f"{column} IS NOT NULL", f"{ident(name)} IS NOT NULL")
    is_lead = f"g = {literal(lead.key)}"
    sql = (
        f"WITH c AS (SELECT {laid.bucket} AS period, {column} AS g, count(*) AS n FROM analysis{scope} GROUP BY ALL) "
        f"SELECT period, coalesce(max(n) FILTER (WHERE {is_lead}), 0) AS lead, "
        f"coalesce(max(n) FILTER (WHERE NOT {is_lead}), 0) AS next FROM c GROUP BY period ORDER BY period"
    )
    found = {moment_of(r[0]): (int(r[1]), int(r[2])) for r in view.query(sql).rows}
    periods = [p for p in laid.periods if p.start in found]
    complete = [(p, *found[p.start]) for p in periods if p.complete]
    all_there = len(complete) == sum(p.complete for p in laid.periods)
    if len(complete) < _FEWEST_PERIODS or not all_there or not all(first > second for _, first, second in complete):
        return None
    held = [first for _, first, _ in complete]
    span = f"{min(held):,} to {max(held):,}" if min(held) < max(held) else f"{held[0]:,}"
    statement = (
        f"{lead.name} leads in every {laid.grain}{params.scope}: in each of the {len(complete)} complete ones from "
        f"{complete[0][0].label} to {complete[-1][0].label} it has more {unit_words(params)} than any other "
        f"{params.dimension} ({span} a {laid.grain})."
    )
    points = [Point(p.start.isoformat(), float(found[p.start][0]), lead.name, p.complete) for p in periods]
    points += [Point(p.start.isoformat(), float(found[p.start][1]), "largest other", p.complete) for p in periods]
    return Candidate(
        claim=Claim(
            subject=params.subject("share").model_copy(update={"period": f"in every {laid.grain}"}),
            value=ClaimValue(number=1.0, unit="share", text=lead.name, direction="higher"),
        ),
        statement=statement,
        n=sum(first + second for _, first, second in complete),
        interest_0_1=0.45,
        chart=line_chart(
            points,
            title=f"{lead.name} against the largest other {params.dimension}{params.scope}",
            x_title=name,
            y_title=params.metric.words,
            style="count",
        ),
        table=[{"period": p.label, lead.name: first, "largest other": second} for p, first, second in complete[-50:]],
        sql=[sql],
    )
