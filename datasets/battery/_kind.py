"""What a step kind is: parameters, a run, and one line that says what it does.

A module of this package with a module-level `KIND: StepKind` is a step kind; nothing else has to be edited.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, field_validator

from datasets.evidence import Candidate, StepResult, Subject
from datasets.view import AnalysisView


class StepParams(BaseModel):
    """Base of every parameter model: frozen, unknown keys refused, filters in canonical order.

    Defaults are left out of the signature, so a new parameter with a default changes no stored signature.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    @field_validator("filters", mode="after", check_fields=False)
    @classmethod
    def _sorted_filters(cls, value: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(sorted(value, key=lambda item: str(item.key)))


P = TypeVar("P", bound=StepParams)


@dataclass(frozen=True)
class StepKind(Generic[P]):
    """One kind of step.

    `run` reads only `FROM analysis` through the view, raises DatasetError when nothing can be measured, and returns
    `measured(...)`; the runner fills in kind, signature, cost and time.
    """

    name: str
    params: type[P]
    run: Callable[[P, AnalysisView], StepResult]
    does: str
    confirm: Callable[[P, AnalysisView, Subject], StepResult] | None = None
    """The leaner run of a revalidation: only what the one claim about this subject needs. None: the whole run."""


def measured(
    candidates: Iterable[Candidate], *, p_values: Iterable[float] = (), skipped: str | None = None
) -> StepResult:
    """Build the result of a run. `p_values`: of every test performed, shown or not (the family for the correction)."""
    tests = [float(p) for p in p_values]
    return StepResult(
        kind="", signature="", candidates=list(candidates), tests_run=len(tests), raw_p_values=tests, skipped=skipped
    )
