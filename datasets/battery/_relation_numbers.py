"""Two measures side by side, summarised in the database: correlations, fitted line, robustness, bins."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from datasets.battery._numeric import numeric_sql
from datasets.errors import DatasetError
from datasets.measures import Filter, Measure, Window, where
from datasets.schema import Column
from datasets.sql import ident

if TYPE_CHECKING:
    from datasets.view import AnalysisView

_FENCE = 3.0
_MOST_RANKED_VALUES = 100_000


@dataclass(frozen=True)
class Axis:
    """A measure as numbers: dates count in days. `temporal`: a date or a year."""

    measure: Measure
    sql: str
    temporal: bool

    @property
    def words(self) -> str:
        """How a person would say it."""
        return self.measure.words


@dataclass(frozen=True)
class Pair:
    """Two measures over the same rows."""

    x: Axis
    y: Axis
    filters: tuple[Filter, ...] = ()
    window: Window | None = None

    def base(self, *extra: str) -> str:
        """WITH clause of `base`: rows with both values as x and y, and further expressions as named."""
        more = "".join(f", {sql}" for sql in extra)
        kept = where(self.filters, self.window)
        return (
            f"WITH base AS (SELECT * FROM (SELECT ({self.x.sql})::DOUBLE AS x, ({self.y.sql})::DOUBLE AS y{more}"
            f" FROM analysis{kept}) WHERE x IS NOT NULL AND y IS NOT NULL)"
        )


@dataclass(frozen=True)
class Correlated:
    """What one pass says of a pair. `rho` is Spearman's; `top_x` and `top_y` are shares of the most frequent value."""

    n: int
    r: float
    rho: float
    slope: float
    intercept: float
    mean_x: float
    mean_y: float
    low_x: float
    high_x: float
    distinct_x: int
    top_x: float
    top_y: float
    same: bool
    sql: tuple[str, ...]


@dataclass(frozen=True)
class Checks:
    """Correlations under robustness checks; None where there is too little to check.

    `inside` leaves outliers out, `halves` are the earlier and the later rows, `partial` holds the time constant,
    `steps` relates the changes from one row to the next in time.
    """

    inside: tuple[float, int] | None
    halves: tuple[float, ...]
    time: str | None = None
    x_time: float = 0.0
    y_time: float = 0.0
    partial: float | None = None
    steps: tuple[float, int] | None = None


def axis_of(view: AnalysisView, measure: Measure) -> Axis:
    """Read a measure as numbers.

    :raises DatasetError: when it holds none.
    """
    if measure.kind == "column" and view.card.column(measure.columns[0]).temporal:
        return Axis(measure, f"epoch({ident(measure.columns[0])}::TIMESTAMP) / 86400.0", True)
    year = measure.kind == "column" and is_time(view.card.column(measure.columns[0]))
    return Axis(measure, numeric_sql(view.card, measure).sql, year)


def is_time(column: Column) -> bool:
    """Whether a column is a date, or a number that is read as a year."""
    if column.temporal:
        return True
    try:
        ends = [float(v) for v in (column.minimum, column.maximum) if v is not None]
    except ValueError:
        return False
    return column.role == "dimension" and column.numeric and len(ends) == 2 and min(ends) >= 1000 and max(ends) <= 2999


def _few_values(view: AnalysisView, pair: Pair) -> bool:
    """Whether both measures are columns that repeat their values, so that ranking the values is the shorter way."""
    return all(
        axis.measure.kind == "column" and view.card.column(axis.measure.columns[0]).distinct <= _MOST_RANKED_VALUES
        for axis in (pair.x, pair.y)
    )


def _ranks_of_rows(pair: Pair) -> str:
    return (
        f"{pair.base()}, ranked AS (SELECT rank() OVER (ORDER BY x) + (count(*) OVER (PARTITION BY x) - 1) / 2.0 AS a,"
        f" rank() OVER (ORDER BY y) + (count(*) OVER (PARTITION BY y) - 1) / 2.0 AS b FROM base)"
        f" SELECT corr(a, b) FROM ranked"
    )


