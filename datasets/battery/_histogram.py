"""A histogram of values, counted in the database."""

import math
from collections.abc import Sequence

from datasets.charts import Bin, Spec, histogram_chart
from datasets.view import AnalysisView

_MOST_BINS, _FEWEST_BINS = 40, 8


def histogram_of(
    view: AnalysisView,
    values: str,
    *,
    title: str,
    x_title: str,
    marks: Sequence[tuple[str, float]] = (),
) -> Spec | None:
    """Draw the values of column v of a FROM clause; bins by Freedman and Diaconis, 8 to 40 of them.

    Marks outside the range are left out. None where there are fewer than two distinct values.
    """
    n, low, high, iqr = view.query(
        f"SELECT count(v), min(v), max(v), quantile_cont(v, 0.75) - quantile_cont(v, 0.25) {values}"
    ).rows[0]
    if not n or low is None or not float(low) < float(high):
        return None
    low, high = float(low), float(high)
    ideal = 2 * float(iqr) / int(n) ** (1 / 3)
    count = _FEWEST_BINS if ideal <= 0 else math.ceil((high - low) / ideal)
    count = max(_FEWEST_BINS, min(_MOST_BINS, count))
    width = (high - low) / count
    if width <= 0 or not math.isfinite(width):
        return None
    rows = view.query(
        f"SELECT least({count - 1}, floor((v - {low!r}) / {width!r})::INTEGER) AS bin, count(*) AS n "
        f"{values} GROUP BY 1"
    ).rows
    found = {int(b): int(c) for b, c in rows}
    bins = [Bin(low + i * width, low + (i + 1) * width, found.get(i, 0)) for i in range(count)]
    shown = [(name, at) for name, at in marks if low <= at <= high]
    return histogram_chart(bins, title=title, x_title=x_title, marks=shown)
