"""What an outlier step is told."""

from typing import Literal, Self

from pydantic import Field, model_validator

from datasets.battery._kind import StepParams
from datasets.battery._wording.phrases import filters_key, scope_text
from datasets.evidence import Subject
from datasets.measures import Filter, Measure, Metric, Window

Method = Literal["robust", "iqr", "z"]


class OutlierParams(StepParams):
    """Rows whose value is far from the others (`measure`), or groups that are (`metric` with `by`).

    robust: more than 3.5 × 1.4826 × MAD from the median, on a log scale where values are positive and skewed; where
    more than half of the values are one and the same, the others are judged among themselves · iqr: beyond 1.5 × IQR
    of the quartiles (linear) · z: more than 3 standard deviations from the mean.
    """

    measure: Measure | None = None
    metric: Metric | None = Field(default=None, description="with `by`: which groups stand out in it")
    by: str | None = Field(default=None, description="judge each row among the rows of its group")
    method: Method = "robust"
    threshold: float | None = Field(default=None, gt=0, description="instead of 3.5, 1.5 or 3")
    deviation: Literal["population", "sample"] = Field(default="population", description="for method z")
    filters: tuple[Filter, ...] = ()
    window: Window | None = None
    show: tuple[str, ...] = Field(default=(), max_length=4, description="columns that name an outlying row")

    @model_validator(mode="after")
    def _rows_or_groups(self) -> Self:
        if (self.measure is None) == (self.metric is None):
            raise ValueError("give either measure (rows) or metric with by (groups)")
        if self.metric is not None and self.by is None:
            raise ValueError("metric needs by: the groups to compare")
        return self

    @property
    def limit(self) -> float:
        """The threshold, or the usual one of the method."""
        return self.threshold if self.threshold is not None else {"robust": 3.5, "iqr": 1.5, "z": 3.0}[self.method]

    @property
    def rule(self) -> str:
        """The rule in words."""
        limit = f"{self.limit:g}"
        if self.method == "iqr":
            return f"the IQR rule ({limit} × IQR)"
        if self.method == "z":
            return f"the z-score rule (|z| > {limit}, {self.deviation} standard deviation)"
        return f"the robust rule ({limit} MADs from the median)"

    @property
    def scope(self) -> str:
        """The filters in words, with a leading space."""
        return scope_text(self.filters, self.window)

    def subject(self, key: str) -> Subject:
        """Return the identity of the claim."""
        method = self.method if self.threshold is None else f"{self.method} {self.threshold:g}"
        return Subject(
            relation="outliers",
            metric=key,
            dimension=self.by,
            against=method,
            period=self.window.key if self.window else None,
            filters=filters_key(self.filters),
        )
