"""Which analyst answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyst.builtin import BuiltinAnalyst
from analyst.protocol import Analyst

if TYPE_CHECKING:
    from graph.services import Services


def analyst_for(services: Services) -> Analyst:
    """Return the analyst of a process: the built-in one, with the embedder that memory uses."""
    return BuiltinAnalyst(services.memory.embedder)
