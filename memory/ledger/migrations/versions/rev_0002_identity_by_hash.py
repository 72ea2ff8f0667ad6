"""Rows are compared by a hash of the claim key, which is short and can be keyed; an order index; the seal's mark."""

import hashlib

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns, fill the hashes of what is there, and put the unique index on them."""
    op.add_column("schema_version", sa.Column("sealed_with", sa.String))
    op.add_column("units", sa.Column("claim_hash", sa.String, nullable=False, server_default=""))
    connection = op.get_bind()
    for memory_id, key in connection.execute(sa.text("SELECT memory_id, claim_key FROM units")).all():
        digest = hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
        values = {"digest": digest, "memory_id": memory_id}
        connection.execute(sa.text("UPDATE units SET claim_hash = :digest WHERE memory_id = :memory_id"), values)
    op.drop_index("units_one_active", "units")
    active = sa.text("status = 'active'")
    op.create_index(
        "units_one_active",
        "units",
        ["org_id", "scope_owner", "dataset_key", "memory_type", "claim_hash"],
        unique=True,
        sqlite_where=active,
        postgresql_where=active,
    )
    op.create_index("units_by_order", "units", ["stored_order"])
    op.create_index("units_by_identity", "units", ["claim_hash"])
