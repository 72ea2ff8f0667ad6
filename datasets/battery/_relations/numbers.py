"""Two measures side by side, summarised in the database: correlations, fitted line, robustness, bins."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from datasets.battery._rows.numeric import numeric_sql
from datasets.errors import DatasetError
from datasets.measures import Filter, Measure, Window, where
from datasets.schema import Column
from datasets.sql import ident

if TYPE_CHECKING:
    from datasets.view import AnalysisView

_FENCE = 3.0
_BINS, _SIDE, _POINTS = 10, 24, 300
# Correlated that far with time, two measures are related through it, and have to be related beyond it, too.
_TIED_TO_TIME = 0.4
_FIGURES = (
    "n", "r", "rho", "slope", "intercept", "mean_y", "low_x", "high_x", "low_y", "high_y", "distinct_x", "same",
    "top_x", "top_y", "r_inside", "n_inside", "r_first", "r_second", "r_xt", "r_yt", "moments", "bins", "cells",
)  # fmt: skip


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
        both = f"({self.x.sql})::DOUBLE AS x, ({self.y.sql})::DOUBLE AS y{more}"
        return (
            f"WITH base AS NOT MATERIALIZED (SELECT * FROM (SELECT {both} FROM analysis{kept})"
            f" WHERE x IS NOT NULL AND y IS NOT NULL)"
        )


class Bin(NamedTuple):
    """A tenth of the rows by x: its ends, the average of y in it, and its rows."""

    low: float
    high: float
    mean: float
    n: int


@dataclass(frozen=True)
class Checks:
    """Correlations under robustness checks; None where there is too little to check.

    `inside` leaves outliers out, `halves` are the earlier and the later rows. Where both move with `time`, `partial`
    holds it constant and `steps` relates the changes from one row to the next.
    """

    inside: tuple[float, int] | None
    halves: tuple[float, ...]
    time: str | None = None
    partial: float | None = None
    steps: tuple[float, int] | None = None


@dataclass(frozen=True)
class Correlated:
    """What one pass says of a pair. `rho` is Spearman's; `top_x` and `top_y` are shares of the most frequent value.

    `cells` are the points of a scatter as (x, y, rows).
    """

    n: int
    r: float
    rho: float
    slope: float
    intercept: float
    mean_y: float
    low_x: float
    high_x: float
    distinct_x: int
    top_x: float
    top_y: float
    same: bool
    bins: tuple[Bin, ...]
    cells: tuple[tuple[float, float, int], ...]
    checks: Checks
    sql: str


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


def correlate(view: AnalysisView, pair: Pair) -> Correlated:
    """Relate two measures over all rows that have both: one pass for coefficients, checks, bins and chart.

    :raises DatasetError: below four rows, and for a constant, with the sentence that says so.
    """
    time = view.card.time_column
    if time in {*pair.x.measure.columns, *pair.y.measure.columns}:
        time = None
    sql = _pass_sql(pair, time)
    row = dict(zip(_FIGURES, view.query(sql).rows[0], strict=True))
    n = int(row["n"])
    if n < 4:
        rows = "row has" if n == 1 else "rows have"
        raise DatasetError(f"only {n} {rows} both {pair.x.words} and {pair.y.words}; too few for a relation")
    for axis, low, high in ((pair.x, row["low_x"], row["high_x"]), (pair.y, row["low_y"], row["high_y"])):
        if low == high:
            raise DatasetError(f"{axis.words} is constant in the {n:,} rows, so it cannot be related to anything")
    r, rho, slope, intercept = (float(row[name]) for name in ("r", "rho", "slope", "intercept"))
    if not all(math.isfinite(v) for v in (r, rho, slope, intercept)):
        raise DatasetError(f"the values of {pair.x.words} and {pair.y.words} are too close together to be correlated")
    return Correlated(
        n=n, r=r, rho=rho, slope=slope, intercept=intercept, mean_y=float(row["mean_y"]),
        low_x=float(row["low_x"]), high_x=float(row["high_x"]), distinct_x=int(row["distinct_x"]),
        same=int(row["same"]) == n, top_x=int(row["top_x"]) / n, top_y=int(row["top_y"]) / n,
        bins=tuple(Bin(float(b["low"]), float(b["high"]), float(b["mean"]), int(b["n"])) for b in row["bins"]),
        cells=tuple((float(c["x"]), float(c["y"]), int(c["n"])) for c in row["cells"]),
        checks=_checks(view, pair, time, row), sql=sql,
    )  # fmt: skip


def _pass_sql(pair: Pair, time: str | None) -> str:
    """One statement over the two measures, and the time where there is one.

    Places in an order (ranks, halves, tenths) come from how often each value occurs, so that rows stream through and a
    table of any length fits into memory; equal values share a place.

    Points of the chart are single ones up to _POINTS rows, else they lie on a grid of _SIDE steps each way.
    """
    extra = ["row_number() OVER () % 2 + 1 AS half"]
    if time is not None:
        extra = [f"{_moment(time)} AS t"]
    ends = ", ".join(
        f"{c}_ends AS (SELECT {c}1 - {_FENCE} * ({c}3 - {c}1) AS {c}_low, {c}3 + {_FENCE} * ({c}3 - {c}1) AS {c}_high,"
        f" {c}0, {c}w, {c}_top, total FROM (SELECT min({c}) AS {c}0, (max({c}) - min({c})) / {_SIDE} AS {c}w,"
        f" min({c}) FILTER ({c}_rank >= 0.25 * {c}_all) AS {c}1, min({c}) FILTER ({c}_rank >= 0.75 * {c}_all) AS {c}3,"
        f" arg_max({c}, {c}_n) AS {c}_top, any_value({c}_all) AS total FROM {c}_ranks))"
        for c in "xy"
    )
    # The mean rank of equal values, from how often each occurs: values repeat, and far fewer are to be put in order.
    ranks = ", ".join(
        f"{c}_ranks AS (SELECT {c}, sum(count(*)) OVER (ORDER BY {c}) - (count(*) - 1) / 2.0 AS {c}_rank,"
        f" sum(count(*)) OVER () AS {c}_all, count(*) AS {c}_n FROM base GROUP BY {c})"
        for c in ("xy" if time is None else "xyt")
    )
    halves = (
        "" if time is None else ", CASE WHEN t IS NOT NULL THEN 1 + (t_rank > (t_all + 1) / 2)::INTEGER END AS half"
    )
    by_time = "" if time is None else " LEFT JOIN t_ranks USING (t)"
    inside = "(x BETWEEN x_low AND x_high AND y BETWEEN y_low AND y_high)"
    place = ", ".join(f"CASE WHEN total <= {_POINTS} THEN {c} ELSE floor(({c} - {c}0) / {c}w) END" for c in "xy")
    moments = "corr(x, t), corr(y, t), count(DISTINCT t)" if time is not None else "NULL, NULL, 0"
    return (
        f"{pair.base(*extra)}, {ranks}, {ends},"
        f" ends AS (SELECT x_ends.*, y_ends.* EXCLUDE (total) FROM x_ends, y_ends),"
        f" ranked AS NOT MATERIALIZED (SELECT *, 1 + floor({_BINS} * (x_rank - 0.5) / x_all)::INTEGER AS bin{halves}"
        f" FROM base JOIN x_ranks USING (x) JOIN y_ranks USING (y){by_time}),"
        f" bins AS (SELECT bin, min(x) AS low, max(x) AS high, avg(y) AS mean, count(*) AS n FROM ranked GROUP BY bin),"
        f" cells AS (SELECT avg(x) AS x, avg(y) AS y, count(*) AS n FROM base, ends GROUP BY {place})"
        f" SELECT count(*), corr(y, x), corr(y_rank, x_rank), regr_slope(y, x), regr_intercept(y, x), avg(y),"
        f" min(x), max(x), min(y), max(y), count(DISTINCT x), count(*) FILTER (WHERE x = y),"
        f" count(*) FILTER (WHERE x = x_top), count(*) FILTER (WHERE y = y_top),"
        f" corr(y, x) FILTER (WHERE {inside}), count(*) FILTER (WHERE {inside}),"
        f" corr(y, x) FILTER (WHERE half = 1), corr(y, x) FILTER (WHERE half = 2), {moments},"
        f" (SELECT list({{'low': low, 'high': high, 'mean': mean, 'n': n}} ORDER BY bin) FROM bins),"
        f" (SELECT list({{'x': x, 'y': y, 'n': n}} ORDER BY x, y) FROM cells) FROM ranked, ends"
    )


def _moment(time: str) -> str:
    return f"epoch({ident(time)}::TIMESTAMP)"


def _checks(view: AnalysisView, pair: Pair, time: str | None, row: Mapping[str, Any]) -> Checks:
    """The correlation without outliers, in two halves, and with time held constant."""
    kept = _finite(row["r_inside"])
    inside = None if kept is None else (kept, int(row["n_inside"]))
    halves = tuple(h for h in (_finite(row["r_first"]), _finite(row["r_second"])) if h is not None)
    x_time, y_time = _finite(row["r_xt"]) or 0.0, _finite(row["r_yt"]) or 0.0
    if time is None or min(abs(x_time), abs(y_time)) < _TIED_TO_TIME:
        return Checks(inside, halves)
    rest = (1 - x_time**2) * (1 - y_time**2)
    partial = (float(row["r"]) - x_time * y_time) / math.sqrt(rest) if rest > 1e-12 else None
    each_its_own = int(row["moments"]) >= 0.9 * int(row["n"])
    steps = _steps(view, pair, _moment(time)) if each_its_own else None
    return Checks(inside, halves, time, partial=partial, steps=steps)


def _steps(view: AnalysisView, pair: Pair, moment: str) -> tuple[float, int] | None:
    sql = (
        f"{pair.base(f'{moment} AS t')}, steps AS (SELECT x - lag(x) OVER (ORDER BY t) AS dx,"
        f" y - lag(y) OVER (ORDER BY t) AS dy FROM base WHERE t IS NOT NULL)"
        f" SELECT corr(dy, dx), count(*) FROM steps WHERE dx IS NOT NULL"
    )
    r, n = view.query(sql).rows[0]
    found = _finite(r)
    return None if found is None else (found, int(n))


def means_outside(view: AnalysisView, pair: Pair, low: float, high: float) -> tuple[float | None, float | None]:
    """The average of y where x ≤ low and where x > high."""
    sql = f"{pair.base()} SELECT avg(y) FILTER (WHERE x <= {low!r}), avg(y) FILTER (WHERE x > {high!r}) FROM base"
    row = view.query(sql).rows[0]
    return _finite(row[0]), _finite(row[1])


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
