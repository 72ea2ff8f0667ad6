"""The chain of hidden views behind the analysis view: what each kind of directive does to the rows and cells."""

from datetime import date, datetime, timedelta

import duckdb

from datasets.directives import (
    Dedupe,
    Directive,
    ExcludeRecent,
    FilterRows,
    MetricDefinition,
    NullSentinel,
    UseColumn,
    Winsorize,
)
from datasets.loading import ROW, TABLE
from datasets.measures import Grain
from datasets.plain import counted, number_text
from datasets.predicates import Misfit, equals_any, predicate_sql
from datasets.schema import Column, SchemaCard
from datasets.sql import ident, literal

_BASE = f"store.main.{TABLE}"
_HIDDEN = "stages"
"""A schema of their own for the stages: the guard lets no statement name a schema."""


class Stages:
    """The chain of views so far. `relation` is the last of them, with `rows` rows and the columns of `card`."""

    def __init__(self, con: duckdb.DuckDBPyConnection, card: SchemaCard) -> None:
        self.card = card
        self.relation = _BASE
        self.rows = card.rows
        self.grain: Grain | None = None
        self._con = con
        self._count = 0
        con.execute(f"CREATE SCHEMA {_HIDDEN}")

    def apply(self, directive: Directive) -> str:
        """Add the stage of a directive; the sentence that says what it did.

        :raises Misfit: when it does not fit the schema or would leave no row; nothing was added.
        """
        if isinstance(directive, NullSentinel):
            return self._null_sentinel(directive)
        if isinstance(directive, Dedupe):
            return self._dedupe(directive)
        if isinstance(directive, FilterRows):
            return self._filter(directive)
        if isinstance(directive, ExcludeRecent):
            return self._exclude_recent(directive)
        if isinstance(directive, Winsorize):
            return self._winsorize(directive)
        if isinstance(directive, UseColumn):
            return self._use_column(directive)
        if isinstance(directive, MetricDefinition):
            return self._define(directive)
        return self._prefer_grain(directive.unit)

    def _null_sentinel(self, directive: NullSentinel) -> str:
        column = self._column(directive.column)
        hit = equals_any(column, directive.values)
        cells = self._replace(column, f"CASE WHEN {hit} THEN NULL ELSE {ident(column.name)} END")
        values = ", ".join(str(v) for v in directive.values)
        return f"{values} in {column.name} is read as missing ({counted(cells, 'cell')})"

    def _dedupe(self, directive: Dedupe) -> str:
        keys = directive.keys or tuple(c.name for c in self.card.columns)
        named = ", ".join(ident(self._column(k).name) for k in keys)
        first = f"SELECT min({ident(ROW)}) FROM {self.relation} GROUP BY {named}"
        select = f"SELECT * FROM {self.relation} WHERE {ident(ROW)} IN ({first}) ORDER BY {ident(ROW)}"
        gone = self._narrow(select)
        what = f"each combination of {', '.join(directive.keys)} counts" if directive.keys else "identical rows count"
        return f"{what} once ({counted(gone, 'repeated row')} left out)"

    def _filter(self, directive: FilterRows) -> str:
        column = self._column(directive.predicate.column)
        before = self.rows
        condition = predicate_sql(column, directive.predicate)
        gone = self._narrow(f"SELECT * FROM {self.relation} WHERE {condition}")
        return f"only rows where {directive.predicate.words} are used ({gone:,} of {counted(before, 'row')} left out)"

    def _exclude_recent(self, directive: ExcludeRecent) -> str:
        column = self._column(directive.column)
        if not column.temporal:
            raise Misfit(f"{column.name!r} is {column.sql_type} here, not a date")
        newest = newest_day(column)
        if newest is None:
            raise Misfit(f"{column.name!r} holds no date here")
        last = newest - timedelta(days=directive.days)
        recent = f"CAST({ident(column.name)} AS DATE) > {literal(last)}"
        days = "day" if directive.days == 1 else f"{directive.days} days"
        if directive.measure is not None:
            late = self._column(directive.measure)
            cells = self._replace(late, f"CASE WHEN {recent} THEN NULL ELSE {ident(late.name)} END")
            return (
                f"{late.name} is not used for the last {days} of {column.name}, after {last.isoformat()}"
                f" ({counted(cells, 'cell')})"
            )
        gone = self._narrow(f"SELECT * FROM {self.relation} WHERE ({recent}) IS NOT TRUE")
        return f"the last {days} of {column.name}, after {last.isoformat()}, are left out ({counted(gone, 'row')})"

    def _prefer_grain(self, unit: Grain) -> str:
        if not self.card.by_role("time"):
            raise Misfit("there is no date column here")
        self.grain = unit
        return f"time series are shown by {unit}"

    def _winsorize(self, directive: Winsorize) -> str:
        column = self._numeric(directive.column)
        c = ident(column.name)
        ends = self._con.execute(
            f"SELECT quantile_disc({c}, {directive.low_0_1!r}), quantile_disc({c}, {directive.high_0_1!r})"
            f" FROM {self.relation}"
        ).fetchone()
        if ends is None or ends[0] is None:
            raise Misfit(f"{column.name!r} holds no value here")
        low, high = (f"{literal(end)}::{column.sql_type}" for end in ends)
        moved = self._scalar(f"SELECT count(*) FROM {self.relation} WHERE {c} < {low} OR {c} > {high}")
        held = f"CASE WHEN {c} < {low} THEN {low} WHEN {c} > {high} THEN {high} ELSE {c} END"
        self._stage(f"SELECT * REPLACE ({held} AS {c}) FROM {self.relation}")
        span = f"{number_text(ends[0])} to {number_text(ends[1])}"
        quantiles = f"its {100 * directive.low_0_1:g}% and {100 * directive.high_0_1:g}% quantiles"
        return f"{column.name} is held within {quantiles}, {span} ({counted(moved, 'cell')})"

    def _use_column(self, directive: UseColumn) -> str:
        column, former = self._column(directive.column), self._column(directive.instead_of)
        alike = (column.numeric and former.numeric) or column.sql_type == former.sql_type
        if column.name == former.name or not alike:
            raise Misfit(f"{column.name!r} ({column.sql_type}) cannot stand for {former.name!r} ({former.sql_type})")
        self._stage(f"SELECT * REPLACE ({ident(column.name)} AS {ident(former.name)}) FROM {self.relation}")
        replaced = column.model_copy(update={"name": former.name})
        self._describe(replaced)
        return f"{column.name} is used where {former.name} is asked for"

    def _define(self, directive: MetricDefinition) -> str:
        for name in directive.expression.columns:
            self._numeric(name)
        value = f"({directive.expression.sql})::DOUBLE"
        known, name = self.card.has(directive.metric), ident(directive.metric)
        if known:
            self._numeric(directive.metric)
        select = f"SELECT * REPLACE ({value} AS {name})" if known else f"SELECT *, {value} AS {name}"
        self._stage(f"{select} FROM {self.relation}")
        row = self._con.execute(
            f"SELECT count({name}), count(DISTINCT {name}), min({name}), max({name}) FROM {self.relation}"
        ).fetchone()
        held, distinct, least, most = row if row else (0, 0, None, None)
        self._describe(
            Column(
                name=directive.metric, sql_type="DOUBLE", role="measure", rows=self.rows, nulls=self.rows - held,
                distinct=distinct, minimum=None if least is None else str(least),
                maximum=None if most is None else str(most),
            )
        )  # fmt: skip
        return f"{directive.metric} is {directive.expression.words}"

    def _describe(self, column: Column) -> None:
        """Let the card tell of a column as it is from here on."""
        others = self.card.columns
        if self.card.has(column.name):
            columns = tuple(column if c.name == column.name else c for c in others)
        else:
            columns = (*others, column)
        self.card = self.card.model_copy(update={"columns": columns})

    def _numeric(self, name: str) -> Column:
        column = self._column(name)
        if not column.numeric:
            raise Misfit(f"{column.name!r} is {column.sql_type} here, not a number")
        return column

    def _column(self, name: str) -> Column:
        if not self.card.has(name):
            raise Misfit(f"there is no column {name!r} here")
        return self.card.column(name)

    def _replace(self, column: Column, expression: str) -> int:
        """Put the expression in the place of the column; the number of cells that became NULL."""
        c = ident(column.name)
        before = self._scalar(f"SELECT count({c}) FROM {self.relation}")
        self._stage(f"SELECT * REPLACE ({expression} AS {c}) FROM {self.relation}")
        return before - self._scalar(f"SELECT count({c}) FROM {self.relation}")

    def _narrow(self, select: str) -> int:
        """Make the SELECT the next stage; the number of rows that it leaves out."""
        rows = self._scalar(f"SELECT count(*) FROM ({select})")
        if rows == 0 and self.rows > 0:
            raise Misfit("no row would be left")
        gone, self.rows = self.rows - rows, rows
        self._stage(select)
        return gone

    def _stage(self, select: str) -> None:
        self._count += 1
        name = f"{_HIDDEN}.stage_{self._count}"
        self._con.execute(f"CREATE VIEW {name} AS {select}")
        self.relation = name

    def _scalar(self, sql: str) -> int:
        row = self._con.execute(sql).fetchone()
        return int(row[0]) if row else 0


def newest_day(column: Column) -> date | None:
    """The day of the largest value of a date column; None when it has none."""
    moment = newest_moment(column)
    return moment.date() if moment else None


def newest_moment(column: Column) -> datetime | None:
    """The largest value of a date column, without zone (UTC where the column has zones)."""
    if column.maximum is None:
        return None
    try:
        return datetime.fromisoformat(column.maximum).replace(tzinfo=None)
    except ValueError:
        return None
