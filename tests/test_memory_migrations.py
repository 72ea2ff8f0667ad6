"""Homes of every earlier version open with what they hold; the tables after all migrations are those of the code."""

import sqlite3
from datetime import timedelta
from pathlib import Path

from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from sqlalchemy import create_engine

from memory import open_memory
from memory.ledger import upgrading
from memory.ledger.schema import VERSION, metadata, to_micros
from memory_worlds import ANA, NOW, HashedWords, finding


def first_version(home: Path) -> None:
    """A home as version 1 left it: no record of migrations, two versions of one claim and a preference."""
    engine = create_engine(f"sqlite:///{home / 'ledger.db'}")
    with engine.begin() as connection:
        config = Config()
        config.set_main_option("script_location", str(upgrading._MIGRATIONS))
        config.attributes["connection"] = connection
        command.upgrade(config, "0001")
        connection.exec_driver_sql("DROP TABLE alembic_version")
        connection.exec_driver_sql("INSERT INTO schema_version VALUES (1, 'ledger of version 1')")
        said, until = to_micros(NOW - timedelta(days=3)), to_micros(NOW + timedelta(days=80))
        subject = '{"metric":"sum(sales)","segment":"region 1"}'
        for number, (memory_id, status, value, version) in enumerate(
            [("old", "superseded", 9, 1), ("new", "active", 1.5, 2)]
        ):
            connection.exec_driver_sql(
                "INSERT INTO units (memory_id, org_id, scope, scope_owner, owner_sub, session_id, bank_id, memory_type,"
                " summary, detail, label, confidence, claim, claim_key, data_source, dataset_key, dialogue_time,"
                " is_durative, pinned, status, version, supersedes, sightings, last_confirmed_at, expires_at, ttl_days,"
                " provenance, embedding_model, stored_order) VALUES (?, 'acme', 'user', 'ana', 'ana', 's1', 'user:ana',"
                " 'finding', 'Region 1 sold 1.50 in May.', '', 'confirmatory', 0.9, ?, ?, 'sales', 'sales', ?, 0, 0, ?,"
                " ?, ?, 1, ?, ?, 90, '{}', 'hashed-words', ?)",
                (memory_id, f'{{"subject":{subject},"value":{{"number":{value}}}}}', subject, said, status, version,
                 "old" if version == 2 else None, said, until, number + 1),
            )  # fmt: skip
            connection.exec_driver_sql("INSERT INTO sightings VALUES (?, 'ana', 's1', ?)", (memory_id, said))
            connection.exec_driver_sql(
                "INSERT INTO events (at, org_id, owner_sub, scope, kind, memory_id, detail)"
                " VALUES (?, 'acme', 'ana', 'user', 'stored', ?, '{}')",
                (said, memory_id),
            )
    engine.dispose()


def test_a_home_of_the_first_version_keeps_all_it_knows(tmp_path: Path) -> None:
    first_version(tmp_path)
    with open_memory(tmp_path, clock=lambda: NOW, embedder=HashedWords()) as memory:
        assert memory._ledger.ledger_id == "ledger of version 1"
        assert [unit.memory_id for unit in memory.history(ANA, "new")] == ["old", "new"]
        (outcome,) = memory.remember(ANA, [finding(1)], run_id="r", session_id="s2")
        assert (outcome.action, outcome.memory_id) == ("reconfirmed", "new")
        assert memory.recall(ANA, dataset="sales", query="What did region 1 sell?").findings
        assert [event.seq for event in memory.events(ANA)] == [1, 2, 3, 4]
    connection = sqlite3.connect(tmp_path / "ledger.db")
    assert connection.execute("SELECT version FROM schema_version").fetchone() == (VERSION,)
    assert connection.execute("SELECT version_num FROM alembic_version").fetchone() == (f"{VERSION:04d}",)
    connection.close()


def test_a_new_home_has_the_tables_of_the_code(tmp_path: Path) -> None:
    memory = open_memory(tmp_path, clock=lambda: NOW, embedder=HashedWords())
    with memory, memory._ledger.read_all() as connection:
        differences = compare_metadata(MigrationContext.configure(connection), metadata)
    assert [d for d in differences if not str(d[0]).startswith("modify")] == []
