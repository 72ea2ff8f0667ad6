"""Memory: the face of the package. Each method binds the principal and the clock and leaves the work to one module.

Long, since it is one class with a method a promise; nothing is worked out here, so there is nothing to split by idea.
"""

import builtins
import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

from memory.embedding import Embedder, KnownTexts, open_embedder
from memory.errors import IndexUnavailable, MemoryError, UnknownMemory  # noqa: A004
from memory.index.feed import IndexFeed
from memory.index.opening import IndexSettings, engine_of, index_opener
from memory.ledger import artifacts
from memory.ledger.record import Ledger, append, find, holds_for, live, read_events, vectors, visible
from memory.ledger.schema import units
from memory.ledger.sealing import Cipher
from memory.lifecycle import accounting, auditing, changes, forgetting, transfer, writing
from memory.lifecycle.auditing import RunAudit
from memory.lifecycle.nomination import Nominator
from memory.lifecycle.retention import Retention, apply_retention
from memory.lifecycle.versions import Writing
from memory.recall.recollection import Recollection
from memory.units import (
    Artifact,
    Event,
    MemoryType,
    MemoryUnit,
    NewUnit,
    Outcome,
    Principal,
    Recall,
    RecalledUnit,
    Status,
)

DEFAULT_BUDGET_TOKENS = 1500
SERVER_PAUSE_SECONDS = 15.0
"""How long a server that did not answer is left alone, so that it does not slow every write and every question."""
_log = logging.getLogger(__name__)


def open_memory(
    home: Path,
    *,
    clock: Callable[[], datetime],
    database_url: str | None = None,
    embedder: Embedder | None = None,
    min_sightings: int = 2,
    index: IndexSettings | None = None,
    key: str | None = None,
    retention: Retention | None = None,
) -> "Memory":
    """Open the memory under `home`, creating it when it is not there; cheap, since models load at their first use.

    `clock` gives the aware time of every read and write; `min_sightings` distinct sessions make a recurring unit
    durative. `database_url` puts the ledger on PostgreSQL, `index` names another search engine than the one that
    follows from that (`memory.index.opening`), `key` (Fernet) seals what is said at rest, `retention` bounds what
    `sweep` leaves of things no longer in force.

    :raises MemoryError: the ledger cannot be opened, is newer than this code, or sealed with another key.
    """
    cipher = None if key is None else Cipher(key)
    model = embedder or open_embedder()
    return Memory(Path(home), clock, database_url, model, min_sightings, index or IndexSettings(), cipher, retention)


