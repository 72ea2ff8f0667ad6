"""Memory of analyses: typed units with an identity, a lifecycle and owners, in a ledger with a derived search index."""

from memory.errors import MemoryError, UnknownMemory  # noqa: A004
from memory.store import Memory, open_memory
from memory.units import MemoryUnit, NewUnit, Outcome, Principal

__all__ = [
    "Memory",
    "MemoryError",
    "MemoryUnit",
    "NewUnit",
    "Outcome",
    "Principal",
    "UnknownMemory",
    "open_memory",
]
