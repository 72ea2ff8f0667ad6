"""Step kind `share`: how a count or a total is spread over the values of a column."""

from datasets.battery._kind import StepKind, measured
from datasets.battery._shares.counts import share_counts
from datasets.battery._shares.params import ShareParams, segments_of
from datasets.battery._shares.sums import share_sums
from datasets.battery._shares.within import share_within
from datasets.errors import DatasetError
from datasets.evidence import StepResult
from datasets.view import AnalysisView


def _run(params: ShareParams, view: AnalysisView) -> StepResult:
    if not params.metric.additive:
        raise DatasetError(f"{params.metric.words} does not add up; compare it by {params.dimension} instead")
    if params.within is not None:
        candidates, tests = share_within(view, params, params.within)
        return measured(candidates, p_values=tests)
    segments = segments_of(view, params)
    if params.metric.aggregate == "sum":
        return measured([share_sums(view, params, segments)])
    candidates, tests = share_counts(view, params, segments)
    return measured(candidates, p_values=tests)


KIND = StepKind("share", ShareParams, _run, "who has most of a count or total, evenness, concentration, cell drivers")
