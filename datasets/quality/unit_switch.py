"""r12: a measure that jumps by the factor between two units on one day, and stays there or comes back later.

Not a switch: a jump by another factor, or one within the usual noise.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from datasets.plain import number_text
from datasets.quality._detector import DataQualityFact, Detector, Outcome, Power, quality_claim
from datasets.quality._scan import DailyValues, Scan
from datasets.sql import ident

_FACTORS = {
    10: "", 100: "cents and units", 1_000: "thousands", 1_000_000: "millions", 60: "minutes and hours",
    3_600: "seconds and hours", 24: "hours and days", 12: "months and years", 28.3495: "ounces and grams",
    86_400: "seconds and days",
}  # fmt: skip
Logs = NDArray[np.float64]

_MINIMUM_DAYS = 10
_MINIMUM_JUMP = 0.8
_MADS = 6.0
_TOLERANCE = 0.06


def _run(scan: Scan) -> Outcome:
    outcome = Outcome()
    for name, values in scan.daily_values.items():
        if scan.daily is None or len(values.days) < 2 * _MINIMUM_DAYS:
            continue
        outcome.powered.append(Power("unit_switch", name))
        found = _switch(values) or _episode(values)
        if found is None:
            continue
        at, until, jump, factor = found
        day, up = values.days[at], jump > 0
        last = None if until is None else values.days[until].isoformat()
        span = f"From {day.isoformat()} on" if last is None else f"From {day.isoformat()} to {last}"
        other = "before" if last is None else "before and after"
        apart = "Values before and after" if last is None else "Values of then and of other days"
        then = f">= DATE '{day.isoformat()}'" if last is None else f"BETWEEN DATE '{day.isoformat()}' AND DATE '{last}'"
        units = f" (as between {_FACTORS[factor]})" if _FACTORS[factor] else ""
        times = f"{'×' if up else '÷'} {number_text(factor)}"
        c, t = ident(name), ident(scan.daily.column)
        outcome.facts.append(
            DataQualityFact(
                rule="r12",
                kind="unit_switch",
                column=name,
                statement=(
                    f"{span}, the usual size of {name} is {number_text(10 ** abs(jump))} times "
                    f"{'larger' if up else 'smaller'} than {other}, about {times}{units}; "
                    f"suspected change of its unit. {apart} are not to be added or compared."
                ),
                status="suspected",
                n=len(values.days),
                claim=quality_claim(
                    "unit_switch", name, number=factor, text=day.isoformat(), against=scan.daily.column
                ),
                sql=[
                    f"SELECT {t}::DATE {then} AS {'after' if last is None else 'then'}, median({c}) AS median, "
                    f"count({c}) AS values FROM analysis GROUP BY 1 ORDER BY 1"
                ],
            )
        )
    return outcome


class _Jump(NamedTuple):
    """First and last day of other size (None: it stays), the jump in powers of ten, and the factor it is."""

    at: int
    until: int | None
    jump: float
    factor: float


def _switch(values: DailyValues) -> _Jump | None:
    """The split that explains most."""
    at = np.flatnonzero(values.size > 0)
    logs = np.log10(values.size[at])
    n = len(logs)
    if n < 2 * _MINIMUM_DAYS:
        return None
    sums, k = np.cumsum(logs), np.arange(1, n)
    between = (sums[:-1] / k - (sums[-1] - sums[:-1]) / (n - k)) ** 2 * k * (n - k)
    between[: _MINIMUM_DAYS - 1] = between[n - _MINIMUM_DAYS :] = 0
    split = int(np.argmax(between)) + 1
    before, after = logs[:split], logs[split:]
    found = _between_units(before, after)
    return None if found is None else _Jump(int(at[split]), None, *found)


def _episode(values: DailyValues) -> _Jump | None:
    """The longest run of days of another size than the days around it."""
    at = np.flatnonzero(values.size > 0)
    logs = np.log10(values.size[at])
    away = np.abs(logs - np.median(logs)) > _MINIMUM_JUMP / 2
    ends = np.flatnonzero(np.diff(np.concatenate(([0], away.astype(int), [0]))))
    runs = [(int(a), int(b)) for a, b in zip(ends[::2], ends[1::2], strict=True)]
    start, stop = max(runs, key=lambda run: run[1] - run[0], default=(0, 0))
    if stop - start < _MINIMUM_DAYS or start < _MINIMUM_DAYS or len(logs) - stop < _MINIMUM_DAYS:
        return None
    found = _between_units(np.concatenate((logs[:start], logs[stop:])), logs[start:stop])
    return None if found is None else _Jump(int(at[start]), int(at[stop - 1]), *found)


def _between_units(before: Logs, after: Logs) -> tuple[float, float] | None:
    """The jump in powers of ten and the factor between two units that it is; None where it is neither clear nor one."""
    jump = float(np.median(after) - np.median(before))
    noise = 1.4826 * float(np.median(np.abs(np.concatenate((before - np.median(before), after - np.median(after))))))
    if abs(jump) < _MINIMUM_JUMP or abs(jump) < _MADS * noise:
        return None
    near = min(_FACTORS, key=lambda f: abs(math.log10(f) - abs(jump)))
    if abs(math.log10(near) - abs(jump)) > _TOLERANCE:
        return None
    return jump, near


DETECTOR = Detector("r12", "unit_switch", _run)
