"""Units that bypass ranking: read from the ledger, and kept in this process while the feed names none of them.

A recall has many standing units and few changes between two recalls. Kept are pools: the standing units of one tenant
(an owner, or "" for what the org shares) on one dataset, whatever the clock says; each read judges their dates anew.
"""

import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from sqlalchemy import bindparam, func, or_, select

from memory.ledger.record import Ledger, find, visible
from memory.ledger.schema import events, units
from memory.units import MemoryUnit, Principal

STANDING = ("data_quality", "user_preference", "domain_pattern")
KEPT_UNITS = 10_000
"""Units that stay in this process, about 2 KiB each."""

_BEFORE_ALL = datetime.min.replace(tzinfo=UTC)
"""The clock to read with: no unit has expired by then, so that what is kept is what the ledger says."""

_LATEST = select(func.max(events.c.seq))
_CHANGES = select(events.c.org_id, events.c.owner_sub, events.c.scope).where(
    events.c.seq > bindparam("start"), events.c.seq <= bindparam("end"), events.c.memory_id.is_not(None)
)
_BYPASSING = or_(units.c.memory_type.in_(STANDING), units.c.pinned)


class _Pool(NamedTuple):
    org_id: str
    scope_owner: str
    dataset_key: str


class StandingUnits:
    """The standing units of a ledger. Safe for threads; an answer is never older than the moment it was asked for."""

    def __init__(self, ledger: Ledger) -> None:
        """Keep the ledger; reads nothing."""
        self._ledger = ledger
        self._lock = threading.Lock()
        self._pools: OrderedDict[_Pool, list[MemoryUnit]] = OrderedDict()
        self._followed_seq: int | None = None

    def of(self, principal: Principal, dataset: str, now: datetime) -> list[MemoryUnit]:
        """Standing units in force that the principal may see, of this dataset and those that hold for all."""
        wanted = [
            _Pool(principal.org_id, owner, key)
            for owner in dict.fromkeys(("", principal.owner_sub))
            for key in dict.fromkeys((dataset, ""))
        ]
        followed_seq = self._follow()
        with self._lock:
            found = {pool: self._pools[pool] for pool in wanted if pool in self._pools}
            for pool in found:
                self._pools.move_to_end(pool)
        missing = [pool for pool in wanted if pool not in found]
        if missing:
            found |= self._read(principal, missing)
            self._keep({pool: found[pool] for pool in missing}, followed_seq)
        return [unit for pool in wanted for unit in found[pool] if _in_force(unit, now)]

    def forget(self) -> None:
        """Drop what is kept."""
        with self._lock:
            self._pools.clear()

    def _follow(self) -> int:
        """Drop what changed since the last look; returns up to which event that is known."""
        with self._ledger.read_all() as connection:
            newest: int = connection.execute(_LATEST).scalar() or 0
            with self._lock:
                start = self._followed_seq
            changed: Sequence[Any] = []
            if start is not None and start < newest:
                changed = connection.execute(_CHANGES, {"start": start, "end": newest}).all()
        with self._lock:
            if start is not None and newest < start:  # the ledger was put back to an earlier state
                self._pools.clear()
            tenants = {(row.org_id, "" if row.scope == "org" else row.owner_sub) for row in changed}
            for pool in [pool for pool in self._pools if tenants and pool[:2] in tenants]:
                del self._pools[pool]
            # Another thread may have followed further; what it dropped is not kept again.
            self._followed_seq = newest if start is None or newest < start else max(newest, self._followed_seq or 0)
            return newest

    def _read(self, principal: Principal, pools: Iterable[_Pool]) -> dict[_Pool, list[MemoryUnit]]:
        read: dict[_Pool, list[MemoryUnit]] = {pool: [] for pool in pools}
        owners = units.c.scope_owner.in_({pool.scope_owner for pool in read})
        datasets = units.c.dataset_key.in_({pool.dataset_key for pool in read})
        where = (visible(principal), owners, datasets, units.c.status == "active", _BYPASSING)
        with self._ledger.read(principal) as connection:
            rows = find(connection, _BEFORE_ALL, *where)
        for unit in rows:
            pool = _Pool(unit.org_id, "" if unit.scope == "org" else unit.owner_sub, unit.data_source or "")
            if pool in read:
                read[pool].append(unit)
        return read

    def _keep(self, pools: dict[_Pool, list[MemoryUnit]], followed_seq: int) -> None:
        with self._lock:
            if followed_seq != self._followed_seq:
                return  # an event was followed meanwhile that may be about what was just read
            self._pools |= pools
            while sum(map(len, self._pools.values())) > KEPT_UNITS:
                self._pools.popitem(last=False)


def _in_force(unit: MemoryUnit, now: datetime) -> bool:
    return unit.dialogue_time <= now and (unit.expires_at is None or unit.expires_at > now)
