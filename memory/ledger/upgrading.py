"""Bringing a ledger to the newest version of its tables with Alembic, and putting a ledger under a key."""

import uuid
from pathlib import Path

from sqlalchemy import Connection, insert, inspect, select, text, update

from memory.errors import MemoryError  # noqa: A004
from memory.ledger.schema import VERSION, artifacts, embeddings, schema_version, units
from memory.ledger.sealing import Cipher, identity_hash

_MIGRATIONS = Path(__file__).parent / "migrations"
_CHUNK = 500


def current(connection: Connection, cipher: Cipher | None) -> str | None:
    """The id of a ledger that can be used as it is; None where there is something to do.

    :raises MemoryError: the ledger is sealed with another key, or no key was given.
    """
    if not inspect(connection).has_table(schema_version.name):
        return None
    known = connection.execute(text("SELECT version FROM schema_version")).one_or_none()
    if known is None or known.version != VERSION:
        return None
    row = connection.execute(select(schema_version)).one()
    if row.sealed_with is not None and (cipher is None or cipher.fingerprint != row.sealed_with):
        given = "no key was given" if cipher is None else "the key that was given is another one"
        raise MemoryError(f"This memory is sealed, and {given}; set RECALLYST_KEY or RECALLYST_KEY_FILE to its key.")
    if cipher is not None and row.sealed_with is None:
        return None
    return str(row.ledger_id)


def sealed_with(connection: Connection) -> str | None:
    """The fingerprint of the key that the ledger is sealed with now; None: it is in the clear."""
    found: str | None = connection.execute(select(schema_version.c.sealed_with)).scalar_one()
    return found


def upgrade(connection: Connection) -> None:
    """Bring the tables to `VERSION`, from whatever version they have; in the caller's transaction.

    :raises MemoryError: the ledger was written by a newer version; nothing is changed.
    """
    # Imported here: it takes longer than opening a ledger that is up to date.
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS))
    config.attributes["connection"] = connection
    tables = inspect(connection)
    known = 0
    if tables.has_table(schema_version.name):
        known = connection.execute(text("SELECT version FROM schema_version")).scalar() or 0
        if known > VERSION:
            raise MemoryError(
                f"This memory was written by a newer version (schema {known}, this one knows {VERSION}); upgrade."
            )
        if known and not tables.has_table("alembic_version"):
            command.stamp(config, f"{known:04d}")  # the first version kept no record of its migrations
    command.upgrade(config, "head")
    if known == 0:
        connection.execute(insert(schema_version).values(version=VERSION, ledger_id=uuid.uuid4().hex))
    elif known < VERSION:
        connection.execute(update(schema_version).values(version=VERSION))


def seal(connection: Connection, cipher: Cipher) -> None:
    """Rewrite all that a ledger says so that it is sealed with this key; reading and binding do the work."""
    for table, key, columns in (
        (units, units.c.memory_id, ("summary", "detail", "claim", "claim_key", "directive", "provenance")),
        (embeddings, embeddings.c.memory_id, ("vector",)),
        (artifacts, artifacts.c.artifact_id, ("content",)),
    ):
        keys = list(connection.execute(select(key)).scalars())
        for start in range(0, len(keys), _CHUNK):
            chosen = select(key, *(table.c[name] for name in columns)).where(key.in_(keys[start : start + _CHUNK]))
            for row in connection.execute(chosen).mappings().all():
                values = {name: row[name] for name in columns}
                if table is units:
                    values["claim_hash"] = identity_hash(row["claim_key"], cipher)
                connection.execute(update(table).where(key == row[key.name]).values(**values))
    connection.execute(update(schema_version).values(sealed_with=cipher.fingerprint))
