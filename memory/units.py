"""What is kept and what is said about it: principals, units, outcomes, and the rules that follow from a unit's type."""

import math
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, field_validator, model_validator

from memory.errors import MemoryError  # noqa: A004

MemoryType = Literal["finding", "data_quality", "user_preference", "domain_pattern"]
Label = Literal["confirmatory", "exploratory", "exploratory_divergent"]
Status = Literal["active", "superseded", "resolved", "expired", "forgotten"]
Scope = Literal["user", "org"]
Action = Literal["stored", "reconfirmed", "superseded", "dropped"]

CONFIDENCE: dict[str, float] = {"confirmatory": 0.90, "exploratory": 0.70, "exploratory_divergent": 0.50}
"""Confidence of a finding; it follows from the label and is never set by hand."""

DEFAULT_CONFIDENCE: dict[str, float] = {"data_quality": 0.80, "user_preference": 0.90, "domain_pattern": 0.75}
"""Confidence of the other types where the writer gives none."""

FLOOR = 0.6
"""A unit below this confidence is not stored."""

TTL_DAYS: dict[str, int] = {"finding": 90, "data_quality": 365, "user_preference": 365, "domain_pattern": 180}
RECURRING: frozenset[str] = frozenset({"data_quality", "domain_pattern"})
"""Types that become durative (a required workaround) when several sessions have seen them."""

SCOPE: dict[str, Scope] = {
    "finding": "user",
    "data_quality": "org",
    "user_preference": "user",
    "domain_pattern": "user",
}


@dataclass(frozen=True)
class Principal:
    """Who is asking. Bound by authentication, never read from a question or from graph input."""

    org_id: str
    owner_sub: str

    def __post_init__(self) -> None:
        """Refuse blank identities: an empty owner would read as the shared scope."""
        if not self.org_id.strip() or not self.owner_sub.strip():
            raise MemoryError(f"A principal needs an org and an owner; got {self.org_id!r} and {self.owner_sub!r}.")


def plain_json(value: Any) -> Any:
    """Return `value` with NaN and infinity as the strings "NaN", "Infinity", "-Infinity", and tuples as lists."""
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, dict):
        return {str(key): plain_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain_json(item) for item in value]
    if isinstance(value, datetime):
        return value.isoformat()
    return value


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class NewUnit(_Frozen):
    """Something worth keeping, as its writer sees it."""

    memory_type: MemoryType
    summary: str = Field(min_length=1, description="one or two sentences")
    detail: str = ""
    label: Label | None = Field(default=None, description="findings only, required there; gives the confidence")
    confidence: float | None = Field(default=None, ge=0, le=1, description="ignored for findings")
    claim: dict[str, Any] = Field(
        default_factory=dict, description='{"subject": {...}, "value": {...}}; the subject is the identity'
    )
    directive: dict[str, Any] | None = None
    data_source: str | None = Field(default=None, min_length=1, description="dataset key; None: holds for all datasets")
    event_time_start: AwareDatetime | None = None
    event_time_end: AwareDatetime | None = None
    provenance: dict[str, Any] = Field(default_factory=dict, description="step signature, SQL, fingerprint, step, ...")
    unit_key: str = Field(default="", description="identity within the run; replays of the same key change nothing")
    artifact_id: str | None = None
    ttl_days: int | None = Field(default=None, ge=1, description="instead of the type's time limit")
    dialogue_time: AwareDatetime | None = Field(default=None, description="when it was said or measured; None: now")

    @field_validator("claim", "directive", "provenance")
    @classmethod
    def _plain(cls, value: Any) -> Any:
        return plain_json(value)

    @model_validator(mode="after")
    def _labelled(self) -> "NewUnit":
        if self.memory_type == "finding" and self.label is None:
            raise ValueError("a finding needs a label; its confidence follows from it")
        return self

    @property
    def resolved_confidence(self) -> float:
        """The confidence that the unit gets: from the label for findings, else as given, else the type's default."""
        if self.memory_type == "finding":
            return CONFIDENCE[self.label or "exploratory_divergent"]
        return self.confidence if self.confidence is not None else DEFAULT_CONFIDENCE[self.memory_type]


