"""What a clause is read against, and what was read of it."""

import re
from dataclasses import dataclass, field
from datetime import date

from analyst.reading.aggregates import AggregateWord
from analyst.reading.features import Feature
from analyst.reading.matching import Matcher
from analyst.reading.mentions import Mention
from analyst.reading.transforms import Changed
from analyst.times.periods import Periods
from datasets.measures import Filter, Grain, Measure
from datasets.schema import SchemaCard

SURE = 0.85
_LABEL = re.compile(r"(?<!\w)'[^'\n]{1,40}'(?!\w)|\"[^\"\n]{1,40}\"")


@dataclass(frozen=True)
class Scene:
    """What holds for all clauses of a question."""

    matcher: Matcher
    features: tuple[Feature, ...] = ()
    changes: tuple[Changed, ...] = ()
    newest: date | None = None
    named: frozenset[str] = frozenset()

    @property
    def card(self) -> SchemaCard:
        """The schema card."""
        return self.matcher.card


@dataclass
class Slots:
    """The parts of a clause. Mentions appear in one list only, in order of the text.

    `by_row`: "per order" is said of rows. `limits`: where each condition stands, and the column that it is on.
    `opposed`: yes/no columns that were named by the word for their other side.
    """

    text: str
    aggregates: list[AggregateWord] = field(default_factory=list)
    subjects: list[Mention] = field(default_factory=list)
    groups: list[Mention] = field(default_factory=list)
    measures: list[tuple[int, Measure]] = field(default_factory=list)
    others: list[Mention] = field(default_factory=list)
    sides: list[Mention] = field(default_factory=list)
    filters: list[Filter] = field(default_factory=list)
    contrasted: str | None = None
    periods: Periods = field(default_factory=Periods)
    grain: Grain | None = None
    ranges: tuple[tuple[str, Filter], ...] = ()
    taken: list[tuple[int, int]] = field(default_factory=list)
    mentions: tuple[Mention, ...] = ()
    by_row: bool = False
    limits: list[tuple[int, int, str]] = field(default_factory=list)
    opposed: list[str] = field(default_factory=list)

    @property
    def wording(self) -> str:
        """The text with the names of columns and values crossed out: what is left tells the kind of question."""
        text = self.text
        for mention in self.mentions:
            if mention.how in {"quoted", "name", "value"} or mention.score >= SURE:
                text = text[: mention.start] + "_" * (mention.end - mention.start) + text[mention.end :]
        return _LABEL.sub(lambda m: "_" * len(m.group()), text)
