"""Snapshots of a dataset: what it held at one moment, what changed between two, and what they measure of a lag."""

from datasets.snapshot._change import DataChange
from datasets.snapshot._comparing import compare
from datasets.snapshot._lag import MeasuredLag, measured_amount_lags, measured_lag, measured_null_lags
from datasets.snapshot._taking import Snapshot, take

__all__ = [
    "DataChange",
    "MeasuredLag",
    "Snapshot",
    "compare",
    "measured_amount_lags",
    "measured_lag",
    "measured_null_lags",
    "take",
]
