"""Data-quality facts found from the data alone, each with its evidence and, where it is safe, a workaround.

A detector is one file of this package with a module-level `DETECTOR`.
"""

from datasets.quality._detector import DataQualityFact, Detection
from datasets.quality._measured import lag_fact
from datasets.quality._registry import detect, detected

__all__ = ["DataQualityFact", "Detection", "detect", "detected", "lag_fact"]