class Memory:
    """What is remembered. Safe for threads; several processes may hold the same home.

    Every method takes the principal first and sees only the principal's own units and those that the org shares
    (data quality). A unit past `expires_at`, or dated later than the clock, is in force on no path.
    """

    def __init__(
        self,
        home: Path,
        clock: Callable[[], datetime],
        database_url: str | None,
        embedder: Embedder,
        min_sightings: int,
        index: IndexSettings,
        cipher: Cipher | None,
        retention: Retention | None,
    ) -> None:
        """Use `open_memory`."""
        if min_sightings < 1:
            raise MemoryError(f"min_sightings is at least 1; got {min_sightings!r}.")
        self._home = home
        self._retention = retention or Retention()
        self._clock = clock
        self._embedder = KnownTexts(embedder)
        self._min_sightings = min_sightings
        self._ledger = Ledger(home, database_url=database_url, cipher=cipher)
        try:
            opener = index_opener(index, self._ledger, self._embedder, home / "index")
        except MemoryError:
            self._ledger.close()
            raise
        pause_seconds = SERVER_PAUSE_SECONDS if engine_of(index, self._ledger) == "server" else 0.0
        self._feed = IndexFeed(self._ledger, self._embedder, opener, pause_seconds=pause_seconds)
        if engine_of(index, self._ledger) == "postgresql":
            self._ledger.follower = self._feed.follow_in
        self._nominator = Nominator(self._embedder)
        self._recollection = Recollection(self._ledger, self._feed, self._embedder)

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close."""
        self.close()

    @property
    def embedder(self) -> Embedder:
        """The embedding model, shared with whoever else compares texts; it knows the findings that were read."""
        return self._embedder

    def warm_up(self, query: str) -> None:
        """Load the embedding model for a query and open the index, before a recall with it that comes in a moment.

        What fails here is told by that recall.
        """
        with suppress(IndexUnavailable):
            self._embedder.embed([query])
            self._feed.open()

    def close(self) -> None:
        """Release files, locks and connections."""
        self._feed.close()
        self._ledger.close()

    # Writing

    def remember(
        self, principal: Principal, units: Sequence[NewUnit], *, run_id: str, session_id: str
    ) -> list[Outcome]:
        """Keep units in one transaction; one outcome each, in order. The same run and unit_key again change nothing.

        The index catches up afterwards, or else at the next reading.

        :raises MemoryError: nothing is written.
        """
        if not isinstance(units, Sequence) or not all(isinstance(unit, NewUnit) for unit in units):
            raise MemoryError(f"remember takes a list of NewUnit; got {units!r:.80}. Build each with NewUnit(...).")
        self._feed.prepare([unit.summary for unit in units])
        outcomes = writing.remember(self._ledger, self._nominator, self._writing(principal, run_id, session_id), units)
        self._follow()
        return outcomes

    def resolve(self, principal: Principal, memory_ids: Sequence[str], *, run_id: str, reason: str) -> list[MemoryUnit]:
        """Close units whose subject is gone; returns those closed by this run. Ids of others are passed over."""
        resolved = changes.resolve(self._ledger, self._writing(principal, run_id), memory_ids, reason=reason)
        self._follow()
        return resolved

    def weaken(self, principal: Principal, memory_id: str, *, run_id: str, reason: str) -> MemoryUnit:
        """Lower the confidence of a unit of which a test found less, by one rung; below the floor it is closed.

        :raises UnknownMemory: no such unit in force for this principal.
        """
        unit = changes.weaken(self._ledger, self._writing(principal, run_id), memory_id, reason=reason)
        self._follow()
        return unit

    def save_artifact(
        self,
        principal: Principal,
        *,
        kind: str,
        dataset: str | None,
        session_id: str,
        run_id: str,
        content: Mapping[str, Any],
    ) -> str:
        """Keep a JSON document and return its id; the same run and kind again replace the content under the same id."""
        return artifacts.save(
            self._ledger,
            principal,
            kind=kind,
            dataset=dataset,
            session_id=session_id,
            run_id=run_id,
            content=content,
            now=self._now(),
        )

    def audit(
        self,
        principal: Principal,
        kind: str,
        detail: Mapping[str, Any],
        *,
        run_id: str | None = None,
        session_id: str | None = None,
    ) -> None:
        """Append a decision to the audit trail; only the principal can read it.

        `kind` is a word of the caller ("gate", "decided", ...), `detail` plain JSON: modes, ids, reasons. Ids rather
        than texts, so that forgetting stays complete.
        """
        with self._ledger.write(principal) as connection:
            append(connection, principal, kind, at=self._now(), run_id=run_id, session_id=session_id, detail=detail)

    # Reading

    def recall(
        self,
        principal: Principal,
        *,
        dataset: str,
        query: str,
        budget_tokens: int = DEFAULT_BUDGET_TOKENS,
        run_id: str | None = None,
        session_id: str | None = None,
    ) -> Recall:
        """What memory has to say to a question on a dataset, within a hard token budget; audited, changes no unit."""
        recall = self._recollection.recall(
            principal, dataset=dataset, query=query, budget_tokens=budget_tokens, now=self._now()
        )
        shown = [*recall.findings, *recall.data_quality, *recall.preferences, *recall.patterns]
        detail = {"dataset": dataset, "memory_ids": [item.unit.memory_id for item in shown]}
        if recall.degraded:
            detail["degraded"] = recall.degraded
        self.audit(principal, auditing.SHOWN, detail, run_id=run_id, session_id=session_id)
        return recall

    def prior_findings(
        self, principal: Principal, *, dataset: str, exclude_session: str | None = None
    ) -> list[MemoryUnit]:
        """Findings in force on a dataset, last confirmed first, leaving out those first stored by one session."""
        found = self.list(principal, dataset=dataset, memory_type="finding")
        prior = [unit for unit in found if unit.session_id != exclude_session]
        with self._ledger.read(principal) as connection:
            kept = vectors(connection, [unit.memory_id for unit in prior], self._embedder.name)
        self._embedder.learn(
            {u.summary: np.frombuffer(kept[u.memory_id], dtype="<f4") for u in prior if u.memory_id in kept}
        )
        return prior

    def search(
        self, principal: Principal, query: str, *, dataset: str | None = None, limit: int = 10
    ) -> list[RecalledUnit]:
        """Units of every type that bear on the query, best first."""
        found = self._recollection.search(principal, query, dataset=dataset, limit=limit, now=self._now())
        return [RecalledUnit(unit=item.unit, score=round(item.score, 4), why=item.why) for item in found.scored]

    def get(self, principal: Principal, memory_id: str) -> MemoryUnit:
        """One unit in whatever state it is. :raises UnknownMemory: there is none for this principal."""
        now = self._now()
        with self._ledger.read(principal) as connection:
            found = find(
                connection, now, units.c.memory_id == memory_id, visible(principal), units.c.dialogue_time <= now
            )
        if not found:
            raise UnknownMemory(f"There is no memory {memory_id!r}.")
        return found[0]

    def history(self, principal: Principal, memory_id: str) -> list[MemoryUnit]:
        """All versions of a unit, oldest first; `valid_from`, `valid_to` and `active` say when each held.

        :raises UnknownMemory: there is none for this principal.
        """
        with self._ledger.read(principal) as connection:
            versions = changes.history(connection, principal, memory_id, self._now())
        if not versions:
            raise UnknownMemory(f"There is no memory {memory_id!r}.")
        return versions

    def as_of(self, principal: Principal, memory_id: str, moment: datetime) -> MemoryUnit | None:
        """The version of a unit that held at a moment. :raises UnknownMemory: as `history`."""
        held = [
            version
            for version in self.history(principal, memory_id)
            if version.valid_from <= moment and (version.valid_to is None or moment < version.valid_to)
        ]
        return held[-1] if held else None

    def events(self, principal: Principal, memory_id: str | None = None) -> list[Event]:
        """The audit trail, oldest first: the principal's own lines and those on units that the org shares."""
        with self._ledger.read(principal) as connection:
            return read_events(connection, principal, memory_id)

    def audit_trail(
        self, principal: Principal, *, run_id: str | None = None, session_id: str | None = None, limit: int = 20
    ) -> list[RunAudit]:
        """The principal's own runs, newest first: units shown, modes suggested and chosen, what was applied, written.

        Runs are the principal's; what others did to units that the org shares is in `events`.
        """
        told = auditing.by_run([event for event in self.events(principal) if event.owner_sub == principal.owner_sub])
        chosen = [
            audit
            for audit in told
            if (run_id is None or audit.run_id == run_id) and (session_id is None or audit.session_id == session_id)
        ]
        return chosen[:limit]

    def decisions(self, principal: Principal, *, limit: int = 50) -> builtins.list[dict[str, Any]]:
        """The details of the principal's own latest `decided` events, newest first: modes suggested and chosen."""
        with self._ledger.read(principal) as connection:
            return auditing.decisions(connection, principal, limit=limit)

    def artifact(self, principal: Principal, artifact_id: str) -> dict[str, Any]:
        """The content of a kept document. :raises UnknownMemory: there is none for this principal."""
        with self._ledger.read(principal) as connection:
            return artifacts.load(connection, principal, artifact_id).content

    def artifacts(
        self,
        principal: Principal,
        *,
        kind: str,
        dataset: str,
        exclude_session: str | None = None,
        not_after: datetime | None = None,
        limit: int = 20,
    ) -> builtins.list[Artifact]:
        """The newest documents of a kind on a dataset, newest first, but those of one session or after a moment."""
        with self._ledger.read(principal) as connection:
            return artifacts.newest(
                connection,
                principal,
                kind=kind,
                dataset=dataset,
                exclude_session=exclude_session,
                not_after=not_after,
                limit=limit,
            )

    def latest_artifact(
        self, principal: Principal, *, kind: str, dataset: str, exclude_session: str | None = None
    ) -> Artifact | None:
        """The newest document of a kind on a dataset, leaving out those of one session."""
        found = self.artifacts(principal, kind=kind, dataset=dataset, exclude_session=exclude_session, limit=1)
        return found[0] if found else None

    # Owning it

    def pin(self, principal: Principal, memory_id: str, *, pinned: bool = True) -> MemoryUnit:
        """Lift the time limit of a unit and show it whatever the question; unpinning gives the type's limit from now.

        :raises UnknownMemory: no such unit in force for this principal.
        """
        unit = changes.pin(self._ledger, self._writing(principal), memory_id, pinned=pinned)
        self._follow()
        return unit

    def correct(
        self,
        principal: Principal,
        memory_id: str,
        *,
        summary: str,
        value: Mapping[str, Any] | None = None,
        directive: Mapping[str, Any] | None = None,
    ) -> MemoryUnit:
        """Put the owner's wording in place of a unit as its next version; claim value and directive stay unless given.

        :raises UnknownMemory: no such unit in force for this principal.
        """
        self._feed.prepare([summary])
        unit = changes.correct(
            self._ledger, self._writing(principal), memory_id, summary=summary, value=value, directive=directive
        )
        self._follow()
        return unit

    def forget(
        self,
        principal: Principal,
        *,
        memory_id: str | None = None,
        dataset: str | None = None,
        session_id: str | None = None,
        everything: bool = False,
    ) -> int:
        """Forget one unit (with its earlier versions), a dataset, a session, or everything; returns the units removed.

        Text, embeddings, index points and artifacts go; a tombstone without content stays.

        :raises UnknownMemory: no such unit for this principal. :raises MemoryError: not exactly one thing was named.
        """
        what = forgetting.Forgetting(memory_id=memory_id, dataset=dataset, session_id=session_id, everything=everything)
        count = forgetting.forget(self._ledger, self._home, principal, what, now=self._now())
        self._ledger.erase_traces(compact=everything)
        self._embedder.forget()
        self._recollection.forget()
        self._follow()
        return count

    def export(self, principal: Principal) -> dict[str, Any]:
        """All units in force with their history and artifacts, as one JSON document for `import_`."""
        with self._ledger.read(principal) as connection:
            return transfer.export(connection, principal, self._now())

    def import_(self, principal: Principal, document: Mapping[str, Any]) -> list[Outcome]:
        """Take over an exported document as the principal's own.

        :raises MemoryError: not an export; nothing is written.
        """
        outcomes = transfer.import_document(self._ledger, self._writing(principal, "import", "import"), document)
        self._follow()
        return outcomes

    def sweep(self) -> int:
        """Mark units past their limit as expired, for all principals, and delete what retention no longer keeps.

        Returns how many expired.
        """
        count = changes.sweep(self._ledger, self._now())
        if apply_retention(self._ledger, self._retention, self._now()):
            self._ledger.erase_traces(compact=False)
        self._follow()
        return count

    def reindex(self) -> int:
        """Write the index anew from the ledger; returns its points. :raises IndexUnavailable: the ledger is intact."""
        return self._feed.rebuild()

    def stats(self, principal: Principal) -> dict[str, Any]:
        """Counts by type and status of what the principal can see, and whether the index agrees with the ledger."""
        return accounting.figures(self._ledger, self._feed, principal, self._now())

    def _now(self) -> datetime:
        moment = self._clock()
        if moment.tzinfo is None:
            raise MemoryError(f"The clock of memory has to be aware; it gave {moment!r}.")
        return moment.astimezone(UTC)

    def _writing(self, principal: Principal, run_id: str = "", session_id: str = "") -> Writing:
        return Writing(principal, run_id, session_id, self._now(), self._min_sightings, self._embedder.name)

    def _follow(self) -> None:
        """Let the index catch up. The ledger has committed: a failing index never fails a write."""
        try:
            self._feed.catch_up()
        except IndexUnavailable as error:
            _log.warning("The index is behind and will catch up at the next reading: %s", error)

    # Last in the class: below it, `list` in an annotation would mean this method.
    def list(
        self,
        principal: Principal,
        *,
        dataset: str | None = None,
        memory_type: MemoryType | None = None,
        status: Status | None = "active",
    ) -> list[MemoryUnit]:
        """Units of one status (None: all), last confirmed first; with `dataset`, also those that hold for all."""
        now = self._now()
        where = [visible(principal), units.c.dialogue_time <= now]
        if dataset is not None:
            where.append(holds_for(dataset))
        if memory_type is not None:
            where.append(units.c.memory_type == memory_type)
        if status == "active":
            where.append(live(now))
        with self._ledger.read(principal) as connection:
            return [unit for unit in find(connection, now, *where) if status is None or unit.status == status]
