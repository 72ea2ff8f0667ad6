"""Directives compiled into the views behind the analysis view, one stage a directive."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import duckdb
from pydantic import ValidationError

from datasets.directives import (
    DIRECTIVE,
    Dedupe,
    Directive,
    ExcludeRecent,
    FilterRows,
    MetricDefinition,
    NullSentinel,
    PreferGrain,
    UseColumn,
    Winsorize,
)
from datasets.measures import Grain
from datasets.predicates import Misfit
from datasets.schema import SchemaCard
from datasets.stages import Stages

# Cells are mended before rows are chosen, and quantiles are those of the rows that are left.
_ORDER: tuple[type, ...] = (
    NullSentinel, Dedupe, UseColumn, MetricDefinition, FilterRows, ExcludeRecent, Winsorize, PreferGrain,
)  # fmt: skip

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
    """The relation behind the view with its columns, the preferred grain, and what became of each directive."""

    relation: str
    card: SchemaCard
    rows: int
    grain: Grain | None
    applied: tuple[AppliedDirective, ...]
    not_applied: tuple[NotApplied, ...]


def compile_stages(con: duckdb.DuckDBPyConnection, card: SchemaCard, directives: Given) -> Compiled:
    """Create one view a directive on the connection, in the order of their kinds and not as they are given.

    What does not fit the schema, or would leave no row, is set aside with its reason and never raised.
    """
    compiling = _Compiling(Stages(con, card))
    known: list[tuple[str | None, Directive]] = []
    for memory_id, given in directives:
        try:
            directive = DIRECTIVE.validate_python(given)
        except ValidationError:
            document = dict(given) if isinstance(given, dict) else {"name": str(given)}
            reason = f"the directive {document.get('name')!r} is not known here, or its settings are not valid"
            compiling.not_applied.append(NotApplied(memory_id, document, reason))
            continue
        known.append((memory_id, directive))
    for kind in _ORDER:
        for memory_id, directive in known:
            if isinstance(directive, kind):
                compiling.add(memory_id, directive)
    return compiling.done()


class _Compiling:
    """What became of the directives so far; the same one given twice acts once."""

    def __init__(self, stages: Stages) -> None:
        self._stages = stages
        self._statements: dict[Directive, str] = {}
        self.applied: list[AppliedDirective] = []
        self.not_applied: list[NotApplied] = []

    def add(self, memory_id: str | None, directive: Directive) -> None:
        document = directive.model_dump(mode="json")
        try:
            if directive not in self._statements:
                self._statements[directive] = self._stages.apply(directive)
        except Misfit as misfit:
            self.not_applied.append(NotApplied(memory_id, document, str(misfit)))
        except (duckdb.Error, ValueError, TypeError) as error:
            reason = f"it cannot be applied to this data: {str(error).splitlines()[0]}"
            self.not_applied.append(NotApplied(memory_id, document, reason))
        else:
            self.applied.append(AppliedDirective(memory_id, document, self._statements[directive]))

    def done(self) -> Compiled:
        stages = self._stages
        return Compiled(
            stages.relation, stages.card, stages.rows, stages.grain, tuple(self.applied), tuple(self.not_applied)
        )
