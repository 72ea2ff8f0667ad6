"""The file as it lies on disk: identity, kind, encoding, line ends; and a clean UTF-8 copy where one is needed."""

import codecs
import gzip
import hashlib
import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal

from datasets.errors import DatasetError

Kind = Literal["delimited", "parquet", "json", "jsonl"]

_CHUNK = 1 << 20
_MAX_UNPACKED_BYTES = 16 << 30
_UNREADABLE_YET = {
    b"PK\x03\x04": "an Excel workbook or a zip archive",
    b"SQLite format 3\x00": "an SQLite database",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook (.xls)",
    b"%PDF": "a PDF document",
    b"ORC": "an ORC file",
    b"Obj\x01": "an Avro file",
    b"ARROW1": "an Arrow file",
    b"\x28\xb5\x2f\xfd": "a Zstandard archive",
    b"BZh": "a bzip2 archive",
    b"\xfd7zXZ": "an xz archive",
}


@dataclass(frozen=True)
class Source:
    """A readable local copy of the file. `path` never holds characters that a reader would expand."""

    path: Path
    kind: Kind
    notes: tuple[str, ...] = ()


def content_hash(path: Path) -> str:
    """BLAKE2b of the bytes of the file, 32 hex digits.

    :raises DatasetError: when the path is not a readable regular file.
    """
    if not path.exists():
        raise DatasetError(f"there is no file at {str(path)!r}; give the path of a data file or a catalogue key")
    if path.is_dir():
        raise DatasetError(f"{str(path)!r} is a folder; give the path of one data file in it")
    if not path.is_file():
        raise DatasetError(f"{str(path)!r} is not a regular file and is not read")
    digest = hashlib.blake2b(digest_size=16)
    try:
        with path.open("rb") as stream:
            while chunk := stream.read(_CHUNK):
                digest.update(chunk)
    except OSError as error:
        raise DatasetError(f"{str(path)!r} cannot be read: {error.strerror or error}") from error
    return digest.hexdigest()


def prepare(path: Path, work: Path) -> Source:
    """Unpack, identify and, where needed, rewrite the file as UTF-8 with plain line ends inside `work`.

    :raises DatasetError: for a file without data, or of a kind that is not read.
    """
    notes: list[str] = []
    if _head(path).startswith(b"\x1f\x8b"):
        path = _unpack(path, work / "unpacked")
        notes.append("gzip archive unpacked")
    head = _head(path)
    if not head:
        raise DatasetError(f"no data in the file {path.name!r}: it is empty")
    for magic, name in _UNREADABLE_YET.items():
        if head.startswith(magic):
            raise DatasetError(f"{path.name!r} is {name}, which cannot be read; export it as CSV, Parquet or JSON")
    if head.startswith(b"PAR1"):
        return Source(_linked(path, work / "source.parquet"), "parquet", tuple(notes))
    encoding, rewrite, remarks = _text_shape(path, head)
    notes += remarks
    if rewrite:
        text = work / "source.txt"
        _rewrite(path, text, encoding)
    else:
        text = _linked(path, work / "source.txt")
    return Source(text, _text_kind(text, path.name), tuple(notes))


def _head(path: Path, size: int = 4096) -> bytes:
    with path.open("rb") as stream:
        return stream.read(size)


def _linked(path: Path, target: Path) -> Path:
    """A name without special characters for the file, because readers expand `*` and `[1]` in paths."""
    try:
        target.symlink_to(path.resolve())
    except OSError:
        shutil.copyfile(path, target)
    return target


def _unpack(path: Path, target: Path) -> Path:
    try:
        with gzip.open(path, "rb") as packed, target.open("wb") as out:
            _copy_bounded(packed, out, path.name)
    except (OSError, EOFError) as error:
        raise DatasetError(f"the gzip archive {path.name!r} is damaged: {error}") from error
    return target


