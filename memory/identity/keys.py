"""Identity of units: which statements are about the same thing, and whether they say the same of it.

Distance in an embedding space cannot tell "12 %" from "2 %", so it has no say here. A unit is about its subject; the
canonical JSON of the subject is its `claim_key`. Two units with the same key agree when their values agree.
"""

import hashlib
import json
import math
import re
import unicodedata
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

RELATIVE_TOLERANCE = 0.001
"""Numbers closer than this, relative to the larger one, are the same measurement."""

KEY_LENGTH = 900
"""Longer keys are replaced by their hash, since databases limit the size of an index entry."""

_SCALES = {"%": 0.01, "percent": 0.01, "pct": 0.01, "share": 1.0, "fraction": 1.0, "ratio": 1.0, "share_0_1": 1.0}
_STILL = frozenset({"none", "flat"})
_INTERVAL = frozenset({"low", "high"})
_SPACE = re.compile(r"\s+")


def normal_text(text: str) -> str:
    """Text without differences that carry no meaning: Unicode form, case, runs of white space, a closing full stop."""
    return _SPACE.sub(" ", unicodedata.normalize("NFKC", text)).strip().rstrip(".").casefold()


def canonical(value: Any) -> str:
    """Canonical JSON: sorted keys, no nulls, whole floats as integers, NFC strings."""
    return json.dumps(_canonical(value), sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def claim_key(claim: Mapping[str, Any], *, summary: str) -> str:
    """The identity of a statement: its subject in canonical form, for free text the normalised wording."""
    text = canonical(subject_of(with_subject(claim, summary=summary)))
    return text if len(text) <= KEY_LENGTH else "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def with_subject(claim: Mapping[str, Any], *, summary: str) -> dict[str, Any]:
    """The claim, or for free text one whose subject is the wording and whose value is the text."""
    if _canonical(subject_of(claim)):
        return dict(claim)
    return {"subject": {"text": normal_text(summary)}, "value": {"text": summary} | value_of(claim)}


def is_free_text(claim: Mapping[str, Any]) -> bool:
    """Whether the subject of a claim is only its (first) wording."""
    return subject_of(claim).keys() == {"text"}


def subject_of(claim: Mapping[str, Any]) -> dict[str, Any]:
    """The subject of a claim, {} where there is none."""
    subject = claim.get("subject")
    return dict(subject) if isinstance(subject, Mapping) else {}


def value_of(claim: Mapping[str, Any]) -> dict[str, Any]:
    """The value of a claim, {} where there is none."""
    value = claim.get("value")
    return dict(value) if isinstance(value, Mapping) else {}


def same_value(old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    """Whether two values of one subject say the same.

    Numbers within rounding or `RELATIVE_TOLERANCE`; estimates with intervals where each lies in the interval of the
    other; direction and text equal; any other key equal. What one of them leaves out is not compared. Two claims that
    there is no effect agree, whatever the noise around zero measured.
    """
    for key in (old.keys() & new.keys()) - _INTERVAL - {"number", "unit"}:
        if old[key] is not None and new[key] is not None and not _equal(old[key], new[key]):
            return False
    a, b = _number(old.get("number")), _number(new.get("number"))
    if a is None or b is None or (old.get("direction") in _STILL and new.get("direction") in _STILL):
        return True
    scale_a, scale_b = _scale(old.get("unit")), _scale(new.get("unit"))
    if isinstance(scale_a, float) and isinstance(scale_b, float) and scale_a != scale_b:
        return same_number(a * scale_a, b * scale_b)
    if scale_a is not None and scale_b is not None and scale_a != scale_b:
        return False
    return same_number(a, b) or _within_intervals(a, old, b, new)


def same_directive(old: Mapping[str, Any] | None, new: Mapping[str, Any] | None) -> bool:
    """Whether two directives do the same; a missing one is no contradiction."""
    return old is None or new is None or canonical(old) == canonical(new)


def same_number(a: float, b: float) -> bool:
    """Whether two numbers are the same measurement: equal, equal after rounding to the coarser one, or very near."""
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    if math.isinf(a) or math.isinf(b):
        return a == b
    if math.isclose(a, b, rel_tol=RELATIVE_TOLERANCE, abs_tol=1e-12):
        return True
    # Only a written fraction says how far it was rounded: 12.1 rounds to 12, 62 rows are not 62.4 rows rounded.
    digits = min(_decimals(a), _decimals(b))
    coarse, fine = (a, b) if _decimals(a) == digits else (b, a)
    return abs(coarse) >= 1 and coarse == round(fine, digits) and abs(coarse - fine) <= 0.05 * abs(fine)


def _decimals(number: float) -> int:
    exponent = Decimal(repr(number)).normalize().as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def _within_intervals(a: float, old: Mapping[str, Any], b: float, new: Mapping[str, Any]) -> bool:
    old_low, old_high = _number(old.get("low")), _number(old.get("high"))
    new_low, new_high = _number(new.get("low")), _number(new.get("high"))
    if old_low is None or old_high is None or new_low is None or new_high is None or (a > 0) != (b > 0):
        return False
    return old_low <= b <= old_high and new_low <= a <= new_high


def _scale(unit: Any) -> float | str | None:
    if unit is None:
        return None
    text = normal_text(str(unit))
    return _SCALES.get(text, text)


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        return float(value)
    try:
        return float(str(value).replace(",", ""))
    except ValueError:
        return None


def _equal(a: Any, b: Any) -> bool:
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return a.keys() == b.keys() and all(_equal(a[key], b[key]) for key in a)
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(_equal(x, y) for x, y in zip(a, b, strict=True))
    number_a, number_b = _number(a), _number(b)
    if number_a is not None and number_b is not None:
        return same_number(number_a, number_b)
    return normal_text(str(a)) == normal_text(str(b))


def _canonical(value: Any) -> Any:
    if isinstance(value, Mapping):
        kept = {str(key): _canonical(item) for key, item in value.items()}
        return {key: item for key, item in kept.items() if item is not None and item != {}}
    if isinstance(value, list | tuple):
        return [_canonical(item) for item in value]
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    if isinstance(value, str):
        return unicodedata.normalize("NFC", value).strip()
    return value
