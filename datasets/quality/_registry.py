"""Find the detectors and run them over one view."""

from __future__ import annotations

import pkgutil
import time
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

import duckdb

from datasets.errors import DatasetError
from datasets.quality._detector import DataQualityFact, Detection, Detector, Power
from datasets.quality._scan import Scan

if TYPE_CHECKING:
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
        facts=sorted(facts, key=lambda fact: (fact.informational, fact.directive is None)),
        powered=powered,
        failed=failed,
        rows_scanned=int(rows),
        cells_read=int(cells),
        seconds=round(time.perf_counter() - started, 6),
    )
