"""Fit the note head on labelled sentences.

    python benchmarks/train_notes.py [--out analyst/assets/notes.npz] [--check]

Prints ten-fold figures over the sentences; the talks are measured apart by `transcripts.py`.
"""

import argparse
import json
import re
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from analyst.heads import Embeds
from analyst.notes_judge import features
from analyst.notes_text import blank_quotes, plain, sentences
from benchmarks.fitting import CachedEmbedder, Matrix, fit_softmax, head_arrays
from memory.embedding import open_embedder

DATA = ROOT / "benchmarks" / "data"
LABELS = ("neither", "preference", "pattern")
CODES = {"N": 0, "P": 1, "D": 2}
RIDGE = 0.7
SCALE = 1.0
FOLDS = 10
QUESTION_WEIGHT = 0.7
FACTS = re.compile(r"\b(?:means?|counted|defin\w+|miles|currency|same quantity|renamed)\b")
"""Asides in those questions that do state a working pattern are left out."""


def items() -> tuple[list[str], list[int], list[float]]:
    """Read sentences, labels and weights: the labelled ones, and questions of the mode data, which state no rule."""
    rows = [line.split("\t", 1) for line in (DATA / "note_sentences.tsv").read_text("utf-8").splitlines() if line.strip()]
    texts = [blank_quotes(plain(text)) for _, text in rows]
    labels = [CODES[code] for code, _ in rows]
    asked = [
        s.read
        for question in questions()
        for s in sentences(0, question)
        if not s.question and s.words > 2 and not FACTS.search(s.read)
    ]
    return texts + asked, labels + [0] * len(asked), [1.0] * len(texts) + [QUESTION_WEIGHT] * len(asked)


def questions() -> list[str]:
    """What people ask when they come back to a dataset."""
    out = [json.loads(line)["utterance"] for line in (DATA / "mode_utterances.jsonl").read_text("utf-8").splitlines()]
    for line in (DATA / "mode_talk.jsonl").read_text("utf-8").splitlines():
        scenario = json.loads(line)
        out += [text for mode in ("fresh", "extend", "revalidate", "re-run") for text in scenario[mode]]
    return out


def matrix(texts: list[str], embedder: Embeds | None) -> Matrix:
    """Stack the product's own features."""
    meanings = None if embedder is None else np.asarray(embedder.embed(texts), dtype=np.float64)
    return np.stack([features(t, None if meanings is None else meanings[k]) for k, t in enumerate(texts)])


def main() -> None:
    """Measure, then fit on everything and write both heads."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "analyst" / "assets" / "notes.npz")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    texts, labels, weights = items()
    y, weight = np.array(labels), np.array(weights)
    fold = np.random.default_rng(7).integers(0, FOLDS, len(texts))
    embedder = CachedEmbedder(open_embedder())
    arrays = {}
    for name, model in (("full", embedder), ("plain", None)):
        x = matrix(texts, model)
        p = np.zeros((len(texts), len(LABELS)))
        for k in range(FOLDS):
            fit = fit_softmax(x[fold != k], y[fold != k], 3, ridge=RIDGE, weight=weight[fold != k])
            p[fold == k] = fit.probabilities(x[fold == k], SCALE)
        best = p.argmax(axis=1)
        rule = best > 0
        print(
            f"{name:5s} {len(texts)} sentences, {FOLDS} folds: three-way accuracy {(best == y).mean():.3f}  "
            f"rule precision {(y[rule] > 0).mean():.3f} recall {(rule & (y > 0)).sum() / (y > 0).sum():.3f}"
        )
        arrays.update(head_arrays(name, LABELS, fit_softmax(x, y, 3, ridge=RIDGE, weight=weight), SCALE))
    if not options.check:
        np.savez_compressed(options.out, **arrays)  # type: ignore[arg-type]
        print(f"wrote {options.out} ({options.out.stat().st_size / 1024:.0f} KB)")


if __name__ == "__main__":
    main()
