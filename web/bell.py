"""A bell for the queue of the one-process server.

That queue looks for questions twice a second and passes over those that came since it last looked, so that a person
waits up to a second before anybody starts. Here the guard rings when a question has been taken in, and the queue looks
at once. The production server wakes its workers itself.
"""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from typing import Any

LOOK_SECONDS = 0.5
"""Between two looks where nobody rings: for runs with a delay, schedules, and those that waited for another."""
_QUEUE = "langgraph_runtime_inmem.ops"


class Bell:
    """Rung by whoever takes a question in, heard by the queue; both on one event loop."""

    def __init__(self) -> None:
        self._rung = asyncio.Event()

    def ring(self) -> None:
        """Tell the queue to look."""
        self._rung.set()

    async def heard(self, seconds: float) -> None:
        """Wait until the bell is rung, at most so long; a ring that came before counts once."""
        try:
            async with asyncio.timeout(seconds):
                await self._rung.wait()
        except TimeoutError:
            return
        finally:
            self._rung.clear()


@contextmanager
def answered(bell: Bell) -> Iterator[None]:
    """Let the queue of this process wait for the bell; where there is no such queue nothing happens."""
    queue = sys.modules.get(_QUEUE)
    if queue is None:
        yield
        return
    looking = queue.Runs.next
    queue.Runs.next = staticmethod(_waiting_for(bell, looking))
    try:
        yield
    finally:
        queue.Runs.next = staticmethod(looking)


def _waiting_for(bell: Bell, looking: Callable[..., AsyncIterator[Any]]) -> Callable[..., AsyncIterator[Any]]:
    async def next_runs(wait: bool, limit: int = 1) -> AsyncIterator[Any]:
        if wait:
            await bell.heard(LOOK_SECONDS)
        async for found in looking(wait=False, limit=limit):
            yield found

    return next_runs
