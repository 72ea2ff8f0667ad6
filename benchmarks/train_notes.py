"""Fit the note head on labelled sentences, questions and talks.

    python benchmarks/train_notes.py [--out analyst/assets/notes.npz] [--check] [--without TALK ...]

Prints ten-fold figures over the sentences; whole talks are measured by `transcripts.py`, for which `--without` leaves
talks out of the fit.
"""

import argparse
import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from analyst.heads import Embeds  # noqa: E402
from analyst.notes.judge import features  # noqa: E402
from analyst.notes.text import Sentence, blank_quotes, plain, sentences  # noqa: E402
from analyst.notes.vetoes import veto  # noqa: E402
from benchmarks.fitting import CachedEmbedder, Matrix, fit_softmax, head_arrays  # noqa: E402
from memory.embedding import open_embedder  # noqa: E402

DATA = ROOT / "benchmarks" / "data"
LABELS = ("neither", "preference", "pattern")
CODES = {"N": 0, "P": 1, "D": 2}
RIDGE = 0.7
SCALE = 1.0
FOLDS = 10
QUESTION_WEIGHT = 1.0
WINDOW_TURNS = 40
FACTS = re.compile(r"\b(?:means?|counted|defin\w+|miles|currency|same quantity|renamed)\b")
"""Asides in the questions that do state a working pattern are left out."""


@dataclass(frozen=True)
class Item:
    """One sentence with its label (index into LABELS) and weight."""

    text: str
    label: int
    weight: float = 1.0


def items(without: frozenset[str] = frozenset()) -> list[Item]:
    """Read everything that the head is fitted on."""
    out = []
    for line in (DATA / "note_sentences.tsv").read_text("utf-8").splitlines():
        code, text = line.split("\t", 1)
        out.append(Item(blank_quotes(plain(text)), CODES[code]))
    for question in questions():
        out += [
            Item(s.read, 0, QUESTION_WEIGHT)
            for s in sentences(0, question)
            if not s.question and s.words > 2 and not FACTS.search(s.read)
        ]
    return out + [i for talk in talks() if talk["id"] not in without for i in of_talk(talk)]


def questions() -> list[str]:
    """What people ask when they come back to a dataset; it states no rule."""
    out = [json.loads(line)["utterance"] for line in (DATA / "mode_utterances.jsonl").read_text("utf-8").splitlines()]
    for line in (DATA / "mode_talk.jsonl").read_text("utf-8").splitlines():
        scenario = json.loads(line)
        out += [text for mode in ("fresh", "extend", "revalidate", "re-run") for text in scenario[mode]]
    return out


def talks() -> list[dict[str, object]]:
    """Read the labelled talks."""
    files = tuple(
        f"{name}.jsonl" for name in ("transcripts", "talks_first", "talks_second", "talks_third", "talks_fourth")
    )
    return [json.loads(line) for name in files for line in (DATA / name).read_text("utf-8").splitlines()]


def of_talk(talk: dict) -> list[Item]:  # type: ignore[type-arg]
    """Sentences of a talk: those of a labelled turn that hold a word of the label, and all of the other turns."""
    turns = talk["turns"]
    wanted = {e["turn"]: e for e in talk["expected"]}
    out = []
    for index in range(max(0, len(turns) - WINDOW_TURNS), len(turns)):
        if turns[index]["role"] != "user":
            continue
        for s in sentences(index, turns[index]["content"]):
            if veto(s) is not None:
                continue
            if index not in wanted:
                out.append(Item(s.read, 0))
            elif holds(wanted[index], s):
                out.append(Item(s.read, 1 if wanted[index]["memory_type"] == "user_preference" else 2))
    return out


def holds(expected: dict, sentence: Sentence) -> bool:  # type: ignore[type-arg]
    """Whether a sentence of a labelled turn states the rule, by the scorer's own patterns."""
    return sentence.words > 2 and any(re.search(p, sentence.read, re.IGNORECASE) for p in expected["match"])


def matrix(texts: list[str], embedder: Embeds | None) -> Matrix:
    """Stack the product's own features."""
    meanings = None if embedder is None else np.asarray(embedder.embed(texts), dtype=np.float64)
    return np.stack([features(t, None if meanings is None else meanings[k]) for k, t in enumerate(texts)])


def main() -> None:
    """Measure, then fit on everything and write both heads."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "analyst" / "assets" / "notes.npz")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--without", nargs="*", default=[], metavar="TALK")
    options = parser.parse_args()
    data = items(frozenset(options.without))
    texts = [i.text for i in data]
    y, weight = np.array([i.label for i in data]), np.array([i.weight for i in data])
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
