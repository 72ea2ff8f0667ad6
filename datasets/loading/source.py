"""The data as it lies on disk: its identity, and the tables to read from it, each from a clean local file."""

import hashlib
import json
import shutil
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from datasets.errors import DatasetError
from datasets.loading.apart import tables_apart
from datasets.loading.archives import PACKED_ENDINGS, is_workbook, leads_out, packed_as, unpack
from datasets.loading.copies import apart_from_copies
from datasets.loading.databases import read_duckdb, read_sqlite
from datasets.loading.encoding import rewrite, text_shape
from datasets.loading.json_shapes import as_records
from datasets.loading.overrides import Overrides
from datasets.loading.part import Part
from datasets.loading.workbook import read_workbook
from datasets.plain import counted

Kind = Literal["text", "parquet", "workbook", "sqlite", "duckdb", "packed"]

MAX_FILES = 1_000
_CHUNK = 1 << 20
_DEPTH = 3
_SETTLED_NS = 2_000_000_000
"""A file changed less long ago could change again without its times telling so, as file systems keep them coarsely."""
_HASHES_KEPT = 1_000
_known_hashes: dict[tuple[int, ...], str] = {}
"""The hashes of files that were read in this process, by where and how large they are and when they last changed."""
_SQLITE, _DUCKDB_AT_8, _OLD_OFFICE = b"SQLite format 3\x00", b"DUCK", b"\xd0\xcf\x11\xe0"
_NOT_READ = {
    b"%PDF": "a PDF document", b"ORC": "an ORC file", b"Obj\x01": "an Avro file", b"ARROW1": "an Arrow file",
    b"\x89PNG": "a picture (PNG)", b"\xff\xd8\xff": "a picture (JPEG)", b"GIF87a": "a picture (GIF)",
    b"GIF89a": "a picture (GIF)", b"7z\xbc\xaf\x27\x1c": "a 7z archive", b"Rar!\x1a": "a RAR archive",
    b"\x7fELF": "a program", b"{\\rtf": "an RTF document",
}  # fmt: skip
_ENDINGS = (
    ".csv", ".tsv", ".tab", ".txt", ".psv", ".parquet", ".pq", ".json", ".jsonl", ".ndjson", ".xlsx", ".xlsm", ".xlsb",
    ".xls", ".ods", ".sqlite", ".sqlite3", ".db", ".duckdb", ".ddb", *PACKED_ENDINGS,
)  # fmt: skip


@dataclass(frozen=True)
class Source:
    """The tables of a file or a folder, and what was done to get at them."""

    parts: tuple[Part, ...]
    notes: tuple[str, ...] = ()


def content_hash(path: Path) -> str:
    """BLAKE2b of the bytes of the file, 32 hex digits; of a folder, of the names and bytes of its data files.

    :raises DatasetError: when the path is neither a readable regular file nor a folder with data files.
    """
    if not path.exists():
        raise DatasetError(f"there is no file at {str(path)!r}; give the path of a data file or a catalogue key")
    digest = hashlib.blake2b(digest_size=16)
    if path.is_dir():
        for file in data_files(path):
            name = file.relative_to(path).as_posix()
            digest.update(f"{name}\0{_file_hash(file)}\0".encode("utf-8", "surrogateescape"))
        return digest.hexdigest()
    return _file_hash(path)


def _file_hash(path: Path) -> str:
    if not path.is_file():
        raise DatasetError(f"{str(path)!r} is not a regular file and is not read")
    digest = hashlib.blake2b(digest_size=16)
    try:
        began, seen = time.time_ns(), path.stat()
        state = (seen.st_dev, seen.st_ino, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns)
        if state in _known_hashes:
            return _known_hashes[state]
        with path.open("rb") as stream:
            while chunk := stream.read(_CHUNK):
                digest.update(chunk)
    except OSError as error:
        raise DatasetError(f"{str(path)!r} cannot be read: {error.strerror or error}") from error
    if began - max(seen.st_mtime_ns, seen.st_ctime_ns) > _SETTLED_NS:
        if len(_known_hashes) >= _HASHES_KEPT:
            _known_hashes.clear()
        _known_hashes[state] = digest.hexdigest()
    return digest.hexdigest()


