"""The crash matrix: a process killed at every step of each operation; afterwards ledger and index agree.

A step is a statement that changes the ledger, a commit, a change of the index, or one of any other file of the home.
Each operation is rehearsed once in a process of its own, which names its steps; then, for every step, a fresh process
does the same on a copy of the home and is killed right before it, and once more right after the last one.
"""

import json
import multiprocessing
import os
import re
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import event

from memory import Memory, Principal, open_memory
from memory.index import edge
from memory.index.edge import EdgeIndex
from memory_worlds import ANA, NOW, HashedWords, copy_home, files_with, finding

BO = Principal("acme", "bo")
LATER = NOW + timedelta(days=60)
SECRET = "Region 2 sold 3.00 in May."
FILE_OPERATIONS = {"open", "os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.truncate"}
APPLIED = {"index apply", "index flush", "index note"}

STEPS = {
    "remember": {"INSERT units", "UPDATE units", "INSERT sightings", "INSERT outcomes", "INSERT events", "COMMIT",
                 "DELETE embeddings", "INSERT embeddings", *APPLIED, "reported"},
    "sweep": {"UPDATE units", "INSERT events", "COMMIT", *APPLIED, "reported"},
    "forget": {"open both.json.forgetting", "rename both.json.forgetting", "remove mine.json", "DELETE units",
               "DELETE embeddings", "DELETE sightings", "DELETE artifacts", "DELETE outcomes", "UPDATE events",
               "INSERT events", "COMMIT", "VACUUM", "PRAGMA wal_checkpoint", "index reset", *APPLIED, "reported"},
    "reindex": {"open feed.lock", "COMMIT", "index reset", *APPLIED, "reported"},
}  # fmt: skip
"""All that an operation does to the home: a step that joins or leaves has to be entered here, and is then killed at."""

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs a process that can be killed")


def opened(home: Path, *, later: bool = False) -> Memory:
    return open_memory(home, clock=lambda: LATER if later else NOW, embedder=HashedWords())


def remember(memory: Memory) -> list[str]:
    """One unit known, one changed, one new."""
    units = [finding(1), finding(2, value=99.0), finding(7)]
    return [o.action for o in memory.remember(ANA, units, run_id="r2", session_id="s2")]


OPERATIONS: dict[str, Callable[[Memory], object]] = {
    "remember": remember,
    "sweep": lambda memory: memory.sweep(),
    "forget": lambda memory: memory.forget(ANA, everything=True),
    "reindex": lambda memory: memory.reindex(),
}


def prepare(home: Path) -> None:
    """Three findings of which two are expired later, all in the index."""
    with opened(home) as memory:
        units = [finding(1), finding(2, ttl_days=30), finding(3, ttl_days=30)]
        memory.remember(ANA, units, run_id="r1", session_id="s1")
        memory.recall(ANA, dataset="sales", query="Region 1", run_id="r1")
        (home / "mine.json").write_text(json.dumps(memory.export(ANA)))
        memory.remember(BO, [finding(9)], run_id="r1", session_id="s1")
        (home / "both.json").write_text(json.dumps(memory.export(BO) | {"history": memory.export(ANA)["units"]}))


def operate(home: Path, name: str, die_at: int, told: Path) -> None:
    """Run one operation in this process; write down each step, and die before the one numbered `die_at`."""
    steps: list[str] = []

    def step(what: str) -> None:
        if len(steps) == die_at:
            os.kill(os.getpid(), signal.SIGKILL)
        steps.append(what)

    memory = opened(home, later=name == "sweep")
    memory.stats(ANA)  # the index is open and in step before the operation begins
    edge.UNFLUSHED = 1  # every change is brought to disk, so that dying in between is tried
    with steps_of(memory, home, step):
        result = OPERATIONS[name](memory)
        told.with_suffix(".reported").write_text(json.dumps(result))
        step("reported")
    told.write_text(json.dumps(steps))
    memory.close()


