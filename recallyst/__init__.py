"""Recallyst: data analysis with an agent that remembers."""

from typing import TYPE_CHECKING, Any

from recallyst.importing import imported

if TYPE_CHECKING:
    from graph.app import build_graph
    from memory import open_memory
    from recallyst.api import Recallyst, Turn
    from recallyst.document import Document
    from recallyst.errors import UserError

__all__ = ["Document", "Recallyst", "Turn", "UserError", "build_graph", "open_memory"]

# The graph takes more than a second to load, which whoever only asks for help or completes a word need not wait for.
_HOMES = {
    "Document": "recallyst.document",
    "Recallyst": "recallyst.api",
    "Turn": "recallyst.api",
    "UserError": "recallyst.errors",
    "build_graph": "graph.app",
    "open_memory": "memory",
}
_imported = imported
del imported


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(_imported(_HOMES[name]), name)
    return value


def __dir__() -> list[str]:
    return __all__
