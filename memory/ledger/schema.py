"""The tables of the ledger in SQLAlchemy Core, as they are after the newest migration (`memory/ledger/migrations`)."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Dialect,
    Float,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.types import TypeDecorator

from memory.errors import MemoryError  # noqa: A004
from memory.ledger.sealing import SealedBytes, SealedJSON, SealedText

VERSION = 3
"""The number of the newest migration. A ledger with a higher one was written by newer code."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def to_micros(moment: datetime) -> int:
    """Microseconds since 1970 UTC of an aware datetime; exact."""
    return (moment - _EPOCH) // timedelta(microseconds=1)


@lru_cache(maxsize=8192)
def _from_micros(value: Any) -> datetime | None:
    """The moment; kept, since every unit read has several and those of one run share theirs."""
    return None if value is None else _EPOCH + timedelta(microseconds=int(value))


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

    def result_processor(self, dialect: Dialect, coltype: object) -> Callable[[Any], datetime | None]:
        """Decode to UTC; in one call a value."""
        return _from_micros


metadata = MetaData()

schema_version = Table(
    "schema_version",
    metadata,
    Column("version", Integer, nullable=False),
    Column("ledger_id", String, nullable=False),  # says whether an index on disk belongs to this ledger
    Column("sealed_with", String),  # fingerprint of the key; NULL: in the clear
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
    Column("summary", SealedText, nullable=False),
    Column("detail", SealedText, nullable=False, default=""),
    Column("label", String),
    Column("confidence", Float, nullable=False),
    Column("claim", SealedJSON, nullable=False),
    Column("claim_key", SealedText, nullable=False),
    Column("claim_hash", String, nullable=False),  # stands for the claim key wherever rows are compared
    Column("directive", SealedJSON),
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
    Column("provenance", SealedJSON, nullable=False),
    Column("embedding_model", String, nullable=False, default=""),
    Column("stored_order", Integer, nullable=False),  # breaks ties of time, so that lists have one order
    Index("units_by_order", "stored_order"),
    Index("units_by_identity", "claim_hash"),
    Index("units_by_scope", "org_id", "scope_owner", "dataset_key", "memory_type", "status"),
)

IDENTITY = ("org_id", "scope_owner", "dataset_key", "memory_type", "claim_hash")
"""The columns that say that two rows are versions of one thing."""

Index(
    "units_one_active",
    *(units.c[name] for name in IDENTITY),
    unique=True,
    sqlite_where=text("status = 'active'"),
    postgresql_where=text("status = 'active'"),
)


class next_in_order(FunctionElement[int]):  # noqa: N801  named as the SQL function that it stands for
    """The next `stored_order`: greater than all before."""

    type = Integer()
    inherit_cache = True


@compiles(next_in_order, "sqlite")
def _next_on_sqlite(element: Any, compiler: Any, **options: Any) -> str:
    return "(SELECT coalesce(max(stored_order), 0) + 1 FROM units)"


@compiles(next_in_order, "postgresql")
def _next_on_postgresql(element: Any, compiler: Any, **options: Any) -> str:
    return "nextval('units_in_order')"


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
    Column("vector", SealedBytes, nullable=False),  # float32, little endian
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
    Column("content", SealedJSON, nullable=False),
    UniqueConstraint("org_id", "owner_sub", "run_id", "kind"),
)