@contextmanager
def steps_of(memory: Memory, home: Path, step: Callable[[str], None]) -> Iterator[None]:
    """Call `step` before every change to the ledger, to the index and to any other file of the home."""
    engine = memory._ledger.engine

    def statement(_connection: object, _cursor: object, sql: str, *_rest: object) -> None:
        if not re.match(r"SELECT|BEGIN|WITH", sql):
            step(" ".join(re.sub(r" INTO| FROM", "", sql).replace("(", " ").split()[:2]))

    event.listen(engine, "before_cursor_execute", statement)
    event.listen(engine, "commit", lambda _connection: step("COMMIT"))
    for method in ("apply", "reset", "_flush", "_note"):
        original = getattr(EdgeIndex, method)

        def stepped(
            self: EdgeIndex, *args: object, _name: str = method, _do: object = original, **kw: object
        ) -> object:
            step(f"index {_name.strip('_')}")
            return _do(self, *args, **kw)  # type: ignore[operator]

        setattr(EdgeIndex, method, stepped)

    def file_operation(what: str, arguments: tuple[object, ...]) -> None:
        path = Path(str(arguments[0])) if what in FILE_OPERATIONS and arguments else None
        writes = what != "open" or (isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR))
        if path is not None and writes and home in path.parents and not path.is_relative_to(home / "index"):
            step(f"{what.removeprefix('os.')} {path.name}")

    sys.addaudithook(file_operation)  # files below the index are changed inside of its own steps
    yield


def in_a_process(home: Path, name: str, die_at: int, told: Path) -> int | None:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["test_memory_crash"])
    process = context.Process(target=operate, args=(home, name, die_at, told))
    process.start()
    process.join(60)
    return process.exitcode


@pytest.mark.slow
@pytest.mark.parametrize("name", list(OPERATIONS))
def test_killed_at_every_step(name: str, tmp_path: Path) -> None:
    prepare(tmp_path / "prepared")
    rehearsal = tmp_path / "rehearsal"
    copy_home(tmp_path / "prepared", rehearsal)
    told = tmp_path / "steps.json"
    assert in_a_process(rehearsal, name, -1, told) == 0
    steps: list[str] = json.loads(told.read_text())
    assert set(steps) == STEPS[name]
    result = json.loads(told.with_suffix(".reported").read_text())
    # Of a step that repeats the first stands for the others, but for commits, after each of which more is decided.
    first = {what: number for number, what in reversed(list(enumerate(steps)))}
    for number in sorted({*first.values(), *(n for n, what in enumerate(steps) if what == "COMMIT")}):
        home = tmp_path / f"killed {number}"
        copy_home(tmp_path / "prepared", home)
        told.with_suffix(".reported").unlink(missing_ok=True)
        assert in_a_process(home, name, number, told) == -signal.SIGKILL, (number, steps[number])
        reported = told.with_suffix(".reported").exists()
        after_restart(home, name, f"killed before step {number}, {steps[number]}", result, reported=reported)
        shutil.rmtree(home)


def after_restart(home: Path, name: str, when: str, result: object, *, reported: bool) -> None:
    """Whatever the step: both stores agree, what was reported is there, repeating the operation doubles nothing."""
    with opened(home, later=name == "sweep") as memory:
        in_step(memory, when)
        before = {unit.memory_id: unit.status for unit in memory.list(ANA, status=None)}
        if name == "remember":
            assert not reported or len(before) == 5, when
            assert len(before) in {3, 5}, when
            assert remember(memory) == result, when
            units = memory.list(ANA)
            assert {u.claim["subject"]["segment"]: (u.sightings, u.version) for u in units} == {
                "region 1": (2, 1), "region 2": (1, 2), "region 3": (1, 1), "region 7": (1, 1),
            }, when  # fmt: skip
        elif name == "sweep":
            assert sorted(before.values()) == ["active", "expired", "expired"], when
            memory.sweep()
            events = [e.memory_id for e in memory.events(ANA) if e.kind == "expired"]
            assert len(events) == len(set(events)) == 2, when
        elif name == "forget":
            assert len(before) == (0 if reported else len(before)), when
            assert len(before) in {0, 3}, when
            memory.forget(ANA, everything=True)
            assert memory.list(ANA, status=None) == [], when
            assert len([e for e in memory.events(ANA) if e.kind == "forgotten"]) == 3, when
        else:
            assert len(before) == 3, when
        in_step(memory, when)
    if name == "forget":
        assert files_with(home, SECRET) == [], when


def in_step(memory: Memory, when: str) -> None:
    assert memory.stats(ANA)["index"] == "in step with the ledger", when
    in_force = {unit.memory_id for unit in memory.list(ANA)}
    found = memory.search(ANA, "Region sold in May.", limit=20)
    assert {item.unit.memory_id for item in found} == in_force, when
