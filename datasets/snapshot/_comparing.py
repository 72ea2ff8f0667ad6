"""What changed in a dataset between two snapshots."""

from collections.abc import Callable
from datetime import date, timedelta
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from datasets.plain import counted, number_text
from datasets.snapshot._taking import Bucket, Snapshot

ChangeKind = Literal["unchanged", "appended", "restated", "schema", "replaced", "changed"]

Days = dict[str, dict[str, Any]]

_TRAILING_BUCKETS = 14
_SAME_COLUMN_0_1 = 0.9
_SAME_SUM = 1e-9


class Restated(BaseModel):
    """How far the restated days moved: a total over them, then and now."""

    model_config = ConfigDict(frozen=True)

    measure: str | None = Field(default=None, description="a measure whose sum it is; None: the number of rows")
    before: float
    after: float


class DataChange(BaseModel):
    """What changed in a dataset between two snapshots."""

    model_config = ConfigDict(frozen=True)

    kind: ChangeKind
    rows_before: int
    rows_after: int
    newest_before: str | None = None
    newest_after: str | None = None
    columns_added: list[str] = Field(default_factory=list)
    columns_removed: list[str] = Field(default_factory=list)
    columns_retyped: list[str] = Field(default_factory=list)
    columns_renamed: dict[str, str] = Field(
        default_factory=dict, description="former to new name of measures with the same sums on the same days"
    )
    restated_days: list[str] = Field(
        default_factory=list, description="days (buckets) known before whose numbers are other now, oldest first"
    )
    restated_by: list[Restated] = Field(
        default_factory=list, description="rows and measures of those days whose totals are other now"
    )
    summary: str


def compare(before: Snapshot, after: Snapshot) -> DataChange:
    """Say what changed, from the two snapshots alone."""
    added = [c for c in after.columns if c not in before.columns]
    removed = [c for c in before.columns if c not in after.columns]
    retyped = [c for c, kind in before.columns.items() if after.columns.get(c, kind) != kind]
    old, new = _aligned(before, after)
    dated = bool(old and new) and before.time_column == after.time_column
    restated = sorted(d for d in old if _differs(old[d], new.get(d))) if dated else []
    kind = _kind(before, after, old, new, restated, dated=dated, schema=bool(added or removed or retyped))
    if kind in {"unchanged", "replaced"}:
        restated = []
    change = DataChange(
        kind=kind,
        rows_before=before.fingerprint.rows,
        rows_after=after.fingerprint.rows,
        newest_before=before.fingerprint.newest_event,
        newest_after=after.fingerprint.newest_event,
        columns_added=added,
        columns_removed=removed,
        columns_retyped=retyped,
        columns_renamed=_renamed(before, after, old, new, removed, added),
        restated_days=restated,
        restated_by=_restated_by(old, new, restated),
        summary="",
    )
    return change.model_copy(update={"summary": change_sentence(change, unit=after.bucket)})


