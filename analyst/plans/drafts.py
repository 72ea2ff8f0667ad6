"""A step before it is validated: what planning proposes, with its weight and its reason."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from datasets import battery
from datasets.errors import DatasetError
from datasets.measures import Filter, Measure, Metric
from datasets.steps import Step


@dataclass(frozen=True)
class Draft:
    """A proposed step. `about` says in a person's words what it measures; `weight` orders the exploration."""

    kind: str
    params: dict[str, Any]
    about: str
    weight: float = 1.0
    stated: bool = False
    builds_on: str | None = None

    def within(self, *, weight: float, builds_on: str | None = None) -> "Draft":
        """The same proposal with another weight, and the prior finding it starts from."""
        return replace(self, weight=self.weight * weight, builds_on=builds_on or self.builds_on)

    def step(self) -> Step:
        """Validate it.

        :raises DatasetError: when the kind is unknown or the parameters do not fit it.
        """
        return battery.make_step(
            self.kind, self.params, reason=self.about, stated=self.stated, builds_on=self.builds_on
        )


def steps_of(drafts: Sequence[Draft]) -> tuple[list[tuple[Draft, Step]], list[dict[str, str]]]:
    """Validate drafts in order; one step for each signature, and the reasons of those that do not stand."""
    kept: list[tuple[Draft, Step]] = []
    refused: list[dict[str, str]] = []
    seen: set[str] = set()
    for draft in drafts:
        try:
            step = draft.step()
        except DatasetError as error:
            if draft.stated:
                refused.append({"what": draft.about, "reason": str(error), "stated": "yes"})
            continue
        if step.signature not in seen:
            seen.add(step.signature)
            kept.append((draft, step))
    return kept, refused


def dumped(value: Metric | Measure | Filter) -> dict[str, Any]:
    """JSON form of a measure, metric or filter without its defaults."""
    return value.model_dump(mode="json", exclude_defaults=True)


def within_words(filters: Sequence[Filter]) -> str:
    """ " where category is Hardware", or nothing."""
    return f" where {' and '.join(f.words for f in filters)}" if filters else ""
