"""Judging two free-text statements: the same, an update, or about something else.

Nearness of embeddings only nominates: half of all contradictions are nearer than a true paraphrase. What decides is a
small linear model over features with names: numbers, units, periods, identifiers, negation, direction, the words left
over on either side, and where in the sentence one wording was put for another. Its weights are data,
`assets/identity_weights.json`, written by `benchmarks/train_identity.py` from labelled pairs.
"""

import difflib
import json
import threading
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from memory import lexicon
from memory.embedding import Embedder, Vectors
from memory.wording import Quantity, Statement, read_statement, same_quantity

Relation = Literal["same", "update", "distinct"]
RELATIONS: tuple[Relation, ...] = ("same", "update", "distinct")

NOMINATION_FLOOR = 0.5
"""Statements further apart than this cosine are not compared."""

ACTING_PROBABILITY = 0.5
"""Below it a pair counts as distinct: a fact kept twice does less harm than one retired or swallowed wrongly."""

_ALIGNED = 0.55  # cosine from which two different words count as one in two wordings
_SIMILAR_SENTENCES = 0.5
_KEPT_VECTORS = 5_000
_OF_A_PART = frozenset({"in", "for", "of", "among", "from", "between", "on"})
_OF_A_VALUE = frozenset({"as", "at", "to", "with", "by", "keeping", "than", "instead", "through", "using", "into"})
_WEIGHTS = Path(__file__).parent / "assets" / "identity_weights.json"


class Judgement(NamedTuple):
    """How a new statement relates to an existing one."""

    relation: Relation
    probability: float


