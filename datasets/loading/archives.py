"""Packed files: gzip, bzip2, xz, Zstandard and zip, unpacked into the scratch folder within a bound."""

import bz2
import gzip
import lzma
import re
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, NamedTuple, Self

import zstandard

from datasets.errors import DatasetError, reason_of

MAX_UNPACKED_BYTES = 16 << 30
MAX_MEMBERS = 1_000
_CHUNK = 1 << 20
_ZSTANDARD_STEP = 2048
"""Packed bytes taken at once: each may stand for 32,768 plain ones, and all of those are made before any is counted."""


class _Zstandard:
    """Reads Zstandard frames one after another; the reader of the library takes a frame that is cut short for whole."""

    def __init__(self, raw: IO[bytes]) -> None:
        self._raw = raw
        self._frame = zstandard.ZstdDecompressor().decompressobj()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def read(self, size: int) -> bytes:
        """At least one byte, as long as there is one.

        :raises EOFError: when the last frame is cut short.
        """
        while packed := self._raw.read(_ZSTANDARD_STEP):
            plain = b""
            while packed:
                if self._frame.eof:
                    self._frame = zstandard.ZstdDecompressor().decompressobj()
                plain += self._frame.decompress(packed)
                packed = self._frame.unused_data if self._frame.eof else b""
            if plain:
                return plain
        if not self._frame.eof:
            raise EOFError("it ends before its end marker")
        return b""


_ZIP = b"PK\x03\x04"
_DAMAGE = (OSError, EOFError, zlib.error, lzma.LZMAError, zstandard.ZstdError, zipfile.BadZipFile, RuntimeError)
_PACKERS: dict[bytes, tuple[str, Callable[[IO[bytes]], Any]]] = {
    b"\x1f\x8b": ("gzip", lambda raw: gzip.GzipFile(fileobj=raw)),
    b"BZh": ("bzip2", bz2.BZ2File),
    b"\xfd7zXZ\x00": ("xz", lzma.LZMAFile),
    b"\x28\xb5\x2f\xfd": ("Zstandard", _Zstandard),
}
PACKED_ENDINGS = (".gz", ".bz2", ".xz", ".zst", ".zip")


class Member(NamedTuple):
    """An unpacked file: its name as packed (data, never a path) and where its bytes lie now."""

    name: str
    path: Path


def packed_as(head: bytes) -> str | None:
    """The name of the packing whose first bytes these are; a zip archive may still be a workbook."""
    if head.startswith(_ZIP):
        return "zip"
    return next((name for magic, (name, _) in _PACKERS.items() if head.startswith(magic)), None)


def is_workbook(path: Path) -> bool:
    """Whether a zip archive is a workbook (.xlsx, .xlsb, .ods) by what it holds."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist())
    except _DAMAGE:
        return False
    return any(n.startswith("xl/workbook.") for n in names) or {"content.xml", "mimetype"} <= names


def unpack(path: Path, name: str, work: Path, *, prefix: str = "") -> list[Member]:
    """Unpack the archive at `path` into files named by number inside `work`.

    :raises DatasetError: when it is damaged, locked by a password, empty, or unpacks to more than 16 GiB.
    """
    with path.open("rb") as stream:
        head = stream.read(8)
    kind = packed_as(head)
    try:
        if kind == "zip":
            return _unzip(path, name, work, prefix)
        opener = next(opener for magic, (_, opener) in _PACKERS.items() if head.startswith(magic))
        target = work / f"{prefix}unpacked"
        with path.open("rb") as raw, opener(raw) as packed, target.open("wb") as out:
            _copy_bounded(packed, out, name, MAX_UNPACKED_BYTES)
    except _DAMAGE as error:
        raise DatasetError(f"the {kind} archive {name!r} is damaged or locked: {reason_of(error)}") from error
    return [Member(_without_packing(name), target)]


def unpacked_bytes(path: Path, *, at_most: int) -> int:
    """Count what a file unpacks to, archives in zip archives included; stops counting past `at_most`.

    A file that is not packed counts 0.

    :raises DatasetError: when an archive in it is damaged, locked by a password, or packed too often.
    """
    try:
        with path.open("rb") as stream:
            return _count(stream, at_most, depth=0)
    except _DAMAGE as error:
        raise DatasetError(f"the archive is damaged or locked: {reason_of(error)}") from error


def _count(stream: IO[bytes], at_most: int, *, depth: int) -> int:
    head = stream.read(8)
    kind = packed_as(head)
    if kind is None:
        return 0
    if depth > 3:
        raise DatasetError("an archive that is packed more than three times is not read")
    stream.seek(0)
    total = 0
    if kind == "zip":
        with zipfile.ZipFile(stream) as archive:
            for info in archive.infolist():
                total += info.file_size
                if total > at_most or not _is_file(info):
                    continue
                with archive.open(info) as member:
                    total += _count(member, at_most - total, depth=depth + 1)
        return total
    opener = next(opener for magic, (_, opener) in _PACKERS.items() if head.startswith(magic))
    with opener(stream) as packed:
        start = b""
        while total <= at_most and (chunk := packed.read(_CHUNK)):
            total += len(chunk)
            start = start or chunk[:8]
    if packed_as(start) is not None:
        raise DatasetError("a compressed file that holds another archive is not taken in; unpack it once")
    return total


def _unzip(path: Path, name: str, work: Path, prefix: str) -> list[Member]:
    members: list[Member] = []
    left = MAX_UNPACKED_BYTES
    with zipfile.ZipFile(path) as archive:
        infos = [i for i in archive.infolist() if _is_file(i) and not _hidden(i.filename)]
        if len(infos) > MAX_MEMBERS:
            raise DatasetError(f"{name!r} holds {len(infos):,} files; at most {MAX_MEMBERS:,} are read")
        for number, info in enumerate(sorted(infos, key=lambda i: i.filename)):
            target = work / f"{prefix}member-{number}"
            with archive.open(info) as packed, target.open("wb") as out:
                left -= _copy_bounded(packed, out, name, left)
            members.append(Member(info.filename, target))
    if not members:
        raise DatasetError(f"no data in the file {name!r}: the archive is empty")
    return members


def _is_file(info: zipfile.ZipInfo) -> bool:
    """Whether an entry is a file; a damaged one may have no name at all."""
    return bool(info.filename) and not info.is_dir()


def leads_out(name: str) -> bool:
    """Whether the name of a member would lie outside the folder that the archive is unpacked in."""
    parts = name.replace("\\", "/").split("/")
    return ".." in parts or parts[0] == "" or bool(re.fullmatch("[A-Za-z]:", parts[0]))


def _hidden(name: str) -> bool:
    return any(
        (part.startswith(".") and part not in {".", ".."}) or part == "__MACOSX"
        for part in name.replace("\\", "/").split("/")
    )


def _without_packing(name: str) -> str:
    return next((name[: -len(end)] for end in PACKED_ENDINGS if name.lower().endswith(end)), name)


def _copy_bounded(packed: IO[bytes], out: IO[bytes], name: str, limit: int) -> int:
    total = 0
    while chunk := packed.read(_CHUNK):
        total += len(chunk)
        if total > limit:
            raise DatasetError(f"{name!r} unpacks to more than {MAX_UNPACKED_BYTES >> 30} GiB and is not read")
        out.write(chunk)
    return total
