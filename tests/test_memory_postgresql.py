"""The ledger on PostgreSQL: the same behaviour, and tenants kept apart by the server even where a query forgets to."""

import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy import Connection, create_engine, select, text
from sqlalchemy.exc import DatabaseError

from memory import Memory, MemoryError, NewUnit, Principal, open_memory  # noqa: A004
from memory.embedding import open_embedder
from memory.ledger.schema import artifacts, embeddings, events, metadata, outcomes, sightings, units
from memory_worlds import Broken

ANA, BO, EVE = Principal("acme", "ana"), Principal("acme", "bo"), Principal("evil", "ana")
NOW = datetime(2026, 3, 1, 9, tzinfo=UTC)
EMBEDDER = open_embedder()  # loads once for all tests here
OWNED = (units, sightings, embeddings, events, outcomes, artifacts)


@pytest.fixture
def memory(tmp_path: Path, database: str) -> Iterator[Memory]:
    with open_memory(tmp_path, clock=lambda: NOW, embedder=EMBEDDER, database_url=database) as opened:
        yield opened


def unit(memory_type: Any, text: str, **changes: Any) -> NewUnit:
    values: dict[str, Any] = {"memory_type": memory_type, "summary": text, "data_source": "sales"}
    if memory_type == "finding":
        values["label"] = "confirmatory"
    return NewUnit(**(values | changes))


def cost(number: float) -> NewUnit:
    claim = {"subject": {"metric": "cost"}, "value": {"number": number}}
    return unit("finding", f"Cost is {number:.1f}.", claim=claim)


def fill(memory: Memory) -> None:
    """A finding, a preference, a shared fact, an artifact and a decision of each of the three."""
    for person, column in ((ANA, "price"), (BO, "region"), (EVE, "price")):
        name = f"{person.org_id} {person.owner_sub}"
        new = [unit("finding", f"Finding of {name}."), unit("user_preference", f"Wish of {name}."),
               unit("data_quality", f"Column {column} has gaps.")]  # fmt: skip
        memory.remember(person, new, run_id=name, session_id=name)
        memory.save_artifact(person, kind="report", dataset="sales", session_id=name, run_id=name, content={"n": name})
        memory.recall(person, dataset="sales", query=f"Finding of {name}.", run_id=name)


def test_a_unit_lives_its_life_as_on_sqlite(memory: Memory) -> None:
    (first,) = memory.remember(ANA, [cost(5)], run_id="r1", session_id="s1")
    (again,) = memory.remember(ANA, [cost(5)], run_id="r2", session_id="s2")
    (changed,) = memory.remember(ANA, [cost(9)], run_id="r3", session_id="s3")
    assert [first.action, again.action, changed.action] == ["stored", "reconfirmed", "superseded"]
    assert changed.memory_id is not None
    assert [v.sightings for v in memory.history(ANA, changed.memory_id)] == [2, 1]
    replayed = memory.remember(ANA, [cost(9)], run_id="r3", session_id="s3")
    assert [(o.action, o.memory_id) for o in replayed] == [("superseded", changed.memory_id)]
    found = memory.recall(ANA, dataset="sales", query="What does it cost?")
    assert ([item.unit.summary for item in found.findings], found.degraded) == (["Cost is 9.0."], None)
    assert memory.stats(ANA)["index"] == "in step with the ledger"
    memory.pin(ANA, changed.memory_id)
    assert memory.correct(ANA, changed.memory_id, summary="Cost is 9 euros.").version == 3
    document = memory.export(ANA)
    assert memory.forget(ANA, everything=True) == 3
    assert memory.list(ANA, status=None) == []
    assert [o.action for o in memory.import_(ANA, document)] == ["stored"]


def test_a_query_that_forgets_its_conditions_sees_nothing_of_others(memory: Memory) -> None:
    fill(memory)
    for person in (ANA, BO, EVE):
        with memory._ledger.read(person) as connection:
            for table in OWNED:
                rows = connection.execute(select(table)).mappings().all()
                assert rows, table.name
                if "org_id" in table.c:
                    assert {row["org_id"] for row in rows} == {person.org_id}
            seen = connection.execute(select(units.c.scope_owner)).scalars().all()
            assert set(seen) == {person.owner_sub, ""}
            mine = set(connection.execute(select(units.c.memory_id)).scalars())
            for table in (sightings, embeddings):
                assert set(connection.execute(select(table.c.memory_id)).scalars()) <= mine
            assert set(connection.execute(select(artifacts.c.owner_sub)).scalars()) == {person.owner_sub}
            points = set(connection.execute(text("SELECT memory_id FROM index_points")).scalars())
            assert points == mine


