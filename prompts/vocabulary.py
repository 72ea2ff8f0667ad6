"""The words in which a model says what is to be measured; shared by the replies of understand and plan."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class Reply(BaseModel):
    """Base of every reply model: all fields are required, unknown ones refused, as strict schemas want it."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class FilterReply(Reply):
    """A condition on one column."""

    column: str
    op: Literal[
        "eq", "ne", "in", "not_in", "lt", "le", "gt", "ge", "between", "is_null", "not_null", "contains"
    ]  # fmt: skip
    values: list[str | float | bool]


class MetricReply(Reply):
    """A number per group."""

    aggregate: Literal[
        "count", "sum", "mean", "median", "min", "max", "std", "var", "share", "distinct", "missing", "missing_share",
        "quantile",
    ]  # fmt: skip
    column: str | None = Field(description="null: rows are counted")
    equals: list[str | float | bool] = Field(description="share: of rows whose column is one of these; else empty")
    level: float | None = Field(description="quantile: between 0 and 1; else null")


class WindowReply(Reply):
    """A span of time."""

    column: str
    start: str | None = Field(description="ISO date, included")
    end: str | None = Field(description="ISO date, not included")


class AskReply(Reply):
    """One thing to be measured."""

    words: str = Field(description="the words of the question it is read from, copied exactly")
    kind: Literal[
        "value", "extreme", "trend", "change", "compare", "share", "relation", "distribution", "outliers", "quality",
        "query",
    ]  # fmt: skip
    metrics: list[MetricReply]
    by: list[str] = Field(description="columns to group by, at most 2")
    columns: list[str] = Field(description="columns named where no metric is meant (relation, quality, distribution)")
    filters: list[FilterReply]
    window: WindowReply | None
    versus: WindowReply | None = Field(description="change: the span compared with; null: the one before")
    grain: Literal["hour", "day", "week", "month", "quarter", "year"] | None
    order: Literal["asc", "desc"] | None
    top: int | None


KINDS = """\
- value: exact figures of the whole, of groups (`by`) or of periods (`grain`)
- extreme: which group has the highest or lowest figure (`by`, `order`, `top`), or the extreme row
- trend: how a figure develops over time (`grain`, `by` for each group)
- change: what moved a figure from one period to another, and where (`window`, `versus`, `by`)
- compare: whether a figure differs between the groups of `by[0]`, with a test
- share: how an additive figure (count, sum) is spread over the groups of `by[0]`
- relation: how two or more numeric `columns` go together
- distribution: the shape of a numeric column
- outliers: values far from the rest
- quality: missing values, repeated rows, keys of `columns`
- query: only where none of the above fits: it will be answered by SQL"""
