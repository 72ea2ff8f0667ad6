"""What is known of a dataset without analysing it: the schema card and the fingerprint."""

from collections.abc import Iterable
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from datasets.errors import DatasetError

Role = Literal["time", "measure", "dimension", "boolean", "identifier", "text", "constant", "empty"]


class Column(BaseModel):
    """One column as it was loaded; counts are exact and over all rows."""

    model_config = ConfigDict(frozen=True)

    name: str
    sql_type: str = Field(description="DuckDB type of the loaded column, e.g. BIGINT, DOUBLE, VARCHAR, TIMESTAMP")
    role: Role = Field(description="what the column is good for; identifiers are never summed or averaged")
    rows: int
    nulls: int
    distinct: int
    values: tuple[str, ...] = Field(default=(), description="most frequent values as text, most frequent first, ≤ 1000")
    minimum: str | None = None
    maximum: str | None = None
    unit: str | None = Field(default=None, description="unit read from the name or the cells: %, USD, days, ...")
    looked_up_by: str | None = Field(
        default=None, description="the column whose value brought this one in from another table, once for each row"
    )

    @property
    def numeric(self) -> bool:
        """Whether arithmetic on the column is possible (not whether it makes sense: see role)."""
        return not self.sql_type.endswith("]") and self.sql_type.startswith(
            ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT",
             "UHUGEINT", "FLOAT", "DOUBLE", "DECIMAL")
        )  # fmt: skip

    @property
    def temporal(self) -> bool:
        """Whether the loaded type is a date or a timestamp."""
        return self.sql_type.startswith(("DATE", "TIMESTAMP"))


class SchemaCard(BaseModel):
    """The columns of a dataset with roles, exact counts and value samples; cached with the parsed copy."""

    model_config = ConfigDict(frozen=True)

    dataset: str = Field(description="the data_source key")
    title: str = Field(default="", description="what people call the dataset, where its key is not made for them")
    rows: int
    columns: tuple[Column, ...]
    time_column: str | None = Field(default=None, description="the event time that trends and lags are measured on")
    notes: tuple[str, ...] = Field(default=(), description="load report: what was decided, set aside or not readable")
    ambiguous_dates: tuple[str, ...] = Field(
        default=(), description="date columns whose day and month cannot be told apart; nothing by period is certain"
    )
    doubts: tuple[str, ...] = Field(default=(), description="what no answer may leave unsaid, one sentence each")

    @property
    def called(self) -> str:
        """The name of the dataset in sentences."""
        return self.title or self.dataset

    def column(self, name: str) -> Column:
        """Return the column of that exact name.

        :raises DatasetError: when there is none.
        """
        for column in self.columns:
            if column.name == name:
                return column
        known = ", ".join(c.name for c in self.columns[:20])
        raise DatasetError(f"no column {name!r} in {self.called}; it has: {known}")

    def has(self, name: str) -> bool:
        """Whether a column of that exact name exists."""
        return any(c.name == name for c in self.columns)

    def by_role(self, *roles: Role) -> tuple[Column, ...]:
        """Columns with one of the roles, in file order."""
        return tuple(c for c in self.columns if c.role in roles)


class Fingerprint(BaseModel):
    """Identity of the data at one moment."""

    model_config = ConfigDict(frozen=True)

    schema_hash: str
    rows: int
    content_hash: str
    newest_event: str | None = Field(default=None, description="largest value of the time column, ISO")


def names(columns: Iterable[Column]) -> tuple[str, ...]:
    """The names of columns, in order."""
    return tuple(c.name for c in columns)
