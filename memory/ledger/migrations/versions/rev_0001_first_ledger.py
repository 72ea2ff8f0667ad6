"""The ledger as it first was. Written out, so that later changes of the tables do not change what this did."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the tables of version 1."""
    op.create_table(
        "schema_version", sa.Column("version", sa.Integer, nullable=False), _text("ledger_id", nullable=False)
    )
    op.create_table(
        "units",
        sa.Column("memory_id", sa.String, primary_key=True),
        *(_text(name, nullable=False) for name in ("org_id", "scope", "scope_owner", "owner_sub", "session_id")),
        *(_text(name, nullable=False) for name in ("bank_id", "memory_type")),
        sa.Column("summary", sa.Text, nullable=False),
        sa.Column("detail", sa.Text, nullable=False),
        _text("label"),
        sa.Column("confidence", sa.Float, nullable=False),
        sa.Column("claim", sa.JSON, nullable=False),
        sa.Column("claim_key", sa.Text, nullable=False),
        sa.Column("directive", sa.JSON),
        _text("data_source"),
        _text("dataset_key", nullable=False),
        _instant("dialogue_time", nullable=False),
        _instant("event_time_start"),
        _instant("event_time_end"),
        sa.Column("is_durative", sa.Boolean, nullable=False),
        sa.Column("pinned", sa.Boolean, nullable=False),
        _text("status", nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        _text("supersedes"),
        _text("superseded_by"),
        sa.Column("sightings", sa.Integer, nullable=False),
        _instant("last_confirmed_at", nullable=False),
        _instant("expires_at"),
        sa.Column("ttl_days", sa.Integer),
        _instant("closed_at"),
        sa.Column("closed_reason", sa.Text),
        _text("closed_run_id"),
        _text("artifact_id"),
        sa.Column("provenance", sa.JSON, nullable=False),
        _text("embedding_model", nullable=False),
        sa.Column("stored_order", sa.Integer, nullable=False),
    )
    op.create_index("units_by_scope", "units", ["org_id", "scope_owner", "dataset_key", "memory_type", "status"])
    active = sa.text("status = 'active'")
    op.create_index(
        "units_one_active",
        "units",
        ["org_id", "scope_owner", "dataset_key", "memory_type", "claim_key"],
        unique=True,
        sqlite_where=active,
        postgresql_where=active,
    )
    op.create_table(
        "sightings",
        *(sa.Column(name, sa.String, primary_key=True) for name in ("memory_id", "owner_sub", "session_id")),
        _instant("seen_at", nullable=False),
    )
    op.create_table(
        "embeddings",
        sa.Column("memory_id", sa.String, primary_key=True),
        _text("model", nullable=False),
        sa.Column("vector", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "events",
        sa.Column("seq", sa.Integer, primary_key=True, autoincrement=True),
        _instant("at", nullable=False),
        *(_text(name, nullable=False) for name in ("org_id", "owner_sub", "scope", "kind")),
        *(_text(name) for name in ("memory_id", "run_id", "session_id")),
        sa.Column("detail", sa.JSON, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("events_by_unit", "events", ["memory_id"])
    op.create_index("events_by_owner", "events", ["org_id", "owner_sub", "kind"])
    op.create_table(
        "outcomes",
        *(sa.Column(name, sa.String, primary_key=True) for name in ("org_id", "owner_sub", "run_id", "key_hash")),
        _text("action", nullable=False),
        _text("memory_id"),
        _text("previous_id"),
        sa.Column("reason", sa.Text, nullable=False),
    )
    op.create_table(
        "artifacts",
        sa.Column("stored_order", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("artifact_id", sa.String, nullable=False, unique=True),
        *(_text(name, nullable=False) for name in ("org_id", "owner_sub", "kind", "dataset_key", "session_id")),
        _text("run_id", nullable=False),
        _instant("created_at", nullable=False),
        sa.Column("content", sa.JSON, nullable=False),
        sa.UniqueConstraint("org_id", "owner_sub", "run_id", "kind"),
    )


def _text(name: str, *, nullable: bool = True) -> "sa.Column[str]":
    return sa.Column(name, sa.String, nullable=nullable)


def _instant(name: str, *, nullable: bool = True) -> "sa.Column[int]":
    return sa.Column(name, sa.BigInteger, nullable=nullable)
