"""Many columns at once: every pair correlated in one pass, corrected for all of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from datasets.battery._rows.numeric import numeric_sql
from datasets.battery._statistics.groups import q_values
from datasets.errors import DatasetError
from datasets.measures import Filter, Measure, Window, where
from datasets.sql import ident

if TYPE_CHECKING:
    from datasets.view import AnalysisView

MOST_COLUMNS = 500
_MOST_ROWS = 100_000
_MOST_CELLS = 2_000_000
_MIN_ROWS = 8
_ALMOST_CONSTANT = 0.95
_SEED = 7

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Hit:
    """One pair of columns, by their positions in the screen."""

    i: int
    j: int
    r: float
    n: int
    p: float
    q: float


@dataclass(frozen=True)
class Screened:
    """All pairs, the smallest p first. `left_out` are remarks on columns that cannot be correlated."""

    measures: tuple[Measure, ...]
    hits: tuple[Hit, ...]
    left_out: tuple[str, ...]
    rows: int
    sampled: bool
    sql: str


def screen(
    view: AnalysisView,
    measures: Sequence[Measure],
    *,
    target: bool,
    filters: tuple[Filter, ...],
    window: Window | None,
) -> Screened:
    """Correlate every pair of measures, or the first with each other one when `target`.

    :raises DatasetError: when fewer than two measures vary.
    """
    left_out = [f"only the first {MOST_COLUMNS} of {len(measures)} columns"] if len(measures) > MOST_COLUMNS else []
    chosen = list(measures)[:MOST_COLUMNS]
    values, sql, sampled = _read(view, chosen, filters, window)
    usable, remarks = _usable(chosen, values, target=target)
    if target and chosen and 0 not in usable:
        raise DatasetError(f"{remarks[0]}; nothing can be related to it")
    if len(usable) < 2:
        raise DatasetError("; ".join(["fewer than two numeric columns vary, so nothing can be related", *remarks]))
    kept = [chosen[i] for i in usable]
    hits = _pairs(values[:, usable], target=target)
    return Screened(tuple(kept), hits, (*left_out, *remarks), len(values), sampled, sql)


def measures_of(view: AnalysisView, names: Sequence[str], skip: Sequence[str] = ()) -> list[Measure]:
    """The named columns, or every numeric measure of the dataset, as measures; identifiers are never among them."""
    chosen = names or [c.name for c in view.card.columns if c.role == "measure" and c.numeric]
    return [Measure(kind="column", columns=(view.card.column(n).name,)) for n in chosen if n not in skip]


def constant_remarks(view: AnalysisView) -> list[str]:
    """Remarks on columns of the dataset that hold one value or none."""
    said = [f"{c.name} is constant ({c.values[0] if c.values else c.minimum})" for c in view.card.by_role("constant")]
    return said + [f"{c.name} is empty" for c in view.card.by_role("empty")]


def _read(
    view: AnalysisView, measures: Sequence[Measure], filters: tuple[Filter, ...], window: Window | None
) -> tuple[Matrix, str, bool]:
    """One row for each row of the view, NaN where a value is missing; a seeded sample of large views."""
    columns = ", ".join(f"({_number(view, m)})::DOUBLE AS {ident(f'c{i}')}" for i, m in enumerate(measures))
    limit = max(1_000, min(_MOST_ROWS, _MOST_CELLS // max(1, len(measures))))
    sampled = view.rows > limit
    sql = f"SELECT {columns} FROM analysis{where(filters, window)}"
    if sampled:
        sql = f"SELECT * FROM ({sql}) USING SAMPLE reservoir({limit} ROWS) REPEATABLE ({_SEED})"
    rows = view.query(sql, limit_rows=limit).rows
    values = np.array(rows, dtype=float).reshape(len(rows), len(measures))
    values[~np.isfinite(values)] = np.nan
    return values, sql, sampled


def _number(view: AnalysisView, measure: Measure) -> str:
    if measure.kind == "column" and view.card.column(measure.columns[0]).temporal:
        return f"epoch({ident(measure.columns[0])}::TIMESTAMP) / 86400.0"
    return numeric_sql(view.card, measure).sql


def _usable(measures: Sequence[Measure], values: Matrix, *, target: bool) -> tuple[list[int], list[str]]:
    """Positions of columns that vary, and a remark on each that does not, in order."""
    usable, remarks = [], []
    for i, measure in enumerate(measures):
        column = values[:, i][~np.isnan(values[:, i])]
        if len(column) < _MIN_ROWS:
            remarks.append(f"{measure.words} has {len(column)} values, too few")
            continue
        _, counts = np.unique(column, return_counts=True)
        most = int(counts.max())
        if most == len(column):
            remarks.append(f"{measure.words} is constant")
        elif most >= _ALMOST_CONSTANT * len(column):
            remarks.append(f"{measure.words} is almost constant: {most:,} of {len(column):,} values are equal")
        elif _running_number(values[:, i]) and not (target and i == 0):
            remarks.append(f"{measure.words} is a running number")
        else:
            usable.append(i)
    return usable, remarks


def _running_number(column: Matrix) -> bool:
    """Whether the rows are numbered through, which relates to nothing but the order of the file."""
    return bool((np.diff(column) == 1.0).all())


def _pairs(values: Matrix, *, target: bool) -> tuple[Hit, ...]:
    """Pairwise complete correlations by matrix products over centred, scaled columns."""
    with np.errstate(all="ignore"):
        scaled = (values - np.nanmean(values, axis=0)) / np.nanstd(values, axis=0)
    there = (~np.isnan(scaled)).astype(float)
    z = np.nan_to_num(scaled)
    n = there.T @ there
    sx, sxx, sxy = z.T @ there, (z**2).T @ there, z.T @ z
    with np.errstate(all="ignore"):
        cov = sxy - sx * sx.T / n
        r = cov / np.sqrt((sxx - sx**2 / n) * (sxx.T - sx.T**2 / n))
    first, second = np.triu_indices(values.shape[1], k=1)
    if target:
        first, second = first[first == 0], second[first == 0]
    rs, ns = r[first, second], n[first, second]
    defined = np.isfinite(rs) & (ns >= _MIN_ROWS)
    first, second, rs, ns = first[defined], second[defined], np.clip(rs[defined], -1, 1), ns[defined]
    rest = np.maximum(1 - rs**2, 1e-15)
    ps = 2 * stats.t.sf(np.abs(rs) * np.sqrt((ns - 2) / rest), ns - 2)
    qs = q_values([float(p) for p in ps])
    order = sorted(range(len(rs)), key=lambda k: (float(ps[k]), -abs(float(rs[k]))))
    return tuple(Hit(int(first[k]), int(second[k]), float(rs[k]), int(ns[k]), float(ps[k]), qs[k]) for k in order)


def pairs_text(count: int) -> str:
    """Write "20,301 pairs"."""
    return f"{count:,} pair{'s' if count != 1 else ''}"


def strongest(hits: Sequence[Hit]) -> Hit:
    """The pair with the largest |r|."""
    return max(hits, key=lambda h: (abs(h.r), -math.inf if math.isnan(h.p) else -h.p))


def table_of(screened: Screened, hits: Sequence[Hit]) -> list[dict[str, Any]]:
    """Pairs as table rows."""
    return [
        {
            "first": screened.measures[h.i].words,
            "second": screened.measures[h.j].words,
            "r": h.r,
            "p_value": h.p,
            "corrected_p": h.q,
            "n": h.n,
        }
        for h in hits[:50]
    ]