def _copy_bounded(packed: BinaryIO | gzip.GzipFile, out: BinaryIO, name: str) -> None:
    total = 0
    while chunk := packed.read(_CHUNK):
        total += len(chunk)
        if total > _MAX_UNPACKED_BYTES:
            raise DatasetError(f"{name!r} unpacks to more than {_MAX_UNPACKED_BYTES >> 30} GiB and is not read")
        out.write(chunk)


def _text_shape(path: Path, head: bytes) -> tuple[str, bool, list[str]]:
    """Encoding, whether a clean copy is needed, and remarks, from all bytes of the file."""
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16", True, ["read as UTF-16"]
    even, odd = head[0::2].count(0), head[1::2].count(0)
    if max(even, odd) > len(head) // 5:
        return ("utf-16-le" if odd > even else "utf-16-be"), True, ["read as UTF-16 (no byte order mark)"]
    decoder = codecs.getincrementaldecoder("utf-8")("strict")
    utf8 = True
    returns = pairs = 0
    nul = False
    tail = b""
    with path.open("rb") as stream:
        while chunk := stream.read(_CHUNK):
            returns += chunk.count(b"\r")
            nul = nul or b"\x00" in chunk
            pairs += (tail + chunk).count(b"\r\n")
            tail = chunk[-1:] if chunk.endswith(b"\r") else b""
            if utf8:
                try:
                    decoder.decode(chunk)
                except UnicodeDecodeError:
                    utf8 = False
        if utf8:
            try:
                decoder.decode(b"", final=True)
            except UnicodeDecodeError:
                utf8 = False
    bom = head.startswith(codecs.BOM_UTF8)
    rewrite = bom or not utf8 or nul or returns > pairs  # returns that end no line, or end it alone or twice
    if utf8:
        return ("utf-8-sig" if bom else "utf-8"), rewrite, []
    return "cp1252", True, ["not UTF-8: read as Windows-1252 (Western European)"]


def _rewrite(path: Path, target: Path, encoding: str) -> None:
    """Write UTF-8 with line feeds; a lone carriage return ends a line only in files that have no line feed."""
    errors = "replace" if encoding == "cp1252" else "strict"
    only_returns = "\n" not in _decoded_sample(path, encoding, errors)
    try:
        with (
            path.open(encoding=encoding, errors=errors, newline="") as source,
            target.open("w", encoding="utf-8", newline="") as out,
        ):
            rest = ""
            while piece := source.read(_CHUNK):
                text = (rest + piece).replace("\x00", "")
                whole = text.rstrip("\r")
                rest = text[len(whole) :]
                whole = whole.replace("\r\r\n", "\n").replace("\r\n", "\n")
                out.write(whole.replace("\r", "\n" if only_returns else " "))
            out.write("\n" if rest else "")
    except UnicodeError as error:
        raise DatasetError(f"the text of {path.name!r} is damaged: {error}") from error


def _decoded_sample(path: Path, encoding: str, errors: str) -> str:
    """Text to see the line ends in: up to the first line feed, bounded by the file."""
    with path.open(encoding=encoding, errors=errors, newline="") as source:
        seen = ""
        while piece := source.read(_CHUNK):
            seen = piece
            if "\n" in piece:
                return piece
    return seen


def _text_kind(path: Path, name: str) -> Kind:
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
    except ValueError:
        inner = stripped[1:].lstrip()
        looks = (stripped[0] == "[" and inner[:1] in ("{", "")) or (stripped[0] == "{" and inner[:1] in ('"', ""))
        return "json" if looks else "delimited"
    if len(lines) == 1 and not value:
        raise DatasetError(f"no data in the file {name!r}: it holds an empty JSON value")
    if isinstance(value, dict):
        return "jsonl" if len(lines) > 1 else "json"
    named = name.lower().removesuffix(".gz").endswith(".json")
    return "json" if len(lines) == 1 and (named or all(isinstance(item, dict) for item in value)) else "delimited"
