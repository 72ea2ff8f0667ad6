"""Whether a question stands on ground that prior findings know."""

import re
from collections.abc import Sequence

from analyst.protocol import Ask, Intent, Known


def new_ground(intent: Intent, prior: Sequence[Known]) -> tuple[str, ...]:
    """Return the columns that a question asks about where no prior finding is about any of them; else nothing."""
    asked = tuple(dict.fromkeys(c for ask in intent.asks for c in _columns(ask)))
    subjects = [" ".join(str(v) for v in ((k.claim or {}).get("subject") or {}).values() if v) for k in prior]
    if not asked or not any(subjects):
        return ()
    known = any(re.search(rf"(?<!\w){re.escape(c)}(?!\w)", subject) for c in asked for subject in subjects)
    return () if known else asked


def _columns(ask: Ask) -> tuple[str, ...]:
    measured = tuple(c for m in ask.metrics for c in m.measure.columns)
    return (*measured, *ask.dimensions, *ask.columns, *(f.column for f in ask.filters))
