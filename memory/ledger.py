"""The ledger: the SQL system of record. Transactions, the filters of every read, and rows as units."""

import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    RowMapping,
    and_,
    create_engine,
    event,
    insert,
    or_,
    select,
)
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DatabaseError, IntegrityError, OperationalError

from memory import schema
from memory.errors import MemoryError  # noqa: A004
from memory.schema import embeddings, events, units
from memory.units import Event, MemoryUnit, Principal, plain_json

BUSY_SECONDS = 30
_PRIVATE = frozenset({"scope_owner", "dataset_key", "closed_run_id", "stored_order"})
_log = logging.getLogger(__name__)


class Ledger:
    """The database behind memory. Safe for threads and for several processes."""

    def __init__(self, home: Path, *, database_url: str | None = None) -> None:
        """Open or create the ledger, by default `home/ledger.db`.

        :raises MemoryError: the file is not a ledger, is newer than this code, or the URL names another database.
        """
        url = database_url or f"sqlite:///{home / 'ledger.db'}"
        try:
            backend = make_url(url).get_backend_name()
        except ArgumentError as error:
            raise MemoryError(f"{url!r} is not a database URL; expected sqlite:///path.") from error
        if backend != "sqlite":
            raise MemoryError(f"The ledger runs on SQLite in this version; got a URL for {backend!r}.")
        try:
            home.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise MemoryError(f"Memory cannot live in {str(home)!r}: {error.strerror}.") from error
        self.engine = _sqlite_engine(url)
        try:
            with self.read() as connection:
                known = schema.current(connection)
            if known is None:
                with self.write() as connection:
                    known = schema.migrate(connection)
        except MemoryError:
            self.engine.dispose()
            raise
        self.ledger_id = known

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A read transaction: one consistent state of the ledger. :raises MemoryError: it cannot be read."""
        with _translated("read"), self.engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A write transaction; commits at the end, rolls back on any error. Writers queue up to `BUSY_SECONDS`.

        :raises MemoryError: the ledger cannot be written. :raises IntegrityError: a unique index refused a row.
        """
        with (
            _translated("written"),
            self.engine.connect().execution_options(begin="BEGIN IMMEDIATE") as connection,
            connection.begin(),
        ):
            yield connection

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()

    def erase_traces(self, *, compact: bool) -> None:
        """Make deleted text disappear from the files: truncate the log and, with `compact`, rewrite the database.

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


@contextmanager
def _translated(done: str) -> Iterator[None]:
    try:
        yield
    except IntegrityError:
        raise
    except DatabaseError as error:
        raise MemoryError(f"The memory ledger cannot be {done}: {error.orig}.") from error


def _sqlite_engine(url: str) -> Engine:
    engine = create_engine(
        url,
        connect_args={"timeout": BUSY_SECONDS},
        json_serializer=lambda value: json.dumps(plain_json(value), ensure_ascii=False, allow_nan=False),
    )

    @event.listens_for(engine, "connect")
    def _configure(connection: Any, _record: Any) -> None:
        # The driver's own transaction handling begins late and never IMMEDIATE; we begin ourselves.
        connection.isolation_level = None
        cursor = connection.cursor()
        cursor.execute("PRAGMA journal_mode = WAL")
        cursor.execute("PRAGMA synchronous = NORMAL")
        cursor.execute("PRAGMA secure_delete = ON")  # what is forgotten is overwritten, not only unlinked
        cursor.close()

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        statement = connection.get_execution_options().get("begin", "BEGIN")
        if statement is not None:
            connection.exec_driver_sql(statement)

    return engine


def visible(principal: Principal) -> ColumnElement[bool]:
    """Rows that this principal may see: their own, and what their org shares."""
    return and_(units.c.org_id == principal.org_id, units.c.scope_owner.in_(("", principal.owner_sub)))


def live(now: datetime) -> ColumnElement[bool]:
    """Rows in force at `now`. A row is expired at the very moment `expires_at`; one dated later is not there yet."""
    return and_(
        units.c.status == "active",
        units.c.dialogue_time <= now,
        or_(units.c.expires_at.is_(None), units.c.expires_at > now),
    )


def holds_for(dataset: str) -> ColumnElement[bool]:
    """Rows of this dataset and rows that hold for all datasets."""
    return units.c.dataset_key.in_((dataset, ""))


def as_unit(row: RowMapping, now: datetime) -> MemoryUnit:
    """A row as it reads at `now`: one past its limit reads as expired, swept or not."""
    values = {name: value for name, value in row.items() if name not in _PRIVATE}
    if row["status"] == "active" and row["expires_at"] is not None and row["expires_at"] <= now:
        values |= {"status": "expired", "closed_at": row["expires_at"], "closed_reason": "reached its time limit"}
    return MemoryUnit.model_validate(values)


def find(
    connection: Connection, now: datetime, *where: ColumnElement[bool], limit: int | None = None
) -> list[MemoryUnit]:
    """Units that satisfy all conditions, last confirmed first, of equal ones the first stored first."""
    query = select(units).where(*where).order_by(units.c.last_confirmed_at.desc(), units.c.stored_order).limit(limit)
    return [as_unit(row, now) for row in connection.execute(query).mappings()]


def append(
    connection: Connection,
    principal: Principal,
    kind: str,
    *,
    at: datetime,
    scope: str = "user",
    memory_id: str | None = None,
    run_id: str | None = None,
    session_id: str | None = None,
    detail: Mapping[str, Any] | None = None,
) -> None:
    """Append one event. Unit events hold ids and reasons, never the text of a unit, so that forgetting is complete."""
    connection.execute(
        insert(events).values(
            at=at,
            org_id=principal.org_id,
            owner_sub=principal.owner_sub,
            scope=scope,
            kind=kind,
            memory_id=memory_id,
            run_id=run_id,
            session_id=session_id,
            detail=dict(detail or {}),
        )
    )


def read_events(connection: Connection, principal: Principal, memory_id: str | None) -> list[Event]:
    """The principal's own events and those of units that the org shares, oldest first."""
    query = select(events).where(
        events.c.org_id == principal.org_id,
        or_(events.c.owner_sub == principal.owner_sub, events.c.scope == "org"),
    )
    if memory_id is not None:
        query = query.where(events.c.memory_id == memory_id)
    rows = connection.execute(query.order_by(events.c.seq)).mappings()
    return [Event.model_validate({k: v for k, v in row.items() if k not in {"org_id", "scope"}}) for row in rows]


def vectors(connection: Connection, memory_ids: Sequence[str], model: str) -> dict[str, bytes]:
    """Kept embeddings of this model, by memory id."""
    query = select(embeddings.c.memory_id, embeddings.c.vector).where(
        embeddings.c.model == model, embeddings.c.memory_id.in_(memory_ids)
    )
    return {row.memory_id: row.vector for row in connection.execute(query)}
