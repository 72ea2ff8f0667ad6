"""Which analyst answers: the built-in one, made once for the services of a process."""

from functools import lru_cache

from analyst.builtin import BuiltinAnalyst
from analyst.protocol import Analyst
from graph.services import Services


@lru_cache(maxsize=8)
def analyst_for(services: Services) -> Analyst:
    """Return the analyst of these services; it shares their embedding model, which loads at its first use."""
    return BuiltinAnalyst(services.memory.embedder)
