"""Sign-in of the LangGraph server and ownership of what it keeps: threads, runs, crons and store items.

`langgraph.json` names `auth`. Loading this module reads the settings, so that a server that would let anyone in does
not start.
"""

import json
from typing import Any

from langgraph_sdk import Auth

from graph.identity import local_principal, owner_mark, principal_of_user, user_of_principal
from graph.rates import Rates
from graph.services import principal_folder
from graph.settings import read_limits, read_settings, read_sign_in
from graph.tokens import Refused, identify, open_door

auth = Auth()
_sign_in = read_sign_in()
_door = open_door(_sign_in, local_principal(read_settings(allow_paths=False)))
_scheduled = Rates(read_limits().questions_per_minute)
"""Questions that come by themselves pass no guard."""
_SHARED = _sign_in.mode == "jwt"
"""Whether people share this server; alone on one's machine one may change the state of a session, as Studio does."""
WRITTEN_BY_RUNS = "what a session knows is written by its runs; ask a question, or answer the gate"


@auth.authenticate
async def authenticate(headers: dict[bytes, bytes]) -> Any:
    """Verify who is asking; the only source of a principal on the server."""
    plain = {k.decode("latin-1").lower(): v.decode("latin-1") for k, v in headers.items()}
    try:
        return user_of_principal(await identify(_door, plain))
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


@auth.on.threads.update
async def change_own_threads(ctx: Auth.types.AuthContext, value: Any) -> Auth.types.FilterType | bool:
    """As for threads; but what a session knows is written by its runs, since colleagues share some of it.

    A change of the state names nothing but the thread; one of metadata names those, a cancelled run its action.
    """
    if _SHARED and not {"metadata", "action", "ttl"} & set(value):
        raise Auth.exceptions.HTTPException(status_code=403, detail=WRITTEN_BY_RUNS)
    return _mine(ctx, value)


@auth.on.threads.create_run
async def ask_in_own_threads(ctx: Auth.types.AuthContext, value: Any) -> Auth.types.FilterType:
    """As for threads; a run takes input and answers, and nothing that reaches around the phases."""
    given = value.get("kwargs") or {}
    command, config = given.get("command") or {}, given.get("config") or {}
    if _SHARED and (command.get("update") is not None or command.get("goto")):
        raise Auth.exceptions.HTTPException(status_code=403, detail=WRITTEN_BY_RUNS)
    if inner := [k for k in config.get("configurable") or {} if k.startswith("__pregel")]:
        raise Auth.exceptions.HTTPException(status_code=422, detail=f"{inner[0]!r} cannot be set from outside")
    mine = _mine(ctx, value)
    if "cron_id" in (config.get("configurable") or {}) and _scheduled.wait_seconds(json.dumps(mine)):
        raise Auth.exceptions.HTTPException(status_code=429, detail="too many questions are scheduled for this minute")
    return mine


@auth.on.crons
async def own_crons(ctx: Auth.types.AuthContext, value: Any) -> Auth.types.FilterType:
    """As for threads."""
    return _mine(ctx, value)


@auth.on.crons.create
async def schedule_own_runs(ctx: Auth.types.AuthContext, value: Any) -> Auth.types.FilterType:
    """As for threads; the person goes along, since nobody shows a token when the time has come."""
    config = value["payload"].setdefault("config", {})
    config.setdefault("configurable", {})["langgraph_auth_user"] = user_of_principal(principal_of_user(ctx.user))
    return _mine(ctx, value)


@auth.on.store
async def own_items(ctx: Auth.types.AuthContext, value: Any) -> None:
    """Put every item under its owner's namespace; a name out of a token may hold what a namespace may not."""
    own = principal_folder(principal_of_user(ctx.user))
    value["namespace"] = (own, *(value.get("namespace") or ()))


def _mine(ctx: Auth.types.AuthContext, value: Any) -> Auth.types.FilterType:
    mark = owner_mark(principal_of_user(ctx.user))
    if isinstance(value, dict):
        metadata = value.get("metadata")
        if isinstance(metadata, dict):
            metadata.update(mark)
        else:
            value["metadata"] = dict(mark)
    return dict(mark)
