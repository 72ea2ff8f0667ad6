"""How many rows a query would make on its way, read from the plan that DuckDB explains."""

import json
import math
import re
from typing import Any

_DIGITS = re.compile(r"\d+")
_PAIRING = frozenset({"CROSS_PRODUCT", "NESTED_LOOP_JOIN", "BLOCKWISE_NL_JOIN"})
"""Operators that look at every pair of rows; DuckDB tells no estimate for the first of them."""


def largest_step(plan: str) -> int:
    """Return the largest number of rows, or of pairs of rows, that a step of the plan works through.

    `plan`: what EXPLAIN (FORMAT json) returned. A step without an estimate makes as many rows as the largest under it.
    """
    largest = 0
    for root in json.loads(plan):
        largest = max(largest, _sizes(root)[1])
    return largest


def _sizes(step: dict[str, Any]) -> tuple[int, int]:
    """Rows that come out of a step, and the most that it or a step under it works through."""
    below = [_sizes(child) for child in step.get("children") or []]
    told = _DIGITS.search(str((step.get("extra_info") or {}).get("Estimated Cardinality", "")))
    rows = int(told.group()) if told else max((made for made, _ in below), default=0)
    work = rows
    if str(step.get("name", "")).strip() in _PAIRING:
        work = math.prod(max(1, made) for made, _ in below)
        rows = rows if told else work
    return rows, max([work, *(done for _, done in below)])
