"""Whether two columns of categories belong together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from datasets.battery._statistics.groups import Tested, chi_square
from datasets.battery._statistics.sameness import unrelated
from datasets.battery._wording.phrases import filters_key, interval_text, p_text, percent_text, scope_text
from datasets.battery._wording.words import name_text
from datasets.charts import Bar, bar_chart
from datasets.errors import DatasetError
from datasets.evidence import Candidate, Claim, ClaimValue, Subject
from datasets.measures import Filter, Window, where
from datasets.sql import ident

if TYPE_CHECKING:
    from datasets.view import AnalysisView

_MOST = 200
_OWN_VALUES = 30
_NEGLIGIBLE = 0.1
_LIMIT_CELLS = 200_000


@dataclass(frozen=True)
class Crossed:
    """Counts of one column against another. `left_out` rows lie in values that are too rare to be shown."""

    a: str
    b: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]
    left_out: int
    sql: str

    @property
    def total(self) -> int:
        """All rows counted."""
        return sum(map(sum, self.counts))


def association_candidate(
    view: AnalysisView, a: str, b: str, filters: tuple[Filter, ...], window: Window | None, alpha: float
) -> tuple[Candidate, list[float]]:
    """Test two categories for independence.

    :raises DatasetError: when one of them has a single value.
    """
    first, second = sorted((a, b))
    crossed = _cross(view, first, second, filters, window)
    tested = chi_square(crossed.counts)
    if tested is None:
        raise DatasetError(f"{first!r} and {second!r} need two values each before they can be related")
    scope = scope_text(filters, window)
    low, high = tested.effect.low or 0.0, tested.effect.high or 0.0
    null = tested.p > alpha or high < _NEGLIGIBLE
    cell = _strongest(crossed)
    fixed = _determined(crossed)
    interval = interval_text(f"{low:.2f}", f"{high:.2f}")
    size = f"Cramér's V = {tested.effect.value:.2f}, {interval}, {tested.name} {p_text(tested.p)}"
    same = unrelated(tested.effect, (len(crossed.rows), len(crossed.columns)))
    if null and same:
        statement = f"{first} and {second} are not noticeably related{scope} ({size})."
    elif null:
        statement = f"{first} and {second} show no clear relation{scope} ({size}); one of {high:.2f} is not ruled out."
    else:
        statement = f"{first} and {second} are related{scope} ({size}). {_cell_words(view, crossed, cell)}"
    return _candidate(
        view, crossed, tested, statement, filters, window, null=null, same=same, fixed=fixed, cell=cell
    ), [tested.p]


def _cross(view: AnalysisView, a: str, b: str, filters: tuple[Filter, ...], window: Window | None) -> Crossed:
    sql = (
        f"SELECT {ident(a)}::VARCHAR AS a, {ident(b)}::VARCHAR AS b, count(*) AS n FROM analysis"
        f"{where(filters, window, f'{ident(a)} IS NOT NULL', f'{ident(b)} IS NOT NULL')}"
        f" GROUP BY 1, 2 ORDER BY n DESC, a, b"
    )
    found = [(str(r[0]), str(r[1]), int(r[2])) for r in view.query(sql, limit_rows=_LIMIT_CELLS).rows]
    total = sum(n for _, _, n in found)
    for column, values in ((a, {x for x, _, _ in found}), (b, {y for _, y, _ in found})):
        if len(values) > _OWN_VALUES and len(values) > 0.5 * total:
            raise DatasetError(f"nearly every row has its own {column}, so it cannot be related to another column")
    rows, columns = _largest([(x, n) for x, _, n in found]), _largest([(y, n) for _, y, n in found])
    counts = {(x, y): n for x, y, n in found}
    table = tuple(tuple(counts.get((x, y), 0) for y in columns) for x in rows)
    kept = sum(map(sum, table))
    return Crossed(a, b, rows, columns, table, sum(counts.values()) - kept, sql)


def _largest(pairs: Sequence[tuple[str, int]]) -> tuple[str, ...]:
    totals: dict[str, int] = {}
    for name, n in pairs:
        totals[name] = totals.get(name, 0) + n
    return tuple(sorted(totals, key=lambda name: (-totals[name], name))[:_MOST])


def _strongest(crossed: Crossed) -> tuple[int, int]:
    """The cell with the largest adjusted residual above zero, rows and columns of a single one left aside."""
    counts = np.array(crossed.counts, dtype=float)
    total = counts.sum()
    by_row, by_column = counts.sum(axis=1, keepdims=True), counts.sum(axis=0, keepdims=True)
    expected = by_row * by_column / total
    spread = np.sqrt(np.maximum(expected * (1 - by_row / total) * (1 - by_column / total), 1e-12))
    residuals = np.round((counts - expected) / spread, 9)
    # Equal residuals, as all are in a two by two table, go to the cell that most exceeds what chance would put there.
    best = residuals == residuals.max()
    at = int(np.argmax(np.where(best, counts / np.maximum(expected, 1e-12), -1.0)))
    return at // counts.shape[1], at % counts.shape[1]


def _determined(crossed: Crossed) -> str:
    """Which column says the other one fully, where one does."""
    counts = np.array(crossed.counts)
    if bool(((counts > 0).sum(axis=1) <= 1).all()):
        return f"each {crossed.a} has only one {crossed.b}"
    return f"each {crossed.b} has only one {crossed.a}" if bool(((counts > 0).sum(axis=0) <= 1).all()) else ""


def _cell_words(view: AnalysisView, crossed: Crossed, cell: tuple[int, int]) -> str:
    i, j = cell
    row, column = sum(crossed.counts[i]), sum(r[j] for r in crossed.counts)
    held = crossed.counts[i][j]
    x, y = name_text(view.card, crossed.a, crossed.rows[i]), name_text(view.card, crossed.b, crossed.columns[j])
    # Told from the rarer side, where the share says more.
    if row <= column:
        return (
            f"Most telling: {percent_text(held / row)} of {x} ({held:,} of {row:,}) are {y}, against"
            f" {percent_text(column / crossed.total)} overall."
        )
    return (
        f"Most telling: {percent_text(held / column)} of {y} ({held:,} of {column:,}) are {x}, against"
        f" {percent_text(row / crossed.total)} overall."
    )


def _candidate(
    view: AnalysisView,
    crossed: Crossed,
    tested: Tested,
    statement: str,
    filters: tuple[Filter, ...],
    window: Window | None,
    *,
    null: bool,
    same: bool,
    fixed: str,
    cell: tuple[int, int],
) -> Candidate:
    i, j = cell
    y = crossed.columns[j]
    shares = [(x, r[j] / sum(r), sum(r)) for x, r in zip(crossed.rows, crossed.counts, strict=True) if sum(r)]
    caveats = [fixed] if fixed else []
    if crossed.left_out:
        caveats.append(f"{crossed.left_out:,} rows in rarer values are left out; the {_MOST} most frequent are tested")
    return Candidate(
        claim=Claim(
            subject=Subject(
                relation="association",
                column=crossed.a,
                against=crossed.b,
                period=window.key if window else None,
                filters=filters_key(filters),
            ),
            value=ClaimValue(
                number=tested.effect.value,
                unit="cramers_v",
                direction="none" if null else "positive",
                text=None if null else f"{crossed.rows[i]} / {y}",
                low=tested.effect.low,
                high=tested.effect.high,
            ),
        ),
        statement=statement,
        n=crossed.total,
        test=tested.name,
        p_value=tested.p,
        effect=tested.effect,
        null=null,
        inconclusive=null and not same,
        interest_0_1=0.15 if fixed else 0.25 if null else 0.3 + 0.5 * tested.effect.value,
        chart=bar_chart(
            [Bar(name_text(view.card, crossed.a, x), share) for x, share, _ in shares],
            title=f"Share of {name_text(view.card, crossed.b, y)} by {crossed.a}",
            value_title=f"share of {y}",
            name_title=crossed.a,
            style="percent",
            highlight=[] if null else [name_text(view.card, crossed.a, crossed.rows[i])],
        ),
        table=[{crossed.a: x, f"share of {y}": share, "n": n} for x, share, n in shares[:50]],
        sql=[crossed.sql],
        caveats=caveats,
    )
