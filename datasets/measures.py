"""The vocabulary of steps: measures, metrics, filters and windows, each with its SQL, its key and its words."""

import re
from datetime import date, datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, SerializerFunctionWrapHandler, model_serializer

from datasets.levels import LEVEL_OPS, level_sql, level_words
from datasets.sql import ident, literal, literals
from datasets.transforms import ratio_sql, stepped_sql, stepped_words, transformed_sql, transformed_words

Grain = Literal["hour", "day", "week", "month", "quarter", "year"]
FilterOp = Literal[
    "eq", "ne", "in", "not_in", "lt", "le", "gt", "ge", "between", "is_null", "not_null", "contains", "weekday",
    "above_column", "below_column", "above_level", "below_level", "top_share", "bottom_share",
]  # fmt: skip
MeasureKind = Literal[
    "rows",
    "column",
    "duration",
    "indicator",
    "at_least",
    "sum_of",
    "ratio_of",
    "difference_of",
    "product_of",
    "sum_per",
    "mean_of",
    "condition",
    "transformed",
    "in_order",
]
Aggregate = Literal[
    "count", "sum", "mean", "median", "min", "max", "std", "pstd", "var", "share", "distinct", "missing",
    "missing_share", "rows_per_distinct", "quantile", "skewness", "kurtosis", "iqr", "cv", "pooled",
]  # fmt: skip
Value = str | int | float | bool

