"""Files that people bring: kept in a folder of their owner, read by the same loader as every other file."""

import hashlib
import re
import shutil
import uuid
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from datasets import Catalogue, DatasetError
from datasets.catalogue import CatalogueEntry, slug
from graph.services import Services, principal_folder

MB = 1 << 20
UNPACKED_TIMES = 20
"""An archive may hold this many times the largest file; more is a bomb or needs another way in."""


class TooLarge(Exception):
    """A file is past the limit, or its owner past the quota; the message says which."""


@dataclass(frozen=True)
class Incoming:
    """An upload on its way: where its bytes go, and how many there may be."""

    path: Path
    limit_bytes: int


def begin(services: Services, name: str, *, upload_mb: int, quota_mb: int) -> Incoming:
    """Make room for a file.

    :raises TooLarge: when the quota of its owner is used up.
    """
    folder = _folder(services)
    used = sum(f.stat().st_size for f in folder.rglob("*") if f.is_file())
    left = quota_mb * MB - used
    if left <= 0:
        raise TooLarge(f"your files fill the quota of {quota_mb} MB; remove one first")
    target = folder / "incoming" / uuid.uuid4().hex
    target.mkdir(parents=True)
    return Incoming(target / f"data{_suffix(name)}", min(left, upload_mb * MB))


def finish(services: Services, incoming: Incoming, name: str, *, upload_mb: int) -> CatalogueEntry:
    """Take a complete file in under a key that nobody else has; the same name again is a new delivery.

    :raises DatasetError: when it holds no data that can be read; an earlier delivery stays as it was.
    """
    folder, shown = _folder(services), shown_name(name)
    _check_archive(incoming.path, upload_mb * MB * UNPACKED_TIMES)
    key = f"{slug(Path(shown))[:80]}.{folder.name[:6]}"
    reader = Catalogue(services.settings.home, allow_paths=True)
    try:
        reader.open(str(incoming.path), now=services.clock()).close()
    except DatasetError as error:
        # The loader names the file it was given; the person knows it by another name.
        raise DatasetError(str(error).replace(str(incoming.path), shown).replace(incoming.path.name, shown)) from error
    kept = folder / "files" / f"{key}{incoming.path.suffix}"
    kept.parent.mkdir(exist_ok=True)
    with FileLock(folder / "lock"):
        incoming.path.replace(kept)
        return services.catalogue.add(kept, key=key, description=shown)


def discard(incoming: Incoming) -> None:
    """Remove what is left of an upload, finished or not."""
    shutil.rmtree(incoming.path.parent, ignore_errors=True)


def remove(services: Services, key: str) -> None:
    """Remove a file of one's own.

    :raises DatasetError: when there is none of that key.
    """
    folder = _folder(services)
    with FileLock(folder / "lock"):
        own = {e.key: e for e in services.catalogue.list() if is_own(services, e)}
        if key not in own:
            raise DatasetError(f"no uploaded dataset {key!r} that could be removed")
        services.catalogue.remove(key)
        own[key].path.unlink(missing_ok=True)


def is_own(services: Services, entry: CatalogueEntry) -> bool:
    """Whether an entry is an upload of the principal."""
    return entry.path.is_relative_to(_folder(services))


def shown_name(name: str) -> str:
    """Return a file name as it is shown: the last part, without control characters, at most 120 long."""
    last = re.split(r"[/\\]", name)[-1]
    plain = "".join(c for c in last if c.isprintable()).strip(" .")
    return plain[:120] or f"file-{hashlib.sha256(name.encode('utf-8', 'replace')).hexdigest()[:6]}"


def _folder(services: Services) -> Path:
    folder = services.settings.home.absolute() / "uploads" / principal_folder(services.principal)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _suffix(name: str) -> str:
    found = re.search(r"(\.[A-Za-z0-9]{1,8}){1,2}$", shown_name(name))
    return found.group(0).lower() if found else ""


def _check_archive(path: Path, limit_bytes: int) -> None:
    """Refuse an archive that unpacks to more than it may, before anything is unpacked."""
    with path.open("rb") as stream:
        head = stream.read(4)
    if head.startswith(b"PK\x03\x04"):
        try:
            with zipfile.ZipFile(path) as archive:
                size = sum(entry.file_size for entry in archive.infolist())
        except zipfile.BadZipFile as error:
            raise DatasetError("the archive is damaged and cannot be read") from error
    elif head.startswith(b"\x1f\x8b"):
        size = _gzip_size(path, limit_bytes)
    else:
        return
    if size > limit_bytes:
        raise DatasetError(f"the archive unpacks to more than {limit_bytes // MB} MB and is not taken in")


def _gzip_size(path: Path, limit_bytes: int) -> int:
    """Count what a gzip file unpacks to, without keeping it; stops past the limit."""
    size, unpacker = 0, zlib.decompressobj(wbits=31)
    with path.open("rb") as stream:
        while (chunk := stream.read(1 << 16)) and size <= limit_bytes:
            try:
                size += len(unpacker.decompress(chunk, MB))
                while unpacker.unconsumed_tail and size <= limit_bytes:
                    size += len(unpacker.decompress(unpacker.unconsumed_tail, MB))
            except zlib.error:
                break  # the loader says what is wrong with it
    return size
