"""What every route needs: who is asking, the services as this principal has them, the limits."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Annotated

from fastapi import Depends, HTTPException, Request

from graph.limits import Limits
from graph.services import Services
from graph.tokens import Door, Refused
from memory import Principal
from web.bell import Bell


@dataclass(frozen=True)
class Desk:
    """The live objects of the web routes, made once per process."""

    door: Door
    services: Callable[[], Services]
    limits: Limits
    sign_in: str
    log_content: bool = False
    """Whether logs may quote what was read."""
    bell: Bell = field(default_factory=Bell)
    """Tells the queue that a question has come."""

    def principal(self, headers: Mapping[str, str]) -> Principal:
        """Return who is asking. :raises graph.tokens.Refused: when that is not proven."""
        return self.door.principal(headers)


def desk_of(request: Request) -> Desk:
    """Return the desk of the app that serves the request."""
    desk = request.app.state.desk
    assert isinstance(desk, Desk)
    return desk


def caller(request: Request) -> Services:
    """Return the services bound to the verified caller; without one the request ends here with 401."""
    desk = desk_of(request)
    try:
        principal = desk.principal(request.headers)
    except Refused as error:
        raise HTTPException(401, str(error), headers={"www-authenticate": "Bearer"}) from error
    return desk.services().for_principal(principal)


Caller = Annotated[Services, Depends(caller)]
AtDesk = Annotated[Desk, Depends(desk_of)]
