"""Step kind `answer`: exact values, as the question asks for them."""

from datasets.battery._answers.along import answer_along
from datasets.battery._answers.differences import answer_difference
from datasets.battery._answers.extreme import answer_extreme
from datasets.battery._answers.groups import answer_groups
from datasets.battery._answers.params import AnswerParams
from datasets.battery._answers.periods import answer_periods
from datasets.battery._answers.value import answer_value
from datasets.battery._kind import StepKind, measured
from datasets.battery._wording.phrases import capital
from datasets.errors import DatasetError
from datasets.evidence import Candidate, StepResult
from datasets.view import AnalysisView


def _run(params: AnswerParams, view: AnalysisView) -> StepResult:
    if view.rows == 0:
        names = ", ".join(c.name for c in view.card.columns[:20])
        raise DatasetError(f"there are no rows (columns: {names})")
    if params.extreme_rows:
        return measured([answer_extreme(view, params)])
    answered: list[Candidate] = []
    refused: list[str] = []
    for metric in params.metrics:
        try:
            if params.before and params.after:
                answered.append(answer_difference(view, metric, params, params.before, params.after))
            elif params.along:
                answered.append(answer_along(view, metric, params, params.along))
            elif params.grain:
                answered.append(answer_periods(view, metric, params))
            elif params.by:
                answered.append(answer_groups(view, metric, params))
            else:
                answered.append(answer_value(view, metric, params))
        except DatasetError as error:
            refused.append(str(error))
    if refused and not answered:
        raise DatasetError("; ".join(dict.fromkeys(refused)))
    if refused:
        said = " ".join(f"{capital(reason)}." for reason in dict.fromkeys(refused))
        answered[0] = answered[0].model_copy(update={"statement": f"{answered[0].statement} {said}"})
    return measured(answered)


KIND = StepKind("answer", AnswerParams, _run, "exact values of the whole, of groups, of periods, or extreme rows")