def _kind(
    before: Snapshot,
    after: Snapshot,
    old: Days,
    new: Days,
    restated: list[str],
    *,
    dated: bool,
    schema: bool,
) -> ChangeKind:
    if before.fingerprint.content_hash == after.fingerprint.content_hash:
        return "unchanged"
    if 2 * len(before.columns.keys() & after.columns.keys()) < min(len(before.columns), len(after.columns)):
        return "replaced"
    if dated and (not old.keys() & new.keys() or len(restated) > max(3, len(old) // 2)):
        return "replaced"
    if schema:
        return "schema"
    if not dated:
        return "changed"
    fresh = [d for d in new if d > max(old)]
    if not restated:
        backfilled = [d for d in new if d not in old and d < max(old)]
        return "restated" if backfilled else "appended" if fresh or _more_rows(before, after) else "changed"
    trailing = set(sorted(old)[-_TRAILING_BUCKETS:])
    grew = all(d in new and new[d]["n"] >= old[d]["n"] and _not_fewer(old[d], new[d]) for d in restated)
    return "appended" if set(restated) <= trailing and grew and _more_rows(before, after) else "restated"


def _renamed(
    before: Snapshot, after: Snapshot, old: Days, new: Days, removed: list[str], added: list[str]
) -> dict[str, str]:
    """Pair measures that went with those that came, where nine of ten known days have the same sum and count."""
    pairs: dict[str, str] = {}
    for gone in removed:
        known = [d for d in old if gone in old[d]["sum"] and d in new]
        for come in added:
            if come in pairs.values() or before.columns[gone] != after.columns[come] or not known:
                continue
            alike = sum(
                _same(old[d]["sum"][gone], new[d]["sum"].get(come))
                and old[d]["non_null"][gone] == new[d]["non_null"].get(come)
                for d in known
            )
            if alike >= _SAME_COLUMN_0_1 * len(known):
                pairs[gone] = come
                break
    return pairs


def _restated_by(old: Days, new: Days, restated: list[str]) -> list[Restated]:
    found = []
    rows = [sum(days.get(d, {"n": 0})["n"] for d in restated) for days in (old, new)]
    if rows[0] != rows[1]:
        found.append(Restated(before=rows[0], after=rows[1]))
    measures = sorted({m for d in restated for m in old[d]["sum"].keys() & new.get(d, {"sum": {}})["sum"].keys()})
    for m in measures:
        then, now = (
            sum(days.get(d, {"sum": {}})["sum"].get(m, 0.0) for d in restated) for days in (old, new)
        )  # fmt: skip
        if not _same(then, now):
            found.append(Restated(measure=m, before=then, after=now))
    return found


def _more_rows(before: Snapshot, after: Snapshot) -> bool:
    return after.fingerprint.rows > before.fingerprint.rows


def _not_fewer(old: dict[str, Any], new: dict[str, Any]) -> bool:
    return all(new["non_null"].get(m, 0) >= n for m, n in old["non_null"].items())


def _differs(old: dict[str, Any], new: dict[str, Any] | None) -> bool:
    if new is None or old["n"] != new["n"]:
        return True
    shared = old["non_null"].keys() & new["non_null"].keys()
    if any(old["non_null"][m] != new["non_null"][m] for m in shared):
        return True
    return any(not _same(old["sum"].get(m), new["sum"].get(m)) for m in shared)


def _same(a: float | None, b: float | None) -> bool:
    if a is None or b is None:
        return a is b
    return abs(a - b) <= _SAME_SUM * max(1.0, abs(a), abs(b))


def _aligned(before: Snapshot, after: Snapshot) -> tuple[Days, Days]:
    """Both series in the coarser bucket of the two."""
    order: list[Bucket] = ["day", "week", "month"]
    bucket = order[max(order.index(before.bucket), order.index(after.bucket))]
    return _coarsened(before, bucket), _coarsened(after, bucket)


def _coarsened(snapshot: Snapshot, bucket: Bucket) -> Days:
    if snapshot.bucket == bucket:
        return snapshot.daily
    starts: dict[Bucket, Callable[[date], date]] = {
        "day": lambda d: d,
        "week": lambda d: d - timedelta(days=d.weekday()),
        "month": lambda d: d.replace(day=1),
    }
    merged: Days = {}
    for day, numbers in snapshot.daily.items():
        target = merged.setdefault(
            starts[bucket](date.fromisoformat(day)).isoformat(), {"n": 0, "sum": {}, "non_null": {}}
        )
        target["n"] += numbers["n"]
        for part in ("sum", "non_null"):
            for name, value in numbers[part].items():
                target[part][name] = target[part].get(name, 0) + value
    return merged


def change_sentence(change: DataChange, *, unit: Bucket) -> str:
    """One sentence for each kind of change, with the amounts; `unit`: what a known day of the snapshots stands for."""
    rows = change.rows_after - change.rows_before
    amount = counted(abs(rows), "more row" if rows > 0 else "fewer row") if rows else "the same number of rows"
    newest = ""
    if change.newest_after and change.newest_after != change.newest_before:
        newest = f", data up to {change.newest_after[:10]} (before: {(change.newest_before or 'none')[:10]})"
    days = change.restated_days
    span = f"{days[0]}" if len(days) == 1 else f"{days[0]} to {days[-1]}" if days else ""
    past = counted(len(days), f"known {unit}")
    if change.kind == "unchanged":
        return "The data is the same, byte for byte."
    if change.kind == "schema":
        past = f"; {past} ({span}) with other numbers{_moved(change.restated_by)}" if days else ""
        return f"The columns changed ({_columns(change)}); {amount}{newest}{past}."
    if change.kind == "replaced":
        if change.columns_removed:
            return f"This is other data under the same name ({_columns(change)}); {amount}{newest}."
        most = f"most known {unit}s are gone or have other numbers"
        return f"This is other data under the same name: {most}; {amount}{newest}."
    if change.kind == "appended":
        late = f"; {past} ({span}) filled up" if days else ""
        return f"Data was added: {amount}{newest}{late}."
    if change.kind == "restated":
        what = f"{past} ({span}) with other numbers now{_moved(change.restated_by)}" if days else "past days were added"
        return f"Past data changed: {what}; {amount}{newest}."
    return f"The file changed: {amount}{newest}."


def _columns(change: DataChange) -> str:
    renamed = change.columns_renamed
    added = [c for c in change.columns_added if c not in renamed.values()]
    removed = [c for c in change.columns_removed if c not in renamed]
    parts = [f"renamed: {', '.join(f'{a} is {b} now' for a, b in list(renamed.items())[:5])}"] if renamed else []
    parts += [f"new columns: {', '.join(added[:5])}"] if added else []
    parts += [f"columns gone: {', '.join(removed[:5])}"] if removed else []
    parts += [f"other type: {', '.join(change.columns_retyped[:5])}"] if change.columns_retyped else []
    return "; ".join(parts)


def _moved(moved: list[Restated]) -> str:
    """Say how far the totals of the restated days moved, the first three."""
    parts = []
    for m in moved[:3]:
        share = f", {_signed(m)}" if m.before else ""
        parts.append(f"{m.measure or 'rows'} {number_text(m.after)} against {number_text(m.before)}{share}")
    return f" ({'; '.join(parts)})" if parts else ""


def _signed(moved: Restated) -> str:
    percent = number_text(100 * (moved.after / moved.before - 1), unit="%")
    return percent if percent.startswith("-") else f"+{percent}"
