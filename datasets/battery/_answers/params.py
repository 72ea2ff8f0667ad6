"""What an answer step is told."""

from typing import Literal, Self

from pydantic import Field, model_validator

from datasets.battery._kind import StepParams
from datasets.battery._wording.phrases import filters_key
from datasets.evidence import Relation, Subject
from datasets.measures import Filter, Grain, Metric, Window


class AnswerParams(StepParams):
    """Exact values: of the whole, of groups, of periods, or of the rows with the most extreme value.

    Without `by` and `grain`: one value for each metric; or, with `order` or `top` and a metric that is a highest or
    lowest value (or with `show`), the extreme rows. With `by` (at most 2) or `grain`: a value for each group.
    """

    metrics: tuple[Metric, ...] = Field(default=(Metric(),), min_length=1, max_length=12)
    by: tuple[str, ...] = Field(default=(), max_length=2)
    filters: tuple[Filter, ...] = ()
    window: Window | None = None
    order: Literal["asc", "desc"] | None = None
    top: int | None = Field(default=None, ge=1, le=50)
    grain: Grain | None = Field(default=None, description="group by period of the time column")
    time: str | None = Field(default=None, description="time column of the grain; default: the window's, the card's")
    show: tuple[str, ...] = Field(default=(), max_length=8, description="columns that name an extreme row")
    once_per: str | None = Field(default=None, description="key within which the measure is repeated: count it once")
    place: int | None = Field(default=None, ge=2, le=50, description="of groups or periods, the one at this place only")
    averaged: bool = Field(default=False, description="with grain: the mean over the periods, not each of them")
    before: Filter | Window | None = Field(default=None, description="the state that `after` is compared with")
    after: Filter | Window | None = Field(default=None, description="with `before`: the difference between the two")
    along: str | None = Field(default=None, description="a numeric column, such as the year, that is read as time")

    @model_validator(mode="after")
    def _one_dimension_besides_time(self) -> Self:
        if self.grain and len(self.by) > 1:
            raise ValueError("by holds at most one column where periods are the other group")
        if (self.before is None) != (self.after is None):
            raise ValueError("before and after belong together")
        return self

    @property
    def extreme_rows(self) -> bool:
        """Whether single rows are asked for, not aggregates."""
        if self.by or self.grain or not (self.show or self.order or self.top):
            return False
        metric = self.metrics[0]
        return metric.measure.kind != "rows" and (bool(self.show) or metric.aggregate in {"min", "max"})

    def subject(
        self, relation: Relation, metric_key: str, *, dimension: str | None = None, once_per: str | None = None
    ) -> Subject:
        """Return the identity of a claim of this step; `once_per` where rows were folded to that key."""
        periods = [self.window.key] if self.window else []
        periods += [f"by {self.grain}"] if self.grain else []
        if self.before and self.after:
            periods.append(f"{self.before.key} to {self.after.key}")
        return Subject(
            relation=relation,
            metric=metric_key,
            dimension=dimension,
            period=", ".join(periods) or None,
            filters=filters_key(self.filters),
            against=f"once per {once_per}" if once_per else None,
        )