def _ranks_of_values(pair: Pair) -> str:
    """The same number from pairs of values and how often they occur."""

    def centred(v: str) -> str:
        rank = f"sum(sum(k)) OVER (ORDER BY {v}) - (sum(k) - 1) / 2.0"
        return f"SELECT {v}, {rank} - (sum(sum(k)) OVER () + 1) / 2.0 AS rank FROM pairs GROUP BY {v}"

    return (
        f"{pair.base()}, pairs AS (SELECT x, y, count(*)::DOUBLE AS k FROM base GROUP BY x, y),"
        f" by_x AS ({centred('x')}), by_y AS ({centred('y')})"
        f" SELECT sum(k * by_x.rank * by_y.rank) / sqrt(sum(k * by_x.rank ** 2) * sum(k * by_y.rank ** 2))"
        f" FROM pairs JOIN by_x USING (x) JOIN by_y USING (y)"
    )


def correlate(view: AnalysisView, pair: Pair) -> Correlated:
    """Correlate two measures over all rows that have both.

    :raises DatasetError: below four rows, and for a constant, with the sentence that says so.
    """
    sql = (
        f"{pair.base()} SELECT count(*), corr(y, x), regr_slope(y, x), regr_intercept(y, x), avg(x), avg(y), min(x),"
        f" max(x), min(y), max(y), count(DISTINCT x), count(*) FILTER (WHERE x = y),"
        f" count(*) FILTER (WHERE x = mx), count(*) FILTER (WHERE y = my)"
        f" FROM base, (SELECT mode(x) AS mx, mode(y) AS my FROM base)"
    )
    row = view.query(sql).rows[0]
    n = int(row[0])
    if n < 4:
        rows = "row has" if n == 1 else "rows have"
        raise DatasetError(f"only {n} {rows} both {pair.x.words} and {pair.y.words}; too few for a relation")
    for axis, low, high in ((pair.x, row[6], row[7]), (pair.y, row[8], row[9])):
        if low == high:
            raise DatasetError(f"{axis.words} is constant in the {n:,} rows, so it cannot be related to anything")
    ranks = _ranks_of_values(pair) if _few_values(view, pair) else _ranks_of_rows(pair)
    rho = view.query(ranks).rows[0][0]
    r, slope, intercept = (float(v) for v in row[1:4])
    if not all(math.isfinite(v) for v in (r, slope, intercept)):
        raise DatasetError(f"the values of {pair.x.words} and {pair.y.words} are too close together to be correlated")
    return Correlated(
        n=n, r=r, rho=float(rho), slope=slope, intercept=intercept, mean_x=float(row[4]), mean_y=float(row[5]),
        low_x=float(row[6]), high_x=float(row[7]), distinct_x=int(row[10]), same=int(row[11]) == n,
        top_x=int(row[12]) / n, top_y=int(row[13]) / n, sql=(sql, ranks),
    )  # fmt: skip


def check(view: AnalysisView, pair: Pair) -> Checks:
    """Repeat the correlation without outliers, in two halves, and with time held constant."""
    time = view.card.time_column
    timed = time is not None and time not in {*pair.x.measure.columns, *pair.y.measure.columns}
    moment = f"epoch({ident(time)}::TIMESTAMP)" if timed and time is not None else "NULL::DOUBLE"
    order = f"ORDER BY {ident(time)}" if timed and time is not None else ""
    half = f"ntile(2) OVER ({order})" if timed else "row_number() OVER () % 2 + 1"
    fences = ", ".join(
        f"quantile_cont({c}, 0.25) - {_FENCE} * (quantile_cont({c}, 0.75) - quantile_cont({c}, 0.25)) AS {c}_low,"
        f" quantile_cont({c}, 0.75) + {_FENCE} * (quantile_cont({c}, 0.75) - quantile_cont({c}, 0.25)) AS {c}_high"
        for c in "xy"
    )
    inside = "(x BETWEEN x_low AND x_high AND y BETWEEN y_low AND y_high)"
    sql = (
        f"{pair.base(f'{moment} AS t', f'{half} AS half')}, fences AS (SELECT {fences} FROM base)"
        f" SELECT corr(y, x) FILTER (WHERE {inside}), count(*) FILTER (WHERE {inside}),"
        f" corr(y, x) FILTER (WHERE half = 1), corr(y, x) FILTER (WHERE half = 2), corr(x, t), corr(y, t), corr(y, x),"
        f" count(DISTINCT t), count(*) FROM base, fences"
    )
    r_in, n_in, first, second, rxt, ryt, r, moments, n = view.query(sql).rows[0]
    ends = (None, 0.0, 0.0) if not timed else (time, _finite(rxt) or 0.0, _finite(ryt) or 0.0)
    partial, steps = None, None
    if timed and min(abs(ends[1]), abs(ends[2])) >= 0.4:
        rest = (1 - ends[1] ** 2) * (1 - ends[2] ** 2)
        partial = (float(r) - ends[1] * ends[2]) / math.sqrt(rest) if rest > 1e-12 else None
        steps = _steps(view, pair, moment) if int(moments) >= 0.9 * int(n) else None
    kept = _finite(r_in)
    halves = tuple(h for h in (_finite(first), _finite(second)) if h is not None)
    return Checks((kept, int(n_in)) if kept is not None else None, halves, *ends, partial=partial, steps=steps)


