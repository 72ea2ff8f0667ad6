"""The error of the memory package; its subclasses say who has to act."""


class MemoryError(Exception):  # noqa: A001  the package's one base error carries the package's name
    """Something about memory that the caller should read: one sentence, names what was given and what was expected."""


class UnknownMemory(MemoryError):
    """No such unit (or artifact) for this principal; also when it exists for somebody else."""


class IndexUnavailable(MemoryError):
    """The search index or the embedding model cannot answer. The ledger is intact; recall works from it instead."""


class Conflict(MemoryError):
    """Another writer was faster; nothing was written, and the same transaction may succeed when it is repeated."""
