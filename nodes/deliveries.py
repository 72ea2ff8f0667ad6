"""What earlier deliveries of a dataset tell: whether it is still this data, and how late rows and values arrive."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from datasets import Snapshot
from datasets.quality import lag_fact
from datasets.snapshot import DataChange, compare, measured_amount_lags, measured_lag, measured_null_lags
from graph.services import Services
from graph.state import Json, State
from memory.units import Artifact

Key = tuple[str, str | None]
"""Kind and column of a data-quality fact."""

_LAGS = ("reporting_lag", "null_lag")
_DELIVERIES_BACK = 20


@dataclass(frozen=True)
class Lags:
    """Lags measured on two deliveries, as facts, and whether the earlier one had been complete where they are not."""

    facts: list[Json] = field(default_factory=list)
    told: bool = False
    """Whether the two deliveries could tell; then a lag that is not among the facts was not there."""


@dataclass(frozen=True)
class Lineage:
    """Which data the key stands for, and what it held when a session last saw it."""

    data_id: str
    """Identity of the data through its deliveries: the run that met it first. Other data under the name has another."""
    before: Snapshot | None
    change: DataChange | None
    """What changed since the last other session on this data; without one, against the other data that was there."""


def lineage(state: State, services: Services, now: Snapshot) -> Lineage:
    """Tell whether the data is that of an earlier session, also where other data had its name in between."""
    memory, owner, here = services.memory, services.principal, state["session_id"]
    which: Any = {"kind": "snapshot", "dataset": state["data_source"]}
    last = memory.latest_artifact(owner, **which, exclude_session=here)
    if last is None:
        own = memory.latest_artifact(owner, **which)
        known = own is not None and compare(_snapshot(own), now).kind != "replaced"
        return Lineage(_data_id(own) if own and known else state["run_id"], None, None)
    before = _snapshot(last)
    change = compare(before, now)
    if change.kind != "replaced":
        return Lineage(_data_id(last), before, change)
    data_id = None
    for kept in memory.artifacts(owner, **which, limit=_DELIVERIES_BACK):
        former = _snapshot(kept)
        if compare(former, now).kind == "replaced":
            continue
        data_id = data_id or _data_id(kept)
        if kept.session_id != here:
            return Lineage(data_id, former, _come_back(compare(former, now)))
    return Lineage(data_id or state["run_id"], before, change)


def _snapshot(kept: Artifact) -> Snapshot:
    return Snapshot.model_validate(kept.content)


def _data_id(kept: Artifact) -> str:
    return str(kept.content.get("data_id") or kept.run_id)


def _come_back(change: DataChange) -> DataChange:
    return change.model_copy(update={"summary": f"In between, other data had this name. {change.summary}"})


def earlier_delivery(state: State, services: Services, before: Snapshot | None) -> Snapshot | None:
    """Return the delivery that came before an earlier one; None where none was kept, or it was other data."""
    if before is None:
        return None
    kept = services.memory.artifacts(
        services.principal, kind="snapshot", dataset=state["data_source"], limit=_DELIVERIES_BACK
    )
    deliveries = [_snapshot(k) for k in kept]
    hashes = [d.fingerprint.content_hash for d in deliveries]
    at = hashes.index(before.fingerprint.content_hash) if before.fingerprint.content_hash in hashes else len(hashes)
    former = next((d for d in deliveries[at:] if d.fingerprint.content_hash != before.fingerprint.content_hash), None)
    return former if former and compare(former, before).kind != "replaced" else None


def measure_lags(before: Snapshot | None, after: Snapshot, earlier: Snapshot | None = None) -> Lags:
    """Measure what only deliveries can: how much the newest days of the earlier one lacked, in rows or in amounts.

    `earlier`: the delivery before `before`; late corrections of amounts take three.
    """
    if before is None:
        return Lags()
    rows = measured_lag(before, after)
    found = [lag for lag in (rows, *measured_null_lags(before, after)) if lag and lag.days]
    late = {lag.measure for lag in found}
    amounts = measured_amount_lags(earlier, before, after) if earlier else []
    found += [lag for lag in amounts if lag.measure not in late]
    facts = [lag_fact(lag, rows=after.fingerprint.rows).model_dump(mode="json") for lag in found]
    return Lags(facts=facts, told=rows is not None)


def settle_lags(detected: Sequence[Json], lags: Lags, units: Sequence[Json]) -> list[Json]:
    """Put what was measured in the place of what is only suspected: now, or earlier and known to memory."""
    measured = {_key(f): f for f in lags.facts}
    known = {} if lags.told else {k: _fact(u) for k, u in _measured_units(units).items()}
    settled = [measured.get(_key(f)) or known.get(_key(f)) or f for f in detected]
    return [*settled, *(f for k, f in measured.items() if k not in {_key(d) for d in detected})]


def still_open(powered: Sequence[Sequence[str | None]], lags: Lags, units: Sequence[Json]) -> list[list[str | None]]:
    """Leave out the lags that were measured once: only a later measurement resolves them, not one file's silence."""
    held = set() if lags.told else set(_measured_units(units))
    return [list(p) for p in powered if (p[0], p[1]) not in held]


def _measured_units(units: Sequence[Json]) -> dict[Key, Json]:
    return {
        _unit_key(u): u
        for u in units
        if u["memory_type"] == "data_quality" and u["fact_status"] == "measured" and _unit_key(u)[0] in _LAGS
    }


def _fact(unit: Json) -> Json:
    kind, column = _unit_key(unit)
    return {
        "rule": "r3",
        "kind": kind,
        "column": column,
        "statement": unit["summary"],
        "directive": unit["directive"],
        "status": "measured",
        "claim": unit["claim"],
        "sql": [],
        "informational": False,
    }


def _key(fact: Json) -> Key:
    return fact["kind"], fact["column"]


def _unit_key(unit: Json) -> Key:
    subject = (unit["claim"] or {}).get("subject", {})
    return subject.get("metric") or "", subject.get("column")
