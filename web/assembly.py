"""Assembly of the web app: routes, limits, headers, and what happens when the server starts and stops."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse
from starlette.middleware import Middleware

from datasets import DatasetError
from graph.identity import local_principal
from graph.services import Services, served_services
from graph.settings import read_limits, read_settings, read_sign_in
from graph.tokens import open_door
from memory import MemoryError as LedgerError
from memory import UnknownMemory
from web import data_routes, memory_routes, page, session_routes
from web.bell import answered
from web.desk import Desk
from web.guard import Guard
from web.logs import keep_cells_out
from web.steps import let_go_of_steps

THREADS = 64
"""Phases run in threads; the default of a small machine would let 20 talks wait for each other."""


def create_app(*, desk: Desk | None = None) -> FastAPI:
    """Return the app: the page at `/`, its files under `/assets`, the routes under `/api`.

    :raises graph.errors.SettingsError: when the sign-in is not set up, so that the server does not start.
    """
    desk = desk or _served_desk(served_services)
    app = FastAPI(
        title="Recallyst",
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        lifespan=_lifespan,
        middleware=[Middleware(Guard, desk=desk)],
        exception_handlers={
            UnknownMemory: _answer(404),
            LedgerError: _answer(400),
            DatasetError: _answer(422),
        },
    )
    app.state.desk = desk
    for routes in (page.router, data_routes.router, memory_routes.router, session_routes.router):
        app.include_router(routes)
    app.mount("/assets", page.files, name="assets")
    return app


def _served_desk(services: Callable[[], Services]) -> Desk:
    settings, sign_in, limits = read_settings(allow_paths=False), read_sign_in(), read_limits()
    return Desk(
        door=open_door(sign_in, local_principal(settings)),
        services=services,
        limits=limits,
        sign_in=sign_in.mode,
        log_content=limits.log_content,
    )


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    desk: Desk = app.state.desk
    if not desk.log_content:
        keep_cells_out(logging.getLogger())
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(THREADS, thread_name_prefix="recallyst"))
    services = await asyncio.to_thread(desk.services)
    # The first question would else wait for the embedding model.
    await asyncio.to_thread(services.memory.embedder.embed, ["warm up"])
    letting_go = asyncio.create_task(let_go_of_steps())
    try:
        with answered(desk.bell):
            yield
    finally:
        letting_go.cancel()


def _answer(status: int) -> Callable[[Request, Exception], Any]:
    async def answer(_request: Request, error: Exception) -> JSONResponse:
        return JSONResponse({"detail": str(error)}, status_code=status)

    return answer