def _steps(view: AnalysisView, pair: Pair, moment: str) -> tuple[float, int] | None:
    sql = (
        f"{pair.base(f'{moment} AS t')}, steps AS (SELECT x - lag(x) OVER (ORDER BY t) AS dx,"
        f" y - lag(y) OVER (ORDER BY t) AS dy FROM base WHERE t IS NOT NULL)"
        f" SELECT corr(dy, dx), count(*) FROM steps WHERE dx IS NOT NULL"
    )
    r, n = view.query(sql).rows[0]
    found = _finite(r)
    return None if found is None else (found, int(n))


def bins(view: AnalysisView, pair: Pair, count: int = 10) -> tuple[list[tuple[float, float, float, int]], str]:
    """The average of y in `count` equally full bins of x, as (lowest x, highest x, mean of y, rows); also the SQL."""
    sql = (
        f"{pair.base()}, placed AS (SELECT x, y, ntile({count}) OVER (ORDER BY x) AS bin FROM base)"
        f" SELECT min(x), max(x), avg(y), count(*) FROM placed GROUP BY bin ORDER BY bin"
    )
    return [(float(a), float(b), float(m), int(n)) for a, b, m, n in view.query(sql).rows], sql


def means_outside(view: AnalysisView, pair: Pair, low: float, high: float) -> tuple[float | None, float | None]:
    """The average of y where x ≤ low and where x > high."""
    sql = f"{pair.base()} SELECT avg(y) FILTER (WHERE x <= {low!r}), avg(y) FILTER (WHERE x > {high!r}) FROM base"
    row = view.query(sql).rows[0]
    return _finite(row[0]), _finite(row[1])


def cells(view: AnalysisView, pair: Pair, found: Correlated, *, side: int = 24) -> list[tuple[float, float, int]]:
    """Points of a scatter as (x, y, rows): single ones up to 300 rows, else on a grid of `side` steps each way."""
    if found.n <= 300:
        rows = view.query(f"{pair.base()} SELECT x, y, count(*) FROM base GROUP BY 1, 2 ORDER BY 1, 2").rows
        return [(float(x), float(y), int(n)) for x, y, n in rows]
    sql = (
        f"{pair.base()}, ends AS (SELECT min(x) AS x0, (max(x) - min(x)) / {side} AS wx, min(y) AS y0,"
        f" (max(y) - min(y)) / {side} AS wy FROM base)"
        f" SELECT avg(x), avg(y), count(*) FROM base, ends"
        f" GROUP BY floor((x - x0) / wx), floor((y - y0) / wy) ORDER BY 1, 2"
    )
    return [(float(x), float(y), int(n)) for x, y, n in view.query(sql).rows]


def by_group(
    view: AnalysisView, pair: Pair, dimension: str, keys: Sequence[str] = ()
) -> tuple[list[tuple[str, float, int]], str]:
    """The correlation in each group of a dimension as (group, r, n), the largest group first; also the SQL."""
    sql = (
        f"{pair.base(f'{ident(dimension)}::VARCHAR AS g')} SELECT g, corr(y, x), count(*) FROM base"
        f" WHERE g IS NOT NULL GROUP BY g HAVING count(*) >= 4 AND min(x) < max(x) AND min(y) < max(y)"
        f" ORDER BY 3 DESC, 1 LIMIT 51"
    )
    rows = view.query(sql).rows
    found = [(str(g), r, int(n)) for g, value, n in rows if (r := _finite(value)) is not None]
    return [f for f in found if not keys or f[0] in keys], sql


def _finite(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and math.isfinite(value) else None
