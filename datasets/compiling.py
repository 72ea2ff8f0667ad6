"""Directives compiled into the views behind the analysis view, one stage a directive."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

import duckdb
from pydantic import ValidationError

from datasets.directives import DIRECTIVE, Dedupe, Directive, ExcludeRecent, FilterRows, NullSentinel, PreferGrain
from datasets.loading import ROW, TABLE
from datasets.measures import Grain
from datasets.plain import counted
from datasets.predicates import Misfit, equals_any, predicate_sql
from datasets.schema import Column, SchemaCard
from datasets.sql import ident, literal

_ORDER: tuple[type, ...] = (NullSentinel, Dedupe, FilterRows, ExcludeRecent, PreferGrain)
_BASE = f"store.main.{TABLE}"
_HIDDEN = "stages"
"""A schema of their own for the stages: the guard lets no statement name a schema."""

Given = Sequence[tuple[str | None, Directive | dict[str, Any]]]
"""Directives with the memory_id each is known by; as models, or as the JSON that memory keeps."""


@dataclass(frozen=True)
class AppliedDirective:
    """A workaround that the view enforces, with the memory unit it came from and the sentence for the report."""

    memory_id: str | None
    directive: dict[str, Any]
    statement: str


@dataclass(frozen=True)
class NotApplied:
    """A workaround that does not fit the data any more, with the reason."""

    memory_id: str | None
    directive: dict[str, Any]
    reason: str


@dataclass(frozen=True)
class Compiled:
    """The relation behind the view, the preferred grain, and what became of each directive."""

    relation: str
    rows: int
    grain: Grain | None
    applied: tuple[AppliedDirective, ...]
    not_applied: tuple[NotApplied, ...]


def compile_stages(con: duckdb.DuckDBPyConnection, card: SchemaCard, directives: Given) -> Compiled:
    """Create one view a directive on the connection: null_sentinel, dedupe, filter, exclude_recent, in this order.

    What does not fit the schema, or would leave no row, is set aside with its reason and never raised.
    """
    stages = _Stages(con, card)
    known: list[tuple[str | None, Directive]] = []
    for memory_id, given in directives:
        try:
            directive = DIRECTIVE.validate_python(given)
        except ValidationError:
            document = dict(given) if isinstance(given, dict) else {"name": str(given)}
            reason = f"the directive {document.get('name')!r} is not known here, or its settings are not valid"
            stages.not_applied.append(NotApplied(memory_id, document, reason))
            continue
        known.append((memory_id, directive))
    for kind in _ORDER:
        for memory_id, directive in known:
            if isinstance(directive, kind):
                stages.add(memory_id, directive)
    return Compiled(stages.relation, stages.rows, stages.grain, tuple(stages.applied), tuple(stages.not_applied))


class _Stages:
    """The chain of views so far."""

    def __init__(self, con: duckdb.DuckDBPyConnection, card: SchemaCard) -> None:
        self._con = con
        self._card = card
        self._statements: dict[Directive, str] = {}
        self._count = 0
        con.execute(f"CREATE SCHEMA {_HIDDEN}")
        self.relation = _BASE
        self.rows = card.rows
        self.grain: Grain | None = None
        self.applied: list[AppliedDirective] = []
        self.not_applied: list[NotApplied] = []

    def add(self, memory_id: str | None, directive: Directive) -> None:
        document = directive.model_dump(mode="json")
        try:
            if directive not in self._statements:
                self._statements[directive] = self._apply(directive)
        except Misfit as misfit:
            self.not_applied.append(NotApplied(memory_id, document, str(misfit)))
        except (duckdb.Error, ValueError, TypeError) as error:
            reason = f"it cannot be applied to this data: {str(error).splitlines()[0]}"
            self.not_applied.append(NotApplied(memory_id, document, reason))
        else:
            self.applied.append(AppliedDirective(memory_id, document, self._statements[directive]))

    def _apply(self, directive: Directive) -> str:
        if isinstance(directive, NullSentinel):
            return self._null_sentinel(directive)
        if isinstance(directive, Dedupe):
            return self._dedupe(directive)
        if isinstance(directive, FilterRows):
            return self._filter(directive)
        if isinstance(directive, ExcludeRecent):
            return self._exclude_recent(directive)
        return self._prefer_grain(directive)

    def _null_sentinel(self, directive: NullSentinel) -> str:
        column = self._column(directive.column)
        hit = equals_any(column, directive.values)
        cells = self._replace(column, f"CASE WHEN {hit} THEN NULL ELSE {ident(column.name)} END")
        values = ", ".join(str(v) for v in directive.values)
        return f"{values} in {column.name} is read as missing ({counted(cells, 'cell')})"

    def _dedupe(self, directive: Dedupe) -> str:
        keys = directive.keys or tuple(c.name for c in self._card.columns)
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

    def _prefer_grain(self, directive: PreferGrain) -> str:
        if not self._card.by_role("time"):
            raise Misfit("there is no date column here")
        self.grain = directive.unit
        return f"time series are shown by {directive.unit}"

    def _column(self, name: str) -> Column:
        if not self._card.has(name):
            raise Misfit(f"there is no column {name!r} here")
        return self._card.column(name)

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
