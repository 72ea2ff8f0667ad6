"""The times of a survival step read from the view, as counts by group and time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from datasets.battery._rows.calendar import time_sql
from datasets.battery._rows.periods import moment_of
from datasets.battery._statistics.survival import Curve
from datasets.battery._survival.params import SECONDS, SurvivalParams, Unit
from datasets.errors import DatasetError
from datasets.measures import where
from datasets.schema import Column
from datasets.sql import ident, literal

if TYPE_CHECKING:
    from datasets.view import AnalysisView

_MOST_TIMES = 1_000_000
_FINE_TIMES, _FINE_ROWS = 4_000, 200_000
"""Times are told to a hundredth of their unit; to a tenth in many rows, and to a whole one over a long span."""
_UNITS: tuple[Unit, ...] = ("minutes", "hours", "days")
_NAMED: dict[str, Unit] = {"minute": "minutes", "hour": "hours", "day": "days", "week": "weeks", "month": "months",
                           "year": "years"}  # fmt: skip


@dataclass(frozen=True)
class Observed:
    """Curves by group; None is the group of all rows where none are compared.

    `unit`: of the times; None where a column of durations does not say. `until`: when waiting rows were last seen.
    `backwards`: rows that end before they start, and are left out. `mean_ended`: of those that had the event.
    `unit_known`: whether the data say the unit, and not only the question.
    """

    curves: dict[object, Curve]
    unit: Unit | None
    until: datetime | None
    backwards: int
    mean_ended: float | None
    unit_known: bool
    sql: str


def observe(params: SurvivalParams, view: AnalysisView) -> Observed:
    """Read how long each row was seen, and whether it then had the event.

    :raises DatasetError: when no row has a start, or none has the event.
    """
    unit, until, time, event, scope = (_dated if params.start else _measured)(params, view)
    by = "NULL" if params.by is None else ident(view.card.column(params.by).name)
    known = "" if params.by is None else f" AND {by} IS NOT NULL"
    sql = (
        f"SELECT {by} AS grp, {time} AS t, count(*) FILTER (WHERE {event}) AS ended,"
        f" count(*) FILTER (WHERE NOT ({event})) AS waiting FROM analysis{scope}{known} GROUP BY 1, 2 ORDER BY 1, 2"
    )
    rows = view.query(sql, limit_rows=_MOST_TIMES).rows
    backwards = sum(int(r[2]) + int(r[3]) for r in rows if r[1] < 0)
    kept = [r for r in rows if r[1] >= 0]
    groups: dict[object, list[tuple[float, int, int]]] = {}
    for group, t, ended, waiting in kept:
        groups.setdefault(group, []).append((float(t), int(ended), int(waiting)))
    curves = {
        group: Curve(*(np.array(column, dtype=np.float64) for column in zip(*counts, strict=True)))
        for group, counts in groups.items()
    }
    ended = sum(c.ended for c in curves.values())
    if backwards and not ended:
        raise DatasetError(f"all {backwards:,} rows that reach {params.end} do so before {params.start}")
    if not ended:
        what = params.end or (params.event.words if params.event else "")
        raise DatasetError(f"no row has reached {what}, so nothing can be said of how long it takes")
    mean = sum(float(c.times @ c.events) for c in curves.values()) / ended
    known_unit = params.duration is None or unit_named(view.card.column(params.duration)) is not None
    return Observed(curves, unit, until, backwards, mean, known_unit, sql)


def whole(curves: Mapping[Any, Curve]) -> Curve:
    """All groups as one."""
    times = np.unique(np.concatenate([c.times for c in curves.values()]))
    events, censored = np.zeros(len(times)), np.zeros(len(times))
    for curve in curves.values():
        places = np.searchsorted(times, curve.times)
        events[places] += curve.events
        censored[places] += curve.censored
    return Curve(times, events, censored)


def _dated(params: SurvivalParams, view: AnalysisView) -> tuple[Unit | None, datetime | None, str, str, str]:
    """Unit, when the data end, SQL of the time seen, SQL of whether the event came, and the scope."""
    start, end = time_sql(view, str(params.start)), time_sql(view, str(params.end))
    scope = where(params.filters, params.window, f"{start} IS NOT NULL")
    row = view.query(
        f"SELECT max(greatest({start}, {end})), quantile_cont(epoch({end}) - epoch({start}), 0.5), min({start})"
        f" FROM analysis{scope}"
    ).rows[0]
    if row[2] is None:
        raise DatasetError(f"no row has a value in {params.start!r}, so nothing can be said of how long it takes")
    newest, loaded = view.newest, view.as_loaded_newest
    clipped = newest is not None and loaded is not None and newest < loaded
    until = newest if clipped and newest is not None else moment_of(row[0])
    unit = params.unit or _suited(float(row[1] or 0.0))
    stop = f"TIMESTAMP {literal(until.isoformat(sep=' '))}"
    event = f"{end} IS NOT NULL AND {end} <= {stop}"
    seen = f"CASE WHEN {event} THEN {end} ELSE {stop} END"
    short = (until - moment_of(row[2])).total_seconds() / SECONDS[unit] < _FINE_TIMES
    digits = 0 if not short else 2 if view.rows <= _FINE_ROWS else 1
    time = f"round((epoch({seen}) - epoch({start})) / {SECONDS[unit]}, {digits})"
    return unit, until, time, event, scope


def _measured(params: SurvivalParams, view: AnalysisView) -> tuple[Unit | None, datetime | None, str, str, str]:
    column = view.card.column(str(params.duration))
    if not column.numeric or params.event is None:
        raise DatasetError(f"{params.duration!r} holds no numbers, so it cannot be how long a row was observed")
    unit = unit_named(column)
    factor = SECONDS[unit] / SECONDS[params.unit] if unit and params.unit else 1.0
    time = ident(column.name) if factor == 1.0 else f"round({ident(column.name)} * {factor!r}, 2)"
    scope = where(
        params.filters, params.window, f"{ident(column.name)} IS NOT NULL", f"({params.event.sql}) IS NOT NULL"
    )
    return params.unit or unit, None, f"({time})::DOUBLE", params.event.sql, scope


def unit_named(column: Column) -> Unit | None:
    """The unit that a column of durations says in its name, as in "tenure_months"."""
    words = {w.rstrip("s") for w in column.name.lower().replace("-", "_").replace(" ", "_").split("_")}
    return next((unit for word, unit in _NAMED.items() if word in words or column.unit == unit), None)


def _suited(median_seconds: float) -> Unit:
    for unit, up_to in zip(_UNITS, (3 * 3600.0, 3 * 86400.0), strict=False):
        if 0 < median_seconds < up_to:
            return unit
    return "days"
