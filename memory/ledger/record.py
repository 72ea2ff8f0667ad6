"""The ledger: the SQL system of record. Transactions, the filters of every read, and rows as units."""

import random
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, Connection, Engine, and_, insert, or_, select
from sqlalchemy.exc import DatabaseError, ProgrammingError

from memory.errors import Conflict, MemoryError  # noqa: A004
from memory.ledger import upgrading
from memory.ledger.engines import open_backend
from memory.ledger.schema import embeddings, events, units
from memory.ledger.sealing import Cipher, Handover, use_cipher
from memory.units import Event, MemoryUnit, Principal

ATTEMPTS = 8
_PRIVATE = frozenset({"scope_owner", "dataset_key", "claim_hash", "closed_run_id", "stored_order"})
_TOLD = [column for column in units.c if column.name not in _PRIVATE]
_NAMES = [column.name for column in _TOLD]
_FIELDS = set(_NAMES)
_T = TypeVar("_T")


class Ledger:
    """The database behind memory. Safe for threads and for several processes.

    A transaction works for one principal, or, where it keeps the house (sweeping, indexing), for all.
    """

    def __init__(self, home: Path, *, database_url: str | None = None, cipher: Cipher | None = None) -> None:
        """Open or create the ledger, by default `home/ledger.db`, and bring it up to date.

        :raises MemoryError: it is no ledger, is newer than this code, is sealed with another key, or the URL names a
            database of another kind.
        """
        self._backend = open_backend(home, database_url)
        self.cipher = cipher
        self.follower: Callable[[Connection], None] | None = None
        """Called before a commit that adds events, keeping the house for all: an index in the same transaction."""
        if cipher is not None:
            use_cipher(self.engine.dialect, cipher)
        try:
            with _translated(self._backend.is_conflict, "read"), self.engine.connect() as connection:
                known = upgrading.current(connection, cipher)
            self.ledger_id = known or self._upgrade()
        except MemoryError:
            self.engine.dispose()
            raise

    @property
    def engine(self) -> Engine:
        """The engine, shared by all threads."""
        return self._backend.engine

    @property
    def on_postgresql(self) -> bool:
        """Whether the ledger is on a server."""
        return self.engine.dialect.name == "postgresql"

    def read(self, principal: Principal) -> AbstractContextManager[Connection]:
        """A read transaction of one principal. :raises MemoryError: the ledger cannot be read."""
        return self._reading(principal)

    def read_all(self) -> AbstractContextManager[Connection]:
        """A read transaction that keeps the house for all tenants. :raises MemoryError: as `read`."""
        return self._reading(None)

    def write(self, principal: Principal) -> AbstractContextManager[Connection]:
        """A write transaction of one principal; commits at the end, rolls back on any error.

        :raises MemoryError: the ledger cannot be written. :raises Conflict: another writer was faster.
        """
        return self._writing(principal)

    def write_all(self) -> AbstractContextManager[Connection]:
        """A write transaction that keeps the house for all tenants. :raises: as `write`."""
        return self._writing(None)

    def attempt(self, principal: Principal, work: Callable[[Connection], _T]) -> _T:
        """Do `work` in a write transaction, again from its start while other writers are faster.

        :raises MemoryError: others won every attempt, or the ledger cannot be written; nothing is written.
        """
        for attempt in range(ATTEMPTS):
            try:
                with self.write(principal) as connection:
                    return work(connection)
            except Conflict:
                time.sleep(random.uniform(0, 0.01 * 2**attempt))
        raise MemoryError("The memory ledger cannot be written: other writers kept interfering. Try again.")

    def hold(self, connection: Connection, pools: Iterable[Sequence[str]]) -> None:
        """Keep other writers out of pools of units (org, owner, dataset, type) until the transaction ends.

        Whether a unit is new is decided by looking at its pool; nobody may add to it between the look and the commit.
        """
        self._backend.hold(connection, pools)

    @contextmanager
    def for_all(self, connection: Connection, principal: Principal | None) -> Iterator[None]:
        """Keep the house inside of a principal's transaction for a moment, then be bound again."""
        self._backend.bind(connection, None)
        yield
        self._backend.bind(connection, principal)

    def feeding(self) -> AbstractContextManager[None]:
        """A time in which no other process follows the feed into a shared index."""
        context: AbstractContextManager[None] = self._backend.feeding()
        return context

    def reseal(self, cipher: Cipher) -> None:
        """Seal all that is sealed with another key, which this ledger then has; in one transaction.

        Whoever else is inside can still read until it commits, and writes nothing under the old key afterwards.

        :raises MemoryError: nothing is changed, or the ledger is in the clear.
        """
        if self.cipher is None:
            raise MemoryError("This memory is in the clear; it is sealed when it is opened with a key.")
        handover = Handover(self.cipher, cipher)
        try:
            with self._writing(None, change_key=True) as connection:
                use_cipher(self.engine.dialect, handover)
                upgrading.seal(connection, handover)
        except BaseException:
            use_cipher(self.engine.dialect, self.cipher)
            raise
        self.cipher = cipher
        use_cipher(self.engine.dialect, cipher)
        self.erase_traces(compact=True)

    def erase_traces(self, *, compact: bool) -> None:
        """Make deleted text disappear from the database files; `compact` rewrites them."""
        self._backend.erase_traces(compact=compact)

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()

    @contextmanager
    def _reading(self, principal: Principal | None) -> Iterator[Connection]:
        with (
            _translated(self._backend.is_conflict, "read"),
            self.engine.connect() as connection,
            connection.begin(),
        ):
            self._backend.bind(connection, principal)
            yield connection

    @contextmanager
    def _writing(self, principal: Principal | None, *, change_key: bool = False) -> Iterator[Connection]:
        pending: list[dict[str, Any]] = []
        options: dict[str, Any] = {"pending_events": pending}
        if self._backend.begin_write is not None:
            options["begin"] = self._backend.begin_write
        with (
            _translated(self._backend.is_conflict, "written"),
            self.engine.connect().execution_options(**options) as connection,
            connection.begin(),
        ):
            self._backend.bind(connection, principal)
            (self._backend.change_key if change_key else self._backend.keep_key)(connection)
            self._check_key(connection)
            yield connection
            if pending:
                self._backend.order_events(connection)
                connection.execute(insert(events), pending)
                if self.follower is not None and self._backend.feeds_here(connection):
                    with self.for_all(connection, principal):
                        self.follower(connection)

    def _check_key(self, connection: Connection) -> None:
        """Refuse to write in another key than the ledger has by now: nobody could read that."""
        own = None if self.cipher is None else self.cipher.fingerprint
        if upgrading.sealed_with(connection) != own:
            raise MemoryError("This memory was sealed with another key meanwhile; open it again with its key.")

    def _upgrade(self) -> str:
        options = {"begin": self._backend.begin_write} if self._backend.begin_write is not None else {}
        sealed = False
        with (
            _translated(self._backend.is_conflict, "brought up to date"),
            self.engine.connect().execution_options(**options) as connection,
            connection.begin(),
        ):
            self._backend.lock_migration(connection)
            known = upgrading.current(connection, self.cipher)
            if known is None:
                upgrading.upgrade(connection)
                known = upgrading.current(connection, self.cipher)
            if known is None and self.cipher is not None:
                self._backend.change_key(connection)
                self._backend.bind(connection, None)
                upgrading.seal(connection, self.cipher)
                sealed = True
                known = upgrading.current(connection, self.cipher)
        if sealed:
            self.erase_traces(compact=True)
        if known is None:
            raise MemoryError("The memory ledger could not be brought up to date; its version is not as it should be.")
        return known


