"""Sign-in of the LangGraph server and ownership of what it keeps: threads, runs, crons and store items.

`langgraph.json` names `auth`. Loading this module reads the settings, so that a server that would let anyone in does
not start.
"""

from typing import Any

from langgraph_sdk import Auth

from graph.identity import local_principal, owner_mark, principal_of_user, user_of_principal
from graph.settings import read_settings, read_sign_in
from graph.tokens import Refused, open_door

auth = Auth()
_door = open_door(read_sign_in(), local_principal(read_settings(allow_paths=False)))


@auth.authenticate
def authenticate(headers: dict[bytes, bytes]) -> Any:
    """Verify who is asking; the only source of a principal on the server."""
    plain = {k.decode("latin-1").lower(): v.decode("latin-1") for k, v in headers.items()}
    try:
        return user_of_principal(_door.principal(plain))
    except Refused as error:
        raise Auth.exceptions.HTTPException(status_code=401, detail=str(error)) from error


@auth.on
async def others(ctx: Auth.types.AuthContext, value: Any) -> bool:
    """Refuse what is not named below: nobody needs it."""
    return False


@auth.on(resources="assistants", actions=["read", "search"])
async def see_assistants(ctx: Auth.types.AuthContext, value: Any) -> Auth.types.FilterType:
    """Everyone may see the graph that is served; assistants of one's own cannot be made."""
    return {"created_by": "system"}


@auth.on.threads
async def own_threads(ctx: Auth.types.AuthContext, value: Any) -> Auth.types.FilterType:
    """Mark what is written with its owner, whatever mark it came with, and show nobody what is another's."""
    return _mine(ctx, value)


@auth.on.crons
async def own_crons(ctx: Auth.types.AuthContext, value: Any) -> Auth.types.FilterType:
    """As for threads."""
    return _mine(ctx, value)


@auth.on.store
async def own_items(ctx: Auth.types.AuthContext, value: Any) -> None:
    """Put every item under its owner's namespace."""
    principal = principal_of_user(ctx.user)
    value["namespace"] = (principal.org_id, principal.owner_sub, *(value.get("namespace") or ()))


def _mine(ctx: Auth.types.AuthContext, value: Any) -> Auth.types.FilterType:
    mark = owner_mark(principal_of_user(ctx.user))
    if isinstance(value, dict):
        metadata = value.get("metadata")
        if isinstance(metadata, dict):
            metadata.update(mark)
        else:
            value["metadata"] = dict(mark)
    return dict(mark)
