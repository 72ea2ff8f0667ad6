"""What tests of memory share: an embedder that needs no model, and the principals and units of small worlds."""

import os
import shutil
import zlib
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from memory import NewUnit, Principal
from memory.embedding import Vectors
from memory.errors import IndexUnavailable

NOW = datetime(2026, 3, 1, 9, tzinfo=UTC)
ANA = Principal("acme", "ana")


class Clock:
    """A clock that stands until it is set."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now


class Broken:
    """An embedding model that cannot run."""

    name = "broken"
    dimensions = 384

    def embed(self, texts: Sequence[str]) -> Vectors:
        raise IndexUnavailable("The embedding model is broken.")


class HashedWords:
    """Feature hashing of words and pairs of words: near texts share words. Deterministic, with no model to load."""

    name = "hashed-words"

    def __init__(self, dimensions: int = 64) -> None:
        self.dimensions = dimensions

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row of unit length for each text."""
        rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            words = text.lower().split()
            for token in [*words, *(f"{a} {b}" for a, b in pairwise(words)), ""]:
                digest = zlib.crc32(token.encode("utf-8", "replace"))
                row[digest % self.dimensions] += 1.0 if digest >> 16 & 1 else -1.0
            row /= np.linalg.norm(row) or 1.0
        return rows


def finding(number: int, *, value: float | None = None, **changes: Any) -> NewUnit:
    """A finding about one of many regions; its claim is the region's."""
    measured = number * 1.5 if value is None else value
    values: dict[str, Any] = {
        "memory_type": "finding",
        "summary": f"Region {number} sold {measured:.2f} in May.",
        "label": "confirmatory",
        "claim": {"subject": {"metric": "sum(sales)", "segment": f"region {number}"}, "value": {"number": measured}},
        "data_source": "sales",
        "unit_key": f"region {number}",
    }
    return NewUnit(**(values | changes))


def files_with(home: Path, text: str) -> list[str]:
    """Files under `home` that hold the text, read without the holes that the index files consist of mostly."""
    return [
        str(path.relative_to(home))
        for path in home.rglob("*")
        if path.is_file() and text.encode() in b"".join(data for _, data in _extents(path))
    ]


def copy_home(source: Path, target: Path) -> None:
    """Copy a home with the holes of its files."""

    def copy(here: str, there: str) -> None:
        with Path(there).open("wb") as file:
            file.truncate(Path(here).stat().st_size)
            for start, data in _extents(Path(here)):
                file.seek(start)
                file.write(data)

    shutil.copytree(source, target, copy_function=copy, dirs_exist_ok=True)


def _extents(path: Path) -> Iterator[tuple[int, bytes]]:
    if not hasattr(os, "SEEK_DATA"):
        yield 0, path.read_bytes()
        return
    end = 0
    with path.open("rb", buffering=0) as file:
        while True:
            try:
                start = os.lseek(file.fileno(), end, os.SEEK_DATA)
            except OSError:  # only a hole is left
                return
            end = os.lseek(file.fileno(), start, os.SEEK_HOLE)
            yield start, os.pread(file.fileno(), end - start, start)
