"""Sessions in the memory of the one-process server: the states between the steps of their earlier questions are let go.

That server keeps a state for every step of every question, so that it would grow by a megabyte with every other answer.
What is kept of a session is its newest state, which is all that the page, a follow-up and a restart need, with the
steps of about one question before it for those who look back in Studio. The production server keeps its states in a
database and has a setting for it.
"""

import asyncio
import sys
from typing import Any

KEPT_STATES = 12
"""About one question: a state for each of its eight phases, one for what was asked, and a gate."""
PAUSE_SECONDS = 20.0
_KEEPER = "langgraph_runtime_inmem.checkpoint"


async def let_go_of_steps() -> None:
    """Now and then let go of old steps, until cancelled; where there is no such server nothing happens."""
    keeper = sys.modules.get(_KEEPER)
    if keeper is None:
        return
    while True:
        await asyncio.sleep(PAUSE_SECONDS)
        trim(keeper.Checkpointer())


def trim(saver: Any, *, keep: int = KEPT_STATES) -> None:
    """Keep the newest states of each thread of an `InMemorySaver`, and the values that they hold."""
    held: set[tuple[str, str, str, Any]] = set()
    trimmed = set()
    for thread, spaces in list(saver.storage.items()):
        if all(len(states) <= keep for states in spaces.values()):
            continue
        trimmed.add(thread)
        for space, states in spaces.items():
            for old in sorted(states)[:-keep]:
                del states[old]
                saver.writes.pop((thread, space, old), None)
            for state, _, _ in states.values():
                versions = saver.serde.loads_typed(state)["channel_versions"]
                held |= {(thread, space, channel, version) for channel, version in versions.items()}
    for blob in [b for b in saver.blobs if b[0] in trimmed and b not in held]:
        del saver.blobs[blob]
