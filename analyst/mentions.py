"""A place in a question that stands for a column or for a value of one."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from datasets.schema import SchemaCard

How = Literal["quoted", "name", "words", "fuzzy", "value"]
_RIVAL_GAP = 0.25


@dataclass(frozen=True)
class Mention:
    """A place in the question that stands for a column, or for a value of it. `columns`: candidates, best first."""

    start: int
    end: int
    text: str
    columns: tuple[tuple[str, float], ...]
    how: How
    value: str | None = None

    @property
    def column(self) -> str:
        """The best candidate."""
        return self.columns[0][0]

    @property
    def score(self) -> float:
        """How sure the best candidate is, 0..1."""
        return self.columns[0][1]

    def overlaps(self, other: "Mention") -> bool:
        """Whether both stand on common ground in the text."""
        return self.start < other.end and other.start < self.end

    def best(self, card: SchemaCard, roles: Collection[str]) -> str | None:
        """The first candidate with one of the roles that is not much worse than the best one."""
        for name, score in self.columns:
            if score >= self.score - _RIVAL_GAP and card.column(name).role in roles:
                return name
        return None
