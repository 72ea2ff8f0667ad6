"""Where a step reads: the rows of the view within filters and window, or one value for each key."""

from collections.abc import Sequence
from dataclasses import dataclass

from datasets.battery._rows.numeric import reading_of
from datasets.errors import DatasetError
from datasets.measures import Filter, Measure, Metric, Window, where
from datasets.sql import ident
from datasets.transforms import stepped_sql
from datasets.view import AnalysisView

STEPPED = "stepped_value"


@dataclass(frozen=True)
class Source:
    """What to aggregate: `SELECT {groups}, {aggregate} {from_where} GROUP BY ALL`.

    `row` is the expression under the aggregate, `unread` the predicate of rows whose value is no number (None where
    that cannot be, or where rows are folded), `words` says what such values are. `once_per`: the key that rows were
    folded to because their value repeats. `folded`: rows are keys, of which no other column is known.
    """

    groups: tuple[str, ...]
    aggregate: str
    row: str
    from_where: str
    unread: str | None
    words: str
    once_per: str | None = None
    folded: bool = False


def source_of(
    view: AnalysisView,
    metric: Metric,
    *,
    filters: Sequence[Filter] = (),
    window: Window | None = None,
    groups: Sequence[str] = (),
    once_per: str | None = None,
    keep_ungrouped: bool = False,
) -> Source:
    """Return where a metric is read; `groups` are expressions, selected as g1, g2, and rows without one are left out
    unless `keep_ungrouped`.

    With `once_per` rows are folded first to one value for each key (within each group), so that a value that is
    repeated on every row of a key counts once. A measure that differs within some key is no such value; its rows all
    count.

    :raises DatasetError: when a column does not exist or holds no numbers.
    """
    for column in [f.column for f in filters] + ([window.column] if window else []):
        view.card.column(column)
    if metric.measure.kind == "sum_per":
        return _summed(view, metric, filters, window, groups)
    named = tuple(f"{sql} AS g{i}" for i, sql in enumerate(groups, start=1))
    present = [] if keep_ungrouped else [f"{sql} IS NOT NULL" for sql in groups]
    if metric.measure.kind == "in_order":
        read = f"FROM {stepped_rows(view, metric.measure)}{where(tuple(filters), window, *present)}"
        return Source(named, metric.over(STEPPED), STEPPED, read, None, "")
    if metric.aggregate == "pooled":
        one, two = (ident(view.card.column(c).name) for c in metric.measure.columns[:2])
        if once_per is not None:
            raise DatasetError(f"{one} repeats by {once_per}, so it has no total to be divided by that of {two}")
        # A row counts where it has both numbers.
        read = f"FROM analysis{where(tuple(filters), window, *present)}"
        return Source(named, metric.sql, f"({one} + {two})", read, None, "")
    reading = reading_of(view.card, metric)
    if once_per is None or not _repeats(view, reading.sql, metric, once_per):
        scope = where(tuple(filters), window, *present)
        aggregate = metric.over(reading.sql)
        return Source(named, aggregate, reading.sql, f"FROM analysis{scope}", reading.unread, reading.words)
    key = ident(view.card.column(once_per).name)
    scope = where(tuple(filters), window, f"{key} IS NOT NULL", *present)
    inner = ", ".join((*named, f"{key} AS once_per", f"max({reading.sql}) AS once"))
    return Source(
        tuple(f"g{i}" for i in range(1, len(groups) + 1)),
        metric.over("once"),
        "once",
        f"FROM (SELECT {inner} FROM analysis{scope} GROUP BY ALL)",
        None,
        "",
        once_per,
        folded=True,
    )


def _summed(
    view: AnalysisView, metric: Metric, filters: Sequence[Filter], window: Window | None, groups: Sequence[str]
) -> Source:
    """One sum for each key (within each group)."""
    value, key = metric.measure.columns
    row = reading_of(view.card, Metric(aggregate="sum", measure=Measure(kind="column", columns=(value,)))).sql
    k = ident(view.card.column(key).name)
    scope = where(tuple(filters), window, f"{k} IS NOT NULL", *(f"{sql} IS NOT NULL" for sql in groups))
    named = [f"{sql} AS g{i}" for i, sql in enumerate(groups, start=1)]
    inner = ", ".join((*named, f"{k} AS per", f"sum({row}) AS summed"))
    return Source(
        tuple(f"g{i}" for i in range(1, len(groups) + 1)),
        metric.over("summed"),
        "summed",
        f"FROM (SELECT {inner} FROM analysis{scope} GROUP BY ALL)",
        None,
        "",
        folded=True,
    )


def stepped_rows(view: AnalysisView, measure: Measure) -> str:
    """The rows of the view with the step of a measure in order as `STEPPED`; filters choose among them afterwards.

    Rows without a value, or without a place in the order, are no steps.
    """
    value, order = measure.columns
    column = ident(view.card.column(order).name)
    row = reading_of(view.card, Metric(aggregate="sum", measure=Measure(kind="column", columns=(value,)))).sql
    step = stepped_sql(row, column, measure.values)
    return f"(SELECT *, {step} AS {STEPPED} FROM analysis WHERE {column} IS NOT NULL AND {row} IS NOT NULL)"


def _repeats(view: AnalysisView, row: str, metric: Metric, once_per: str) -> bool:
    """Whether the measure has one value for each key throughout the view."""
    key = ident(view.card.column(once_per).name)
    if metric.measure.kind == "rows":
        return False
    sql = (
        f"SELECT count(*) FROM (SELECT {key} FROM analysis WHERE {key} IS NOT NULL "
        f"GROUP BY {key} HAVING min({row}) IS DISTINCT FROM max({row}))"
    )
    return int(view.query(sql).rows[0][0]) == 0
