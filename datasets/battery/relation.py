"""Whether two measures or two columns of categories are related, or which of many columns are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from datasets.battery import compare
from datasets.battery._kind import StepKind, StepParams, measured
from datasets.battery._relations.association import association_candidate
from datasets.battery._relations.findings import relation_candidate
from datasets.battery._relations.line import with_line
from datasets.battery._relations.numbers import Pair, axis_of, correlate, is_time
from datasets.battery._relations.screen import measures_of
from datasets.battery._relations.screen_findings import SHOWN_PAIRS, screen_candidates
from datasets.battery._relations.within import within_candidate
from datasets.battery._rows.numeric import numeric_sql
from datasets.errors import DatasetError
from datasets.evidence import StepResult, Subject
from datasets.measures import Filter, Measure, Metric, Window

if TYPE_CHECKING:
    from datasets.view import AnalysisView

_FEW_VALUES = 50


class RelationParams(StepParams):
    """Parameters of a relation step.

    x and y: two measures; a column of text counts as a category. Only x with `screen`: x against many columns. Neither,
    with `screen`: every pair of numeric columns.
    """

    x: Measure | None = None
    y: Measure | None = None
    screen: bool = False
    columns: tuple[str, ...] = Field(default=(), description="columns to screen; empty: every numeric measure")
    within: str | None = Field(default=None, description="dimension whose groups are correlated one by one, too")
    method: Literal["auto", "pearson", "spearman"] = "auto"
    line: bool = Field(default=False, description="also the least-squares line of y over x, in the order given")
    alpha: float = Field(default=0.05, gt=0, lt=1)
    filters: tuple[Filter, ...] = ()
    window: Window | None = None


def run(params: RelationParams, view: AnalysisView, *, briefly: bool = False) -> StepResult:
    """Relate two measures, or screen many columns. `briefly`: read nothing that only the wording needs."""
    if params.screen or (params.x is None and params.y is None):
        return _screen(params, view)
    if params.x is None or params.y is None:
        raise DatasetError("a relation needs two measures; with one of them, ask for a screen")
    if params.x.key == params.y.key:
        raise DatasetError(f"{params.x.words} cannot be related to itself")
    categories = [m for m in (params.x, params.y) if _is_category(view, m)]
    if len(categories) == 2:
        candidate, p_values = association_candidate(
            view, params.x.columns[0], params.y.columns[0], params.filters, params.window, params.alpha
        )
        return measured([candidate], p_values=p_values)
    if categories:
        return _compare(params, categories[0], view, briefly=briefly)
    return _numbers(params, params.x, params.y, view, briefly=briefly)


def _numbers(params: RelationParams, x: Measure, y: Measure, view: AnalysisView, *, briefly: bool) -> StepResult:
    """The outcome, a duration where one of the two is one, is y; a date is x."""
    if (_is_cause(view, y) and not _is_cause(view, x)) or (x.kind == "duration" and y.kind != "duration"):
        x, y = y, x
    pair = Pair(axis_of(view, x), axis_of(view, y), params.filters, params.window)
    found = correlate(view, pair)
    candidate, p_values = relation_candidate(
        view, pair, found, method=params.method, alpha=params.alpha, briefly=briefly
    )
    if params.line:
        candidate = with_line(view, candidate, params.x or x, params.y or y, params.filters, params.window)
    candidates = [candidate]
    if params.within is not None:
        view.card.column(params.within)
        groups, more = within_candidate(view, pair, found, params.within, params.alpha)
        candidates += [groups] if groups is not None else []
        p_values += more
    return measured(candidates, p_values=p_values)


def _confirm(params: RelationParams, view: AnalysisView, subject: Subject) -> StepResult:
    """Only the relation that the claim is about, without what is read for wording alone."""
    within = params.within if subject.dimension == params.within else None
    if params.screen or (params.x is None and params.y is None):
        if subject.relation == "correlation":
            return _screened_pair(params, view, subject)
        return _screen(params, view, pairs=0)
    return run(params.model_copy(update={"within": within}), view, briefly=True)


def _screened_pair(params: RelationParams, view: AnalysisView, subject: Subject) -> StepResult:
    """One of the pairs that a screen found, as a pair of its own."""
    known = {m.key: m for m in measures_of(view, params.columns)} | {m.key: m for m in (params.x, params.y) if m}
    keys = [k for k in (subject.column, subject.against) if k in known]
    if len(keys) < 2:
        return _screen(params, view)
    pair = {"x": known[keys[0]], "y": known[keys[1]], "screen": False, "columns": (), "method": "pearson"}
    return run(params.model_copy(update=pair), view, briefly=True)


def _compare(params: RelationParams, category: Measure, view: AnalysisView, *, briefly: bool) -> StepResult:
    """A category and a number: the average of the number in each group."""
    number = params.y if params.x is category else params.x
    assert number is not None
    return compare.run(
        compare.CompareParams(
            metric=Metric(aggregate="mean", measure=number),
            dimension=category.columns[0],
            filters=params.filters,
            window=params.window,
        ),
        view,
        briefly=briefly,
    )


def _screen(params: RelationParams, view: AnalysisView, *, pairs: int = SHOWN_PAIRS) -> StepResult:
    target = params.x or params.y
    if target is None:
        measures = measures_of(view, params.columns)
    else:
        measures = [target, *measures_of(view, params.columns, skip=target.columns)]
    if len(measures) < 2:
        raise DatasetError("fewer than two numeric columns, so there are no pairs to relate")
    candidates, p_values = screen_candidates(
        view,
        measures,
        target=target is not None,
        filters=params.filters,
        window=params.window,
        alpha=params.alpha,
        pairs=pairs,
    )
    return measured(candidates, p_values=p_values)


def _is_category(view: AnalysisView, measure: Measure) -> bool:
    """Whether a measure is a column that is no date and cannot be read as numbers; yes and no are categories, too."""
    if measure.kind != "column":
        return False
    column = view.card.column(measure.columns[0])
    if column.numeric or column.temporal or column.role == "empty":
        return False
    if column.sql_type == "BOOLEAN":
        return True
    try:
        numeric_sql(view.card, measure)
    except DatasetError:
        return True
    return False


def _is_cause(view: AnalysisView, measure: Measure) -> bool:
    """Whether a measure is a time, which is never the outcome."""
    return measure.kind == "column" and is_time(view.card.column(measure.columns[0]))


KIND = StepKind(
    "relation", RelationParams, run, "whether columns are related: a pair, per group, or a screen of many", _confirm
)