class MemoryUnit(_Frozen):
    """One version of something kept."""

    memory_id: str
    session_id: str = Field(description="the session in which this version was first stored")
    owner_sub: str = Field(description="who stored it; the owner for user-scoped types")
    org_id: str
    scope: Scope
    bank_id: str = Field(description="the pool it is recalled from: user:<owner> or org:<org>")
    memory_type: MemoryType
    summary: str
    detail: str = ""
    label: Label | None = None
    confidence: float
    claim: dict[str, Any] = Field(default_factory=dict)
    claim_key: str
    directive: dict[str, Any] | None = None
    data_source: str | None = None
    dialogue_time: AwareDatetime
    event_time_start: AwareDatetime | None = None
    event_time_end: AwareDatetime | None = None
    is_durative: bool = Field(default=False, description="seen often enough to be a standing workaround")
    pinned: bool = Field(default=False, description="kept by its owner: no time limit, shown whatever the question")
    status: Status = Field(default="active", description="as of the moment of reading: past its limit reads expired")
    version: int = 1
    supersedes: str | None = None
    superseded_by: str | None = None
    sightings: int = Field(default=1, description="distinct sessions that saw it")
    last_confirmed_at: AwareDatetime
    expires_at: AwareDatetime | None = Field(default=None, description="expired from this moment on; None: no limit")
    ttl_days: int | None = Field(default=None, description="days that a confirmation adds; None: no limit")
    closed_at: AwareDatetime | None = None
    closed_reason: str | None = None
    artifact_id: str | None = None
    provenance: dict[str, Any] = Field(default_factory=dict)
    embedding_model: str = ""

    @property
    def active(self) -> bool:
        """Whether it is in force at the moment of reading."""
        return self.status == "active"

    @property
    def valid_from(self) -> datetime:
        """From when on it was the valid statement."""
        return self.dialogue_time

    @property
    def valid_to(self) -> datetime | None:
        """Until when (exclusive) it was the valid statement; None while it is in force without a limit."""
        return self.closed_at if self.closed_at is not None else self.expires_at


class Outcome(_Frozen):
    """What became of one NewUnit."""

    unit_key: str
    action: Action
    memory_id: str | None = Field(default=None, description="the unit now in force; None when dropped")
    reason: str = ""
    previous_id: str | None = Field(default=None, description="the version that was superseded")
    unit: MemoryUnit | None = Field(default=None, description="as it is now; None when dropped or forgotten since")


class RecalledUnit(_Frozen):
    """A unit with the reason why it is shown."""

    unit: MemoryUnit
    score: float = Field(description="0 to about 1; standing constraints have 1.0")
    why: str
    required: bool = Field(default=False, description="a workaround that has to be applied (durative data quality)")


class Recall(_Frozen):
    """What memory has to say to a question on a dataset, within the token budget."""

    findings: list[RecalledUnit] = Field(default_factory=list, description="best first")
    data_quality: list[RecalledUnit] = Field(default_factory=list, description="required ones first")
    preferences: list[RecalledUnit] = Field(default_factory=list)
    patterns: list[RecalledUnit] = Field(default_factory=list)
    over_budget: list[RecalledUnit] = Field(
        default_factory=list,
        description="in force but not within the token budget: their directives apply, their text is not injected",
    )
    tokens: int = Field(default=0, description="approximate tokens of the four buckets")
    degraded: str | None = Field(default=None, description="why recall worked from the ledger alone; None: it did not")


class Event(_Frozen):
    """One line of the audit trail."""

    seq: int
    at: AwareDatetime
    kind: str
    memory_id: str | None = None
    owner_sub: str = Field(description="who did it")
    run_id: str | None = None
    session_id: str | None = None
    detail: dict[str, Any] = Field(default_factory=dict)


class Artifact(_Frozen):
    """A JSON document kept beside the units: a report, a battery, a snapshot."""

    artifact_id: str
    kind: str
    dataset: str | None
    session_id: str
    run_id: str
    created_at: AwareDatetime
    content: dict[str, Any]
