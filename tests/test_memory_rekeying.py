"""Another key for a sealed memory: all of it or nothing, whenever the process dies, and nothing left under the old."""

import base64
import multiprocessing
import os
import re
import signal
import sqlite3
from pathlib import Path

import pytest
from sqlalchemy import event
from sqlalchemy.engine import Engine

from memory import Memory, MemoryError, NewUnit, open_memory  # noqa: A004
from memory.ledger.rekeying import rekey
from memory_worlds import ANA, NOW, HashedWords, copy_home, finding

OLD, NEW, OTHER = (base64.urlsafe_b64encode(bytes([n]) * 32).decode() for n in range(3))


def opened(home: Path, key: str | None, url: str | None = None) -> Memory:
    return open_memory(home, clock=lambda: NOW, embedder=HashedWords(), key=key, database_url=url)


def fill(memory: Memory) -> None:
    new = [finding(1), finding(2), NewUnit(memory_type="user_preference", summary="In euros.")]
    memory.remember(ANA, new, run_id="r1", session_id="s1")
    memory.save_artifact(ANA, kind="report", dataset="sales", session_id="s1", run_id="r1", content={"n": 1})
    memory.recall(ANA, dataset="sales", query="What did region 2 sell?")  # from now on it has embeddings


@pytest.mark.parametrize("place", ["sqlite", "postgresql"])
def test_memory_opens_with_the_new_key_and_goes_on(tmp_path: Path, place: str, request: pytest.FixtureRequest) -> None:
    url = request.getfixturevalue("database") if place == "postgresql" else None
    with opened(tmp_path, OLD, url) as memory:
        fill(memory)
        before = memory.export(ANA)
    assert rekey(tmp_path, key=OLD, new_key=NEW, database_url=url)
    with pytest.raises(MemoryError, match="another one"):
        opened(tmp_path, OLD, url)
    with opened(tmp_path, NEW, url) as memory:
        assert memory.export(ANA) == before
        assert memory.recall(ANA, dataset="sales", query="What did region 2 sell?").findings
        again = memory.remember(ANA, [finding(1), finding(2, value=9.0)], run_id="r2", session_id="s2")
        assert [outcome.action for outcome in again] == ["reconfirmed", "superseded"]
        assert memory.latest_artifact(ANA, kind="report", dataset="sales").content == {"n": 1}  # type: ignore[union-attr]
    assert not rekey(tmp_path, key=OLD, new_key=NEW, database_url=url)


@pytest.mark.parametrize("place", ["sqlite", "postgresql"])
@pytest.mark.parametrize("first_key", [None, OLD], ids=["in the clear", "under the old key"])
def test_who_is_inside_meanwhile_writes_nothing_that_nobody_can_read(
    tmp_path: Path, place: str, first_key: str | None, request: pytest.FixtureRequest
) -> None:
    url = request.getfixturevalue("database") if place == "postgresql" else None
    with opened(tmp_path, first_key, url) as inside:
        fill(inside)
        if first_key is None:
            opened(tmp_path, NEW, url).close()
        else:
            rekey(tmp_path, key=first_key, new_key=NEW, database_url=url)
        with pytest.raises(MemoryError, match="sealed with another key meanwhile"):
            inside.remember(ANA, [finding(3)], run_id="r2", session_id="s2")
        with pytest.raises(MemoryError):
            inside.list(ANA)
    with opened(tmp_path, NEW, url) as memory:
        assert len(memory.list(ANA)) == 3


@pytest.mark.parametrize(
    ("key", "new_key", "message"),
    [(OTHER, NEW, "another one"), (OLD, "short", "32 bytes"), ("short", NEW, "32 bytes")],
)
def test_keys_that_do_not_fit_change_nothing(tmp_path: Path, key: str, new_key: str, message: str) -> None:
    with opened(tmp_path, OLD) as memory:
        fill(memory)
    with pytest.raises(MemoryError, match=message):
        rekey(tmp_path, key=key, new_key=new_key)
    with opened(tmp_path, OLD) as memory:
        assert len(memory.list(ANA)) == 3
    with pytest.raises(MemoryError, match="no memory"):
        rekey(tmp_path / "elsewhere", key=OLD, new_key=NEW)
    assert not (tmp_path / "elsewhere").exists()


def change_key(home: Path, die_at: int, told: Path) -> None:
    """Change the key in this process; die before the step numbered `die_at`, or write down how many there are."""
    steps: list[str] = []

    def step(what: str) -> None:
        if len(steps) == die_at:
            os.kill(os.getpid(), signal.SIGKILL)
        steps.append(what)

    def statement(_connection: object, _cursor: object, sql: str, *_rest: object) -> None:
        match = re.match(r"(UPDATE|VACUUM|PRAGMA wal_checkpoint)(?: (\w+))?", sql)
        if match:
            step(" ".join(filter(None, match.groups())))

    event.listen(Engine, "before_cursor_execute", statement)
    event.listen(Engine, "commit", lambda _connection: step("COMMIT"))
    rekey(home, key=OLD, new_key=NEW)
    step("done")
    told.write_text("\n".join(steps))


def in_a_process(home: Path, die_at: int, told: Path) -> int | None:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["test_memory_rekeying"])
    process = context.Process(target=change_key, args=(home, die_at, told))
    process.start()
    process.join(60)
    return process.exitcode


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs a process that can be killed")
def test_killed_at_every_step(tmp_path: Path) -> None:
    with opened(tmp_path / "home", OLD) as memory:
        fill(memory)
        before = memory.export(ANA)
    old_texts = sealed_values(tmp_path / "home")
    told = tmp_path / "steps"
    copy_home(tmp_path / "home", tmp_path / "rehearsal")
    assert in_a_process(tmp_path / "rehearsal", -1, told) == 0
    steps = told.read_text().splitlines()
    assert {"UPDATE units", "UPDATE embeddings", "UPDATE artifacts", "UPDATE schema_version", "COMMIT", "VACUUM",
            "PRAGMA wal_checkpoint", "done"} <= set(steps)  # fmt: skip
    first = {what: number for number, what in reversed(list(enumerate(steps)))}
    for number in sorted({*first.values(), *(n for n, what in enumerate(steps) if what == "COMMIT")}):
        home = tmp_path / f"killed {number}"
        copy_home(tmp_path / "home", home)
        assert in_a_process(home, number, told) == -signal.SIGKILL, steps[number]
        committed = number > steps.index("UPDATE schema_version") + 1
        with opened(home, NEW if committed else OLD) as memory:
            assert memory.export(ANA) == before, steps[number]
        assert rekey(home, key=OLD, new_key=NEW) is not committed, steps[number]
        with opened(home, NEW) as memory:
            assert memory.export(ANA) == before, steps[number]
        left = b"".join(path.read_bytes() for path in home.iterdir() if path.is_file())
        assert not [text for text in old_texts if text.encode() in left], steps[number]


def sealed_values(home: Path) -> list[str]:
    with sqlite3.connect(home / "ledger.db") as connection:
        return [row[0] for row in connection.execute("SELECT summary FROM units")]
