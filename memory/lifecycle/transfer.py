"""Export and import: a principal's memory as one JSON document.

The document is `{"version": 1, "exported_at", "units": [...], "history": [...], "artifacts": [...]}`. `units` are
those in force, `history` the versions that were superseded or resolved. Times are ISO 8601 with an offset. What is
expired or not yet valid at the moment of export is left out, as on every other reading path.
"""

import uuid
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError
from sqlalchemy import ColumnElement, Connection, insert, select

from memory.errors import MemoryError  # noqa: A004
from memory.identity.keys import with_subject
from memory.ledger.record import Ledger, find, live, visible
from memory.ledger.schema import artifacts, sightings, units
from memory.lifecycle.versions import (
    Writing,
    active_row,
    agrees,
    expiry,
    identity_of,
    in_force,
    insert_version,
    pool_of,
    replace,
    retire,
    sight,
)
from memory.units import (
    CONFIDENCE,
    DEFAULT_CONFIDENCE,
    FLOOR,
    TTL_DAYS,
    Action,
    Label,
    MemoryType,
    MemoryUnit,
    Outcome,
    Principal,
    Status,
)

VERSION = 1


class _Entry(BaseModel):
    """A unit as a document gives it: type and summary are enough, the rest has defaults; unknown keys are ignored."""

    model_config = ConfigDict(extra="ignore")

    memory_id: str = ""
    memory_type: MemoryType
    summary: str = Field(min_length=1)
    detail: str = ""
    session_id: str = "import"
    sessions: list[str] = Field(default_factory=list, description="distinct sessions that saw it")
    sightings: int = 1
    label: Label | None = None
    confidence: float | None = Field(default=None, ge=0, le=1)
    claim: dict[str, Any] = Field(default_factory=dict)
    directive: dict[str, Any] | None = None
    data_source: str | None = None
    dialogue_time: AwareDatetime | None = None
    event_time_start: AwareDatetime | None = None
    event_time_end: AwareDatetime | None = None
    last_confirmed_at: AwareDatetime | None = None
    expires_at: AwareDatetime | None = Field(
        default=None, description="explicit null: no limit; left out: from ttl_days"
    )
    ttl_days: int | None = Field(default=None, description="explicit null: no limit; left out: the type's")
    status: Status = "active"
    version: int = 1
    closed_at: AwareDatetime | None = None
    closed_reason: str | None = None
    supersedes: str | None = None
    superseded_by: str | None = None
    pinned: bool = False
    artifact_id: str | None = None
    provenance: dict[str, Any] = Field(default_factory=dict)

    @property
    def resolved_confidence(self) -> float:
        """From the label where there is one: a document cannot raise the confidence of a finding by hand."""
        if self.memory_type == "finding":
            return CONFIDENCE[self.resolved_label or "exploratory"]
        return self.confidence if self.confidence is not None else DEFAULT_CONFIDENCE[self.memory_type]

    @property
    def resolved_label(self) -> Label | None:
        """The label; for a finding without one, the strongest that its confidence allows."""
        if self.memory_type != "finding" or self.label is not None:
            return self.label
        if self.confidence is None or CONFIDENCE["exploratory"] <= self.confidence < CONFIDENCE["confirmatory"]:
            return "exploratory"
        return "confirmatory" if self.confidence >= CONFIDENCE["confirmatory"] else "exploratory_divergent"

    def limit(self, now: datetime) -> tuple[datetime | None, int | None]:
        """When it expires, and the days that a confirmation adds."""
        given = self.model_fields_set
        unlimited = "expires_at" in given and self.expires_at is None and self.ttl_days is None
        ttl_days = self.ttl_days if "ttl_days" in given or unlimited else TTL_DAYS[self.memory_type]
        if "expires_at" in given:
            return self.expires_at, ttl_days
        return expiry(self.dialogue_time or now, ttl_days), ttl_days


class _ArtifactEntry(BaseModel):
    model_config = ConfigDict(extra="ignore")

    artifact_id: str
    kind: str
    dataset_key: str
    session_id: str
    run_id: str
    created_at: AwareDatetime
    content: dict[str, Any]


class _Document(BaseModel):
    model_config = ConfigDict(extra="ignore")

    version: int
    units: list[_Entry]
    history: list[_Entry] = Field(default_factory=list)
    artifacts: list[_ArtifactEntry] = Field(default_factory=list)


