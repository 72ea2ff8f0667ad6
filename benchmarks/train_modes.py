"""Fit the mode head and report it leaving whole scenarios out.

    python benchmarks/train_modes.py [--out analyst/assets/modes.npz] [--check]

`--check` measures without writing weights. Inputs are the utterance, the prior findings, data change and days since the
last session; scenario names are used for the folds only, keyword and misleading tags not at all.
"""

import argparse
import json
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from analyst.heads import Embeds  # noqa: E402
from analyst.modes.denied import weighed  # noqa: E402
from analyst.modes.features import features  # noqa: E402
from analyst.protocol import Mode  # noqa: E402
from benchmarks.fitting import (  # noqa: E402
    CachedEmbedder,
    Matrix,
    expected_calibration_error,
    fit_softmax,
    head_arrays,
)
from memory.embedding import open_embedder  # noqa: E402

DATA = ROOT / "benchmarks" / "data"
LABELS: tuple[Mode, ...] = ("fresh", "extend", "revalidate", "re-run")
RIDGE = 0.7
SCALE = 1.0
AMBIGUOUS_WEIGHT = 0.5


@dataclass(frozen=True)
class Item:
    """One labelled utterance; `measured` ones come from the handed file."""

    text: str
    prior: tuple[str, ...]
    data_changed: bool
    days: float | None
    label: str
    group: str
    ambiguous: bool
    measured: bool


def items() -> list[Item]:
    """Read the handed utterances, then our own scenarios (unknown context: both values of data change alternate)."""
    out = []
    for line in (DATA / "mode_utterances.jsonl").read_text("utf-8").splitlines():
        u = json.loads(line)
        c = u["context"]
        prior, days = tuple(c["prior_findings"]), c["days_since_last"]
        out.append(
            Item(u["utterance"], prior, c["data_changed"], days, u["label"], f"h{u['scenario']}", u["ambiguous"], True)
        )
    for line in (DATA / "mode_talk.jsonl").read_text("utf-8").splitlines():
        s = json.loads(line)
        for label in LABELS:
            for k, text in enumerate(s[label]):
                prior = tuple(s["prior_findings"])
                out.append(Item(text, prior, k % 2 == 0, None, label, f"o{s['scenario']}", False, False))
    return out


def matrix(data: list[Item], embedder: Embeds | None) -> Matrix:
    """Stack the product's own features."""
    rows = [
        features(i.text, i.prior, data_changed=i.data_changed, days_since_last=i.days, embedder=embedder)[0]
        for i in data
    ]
    return np.stack(rows)


def _weighed(chances: Matrix, text: str) -> list[float]:
    """Cut down the modes that the utterance denies, as the product does."""
    return list(weighed(dict(zip(LABELS, map(float, chances), strict=True)), text).values())


def main() -> None:
    """Measure, then fit on everything and write both heads."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "analyst" / "assets" / "modes.npz")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    data = items()
    y = np.array([LABELS.index(i.label) for i in data])
    group = np.array([i.group for i in data])
    weight = np.array([AMBIGUOUS_WEIGHT if i.ambiguous else 1.0 for i in data])
    clear = np.array([i.measured and not i.ambiguous for i in data])
    arrays = {}
    embedder = CachedEmbedder(open_embedder())
    for name, model in (("full", embedder), ("plain", None)):
        x = matrix(data, model)
        p = np.zeros((len(data), len(LABELS)))
        for g in np.unique(group):
            left = group == g
            fold = fit_softmax(x[~left], y[~left], len(LABELS), ridge=RIDGE, weight=weight[~left])
            p[left] = [
                _weighed(row, i.text)
                for row, i in zip(fold.probabilities(x[left], SCALE), np.array(data, object)[left], strict=True)
            ]
        hit, confidence = p.argmax(axis=1) == y, p.max(axis=1)
        sure = clear & (confidence >= 0.85)
        print(
            f"{name:5s} scenarios left out, {clear.sum()} clear items: accuracy {hit[clear].mean():.3f}  "
            f"ECE {expected_calibration_error(confidence[clear], hit[clear]):.3f}  "
            f"precision at confidence ≥ 0.85 {hit[sure].mean():.3f} ({sure.sum()} items)"
        )
        arrays.update(head_arrays(name, LABELS, fit_softmax(x, y, len(LABELS), ridge=RIDGE, weight=weight), SCALE))
    if not options.check:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        np.savez_compressed(options.out, **arrays)  # type: ignore[arg-type]
        print(f"wrote {options.out} ({options.out.stat().st_size / 1024:.0f} KB)")


if __name__ == "__main__":
    main()
