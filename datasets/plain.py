"""Values on their way out: JSON for evidence and checkpoints, text for sentences."""

import math
from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Any
from uuid import UUID

_MIN_INT64, _MAX_INT64 = -(2**63), 2**63 - 1
_PREFIX_UNITS = {"$", "€", "£", "¥"}


def plain(value: Any) -> Any:
    """Return the value as plain JSON data, losing nothing.

    Integers beyond 64 bit and decimals that a float would change become text; dates ISO 8601 (UTC with `Z` where the
    value has a zone); NaN and infinities the words "NaN", "Infinity", "-Infinity"; anything else unknown its text.
    """
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        return value if _MIN_INT64 <= value <= _MAX_INT64 else str(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else _non_finite(value)
    if isinstance(value, Decimal):
        return _decimal(value)
    if isinstance(value, datetime):
        if value.tzinfo is None:
            return value.isoformat()
        return value.astimezone(UTC).replace(tzinfo=None).isoformat() + "Z"
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, timedelta | UUID):
        return str(value)
    if isinstance(value, bytes | bytearray | memoryview):
        return _blob(bytes(value))
    if isinstance(value, Mapping):
        return {str(plain(k)): plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    item = getattr(value, "item", None)
    return plain(item()) if callable(item) else str(value)


def number_text(value: Any, *, unit: str | None = None) -> str:
    """Write a number as sentences do: 123,456 · 82,171.76 · 0.9811 · 67.2% · $12.50.

    Integers are exact. From 10 up there are two decimals, below 10 at most four, below 1 four significant digits.
    A value with unit "%" is already in percent.
    """
    if value is None:
        return "not known"
    number = _as_decimal(value)
    if number is None:
        return str(plain(value))
    text = _percent(number) if unit == "%" else _digits(number)
    if not unit:
        return text
    if unit == "%":
        return f"{text}%"
    if unit in _PREFIX_UNITS:
        return f"-{unit}{text[1:]}" if text.startswith("-") else f"{unit}{text}"
    return f"{text} {unit}"


def counted(n: int, noun: str) -> str:
    """A number and its noun: 1 cell, 2,000 cells."""
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def _non_finite(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    return "Infinity" if value > 0 else "-Infinity"


def _decimal(value: Decimal) -> int | float | str:
    if not value.is_finite():
        return _non_finite(float(value))
    near = float(value)
    if math.isfinite(near) and Decimal(repr(near)) == value:
        return near
    return format(value, "f")


def _blob(value: bytes) -> str:
    try:
        text = value.decode("utf-8")
    except UnicodeDecodeError:
        return "\\x" + value.hex()
    return text if text.isprintable() else "\\x" + value.hex()


def _as_decimal(value: Any) -> Decimal | None:
    if isinstance(value, bool):
        return Decimal(int(value))
    if isinstance(value, Decimal):
        return value if value.is_finite() else None
    if isinstance(value, int):
        return Decimal(value)
    if isinstance(value, str):
        return None
    try:
        near = float(value)
    except (TypeError, ValueError):
        return None
    return Decimal(repr(near)) if math.isfinite(near) else None


def _digits(number: Decimal) -> str:
    size = abs(number)
    if number == number.to_integral_value() and size < 10**30:
        if size >= 10**15 and number.as_tuple().exponent != 0:
            return f"{number:.4g}"
        return f"{int(number):,}"
    if size >= 10**15:
        return f"{number:.4g}"
    if size >= 10:
        return f"{_round(number, 2):,.2f}"
    if size >= 1:
        return _trim(f"{_round(number, 4):f}")
    if size >= Decimal("0.0001"):
        places = 3 - size.adjusted() - 1
        return _trim(f"{_round(number, places + 1):f}")
    return f"{float(number):.3g}"


def _percent(number: Decimal) -> str:
    if abs(number) < Decimal("0.01") and number != 0:
        return f"{float(number):.2g}"
    return _trim(f"{_round(number, 2):,f}")


def _round(number: Decimal, places: int) -> Decimal:
    return number.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP)


def _trim(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text
