"""Several writers and sudden deaths: nothing lost, nothing doubled, and the index agrees with the ledger."""

import multiprocessing
import os
import random
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from memory import Memory, Outcome, open_memory
from memory.embedding import open_embedder
from memory_worlds import ANA, NOW, HashedWords, finding

EMBEDDER = open_embedder()  # loads once for all tests here

PROCESSES, UNITS_EACH, COMMON, IN_ONE_CALL = 8, 250, 75, 25


def opened(home: Path) -> Memory:
    return open_memory(home, clock=lambda: NOW, embedder=EMBEDDER)


def write_overlapping(home: Path, url: str | None, worker: int) -> None:
    """Store the worker's own units and those that all have in common, some a call, each worker in its own order."""
    with open_memory(home, clock=lambda: NOW, database_url=url, embedder=HashedWords()) as memory:
        numbers = [*range(COMMON), *range(1000 * worker, 1000 * worker + UNITS_EACH - COMMON)]
        random.Random(worker).shuffle(numbers)
        for start in range(0, len(numbers), IN_ONE_CALL):
            units = [finding(number) for number in numbers[start : start + IN_ONE_CALL]]
            outcomes = memory.remember(ANA, units, run_id=f"run {worker}", session_id=f"session {worker}")
            assert {outcome.action for outcome in outcomes} <= {"stored", "reconfirmed"}


@pytest.mark.slow
@pytest.mark.parametrize("place", ["sqlite", "postgresql"])
def test_eight_processes_write_units_of_which_a_third_overlap(
    tmp_path: Path, place: str, request: pytest.FixtureRequest
) -> None:
    url = request.getfixturevalue("database") if place == "postgresql" else None
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["test_memory_concurrency"])
    workers = [context.Process(target=write_overlapping, args=(tmp_path, url, 1 + w)) for w in range(PROCESSES)]
    for process in workers:
        process.start()
    for process in workers:
        process.join(120)
    assert [process.exitcode for process in workers] == [0] * PROCESSES
    with open_memory(tmp_path, clock=lambda: NOW, database_url=url, embedder=HashedWords()) as memory:
        units = memory.list(ANA, status=None)
        seen = {unit.claim["subject"]["segment"]: unit.sightings for unit in units}
        assert len(units) == len(seen) == COMMON + PROCESSES * (UNITS_EACH - COMMON)
        assert {seen[f"region {number}"] for number in range(COMMON)} == {PROCESSES}
        assert sum(seen.values()) == PROCESSES * UNITS_EACH
        assert {(unit.version, unit.status) for unit in units} == {(1, "active")}
        numbers = [event.seq for event in memory.events(ANA)]
        assert numbers == sorted(set(numbers))
        assert memory.stats(ANA)["index"] == "in step with the ledger"


