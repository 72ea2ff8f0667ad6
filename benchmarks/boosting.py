"""Fit boosted trees for the judge of identity: Newton boosting of the softmax loss on exact splits."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memory.identity.trees import Forest

Matrix = NDArray[np.float64]
Labels = NDArray[np.int64]

ROUNDS = 150
LEARNING_RATE = 0.06
DEPTH = 3
RIDGE = 1.0
SMALLEST_LEAF = 12
ROWS_SHARE = 0.7
COLUMNS_SHARE = 0.5
ENSEMBLE = 3
"""Forests fitted on other random draws, whose scores are averaged."""


def fit_forest(table: Matrix, labels: Labels, names: Sequence[str], classes: int) -> Forest:
    """Fit on a table (rows, names); the same input gives the same trees."""
    trees: list[Any] = []
    for seed in range(ENSEMBLE):
        trees += _boost(table, labels, classes, np.random.default_rng(seed))
    return Forest(list(names), [_scaled(tree, 1 / ENSEMBLE) for tree in trees], classes)


def _boost(table: Matrix, labels: Labels, classes: int, random: np.random.Generator) -> list[Any]:
    rows, columns = table.shape
    truth, scores = np.eye(classes)[labels], np.zeros((rows, classes))
    trees = []
    for _ in range(ROUNDS):
        odds = np.exp(scores - scores.max(axis=1, keepdims=True))
        odds /= odds.sum(axis=1, keepdims=True)
        slope, curve = odds - truth, np.maximum(odds * (1 - odds), 1e-3)
        drawn = random.choice(rows, int(rows * ROWS_SHARE), replace=False)
        among = random.choice(columns, int(columns * COLUMNS_SHARE), replace=False)
        tree = _grow(table, slope, curve, drawn, among, DEPTH)
        scores += np.array([_score(tree, row) for row in table])
        trees.append(tree)
    return trees


def _grow(table: Matrix, slope: Matrix, curve: Matrix, rows: Labels, columns: Labels, depth: int) -> Any:
    total, weight = slope[rows].sum(axis=0), curve[rows].sum(axis=0)
    best, split = 1e-6, None
    if depth and len(rows) >= 2 * SMALLEST_LEAF:
        for column in columns:
            order = rows[np.argsort(table[rows, column], kind="stable")]
            values = table[order, column]
            cuts = np.nonzero(values[1:] != values[:-1])[0]
            cuts = cuts[(cuts + 1 >= SMALLEST_LEAF) & (len(rows) - cuts - 1 >= SMALLEST_LEAF)]
            if not len(cuts):
                continue
            left, left_weight = slope[order].cumsum(axis=0)[cuts], curve[order].cumsum(axis=0)[cuts]
            gains = _gain(left, left_weight) + _gain(total - left, weight - left_weight) - _gain(total, weight)
            at = int(gains.argmax())
            if gains[at] > best:
                best, split = float(gains[at]), (int(column), float(values[cuts[at]] + values[cuts[at] + 1]) / 2)
    if split is None:
        return [round(float(score), 5) for score in -LEARNING_RATE * total / (weight + RIDGE)]
    low = table[rows, split[0]] <= split[1]
    sides = (_grow(table, slope, curve, rows[side], columns, depth - 1) for side in (low, ~low))
    return [split[0], round(split[1], 5), *sides]


def _gain(slope: Matrix, curve: Matrix) -> Any:
    return (slope**2 / (curve + RIDGE)).sum(axis=-1)


def _score(tree: Any, row: NDArray[np.float64]) -> Any:
    while len(tree) == 4:
        tree = tree[2] if row[tree[0]] <= tree[1] else tree[3]
    return tree


def _scaled(tree: Any, factor: float) -> Any:
    if len(tree) == 4:
        return [tree[0], tree[1], _scaled(tree[2], factor), _scaled(tree[3], factor)]
    return [round(score * factor, 5) for score in tree]
