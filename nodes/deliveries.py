"""What earlier deliveries of a dataset tell: since when it is this data, and how late rows and values arrive."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from datasets import Dataset, Snapshot
from datasets.quality import lag_fact
from datasets.snapshot import compare, measured_lag, measured_null_lags
from graph.services import Services
from graph.state import Json, State

Key = tuple[str, str | None]
"""Kind and column of a data-quality fact."""

_LAGS = ("reporting_lag", "null_lag")


@dataclass(frozen=True)
class Lags:
    """Lags measured on two deliveries, as facts, and whether the earlier one had been complete where they are not."""

    facts: list[Json] = field(default_factory=list)
    told: bool = False
    """Whether the two deliveries could tell; then a lag that is not among the facts was not there."""


def earlier_snapshot(services: Services, source: str, session_id: str) -> Snapshot | None:
    """Return what the dataset held in the principal's last other session."""
    stored = services.memory.latest_artifact(
        services.principal, kind="snapshot", dataset=source, exclude_session=session_id
    )
    return Snapshot.model_validate(stored.content) if stored else None


def same_data_since(services: Services, source: str, now: Snapshot) -> str | None:
    """Return since when (ISO time) the key stands for this data: when a session first met it in place of other data.

    None: it never stood for other data. What memory confirmed before that time is about the other data.
    """
    stored = services.memory.latest_artifact(services.principal, kind="snapshot", dataset=source)
    if stored is None:
        return None
    if compare(Snapshot.model_validate(stored.content), now).kind == "replaced":
        return services.clock().isoformat()
    since: str | None = stored.content.get("since")
    return since


def measure_lags(state: State, dataset: Dataset, services: Services) -> Lags:
    """Measure what only two deliveries can: how much the newest days of the earlier one lacked."""
    before = earlier_snapshot(services, state["data_source"], state["session_id"])
    if before is None:
        return Lags()
    after = dataset.snapshot()
    rows = measured_lag(before, after)
    found = [lag for lag in (rows, *measured_null_lags(before, after)) if lag and lag.days]
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
