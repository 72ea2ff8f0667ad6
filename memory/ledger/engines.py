"""The two databases a ledger runs on, and what they do differently: begin, bind the tenant, order events, erase."""

import hashlib
import json
import logging
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from filelock import FileLock
from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, OperationalError

from memory.errors import MemoryError  # noqa: A004
from memory.units import Principal, plain_json

BUSY_SECONDS = 30
_log = logging.getLogger(__name__)


class Backend(Protocol):
    """One database engine."""

    engine: Engine
    begin_write: str | None
    """How a writing transaction begins; None: as any other."""

    def bind(self, connection: Connection, principal: Principal | None) -> None:
        """Bind the transaction to a principal, or to the keeping of the house for all (None)."""

    def order_events(self, connection: Connection) -> None:
        """Make sure that events get their numbers in the order in which their transactions become visible."""

    def hold(self, connection: Connection, pools: Iterable[Sequence[str]]) -> None:
        """Keep other writers out of pools of units until the transaction ends."""

    def is_conflict(self, error: DBAPIError) -> bool:
        """Whether another writer was faster, so that the same transaction may succeed when it is repeated."""

    def lock_migration(self, connection: Connection) -> None:
        """Keep other processes from migrating until the transaction ends."""

    def keep_key(self, connection: Connection) -> None:
        """Keep other processes from changing the key until the transaction ends."""

    def change_key(self, connection: Connection) -> None:
        """Keep other processes from writing until the transaction, which changes the key, ends."""

    def feeding(self) -> Any:
        """A context in which no other process follows the feed into a shared index."""

    def feeds_here(self, connection: Connection) -> bool:
        """Be the only one to follow the feed until the transaction ends; False: another does it, or it cannot be."""

    def erase_traces(self, *, compact: bool) -> None:
        """Make deleted text disappear from the database files."""


def open_backend(home: Path, database_url: str | None) -> Backend:
    """The backend that the URL names, by default SQLite in `home/ledger.db`. :raises MemoryError: another database."""
    url = database_url or f"sqlite:///{home / 'ledger.db'}"
    try:
        parsed = make_url(url)
        backend = parsed.get_backend_name()
    except ArgumentError as error:
        raise MemoryError(f"{url!r} is not a database URL; expected sqlite:///path or postgresql://...") from error
    try:
        home.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise MemoryError(f"Memory cannot live in {str(home)!r}: {error.strerror}.") from error
    if backend == "sqlite":
        return SqliteBackend(url, home)
    if backend in {"postgresql", "postgres"}:
        return PostgresBackend(parsed.set(drivername="postgresql+psycopg"))
    raise MemoryError(f"The ledger runs on SQLite or PostgreSQL; got a URL for {backend!r}.")


class SqliteBackend:
    """One file with a write-ahead log. Writers queue; each file is one writer's at a time."""

    begin_write: str | None = "BEGIN IMMEDIATE"

    def __init__(self, url: str, home: Path) -> None:
        """Prepare the engine; opens nothing."""
        self._home = home
        self.engine = create_engine(url, connect_args={"timeout": BUSY_SECONDS}, json_serializer=_json)
        event.listen(self.engine, "connect", self._configure)
        event.listen(self.engine, "begin", self._begin)

    def bind(self, connection: Connection, principal: Principal | None) -> None:
        """Nothing to bind: whoever can read the file can read it all."""

    def order_events(self, connection: Connection) -> None:
        """Writers queue, so their events are in order."""

    def lock_migration(self, connection: Connection) -> None:
        """A writing transaction is alone."""

    def keep_key(self, connection: Connection) -> None:
        """A writing transaction is alone."""

    def change_key(self, connection: Connection) -> None:
        """A writing transaction is alone."""

    def hold(self, connection: Connection, pools: Iterable[Sequence[str]]) -> None:
        """A writing transaction is alone."""

    def is_conflict(self, error: DBAPIError) -> bool:
        """A unique index refused a row."""
        return "UNIQUE constraint failed" in str(error.orig)

    @contextmanager
    def feeding(self) -> Iterator[None]:
        """Hold a lock file of the home."""
        with FileLock(self._home / "feed.lock", timeout=BUSY_SECONDS, thread_local=False):
            yield

    def feeds_here(self, connection: Connection) -> bool:
        """No index is in the file."""
        return False

    def erase_traces(self, *, compact: bool) -> None:
        """Truncate the log and, with `compact`, rewrite the database.

        Deleted rows are overwritten anyway (secure_delete). Where other connections are busy the log keeps old pages
        until the next checkpoint.
        """
        options: dict[str, Any] = {"isolation_level": "AUTOCOMMIT", "begin": None}
        with self.engine.connect().execution_options(**options) as connection:
            try:
                if compact:
                    connection.exec_driver_sql("VACUUM")
                connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").all()
            except OperationalError as error:
                _log.warning("The files of memory could not be compacted now: %s", error.orig)

    @staticmethod
    def _configure(connection: Any, _record: Any) -> None:
        # The driver's own transaction handling begins late and never IMMEDIATE; we begin ourselves.
        connection.isolation_level = None
        cursor = connection.cursor()
        # The first to open a home turns on the log, for which nobody else may be inside: wait instead of failing.
        cursor.execute(f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000}")
        cursor.execute("PRAGMA journal_mode = WAL")
        cursor.execute("PRAGMA synchronous = NORMAL")
        cursor.execute("PRAGMA secure_delete = ON")  # what is forgotten is overwritten, not only unlinked
        cursor.close()

    @staticmethod
    def _begin(connection: Connection) -> None:
        statement = connection.get_execution_options().get("begin", "BEGIN")
        if statement is not None:
            connection.exec_driver_sql(statement)