@contextmanager
def _translated(is_conflict: Callable[[Any], bool], done: str) -> Iterator[None]:
    try:
        yield
    except DatabaseError as error:
        if is_conflict(error):
            raise Conflict("Another writer was faster.") from error
        hint = ""
        if isinstance(error, ProgrammingError) and getattr(error.orig, "sqlstate", None) == "42501":
            hint = " Open it once as the role that owns the tables, or see docs/scaling.md for the roles it needs."
        raise MemoryError(
            f"The memory ledger cannot be {done}: {str(error.orig).strip().rstrip('.')}.{hint}"
        ) from error


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


def as_unit(row: Mapping[Any, Any], now: datetime) -> MemoryUnit:
    """A row as it reads at `now`: one past its limit reads as expired, swept or not."""
    values = {name: value for name, value in row.items() if name not in _PRIVATE}
    return MemoryUnit.model_construct(**_as_it_reads(values, now))


def _as_it_reads(values: dict[str, Any], now: datetime) -> dict[str, Any]:
    if values["status"] == "active" and values["expires_at"] is not None and values["expires_at"] <= now:
        values |= {"status": "expired", "closed_at": values["expires_at"], "closed_reason": "reached its time limit"}
    return values


def _complete(values: dict[str, Any]) -> MemoryUnit:
    """A unit of all its fields as the ledger holds them.

    They were validated when they were written. `model_construct` would look each field up again for defaults that a
    row never needs, which for the hundred units of a recall takes longer than the search.
    """
    unit = MemoryUnit.__new__(MemoryUnit)
    for name, value in (
        ("__dict__", values),
        ("__pydantic_fields_set__", _FIELDS),
        ("__pydantic_extra__", None),
        ("__pydantic_private__", None),
    ):
        object.__setattr__(unit, name, value)
    return unit


def find(
    connection: Connection, now: datetime, *where: ColumnElement[bool], limit: int | None = None
) -> list[MemoryUnit]:
    """Units that satisfy all conditions, last confirmed first, of equal ones the first stored first."""
    query = select(*_TOLD).where(*where).order_by(units.c.last_confirmed_at.desc(), units.c.stored_order).limit(limit)
    rows = connection.execute(query)
    return [_complete(_as_it_reads(dict(zip(_NAMES, row, strict=True)), now)) for row in rows]


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
    """Append one event at the end of a write transaction.

    Unit events hold ids and reasons, never the text of a unit, so that forgetting is complete.
    """
    pending: list[dict[str, Any]] = connection.get_execution_options()["pending_events"]
    pending.append(
        {
            "at": at,
            "org_id": principal.org_id,
            "owner_sub": principal.owner_sub,
            "scope": scope,
            "kind": kind,
            "memory_id": memory_id,
            "run_id": run_id,
            "session_id": session_id,
            "detail": dict(detail or {}),
        }
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