def export(connection: Connection, principal: Principal, now: datetime) -> dict[str, Any]:
    """Everything in force for the principal, with its history and the artifacts it refers to."""
    current = find(connection, now, visible(principal), live(now))
    closed = find(connection, now, visible(principal), units.c.status.in_(("superseded", "resolved")))
    linked = [unit.artifact_id for unit in current if unit.artifact_id]
    kept = connection.execute(
        select(artifacts).where(
            artifacts.c.org_id == principal.org_id,
            artifacts.c.owner_sub == principal.owner_sub,
            artifacts.c.artifact_id.in_(linked),
        )
    ).mappings()
    return {
        "version": VERSION,
        "exported_at": now.astimezone(UTC).isoformat(),
        "units": [_exported(connection, unit) for unit in current],
        "history": [_exported(connection, unit) for unit in closed if unit.dialogue_time <= now],
        "artifacts": [_ArtifactEntry.model_validate(dict(row)).model_dump(mode="json") for row in kept],
    }


def _exported(connection: Connection, unit: MemoryUnit) -> dict[str, Any]:
    sessions = connection.execute(
        select(sightings.c.session_id).where(sightings.c.memory_id == unit.memory_id).order_by(sightings.c.seen_at)
    ).scalars()
    return unit.model_dump(mode="json") | {"sessions": list(dict.fromkeys(sessions))}


def import_document(ledger: Ledger, writing: Writing, document: Mapping[str, Any]) -> list[Outcome]:
    """Take a document over as the principal's own; org and owner in it are ignored. One transaction.

    Importing the same document again changes nothing. Where a unit of the same identity is in force, the newer
    of the two stays.

    :raises MemoryError: the document is not one of ours; nothing is written.
    """
    try:
        parsed = _Document.model_validate(document)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"])) or "the document"
        raise MemoryError(f"This is not a memory export: {place}: {first['msg']}.") from error
    if parsed.version != VERSION:
        raise MemoryError(f"The export has version {parsed.version}; this program reads version {VERSION}.")

    def take(connection: Connection) -> list[Outcome]:
        entries = [*parsed.units, *parsed.history]
        ledger.hold(connection, {pool_of(writing.principal, e.memory_type, e.data_source) for e in entries})
        taker = _Taker(ledger, connection, writing)
        taker.take_artifacts(parsed.artifacts)
        for entry in parsed.history:
            taker.take_closed(entry)
        return [taker.take(entry) for entry in parsed.units]

    return ledger.attempt(writing.principal, take)


