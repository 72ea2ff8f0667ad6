"""Executable parts of memory units; `datasets.view` compiles them into the one view that every step reads."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from datasets.measures import Filter, Grain, Value


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


Directive = Annotated[ExcludeRecent | FilterRows | PreferGrain | NullSentinel | Dedupe, Field(discriminator="name")]

DIRECTIVE: TypeAdapter[Directive] = TypeAdapter(Directive)
