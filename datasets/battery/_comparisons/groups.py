"""The values of a metric in each group of a dimension, summarised in the database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from datasets.battery._rows.calendar import time_sql
from datasets.battery._rows.numeric import distinct_values
from datasets.battery._rows.source import Source, source_of
from datasets.battery._statistics.groups import Group, mean_interval
from datasets.battery._statistics.rates import wilson
from datasets.battery._wording.phrases import is_share
from datasets.battery._wording.words import name_text
from datasets.measures import Filter, Metric, Window, where
from datasets.sql import ident, literals

if TYPE_CHECKING:
    from datasets.view import AnalysisView

DatePart = Literal["year", "quarter", "month", "weekday", "weekend", "hour"]
MOST_GROUPS = 200
_MOST_OF_A_PART = 100
"""Of the values that a part of a date can have: years of a century."""
_NAMES: dict[DatePart, str] = {
    "year": "year({t})::VARCHAR",
    "quarter": "'Q' || quarter({t})",
    "month": "monthname({t})",
    "weekday": "dayname({t})",
    "weekend": "CASE WHEN isodow({t}) >= 6 THEN 'weekend' ELSE 'weekdays' END",
    "hour": "lpad(hour({t})::VARCHAR, 2, '0') || ':00'",
}


@dataclass(frozen=True)
class Comparison:
    """What is compared: a metric over the groups of a column or of a part of its dates."""

    metric: Metric
    dimension: str
    datepart: DatePart | None = None
    filters: tuple[Filter, ...] = ()
    window: Window | None = None
    segments: tuple[str, ...] = ()
    once_per: str | None = None

    @property
    def missing(self) -> bool:
        """Whether the rows without a value are what is compared."""
        return self.metric.aggregate == "missing_share"

    @property
    def folded(self) -> bool:
        """Whether rows are folded to keys, so that nothing else is known of them."""
        return self.once_per is not None or self.metric.measure.kind == "sum_per"

    @property
    def counted(self) -> bool:
        """Whether the metric is a share of rows, so that groups can be compared as proportions."""
        return self.missing or (is_share(self.metric) and self.metric.aggregate in {"mean", "share"})

    @property
    def dimension_key(self) -> str:
        """The dimension of the claim: "department", or "quarter of start_date"."""
        return f"{self.datepart} of {self.dimension}" if self.datepart else self.dimension

    @property
    def groups_words(self) -> str:
        """ "groups of department", "quarters of start_date"."""
        if self.datepart == "weekend":
            return f"weekends and weekdays of {self.dimension}"
        return f"{self.datepart}s of {self.dimension}" if self.datepart else f"groups of {self.dimension}"

    def distinct_cells(self, view: AnalysisView) -> tuple[int | None, int]:
        """At most how many different values the metric reads (None: unknown), and how many groups there are."""
        groups = _MOST_OF_A_PART if self.datepart else view.card.column(self.dimension).distinct
        return 2 if self.missing else distinct_values(view.card, self.metric.measure), groups

    def expression(self, view: AnalysisView) -> str:
        """The SQL of the group."""
        if self.datepart is None:
            return ident(view.card.column(self.dimension).name)
        return _NAMES[self.datepart].format(t=time_sql(view, self.dimension))


@dataclass(frozen=True)
class Whole:
    """The metric over all rows, whether or not they are in a group, and how many rows have no group."""

    value: Any
    lost: int


@dataclass(frozen=True)
class Summary:
    """One group: `value` is the metric; the rest describes the rows behind it, where they are numbers."""

    name: str
    key: str
    value: Any
    rows: int
    n: int
    mean: float
    var: float
    skewness: float

    @property
    def number(self) -> float:
        """The value as a float."""
        return float(self.value)

    @property
    def hits(self) -> int:
        """Rows that count, for a share."""
        return round(self.mean * self.n)

    @property
    def group(self) -> Group:
        """For a test of means."""
        return Group(self.name, self.n, self.mean, self.var)


def base_sql(view: AnalysisView, what: Comparison, *extra: str) -> str:
    """WITH clause of `base`: one row for each value, its group g1 and the value v, and further expressions as named.

    Further expressions are left out where rows are folded to keys.
    """
    source = _source(view, what)
    more = "".join(f", {sql}" for sql in extra) if not source.folded else ""
    kept = f" WHERE g1::VARCHAR IN {literals(what.segments)}" if what.segments else ""
    row = f"({source.row} IS NULL)::INTEGER" if what.missing else source.row
    rows = f"SELECT {source.groups[0]}, {row} AS v{more} {source.from_where}"
    return f"WITH base AS (SELECT * FROM ({rows}){kept})"


def summaries(view: AnalysisView, what: Comparison) -> tuple[list[Summary], Whole, list[str]]:
    """Measure every group, the largest by rows first, at most MOST_GROUPS + 1, and all rows; also the SQL."""
    numeric = what.metric.aggregate in {"mean", "share", "median", "missing_share"}
    v = "v::DOUBLE"
    shape = f"avg({v}), var_samp({v}), skewness({v})" if numeric else "NULL, NULL, NULL"
    value = "avg(v)" if what.missing else what.metric.over("v")
    select = f"{value} AS value, count(*) AS all_rows, count(v) AS n, {shape}"
    if what.segments or what.folded:
        # Rows are chosen, or folded to keys, within the groups, so that the whole has to be read on its own.
        sql = (
            f"{base_sql(view, what)} SELECT g1 AS segment, {select}"
            f" FROM base GROUP BY 1 HAVING count(v) > 0 ORDER BY n DESC, segment LIMIT {MOST_GROUPS + 1}"
        )
        whole, whole_sql = _whole(view, what)
        return _read(view, what, view.query(sql).rows), whole, [sql, whole_sql]
    sql = (
        f"{_all_rows_sql(view, what)} SELECT g1 AS segment, {select}, grouping(g1) = 1 AS whole"
        f" FROM base GROUP BY GROUPING SETS ((g1), ()) HAVING count(v) > 0 OR grouping(g1) = 1 OR g1 IS NULL"
        f" ORDER BY whole DESC, g1 IS NULL DESC, n DESC, segment LIMIT {MOST_GROUPS + 3}"
    )
    rows = view.query(sql).rows
    (_, overall, *_), lost = rows[0], [r for r in rows if r[0] is None and not r[-1]]
    groups = [r[:-1] for r in rows if r[0] is not None]
    return _read(view, what, groups), Whole(overall, int(lost[0][2]) if lost else 0), [sql]


def _read(view: AnalysisView, what: Comparison, rows: Sequence[Sequence[Any]]) -> list[Summary]:
    found = []
    for key, value, all_rows, n, mean, var, skewness in rows:
        name = str(key) if what.datepart else name_text(view.card, what.dimension, key)
        if value is not None:
            described = (_float(mean), _float(var), _float(skewness))
            found.append(Summary(name, str(key), value, int(all_rows), int(n), *described))
    return found


def _all_rows_sql(view: AnalysisView, what: Comparison) -> str:
    """WITH clause of `base` as in `base_sql`, the rows without a group among them."""
    source = source_of(view, what.metric, filters=what.filters, window=what.window)
    row = f"({source.row} IS NULL)::INTEGER" if what.missing else source.row
    return f"WITH base AS (SELECT {what.expression(view)} AS g1, {row} AS v {source.from_where})"


def _whole(view: AnalysisView, what: Comparison) -> tuple[Whole, str]:
    source = source_of(view, what.metric, filters=what.filters, window=what.window, once_per=what.once_per)
    group = what.expression(view)
    sql = f"SELECT {source.aggregate} {source.from_where}"
    value = view.query(sql).rows[0][0]
    lost = view.query(f"SELECT count(*) FROM analysis{where(what.filters, what.window, f'{group} IS NULL')}").rows[0][0]
    return Whole(value, int(lost)), sql


def interval_of(what: Comparison, summary: Summary) -> tuple[float, float] | None:
    """The 95 % interval of a group's mean or share; None for other metrics and single values."""
    if what.counted:
        return wilson(summary.hits, summary.n)
    return mean_interval(summary.group) if what.metric.aggregate == "mean" else None


def _source(view: AnalysisView, what: Comparison) -> Source:
    return source_of(
        view,
        what.metric,
        filters=what.filters,
        window=what.window,
        groups=[what.expression(view)],
        once_per=what.once_per,
    )


def _float(value: Any) -> float:
    return 0.0 if value is None else float(value)
