"""Find the step kinds, make steps and run them."""

import pkgutil
import time
from functools import cache
from importlib import import_module
from typing import Any

import duckdb
from pydantic import BaseModel, ValidationError

from datasets.battery._kind import StepKind
from datasets.battery._running.clean import clean
from datasets.battery._running.doubts import doubted
from datasets.battery._running.quoting import quote_names
from datasets.errors import DatasetError
from datasets.evidence import StepResult, Subject
from datasets.steps import Step
from datasets.view import AnalysisView

_PACKAGE = "datasets.battery"


@cache
def step_kinds() -> dict[str, StepKind[Any]]:
    """Return every step kind by name: each public module of the package that has a `KIND`."""
    kinds: dict[str, StepKind[Any]] = {}
    for info in pkgutil.iter_modules(import_module(_PACKAGE).__path__):
        if info.name.startswith("_"):
            continue
        kind = getattr(import_module(f"{_PACKAGE}.{info.name}"), "KIND", None)
        if isinstance(kind, StepKind):
            kinds[kind.name] = kind
    return dict(sorted(kinds.items()))


def make_step(
    kind: str,
    params: dict[str, Any] | BaseModel,
    *,
    reason: str = "",
    stated: bool = False,
    builds_on: str | None = None,
) -> Step:
    """Validate parameters and return the step in canonical form: JSON-able, defaults left out.

    :raises DatasetError: for an unknown kind or parameters that do not fit it; the message names both.
    """
    model = _kind(kind).params
    given = params.model_dump(mode="json") if isinstance(params, BaseModel) else params
    parsed = _parse(kind, model, given)
    # Twice, because text such as an ISO time may settle on another member of a union when it is read back.
    normal = _parse(kind, model, parsed.model_dump(mode="json", exclude_defaults=True))
    return Step(
        kind=kind,
        params=normal.model_dump(mode="json", exclude_defaults=True),
        reason=reason,
        stated=stated,
        builds_on=builds_on,
    )


def run_step(step: Step, view: AnalysisView, *, confirming: Subject | None = None) -> StepResult:
    """Run one step on a view and account for its rows, cells and seconds.

    `confirming`: the subject of the one claim that is tested again; the step then reads only what that claim needs.

    Never raises for what the data or the parameters are at fault for: the result then says `skipped`.
    """
    started = time.perf_counter()
    view.meter.take()
    try:
        kind = _kind(step.kind)
        params = _parse(step.kind, kind.params, step.params)
        if confirming is not None and kind.confirm is not None:
            result = kind.confirm(params, view, confirming)
        else:
            result = kind.run(params, view)
    except DatasetError as error:
        result = _skipped(str(error))
    except (duckdb.Error, ValueError, ArithmeticError) as error:
        result = _skipped(f"could not be measured: {error}")
    rows, cells = view.meter.take()
    named = quote_names(doubted(result, view.card), (c.name for c in view.card.columns))
    return clean(named).model_copy(
        update={
            "kind": step.kind,
            "signature": step.signature,
            "rows_scanned": int(rows),
            "cells_read": int(cells),
            "seconds": round(time.perf_counter() - started, 6),
        }
    )


def _kind(name: str) -> StepKind[Any]:
    kinds = step_kinds()
    if name not in kinds:
        raise DatasetError(f"no step kind {name!r}; there are: {', '.join(kinds)}")
    return kinds[name]


def _parse(kind: str, model: type[BaseModel], params: dict[str, Any]) -> BaseModel:
    try:
        return model.model_validate(params)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "parameters"
        raise DatasetError(f"step {kind!r}: {where}: {first['msg']} (got {first.get('input')!r})") from error


def _skipped(reason: str) -> StepResult:
    return StepResult(kind="", signature="", skipped=reason)
