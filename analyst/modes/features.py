"""From a question and the prior findings to the feature vector of the mode head."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from analyst.heads import Embeds, Vector, hashed
from analyst.modes.cues import cues_of
from analyst.modes.denied import without_denied

HASH_SIZE = 256
_CUE_WEIGHT = 0.5
_WORD = re.compile(r"[a-z][a-z'-]*|\d+(?:\.\d+)?", re.IGNORECASE)
_STOP = frozenset(
    re.findall(
        r"\w+",
        "a an the of in on at to for from by with and or but is are was were be been it its this that these those we "
        "you i me my our your as than then so do does did has have had not no please pls can could would will what "
        "which who how why when where all one more most up out if about into over per",
    )
)


@dataclass(frozen=True)
class Overlap:
    """How near a question is to the prior findings, and to which one."""

    words: float
    numbers: float
    meaning: float
    second: float
    nearest: int | None


def words_of(text: str) -> list[str]:
    """Return lowercase words and numbers, with a plural s cut off so that inflections meet."""
    found = [w.lower() for w in _WORD.findall(text.replace("’", "'"))]
    return [w[:-1] if len(w) > 3 and w.endswith("s") and not w.endswith("ss") else w for w in found]


def overlap(question: str, prior: Sequence[str], vectors: tuple[Vector, Vector] | None) -> Overlap:
    """Compare the question with each prior finding by content words, numbers and, with vectors, meaning.

    `vectors` holds the question's embedding (d,) and the findings' embeddings (n, d).
    """
    mine = {w for w in words_of(question) if w not in _STOP}
    numbers = {w for w in mine if w[0].isdigit()}
    best_words, best_numbers, scores = 0.0, 0.0, []
    cosines = vectors[1] @ vectors[0] if vectors is not None and prior else np.zeros(len(prior))
    for index, text in enumerate(prior):
        theirs = {w for w in words_of(text) if w not in _STOP}
        shared = mine & theirs
        by_words = len(shared) / max(1.0, math.sqrt(len(mine) * len(theirs)))
        by_numbers = len(numbers & theirs) / max(1, len(numbers))
        best_words, best_numbers = max(best_words, by_words), max(best_numbers, by_numbers)
        scores.append(by_words + 0.5 * by_numbers + float(cosines[index]))
    ranked = sorted((float(c) for c in cosines), reverse=True)
    return Overlap(
        words=best_words,
        numbers=best_numbers,
        meaning=ranked[0] if ranked else 0.0,
        second=ranked[1] if len(ranked) > 1 else 0.0,
        nearest=int(np.argmax(scores)) if scores and max(scores) > 0.25 else None,
    )


def features(
    question: str,
    prior: Sequence[str],
    *,
    data_changed: bool,
    days_since_last: float | None,
    embedder: Embeds | None,
) -> tuple[Vector, Overlap]:
    """Return the feature vector and the overlap it was made from; shorter without an embedder."""
    question = without_denied(question)  # "don't start over" speaks of starting over, and does not want it
    vectors = None
    if embedder is not None:
        embedded = np.asarray(embedder.embed([question, *prior]), dtype=np.float64)
        vectors = (embedded[0], embedded[1:])
    near = overlap(question, prior, vectors)
    tokens = words_of(question)
    cues = cues_of(question)
    days = 0.0 if days_since_last is None else math.log1p(max(0.0, days_since_last)) / 6
    shape = [
        len(tokens) / 30,
        float(len(tokens) <= 5),
        float(question.rstrip().endswith("?")),
        float(any(t[0].isdigit() for t in tokens)),
        near.words * 2,
        near.numbers,
        float(near.numbers > 0),
        near.meaning * 3,
        (near.meaning - near.second) * 2,
        near.words * 2 * float(cues["asks_yes_no"]),
        near.meaning * 2 * float(cues["asks_yes_no"]),
        near.meaning * 2 * float(cues["asks_wh"]),
        float(not prior),
        0.5 * float(data_changed),
        days,
    ]
    plain = np.array([*shape, *(_CUE_WEIGHT * float(v) for v in cues.values())])
    parts = [plain, hashed(tokens, HASH_SIZE)]
    if vectors is not None:
        parts.append(vectors[0] * 1.5)
    return np.concatenate(parts), near
