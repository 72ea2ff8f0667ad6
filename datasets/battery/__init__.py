"""The statistical battery: typed steps over an analysis view, each with its evidence.

A step kind is one file of this package with a module-level `KIND`; nothing else has to be edited.
"""

from datasets.battery._running.direct import direct_step
from datasets.battery._running.labels import adjust, label_of
from datasets.battery._running.registry import make_step, run_step, step_kinds
from datasets.battery._running.verdict import match_candidate, verdict_of

__all__ = [
    "adjust",
    "direct_step",
    "label_of",
    "make_step",
    "match_candidate",
    "run_step",
    "step_kinds",
    "verdict_of",
]
