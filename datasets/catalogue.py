"""The catalogue: which names stand for which files."""

import json
import os
import re
import unicodedata
import uuid
from collections.abc import Collection
from contextlib import suppress
from datetime import datetime
from difflib import get_close_matches
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from datasets.dataset import Dataset
from datasets.errors import DatasetError
from datasets.loading import Overrides
from datasets.store import copy_hash, discard, obtain, recover

_SAMPLES = Path(__file__).parent / "samples"
_PACKED = (".gz", ".bz2", ".xz", ".zst", ".zip")
_KEY = re.compile(r"[a-z0-9][a-z0-9._-]{0,99}")


class CatalogueEntry(BaseModel):
    """A name and the file it stands for."""

    model_config = ConfigDict(frozen=True)

    key: str
    path: Path = Field(description="absolute")
    description: str = ""
    title: str = Field(default="", description="what people call it, where the key is not made for them")
    time_column: str | None = None
    overrides: Overrides = Field(default=Overrides(), description="what is settled about the reading of the file")


Entries = list[CatalogueEntry]
_ENTRIES: TypeAdapter[Entries] = TypeAdapter(Entries)


class Catalogue:
    """Datasets by key, kept in `catalogue.json` under `home`; parsed copies lie in `cache` beside it.

    :param allow_paths: whether `open` also takes the path of any readable file; False in server mode.
    """

    def __init__(self, home: Path, *, allow_paths: bool, own: Path | None = None) -> None:
        self._home = home
        self._allow_paths = allow_paths
        self._own = own

    def beside(self, folder: Path) -> "Catalogue":
        """Return a catalogue that has the entries kept in `folder` besides these; what it adds goes there.

        Parsed copies stay shared. Keys that both have stand for this catalogue's entries.
        """
        return Catalogue(self._home, allow_paths=self._allow_paths, own=folder)

    def list(self) -> Entries:
        """All entries by key, the shipped samples last."""
        known = self._all()
        taken = {e.key for e in known}
        return known + [e for e in _samples() if e.key not in taken]

    def entry(self, key: str) -> CatalogueEntry:
        """The entry of that key.

        :raises DatasetError: when there is none.
        """
        for entry in self.list():
            if entry.key == key:
                return entry
        known = ", ".join(e.key for e in self.list()[:20]) or "no datasets yet"
        raise DatasetError(f"no dataset {key!r} in the catalogue; it has: {known}")

    def add(
        self,
        path: Path,
        *,
        key: str | None = None,
        description: str = "",
        title: str = "",
        time_column: str | None = None,
        overrides: Overrides | None = None,
    ) -> CatalogueEntry:
        """Enter a file or a folder of files under a key (default: from its name), replacing an entry of that key.

        :raises DatasetError: when nothing is there or the key is not usable; the catalogue is unchanged.
        """
        absolute = _absolute(path)
        if not absolute.is_file() and not absolute.is_dir():
            raise DatasetError(f"there is no file at {str(path)!r}; nothing was added to the catalogue")
        name = slug(absolute) if key is None else key
        if not _KEY.fullmatch(name):
            raise DatasetError(
                f"{name!r} cannot be a dataset key; use small letters, digits, '.', '_' and '-' (at most 100)"
            )
        entry = CatalogueEntry(
            key=name,
            path=absolute,
            description=description,
            title=title,
            time_column=time_column,
            overrides=overrides or Overrides(),
        )
        self._write([e for e in self._read(self._writable) if e.key != name] + [entry])
        return entry

    def remove(self, key: str) -> None:
        """Take an entry out; the file stays.

        :raises DatasetError: when there is no such entry.
        """
        entries = self._read(self._writable)
        if key not in {e.key for e in entries}:
            raise DatasetError(f"no dataset {key!r} in the catalogue that could be removed")
        self._write([e for e in entries if e.key != key])

    def open(self, name: str, *, now: datetime, content_hash: str | None = None) -> Dataset:
        """Open a dataset by catalogue key or, where paths are allowed, by path; parse the file if it is new.

        The key of a bare path is the catalogue key of that file, else its file name in small letters (`slug`).

        :param content_hash: open the data as it was under that hash, where its parsed copy is still kept; a question
            is answered on the data it was asked on, whatever happens to the file meanwhile.
        :raises DatasetError: one sentence that says what is wrong with the name or the file.
        """
        kept = recover(self._home / "cache", content_hash) if content_hash else None
        entry = self._find(name, gone=kept is not None)
        copy = kept or obtain(entry.path, self._home / "cache", now=now, overrides=entry.overrides)
        return Dataset(entry.key, copy, time_column=entry.time_column, title=entry.title)

    def moved_on(self, name: str, content_hash: str) -> Literal["changed", "gone"] | None:
        """Whether the file of a dataset is other than it was under that hash, or cannot be read any more."""
        try:
            entry = self._find(name)
            now = copy_hash(entry.path, entry.overrides)
        except DatasetError:
            return "gone"
        return "changed" if now != content_hash else None

    def drop_copies(self, content_hashes: Collection[str]) -> None:
        """Remove parsed copies with what was worked out from them; the files they were made from stay."""
        for content_hash in content_hashes:
            discard(self._home / "cache", content_hash)

    def drop_copy(self, entry: CatalogueEntry) -> None:
        """Remove the parsed copy of what lies at the path of the entry, where there is one."""
        with suppress(DatasetError):  # a file that cannot be read has no copy that could be found by it
            self.drop_copies({copy_hash(entry.path, entry.overrides)})

    def _find(self, name: str, *, gone: bool = False) -> CatalogueEntry:
        """The entry of that key or path; where the file may be `gone`, any path will do."""
        entries = {e.key: e for e in self.list()}
        if name in entries:
            return entries[name]
        if not self._allow_paths:
            return self.entry(name)
        path = _absolute(Path(name).expanduser())
        for entry in self._all():
            if entry.path == path:
                return entry
        if not gone and not path.exists():
            near = get_close_matches(path.name, _names_in(path.parent), n=1) or get_close_matches(name, entries, n=1)
            meant = f"; did you mean {near[0]!r}?" if near else ""
            raise DatasetError(f"{name!r} is neither a dataset in the catalogue nor a file{meant}")
        return CatalogueEntry(key=slug(path), path=path)

    @property
    def _writable(self) -> Path:
        return self._own or self._home

    def _all(self) -> Entries:
        shared = self._read(self._home)
        taken = {e.key for e in shared}
        own = self._read(self._own) if self._own else []
        return sorted([*shared, *(e for e in own if e.key not in taken)], key=lambda e: e.key)

    def _read(self, folder: Path) -> Entries:
        file = folder / "catalogue.json"
        try:
            return _ENTRIES.validate_json(file.read_bytes())
        except FileNotFoundError:
            return []
        except (OSError, ValidationError) as error:
            raise DatasetError(f"the catalogue {str(file)!r} cannot be read; repair or remove it") from error

    def _write(self, entries: Entries) -> None:
        folder = self._writable
        folder.mkdir(parents=True, exist_ok=True)
        text = json.dumps([e.model_dump(mode="json") for e in entries], indent=2, ensure_ascii=False)
        draft = folder / f".catalogue-{uuid.uuid4().hex}.json"
        draft.write_text(text, encoding="utf-8")
        os.replace(draft, folder / "catalogue.json")


def slug(path: Path) -> str:
    """A key from a file name: without extensions, small letters, everything else a hyphen."""
    stem = next((path.name[: -len(end)] for end in _PACKED if path.name.lower().endswith(end)), path.name)
    stem = stem.rsplit(".", 1)[0] if "." in stem[1:] else stem
    text = unicodedata.normalize("NFKD", stem).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9_]+", "-", text).strip("-_")[:100] or "data"


def _names_in(folder: Path) -> list[str]:
    try:
        return [entry.name for entry in folder.iterdir()]
    except OSError:
        return []


def _absolute(path: Path) -> Path:
    return Path(os.path.abspath(path))


def _samples() -> Entries:
    if not _SAMPLES.is_dir():
        return []
    files = sorted(f for f in _SAMPLES.iterdir() if f.suffix in {".csv", ".parquet", ".gz"} and f.is_file())
    return [CatalogueEntry(key=slug(f), path=f, description="shipped sample") for f in files]
