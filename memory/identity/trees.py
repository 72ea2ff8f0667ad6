"""Boosted decision trees as data: a sum of small trees gives the odds of each relation."""

import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt


class Forest(NamedTuple):
    """Trees over named comparisons. A tree is [name index, threshold, left, right] or a list of one score a class."""

    names: list[str]
    trees: list[Any]
    classes: int

    def odds(self, values: dict[str, float]) -> npt.NDArray[np.float64]:
        """The probability of each class for the comparisons of one pair."""
        row = [values[name] for name in self.names]
        scores = np.zeros(self.classes)
        for tree in self.trees:
            while len(tree) == 4:
                tree = tree[2] if row[tree[0]] <= tree[1] else tree[3]
            scores += tree
        odds = np.exp(scores - scores.max())
        return np.asarray(odds / odds.sum())


def load_forest(path: Path) -> Forest:
    """Read what `write_forest` wrote."""
    raw = json.loads(path.read_text(encoding="utf-8"))
    return Forest(raw["names"], raw["trees"], raw["classes"])


def write_forest(path: Path, forest: Forest) -> None:
    """Write the trees as JSON."""
    path.write_text(json.dumps(forest._asdict(), separators=(",", ":")) + "\n", encoding="utf-8")
