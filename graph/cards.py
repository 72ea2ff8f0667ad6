"""A memory unit as it is shown and planned with: plain JSON, ages and expiry worked out at one moment."""

from datetime import datetime

from graph.state import Json
from memory import MemoryUnit

DAY_SECONDS = 86400.0


def unit_card(unit: MemoryUnit, now: datetime, *, why: str = "", score: float = 0.0, required: bool = False) -> Json:
    """Return what the gate, the plan and the report need of a unit; ages in days, expiry None when it has none."""
    provenance = unit.provenance or {}
    expires = None if unit.expires_at is None else round((unit.expires_at - now).total_seconds() / DAY_SECONDS, 1)
    return {
        "memory_id": unit.memory_id,
        "memory_type": unit.memory_type,
        "summary": unit.summary,
        "label": unit.label,
        "confidence": unit.confidence,
        "age_days": round(max(0.0, (now - unit.dialogue_time).total_seconds()) / DAY_SECONDS, 2),
        "last_confirmed": unit.last_confirmed_at.isoformat(),
        "days_until_expiry": expires,
        "sightings": unit.sightings,
        "durative": unit.is_durative,
        "required": required,
        "why": why,
        "score": round(score, 4),
        "session_id": unit.session_id,
        "data_source": unit.data_source,
        "claim": unit.claim,
        "directive": unit.directive,
        "fact_status": provenance.get("status"),
        # What a person put in words of their own is known, and not measured: no step tests those words.
        "step": None if "corrected_by" in provenance else provenance.get("step"),
        "signature": provenance.get("signature"),
        "n": provenance.get("n"),
        "p_value": provenance.get("p_value"),
        "since": provenance.get("since"),
        "until": provenance.get("until"),
        "data_id": provenance.get("data_id"),
    }
