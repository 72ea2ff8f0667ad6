"""What free text is about: which words most rows mention, one name that stands out, words that go with a metric."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from datasets.battery._kind import StepKind, StepParams, measured
from datasets.battery._rows.numeric import numeric_sql
from datasets.battery._terms.effect import effect_of_terms
from datasets.battery._terms.frequent import frequent_terms
from datasets.battery._terms.words import text_column
from datasets.battery._wording.phrases import is_share
from datasets.errors import DatasetError
from datasets.evidence import StepResult
from datasets.measures import Filter, Metric, Window

if TYPE_CHECKING:
    from datasets.view import AnalysisView


class TermsParams(StepParams):
    """Parameters of a terms step."""

    column: str | None = Field(default=None, description="a text column; None: the one with the longest texts")
    metric: Metric | None = Field(
        default=None, description="a mean or share: which words go with higher or lower values; None: frequent words"
    )
    filters: tuple[Filter, ...] = ()
    window: Window | None = None


def run(params: TermsParams, view: AnalysisView) -> StepResult:
    """Count rows by the words that they mention, each word once per row.

    :raises DatasetError: where no column holds free text, or the metric is neither a mean nor a share.
    """
    column = text_column(view.card, params.column)
    if params.metric is None:
        return measured(frequent_terms(view, column, params.filters, params.window))
    if params.metric.aggregate != "mean" and not is_share(params.metric):
        raise DatasetError(f"words are compared by means and shares, not by the {params.metric.words}")
    reading = numeric_sql(view.card, params.metric.measure)
    return effect_of_terms(view, column, params.metric, reading.sql, params.filters, params.window)


KIND = StepKind("terms", TermsParams, run, "frequent words of free text, and words that go with a metric")
