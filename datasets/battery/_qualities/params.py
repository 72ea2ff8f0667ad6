"""What a quality step is told."""

from typing import Literal

from datasets.battery._kind import StepParams
from datasets.evidence import Subject
from datasets.schema import Column
from datasets.view import AnalysisView

Facet = Literal["missing", "duplicates", "keys", "constant"]


class QualityParams(StepParams):
    """Which facts about the state of the data: of all columns, or of those named."""

    columns: tuple[str, ...] = ()
    what: Literal["missing", "duplicates", "keys", "constants", "types", "all"] = "all"

    def asked(self, view: AnalysisView) -> list[Column]:
        """The named columns.

        :raises DatasetError: when one of them does not exist.
        """
        return [view.card.column(name) for name in self.columns]

    def subject(self, facet: Facet, column: str | None) -> Subject:
        """Return the identity of a claim."""
        return Subject(relation="quality", metric=facet, column=column)
