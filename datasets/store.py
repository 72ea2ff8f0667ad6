"""Parsed copies on disk: one folder a content hash, complete or absent, never half written."""

import hashlib
import json
import os
import re
import shutil
import time
import uuid
from datetime import datetime
from pathlib import Path

import duckdb
from pydantic import BaseModel, ConfigDict, ValidationError

from datasets.card import build_card
from datasets.errors import DatasetError
from datasets.loading import PARSER_VERSION, Overrides, content_hash, parse
from datasets.schema import SchemaCard
from datasets.sql import literal

KEPT_COPIES = 20
_DIGEST = r"[0-9a-f]{8,128}"
_SCRATCH = ".work-"
_SCRATCH_AGE_SECONDS = 6 * 3600


class Copy(BaseModel):
    """A parsed copy: the database file, its schema card, and the identity of the file it was made from."""

    model_config = ConfigDict(frozen=True)

    parser_version: int
    content_hash: str
    card: SchemaCard
    database: Path
    database_bytes: int = -1
    database_digest: str = ""
    database_written_ns: int = -1


def obtain(path: Path, cache: Path, *, now: datetime, overrides: Overrides | None = None) -> Copy:
    """Return the parsed copy of the file, parsing it only when no sound copy of the same bytes exists.

    Safe with other processes doing the same, and with a process that is killed: a copy appears by one rename. Bytes
    read under other `overrides` are other data, with a content hash of their own.

    :raises DatasetError: when the file has no data or cannot be read; no copy is left behind.
    """
    settled = overrides or Overrides()
    digest = copy_hash(path, settled)
    folder = cache / digest
    copy = _stored(folder)
    if copy is None:
        copy = _make(path, folder, digest, settled)
        _prune(cache, keep=digest)
    stamp = now.timestamp()
    try:
        os.utime(folder, (stamp, stamp))
    except OSError:
        return copy
    return copy


def copy_hash(path: Path, overrides: Overrides) -> str:
    """The content hash under which a parsed copy is kept: of the bytes of the file, and of what is settled about them.

    :raises DatasetError: when the file cannot be read.
    """
    return content_hash(path) + overrides.digest


def recover(cache: Path, digest: str) -> Copy | None:
    """Return the parsed copy of that content hash, or None when it is no longer kept."""
    return _stored(cache / digest) if re.fullmatch(_DIGEST, digest) else None


def discard(cache: Path, digest: str) -> None:
    """Remove the copy of that content hash where there is one; who has it open can read on."""
    if re.fullmatch(_DIGEST, digest):
        shutil.rmtree(cache / digest, ignore_errors=True)


def _stored(folder: Path) -> Copy | None:
    try:
        copy = Copy.model_validate_json((folder / "card.json").read_bytes())
    except (OSError, ValidationError):
        return None
    if copy.parser_version != PARSER_VERSION or not _sound(folder / "data.duckdb", copy):
        return None
    return copy.model_copy(update={"database": folder / "data.duckdb"})


def _sound(database: Path, copy: Copy) -> bool:
    """Whether the database is, byte for byte, what was written; only one touched since is read for that."""
    try:
        seen = database.stat()
        if seen.st_size != copy.database_bytes:
            return False
        if seen.st_mtime_ns == copy.database_written_ns:
            return True
        if content_hash(database) != copy.database_digest:
            return False
        os.utime(database, ns=(seen.st_atime_ns, copy.database_written_ns))
    except (OSError, DatasetError):
        return False
    return True


def _make(path: Path, folder: Path, digest: str, overrides: Overrides) -> Copy:
    cache = folder.parent
    cache.mkdir(parents=True, exist_ok=True)
    work = cache / f"{_SCRATCH}{uuid.uuid4().hex}"
    ready = work / "ready"
    ready.mkdir(parents=True)
    try:
        parsed = parse(path, ready / "data.duckdb", work, overrides)
        con = duckdb.connect(":memory:", config={"threads": 2, "memory_limit": "1GB"})
        try:
            con.execute(f"SET temp_directory={literal(str(work / 'spill'))}")
            con.execute("SET TimeZone='UTC'")
            con.execute(f"ATTACH {literal(str(ready / 'data.duckdb'))} AS store (READ_ONLY)")
            card = build_card(con, "", parsed.units, parsed.notes)
        finally:
            con.close()
        columns = tuple(c.model_copy(update={"looked_up_by": parsed.looked_up.get(c.name)}) for c in card.columns)
        known = {"columns": columns, "ambiguous_dates": parsed.ambiguous, "doubts": parsed.doubts}
        card = card.model_copy(update=known)
        written = (ready / "data.duckdb").stat()
        copy = Copy(
            parser_version=PARSER_VERSION,
            content_hash=digest,
            card=card,
            database=folder / "data.duckdb",
            database_bytes=written.st_size,
            database_digest=content_hash(ready / "data.duckdb"),
            database_written_ns=written.st_mtime_ns,
        )
        (ready / "card.json").write_text(copy.model_dump_json(), encoding="utf-8")
        _publish(ready, folder, work)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return copy


def _publish(ready: Path, folder: Path, work: Path) -> None:
    """Put the finished folder in place; a copy made meanwhile by another process is as good."""
    for _ in range(3):
        try:
            ready.rename(folder)
        except OSError:
            if _stored(folder) is not None:
                return
            stale = work / f"stale-{uuid.uuid4().hex}"
            try:
                folder.rename(stale)
            except OSError:
                continue
        else:
            return
    ready.rename(folder)


def _prune(cache: Path, *, keep: str) -> None:
    """Remove all but the newest copies, and scratch folders that a killed process left."""
    entries = []
    for entry in cache.iterdir():
        try:
            entries.append((entry.stat().st_mtime, entry))
        except OSError:
            continue
    for modified, entry in entries:
        if entry.name.startswith(_SCRATCH) and time.time() - modified > _SCRATCH_AGE_SECONDS:
            shutil.rmtree(entry, ignore_errors=True)
    copies = sorted((e for e in entries if not e[1].name.startswith(".")), reverse=True)
    for _, entry in [e for e in copies if e[1].name != keep][KEPT_COPIES - 1 :]:
        shutil.rmtree(entry, ignore_errors=True)


def schema_hash(card: SchemaCard) -> str:
    """16 hex digits over the names and types of the columns, in order."""
    text = json.dumps([[c.name, c.sql_type] for c in card.columns], ensure_ascii=False)
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
