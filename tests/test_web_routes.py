"""The routes and their limits, served in this process without a LangGraph server around them."""

import asyncio
import json
import logging
import shutil
import sys
import types
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from datasets.samples import sample_path
from graph.limits import Limits
from graph.rates import Rates
from graph.services import Services, open_services
from graph.settings import Settings
from graph.sign_in import SignIn
from graph.tokens import open_door
from memory import Principal
from recallyst.cli.serve import AUTH, GRAPHS, HTTP
from web import create_app, guard
from web.bell import Bell, answered
from web.desk import Desk
from web.logs import LEFT_OUT, keep_cells_out

ROOT = Path(__file__).parents[1]
LOCAL = {"host": "localhost"}


@pytest.fixture
def services(settings: Settings) -> Iterator[Services]:
    opened = open_services(replace(settings, allow_paths=False))
    yield opened
    opened.close()


@pytest.fixture
def client(services: Services) -> Callable[[Limits], TestClient]:
    """Open a client for the app with these limits; the caller is Ana of Acme."""

    def opened(limits: Limits) -> TestClient:
        door = open_door(SignIn(mode="development"), services.principal)
        desk = Desk(door=door, services=lambda: services, limits=limits, sign_in="development")
        return TestClient(create_app(desk=desk), base_url="http://localhost")

    return opened


def test_the_installed_server_is_set_up_as_the_one_of_the_repository() -> None:
    told = json.loads((ROOT / "langgraph.json").read_text())
    by_module = {k: v.removeprefix("./").replace("/", ".").replace(".py:", ":") for k, v in told["graphs"].items()}
    assert by_module == GRAPHS
    assert told["auth"] == AUTH | {"path": "./graph/auth.py:auth"}
    assert told["http"] == HTTP | {"app": "./web/app.py:app"}


def test_a_file_comes_in_through_the_loader_and_a_second_delivery_replaces_it(
    client: Callable[[Limits], TestClient], services: Services
) -> None:
    web = client(Limits())
    first = sample_path("shop_orders").read_bytes()
    taken = web.put("/api/uploads", params={"name": "C:\\data\\My Orders.csv"}, content=first).json()
    assert taken["rows"] == 8396
    again = web.put(
        "/api/uploads", params={"name": "My Orders.csv"}, content=sample_path("shop_orders_next").read_bytes()
    )
    assert again.json()["key"] == taken["key"]
    assert again.json()["rows"] > taken["rows"]
    own = [d for d in web.get("/api/datasets").json() if d["own"]]
    assert [(d["key"], d["description"]) for d in own] == [(taken["key"], "My Orders.csv")]
    assert web.get(f"/api/datasets/{taken['key']}").json()["time_column"] == "order_date"
    broken = web.put("/api/uploads", params={"name": "My Orders.csv"}, content=b"")
    assert broken.status_code == 422
    assert "My Orders.csv" in broken.json()["detail"]
    assert str(services.settings.home) not in broken.text
    assert web.get(f"/api/datasets/{taken['key']}").status_code == 200
    kept = {d.name for d in (services.settings.home / "cache").iterdir()}
    assert web.delete(f"/api/uploads/{taken['key']}").status_code == 204
    left = {d.name for d in (services.settings.home / "cache").iterdir()}
    assert (len(kept), len(left)) == (2, 1)  # the parsed copy of what was removed is gone; sessions may hold the first
    assert not [d for d in web.get("/api/datasets").json() if d["own"]]
    assert not list((services.settings.home / "uploads").rglob("*.csv"))


def test_names_that_a_key_cannot_tell_apart_are_two_datasets(
    client: Callable[[Limits], TestClient], services: Services
) -> None:
    web = client(Limits())
    names = ("売上.csv", "данные.csv", "a?.csv", "a!.csv")

    def bring(name: str, rows: int) -> str:
        content = "a,b\n" + "1,2\n" * rows
        return str(web.put("/api/uploads", params={"name": name}, content=content.encode()).json()["key"])

    keys = [bring(name, 30 + n) for n, name in enumerate(names)]
    assert len(set(keys)) == len(names)
    assert [bring(name, 40) for name in names] == keys
    assert len(list((services.settings.home / "uploads").rglob("*.csv"))) == len(names)


def test_a_quota_holds_over_all_files(client: Callable[[Limits], TestClient]) -> None:
    web = client(Limits(quota_mb=1))
    half = ("a,b\n" + "\n".join(f"{n},{'x' * 60}" for n in range(9000))).encode()
    assert web.put("/api/uploads", params={"name": "one.csv"}, content=half).status_code == 201
    refused = web.put("/api/uploads", params={"name": "two.csv"}, content=half)
    assert refused.status_code == 413
    assert "take 0.6 of 1 MB and this one does not fit" in refused.text
    assert [d["description"] for d in web.get("/api/datasets").json() if d["own"]] == ["one.csv"]


def test_the_catalogue_is_everyones_and_cannot_be_removed_by_a_caller(
    client: Callable[[Limits], TestClient], services: Services, tmp_path: Path
) -> None:
    shutil.copy(sample_path("shop_orders"), tmp_path / "orders.csv")
    services.catalogue.add(tmp_path / "orders.csv", key="orders")
    web = client(Limits())
    assert {"key": "orders", "description": "", "own": False} in web.get("/api/datasets").json()
    assert web.delete("/api/uploads/orders").status_code == 422
    assert web.get("/api/datasets/%2Fetc%2Fpasswd").status_code in {404, 422}


