"""Expected rows per day, and how unusual the newest days are against the series' own past.

The tail is judged in open days (weekdays on which rows usually arrive). Each day is compared with a level taken from
the 28 open days that end 14 days before it, so the tail never sets its own yardstick, and each tail length with the
same length everywhere in the past, so that noise, autocorrelation and holidays raise the bar by themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray
from scipy.stats import theilslopes

Floats = NDArray[np.float64]

MINIMUM_SPAN_DAYS = 56
MINIMUM_ROWS_PER_DAY = 4.0
LONGEST_LAG_OPEN_DAYS = 7
_LEVEL_DAYS = 28
_SHORTEST_LEVEL_DAYS = 14
_GAP_DAYS = 14
_LONGEST_TAIL_DAYS = 14
_HISTORY_DAYS = 1_500
_TREND_DAYS = 120
_CLOSED_BELOW = 0.25
_SETTLED_DAYS = 100
_CLEARLY_SHORT = 3.0
_ABOVE_PAST = 1.15
_THRESHOLD, _THRESHOLD_SHORT = 3.5, 4.0
"""With fewer than 100 open days the past shows too little of its own noise, so more is asked of the tail."""


class EdgeTail(NamedTuple):
    """The newest days that look incomplete."""

    days: int
    """Calendar days from the first incomplete day to the newest, both included."""
    observed: list[int]
    """Rows of each open day in the tail, oldest first."""
    expected: float
    """Mean expected rows of an open day in the tail."""
    score: float


@dataclass(frozen=True)
class EdgeReading:
    """The verdict on the edge of one series. `powered`: long and dense enough that a lag would have shown."""

    powered: bool
    tail: EdgeTail | None = None


def read_edge(rows: NDArray[np.int64], weekday_of_first: int, *, last_day_share: float = 1.0) -> EdgeReading:
    """Look for missing rows at the newest end of a dense daily series.

    `last_day_share`: the part of a usual day that lies before the newest time of day, for feeds that stop intraday.
    """
    if len(rows) < MINIMUM_SPAN_DAYS:
        return EdgeReading(powered=False)
    skipped = max(0, len(rows) - _HISTORY_DAYS)
    counts = rows[skipped:].astype(np.float64)
    weekday = (weekday_of_first + skipped + np.arange(len(counts))) % 7
    factor = _weekday_factors(counts, weekday)
    is_open = factor[weekday] >= _CLOSED_BELOW
    at = np.flatnonzero(is_open)
    n, f = counts[is_open], factor[weekday][is_open]
    if len(n) < MINIMUM_SPAN_DAYS * 5 / 7:
        return EdgeReading(powered=False)
    expected = _expected(n, f)
    if at[-1] == len(counts) - 1:
        expected[-1] *= last_day_share
    usual = float(np.mean(expected[-_LONGEST_TAIL_DAYS:]))
    if usual < MINIMUM_ROWS_PER_DAY or np.mean(n[:-_GAP_DAYS][-180:] == 0) > 0.1:
        return EdgeReading(powered=False)
    shortfall = _shortfalls(n, expected)
    k = int(np.argmax(shortfall.newest)) + 1
    seen, due = n[-k:], expected[-k:]
    score = float(np.max(shortfall.newest / shortfall.spread))
    incomplete = (
        score > (_THRESHOLD if len(n) >= _SETTLED_DAYS else _THRESHOLD_SHORT)
        and score > _ABOVE_PAST * shortfall.past_maximum
        and k <= LONGEST_LAG_OPEN_DAYS
        and seen.sum() <= 0.75 * due.sum()
        and seen[-1] < 0.7 * due[-1]
    )
    if not incomplete:
        return EdgeReading(powered=True)
    k = _with_partly_filled_days(n, expected, k, float(shortfall.spread[0]))
    seen, due = n[-k:], expected[-k:]
    days = int(len(counts) - at[-k])
    tail = EdgeTail(days, [int(x) for x in seen], float(due.mean()), score)
    return EdgeReading(powered=True, tail=tail)


def _weekday_factors(counts: Floats, weekday: NDArray[np.int64]) -> Floats:
    """Median rows of each weekday against the mean of those medians, shrunk to 1 as far as chance explains them."""
    past, day = counts[:-_GAP_DAYS][-364:], weekday[:-_GAP_DAYS][-364:]
    groups = [past[day == d] for d in range(7)]
    medians = np.array([np.median(g) for g in groups])
    mean = float(medians.mean())
    if mean <= 0:
        return np.ones(7)
    raw = medians / mean
    within = np.mean([(1.4826 * np.median(np.abs(g - m))) ** 2 / len(g) for g, m in zip(groups, medians, strict=True)])
    noise = 1.57 * max(float(within), mean / (len(past) / 7)) / mean**2
    spread = float(np.var(raw, ddof=1))
    keep = max(0.0, 1.0 - noise / spread) if spread > 0 else 0.0
    return 1.0 + (raw - 1.0) * keep


def _expected(n: Floats, factor: Floats) -> Floats:
    """Level before each day x weekday x drift; NaN where the past is too short."""
    flat = n / factor
    size = len(flat)
    level = np.full(size, np.nan)
    centre = np.full(size, np.nan)
    for length in (_SHORTEST_LEVEL_DAYS, _LEVEL_DAYS):
        if size > length + _GAP_DAYS:
            windows = np.sort(sliding_window_view(flat, length)[: size - length - _GAP_DAYS + 1], axis=1)
            cut = length // 7
            to = np.arange(length + _GAP_DAYS - 1, size)
            level[to] = windows[: len(to), cut:-cut].mean(axis=1)
            centre[to] = _GAP_DAYS + (length - 1) / 2
    return level * factor * np.exp(_drift(flat) * centre)


def _drift(flat: Floats) -> float:
    """Log change per open day before the edge; 0 unless its interval excludes 0."""
    recent = np.log(flat[:-_GAP_DAYS][-_TREND_DAYS:] + 0.5)
    slope, _, low, high = theilslopes(recent, np.arange(len(recent)), alpha=0.95)
    return float(slope) if low > 0 or high < 0 else 0.0


class _Shortfalls(NamedTuple):
    newest: Floats
    """Shortfall of the newest k days for k = 1 ... 14, against the usual one."""
    spread: Floats
    """How far it usually strays, for each k."""
    past_maximum: float
    """The largest one of the past, in units of its spread."""


def _shortfalls(n: Floats, expected: Floats) -> _Shortfalls:
    """Anscombe's root transform of what the newest k days lack.

    The spread is the MAD over the past, never below 1, which is what chance alone gives to Poisson counts.
    """
    known = int(np.argmax(~np.isnan(expected)))
    total_n = np.concatenate(([0.0], np.cumsum(n[known:])))
    total_e = np.concatenate(([0.0], np.cumsum(expected[known:])))
    newest = np.zeros(_LONGEST_TAIL_DAYS)
    spread = np.ones(_LONGEST_TAIL_DAYS)
    past_maximum = 0.0
    for k in range(1, _LONGEST_TAIL_DAYS + 1):
        short = _lack(total_n[k:] - total_n[:-k], total_e[k:] - total_e[:-k])
        past = short[: len(short) - LONGEST_LAG_OPEN_DAYS]
        if len(past) == 0:
            continue
        usual = float(np.median(past))
        spread[k - 1] = max(1.0, 1.4826 * float(np.median(np.abs(past - usual))))
        newest[k - 1] = short[-1] - usual
        past_maximum = max(past_maximum, float(np.max(past) - usual) / float(spread[k - 1]))
    return _Shortfalls(newest, spread, past_maximum)


def _lack(seen: Floats, due: Floats) -> Floats:
    lack: Floats = 2.0 * (np.sqrt(due + 0.375) - np.sqrt(seen + 0.375))
    return lack


def _with_partly_filled_days(n: Floats, expected: Floats, k: int, spread: float) -> int:
    """Extend the tail over earlier days that are clearly short themselves: a lag that fills in slowly."""
    while k < LONGEST_LAG_OPEN_DAYS:
        seen, due = n[-k - 1 : -k], expected[-k - 1 : -k]
        if seen[0] > 0.8 * due[0] or _lack(seen, due)[0] < _CLEARLY_SHORT * spread:
            break
        k += 1
    return k
