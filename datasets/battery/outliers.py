"""Step kind `outliers`: values, or groups, far from the others."""

from datasets.battery._kind import StepKind, measured
from datasets.battery._outliers.groups import outlying_groups
from datasets.battery._outliers.params import OutlierParams
from datasets.battery._outliers.rows import outlying_rows
from datasets.battery._outliers.within import outlying_within
from datasets.evidence import StepResult, Subject
from datasets.view import AnalysisView


def _run(params: OutlierParams, view: AnalysisView) -> StepResult:
    if params.metric is not None and params.by is not None:
        return measured([outlying_groups(view, params, params.metric, params.by)])
    assert params.measure is not None
    if params.by is not None:
        # Of "outliers for each group" people expect either reading: within the groups, and over all rows.
        overall = params.model_copy(update={"by": None})
        return measured(
            [outlying_within(view, params, params.measure, params.by), outlying_rows(view, overall, params.measure)]
        )
    return measured([outlying_rows(view, params, params.measure)])


def _confirm(params: OutlierParams, view: AnalysisView, subject: Subject) -> StepResult:
    if params.measure is None or params.by is not None:
        return _run(params, view)
    return measured([outlying_rows(view, params, params.measure, briefly=True)])


KIND = StepKind("outliers", OutlierParams, _run, "values far from the others, and groups that stand out", _confirm)