_SIGNS = {"sum_of": "+", "difference_of": "-", "product_of": "*"}
_OPS = {"eq": "=", "ne": "<>", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
YES_OR_NO: frozenset[MeasureKind] = frozenset({"indicator", "at_least", "condition"})
"""Measures that are 1 or 0 on each row, of which the mean is a share."""
_OP_WORDS = {"eq": "is", "ne": "is not", "lt": "below", "le": "at most", "gt": "above", "ge": "at least"}


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Measure(_Frozen):
    """A number per row.

    rows: every row counts 1 · column: a numeric column · duration: second column minus first, in `unit` ·
    indicator: 1 where the column is one of `values`, else 0 · at_least: 1 where the first column ≥ the second ·
    sum_of: the columns added · ratio_of: the first divided by the second · difference_of: the first minus the second ·
    product_of: the columns multiplied · mean_of: the mean of the columns · condition: 1 where the column, or the time
    between two columns, compares as `values` (lt, le, gt or ge and a number,
    or an op of a level and its value) say, else 0 · transformed: the column
    under `values` (a transform) · in_order: the column under `values` (a step) along the order of the second column ·
    sum_per: the first column summed over the rows of each value of the second,
    one number per such value and not per row.
    """

    kind: MeasureKind = "rows"
    columns: tuple[str, ...] = ()
    values: tuple[Value, ...] = ()
    unit: Literal["days", "hours", "minutes"] | None = None

    @property
    def sql(self) -> str:
        """Row-level SQL expression; NULL where an input is NULL."""
        c = [ident(name) for name in self.columns]
        if self.kind == "rows":
            return "1"
        if self.kind in {"column", "sum_per"}:
            return c[0]
        if self.kind == "duration":
            seconds = {"days": 86400.0, "hours": 3600.0, "minutes": 60.0}[self.unit or "days"]
            return f"(epoch({c[1]}::TIMESTAMP) - epoch({c[0]}::TIMESTAMP)) / {seconds}"
        if self.kind == "indicator":
            return f"CASE WHEN {c[0]} IS NULL THEN NULL WHEN {c[0]} IN {literals(self.values)} THEN 1 ELSE 0 END"
        if self.kind == "condition":
            return self.condition_on(c[0] if len(c) == 1 else self.model_copy(update={"kind": "duration"}).sql)
        if self.kind == "transformed":
            return transformed_sql(c[0], self.values)
        if self.kind == "at_least":
            return f"CASE WHEN {c[0]} IS NULL OR {c[1]} IS NULL THEN NULL WHEN {c[0]} >= {c[1]} THEN 1 ELSE 0 END"
        if self.kind == "in_order":
            return stepped_sql(c[0], c[1], self.values)
        if self.kind == "mean_of":
            return f"(({' + '.join(c)})::DOUBLE / {len(c)})"
        if self.kind in _SIGNS:
            return "(" + f" {_SIGNS[self.kind]} ".join(c) + ")"
        return ratio_sql(c, self.values)

    def condition_on(self, value: str) -> str:
        """SQL of a condition on a row-level expression."""
        if self.values[0] in LEVEL_OPS:
            compared = level_sql(value, str(self.values[0]), self.values[1])
            return f"CASE WHEN {value} IS NULL THEN NULL WHEN {compared} THEN 1 ELSE 0 END"
        compared = f"{value} {_OPS[str(self.values[0])]} {literal(self.values[1])}"
        return f"CASE WHEN {value} IS NULL THEN NULL WHEN {compared} THEN 1 ELSE 0 END"

    @property
    def key(self) -> str:
        """Canonical text; equal measures have equal keys."""
        c = list(self.columns)
        if self.kind == "rows":
            return "*"
        if self.kind == "column":
            return c[0]
        if self.kind == "duration":
            return f"{c[1]} - {c[0]} [{self.unit or 'days'}]"
        if self.kind == "indicator":
            return f"{c[0]} in [{', '.join(sorted(map(str, self.values)))}]"
        if self.kind == "at_least":
            return f"{c[0]} >= {c[1]}"
        if self.kind == "condition":
            of = c[0] if len(c) == 1 else f"({c[1]} - {c[0]} [{self.unit or 'days'}])"
            return f"{of} {_OPS.get(str(self.values[0]), self.values[0])} {self.values[1]}"
        if self.kind == "transformed":
            return f"{' '.join(map(str, self.values))}({c[0]})"
        if self.kind == "sum_per":
            return f"{c[0]} per {c[1]}"
        if self.kind == "in_order":
            return f"{' '.join(map(str, self.values))}({c[0]}, {c[1]})"
        if self.kind == "mean_of":
            return f"mean of {', '.join(c)}"
        if self.kind == "ratio_of" and self.values:
            return f"{c[0]} / ({c[1]} + {self.values[0]})"
        return f" {_SIGNS.get(self.kind, '/')} ".join(c)

    @property
    def words(self) -> str:
        """How a person would say it."""
        c = list(self.columns)
        if self.kind == "rows":
            return "rows"
        if self.kind == "duration":
            return f"time from {c[0]} to {c[1]}"
        if self.kind == "indicator":
            return f"{c[0]} = {' or '.join(map(str, self.values))}"
        if self.kind == "at_least":
            return f"{c[0]} at or above {c[1]}"
        if self.kind == "condition":
            unit = f" {self.unit or 'days'}" if len(c) == 2 else ""
            of = c[0] if len(c) == 1 else f"time from {c[0]} to {c[1]}"
            if self.values[0] in LEVEL_OPS:
                return level_words(of, str(self.values[0]), self.values[1])
            return f"{of} {_OP_WORDS[str(self.values[0])]} {self.values[1]}{unit}"
        if self.kind == "transformed":
            return transformed_words(c[0], self.values)
        if self.kind == "in_order":
            return stepped_words(c[0], self.values)
        return self.key


class Metric(_Frozen):
    """An aggregate over a measure: one number per group."""

    aggregate: Aggregate = "count"
    measure: Measure = Field(default_factory=Measure)
    level_0_1: float | None = Field(default=None, description="the quantile, for aggregate = quantile")

    @property
    def sql(self) -> str:
        """Aggregate SQL expression over a group of rows."""
        return self.over(self.measure.sql)

    def over(self, m: str) -> str:
        """Aggregate SQL expression over another row-level expression, such as the measure read from text."""
        plain = self.measure.kind == "rows"
        if self.aggregate == "pooled":
            return self._pooled
        forms: dict[str, str] = {
            "count": "count(*)" if plain else f"count({m})",
            "sum": f"sum({m})",
            "mean": f"avg({m})",
            "median": f"median({m})",
            "min": f"min({m})",
            "max": f"max({m})",
            "std": f"stddev_samp({m})",
            "pstd": f"stddev_pop({m})",
            "var": f"var_samp({m})",
            "share": f"avg({m})",
            "distinct": f"count(DISTINCT {m})",
            "missing": f"count(*) - count({m})",
            "missing_share": f"(count(*) - count({m}))::DOUBLE / count(*)",
            "rows_per_distinct": f"count({m})::DOUBLE / nullif(count(DISTINCT {m}), 0)",
            "quantile": f"quantile_cont({m}, {literal(self.level_0_1 if self.level_0_1 is not None else 0.5)})",
            "skewness": f"skewness({m})",
            "kurtosis": f"kurtosis({m})",
            "iqr": f"quantile_cont({m}, 0.75) - quantile_cont({m}, 0.25)",
            "cv": f"stddev_samp({m}) / nullif(avg({m}), 0)",
        }
        return forms[self.aggregate]

    @property
    def _pooled(self) -> str:
        """The total of the first column by that of the second, over the rows that have both: no mean of ratios."""
        one, two = (ident(c) for c in self.measure.columns[:2])
        both = f"FILTER (WHERE {one} IS NOT NULL AND {two} IS NOT NULL)"
        return f"sum({one}) {both}::DOUBLE / nullif(sum({two}) {both}, 0)"

    @property
    def key(self) -> str:
        """Canonical text, e.g. `mean(amount)`; part of claim subjects and step signatures."""
        level = f", {self.level_0_1}" if self.aggregate == "quantile" else ""
        return f"{self.aggregate}({self.measure.key}{level})"

    @property
    def additive(self) -> bool:
        """Whether the values of disjoint groups add up to the value of the whole."""
        return self.aggregate in {"count", "sum", "missing"}

    @property
    def words(self) -> str:
        """How a person would say it: "average amount", "number of rows"."""
        m = self.measure.words
        forms: dict[str, str] = {
            "count": "number of rows" if self.measure.kind == "rows" else f"number of {m} values",
            "sum": f"{'number of rows with' if self.measure.kind in YES_OR_NO else 'total'} {m}",
            "mean": f"{'share with' if self.measure.kind in YES_OR_NO else 'average'} {m}",
            "median": f"median {m}",
            "min": f"lowest {m}",
            "max": f"highest {m}",
            "std": f"standard deviation of {m}",
            "pstd": f"population standard deviation of {m}",
            "var": f"variance of {m}",
            "share": f"share with {m}",
            "distinct": f"number of distinct {m}",
            "missing": f"missing values in {m}",
            "missing_share": f"share of missing values in {m}",
            "rows_per_distinct": f"rows per {m}",
            "quantile": f"{100 * (self.level_0_1 if self.level_0_1 is not None else 0.5):g}th percentile of {m}",
            "skewness": f"skewness of {m}",
            "kurtosis": f"excess kurtosis of {m}",
            "iqr": f"interquartile range of {m}",
            "cv": f"coefficient of variation of {m}",
            "pooled": f"overall {m}",
        }
        return forms[self.aggregate]


class Filter(_Frozen):
    """A predicate on one column; several filters of a step are joined by AND.

    With `until`, a second time column, it is one on the time from the first to the second, in `unit`.
    """

    column: str
    op: FilterOp = "eq"
    values: tuple[Value, ...] = ()
    until: str | None = None
    unit: Literal["days", "hours", "minutes"] | None = None

    @model_serializer(mode="wrap")
    def _without_unused(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave out what only a predicate on a time between two dates has, so that stored predicates stay the same."""
        written: dict[str, Any] = dump(self)
        return {k: v for k, v in written.items() if v is not None or k not in {"until", "unit"}}

    @property
    def _of(self) -> Measure:
        """What the predicate is on, as a number per row."""
        if self.until is None:
            return Measure(kind="column", columns=(self.column,))
        return Measure(kind="duration", columns=(self.column, self.until), unit=self.unit)

    @property
    def sql(self) -> str:
        """SQL predicate. NULL never matches except for is_null, ne and not_in, which keep rows without a value."""
        c = self._of.sql
        if self.op in {"is_null", "not_null"}:
            return f"{c} IS {'NOT ' if self.op == 'not_null' else ''}NULL"
        if self.op == "in":
            return f"{c} IN {literals(self.values)}"
        if self.op == "not_in":
            return f"({c} IS NULL OR {c} NOT IN {literals(self.values)})"
        if self.op == "ne":
            return f"({c} IS DISTINCT FROM {literal(self.values[0])})"
        if self.op == "between":
            return f"{c} BETWEEN {literal(self.values[0])} AND {literal(self.values[1])}"
        if self.op == "weekday":
            return f"isodow({c}) IN {literals(self.values)}"
        if self.op in {"above_column", "below_column"}:
            return f"{c} {'>' if self.op == 'above_column' else '<'} {ident(str(self.values[0]))}"
        if self.op in LEVEL_OPS:
            return level_sql(c, self.op, self.values[0])
        if self.op == "contains":
            return f"contains(lower({c}::VARCHAR), lower({literal(str(self.values[0]))}))"
        return f"{c} {_OPS[self.op]} {literal(self.values[0])}"

    @property
    def key(self) -> str:
        """Canonical text; equal filters have equal keys."""
        return f"{self._of.key} {self.op} [{', '.join(sorted(map(str, self.values)))}]"

    @property
    def words(self) -> str:
        """How a person would say it."""
        v, column = [str(x) for x in self.values], self._of.words
        v = [f"{x} {self.unit or 'days'}" for x in v] if self.until else v
        if self.op == "is_null":
            return f"{column} is missing"
        if self.op == "not_null":
            return f"{column} is present"
        if self.op in {"in", "not_in"}:
            return f"{column} {'is' if self.op == 'in' else 'is not'} {' or '.join(v)}"
        if self.op == "between":
            return f"{column} between {v[0]} and {v[1]}"
        if self.op == "contains":
            return f"{column} mentions {v[0]}"
        if self.op == "weekday":
            return f"{column} is a {' or '.join(_WEEKDAYS[int(x) - 1] for x in v)}"
        if self.op in {"above_column", "below_column"}:
            return f"{column} is {self.op.removesuffix('_column')} {v[0]}"
        if self.op in LEVEL_OPS:
            return level_words(column, self.op, self.values[0])
        return f"{column} {_OP_WORDS[self.op]} {v[0]}"


class Window(_Frozen):
    """A half-open span of the event time: start ≤ t < end."""

    column: str
    start: date | datetime | None = None
    end: date | datetime | None = None
    label: str = ""

    @property
    def sql(self) -> str:
        """SQL predicate."""
        c = ident(self.column)
        parts = []
        if self.start is not None:
            parts.append(f"{c} >= {literal(self.start)}")
        if self.end is not None:
            parts.append(f"{c} < {literal(self.end)}")
        return " AND ".join(parts) or "TRUE"

    @property
    def key(self) -> str:
        """Canonical text without the label."""
        start = self.start.isoformat() if self.start else ""
        end = self.end.isoformat() if self.end else ""
        return f"{self.column} [{start}, {end})"

    @classmethod
    def of_key(cls, key: str) -> "Window":
        """Read a window back from its key.

        :raises ValueError: when the text is not the key of a window.
        """
        match = re.fullmatch(r"(?P<column>.+) \[(?P<start>[^,]*), (?P<end>[^)]*)\)", key, re.DOTALL)
        if match is None:
            raise ValueError(f"not the key of a window: {key!r}")
        bounds = {name: match[name] or None for name in ("start", "end")}
        return cls.model_validate({"column": match["column"], **bounds})

    @property
    def words(self) -> str:
        """The label, else the dates."""
        return self.label or f"{self.start or 'the beginning'} to before {self.end or 'the end'}"


def where(filters: tuple[Filter, ...] = (), window: Window | None = None, *extra: str) -> str:
    """Join predicates to a WHERE clause with a leading space, or nothing."""
    parts = [f.sql for f in filters] + ([window.sql] if window else []) + [e for e in extra if e]
    return (" WHERE " + " AND ".join(parts)) if parts else ""
