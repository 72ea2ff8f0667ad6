"""A killed process: what was measured stays measured, what was kept is kept once."""

import os
import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from conftest import NOW
from datasets.samples import sample_path
from graph.settings import Settings
from recallyst import Recallyst

ROOT = Path(__file__).parents[1]
QUESTION = "How is revenue developing by region?"

CHILD = """
import os, signal, sys
from pathlib import Path
from graph.settings import read_settings
from recallyst import Recallyst

where, orders = sys.argv[1], sys.argv[2]

def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)

def listen(event):
    print(event.get("phase"), event.get("step", ""), flush=True)
    if where == "battery" and event.get("step") == 3:
        die()
    if where == "before consolidate" and event.get("phase") == "consolidate":
        die()

recallyst = Recallyst(read_settings())
memory = recallyst.services.memory
if where == "after the ledger":
    audit = memory.audit
    memory.audit = lambda principal, kind, *a, **k: die() if kind == "decided" else audit(principal, kind, *a, **k)
if where == "between artifact and ledger":
    memory.remember = die
recallyst.ask(orders, QUESTION, session=None, progress=listen)
""".replace("QUESTION", repr(QUESTION))


def _killed(settings: Settings, where: str) -> list[str]:
    env = {
        **os.environ,
        "RECALLYST_HOME": str(settings.home),
        "RECALLYST_USER": settings.user,
        "RECALLYST_ORG": settings.org,
        "RECALLYST_NOW": NOW.isoformat(),
        "PYTHONPATH": str(ROOT),
    }
    done = subprocess.run(
        [sys.executable, "-c", CHILD, where, str(sample_path("shop_orders"))],
        env=env, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == -9, done.stderr[-2000:]
    return done.stdout.splitlines()


def _only_session(recallyst: Recallyst) -> str:
    sessions = {c.config["configurable"]["thread_id"] for c in recallyst.graph.checkpointer.list(None)}  # type: ignore[union-attr]
    (session,) = sessions
    return str(session)


@pytest.mark.slow
@pytest.mark.parametrize("where", ["battery", "before consolidate", "between artifact and ledger", "after the ledger"])
def test_a_killed_turn_is_finished_by_resume_with_nothing_lost_and_nothing_twice(
    settings: Settings, asker: Callable[..., Recallyst], where: str
) -> None:
    _killed(settings, where)
    recallyst = asker()
    memory, principal = recallyst.services.memory, recallyst.services.principal
    steps: list[int] = []
    turn = recallyst.resume(
        _only_session(recallyst), progress=lambda e: steps.append(e["step"]) if "step" in e else None
    )
    document = turn.document
    assert document.status == "done"
    assert document.usage["steps"] == len(document.plan)
    units = memory.list(principal, dataset=document.dataset.key)
    assert {f.memory_id for f in document.findings if f.memory_id} <= {u.memory_id for u in units}
    assert len({u.claim_key for u in units}) == len(units)
    assert all(u.sightings == 1 for u in units)
    if where != "battery":
        assert steps == []


@pytest.mark.slow
def test_asking_again_after_a_kill_counts_each_session_once(
    settings: Settings, asker: Callable[..., Recallyst]
) -> None:
    _killed(settings, "after the ledger")
    recallyst = asker(now=NOW + timedelta(hours=1))
    document = recallyst.ask(sample_path("shop_orders"), QUESTION, mode="fresh").document
    units = recallyst.services.memory.list(recallyst.services.principal, dataset=document.dataset.key)
    assert len({u.claim_key for u in units}) == len(units)
    assert {f.memory_id for f in document.findings if f.memory_id} <= {u.memory_id for u in units}
    assert {u.sightings for u in units} <= {1, 2}
    assert not document.memory["stored"]