def test_a_change_that_forgets_its_conditions_changes_nothing_of_others(memory: Memory) -> None:
    fill(memory)
    before = memory.list(BO, memory_type="finding")
    with memory._ledger.write(ANA) as connection:
        for table in (sightings, embeddings, outcomes, artifacts, units):
            connection.execute(table.delete())
    assert memory.list(ANA, memory_type="finding") == []
    assert memory.list(BO, memory_type="finding") == before
    with memory._ledger.read_all() as connection:
        left = set(connection.execute(select(units.c.scope_owner, units.c.org_id)).all())
    assert left == {("bo", "acme"), ("ana", "evil"), ("", "evil")}


def test_rows_cannot_be_put_under_another_owner_and_the_trail_is_append_only(memory: Memory) -> None:
    fill(memory)
    for statement in (
        "UPDATE units SET org_id = 'evil' WHERE scope_owner = 'ana'",
        "UPDATE units SET scope_owner = 'bo' WHERE scope_owner = 'ana'",
        "UPDATE events SET detail = '{}'",
        "DELETE FROM events",
        "DROP TABLE units",
        "ALTER TABLE units DISABLE ROW LEVEL SECURITY",
        "UPDATE schema_version SET version = 1",
    ):
        with pytest.raises(MemoryError), memory._ledger.write(ANA) as connection:
            connection.execute(text(statement))
    assert memory.stats(ANA)["status"] == {"active": 4}


def test_a_pooled_connection_keeps_nothing_of_the_one_before(memory: Memory) -> None:
    fill(memory)
    with memory._ledger.read(ANA):
        pass
    with memory._ledger.engine.connect() as connection, connection.begin():
        bound = connection.execute(text("SELECT current_setting('recallyst.org', true), current_user")).one()
        assert bound[0] in {"", None}
        connection.execute(text("SET LOCAL ROLE recallyst_app"))
        assert connection.execute(select(units)).all() == []


def test_the_application_logs_in_without_owning_anything(memory: Memory, database: str, tmp_path: Path) -> None:
    fill(memory)
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("DROP ROLE IF EXISTS recallyst_login")
        connection.execute("CREATE ROLE recallyst_login LOGIN")
        connection.execute("GRANT recallyst_app, recallyst_service TO recallyst_login")
    url = database.replace("postgres:@", "recallyst_login:@")
    with open_memory(tmp_path / "other", clock=lambda: NOW, embedder=EMBEDDER, database_url=url) as other:
        assert other.list(ANA) == memory.list(ANA)
        other.remember(ANA, [cost(5)], run_id="r9", session_id="s9")
        assert other.recall(ANA, dataset="sales", query="What does it cost?").findings
        assert other.forget(ANA, dataset="sales") >= 3
        with pytest.raises(DatabaseError), other._ledger.engine.connect() as connection_as_login:
            connection_as_login.execute(text("ALTER TABLE units NO FORCE ROW LEVEL SECURITY"))
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("DROP OWNED BY recallyst_login")
        connection.execute("DROP ROLE recallyst_login")


def test_a_role_that_may_not_create_tables_is_told_what_to_do(database: str, tmp_path: Path) -> None:
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("DROP ROLE IF EXISTS recallyst_stranger")
        connection.execute("CREATE ROLE recallyst_stranger LOGIN")
    url = database.replace("postgres:@", "recallyst_stranger:@")
    with pytest.raises(MemoryError, match=r"docs/scaling\.md"):
        open_memory(tmp_path, clock=lambda: NOW, embedder=EMBEDDER, database_url=url)
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("DROP ROLE recallyst_stranger")


def test_forgotten_text_leaves_the_database_files(memory: Memory, database: str) -> None:
    secret = "Zanzibar-clause"
    memory.remember(ANA, [unit("finding", f"The {secret} cost 5.")], run_id="r1", session_id="s1")
    memory.save_artifact(ANA, kind="report", dataset="sales", session_id="s1", run_id="r1", content={"t": secret})
    memory.audit(ANA, "asked", {"question": secret}, run_id="r1")
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("CHECKPOINT")
        row = connection.execute("SHOW data_directory").fetchone()
        number = connection.execute("SELECT oid FROM pg_database WHERE datname = current_database()").fetchone()
        assert row is not None
        assert number is not None
        folder = Path(row[0]) / "base" / str(number[0])
        assert holds(folder, secret)
        memory.forget(ANA, everything=True)
        connection.execute("CHECKPOINT")
        assert not holds(folder, secret)


