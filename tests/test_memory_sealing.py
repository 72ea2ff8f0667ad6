"""A sealed home tells nothing to who reads its files, and opens with its key only. Retention bounds what is kept."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography.fernet import Fernet

from memory import Memory, MemoryError, NewUnit, open_memory  # noqa: A004
from memory.index.opening import IndexSettings
from memory.lifecycle.retention import Retention
from memory_worlds import ANA, NOW, HashedWords, files_with, finding

KEY = Fernet.generate_key().decode()
SECRET = "Zanzibar-clause"


def opened(home: Path, **options: Any) -> Memory:
    return open_memory(home, clock=options.pop("clock", lambda: NOW), embedder=HashedWords(), **options)


def secret(number: float = 5, **changes: Any) -> NewUnit:
    claim = {"subject": {"metric": f"cost of {SECRET}"}, "value": {"number": number}}
    values: dict[str, Any] = {"memory_type": "finding", "summary": f"The {SECRET} cost {number}.", "claim": claim,
                              "detail": f"as {SECRET} says", "label": "confirmatory", "data_source": "sales",
                              "directive": {"kind": "x", "value": SECRET}, "provenance": {"sql": SECRET}}  # fmt: skip
    return NewUnit(**(values | changes))


def fill(memory: Memory) -> None:
    memory.remember(ANA, [secret()], run_id="r1", session_id="s1")
    text = NewUnit(memory_type="user_preference", summary=f"Leave out the {SECRET}.")
    memory.remember(ANA, [text], run_id="r1", session_id="s1")
    content = {"text": SECRET}
    memory.save_artifact(ANA, kind="report", dataset="sales", session_id="s1", run_id="r1", content=content)


def test_no_byte_of_a_sealed_home_tells_what_is_known(tmp_path: Path) -> None:
    with opened(tmp_path, key=KEY) as memory:
        fill(memory)
        found = memory.recall(ANA, dataset="sales", query=f"What did {SECRET} cost?")
        assert (found.findings[0].unit.summary, found.degraded) == (f"The {SECRET} cost 5.", None)
        assert found.findings[0].unit.claim["subject"] == {"metric": f"cost of {SECRET}"}
        vector = HashedWords().embed([f"The {SECRET} cost 5."])[0]
        assert files_with(tmp_path, SECRET) == []
    assert files_with(tmp_path, SECRET) == []
    assert vector.tobytes() not in (tmp_path / "ledger.db").read_bytes()
    assert not (tmp_path / "index").exists()
    with opened(tmp_path, key=KEY) as memory:
        outcomes = memory.remember(ANA, [secret(5), secret(9, unit_key="b")], run_id="r2", session_id="s2")
        assert [outcome.action for outcome in outcomes] == ["reconfirmed", "superseded"]
        assert memory.latest_artifact(ANA, kind="report", dataset="sales").content == {"text": SECRET}  # type: ignore[union-attr]


@pytest.mark.parametrize("key", [None, Fernet.generate_key().decode()], ids=["no key", "another key"])
def test_a_sealed_home_opens_with_its_own_key_only(tmp_path: Path, key: str | None) -> None:
    with opened(tmp_path, key=KEY) as memory:
        fill(memory)
    with pytest.raises(MemoryError, match="RECALLYST_KEY"):
        opened(tmp_path, key=key)


def test_a_key_seals_what_was_kept_in_the_clear(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        fill(memory)
        before = memory.export(ANA)
        assert files_with(tmp_path, SECRET)
    with opened(tmp_path, key=KEY) as memory:
        assert memory.export(ANA) == before
        (outcome,) = memory.remember(ANA, [secret()], run_id="r2", session_id="s2")
        assert outcome.action == "reconfirmed"
    assert files_with(tmp_path, SECRET) == []


def test_a_key_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MemoryError, match="32 bytes"):
        opened(tmp_path, key="secret")
    with pytest.raises(MemoryError, match="in memory alone"):
        opened(tmp_path, key=KEY, index=IndexSettings(engine="embedded"))


def test_a_sealed_ledger_on_postgresql(tmp_path: Path, database: str) -> None:
    with opened(tmp_path, key=KEY, database_url=database) as memory:
        fill(memory)
        assert memory.recall(ANA, dataset="sales", query=f"What did {SECRET} cost?").findings
        with memory._ledger.read(ANA) as connection:
            raw = connection.exec_driver_sql("SELECT row_to_json(units)::text FROM units").scalars().all()
            points = connection.exec_driver_sql("SELECT count(*) FROM index_points").scalar()
    assert raw
    assert not any(SECRET in row for row in raw)
    assert points == 0


def test_retention_deletes_what_is_closed_for_long_enough(tmp_path: Path) -> None:
    now = NOW
    retention = Retention(closed_days=30, artifact_days=30, audit_days=60)
    with opened(tmp_path, clock=lambda: now, retention=retention) as memory:
        memory.remember(ANA, [finding(1), finding(2, ttl_days=10)], run_id="r1", session_id="s1")
        memory.save_artifact(ANA, kind="report", dataset="sales", session_id="s1", run_id="r1", content={"n": 1})
        memory.remember(ANA, [finding(1, value=99.0)], run_id="r2", session_id="s2")
        now += timedelta(days=25)
        assert memory.sweep() == 1
        assert len(memory.list(ANA, status=None)) == 3
        now += timedelta(days=16)
        assert memory.sweep() == 0
        assert [unit.claim["value"]["number"] for unit in memory.list(ANA, status=None)] == [99.0]
        assert memory.latest_artifact(ANA, kind="report", dataset="sales") is None
        assert [event.kind for event in memory.events(ANA)].count("purged") == 2
        now += timedelta(days=30)
        memory.sweep()
        assert {event.kind for event in memory.events(ANA)} <= {"expired", "purged", "unlinked"}
        assert memory.stats(ANA)["index"] == "in step with the ledger"
    with pytest.raises(MemoryError, match="at least 1"):
        Retention(closed_days=0)
