"""Judging two free-text statements: the same, an update, or about something else.

Layers: `wording` takes each statement apart, `comparing` sets the parts side by side, and the rules here decide what
the parts decide: other identifiers or another period are another subject, and numbers, columns, values or sides that
contradict are never the same. What is left undecided is weighed by small decision trees over the comparisons, which
are data (`assets/identity.json`, written by `benchmarks/train_identity.py` from labelled pairs).
Nearness of embeddings nominates, and aligns words within the undecided rest; it never outweighs a rule.
"""

import threading
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from memory.embedding import Embedder, Vectors
from memory.identity.comparing import compare
from memory.identity.trees import Forest, load_forest
from memory.identity.wording import read_statement

Relation = Literal["same", "update", "distinct"]
RELATIONS: tuple[Relation, ...] = ("same", "update", "distinct")

NOMINATION_FLOOR = 0.5
"""Statements further apart than this cosine are not compared."""

SAME_PROBABILITY = 0.65
"""Below it nothing is taken for the same, since what is taken for the same is not kept."""

ACTING_PROBABILITY = 0.5
"""Below it a pair counts as distinct: a fact kept twice does less harm than one retired or swallowed wrongly."""

_CONTRADICTIONS = (
    "number_conflict", "column_conflict", "bound_conflict", "clock_conflict", "rejects_affirmed", "direction_flipped",
    "axis_against", "effect_against", "closing_new", "sides_swapped", "numbers_crosswise",
    "contrast", "criterion_differs", "steady_against", "exchanged", "first_by_another_name",
)  # fmt: skip
_KEPT_VECTORS = 5_000
_ASSET = Path(__file__).parents[1] / "assets" / "identity.json"


class Judgement(NamedTuple):
    """How a new statement relates to an existing one."""

    relation: Relation
    probability: float
    ruled: bool = False
    """Whether the rules decided; the rest may be asked about."""


class Judge:
    """Compares statements. The weights and the embedder load at the first use; safe for threads."""

    def __init__(self, embedder: Embedder) -> None:
        """Keep the embedder."""
        self._embedder = embedder
        self._known: dict[str, Vectors] = {}
        self._lock = threading.Lock()

    def judge(self, existing: str, new: str, memory_type: str) -> Judgement:
        """How `new` relates to `existing`. :raises IndexUnavailable: the embedding model cannot run."""
        if read_statement(existing).tokens == read_statement(new).tokens:
            return Judgement("same", 1.0, ruled=True)
        values = self.features(existing, new, memory_type)
        return decide(values, self._forest.odds(values))

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
        """The comparisons of a pair by name."""
        values = compare(read_statement(existing), read_statement(new), self._cosine)
        cosine = self._cosine(existing, new)
        near = max(0.0, cosine - 0.5)
        return values | {
            "cosine": cosine,
            "cosine_high": max(0.0, cosine - 0.8),
            "direction_flipped_near": values["direction_flipped"] * near,
            "negation_differs_near": values["negation_differs"] * near,
            "number_conflict_near": values["number_conflict"] * near,
            "number_match_near": values["number_match"] * cosine,
            "wordy_near": cosine * values["number_none"],
            "is_preference": float(memory_type == "user_preference"),
            "is_data_quality": float(memory_type == "data_quality"),
            "is_pattern": float(memory_type == "domain_pattern"),
        }

    def _cosine(self, a: str, b: str) -> float:
        found = self.vectors([a, b])
        return float(found[a] @ found[b])

    @cached_property
    def _forest(self) -> Forest:
        return load_forest(_ASSET)


def decide(values: dict[str, float], odds: npt.NDArray[np.float64]) -> Judgement:
    """The relation by the rules, else by the odds of same, update and distinct."""
    ruled = rule(values)
    if ruled is not None:
        return Judgement(ruled, 1.0, ruled=True)
    odds = odds.copy()
    if contradiction(values) or odds[0] < SAME_PROBABILITY:
        odds[0] = 0.0
        odds /= max(float(odds.sum()), 1e-9)
    best = int(odds.argmax())
    probability = float(odds[best])
    return Judgement(RELATIONS[best] if probability >= ACTING_PROBABILITY else "distinct", probability)


def rule(values: dict[str, float]) -> Relation | None:
    """What the parts decide by themselves; None where words are left over that may or may not mean the same."""
    another_subject = ("name_conflict", "period_conflict", "first_by_another_measure", "among_others")
    if any(values[name] for name in another_subject):
        return "distinct"
    if values["another_first"] or values["effect_against_alone"]:
        return "update"
    if any(values[name] for name in ("capitals_conflict", "column_conflict", "near_pairs")) or not values["left_none"]:
        return None
    if values["segment_bound_conflict"]:
        return "distinct"
    if contradiction(values) or values["quoted_conflict"]:
        return "update"
    if values["negation_differs"] and not (values["axis_same"] or values["direction_same"]):
        return "update"
    if values["first_conflict"]:
        return "update"
    open_ends = (
        "bound_crosswise",
        "order_swapped",
        "number_left_both",
        "number_left_one",
        "column_in_one",
        "period_in_one",
        "quoted_in_one",
        "name_in_one",
    )
    return None if any(values[name] for name in open_ends) else "same"


def contradiction(values: dict[str, float]) -> bool:
    """Whether a value differs, so that the two cannot say the same."""
    return any(values[name] for name in _CONTRADICTIONS)
