"""Numbers that carry a unit in every cell: "12 kg", "350 g", "1.5 h". Units of one dimension become one unit."""

from collections.abc import Mapping
from types import MappingProxyType

from datasets.sql import literal

_DIMENSIONS: tuple[Mapping[str, float], ...] = (
    {"mg": 1e-6, "g": 1e-3, "kg": 1.0, "t": 1e3},
    {"oz": 1.0, "lb": 16.0, "lbs": 16.0},
    {"mm": 1e-3, "cm": 1e-2, "m": 1.0, "km": 1e3},
    {"in": 1.0, "ft": 12.0, "yd": 36.0, "mi": 63_360.0},
    {"ml": 1e-3, "mL": 1e-3, "cl": 1e-2, "cL": 1e-2, "l": 1.0, "L": 1.0, "hl": 100.0},
    {"ms": 1e-3, "s": 1.0, "sec": 1.0, "secs": 1.0, "min": 60.0, "mins": 60.0, "h": 3_600.0, "hr": 3_600.0,
     "hrs": 3_600.0, "hours": 3_600.0, "hour": 3_600.0, "minutes": 60.0, "minute": 60.0, "seconds": 1.0},
    {"d": 1.0, "day": 1.0, "days": 1.0, "week": 7.0, "weeks": 7.0},
    {"B": 1.0, "KB": 1e3, "kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12},
    {"KiB": 1.0, "MiB": 1_024.0, "GiB": 1_048_576.0, "TiB": 1_073_741_824.0},
    {"W": 1.0, "kW": 1e3, "MW": 1e6}, {"Wh": 1.0, "kWh": 1e3, "MWh": 1e6, "GWh": 1e9},
    {"Hz": 1.0, "kHz": 1e3, "MHz": 1e6, "GHz": 1e9},
    {"°C": 1.0}, {"°F": 1.0}, {"km/h": 1.0}, {"mph": 1.0}, {"m/s": 1.0}, {"pcs": 1.0}, {"bpm": 1.0}, {"mmHg": 1.0},
)  # fmt: skip
"""Factors within a dimension. Metric and imperial stay apart: who mixes them in one column has made a mistake."""

UNIT = "(?:" + "|".join(sorted({u for d in _DIMENSIONS for u in d}, key=len, reverse=True)) + ")"
"""Pattern of a known unit, as it is written: letter case tells MB from mb."""


def common_unit(units: Mapping[str, int]) -> Mapping[str, float] | None:
    """Factors that bring each of these units (with their counts of cells) to the most frequent one of them.

    None where they do not measure the same thing.
    """
    for dimension in _DIMENSIONS:
        if units.keys() <= dimension.keys():
            target = max(units, key=lambda u: (units[u], dimension[u]))
            return MappingProxyType({unit: dimension[unit] / dimension[target] for unit in units})
    return None


def unit_sql(v: str) -> str:
    """SQL expression: the unit behind the number in a text of class quantity."""
    return f"regexp_extract({v}, {literal(f'{UNIT}$')})"


def in_common_unit(v: str, number: str, factors: Mapping[str, float]) -> str:
    """SQL expression: the number of a text, in the common unit; rounded beyond what a factor may blur."""
    if set(factors.values()) == {1.0}:
        return number
    cases = " ".join(f"WHEN {literal(unit)} THEN {factor!r}" for unit, factor in factors.items())
    return f"round({number} * CASE {unit_sql(v)} {cases} END, 9)"
