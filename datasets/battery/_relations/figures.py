"""The statement that measures two columns side by side: coefficients, halves, outliers out, tenths and the chart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from datasets.battery._rows.halves import half_sql
from datasets.battery._rows.numeric import distinct_values
from datasets.battery._rows.tally import copies_of

if TYPE_CHECKING:
    from datasets.battery._relations.numbers import Pair
    from datasets.view import AnalysisView

_FENCE = 3.0
_BINS, _SIDE, _POINTS = 10, 24, 300
_ROUNDING = 1e-12
FIGURES = (
    "n", "r", "rho", "slope", "intercept", "mean_y", "low_x", "high_x", "low_y", "high_y", "distinct_x", "same",
    "top_x", "top_y", "r_inside", "n_inside", "r_first", "r_second", "bins", "cells",
)  # fmt: skip


def pass_sql(view: AnalysisView, pair: Pair, time: str | None) -> str:
    """One statement over the pairs of values, equal ones as one where they repeat; its row is FIGURES.

    Places in an order (ranks, halves, tenths) come from how often each value occurs, so that rows stream through and a
    table of any length fits into memory; equal values share a place.

    Points of the chart are single ones up to _POINTS rows, else they lie on a grid of _SIDE steps each way.
    """
    known = (f"({axis.sql}) IS NOT NULL" for axis in (pair.x, pair.y))
    half = half_sql(view, time, pair.filters, pair.window, *known)
    distinct = [distinct_values(view.card, axis.measure) for axis in (pair.x, pair.y)]
    pairs = copies_of(view, f"{pair.base(f'{half} AS half')} SELECT x, y, half FROM base", [*distinct, 2])
    # The mean rank of equal values, from how often each occurs: values repeat, and far fewer are to be put in order.
    ranks = ", ".join(
        f"{c}_ranks AS (SELECT {c}, sum(sum(copies)) OVER (ORDER BY {c}) - (sum(copies) - 1) / 2.0 AS {c}_rank,"
        f" sum(sum(copies)) OVER () AS {c}_all, sum(copies) AS {c}_n FROM pairs GROUP BY {c})"
        for c in "xy"
    )
    ends = ", ".join(
        f"{c}_ends AS (SELECT {c}1 - {_FENCE} * ({c}3 - {c}1) AS {c}_low, {c}3 + {_FENCE} * ({c}3 - {c}1) AS {c}_high,"
        f" {c}0, {c}9, ({c}9 - {c}0) / {_SIDE} AS {c}w, {c}_mean, {c}_most, {c}_distinct, total FROM"
        f" (SELECT min({c}) AS {c}0, max({c}) AS {c}9, sum({c} * {c}_n) / sum({c}_n) AS {c}_mean,"
        f" min({c}) FILTER ({c}_rank >= 0.25 * {c}_all) AS {c}1, min({c}) FILTER ({c}_rank >= 0.75 * {c}_all) AS {c}3,"
        f" max({c}_n) AS {c}_most, count(*) AS {c}_distinct, any_value({c}_all) AS total FROM {c}_ranks))"
        for c in "xy"
    )
    place = ", ".join(f"CASE WHEN total <= {_POINTS} THEN {c} ELSE floor(({c} - {c}0) / {c}w) END" for c in "xy")
    means = ", ".join(f"sum({c} * copies) / sum(copies)" for c in "xy")
    slope = f"{_together('dx', 'dy')} / {_together('dx', 'dx')}"
    return (
        f"WITH pairs AS NOT MATERIALIZED (SELECT * FROM {pairs}), {ranks}, {ends},"
        f" ends AS (SELECT x_ends.*, y_ends.* EXCLUDE (total) FROM x_ends, y_ends),"
        f" ranked AS NOT MATERIALIZED (SELECT x, y, half, copies, x - x_mean AS dx, y - y_mean AS dy,"
        f" (x_rank - (x_all + 1) / 2.0)::DOUBLE AS rx, (y_rank - (y_all + 1) / 2.0)::DOUBLE AS ry,"
        f" 1 + floor({_BINS} * (x_rank - 0.5) / x_all)::INTEGER AS bin,"
        f" x BETWEEN x_low AND x_high AND y BETWEEN y_low AND y_high AS inside"
        f" FROM pairs JOIN x_ranks USING (x) JOIN y_ranks USING (y), ends),"
        f" bins AS (SELECT bin, min(x) AS low, max(x) AS high, sum(y * copies) / sum(copies) AS mean,"
        f" sum(copies)::BIGINT AS n FROM ranked GROUP BY bin),"
        f" cells AS (SELECT {means.replace(',', ' AS x,', 1)} AS y, sum(copies)::BIGINT AS n FROM pairs, ends"
        f" GROUP BY {place}),"
        f" figures AS (SELECT sum(copies) AS n, {_correlation('dx', 'dy')} AS r, {_correlation('rx', 'ry')} AS rho,"
        f" {slope} AS slope, sum(copies) FILTER (WHERE x = y) AS same,"
        f" {_correlation('dx', 'dy', 'inside')} AS r_inside,"
        f" sum(copies) FILTER (WHERE inside) AS n_inside, {_correlation('dx', 'dy', 'half = 1')} AS r_first,"
        f" {_correlation('dx', 'dy', 'half = 2')} AS r_second FROM ranked)"
        f" SELECT coalesce(n, 0), r, rho, slope, y_mean - slope * x_mean, y_mean, x0, x9, y0, y9, x_distinct,"
        f" coalesce(same, 0), x_most, y_most, r_inside, coalesce(n_inside, 0), r_first, r_second,"
        f" (SELECT list({{'low': low, 'high': high, 'mean': mean, 'n': n}} ORDER BY bin) FROM bins),"
        f" (SELECT list({{'x': x, 'y': y, 'n': n}} ORDER BY x, y) FROM cells) FROM figures, ends"
    )


def _together(a: str, b: str, condition: str = "") -> str:
    """SQL of the sum of products of two deviations, taken about the means of the rows that are kept."""
    kept = f" FILTER (WHERE {condition})" if condition else ""
    products, firsts, seconds = (f"sum(copies * {term}){kept}" for term in (f"{a} * {b}", a, b))
    return f"({products} - {firsts} * {seconds} / sum(copies){kept})"


def _spread(a: str, condition: str) -> str:
    """SQL of the sum of squares about the mean; 0 where it is but what rounding leaves of equal values."""
    kept = f" FILTER (WHERE {condition})" if condition else ""
    squares = _together(a, a, condition)
    return f"CASE WHEN {squares} > {_ROUNDING} * sum(copies * {a} * {a}){kept} THEN {squares} ELSE 0 END"


def _correlation(a: str, b: str, condition: str = "") -> str:
    """SQL of a correlation coefficient over counted pairs; NULL where one of the two does not vary."""
    spreads = f"sqrt({_spread(a, condition)}) * sqrt({_spread(b, condition)})"
    return f"{_together(a, b, condition)} / nullif({spreads}, 0)"