class Judge:
    """Compares statements. The weights and the embedder load at the first use; safe for threads."""

    def __init__(self, embedder: Embedder) -> None:
        """Keep the embedder."""
        self._embedder = embedder
        self._known: dict[str, Vectors] = {}
        self._lock = threading.Lock()

    def judge(self, existing: str, new: str, memory_type: str) -> Judgement:
        """How `new` relates to `existing`. :raises IndexUnavailable: the embedding model cannot run."""
        a, b = read_statement(existing), read_statement(new)
        if a.tokens == b.tokens:
            return Judgement("same", 1.0)
        if _another_subject(a, b):
            return Judgement("distinct", 1.0)
        names, mean, scale, weights = self._model
        values = self.features(existing, new, memory_type)
        row = (np.array([values[name] for name in names]) - mean) / scale
        logits = weights @ np.append(row, 1.0)
        odds = np.exp(logits - logits.max())
        best = int(odds.argmax())
        probability = float(odds[best] / odds.sum())
        return Judgement(RELATIONS[best] if probability >= ACTING_PROBABILITY else "distinct", probability)

    def vectors(self, texts: Sequence[str]) -> dict[str, Vectors]:
        """Embeddings by text, of what is not known yet in one go. :raises IndexUnavailable: the model cannot run."""
        with self._lock:
            if len(self._known) > _KEPT_VECTORS:
                self._known.clear()
            missing = [text for text in dict.fromkeys(texts) if text not in self._known]
            if missing:
                self._known |= zip(missing, self._embedder.embed(missing), strict=True)
            return {text: self._known[text] for text in texts}

    def features(self, existing: str, new: str, memory_type: str) -> dict[str, float]:
        """The features of a pair by name."""
        a, b = read_statement(existing), read_statement(new)
        self.vectors([existing, new])
        cosine = self._cosine(existing, new)
        values = {"cosine": cosine, "cosine_high": max(0.0, cosine - 0.8)}
        values |= self._words(a, b) | _quantities(a, b) | _names(a, b) | self._substitution(a, b)
        flipped = float(a.polarity * b.polarity < 0)
        negated = float(a.negated != b.negated)
        near = max(0.0, cosine - 0.5)
        return values | {
            "direction_flipped": flipped,
            "direction_flipped_near": flipped * near,
            "direction_in_one": float((a.polarity == 0) != (b.polarity == 0)),
            "negation_differs": negated,
            "negation_differs_near": negated * near,
            "negated_both": float(a.negated and b.negated),
            "closing_new": float(b.closing and not a.closing),
            "closing_old": float(a.closing and not b.closing),
            "number_conflict_near": values["number_conflict"] * near,
            "number_match_near": values["number_match"] * cosine,
            "wordy_near": cosine * (not (a.quantities and b.quantities)),
            "is_preference": float(memory_type == "user_preference"),
            "is_data_quality": float(memory_type == "data_quality"),
            "is_pattern": float(memory_type == "domain_pattern"),
        }

    def _words(self, a: Statement, b: Statement) -> dict[str, float]:
        """How many content words have no partner in the other statement."""
        common = a.stems.keys() & b.stems.keys()
        left_a = [word for stem, word in a.stems.items() if stem not in common]
        left_b = [word for stem, word in b.stems.items() if stem not in common]
        aligned = self._align(left_a, left_b)
        both = bool(left_a) and bool(left_b)
        smaller = max(1, min(len(a.stems), len(b.stems)))
        return {
            "jaccard": len(common) / max(1, len(a.stems.keys() | b.stems.keys())),
            "containment": (len(common) + aligned) / smaller,
            "left_old": len(left_a) / max(1, len(a.stems)),
            "left_new": len(left_b) / max(1, len(b.stems)),
            "left_both": float(both),
            "left_least": min(len(left_a), len(left_b)) / 4,
            "left_likeness": self._cosine(" ".join(left_a), " ".join(left_b)) if both else 1.0,
        }

    def _align(self, left_a: list[str], left_b: list[str]) -> int:
        """Take pairs of words that mean about the same off both lists, nearest first; returns how many."""
        self.vectors([*left_a, *left_b])
        pairs = sorted(
            ((0.9 if x[:4] == y[:4] and len(x) > 4 else self._cosine(x, y), x, y) for x in left_a for y in left_b),
            reverse=True,
        )
        aligned = 0
        for cosine, x, y in pairs:
            if cosine >= _ALIGNED and x in left_a and y in left_b:
                left_a.remove(x)
                left_b.remove(y)
                aligned += 1
        return aligned

    def _substitution(self, a: Statement, b: Statement) -> dict[str, float]:
        """Where sentences of one build put one wording for another: in the subject, a part named, or the value."""
        matcher = difflib.SequenceMatcher(None, a.tokens, b.tokens, autojunk=False)
        ratio = matcher.ratio()
        values = {"build": ratio, "put_first": 0.0, "put_in_part": 0.0, "put_in_value": 0.0, "put_last": 0.0}
        values |= {"put_likeness": 0.0, "put_format": 0.0}
        if ratio < _SIMILAR_SENTENCES:
            return values
        for kind, a1, a2, b1, b2 in matcher.get_opcodes():
            old, new = a.tokens[a1:a2], b.tokens[b1:b2]
            if kind != "replace" or not (_says_what(old) and _says_what(new)):
                continue
            lead = next((word for word in reversed(a.tokens[:a1]) if word not in {"the", "a", "an", "all", "its"}), "")
            return values | {
                "put_first": float(a1 <= 2),
                "put_in_part": float(lead in _OF_A_PART),
                "put_in_value": float(lead in _OF_A_VALUE),
                "put_last": float(a2 >= len(a.tokens) - 1),
                "put_likeness": self._cosine(" ".join(old), " ".join(new)),
                "put_format": float(any(mark in "".join(old + new) for mark in "#/'%")),
            }
        return values

    def _cosine(self, a: str, b: str) -> float:
        found = self.vectors([a, b])
        return float(found[a] @ found[b])

    @cached_property
    def _model(self) -> tuple[list[str], npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        raw = json.loads(_WEIGHTS.read_text(encoding="utf-8"))
        return raw["features"], np.array(raw["mean"]), np.array(raw["scale"]), np.array(raw["weights"])


def _another_subject(a: Statement, b: Statement) -> bool:
    """Whether the two name other things or speak of other periods; no likeness outweighs that."""
    if _conflict(a.names, b.names):
        return True
    values = _names(a, b)
    return bool((values["name_conflict"] and not values["name_common"]) or values["period_conflict"])


def _conflict(a: frozenset[str], b: frozenset[str]) -> bool:
    return bool(a - b) and bool(b - a)


def _quantities(a: Statement, b: Statement) -> dict[str, float]:
    left_a, left_b, matched = list(a.quantities), list(b.quantities), 0
    for quantity in a.quantities:
        partner = next((other for other in left_b if same_quantity(quantity, other)), None)
        if partner is not None:
            left_a.remove(quantity)
            left_b.remove(partner)
            matched += 1
    return {
        "number_match": float(matched > 0 and not left_a and not left_b),
        "number_some": float(matched > 0),
        "number_conflict": float(_same_unit(left_a, left_b)),
        "number_left_both": float(bool(left_a) and bool(left_b)),
        "number_left_one": float(bool(left_a) != bool(left_b)),
    }


def _same_unit(a: Sequence[Quantity], b: Sequence[Quantity]) -> bool:
    return any(x.unit == y.unit for x in a for y in b)


def _names(a: Statement, b: Statement) -> dict[str, float]:
    names_a, names_b = a.names | a.columns, b.names | b.columns
    bounded = a.bounded or b.bounded
    conflict = any(
        {p for p in a.periods if p[0] == part} - b.periods and {p for p in b.periods if p[0] == part} - a.periods
        for part in "ymdqw"
    )
    capitals_a = a.capitals - b.capitals - set(b.tokens)
    capitals_b = b.capitals - a.capitals - set(a.tokens)
    return {
        "name_conflict": float(_conflict(names_a, names_b)),
        "name_common": float(bool(names_a & names_b)),
        "name_in_one": float(bool(names_a - names_b) != bool(names_b - names_a)),
        "quoted_conflict": float(_conflict(a.quoted, b.quoted)),
        "quoted_in_one": float(bool(a.quoted - b.quoted) != bool(b.quoted - a.quoted)),
        "capitals_conflict": float(bool(capitals_a) and bool(capitals_b)),
        "capitals_in_one": float(bool(capitals_a) != bool(capitals_b)),
        "period_conflict": float(conflict and not bounded),
        "bound_conflict": float(conflict and bounded),
        "period_common": float(bool(a.periods & b.periods)),
        "clock_conflict": float({p for p in a.periods if p[0] == "t"} != {p for p in b.periods if p[0] == "t"}),
    }


def _says_what(tokens: Sequence[str]) -> bool:
    return any(t[0].isalpha() and t not in lexicon.STOP and t not in lexicon.OPPOSED for t in tokens)
