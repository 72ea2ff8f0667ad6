"""Who is asking. The principal is bound here, from the process's settings or from what the server has verified.

Nothing that a client sends as input, `configurable`, header or metadata is looked at.
"""

from collections.abc import Mapping
from typing import Any

from langgraph.runtime import ServerInfo

from graph.settings import Settings
from memory import Principal


class UnverifiedCaller(Exception):
    """A server ran the graph for a caller whom it has not verified."""


def local_principal(settings: Settings) -> Principal:
    """Return the principal of a process that one person runs."""
    return Principal(org_id=settings.org, owner_sub=settings.user)


def run_principal(server: ServerInfo | None, local: Principal) -> Principal:
    """Return whose run this is: the verified user behind a server, the local principal where there is no server.

    :raises UnverifiedCaller: behind a server that names no verified user with an organisation.
    """
    if server is None:
        return local
    if server.user is None:
        raise UnverifiedCaller("the server has not verified who is asking, so nothing is run")
    return principal_of_user(server.user)


def user_of_principal(principal: Principal) -> dict[str, Any]:
    """Return the user that the server keeps with a request and its runs."""
    return {
        "identity": principal.owner_sub,
        "org_id": principal.org_id,
        "display_name": principal.owner_sub,
        "is_authenticated": True,
    }


def principal_of_user(user: Any) -> Principal:
    """Return the principal of a user made by `user_of_principal`, whichever form the server hands it on in.

    :raises UnverifiedCaller: when it is another kind of user, as one whom the server let in by a door of its own.
    """
    org = user.get("org_id") if isinstance(user, Mapping) else _item(user, "org_id")
    sub = user.get("identity") if isinstance(user, Mapping) else getattr(user, "identity", None)
    if not (isinstance(org, str) and org.strip() and isinstance(sub, str) and sub.strip()):
        raise UnverifiedCaller("the caller has no verified identity with an organisation, so nothing is run")
    return Principal(org_id=org, owner_sub=sub)


def owner_mark(principal: Principal) -> dict[str, str]:
    """Return the metadata by which the server tells whose a thread, a run or a cron is."""
    return {"org": principal.org_id, "owner": principal.owner_sub}


def _item(user: Any, name: str) -> Any:
    try:
        return user[name]
    except (KeyError, TypeError, AttributeError):
        return None
