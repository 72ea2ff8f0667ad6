"""The page itself: plain HTML, styles and modules, and the chart library as the HTML report has it."""

from pathlib import Path
from typing import Any

from fastapi import APIRouter, Response
from fastapi.responses import FileResponse
from starlette.staticfiles import StaticFiles

from memory import Principal
from recallyst.html import chart_library
from web.desk import AtDesk

STATIC = Path(__file__).parent / "static"
router = APIRouter()
files = StaticFiles(directory=STATIC)
_NOBODY = Principal(org_id="-", owner_sub="-")


@router.get("/", include_in_schema=False)
def index() -> FileResponse:
    """The page."""
    return FileResponse(STATIC / "index.html", media_type="text/html")


@router.get("/assets/charts/vega.js", include_in_schema=False)
def charts() -> Response:
    """Vega, Vega-Lite and vega-embed (BSD-3-Clause) as one script."""
    return Response(chart_library(), media_type="text/javascript", headers={"cache-control": "public, max-age=86400"})


@router.get("/api/health")
def health(desk: AtDesk) -> dict[str, Any]:
    """Whether the server can read its memory; open to everyone, tells nothing about anyone."""
    desk.services().memory.list(_NOBODY)
    return {"ok": True}


@router.get("/api/sign-in")
def sign_in(desk: AtDesk) -> dict[str, str]:
    """How to sign in here: `jwt` or `development`; open to everyone."""
    return {"mode": desk.sign_in}
