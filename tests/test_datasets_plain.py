"""Values on their way out lose nothing and read well."""

import json
import math
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from typing import Any
from uuid import UUID

import numpy as np
import pytest

from datasets.plain import number_text, plain

PLAIN: list[tuple[Any, Any]] = [
    (None, None),
    (True, True),
    (2**63 - 1, 2**63 - 1),
    (2**63, "9223372036854775808"),
    (108000000000000000066, "108000000000000000066"),
    (0.1, 0.1),
    (math.nan, "NaN"),
    (math.inf, "Infinity"),
    (-math.inf, "-Infinity"),
    (Decimal("72.60"), 72.6),
    (Decimal("12345678901234567890.12"), "12345678901234567890.12"),
    (Decimal("NaN"), "NaN"),
    (date(2025, 3, 30), "2025-03-30"),
    (datetime(2025, 3, 30, 11, 30), "2025-03-30T11:30:00"),
    (datetime(2025, 3, 30, 11, 30, tzinfo=UTC), "2025-03-30T11:30:00Z"),
    (datetime(2025, 3, 30, 13, 30, tzinfo=timezone(timedelta(hours=2))), "2025-03-30T11:30:00Z"),
    (time(1, 2, 3), "01:02:03"),
    (timedelta(hours=1), "1:00:00"),
    (UUID(int=1), "00000000-0000-0000-0000-000000000001"),
    (b"b0", "b0"),
    (b"\xff\x00", "\\xff00"),
    ([1, (2, math.nan)], [1, [2, "NaN"]]),
    ({"k": 2**70, 3: None}, {"k": str(2**70), "3": None}),
    (np.float64(1.5), 1.5),
    (np.int64(7), 7),
    (np.bool_(True), True),
]


@pytest.mark.parametrize(("value", "expected"), PLAIN)
def test_plain_values_survive_json(value: Any, expected: Any) -> None:
    result = plain(value)
    assert result == expected
    assert type(result) is type(expected)
    assert json.loads(json.dumps(result, allow_nan=False)) == result


WRITTEN: list[tuple[Any, str | None, str]] = [
    (123456, None, "123,456"),
    (-5, None, "-5"),
    (108000000000000000066, None, "108,000,000,000,000,000,066"),
    (82171.76, None, "82,171.76"),
    (82171.76000000001, None, "82,171.76"),
    (Decimal("72.60"), None, "72.60"),
    (4495.5, None, "4,495.50"),
    (35.0, None, "35"),
    (74.49907, None, "74.50"),
    (2.625, None, "2.625"),
    (3.48276, None, "3.4828"),
    (0.9811, None, "0.9811"),
    (-0.98951, None, "-0.9895"),
    (0.034112, None, "0.03411"),
    (1e-28, None, "1e-28"),
    (3.246502e21, None, "3.247e+21"),
    (67.2, "%", "67.2%"),
    (36.4486, "%", "36.45%"),
    (50.0, "%", "50%"),
    (-70.68, "%", "-70.68%"),
    (12.5, "$", "$12.50"),
    (-12.5, "$", "-$12.50"),
    (3, "days", "3 days"),
    (0, None, "0"),
    (None, None, "not known"),
    (math.nan, None, "NaN"),
    (np.float64(2.5), None, "2.5"),
]


@pytest.mark.parametrize(("value", "unit", "text"), WRITTEN)
def test_numbers_in_sentences(value: Any, unit: str | None, text: str) -> None:
    assert number_text(value, unit=unit) == text
