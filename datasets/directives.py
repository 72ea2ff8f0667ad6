"""Executable parts of memory units; `datasets.view` compiles them into the one view that every step reads."""

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, model_validator

from datasets.measures import Filter, Grain, Measure, Value


class _Directive(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ExcludeRecent(_Directive):
    """Leave out the last `days` days before the newest event (a reporting lag or a null lag)."""

    name: Literal["exclude_recent"] = "exclude_recent"
    column: str
    days: int = Field(ge=1, le=366)
    measure: str | None = Field(default=None, description="for a null lag: the late column; only it is blanked")


class FilterRows(_Directive):
    """Keep only the rows that satisfy the predicate."""

    name: Literal["filter"] = "filter"
    predicate: Filter


class PreferGrain(_Directive):
    """Report time series at this grain unless the question names another."""

    name: Literal["grain"] = "grain"
    unit: Grain


class NullSentinel(_Directive):
    """Read these values of a column as missing."""

    name: Literal["null_sentinel"] = "null_sentinel"
    column: str
    values: tuple[Value, ...]


class Dedupe(_Directive):
    """Keep one row for each combination of the key columns; all columns when `keys` is empty."""

    name: Literal["dedupe"] = "dedupe"
    keys: tuple[str, ...] = ()


class Winsorize(_Directive):
    """Hold the values of a numeric column within two of its quantiles; further ones count as the nearest of the two."""

    name: Literal["winsorize"] = "winsorize"
    column: str
    low_0_1: float = Field(default=0.01, ge=0, lt=0.5)
    high_0_1: float = Field(default=0.99, gt=0.5, le=1)


class UseColumn(_Directive):
    """Read `column` wherever `instead_of` is asked for."""

    name: Literal["use_column"] = "use_column"
    column: str
    instead_of: str


class MetricDefinition(_Directive):
    """What a measure is: a calculation per row, in the place of the column of that name or as a further column."""

    name: Literal["metric_definition"] = "metric_definition"
    metric: str = Field(min_length=1, max_length=60)
    expression: Measure

    @model_validator(mode="after")
    def _a_calculation(self) -> Self:
        if self.expression.kind not in {"sum_of", "difference_of", "product_of", "ratio_of"}:
            raise ValueError(f"a metric is defined by a sum, difference, product or ratio, not {self.expression.kind}")
        if len(self.expression.columns) < 2 or self.metric in self.expression.columns:
            raise ValueError("a metric is defined by two columns or more, and not by itself")
        return self


Directive = Annotated[
    ExcludeRecent | FilterRows | PreferGrain | NullSentinel | Dedupe | Winsorize | UseColumn | MetricDefinition,
    Field(discriminator="name"),
]

DIRECTIVE: TypeAdapter[Directive] = TypeAdapter(Directive)
