"""Find the detectors and run them over one view."""

from __future__ import annotations

import hashlib
import pkgutil
import time
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from datasets.errors import DatasetError
from datasets.quality._detector import CONSEQUENCE, DataQualityFact, Detection, Detector, Power
from datasets.quality._scan import Scan

if TYPE_CHECKING:
    from datasets.dataset import Dataset
    from datasets.view import AnalysisView

_PACKAGE = "datasets.quality"


@cache
def detectors() -> tuple[Detector, ...]:
    """Return every detector in the order of their files: each public module of the package that has a `DETECTOR`."""
    found = []
    for info in sorted(pkgutil.iter_modules(import_module(_PACKAGE).__path__), key=lambda m: m.name):
        if not info.name.startswith("_"):
            detector = getattr(import_module(f"{_PACKAGE}.{info.name}"), "DETECTOR", None)
            if isinstance(detector, Detector):
                found.append(detector)
    return tuple(found)


def detected(dataset: Dataset) -> Detection:
    """What the detectors find in the data as it was loaded; looked for once for each parsed copy.

    An answer that was kept has scanned no row and taken no time.
    """
    fresh: list[Detection] = []

    def look() -> Detection:
        with dataset.view() as view:
            fresh.append(detect(view))
        return fresh[0]

    found = dataset.once("quality", Detection, look, version=_version(), complete=lambda d: not d.failed)
    return found if fresh else found.model_copy(update={"rows_scanned": 0, "cells_read": 0, "seconds": 0.0})


@cache
def _version() -> str:
    """A digest of the rules themselves, so that an answer by other rules is never taken for one by these."""
    digest = hashlib.blake2b(digest_size=8)
    for file in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(file.read_bytes())
    return digest.hexdigest()


def detect(view: AnalysisView) -> Detection:
    """Look for data-quality facts in a view without directives.

    On a view that already leaves out a lag, the lag cannot be found: pass the data as it was loaded. Facts come with
    defects first, informational ones last. A detector that the engine stops is named in `failed`; the others still run,
    and nothing of it counts as powered.
    """
    started = time.perf_counter()
    view.meter.take()
    scan = Scan(view)
    facts: list[DataQualityFact] = []
    powered: list[Power] = []
    failed: dict[str, str] = {}
    for detector in detectors():
        if scan.rows == 0:
            break
        try:
            outcome = detector.run(scan)
        except (DatasetError, duckdb.Error) as error:
            failed[detector.kind] = str(error)
            continue
        facts += outcome.facts
        powered += outcome.powered
    rows, cells = view.meter.take()
    return Detection(
        facts=sorted(facts, key=lambda f: (f.informational, f.directive is None, CONSEQUENCE.index(f.kind))),
        powered=powered,
        failed=failed,
        rows_scanned=int(rows),
        cells_read=int(cells),
        seconds=round(time.perf_counter() - started, 6),
    )