def holds(folder: Path, secret: str) -> bool:
    return any(secret.encode() in path.read_bytes() for path in folder.iterdir() if os.path.isfile(path))


def unfollowed(database: str) -> set[tuple[str | None, str | None]]:
    """Units in force without a point and points without such a unit, as another connection sees them at one moment."""
    with psycopg.connect(database) as connection:
        connection.execute("SET ROLE recallyst_service")
        rows = connection.execute(
            "SELECT u.memory_id, p.memory_id FROM (SELECT memory_id FROM units WHERE status = 'active') u "
            "FULL JOIN index_points p USING (memory_id) WHERE u.memory_id IS NULL OR p.memory_id IS NULL"
        ).fetchall()
        return {(row[0], row[1]) for row in rows}


def test_a_unit_and_its_point_become_visible_together(
    memory: Memory, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory._feed, "catch_up", lambda: None)
    (first, other) = memory.remember(ANA, [cost(5), unit("user_preference", "In euros.")], run_id="r1", session_id="s")
    assert first.memory_id is not None
    assert other.memory_id is not None
    changes: list[Callable[[], object]] = [
        lambda: memory.remember(ANA, [cost(9)], run_id="r2", session_id="s2"),
        lambda: memory.correct(ANA, other.memory_id or "", summary="In dollars."),
        lambda: memory.remember(BO, [cost(7), unit("data_quality", "Late by 3 days.")], run_id="r3", session_id="s3"),
        lambda: memory.forget(ANA, memory_id=first.memory_id),
        lambda: memory.import_(EVE, memory.export(BO)),
        lambda: memory.forget(BO, everything=True),
    ]
    assert unfollowed(database) == set()
    for change in changes:
        change()
        assert unfollowed(database) == set()
    with memory._ledger.read_all() as connection:
        followed = connection.execute(text("SELECT applied_seq FROM index_state")).scalar_one()
        assert followed == connection.execute(text("SELECT max(seq) FROM events WHERE memory_id IS NOT NULL")).scalar()


def test_a_write_that_fails_leaves_neither_unit_nor_point(memory: Memory, database: str) -> None:
    memory.remember(ANA, [cost(5)], run_id="r1", session_id="s1")
    seen, follow = [], memory._ledger.follower
    assert follow is not None

    def follow_and_fail(connection: Connection) -> None:
        follow(connection)
        seen.append(connection.execute(text("SELECT count(*) FROM index_points")).scalar())
        raise MemoryError("The server went away.")

    memory._ledger.follower = follow_and_fail
    with pytest.raises(MemoryError, match="went away"):
        memory.remember(ANA, [unit("user_preference", "In euros.")], run_id="r2", session_id="s2")
    assert seen == [2]
    assert [u.summary for u in memory.list(ANA)] == ["Cost is 5.0."]
    assert unfollowed(database) == set()


def test_points_that_cannot_be_made_never_fail_a_write(tmp_path: Path, database: str) -> None:
    with open_memory(tmp_path, clock=lambda: NOW, embedder=Broken(), database_url=database) as memory:
        (outcome,) = memory.remember(ANA, [cost(5)], run_id="r1", session_id="s1")
        assert outcome.action == "stored"
    assert unfollowed(database) == {(outcome.memory_id, None)}
    with open_memory(tmp_path, clock=lambda: NOW, embedder=EMBEDDER, database_url=database) as memory:
        found = memory.recall(ANA, dataset="sales", query="What does it cost?")
        assert (len(found.findings), found.degraded) == (1, None)
    assert unfollowed(database) == set()


def test_the_migrated_tables_are_those_of_the_code(memory: Memory, database: str) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    engine = create_engine(database.replace("postgresql:", "postgresql+psycopg:"))
    with engine.connect() as connection:
        options = {"include_name": lambda name, kind, _: kind != "table" or not str(name).startswith("index_")}
        differences = compare_metadata(MigrationContext.configure(connection, opts=options), metadata)
    engine.dispose()
    assert [d for d in differences if d[0] not in {"modify_default"}] == []
