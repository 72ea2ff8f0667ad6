"""What can go wrong with a model, in words that a warning can use."""

from typing import Literal

Kind = Literal[
    "json", "schema", "content", "empty", "refusal", "truncated", "tool_call", "timeout", "rate", "server",
    "connection", "access", "request", "budget", "closed", "client",
]  # fmt: skip
LASTING: frozenset[Kind] = frozenset({"timeout", "rate", "server", "connection", "access", "request", "budget"})
"""After these the model is not asked again in the same turn: the next call would fail or wait just the same."""


class ModelTrouble(Exception):
    """The model gave nothing that can be used. The text completes "the model was not used: ..."."""

    def __init__(self, kind: Kind, detail: str) -> None:
        """`detail`: a clause without a full stop, such as "its reply is not valid JSON"."""
        super().__init__(detail)
        self.kind = kind


class Rejected(Exception):
    """A reply was read but cannot stand; the text tells the model what is wrong and what would be right."""

    def __init__(self, reason: str, *, cells: str | None = None, kind: Kind = "content") -> None:
        """`reason`: one sentence with what was given and what is expected, without any cell of the data.

        `cells`: what the data holds instead; it is told to the model only where values may leave.
        """
        super().__init__(f"{reason}; {cells}" if cells else reason)
        self.without_cells = reason
        self.kind = kind
