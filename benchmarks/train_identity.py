"""Fit and measure the judge of free-text identity on labelled pairs.

    python -m benchmarks.train_identity PAIRS.jsonl            # grouped cross-validation
    python -m benchmarks.train_identity PAIRS.jsonl --write    # and write memory/assets/identity_weights.json

A pair is {"existing", "new", "type", "label": same|update|distinct}. Pairs that share a sentence stay in one
fold, since they are contrasts of each other.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.fitting import fit_softmax
from memory.embedding import open_embedder
from memory.judging import ACTING_PROBABILITY, RELATIONS, Judge

RIDGE = 10.0
FOLDS = 8
REPEATS = 5
WEIGHTS = Path(__file__).parents[1] / "memory" / "assets" / "identity_weights.json"

Matrix = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--errors", action="store_true")
    arguments = parser.parse_args()
    rows = [json.loads(line) for line in arguments.pairs.read_text(encoding="utf-8").splitlines() if line.strip()]
    judge = Judge(open_embedder())
    features = [judge.features(row["existing"], row["new"], row["type"]) for row in rows]
    names = list(features[0])
    table = np.array([[values[name] for name in names] for values in features])
    labels = np.array([RELATIONS.index(row["label"]) for row in rows], dtype=np.int64)
    predictions = [cross_validate(table, labels, groups(rows), seed) for seed in range(REPEATS)]
    accuracies = [float((predicted == labels).mean()) for predicted in predictions]
    print(f"{len(rows)} pairs, accuracy {np.mean(accuracies):.3f} ({min(accuracies):.3f} to {max(accuracies):.3f})")
    for given, relation in enumerate(RELATIONS):
        counts = [int(((labels == given) & (predictions[0] == other)).sum()) for other in range(len(RELATIONS))]
        print(f"  {relation:9s} judged " + ", ".join(f"{n} {r}" for n, r in zip(counts, RELATIONS, strict=True)))
    if arguments.errors:
        for row, predicted in zip(rows, predictions[0], strict=True):
            if RELATIONS[predicted] != row["label"]:
                print(f"{row['label']} -> {RELATIONS[predicted]}\n    {row['existing']}\n    {row['new']}")
    if arguments.write:
        mean, scale = table.mean(axis=0), table.std(axis=0) + 1e-9
        head = fit_softmax((table - mean) / scale, labels, len(RELATIONS), ridge=RIDGE)
        document = {
            "features": names,
            "mean": np.round(mean, 5).tolist(),
            "scale": np.round(scale, 5).tolist(),
            "weights": np.round(np.c_[head.weights, head.bias], 4).tolist(),
        }
        WEIGHTS.write_text(json.dumps(document) + "\n", encoding="utf-8")
        print(f"wrote {WEIGHTS.name}")


def groups(rows: Sequence[dict[str, Any]]) -> list[list[int]]:
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


def cross_validate(table: Matrix, labels: Labels, grouped: list[list[int]], seed: int) -> Labels:
    """The prediction for each pair by a model that has not seen its group."""
    order = np.random.default_rng(seed).permutation(len(grouped))
    predicted = np.zeros_like(labels)
    for fold in range(FOLDS):
        held = np.array([index for position in order[fold::FOLDS] for index in grouped[position]])
        kept = np.setdiff1d(np.arange(len(labels)), held)
        mean, scale = table[kept].mean(axis=0), table[kept].std(axis=0) + 1e-9
        head = fit_softmax((table[kept] - mean) / scale, labels[kept], len(RELATIONS), ridge=RIDGE)
        odds = head.probabilities((table[held] - mean) / scale)
        best = odds.argmax(axis=1)
        predicted[held] = np.where(odds.max(axis=1) >= ACTING_PROBABILITY, best, RELATIONS.index("distinct"))
    return predicted


if __name__ == "__main__":
    main()
