"""How often a caller may ask: a bucket of tokens each, filled evenly over the minute."""

import math
import time
from collections.abc import Callable

KEPT_CALLERS = 10_000


class Rates:
    """Buckets by caller; used from one event loop, so without a lock."""

    def __init__(self, per_minute: int, *, seconds: Callable[[], float] = time.monotonic) -> None:
        self._per_minute, self._seconds = per_minute, seconds
        self._buckets: dict[str, tuple[float, float]] = {}

    def wait_seconds(self, caller: str) -> int:
        """Take one token and return 0; or, where there is none, the whole seconds until there is one."""
        now = self._seconds()
        tokens, since = self._buckets.pop(caller, (float(self._per_minute), now))
        tokens = min(float(self._per_minute), tokens + (now - since) * self._per_minute / 60)
        waiting = 0 if tokens >= 1 else math.ceil((1 - tokens) * 60 / self._per_minute)
        self._buckets[caller] = (tokens if waiting else tokens - 1, now)
        while len(self._buckets) > KEPT_CALLERS:
            del self._buckets[next(iter(self._buckets))]
        return waiting
