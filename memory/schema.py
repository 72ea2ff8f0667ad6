"""The tables of the ledger, in SQLAlchemy Core, and the step-by-step migrations between their versions.

Schema versions: the table `schema_version` holds one row. Opening a ledger creates missing tables and then runs
the functions of `MIGRATIONS` from the version found up to `VERSION`, each in the opening transaction. A ledger newer
than this code is refused. Version 1 is the first; a change of a table adds a function here and raises `VERSION`.
"""

import uuid
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Connection,
    Dialect,
    Float,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    insert,
    inspect,
    select,
    text,
    update,
)
from sqlalchemy.types import TypeDecorator

from memory.errors import MemoryError  # noqa: A004

VERSION = 1
MIGRATIONS: dict[int, Callable[[Connection], None]] = {}
"""From version n to n + 1, keyed by n."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def to_micros(moment: datetime) -> int:
    """Microseconds since 1970 UTC of an aware datetime; exact."""
    return (moment - _EPOCH) // timedelta(microseconds=1)


class Instant(TypeDecorator[datetime]):
    """An aware datetime, stored as microseconds since 1970 UTC: exact, and ordered as a number in every database."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> int | None:
        """Encode; a naive datetime is a defect of the caller."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise MemoryError(f"Times in memory are aware; got the naive {value!r}.")
        return to_micros(value)

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        """Decode to UTC."""
        return None if value is None else _EPOCH + timedelta(microseconds=int(value))


metadata = MetaData()

schema_version = Table(
    "schema_version",
    metadata,
    Column("version", Integer, nullable=False),
    Column("ledger_id", String, nullable=False),  # says whether an index on disk belongs to this ledger
)

units = Table(
    "units",
    metadata,
    Column("memory_id", String, primary_key=True),
    Column("org_id", String, nullable=False),
    Column("scope", String, nullable=False),
    Column("scope_owner", String, nullable=False),  # the owner, or '' for what the org shares
    Column("owner_sub", String, nullable=False),
    Column("session_id", String, nullable=False),
    Column("bank_id", String, nullable=False),
    Column("memory_type", String, nullable=False),
    Column("summary", Text, nullable=False),
    Column("detail", Text, nullable=False, default=""),
    Column("label", String),
    Column("confidence", Float, nullable=False),
    Column("claim", JSON, nullable=False),
    Column("claim_key", Text, nullable=False),
    Column("directive", JSON(none_as_null=True)),
    Column("data_source", String),
    Column("dataset_key", String, nullable=False),  # data_source, or '' for all datasets
    Column("dialogue_time", Instant, nullable=False),
    Column("event_time_start", Instant),
    Column("event_time_end", Instant),
    Column("is_durative", Boolean, nullable=False, default=False),
    Column("pinned", Boolean, nullable=False, default=False),
    Column("status", String, nullable=False),
    Column("version", Integer, nullable=False),
    Column("supersedes", String),
    Column("superseded_by", String),
    Column("sightings", Integer, nullable=False),
    Column("last_confirmed_at", Instant, nullable=False),
    Column("expires_at", Instant),
    Column("ttl_days", Integer),
    Column("closed_at", Instant),
    Column("closed_reason", Text),
    Column("closed_run_id", String),
    Column("artifact_id", String),
    Column("provenance", JSON, nullable=False),
    Column("embedding_model", String, nullable=False, default=""),
    Column("stored_order", Integer, nullable=False),  # breaks ties of time, so that lists have one order
    Index("units_by_scope", "org_id", "scope_owner", "dataset_key", "memory_type", "status"),
)

IDENTITY = ("org_id", "scope_owner", "dataset_key", "memory_type", "claim_key")
"""The columns that say that two rows are versions of one thing."""

Index(
    "units_one_active",
    *(units.c[name] for name in IDENTITY),
    unique=True,
    sqlite_where=text("status = 'active'"),
    postgresql_where=text("status = 'active'"),
)

sightings = Table(
    "sightings",
    metadata,
    Column("memory_id", String, primary_key=True),
    Column("owner_sub", String, primary_key=True),
    Column("session_id", String, primary_key=True),
    Column("seen_at", Instant, nullable=False),
)

embeddings = Table(
    "embeddings",
    metadata,
    Column("memory_id", String, primary_key=True),
    Column("model", String, nullable=False),
    Column("vector", LargeBinary, nullable=False),  # float32, little endian
)

events = Table(
    "events",
    metadata,
    Column("seq", Integer, primary_key=True, autoincrement=True),
    Column("at", Instant, nullable=False),
    Column("org_id", String, nullable=False),
    Column("owner_sub", String, nullable=False),
    Column("scope", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("memory_id", String),
    Column("run_id", String),
    Column("session_id", String),
    Column("detail", JSON, nullable=False),
    Index("events_by_unit", "memory_id"),
    Index("events_by_owner", "org_id", "owner_sub", "kind"),
    sqlite_autoincrement=True,  # a sequence number is never used twice, also after rows are gone
)

outcomes = Table(
    "outcomes",
    metadata,
    Column("org_id", String, primary_key=True),
    Column("owner_sub", String, primary_key=True),
    Column("run_id", String, primary_key=True),
    Column("key_hash", String, primary_key=True),  # unit keys can name columns and values, so only their hash stays
    Column("action", String, nullable=False),
    Column("memory_id", String),
    Column("previous_id", String),
    Column("reason", Text, nullable=False),
)

artifacts = Table(
    "artifacts",
    metadata,
    Column("stored_order", Integer, primary_key=True, autoincrement=True),  # breaks ties of time
    Column("artifact_id", String, nullable=False, unique=True),
    Column("org_id", String, nullable=False),
    Column("owner_sub", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("dataset_key", String, nullable=False),
    Column("session_id", String, nullable=False),
    Column("run_id", String, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("content", JSON, nullable=False),
    UniqueConstraint("org_id", "owner_sub", "run_id", "kind"),
)


def current(connection: Connection) -> str | None:
    """The id of a ledger that needs no migration; None where there is something to do."""
    if not inspect(connection).has_table(schema_version.name):
        return None
    row = connection.execute(select(schema_version.c.version, schema_version.c.ledger_id)).one_or_none()
    return str(row.ledger_id) if row is not None and row.version == VERSION else None


def migrate(connection: Connection) -> str:
    """Bring the ledger to `VERSION` and return its id.

    :raises MemoryError: the ledger was written by a newer version; nothing is changed.
    """
    metadata.create_all(connection)
    row = connection.execute(select(schema_version.c.version, schema_version.c.ledger_id)).one_or_none()
    if row is None:
        ledger_id = uuid.uuid4().hex
        connection.execute(insert(schema_version).values(version=VERSION, ledger_id=ledger_id))
        return ledger_id
    if row.version > VERSION:
        raise MemoryError(
            f"This memory was written by a newer version (schema {row.version}, this one knows {VERSION}); upgrade."
        )
    for version in range(row.version, VERSION):
        MIGRATIONS[version](connection)
    if row.version < VERSION:
        connection.execute(update(schema_version).values(version=VERSION))
    return str(row.ledger_id)
