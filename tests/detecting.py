"""What tests of detectors ask of a table given by its columns."""

import csv
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from datasets import Catalogue
from datasets.quality import DataQualityFact, Detection, detect

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def look(folder: Path, columns: Mapping[str, Sequence[object]]) -> Detection:
    """Detect in a table given by its columns, through a file."""
    file = folder / "table.csv"
    with file.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([columns, *zip(*columns.values(), strict=True)])
    with Catalogue(folder / "home", allow_paths=True).open(str(file), now=NOW) as dataset:
        return detect(dataset.view())


def of_kind(detection: Detection, kind: str) -> list[DataQualityFact]:
    return [fact for fact in detection.facts if fact.kind == kind]
