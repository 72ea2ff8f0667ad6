"""Who is asking. The principal is bound here, from the process's own settings, never from what a client sends."""

from graph.settings import Settings
from memory import Principal


def local_principal(settings: Settings) -> Principal:
    """Return the principal of a process that one person runs."""
    return Principal(org_id=settings.org, owner_sub=settings.user)