def data_files(folder: Path) -> list[Path]:
    """The data files of a folder and three levels below it, by name; hidden ones are left out.

    So are links that lead out of the folder: whoever fills a folder must not have files read that lie elsewhere.

    :raises DatasetError: when there is none, or more than 1,000.
    """
    found = []
    home = folder.resolve()
    for file in sorted(folder.rglob("*")):
        inside = file.relative_to(folder).parts
        if len(inside) > _DEPTH + 1 or any(part.startswith((".", "~$")) for part in inside):
            continue
        if file.name.lower().endswith(_ENDINGS) and file.is_file() and file.resolve().is_relative_to(home):
            found.append(file)
    if not found:
        raise DatasetError(f"no data files in the folder {str(folder)!r}; it should hold CSV, Parquet, JSON or Excel")
    if len(found) > MAX_FILES:
        raise DatasetError(
            f"the folder {str(folder)!r} holds {len(found):,} data files; at most {MAX_FILES:,} are read"
        )
    return found


def prepare(path: Path, work: Path, overrides: Overrides) -> Source:
    """Unpack, identify and, where needed, rewrite each file as UTF-8 with plain line ends inside `work`.

    :raises DatasetError: for data of a kind that is not read, or where no file of a folder can be read.
    """
    if not path.is_dir():
        return _of_file(path, path.name, work, overrides, "")
    files = [(f.relative_to(path).as_posix(), f) for f in data_files(path)]
    return _of_files(files, path.name, work, overrides, "")


def _of_files(files: list[tuple[str, Path]], name: str, work: Path, overrides: Overrides, prefix: str) -> Source:
    """Read several files; one that cannot be read is left out and said, as long as another can."""
    parts: list[Part] = []
    notes: list[str] = []
    refused: list[str] = []
    files, copies = apart_from_copies(
        files, lambda f: _file_hash(f[1]), lambda f: f[0], "is, byte for byte, the file", wanted=overrides.table
    )
    for number, (inside, file) in enumerate(files):
        try:
            source = _of_file(file, inside, work, overrides, f"{prefix}f{number}-")
        except DatasetError as error:
            refused.append(f"{inside!r} was left out: {error}")
            continue
        notes += source.notes if len(files) == 1 else ()
        several = len(source.parts) > 1
        parts += [replace(p, name=f"{inside}/{p.name}" if several else inside) for p in source.parts]
    if not parts:
        raise DatasetError(
            refused[0] if len(refused) == 1 else f"none of {len(refused):,} files in {name!r} can be read"
        )
    return Source(tuple(parts), (*copies, *notes, *refused[:5], *_more(refused)))


def _more(refused: list[str]) -> list[str]:
    return [f"{counted(len(refused) - 5, 'more file')} left out for such reasons"] if len(refused) > 5 else []


def _of_file(path: Path, name: str, work: Path, overrides: Overrides, prefix: str) -> Source:
    kind, head = _kind(path, name)
    if kind == "packed":
        members = unpack(path, name, work, prefix=prefix)
        outside = [m.name for m in members if leads_out(m.name)]
        unpacked = [f"{packed_as(head)} archive unpacked"]
        if outside:
            unpacked.append(
                f"{counted(len(outside), 'name')} in the archive (such as {outside[0][:80]!r}) would lead out of the"
                " folder it is unpacked in; nothing was written there"
            )
        if prefix.count("u") > 2:
            raise DatasetError(f"{name!r} is packed more than three times and is not read")
        source = _of_files(list(members), name, work, overrides, f"{prefix}u")
        return replace(source, notes=(*unpacked, *source.notes))
    if kind == "parquet":
        local = linked(path, work / f"{prefix}source.parquet")
        return Source((Part(name, local, "parquet"),))
    if kind == "workbook":
        return Source(*read_workbook(path, name, work, prefix=prefix, overrides=overrides))
    if kind == "sqlite":
        return Source(*read_sqlite(path, name, work, prefix=prefix))
    if kind == "duckdb":
        return Source(*read_duckdb(path, name, work, prefix=prefix))
    shape = text_shape(path, head, overrides.encoding)
    text = work / f"{prefix}source.txt"
    notes = shape.notes
    if shape.rewrite:
        notes += rewrite(path, text, shape.encoding)
    else:
        text = linked(path, text)
    text_kind = _text_kind(text, name)
    if text_kind == "json" and (table := as_records(text, work / f"{prefix}records.jsonl")):
        return Source((Part(name, work / f"{prefix}records.jsonl", "jsonl", notes=(*notes, f"JSON of {table}")),))
    apart = tables_apart(text, work, prefix=prefix, delimiter=overrides.delimiter) if text_kind == "delimited" else []
    if apart and overrides.header_line is None:
        note = f"{counted(len(apart), 'table')} stand one below the other in the file"
        parts = tuple(Part(f"table {n}", file, "delimited") for n, file in enumerate(apart, start=1))
        return Source(parts, (*notes, note))
    return Source((Part(name, text, text_kind, notes=notes),))


