"""A metric along a numeric column that stands for time, such as a year: from the first to the last of its values."""

from itertools import pairwise

from datasets.battery._answers.params import AnswerParams
from datasets.battery._rows.source import source_of
from datasets.battery._wording.phrases import is_share, scope_text
from datasets.battery._wording.words import figure, name_text, value_of
from datasets.charts import Point, line_chart
from datasets.errors import DatasetError
from datasets.evidence import Candidate, Claim, Direction
from datasets.measures import Metric
from datasets.plain import plain
from datasets.sql import ident
from datasets.view import AnalysisView

_LISTED = 16
_MOST_SERIES = 6


def answer_along(view: AnalysisView, metric: Metric, params: AnswerParams, along: str) -> Candidate:
    """Measure a metric at each value of `along`, for each value of at most one `by` column, and say how it moves.

    :raises DatasetError: when fewer than two of its values have one.
    """
    name = view.card.column(along).name
    by = [view.card.column(c).name for c in params.by[:1]]
    source = source_of(
        view, metric, filters=params.filters, window=params.window, groups=[ident(c) for c in (*by, name)]
    )
    sql = (
        f"SELECT {', '.join(source.groups)}, {source.aggregate} AS value, count({source.row}) AS n "
        f"{source.from_where} GROUP BY ALL ORDER BY ALL"
    )
    found = [r for r in view.query(sql).rows if r[-2] is not None]
    series: dict[str, list[tuple[object, float, int]]] = {}
    for row in found:
        segment = name_text(view.card, by[0], row[0]) if by else ""
        series.setdefault(segment, []).append((row[-3], row[-2], int(row[-1])))
    largest = sorted(series, key=lambda s: -sum(n for _, _, n in series[s]))[:_MOST_SERIES]
    if not largest or len(series[largest[0]]) < 2:
        raise DatasetError(f"fewer than two values of {name} have a {metric.words}")
    scope = scope_text(params.filters, params.window)
    said = [_moves(view, metric, series[s], s, name, scope) for s in largest]
    first = series[largest[0]]
    if not by and len(first) <= _LISTED:
        said.append(f"By {name}: {', '.join(f'{at} {figure(metric, view.card, v)}' for at, v, _ in first)}.")
    return Candidate(
        claim=Claim(
            subject=params.subject("trend", metric.key, dimension=", ".join([name, *by])),
            value=value_of(metric, view.card, first[-1][1] - first[0][1], direction=_direction(first)),
        ),
        statement=" ".join(said),
        n=sum(n for points in series.values() for _, _, n in points),
        interest_0_1=0.6,
        chart=line_chart(
            [
                Point(f"{int(str(at)):04d}-01-01", float(v), s or None, True)
                for s in largest
                for at, v, _ in series[s]
                if str(at).isdigit()
            ],
            title=f"{metric.words} by {name}{scope}",
            x_title=name,
            y_title=metric.words,
            style="percent" if is_share(metric) else "number",
            zero=metric.additive,
        ),
        table=[{**({by[0]: s} if by else {}), name: plain(at), metric.words: plain(v), "n": n}
               for s in largest for at, v, n in series[s]][:200],
        sql=[sql],
    )  # fmt: skip


def _direction(points: list[tuple[object, float, int]]) -> Direction:
    move = points[-1][1] - points[0][1]
    return "up" if move > 0 else "down" if move < 0 else "none"


def _moves(
    view: AnalysisView, metric: Metric, points: list[tuple[object, float, int]], segment: str, along: str, scope: str
) -> str:
    """From the first to the last, and whether every step goes the same way."""
    (start, low, _), (end, high, _) = points[0], points[-1]
    steps = [b[1] - a[1] for a, b in pairwise(points)]
    verb = {"up": "rises", "down": "falls"}.get(_direction(points), "is the same at both ends")
    same = all(s > 0 for s in steps) or all(s < 0 for s in steps)
    how = "" if len(points) < 3 else " with every step" if same else ", though not with every step"
    lead = f"{segment}: the" if segment else "The"
    relative = f", {100 * (float(high) - float(low)) / abs(float(low)):+.3g}%" if low else ""
    figures = f"{figure(metric, view.card, low)} in {start} to {figure(metric, view.card, high)} in {end}"
    return f"{lead} {metric.words}{scope} {verb} along {along}{how}: {figures}{relative}."
