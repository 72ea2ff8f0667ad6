"""How Alembic runs the migrations of the ledger: on the connection given, inside the caller's transaction."""

from alembic import context

from memory.ledger.schema import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
with context.begin_transaction():
    context.run_migrations()