def test_two_threads_store_the_same_finding_at_once(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        for repetition in range(10):
            barrier = threading.Barrier(2)
            outcomes: list[Outcome] = []

            def store(session: str, number: int = repetition, gate: threading.Barrier = barrier) -> None:
                gate.wait()
                outcomes.extend(memory.remember(ANA, [finding(number)], run_id=session, session_id=session))  # noqa: B023

            threads = [threading.Thread(target=store, args=(f"{repetition}-{side}",)) for side in "ab"]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert sorted(outcome.action for outcome in outcomes) == ["reconfirmed", "stored"]
            assert len({outcome.memory_id for outcome in outcomes}) == 1
        units = memory.list(ANA)
        assert (len(units), {unit.sightings for unit in units}) == (10, {2})


def test_threads_read_while_others_write(tmp_path: Path) -> None:
    with opened(tmp_path) as memory, ThreadPoolExecutor(6) as pool:

        def write(worker: int) -> None:
            for number in range(worker * 10, worker * 10 + 10):
                memory.remember(ANA, [finding(number)], run_id=f"w{worker}", session_id=f"w{worker}")

        def read(_: int) -> None:
            for number in range(10):
                assert memory.recall(ANA, dataset="sales", query=f"sales of region {number}").degraded is None

        for done in [*(pool.submit(write, worker) for worker in range(3)), *(pool.submit(read, n) for n in range(3))]:
            done.result()
        assert len(memory.list(ANA)) == 30


def test_a_second_holder_of_a_home_reads_what_the_first_writes(tmp_path: Path) -> None:
    with opened(tmp_path) as first, opened(tmp_path) as second:
        first.remember(ANA, [finding(1)], run_id="r1", session_id="s1")
        found = second.recall(ANA, dataset="sales", query="sales of region 1 in May")
        assert (len(found.findings), found.degraded) == (1, None)
        second.remember(ANA, [finding(2)], run_id="r2", session_id="s2")
        assert len(first.recall(ANA, dataset="sales", query="sales of regions in May").findings) == 2
        assert second.forget(ANA, everything=True) == 2
        assert first.recall(ANA, dataset="sales", query="sales of regions in May").findings == []


KILLED_BEFORE_THE_INDEX = """
import os, signal, sys
from pathlib import Path
import test_memory_concurrency as here

memory = here.opened(Path(sys.argv[1]))
memory.remember(here.ANA, [here.finding(1), here.finding(2)], run_id="r1", session_id="s1")
memory._feed.catch_up = lambda: os.kill(os.getpid(), signal.SIGKILL)
changed = here.finding(2).model_copy(update={"claim": here.finding(2).claim | {"value": {"number": 99}}})
memory.remember(here.ANA, [changed, here.finding(3)], run_id="r2", session_id="s2")
"""

KILLED_ANY_TIME = """
import sys
from pathlib import Path
import test_memory_concurrency as here

memory = here.opened(Path(sys.argv[1]))
memory.remember(here.ANA, [here.finding(0)], run_id="r0", session_id="s")
print("ready", flush=True)
for number in range(1, 100_000):
    memory.remember(here.ANA, [here.finding(number)], run_id=f"r{number}", session_id="s")
"""


def python(script: str, home: Path) -> "subprocess.Popen[str]":
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])}
    return subprocess.Popen(
        [sys.executable, "-c", script, str(home)], env=environment, stdout=subprocess.PIPE, text=True
    )


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs a process that can be killed")
def test_killed_between_the_ledger_and_the_index(tmp_path: Path) -> None:
    with python(KILLED_BEFORE_THE_INDEX, tmp_path) as process:
        assert process.wait(120) == -signal.SIGKILL
    with opened(tmp_path) as memory:
        assert memory._feed.memory_ids() == {unit.memory_id for unit in memory.list(ANA)}
        assert len(memory.list(ANA)) == 3
        found = memory.recall(ANA, dataset="sales", query="Region 3 sold in May")
        assert found.degraded is None
        assert found.findings[0].unit.summary == "Region 3 sold 4.50 in May."
        replayed = memory.remember(ANA, [finding(3)], run_id="r2", session_id="s2")
        assert [outcome.action for outcome in replayed] == ["stored"]
        assert {unit.sightings for unit in memory.list(ANA)} == {1}


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs a process that can be killed")
@pytest.mark.parametrize("after_milliseconds", [0, 40, 150])
def test_killed_at_any_time(tmp_path: Path, after_milliseconds: int) -> None:
    with python(KILLED_ANY_TIME, tmp_path) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        threading.Event().wait(after_milliseconds / 1000)
        process.kill()
    with opened(tmp_path) as memory:
        numbers = sorted(int(unit.claim["subject"]["segment"].split()[1]) for unit in memory.list(ANA))
        assert numbers == list(range(len(numbers)))
        assert memory._feed.memory_ids() == {unit.memory_id for unit in memory.list(ANA)}
        assert memory.recall(ANA, dataset="sales", query="Region 0 sold in May").findings
