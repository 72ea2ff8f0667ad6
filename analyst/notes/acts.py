"""One executable or coded reading of a rule."""

from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["grain", "filter", "readmit", "sentinel", "dedupe", "recent", "code", "measure"]


@dataclass(frozen=True)
class Act:
    """What a rule asks of the engine: its slot, a canonical value, a sentence, and a directive where there is one."""

    kind: Kind
    subject: str
    value: str
    sentence: str
    directive: dict[str, Any] | None = None
