"""Fit and measure the judge of free-text identity on labelled pairs.

    python -m benchmarks.train_identity PAIRS.jsonl [MORE.jsonl ...]            # grouped cross-validation
    python -m benchmarks.train_identity PAIRS.jsonl [MORE.jsonl ...] --write    # and write memory/assets/identity.json

A pair is {"existing", "new", "type", "label": same|update|distinct, "why"}. Pairs that share a sentence stay in one
fold, since they are contrasts of each other; the figures are given for each file apart. Each pair is also learnt the
other way round, but for those where something was resolved, which has a before and an after.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.boosting import Labels, Matrix, fit_forest
from memory.embedding import open_embedder
from memory.identity.judging import RELATIONS, Judge, decide
from memory.identity.trees import Forest, write_forest

FOLDS = 10
ASSET = Path(__file__).parents[1] / "memory" / "assets" / "identity.json"
ONE_WAY = frozenset({"resolved_issue"})

Row = dict[str, Any]
Comparisons = dict[str, float]


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", type=Path, nargs="+")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--errors", action="store_true")
    arguments = parser.parse_args()
    rows: list[Row] = []
    for path in arguments.pairs:
        lines = path.read_text(encoding="utf-8").splitlines()
        rows += [json.loads(line) | {"file": path.name} for line in lines if line.strip()]
    judge = Judge(open_embedder())
    forth = [judge.features(row["existing"], row["new"], row["type"]) for row in rows]
    back = [
        values if row.get("why") in ONE_WAY else judge.features(row["new"], row["existing"], row["type"])
        for row, values in zip(rows, forth, strict=True)
    ]
    predicted = cross_validate(rows, forth, back)
    for path in arguments.pairs:
        kept = [(row, p) for row, p in zip(rows, predicted, strict=True) if row["file"] == path.name]
        print(f"{path.name}: {figures([row['label'] for row, _ in kept], [p for _, p in kept])}")
    if arguments.errors:
        for row, relation in zip(rows, predicted, strict=True):
            if relation != row["label"]:
                print(f"{row['label']} -> {relation} ({row.get('why')})\n    {row['existing']}\n    {row['new']}")
    if arguments.write:
        write_forest(ASSET, fit(rows, forth, back, range(len(rows))))
        print(f"wrote {ASSET.name}")


def figures(labels: Sequence[str], predicted: Sequence[str]) -> str:
    """Macro-F1, and the share of updates and distinct statements that were taken for the same."""
    scores = []
    for relation in RELATIONS:
        right = sum(given == found == relation for given, found in zip(labels, predicted, strict=True))
        scores.append(2 * right / max(1, sum(x == relation for x in (*labels, *predicted))))
    others = [found for given, found in zip(labels, predicted, strict=True) if given != "same"]
    swallowed = others.count("same") / max(1, len(others))
    return f"{len(labels)} pairs, macro-F1 {np.mean(scores):.3f}, swallowed {swallowed:.1%}"


def groups(rows: Sequence[Row]) -> list[list[int]]:
    """Indices of pairs that are connected by shared sentences."""
    group_of: dict[str, int] = {}
    members: dict[int, list[int]] = {}
    for index, row in enumerate(rows):
        met = sorted({group_of[text] for text in (row["existing"], row["new"]) if text in group_of})
        target = met[0] if met else index
        members.setdefault(target, []).append(index)
        for other in met[1:]:
            members[target] += members.pop(other)
        for member in members[target]:
            group_of |= {rows[member]["existing"]: target, rows[member]["new"]: target}
    return list(members.values())


def cross_validate(rows: Sequence[Row], forth: Sequence[Comparisons], back: Sequence[Comparisons]) -> list[str]:
    """The relation of each pair as judged by trees that have not seen its group."""
    grouped = groups(rows)
    order = np.random.default_rng(0).permutation(len(grouped))
    predicted = [""] * len(rows)
    for fold in range(FOLDS):
        held = {index for position in order[fold::FOLDS] for index in grouped[position]}
        forest = fit(rows, forth, back, [index for index in range(len(rows)) if index not in held])
        for index in held:
            predicted[index] = decide(forth[index], forest.odds(forth[index])).relation
    return predicted


def fit(rows: Sequence[Row], forth: Sequence[Comparisons], back: Sequence[Comparisons], kept: Sequence[int]) -> Forest:
    """Trees fitted to both directions of the pairs kept."""
    names = list(forth[0])
    table: Matrix = np.array(
        [[values[name] for name in names] for side in (forth, back) for values in (side[i] for i in kept)]
    )
    labels: Labels = np.array([RELATIONS.index(rows[i]["label"]) for i in kept] * 2, dtype=np.int64)
    return fit_forest(table, labels, names, len(RELATIONS))


if __name__ == "__main__":
    main()
