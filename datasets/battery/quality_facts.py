"""Step kind `quality_facts`: missing values, repeated rows, keys, constants and types, as they are asked for."""

from datasets.battery._kind import StepKind, measured
from datasets.battery._qualities.constant import constant_columns
from datasets.battery._qualities.missing import missing_values
from datasets.battery._qualities.params import QualityParams
from datasets.battery._qualities.rows import key_checks, repeated_rows
from datasets.battery._wording.words import listed_and
from datasets.errors import DatasetError
from datasets.evidence import Candidate, Claim, ClaimValue, StepResult, Subject
from datasets.view import AnalysisView

_KINDS = {"time": "date or time", "boolean": "yes or no", "text": "free text"}
_MOST_LISTED = 40


def _run(params: QualityParams, view: AnalysisView) -> StepResult:
    """Quality is a property of the file, so it is measured on the file as loaded, whatever the view leaves out."""
    with view.as_loaded() as file:
        result = _measure(params, file)
    if not view.applied:
        return result
    caveat = "counted on the file as loaded, before anything is left out"
    return result.model_copy(
        update={
            "candidates": [c.model_copy(update={"caveats": [*c.caveats, caveat]}) for c in result.candidates],
        }
    )


def _measure(params: QualityParams, view: AnalysisView) -> StepResult:
    params.asked(view)
    if params.what == "types":
        return measured([_types(view, params)])
    if view.rows == 0:
        names = ", ".join(c.name for c in view.card.columns[:20])
        raise DatasetError(f"there are no rows (columns: {names})")
    found: list[Candidate] = []
    if params.what in {"missing", "all"}:
        found += missing_values(view, params)
    if params.what == "duplicates" or (params.what == "all" and not params.columns and view.rows > 1):
        found += repeated_rows(view, params)
    if params.what == "keys" or (params.what == "all" and view.rows > 1):
        found += key_checks(view, params)
    if params.what in {"constants", "all"}:
        found += constant_columns(view, params)
    if not found:
        raise DatasetError("no column is called like a key; name the columns that should be one")
    return measured(found)


def _types(view: AnalysisView, params: QualityParams) -> Candidate:
    columns = params.asked(view) or list(view.card.columns)
    said = [f"{c.name} {_KINDS.get(c.role, 'number' if c.numeric else 'text')} ({c.sql_type})" for c in columns]
    more = f" and {len(said) - _MOST_LISTED} more" if len(said) > _MOST_LISTED else ""
    return Candidate(
        claim=Claim(
            subject=Subject(relation="quality", metric="types", column=", ".join(params.columns) or None),
            value=ClaimValue(text=", ".join(f"{c.name} {c.sql_type}" for c in columns[:_MOST_LISTED])),
        ),
        statement=f"The columns hold: {', '.join(said[:_MOST_LISTED]) + more if more else listed_and(said)}.",
        n=view.rows,
        interest_0_1=0.2,
        table=[
            {"column": c.name, "type": c.sql_type, "role": c.role, "distinct": c.distinct, "unit": c.unit}
            for c in columns[:50]
        ],
    )


KIND = StepKind("quality_facts", QualityParams, _run, "missing values, repeated rows, keys, constant columns, types")