def test_too_many_requests_wait_their_turn(client: Callable[[Limits], TestClient]) -> None:
    web = client(Limits(requests_per_minute=3))
    assert [web.get("/api/me").status_code for _ in range(4)] == [200, 200, 200, 429]
    last = web.get("/api/me")
    assert 1 <= int(last.headers["retry-after"]) <= 20
    assert web.get("/api/health").status_code == 200


def test_a_bucket_fills_evenly_and_each_caller_has_one() -> None:
    now = [0.0]
    rates = Rates(60, seconds=lambda: now[0])
    assert [rates.wait_seconds("ana") for _ in range(61)] == [0] * 60 + [1]
    assert rates.wait_seconds("ben") == 0
    now[0] = 1.0
    assert rates.wait_seconds("ana") == 0
    assert rates.wait_seconds("ana") == 1


def test_the_queue_is_woken_by_a_question_and_left_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[bool] = []

    class Runs:
        @staticmethod
        async def next(wait: bool, limit: int = 1) -> AsyncIterator[int]:
            looks.append(wait)
            yield limit

    before = Runs.next
    monkeypatch.setitem(sys.modules, "langgraph_runtime_inmem.ops", types.SimpleNamespace(Runs=Runs))
    monkeypatch.setattr("web.bell.LOOK_SECONDS", 3600)
    bell = Bell()

    async def served() -> list[int]:
        with answered(bell):
            waiting = asyncio.ensure_future(anext(Runs.next(wait=True, limit=7)))
            await asyncio.sleep(0)
            assert looks == []
            bell.ring()
            return [await waiting]

    assert asyncio.run(asyncio.wait_for(served(), 5)) == [7]
    assert looks == [False]
    assert Runs.next is before


def test_a_question_rings_and_nothing_else_does() -> None:
    door = open_door(SignIn(mode="development"), Principal(org_id="o", owner_sub="s"))
    desk = Desk(door=door, services=lambda: None, limits=Limits(), sign_in="development")  # type: ignore[arg-type, return-value]

    async def answer(_scope: Any, _receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def nothing(*_: Any) -> Any:
        return {"type": "http.request"}

    async def rung(method: str, path: str) -> bool:
        bell = Bell()
        scope = {"type": "http", "method": method, "path": path, "headers": [(b"host", b"localhost")]}
        await guard.Guard(answer, desk=replace(desk, bell=bell))(scope, nothing, nothing)
        try:
            async with asyncio.timeout(0.01):
                await bell.heard(60)
        except TimeoutError:
            return False
        return True

    rings = {"/threads/t/runs": True, "/threads/t/runs/stream": True, "/runs/wait": True, "/threads/t/history": False}
    assert {path: asyncio.run(rung("POST", path)) for path in rings} == rings
    assert not asyncio.run(rung("GET", "/threads/t/runs"))


def test_a_body_that_does_not_come_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "BODY_SECONDS", 0.05)
    sent: list[Any] = []

    async def slow() -> Any:
        await asyncio.sleep(5)

    async def send(message: Any) -> None:
        sent.append(message)

    async def reading(_scope: Any, receive: Any, _send: Any) -> None:
        await receive()

    door = open_door(SignIn(mode="development"), Principal(org_id="o", owner_sub="s"))
    desk = Desk(door=door, services=lambda: None, limits=Limits(), sign_in="development")  # type: ignore[arg-type, return-value]
    scope = {"type": "http", "method": "POST", "path": "/threads", "headers": [(b"host", b"localhost")]}
    asyncio.run(guard.Guard(reading, desk=desk)(scope, slow, send))
    assert sent[0]["status"] == 408


def test_every_answer_tells_the_browser_to_be_careful(client: Callable[[Limits], TestClient]) -> None:
    web = client(Limits())
    for path in ("/", "/assets/main.js", "/assets/charts/vega.js", "/api/me"):
        headers = web.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "http" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"


def test_the_page_has_no_inline_code_and_asks_no_other_address() -> None:
    for file in (ROOT / "web" / "static").iterdir():
        text = file.read_text(encoding="utf-8")
        assert "innerHTML" not in text, file.name
        assert "eval(" not in text, file.name
        assert "https://" not in text, file.name
        if file.suffix == ".html":
            assert " on" not in text.split("<body>")[1].replace(" only", ""), file.name
            assert "style=" not in text


def test_logs_keep_the_place_of_an_error_and_not_its_words(capsys: pytest.CaptureFixture[str]) -> None:
    logger = logging.Logger("here")
    logger.addHandler(logging.StreamHandler())
    keep_cells_out(logger)
    keep_cells_out(logger)
    try:
        raise ValueError("the cell holds 4111 1111 1111 1111")
    except ValueError as error:
        logger.exception("failed: %s", "reading")
        logger.error(f"Run failed: {type(error)}({error})")
        logger.error({"event": f"Run failed: {type(error)}({error})", "exception": f"Traceback\nValueError: {error}"})
    told = capsys.readouterr().err
    assert "4111" not in told
    assert told.count(LEFT_OUT) == 4
    assert "test_web_routes.py" in told
