"""Ranking: reciprocal rank fusion of the two searches, then a score from likeness, age and weight."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from datetime import datetime
from typing import NamedTuple

from memory.index.protocol import Hits
from memory.index.sparse import identifiers, overlap_0_1
from memory.units import MemoryUnit

RRF_K = 60
"""The constant of reciprocal rank fusion (Cormack, Clarke and Büttcher 2009)."""

CANDIDATES = 40
"""How many of each ranking are fused and scored."""

RELEVANCE_FLOOR = 0.25
"""Below this likeness to the query nothing is injected, however recent or certain."""

SCORE_FLOOR = 0.35
IDENTIFIER_LIFT = 0.5
"""How far likeness is lifted towards 1 for a unit that names the very identifier of the query."""


class Weights(NamedTuple):
    """Weights of the score; they add up to 1. Recency halves every `half_life_days`."""

    alpha_likeness: float
    beta_recency: float
    gamma_importance: float
    half_life_days: float


WEIGHTS: dict[str, Weights] = {
    "finding": Weights(0.65, 0.15, 0.20, 45.0),
    "data_quality": Weights(0.50, 0.10, 0.40, 180.0),
    "user_preference": Weights(0.55, 0.15, 0.30, 180.0),
    "domain_pattern": Weights(0.60, 0.10, 0.30, 90.0),
}


class Scored(NamedTuple):
    """A unit with its score and the parts of it in words."""

    unit: MemoryUnit
    score: float
    likeness: float
    why: str


def fuse(rankings: Sequence[Hits]) -> dict[str, float]:
    """The `CANDIDATES` best units of all rankings by reciprocal rank fusion, with their cosine, best first."""
    fused: dict[str, float] = {}
    cosine: dict[str, float] = {}
    for hits in rankings:
        for ranking in (hits.dense, hits.sparse):
            for rank, hit in enumerate(ranking, start=1):
                fused[hit.memory_id] = fused.get(hit.memory_id, 0.0) + 1 / (RRF_K + rank)
                cosine[hit.memory_id] = hit.cosine
    best = sorted(fused, key=lambda memory_id: -fused[memory_id])[:CANDIDATES]
    return {memory_id: cosine[memory_id] for memory_id in best}


def score(unit: MemoryUnit, named: AbstractSet[str], cosine: float, now: datetime) -> Scored:
    """Score = α·likeness + β·recency + γ·importance, each 0 to 1, with the weights of the unit's type.

    `named` are the identifiers that the query and the unit share.
    """
    weights = WEIGHTS[unit.memory_type]
    likeness = cosine + IDENTIFIER_LIFT * (1 - cosine) if named else cosine
    age_days = max(0.0, (now - unit.last_confirmed_at).total_seconds() / 86_400)
    recency = 0.5 ** (age_days / weights.half_life_days)
    importance = min(1.0, unit.confidence + 0.05 * (unit.sightings - 1))
    total = weights.alpha_likeness * likeness + weights.beta_recency * recency + weights.gamma_importance * importance
    about = f"names {', '.join(sorted(named))}" if named else f"likeness {likeness:.2f}"
    return Scored(unit, total, likeness, f"{about}, {origin(unit, now)}")


def ranked(units: Sequence[MemoryUnit], query: str, cosines: dict[str, float], now: datetime) -> list[Scored]:
    """Units above both floors, best first."""
    wanted = identifiers(query)
    scored = [
        score(unit, wanted and wanted & identifiers(f"{unit.summary} {unit.detail}"), cosines[unit.memory_id], now)
        for unit in units
    ]
    kept = [item for item in scored if item.likeness >= RELEVANCE_FLOOR and item.score >= SCORE_FLOOR]
    return sorted(kept, key=lambda item: -item.score)


def by_keywords(units: Sequence[MemoryUnit], query: str) -> dict[str, float]:
    """Likeness by shared words, for when there is no index to ask."""
    return {unit.memory_id: overlap_0_1(query, f"{unit.summary} {unit.detail}") for unit in units}


def origin(unit: MemoryUnit, now: datetime) -> str:
    """When and where it comes from, in words: "seen in 2 sessions, first in s1, confirmed 3 days ago"."""
    days = max(0, (now - unit.last_confirmed_at).days)
    ago = "today" if days == 0 else "yesterday" if days == 1 else f"{days} days ago"
    seen = f"seen in {unit.sightings} sessions, first in" if unit.sightings > 1 else "from session"
    return f"{seen} {unit.session_id}, confirmed {ago}"