def _kind(path: Path, name: str) -> tuple[Kind, bytes]:
    """What the file is by its bytes, never by its name."""
    with path.open("rb") as stream:
        head = stream.read(4096)
    if not head:
        raise DatasetError(f"no data in the file {name!r}: it is empty")
    for magic, what in _NOT_READ.items():
        if head.startswith(magic):
            raise DatasetError(f"{name!r} is {what}, which cannot be read; export it as CSV, Parquet or JSON")
    start = head.lstrip(b"\xef\xbb\xbf \r\n\t").lower()
    if start.startswith((b"<html", b"<!doctype", b"<table", b"<?xml")) or head[257:262] == b"ustar":
        what = "an XML document" if start.startswith(b"<?xml") else "a web page (HTML)"
        what = "a tar archive" if head[257:262] == b"ustar" else what
        raise DatasetError(f"{name!r} is {what}, which cannot be read; give its table as CSV, Excel, Parquet or JSON")
    if head.startswith(b"PAR1"):
        return "parquet", head
    if head.startswith(_SQLITE):
        return "sqlite", head
    if head[8:12] == _DUCKDB_AT_8:
        return "duckdb", head
    if head.startswith(_OLD_OFFICE):
        return "workbook", head
    packing = packed_as(head)
    if packing == "zip" and is_workbook(path):
        return "workbook", head
    return ("packed" if packing else "text"), head


def linked(path: Path, target: Path) -> Path:
    """A name without special characters for the file, because readers expand `*` and `[1]` in paths."""
    try:
        target.symlink_to(path.resolve())
    except OSError:
        shutil.copyfile(path, target)
    return target


def _text_kind(path: Path, name: str) -> Literal["delimited", "json", "jsonl"]:
    with path.open(encoding="utf-8", errors="replace") as stream:
        sample = stream.read(1 << 16)
        while sample and not sample.strip():
            more = stream.read(1 << 16)
            if not more:
                break
            sample = more
    stripped = sample.strip()
    if not stripped:
        raise DatasetError(f"no data in the file {name!r}: it holds only blank lines or a byte order mark")
    if stripped[0] not in "{[":
        return "delimited"
    lines = stripped.splitlines()
    try:
        value = json.loads(lines[0])
    except (ValueError, RecursionError):
        inner = stripped[1:].lstrip()
        begin = ("{", "[", "") if _named_json(name) else ("{", "")
        looks = (stripped[0] == "[" and inner[:1] in begin) or (stripped[0] == "{" and inner[:1] in ('"', ""))
        return "json" if looks else "delimited"
    if len(lines) == 1 and not value:
        raise DatasetError(f"no data in the file {name!r}: it holds an empty JSON value")
    if isinstance(value, dict):
        return "jsonl" if len(lines) > 1 else "json"
    if not isinstance(value, list):
        return "delimited"
    named = _named_json(name)
    return "json" if len(lines) == 1 and (named or all(isinstance(item, dict) for item in value)) else "delimited"


def _named_json(name: str) -> bool:
    low = name.lower()
    return next((low[: -len(e)] for e in PACKED_ENDINGS if low.endswith(e)), low).endswith(".json")
