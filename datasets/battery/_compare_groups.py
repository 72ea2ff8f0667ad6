"""The values of a metric in each group of a dimension, summarised in the database."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from datasets.battery._calendar import time_sql
from datasets.battery._phrases import is_share
from datasets.battery._rates import wilson
from datasets.battery._source import Source, source_of
from datasets.battery._stats import Group, mean_interval
from datasets.battery._words import name_text
from datasets.measures import Filter, Metric, Window, where
from datasets.sql import ident, literals

if TYPE_CHECKING:
    from datasets.view import AnalysisView

DatePart = Literal["year", "quarter", "month", "weekday", "hour"]
MOST_GROUPS = 200
_NAMES: dict[DatePart, str] = {
    "year": "year({t})::VARCHAR",
    "quarter": "'Q' || quarter({t})",
    "month": "monthname({t})",
    "weekday": "dayname({t})",
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
        return f"{self.datepart}s of {self.dimension}" if self.datepart else f"groups of {self.dimension}"

    def expression(self, view: AnalysisView) -> str:
        """The SQL of the group."""
        if self.datepart is None:
            return ident(view.card.column(self.dimension).name)
        return _NAMES[self.datepart].format(t=time_sql(view, self.dimension))


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

    Further expressions are left out where `once_per` folds rows to keys.
    """
    source = _source(view, what)
    more = "".join(f", {sql}" for sql in extra) if source.once_per is None else ""
    kept = f" WHERE g1::VARCHAR IN {literals(what.segments)}" if what.segments else ""
    row = f"({source.row} IS NULL)::INTEGER" if what.missing else source.row
    rows = f"SELECT {source.groups[0]}, {row} AS v{more} {source.from_where}"
    return f"WITH base AS (SELECT * FROM ({rows}){kept})"


def summaries(view: AnalysisView, what: Comparison) -> tuple[list[Summary], str]:
    """Measure every group, the largest by rows first, at most MOST_GROUPS + 1; also the SQL."""
    numeric = what.metric.aggregate in {"mean", "share", "median", "missing_share"}
    v = "v::DOUBLE"
    shape = f"avg({v}), var_samp({v}), skewness({v})" if numeric else "NULL, NULL, NULL"
    value = "avg(v)" if what.missing else what.metric.over("v")
    sql = (
        f"{base_sql(view, what)} SELECT g1 AS segment, {value} AS value, count(*) AS all_rows, count(v) AS n, {shape}"
        f" FROM base GROUP BY 1 HAVING count(v) > 0 ORDER BY n DESC, segment LIMIT {MOST_GROUPS + 1}"
    )
    rows = view.query(sql).rows
    found = []
    for key, value_, all_rows, n, mean, var, skewness in rows:
        name = str(key) if what.datepart else name_text(view.card, what.dimension, key)
        if value_ is None:
            continue
        found.append(
            Summary(name, str(key), value_, int(all_rows), int(n), _float(mean), _float(var), _float(skewness))
        )
    return found, sql


def whole_value(view: AnalysisView, what: Comparison) -> tuple[Any, int, int, str]:
    """The metric over all rows, whether or not they are in a group; those rows; how many have no group; and the SQL."""
    source = source_of(view, what.metric, filters=what.filters, window=what.window, once_per=what.once_per)
    group = what.expression(view)
    sql = f"SELECT {source.aggregate}, count({source.row}) {source.from_where}"
    row = view.query(sql).rows[0]
    lost = view.query(f"SELECT count(*) FROM analysis{where(what.filters, what.window, f'{group} IS NULL')}").rows[0][0]
    return row[0], int(row[1]), int(lost), sql


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