class _Taker:
    """One import under way."""

    def __init__(self, ledger: Ledger, connection: Connection, writing: Writing) -> None:
        self._ledger = ledger
        self._connection = connection
        self._writing = writing
        self._artifact_ids: dict[str, str] = {}

    def take(self, entry: _Entry) -> Outcome:
        """Store, reconfirm, supersede or drop one unit, and say which."""
        confidence = entry.resolved_confidence
        if confidence < FLOOR:
            return _dropped(entry, f"confidence {confidence:.2f} is below {FLOOR:.2f}")
        entry = entry.model_copy(update={"claim": with_subject(entry.claim, summary=entry.summary)})
        values, now = self._values(entry), self._writing.now
        said_at, expires_at = values["dialogue_time"], values["expires_at"]
        entry_in_force = said_at <= now and (expires_at is None or expires_at > now)
        row = active_row(self._connection, self._identity(entry))
        if row is not None and row["memory_id"] != entry.memory_id and not in_force(row, now) and entry_in_force:
            retire(self._connection, self._writing, row)
            row = None
        if row is None:
            memory_id = insert_version(self._connection, self._writing, values, kind="imported")
            self._see(memory_id, entry)
            return self._outcome(entry, "stored", memory_id, "imported")
        if agrees(row, entry.claim, entry.directive):
            self._see(row["memory_id"], entry)
            return self._outcome(entry, "reconfirmed", row["memory_id"], "already here")
        if not entry_in_force or said_at < row["dialogue_time"]:
            return _dropped(entry, "another statement on the same subject is in force")
        values["supersedes"] = row["memory_id"]
        memory_id = replace(self._connection, self._writing, row, values, kind="imported")
        self._see(memory_id, entry)
        return self._outcome(entry, "superseded", memory_id, "the value changed", previous_id=row["memory_id"])

    def take_closed(self, entry: _Entry) -> None:
        """Keep a closed version as history, once."""
        if entry.status in {"superseded", "resolved"} and not self._is_taken(units.c.memory_id, entry.memory_id):
            closed = {"status": entry.status, "closed_at": entry.closed_at, "closed_reason": entry.closed_reason}
            links = {"supersedes": entry.supersedes, "superseded_by": entry.superseded_by}
            values = self._values(entry) | closed | links | {"version": entry.version}
            memory_id = insert_version(self._connection, self._writing, values, kind="imported")
            self._see(memory_id, entry)

    def take_artifacts(self, entries: Sequence[_ArtifactEntry]) -> None:
        """Keep the documents that are not here yet."""
        principal = self._writing.principal
        owner = {"org_id": principal.org_id, "owner_sub": principal.owner_sub}
        for entry in entries:
            query = select(artifacts.c.artifact_id).where(
                *(artifacts.c[name] == value for name, value in owner.items()),
                artifacts.c.run_id == entry.run_id,
                artifacts.c.kind == entry.kind,
            )
            known = self._connection.execute(query).scalar_one_or_none()
            if known is None:
                taken = self._is_taken(artifacts.c.artifact_id, entry.artifact_id)
                known = str(uuid.uuid4()) if taken else entry.artifact_id
                values = entry.model_dump() | owner | {"artifact_id": known}
                self._connection.execute(insert(artifacts).values(**values))
            self._artifact_ids[entry.artifact_id] = known

    def _identity(self, entry: _Entry) -> dict[str, str]:
        return identity_of(
            self._connection,
            self._writing.principal,
            memory_type=entry.memory_type,
            data_source=entry.data_source,
            claim=entry.claim,
            summary=entry.summary,
        )

    def _is_taken(self, column: ColumnElement[str], given_id: str) -> bool:
        """Whether somebody has this id; rows of other tenants are hidden, but no id is used twice."""
        with self._ledger.for_all(self._connection, self._writing.principal):
            return self._connection.execute(select(column).where(column == given_id)).first() is not None

    def _values(self, entry: _Entry) -> dict[str, Any]:
        copied = {
            "memory_type", "summary", "detail", "claim", "directive", "data_source", "session_id", "event_time_start",
            "event_time_end", "pinned", "provenance",
        }  # fmt: skip
        free = entry.memory_id and not self._is_taken(units.c.memory_id, entry.memory_id)
        expires_at, ttl_days = entry.limit(self._writing.now)
        said_at = entry.dialogue_time or self._writing.now
        return {name: getattr(entry, name) for name in copied} | {
            "memory_id": entry.memory_id if free else str(uuid.uuid4()),
            "label": entry.resolved_label,
            "confidence": entry.resolved_confidence,
            "dialogue_time": said_at,
            "last_confirmed_at": entry.last_confirmed_at or said_at,
            "expires_at": expires_at,
            "ttl_days": ttl_days,
            "artifact_id": self._artifact_ids.get(entry.artifact_id or ""),
            "supersedes": entry.supersedes,
        }

    def _see(self, memory_id: str, entry: _Entry) -> None:
        """Add the sessions of the document to those known; sessions that it only counts get names of their own."""
        sessions = list(dict.fromkeys(entry.sessions or [entry.session_id]))
        sessions += [f"{entry.session_id}~{n}" for n in range(len(sessions) + 1, entry.sightings + 1)]
        sight(self._connection, self._writing, memory_id, entry.memory_type, *sessions)

    def _outcome(
        self, entry: _Entry, action: Action, memory_id: str, reason: str, *, previous_id: str | None = None
    ) -> Outcome:
        unit = find(self._connection, self._writing.now, units.c.memory_id == memory_id)[0]
        return Outcome(
            unit_key=entry.memory_id,
            action=action,
            memory_id=memory_id,
            reason=reason,
            previous_id=previous_id,
            unit=unit,
        )


def _dropped(entry: _Entry, reason: str) -> Outcome:
    return Outcome(unit_key=entry.memory_id, action="dropped", reason=reason)
