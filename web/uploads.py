"""Files that people bring: kept in a folder of their owner, read by the same loader as every other file."""

import hashlib
import re
import shutil
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from datasets import Catalogue, DatasetError
from datasets.catalogue import CatalogueEntry, slug
from datasets.loading.archives import unpacked_bytes
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
    refusal: str
    """What to say when more come."""


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
    refusal = f"the file is larger than {upload_mb} MB, the most that is taken in"
    if left < upload_mb * MB:
        refusal = (
            f"your files take {used / MB:.1f} of {quota_mb} MB and this one does not fit beside them; remove one first"
        )
    return Incoming(target / f"data{_suffix(name)}", min(left, upload_mb * MB), refusal)


def finish(services: Services, incoming: Incoming, name: str, *, upload_mb: int) -> CatalogueEntry:
    """Take a complete file in under a key that nobody else has; the same name again is a new delivery.

    :raises DatasetError: when it holds no data that can be read; an earlier delivery stays as it was.
    """
    folder, shown = _folder(services), shown_name(name)
    limit_bytes = upload_mb * MB * UNPACKED_TIMES
    if unpacked_bytes(incoming.path, at_most=limit_bytes) > limit_bytes:
        raise DatasetError(f"the archive unpacks to more than {limit_bytes // MB} MB and is not taken in")
    reader = Catalogue(services.settings.home, allow_paths=True)
    try:
        reader.open(str(incoming.path), now=services.clock()).close()
    except DatasetError as error:
        # The loader names the file it was given; the person knows it by another name.
        raise DatasetError(str(error).replace(str(incoming.path), shown).replace(incoming.path.name, shown)) from error
    with FileLock(folder / "lock"):
        own = {e.key: e for e in services.catalogue.list() if is_own(services, e)}
        key = _key(shown, folder.name[:6], own)
        kept = folder / "files" / f"{key}{incoming.path.suffix}"
        kept.parent.mkdir(exist_ok=True)
        incoming.path.replace(kept)
        entry = services.catalogue.add(kept, key=key, description=shown, title=shown)
        if key in own and own[key].path != kept:
            own[key].path.unlink(missing_ok=True)
        return entry


def discard(incoming: Incoming) -> None:
    """Remove what is left of an upload, finished or not."""
    shutil.rmtree(incoming.path.parent, ignore_errors=True)


def remove(services: Services, key: str) -> None:
    """Remove a file of one's own, and its parsed copy.

    :raises DatasetError: when there is none of that key.
    """
    folder = _folder(services)
    with FileLock(folder / "lock"):
        own = {e.key: e for e in services.catalogue.list() if is_own(services, e)}
        if key not in own:
            raise DatasetError(f"no uploaded dataset {key!r} that could be removed")
        services.catalogue.remove(key)
        services.catalogue.drop_copy(own[key])
        own[key].path.unlink(missing_ok=True)


def is_own(services: Services, entry: CatalogueEntry) -> bool:
    """Whether an entry is an upload of the principal."""
    return entry.path.is_relative_to(_folder(services))


def shared_keys(services: Services) -> set[str]:
    """The keys of what others can ask about as well: all but the principal's own uploads."""
    return {e.key for e in services.catalogue.list() if not is_own(services, e)}


def shown_name(name: str) -> str:
    """Return a file name as it is shown: the last part, without control characters, at most 120 long."""
    last = re.split(r"[/\\]", name)[-1]
    plain = "".join(c for c in last if c.isprintable()).strip(" .")
    return plain[:120] or f"file-{hashlib.sha256(name.encode('utf-8', 'replace')).hexdigest()[:6]}"


def _key(shown: str, owner: str, own: Mapping[str, CatalogueEntry]) -> str:
    """The key of a file by its name: what a key cannot hold is lost, so names that would share one are told apart."""
    for key, entry in own.items():
        if entry.description == shown:
            return key
    stem = slug(Path(shown))[:80]
    key = f"{stem}.{owner}"
    return f"{stem}-{hashlib.sha256(shown.encode('utf-8', 'replace')).hexdigest()[:6]}.{owner}" if key in own else key


def _folder(services: Services) -> Path:
    folder = services.settings.home.absolute() / "uploads" / principal_folder(services.principal)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _suffix(name: str) -> str:
    found = re.search(r"(\.[A-Za-z0-9]{1,8}){1,2}$", shown_name(name))
    return found.group(0).lower() if found else ""
