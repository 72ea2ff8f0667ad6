"""The border between what was computed and what is kept: no NaN, no infinity, no scalar of another library."""

import math
from typing import Any

from datasets.evidence import Candidate, Claim, ClaimValue, Effect, StepResult


def clean(result: StepResult) -> StepResult:
    """Replace NaN and infinity by None and other libraries' scalars by Python's, everywhere in a result."""
    return result.model_copy(
        update={
            "candidates": [_candidate(c) for c in result.candidates],
            "raw_p_values": [p for p in (_number(p) for p in result.raw_p_values) if p is not None],
        }
    )


def _candidate(candidate: Candidate) -> Candidate:
    value = candidate.claim.value
    return candidate.model_copy(
        update={
            "claim": Claim(
                subject=candidate.claim.subject,
                value=ClaimValue(
                    number=_number(value.number),
                    unit=value.unit,
                    direction=value.direction,
                    text=value.text,
                    low=_number(value.low),
                    high=_number(value.high),
                ),
            ),
            "n": int(candidate.n),
            "p_value": _number(candidate.p_value),
            "effect": _effect(candidate.effect),
            "interest_0_1": min(1.0, max(0.0, _number(candidate.interest_0_1) or 0.0)),
            "chart": finite(candidate.chart),
            "table": finite(candidate.table[:50]),
        }
    )


def _effect(effect: Effect | None) -> Effect | None:
    value = _number(effect.value) if effect else None
    if effect is None or value is None:
        return None
    return Effect(name=effect.name, value=value, low=_number(effect.low), high=_number(effect.high))


def _number(value: Any) -> float | None:
    if value is None:
        return None
    number = float(value)
    return number if math.isfinite(number) else None


def finite(value: Any) -> Any:
    """Return a JSON value with NaN and infinity as None and numpy scalars as Python numbers."""
    if isinstance(value, dict):
        return {str(key): finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [finite(item) for item in value]
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if hasattr(value, "item") and not isinstance(value, int | float):
        return finite(value.item())
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    return value
