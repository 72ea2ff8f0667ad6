"""The session's short-term memory: a summary in the thread's state, one line a turn, kept within a token budget.

When the budget is passed the oldest lines go until half of it is free, and a first line says how many turns went. What
is durable in a line is in the ledger by then: a turn's findings are kept by `consolidate` and what was said by
`transcript`, both before the next turn begins, and the line of the running turn never goes.
"""

import re

from langchain_core.messages.utils import count_tokens_approximately

THRESHOLD_TOKENS = 500
"""Beyond this the summary is refreshed: about 2,000 characters."""

LEFT_TOKENS = THRESHOLD_TOKENS // 2
_GONE = re.compile(r"^\(Before that (\d+) turns?, kept in memory\.\)$")


def rolled(summary: str, line: str) -> str:
    """The summary with the line of this turn at its end; refreshed where it passes the threshold."""
    lines = [*summary.splitlines(), " ".join(line.split())]
    if count_tokens_approximately(["\n".join(lines)]) <= THRESHOLD_TOKENS:
        return "\n".join(lines)
    earlier = _GONE.match(lines[0])
    gone = int(earlier[1]) if earlier else 0
    kept = lines[1:] if earlier else lines
    while len(kept) > 1 and count_tokens_approximately(["\n".join(kept)]) > LEFT_TOKENS:
        kept, gone = kept[1:], gone + 1
    if not gone:
        return "\n".join(kept)
    turns = "1 turn" if gone == 1 else f"{gone} turns"
    return "\n".join([f"(Before that {turns}, kept in memory.)", *kept])
