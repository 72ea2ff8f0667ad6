"""What a share step is told, and the groups that it looks at."""

from dataclasses import dataclass
from typing import Any

from pydantic import Field

from datasets.battery._kind import StepParams
from datasets.battery._rows.source import source_of
from datasets.battery._wording.phrases import filters_key, scope_text
from datasets.battery._wording.words import name_text
from datasets.errors import DatasetError
from datasets.evidence import Relation, Subject
from datasets.measures import Filter, Metric, Window
from datasets.plain import plain
from datasets.sql import ident
from datasets.view import AnalysisView

_MOST_GROUPS = 5_000


class ShareParams(StepParams):
    """How a count or a total is spread over the values of a column."""

    metric: Metric = Field(default=Metric(), description="a count or a sum")
    dimension: str
    filters: tuple[Filter, ...] = ()
    window: Window | None = None
    within: str | None = Field(default=None, description="second column: which of its values each group is rich in")

    def subject(self, relation: Relation, *, segment: str | None = None, against: str | None = None) -> Subject:
        """Return the identity of a claim of this step."""
        return Subject(
            relation=relation,
            metric=self.metric.key,
            dimension=self.dimension,
            segment=segment,
            against=against,
            period=self.window.key if self.window else None,
            filters=filters_key(self.filters),
        )

    @property
    def scope(self) -> str:
        """The filters in words, with a leading space."""
        return scope_text(self.filters, self.window)


@dataclass(frozen=True)
class Segment:
    """One value of the dimension with its count or total; `n` rows."""

    name: str
    key: Any
    value: Any
    n: int


@dataclass(frozen=True)
class Segments:
    """All values of the dimension, the largest first; `missing` rows have none."""

    listed: tuple[Segment, ...]
    missing: int
    sql: str

    @property
    def total(self) -> Any:
        """The sum over all segments."""
        return sum(s.value for s in self.listed)

    @property
    def rows(self) -> int:
        """Rows with a value of the dimension."""
        return sum(s.n for s in self.listed)

    def table(self, dimension: str, words: str) -> list[dict[str, Any]]:
        """The first 50 as rows of evidence."""
        total = float(self.total)
        return [
            {
                dimension: plain(s.key),
                words: plain(s.value),
                "share": float(s.value) / total if total else None,
                "n": s.n,
            }
            for s in self.listed[:50]
        ]


def segments_of(view: AnalysisView, params: ShareParams) -> Segments:
    """Measure the metric for every value of the dimension.

    :raises DatasetError: when no row has a value, or nearly every row has its own.
    """
    column = view.card.column(params.dimension)
    source = source_of(view, params.metric, filters=params.filters, window=params.window, groups=[ident(column.name)])
    sql = (
        f"SELECT {source.groups[0]}, {source.aggregate} AS value, count(*) AS n {source.from_where} "
        f"GROUP BY ALL HAVING value IS NOT NULL ORDER BY value DESC, n DESC, g1 LIMIT {_MOST_GROUPS + 1}"
    )
    found = view.query(sql).rows
    if not found:
        raise DatasetError(f"no row has a value in {column.name!r}{params.scope}")
    rows = sum(int(r[2]) for r in found)
    if not any(r[1] for r in found):
        raise DatasetError(f"the {params.metric.words} is 0 for every {column.name}{params.scope}")
    if len(found) > _MOST_GROUPS:
        raise DatasetError(f"{column.name!r} has more than {_MOST_GROUPS:,} values: too many to speak of shares")
    if len(found) > 50 and len(found) > 0.5 * rows:
        raise DatasetError(f"{column.name!r} has too many values to speak of shares: nearly every row has its own")
    whole = source_of(view, Metric(), filters=params.filters, window=params.window)
    count = int(view.query(f"SELECT count(*) {whole.from_where}").rows[0][0])
    listed = tuple(Segment(name_text(view.card, column.name, r[0]), r[0], r[1], int(r[2])) for r in found)
    return Segments(listed, count - rows, sql)
