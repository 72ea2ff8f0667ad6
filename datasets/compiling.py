"""Directives compiled into the SELECT behind the analysis view."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from datasets.directives import DIRECTIVE, Dedupe, Directive, ExcludeRecent, FilterRows, NullSentinel, PreferGrain
from datasets.loading import ROW, TABLE
from datasets.measures import Filter, Grain, Value
from datasets.schema import Column, SchemaCard
from datasets.sql import ident, literal, literals

_ORDER = (NullSentinel, Dedupe, FilterRows, ExcludeRecent, PreferGrain)


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
    """The SELECT behind the view, and what went into it."""

    select: str
    applied: tuple[AppliedDirective, ...] = ()
    not_applied: tuple[NotApplied, ...] = ()
    grain: Grain | None = None
    clips: bool = field(default=False)


def compile_view(
    card: SchemaCard, directives: Sequence[tuple[str | None, Directive | dict[str, Any]]] = ()
) -> Compiled:
    """Compile in the order null_sentinel, dedupe, filter, exclude_recent; what does not fit is set aside, not raised."""
    columns = ", ".join(ident(c.name) for c in card.columns)
    return Compiled(f"SELECT {columns} FROM store.main.{TABLE}")
