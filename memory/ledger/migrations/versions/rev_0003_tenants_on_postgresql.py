"""On PostgreSQL: the roles of the application, row-level security on the tenant, and the table of search points.

`recallyst_app` works for one principal, whom each transaction binds with `set_config(..., true)`; unbound it sees
nothing. `recallyst_service` keeps the house for all tenants: it sweeps, feeds the index and blanks what quotes
forgotten units. Neither owns a table, neither can log in; the role that logs in is a member of both.
"""

from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_ORG = "org_id = current_setting('recallyst.org', true)"
_OWNER = "owner_sub = current_setting('recallyst.owner', true)"
_MINE_OR_SHARED = f"{_ORG} AND scope_owner IN ('', current_setting('recallyst.owner', true))"
_OF_A_UNIT = "EXISTS (SELECT 1 FROM units WHERE units.memory_id = {table}.memory_id)"

_POLICIES = {
    "units": _MINE_OR_SHARED,
    "index_points": _MINE_OR_SHARED,
    "sightings": _OF_A_UNIT.format(table="sightings"),
    "embeddings": _OF_A_UNIT.format(table="embeddings"),
    "outcomes": f"{_ORG} AND {_OWNER}",
    "artifacts": f"{_ORG} AND {_OWNER}",
}


def upgrade() -> None:
    """Set the tenants apart; nothing to do on SQLite, where a home belongs to whoever can read the file."""
    if op.get_bind().dialect.name != "postgresql":
        return
    for role in ("recallyst_app", "recallyst_service"):
        op.execute(
            f"DO $$ BEGIN CREATE ROLE {role} NOLOGIN; "
            "EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$"
        )
        op.execute(f"GRANT {role} TO CURRENT_USER")
        op.execute(f"DO $$ BEGIN EXECUTE 'GRANT USAGE ON SCHEMA ' || current_schema() || ' TO {role}'; END $$")
    op.execute("CREATE SEQUENCE units_in_order")
    op.execute("SELECT setval('units_in_order', (SELECT coalesce(max(stored_order), 0) + 1 FROM units), false)")
    _create_points()
    both = "recallyst_app, recallyst_service"
    op.execute(f"GRANT USAGE ON SEQUENCE units_in_order, events_seq_seq, artifacts_stored_order_seq TO {both}")
    op.execute(f"GRANT SELECT ON schema_version, alembic_version TO {both}")
    op.execute("GRANT UPDATE ON schema_version TO recallyst_service")
    for table, condition in _POLICIES.items():
        op.execute(f"GRANT SELECT, INSERT, UPDATE, DELETE ON {table} TO {both}")
        _secure(table)
        op.execute(f"CREATE POLICY tenant ON {table} TO recallyst_app USING ({condition}) WITH CHECK ({condition})")
    # The trail is append-only for the application: it adds its own lines, and changes none.
    op.execute("GRANT SELECT, INSERT ON events TO recallyst_app")
    op.execute("GRANT SELECT, INSERT, UPDATE, DELETE ON events TO recallyst_service")
    _secure("events")
    op.execute(
        f"CREATE POLICY reading ON events FOR SELECT TO recallyst_app USING ({_ORG} AND ({_OWNER} OR scope = 'org'))"
    )
    op.execute(f"CREATE POLICY adding ON events FOR INSERT TO recallyst_app WITH CHECK ({_ORG} AND {_OWNER})")
    op.execute("GRANT SELECT, INSERT, UPDATE, DELETE ON index_state TO recallyst_service")
    op.execute("GRANT SELECT ON index_state TO recallyst_app")


def _secure(table: str) -> None:
    op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
    op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
    op.execute(f"CREATE POLICY service ON {table} TO recallyst_service USING (true) WITH CHECK (true)")


def _create_points() -> None:
    """Create the search points: with pgvector's type where the extension is there, else as plain arrays.

    No dimension is fixed, since another embedding model may have another one; searches are exact within the tenant.
    """
    op.execute(
        "DO $$ BEGIN CREATE EXTENSION IF NOT EXISTS vector; "
        "EXCEPTION WHEN undefined_file OR feature_not_supported OR insufficient_privilege THEN NULL; END $$"
    )
    found = op.get_bind().exec_driver_sql("SELECT 1 FROM pg_extension WHERE extname = 'vector'").first()
    dense = "vector" if found else "real[]"
    op.execute(
        "CREATE TABLE index_points (memory_id varchar PRIMARY KEY, collection varchar NOT NULL, "
        "org_id varchar NOT NULL, scope_owner varchar NOT NULL, dataset_key varchar NOT NULL, "
        "memory_type varchar NOT NULL, confidence double precision NOT NULL, visible_us bigint NOT NULL, "
        f"expires_us bigint NOT NULL, dense {dense} NOT NULL, terms bigint[] NOT NULL, weights real[] NOT NULL)"
    )
    op.execute("CREATE INDEX index_points_by_tenant ON index_points (org_id, scope_owner, dataset_key, memory_type)")
    op.execute("CREATE TABLE index_state (belongs varchar NOT NULL, applied_seq bigint NOT NULL)")
