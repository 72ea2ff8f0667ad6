"""Two measures side by side, summarised in the database: correlations, fitted line, robustness, bins."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from datasets.battery._relations.figures import FIGURES, pass_sql
from datasets.battery._rows.numeric import numeric_sql
from datasets.errors import DatasetError
from datasets.measures import Filter, Measure, Window, where
from datasets.schema import Column
from datasets.sql import ident

if TYPE_CHECKING:
    from datasets.view import AnalysisView

# Correlated that far with time, two measures are related through it, and have to be related beyond it, too.
_TIED_TO_TIME = 0.4
# Series whose values lie that close to the ones before can look related by chance, whatever the number of rows.
_WANDERING = 0.8
_STEPPED = 20


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
    holds it constant and `steps` relates the changes from one row to the next; so it does where both wander in time.
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
    sql = pass_sql(view, pair, time)
    row = dict(zip(FIGURES, view.query(sql).rows[0], strict=True))
    n = int(row["n"])
    if n < 4:
        rows = "row has" if n == 1 else "rows have"
        raise DatasetError(f"only {n} {rows} both {pair.x.words} and {pair.y.words}; too few for a relation")
    for axis, low, high in ((pair.x, row["low_x"], row["high_x"]), (pair.y, row["low_y"], row["high_y"])):
        if low == high:
            raise DatasetError(f"{axis.words} is constant in the {n:,} rows, so it cannot be related to anything")
    r, rho, slope, intercept = (_number(row[name]) for name in ("r", "rho", "slope", "intercept"))
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


def _moment(time: str) -> str:
    return f"epoch({ident(time)}::TIMESTAMP)"


def _checks(view: AnalysisView, pair: Pair, time: str | None, row: Mapping[str, Any]) -> Checks:
    """The correlation without outliers, in two halves, and with time held constant."""
    kept = _finite(row["r_inside"])
    inside = None if kept is None else (kept, int(row["n_inside"]))
    halves = tuple(h for h in (_finite(row["r_first"]), _finite(row["r_second"])) if h is not None)
    if time is None:
        return Checks(inside, halves)
    base = pair.base(f"{_moment(time)} AS t")
    ties = view.query(f"{base} SELECT corr(x, t), corr(y, t) FROM base").rows[0]
    x_time, y_time = (_finite(tie) or 0.0 for tie in ties)
    if min(abs(x_time), abs(y_time)) < _TIED_TO_TIME:
        wandering = _wandering(view, pair, time, int(row["n"]))
        steps = _steps(view, pair, _moment(time)) if wandering else None
        return Checks(inside, halves, time if steps else None, steps=steps)
    rest = (1 - x_time**2) * (1 - y_time**2)
    partial = (float(row["r"]) - x_time * y_time) / math.sqrt(rest) if rest > 1e-12 else None
    moments = int(view.query(f"{base} SELECT count(DISTINCT t) FROM base").rows[0][0])
    steps = _steps(view, pair, _moment(time)) if moments >= 0.9 * int(row["n"]) else None
    return Checks(inside, halves, time, partial=partial, steps=steps)


def _wandering(view: AnalysisView, pair: Pair, time: str, n: int) -> bool:
    """Whether, one row a moment, both measures lie close to their values before."""
    if n < _STEPPED or view.card.column(time).distinct < 0.9 * n:
        return False
    sql = (
        f"{pair.base(f'{_moment(time)} AS t')} SELECT corr(x, px), corr(y, py) FROM (SELECT x, y,"
        f" lag(x) OVER (ORDER BY t) AS px, lag(y) OVER (ORDER BY t) AS py FROM base WHERE t IS NOT NULL)"
    )
    return min(_finite(r) or 0.0 for r in view.query(sql).rows[0]) >= _WANDERING


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


def _number(value: object) -> float:
    return math.nan if (found := _finite(value)) is None else found


def _finite(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and math.isfinite(value) else None