class PostgresBackend:
    """A server with row-level security. Each transaction takes a role without rights of an owner and binds a tenant.

    Role and tenant are set for the transaction alone, so that a pool, here or between here and the server, never hands
    a bound connection to somebody else.
    """

    begin_write: str | None = None
    _FEED, _EVENTS, _MIGRATION, _KEY = 7_201, 7_202, 7_203, 7_204  # keys of advisory locks

    def __init__(self, url: Any) -> None:
        """Prepare the engine; opens nothing. :raises MemoryError: the driver is not installed."""
        # A pool in transaction mode (PgBouncer) may run each transaction elsewhere: no statement outlives its own.
        arguments = {"prepare_threshold": None, "connect_timeout": BUSY_SECONDS}
        try:
            self.engine = create_engine(url, connect_args=arguments, json_serializer=_json, pool_pre_ping=True)
        except ModuleNotFoundError as error:
            raise MemoryError(
                "A ledger on PostgreSQL needs the driver psycopg; install recallyst with the extra `postgres`."
            ) from error

    def bind(self, connection: Connection, principal: Principal | None) -> None:
        """Take the application's role and the tenant, or the role that keeps the house."""
        bound = {"role": "recallyst_service", "org": "", "owner": ""}
        if principal is not None:
            bound = {"role": "recallyst_app", "org": principal.org_id, "owner": principal.owner_sub}
        connection.execute(
            text(
                "SELECT set_config('role', :role, true), set_config('recallyst.org', :org, true), "
                "set_config('recallyst.owner', :owner, true)"
            ),
            bound,
        )

    def order_events(self, connection: Connection) -> None:
        """Numbers are given out before a commit: without a lock a later number could become visible first."""
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": self._EVENTS})

    def lock_migration(self, connection: Connection) -> None:
        """One at a time."""
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": self._MIGRATION})

    def keep_key(self, connection: Connection) -> None:
        """Share a lock with all who write."""
        connection.execute(text("SELECT pg_advisory_xact_lock_shared(:key)"), {"key": self._KEY})

    def change_key(self, connection: Connection) -> None:
        """Wait until nobody holds that lock, and hold it alone."""
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": self._KEY})

    def hold(self, connection: Connection, pools: Iterable[Sequence[str]]) -> None:
        """Take advisory locks, always in the same order, so that two writers never wait for each other."""
        keys = sorted({_lock_key(pool) for pool in pools})
        ordered = "SELECT unnest(cast(:keys AS bigint[])) AS key ORDER BY 1 OFFSET 0"
        connection.execute(text(f"SELECT pg_advisory_xact_lock(key) FROM ({ordered}) AS held"), {"keys": keys})

    def is_conflict(self, error: DBAPIError) -> bool:
        """A unique index refused a row, two writers waited for each other, or a snapshot was overtaken."""
        return getattr(error.orig, "sqlstate", None) in {"23505", "40P01", "40001"}

    @contextmanager
    def feeding(self) -> Iterator[None]:
        """Hold an advisory lock of the database."""
        with self.engine.connect() as connection, connection.begin():
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": self._FEED})
            yield

    def feeds_here(self, connection: Connection) -> bool:
        """Take the lock of `feeding` where it is free. Waiting could end in a circle: its holder may wait for us."""
        query = text("SELECT pg_try_advisory_xact_lock(:key)")
        return bool(connection.execute(query, {"key": self._FEED}).scalar())

    def erase_traces(self, *, compact: bool) -> None:
        """With `compact`, rewrite the tables where the role that logged in owns them; else the server's vacuum does."""
        if not compact:
            return
        with self.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            mine = text("SELECT count(*) FROM pg_tables WHERE tablename = 'units' AND pg_has_role(tableowner, 'USAGE')")
            if not connection.execute(mine).scalar():
                _log.warning("The tables of memory belong to another role, which should vacuum them (VACUUM FULL).")
                return
            for table in ("units", "embeddings", "artifacts", "events", "outcomes", "sightings", "index_points"):
                connection.exec_driver_sql(f"VACUUM FULL {table}")


def _lock_key(pool: Sequence[str]) -> int:
    digest = hashlib.sha256(json.dumps(list(pool)).encode()).digest()
    return int.from_bytes(digest[:8], "big", signed=True)


def _json(value: Any) -> str:
    return json.dumps(plain_json(value), ensure_ascii=False, allow_nan=False)
