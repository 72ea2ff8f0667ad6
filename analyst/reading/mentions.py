"""A place in a question that stands for a column or for a value of one."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from analyst.reading.words import lemma, likeness, name_words
from datasets.schema import SchemaCard

How = Literal["quoted", "name", "words", "fuzzy", "value"]
_KEY_WORDS = frozenset({"id", "ids", "no", "nr", "number", "code", "key", "ref", "uuid", "guid"})
_KEY_GAP = 0.15
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

    def entity(self, card: SchemaCard) -> str | None:
        """The column that identifies what a plural stands for: "orders" for order_id, though order_total is as near."""
        words = name_words(self.text)
        if not words or lemma(words[-1]) == words[-1] or self.how == "value":
            return None
        for name, score in self.columns:
            rest = [w for w in name_words(name) if not any(likeness(a, w) >= 0.9 for a in words)]
            key = bool(rest) and all(w in _KEY_WORDS for w in rest)
            if score >= self.score - _KEY_GAP and (key or (not rest and card.column(name).role == "identifier")):
                return name
        return None

    def best(self, card: SchemaCard, roles: Collection[str]) -> str | None:
        """The first candidate with one of the roles that is not much worse than the best one."""
        for name, score in self.columns:
            if score >= self.score - _RIVAL_GAP and card.column(name).role in roles:
                return name
        return None
