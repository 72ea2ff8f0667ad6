"""Another key for a sealed ledger."""

from pathlib import Path

from memory.errors import MemoryError  # noqa: A004
from memory.ledger.record import Ledger
from memory.ledger.sealing import Cipher


def rekey(home: Path, *, key: str, new_key: str, database_url: str | None = None) -> bool:
    """Seal the ledger under `home`, or at `database_url`, with `new_key` instead of `key`.

    One transaction rewrites everything: a process killed before its commit leaves the old key in force, after it the
    new one. What it may leave behind, pages of the old key in the files, is erased by doing the same again. False: the
    new key was in force already.

    :raises MemoryError: neither key opens the ledger, or a key is none; nothing is changed.
    """
    old, new = Cipher(key), Cipher(new_key)
    if database_url is None and not (home / "ledger.db").is_file():
        raise MemoryError(f"There is no memory under {str(home)!r} to give another key.")
    try:
        ledger, known = Ledger(home, database_url=database_url, cipher=old), False
    except MemoryError:
        ledger, known = Ledger(home, database_url=database_url, cipher=new), True
    try:
        if known or old.fingerprint == new.fingerprint:
            ledger.erase_traces(compact=True)
            return False
        ledger.reseal(new)
        return True
    finally:
        ledger.close()
