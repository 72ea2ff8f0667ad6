"""Small tables for the tests of step kinds, and a step run on one of them."""

import csv
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from datasets import Catalogue
from datasets.battery import make_step, run_step
from datasets.evidence import StepResult

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def table(folder: Path, columns: Mapping[str, Sequence[object]]) -> Path:
    """Write columns of equal length as a CSV file."""
    file = folder / "table.csv"
    with file.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([columns, *zip(*columns.values(), strict=True)])
    return file


def run_on(file: Path, home: Path, kind: str, **params: Any) -> StepResult:
    """Run a step on a file; its result is JSON, its tables are short, and its SQL runs again."""
    with Catalogue(home, allow_paths=True).open(str(file), now=NOW) as dataset:
        view = dataset.view()
        result = run_step(make_step(kind, params), view)
        json.dumps(result.model_dump(), allow_nan=False)
        for candidate in result.candidates:
            assert len(candidate.table) <= 50
            for sql in candidate.sql:
                if not sql.endswith("…"):
                    view.query(sql, limit_rows=200_000)
    return result
