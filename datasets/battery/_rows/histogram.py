"""A histogram of values, counted in the database."""

import math
from collections.abc import Sequence

from datasets.battery._rows.tally import Tally
from datasets.charts import Bin, Spec, histogram_chart
from datasets.plain import number_text
from datasets.view import AnalysisView

_MOST_BINS, _FEWEST_BINS = 40, 8
_CRUSHED = 0.2
_FAR = 10.0
_LEVELS = (0.01, 0.25, 0.75, 0.99)


def histogram_of(
    view: AnalysisView,
    values: Tally,
    *,
    title: str,
    x_title: str,
    marks: Sequence[tuple[str, float]] = (),
) -> Spec | None:
    """Draw values; bins by Freedman and Diaconis, 8 to 40 of them.

    Where a few far values would crush all others into a bar or two, one bar each counts all values above, or below, the
    rest. Marks outside the range are left out. None where there are fewer than two distinct values.
    """
    n, low, high, quartiles = view.query(
        f"SELECT {values.count()}, min(v), max(v), {values.quantiles(_LEVELS)} FROM {values.rows}"
    ).rows[0]
    if not n or low is None or not float(low) < float(high):
        return None
    p1, q1, q3, p99 = (float(q) for q in quartiles)
    least, most = float(low), float(high)
    if not math.isfinite(most - least):
        return None
    low, high = _shown(view, values, (least, p1, q1, q3, p99, most), [at for _, at in marks])
    ideal = 2 * (q3 - q1) / int(n) ** (1 / 3)
    count = _FEWEST_BINS if ideal <= 0 else math.ceil((high - low) / ideal)
    count = max(_FEWEST_BINS, min(_MOST_BINS, count))
    width = (high - low) / count
    if width <= 0 or not math.isfinite(width):
        return None
    rows = view.query(
        f"SELECT least({count - 1}, floor((v - {low!r}) / {width!r})::INTEGER) AS bin, {values.count()} AS n "
        f"FROM {values.rows} WHERE v BETWEEN {low!r} AND {high!r} GROUP BY 1"
    ).rows
    found = {int(b): int(c) for b, c in rows}
    bins = [Bin(low + i * width, low + (i + 1) * width, found.get(i, 0)) for i in range(count)]
    if low > least or high < most:
        below, above = view.query(
            f"SELECT {values.count(f'v < {low!r}')}, {values.count(f'v > {high!r}')} FROM {values.rows}"
        ).rows[0]
        bins += [Bin(low - width, low, int(below), f"below {_edge(low)}")] if below else []
        bins += [Bin(high, high + width, int(above), f"above {_edge(high)}")] if above else []
    shown = [(name, at) for name, at in marks if low <= at <= high]
    return histogram_chart(bins, title=title, x_title=x_title, marks=shown)


def _shown(
    view: AnalysisView, values: Tally, places: tuple[float, float, float, float, float, float], marks: Sequence[float]
) -> tuple[float, float]:
    """The range that bins cover: all of it, unless a fifth of it holds all but the far values.

    `places`: the lowest value, 1st percentile, quartiles, 99th percentile, the highest value.
    """
    least, p1, q1, q3, p99, most = places
    reach = _FAR * (q3 - q1)
    # Of few values, the 99th percentile is nearly the outlier itself.
    from_, to = (max(p1, q1 - reach), min(p99, q3 + reach)) if reach > 0 else (p1, p99)
    inner = f"SELECT min(v), max(v) FROM {values.rows} WHERE v BETWEEN {from_!r} AND {to!r}"
    low, high = view.query(inner).rows[0]
    if low is None or not 0 < float(high) - float(low) < _CRUSHED * (most - least):
        return least, most
    low, high = float(low), float(high)
    core = high - low
    start = min([low, *(at for at in marks if low - core <= at)]) if low - least > core else least
    end = max([high, *(at for at in marks if at <= high + core)]) if most - high > core else most
    return start, end


def _edge(value: float) -> str:
    return number_text(round(value, 2) if abs(value) >= 1 else float(f"{value:.3g}"))
