"""What changed between two states: of the whole, or of each group and which of them moved most."""

from datasets.battery._answers.params import AnswerParams
from datasets.battery._rows.numeric import metric_sql
from datasets.battery._wording.phrases import is_share, scope_text
from datasets.battery._wording.words import figure, listed_and, name_text, rows_text, value_of
from datasets.charts import Bar, bar_chart
from datasets.errors import DatasetError
from datasets.evidence import Candidate, Claim, Direction
from datasets.measures import Filter, Metric, Window, where
from datasets.plain import number_text, plain
from datasets.sql import ident
from datasets.view import AnalysisView

_SHOWN = 50
_FOLLOW = 3
State = Filter | Window


def answer_difference(
    view: AnalysisView, metric: Metric, params: AnswerParams, before: State, after: State
) -> Candidate:
    """Measure a metric in both states and subtract; with `by`, rank the groups by their differences.

    `order` says which groups come first: "asc" those that fell most, "desc" those that rose most, None those that moved
    most either way. Groups without a value in both states are left out and counted.

    :raises DatasetError: when there is no value in one of the states.
    """
    columns = [view.card.column(c).name for c in params.by]
    for state in (before, after):
        view.card.column(state.column)
    sql = _sql(view, metric, params, columns, before, after)
    rows = view.query(sql).rows
    k = len(columns)
    lost = sum(1 for r in rows if r[k] is None or r[k + 1] is None)
    rows = [r for r in rows if r[k] is not None and r[k + 1] is not None]
    if not rows:
        scope = scope_text(params.filters, params.window)
        raise DatasetError(f"the {metric.words}{scope} has no value both where {before.words} and where {after.words}")
    names = [" / ".join(name_text(view.card, c, v) for c, v in zip(columns, r[:k], strict=True)) for r in rows]
    moves = [float(r[k + 1]) - float(r[k]) for r in rows]
    direction: Direction = "up" if moves[0] > 0 else "down" if moves[0] < 0 else "none"
    told = [_told(view, metric, r[k], r[k + 1]) for r in rows]
    scope = scope_text(params.filters, params.window)
    span = f"from {_state(before)} to {_state(after)}"
    what = f"the {metric.words}{scope}"
    if not columns:
        statement = f"{what[:1].upper()}{what[1:]} {_verb(moves[0])} {span}: {told[0]}."
    else:
        statement = _ranked(what, span, names, told, moves, params)
    return Candidate(
        claim=Claim(
            subject=params.subject("period_change", metric.key, dimension=", ".join(columns) or None),
            value=value_of(metric, view.card, moves[0], text=names[0] or None, direction=direction),
        ),
        statement=statement,
        n=sum(int(r[k + 2]) for r in rows),
        interest_0_1=0.6,
        chart=bar_chart(
            [Bar(n, m) for n, m in zip(names[:_SHOWN], moves[:_SHOWN], strict=True)],
            title=f"Change of the {metric.words} {span}",
            value_title=f"change of the {metric.words}",
            name_title=" and ".join(columns),
            highlight=[names[0]],
            ordered=True,
        )
        if columns
        else None,
        table=[
            {
                **{c: plain(v) for c, v in zip(columns, r[:k], strict=True)},
                _state(before): plain(r[k]),
                _state(after): plain(r[k + 1]),
                "change": plain(move),
            }
            for r, move in zip(rows[:_SHOWN], moves[:_SHOWN], strict=True)
        ],
        sql=[sql],
        caveats=[f"{lost:,} of {' and '.join(columns)} without a value in both left out"] if lost and columns else [],
    )


def _sql(
    view: AnalysisView, metric: Metric, params: AnswerParams, columns: list[str], before: State, after: State
) -> str:
    aggregate = metric_sql(view.card, metric)
    keys = "".join(f"{ident(c)} AS g{i}, " for i, c in enumerate(columns, start=1))
    parts = f"{aggregate} FILTER (WHERE {before.sql}) AS before, {aggregate} FILTER (WHERE {after.sql}) AS after"
    present = [f"{ident(c)} IS NOT NULL" for c in columns]
    either = f"(({before.sql}) OR ({after.sql}))"
    scope = where(params.filters, params.window, either, *present)
    group = f" GROUP BY {', '.join(f'g{i}' for i in range(1, len(columns) + 1))}" if columns else ""
    order = {"asc": "after - before ASC", "desc": "after - before DESC"}.get(
        params.order or "", "abs(after - before) DESC"
    )
    return (
        f"SELECT * FROM (SELECT {keys}{parts}, count(*) AS n FROM analysis{scope}{group}) ORDER BY {order} NULLS LAST"
    )


def _state(state: State) -> str:
    """ "1952" for a year, "Q1 2024" for a window."""
    if isinstance(state, Filter) and state.op == "eq":
        return str(state.values[0])
    return state.words


def _verb(move: float) -> str:
    return "rises" if move > 0 else "falls" if move < 0 else "stays the same"


def _told(view: AnalysisView, metric: Metric, before: float, after: float) -> str:
    """ "39.14 to 54.81 (+15.67, +40%)" """
    move = float(after) - float(before)
    change = number_text(100 * move, unit="percentage points") if is_share(metric) else figure(metric, view.card, move)
    sign = "+" if move > 0 else ""
    relative = f", {100 * move / abs(float(before)):+.3g}%" if before and not is_share(metric) else ""
    return f"{figure(metric, view.card, before)} to {figure(metric, view.card, after)} ({sign}{change}{relative})"


def _ranked(what: str, span: str, names: list[str], told: list[str], moves: list[float], params: AnswerParams) -> str:
    """Who moved most, who follows; where nobody moved that way, that nobody did."""
    wrong = (params.order == "asc" and moves[0] >= 0) or (params.order == "desc" and moves[0] <= 0)
    noun = " and ".join(params.by)
    if wrong:
        verb = "falls" if params.order == "asc" else "rises"
        return f"No {noun} {verb} {span} in {what}; {names[0]} comes nearest: {told[0]}."
    verb = {"asc": "falls", "desc": "rises"}.get(params.order or "", "changes")
    follow = (params.top or 1) - 1 or _FOLLOW
    rest = [f"{n} ({t})" for n, t in zip(names[1 : 1 + follow], told[1 : 1 + follow], strict=True)]
    tail = f", followed by {listed_and(rest)}" if rest else ""
    return f"{names[0]} {verb} most in {what} {span}: {told[0]}{tail}; {rows_text(len(names), 'group')} compared."
