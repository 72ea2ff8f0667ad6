"""What a detector is, and what it hands back: data-quality facts, each with its evidence.

A module of this package with a module-level `DETECTOR: Detector` is a detector; nothing else has to be edited.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from datasets.directives import Directive
from datasets.evidence import Claim, ClaimValue, Subject
from datasets.quality._scan import Scan

QualityKind = Literal[
    "reporting_lag", "null_lag", "duplicates", "double_load", "key_exceptions", "sentinel", "partial_period",
    "repeated_value", "constant", "missing", "stale_column", "late_start", "frozen_tail", "structural_null",
    "calendar_gaps", "unit_switch", "total_rows", "balance", "identity", "impossible_order", "capped",
    "truncated", "renamed_category", "mixed_formats", "clock_shift", "reversals", "impossible_dates",
]  # fmt: skip
CONSEQUENCE: tuple[QualityKind, ...] = (
    "reporting_lag", "total_rows", "balance", "unit_switch", "double_load", "duplicates", "null_lag", "repeated_value",
    "sentinel", "impossible_dates", "mixed_formats", "frozen_tail", "stale_column", "renamed_category", "truncated",
    "clock_shift", "key_exceptions", "impossible_order", "capped", "reversals", "identity", "partial_period",
    "structural_null", "late_start", "calendar_gaps", "missing", "constant",
)  # fmt: skip
"""The kinds of facts, those first that change most numbers most."""


class DataQualityFact(BaseModel):
    """One thing about the data that a reader of any number from it should know."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    rule: str = Field(description="rule identifier, r1 ... r25; part of the provenance")
    kind: QualityKind
    column: str | None = Field(default=None, description="the column it is about; None: the whole table")
    statement: str = Field(description="one or two sentences with the numbers in them; plain text")
    directive: Directive | None = Field(default=None, description="the workaround, where one is safe to apply")
    status: Literal["suspected", "measured", "confirmed"] = Field(
        description="suspected: one file cannot prove it; measured: an exact count; confirmed: seen in a later delivery"
    )
    n: int = Field(description="rows that were looked at")
    claim: Claim
    sql: list[str] = Field(default_factory=list, description="statements over `analysis` that give the numbers again")
    informational: bool = Field(default=False, description="a property of the calendar or the schema, not a defect")


class Power(NamedTuple):
    """A detector looked here with enough data to find something; no fact of that kind then means there is none."""

    kind: QualityKind
    column: str | None


@dataclass(frozen=True)
class Outcome:
    """What one detector found, and where it had the power to find something."""

    facts: list[DataQualityFact] = field(default_factory=list)
    powered: list[Power] = field(default_factory=list)


@dataclass(frozen=True)
class Detector:
    """One detector. `run` reads `FROM analysis` through the scan and never changes anything."""

    rule: str
    kind: QualityKind
    run: Callable[[Scan], Outcome]


class Detection(BaseModel):
    """All that the detectors found in one pass over a view."""

    model_config = ConfigDict(frozen=True)

    facts: list[DataQualityFact] = Field(default_factory=list)
    powered: list[Power] = Field(
        default_factory=list, description="(kind, column) pairs that would have been found had they been there"
    )
    failed: dict[str, str] = Field(default_factory=dict, description="detector kind → why it could not look")
    rows_scanned: int = 0
    cells_read: int = 0
    seconds: float = 0.0


def quality_claim(
    kind: QualityKind,
    column: str | None,
    *,
    number: float | None = None,
    unit: str | None = None,
    text: str | None = None,
    against: str | None = None,
    period: str | None = None,
) -> Claim:
    """Build the claim of a fact: its identity is (kind, column, against, period), its value is the number."""
    return Claim(
        subject=Subject(relation="quality", metric=kind, column=column, against=against, period=period),
        value=ClaimValue(number=number, unit=unit, text=text),
    )
