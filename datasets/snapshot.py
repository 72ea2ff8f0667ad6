"""What a dataset held at one moment, compact enough to keep with every session, and what changed between two."""

from collections.abc import Callable
from datetime import date, timedelta
from typing import Any, Literal

import duckdb
from pydantic import BaseModel, ConfigDict, Field

from datasets.loading import TABLE
from datasets.plain import counted
from datasets.schema import Fingerprint, SchemaCard
from datasets.sql import ident

Bucket = Literal["day", "week", "month"]
ChangeKind = Literal["unchanged", "appended", "restated", "schema", "replaced", "changed"]

MAX_DAYS = 1_000
MAX_MEASURES = 12
_TRAILING_BUCKETS = 14
_SAME_SUM = 1e-9


class Snapshot(BaseModel):
    """Rows, sums and non-missing values by day (by week or month beyond 1,000 days), as loaded, without workarounds."""

    model_config = ConfigDict(frozen=True)

    fingerprint: Fingerprint
    columns: dict[str, str] = Field(description="name to type, in file order")
    time_column: str | None = None
    bucket: Bucket = "day"
    daily: dict[str, dict[str, Any]] = Field(
        default_factory=dict,
        description='first day of the bucket (ISO) to {"n": int, "sum": {measure: float}, "non_null": {measure: int}}',
    )
    total: dict[str, Any] = Field(default_factory=dict, description="the same over all rows, dated or not")


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
    restated_days: list[str] = Field(
        default_factory=list, description="days (buckets) known before whose numbers are other now, oldest first"
    )
    summary: str


def take(con: duckdb.DuckDBPyConnection, card: SchemaCard, fingerprint: Fingerprint) -> Snapshot:
    """Measure the parsed copy attached as `store`."""
    measures = [c.name for c in card.by_role("measure") if c.numeric][:MAX_MEASURES]
    cells = ["count(*)"]
    for name in measures:
        c = ident(name)
        cells += [f"sum({c}) FILTER (isfinite({c}::DOUBLE))::DOUBLE", f"count({c})"]
    source = f"store.main.{TABLE}"

    def entry(row: tuple[Any, ...]) -> dict[str, Any]:
        sums = {m: float(row[1 + 2 * i]) for i, m in enumerate(measures) if row[1 + 2 * i] is not None}
        return {"n": int(row[0]), "sum": sums, "non_null": {m: int(row[2 + 2 * i]) for i, m in enumerate(measures)}}

    whole = con.execute(f"SELECT {', '.join(cells)} FROM {source}").fetchone()
    columns = {c.name: c.sql_type for c in card.columns}
    total = entry(whole) if whole else {}
    if card.time_column is None:
        return Snapshot(fingerprint=fingerprint, columns=columns, total=total)
    day = f"CAST({ident(card.time_column)} AS DATE)"
    bounds = con.execute(
        f"SELECT count(DISTINCT {day}), count(DISTINCT date_trunc('week', {day})) FROM {source}"
    ).fetchone()
    assert bounds is not None
    bucket: Bucket = "day" if bounds[0] <= MAX_DAYS else "week" if bounds[1] <= MAX_DAYS else "month"
    rows = con.execute(
        f"SELECT CAST(date_trunc('{bucket}', {day}) AS DATE)::VARCHAR, {', '.join(cells)} FROM {source}"
        f" WHERE {day} IS NOT NULL GROUP BY 1 ORDER BY 1"
    ).fetchall()
    return Snapshot(
        fingerprint=fingerprint,
        columns=columns,
        time_column=card.time_column,
        bucket=bucket,
        daily={str(row[0]): entry(row[1:]) for row in rows},
        total=total,
    )


def compare(before: Snapshot, after: Snapshot) -> DataChange:
    """Say what changed, from the two snapshots alone."""
    added = [c for c in after.columns if c not in before.columns]
    removed = [c for c in before.columns if c not in after.columns]
    retyped = [c for c, kind in before.columns.items() if after.columns.get(c, kind) != kind]
    old, new = _aligned(before, after)
    restated = [d for d in old if _differs(old[d], new.get(d))] if before.time_column == after.time_column else []
    kind = _kind(before, after, old, new, restated, bool(added or removed or retyped))
    return DataChange(
        kind=kind,
        rows_before=before.fingerprint.rows,
        rows_after=after.fingerprint.rows,
        newest_before=before.fingerprint.newest_event,
        newest_after=after.fingerprint.newest_event,
        columns_added=added,
        columns_removed=removed,
        columns_retyped=retyped,
        restated_days=[] if kind in {"unchanged", "replaced"} else sorted(restated),
        summary=_summary(kind, before, after, added, removed, retyped, sorted(restated)),
    )


def _kind(
    before: Snapshot,
    after: Snapshot,
    old: dict[str, dict[str, Any]],
    new: dict[str, dict[str, Any]],
    restated: list[str],
    schema: bool,
) -> ChangeKind:
    if before.fingerprint.content_hash == after.fingerprint.content_hash:
        return "unchanged"
    if schema:
        return "schema"
    if not old or not new or before.time_column != after.time_column:
        return "changed"
    if not old.keys() & new.keys() or len(restated) > max(3, len(old) // 2):
        return "replaced"
    fresh = [d for d in new if d > max(old)]
    if not restated:
        backfilled = [d for d in new if d not in old and d < max(old)]
        return "restated" if backfilled else "appended" if fresh or _more_rows(before, after) else "changed"
    trailing = set(sorted(old)[-_TRAILING_BUCKETS:])
    grew = all(d in new and new[d]["n"] >= old[d]["n"] and _not_fewer(old[d], new[d]) for d in restated)
    return "appended" if set(restated) <= trailing and grew and _more_rows(before, after) else "restated"


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


def _aligned(before: Snapshot, after: Snapshot) -> tuple[dict[str, dict[str, Any]], dict[str, dict[str, Any]]]:
    """Both series in the coarser bucket of the two."""
    order: list[Bucket] = ["day", "week", "month"]
    bucket = order[max(order.index(before.bucket), order.index(after.bucket))]
    return _coarsened(before, bucket), _coarsened(after, bucket)


def _coarsened(snapshot: Snapshot, bucket: Bucket) -> dict[str, dict[str, Any]]:
    if snapshot.bucket == bucket:
        return snapshot.daily
    starts: dict[Bucket, Callable[[date], date]] = {
        "day": lambda d: d,
        "week": lambda d: d - timedelta(days=d.weekday()),
        "month": lambda d: d.replace(day=1),
    }
    merged: dict[str, dict[str, Any]] = {}
    for day, numbers in snapshot.daily.items():
        target = merged.setdefault(
            starts[bucket](date.fromisoformat(day)).isoformat(), {"n": 0, "sum": {}, "non_null": {}}
        )
        target["n"] += numbers["n"]
        for part in ("sum", "non_null"):
            for name, value in numbers[part].items():
                target[part][name] = target[part].get(name, 0) + value
    return merged


def _summary(
    kind: ChangeKind,
    before: Snapshot,
    after: Snapshot,
    added: list[str],
    removed: list[str],
    retyped: list[str],
    restated: list[str],
) -> str:
    rows = after.fingerprint.rows - before.fingerprint.rows
    amount = counted(abs(rows), "more row" if rows > 0 else "fewer row") if rows else "the same number of rows"
    newest = ""
    if after.fingerprint.newest_event and after.fingerprint.newest_event != before.fingerprint.newest_event:
        known = (before.fingerprint.newest_event or "none")[:10]
        newest = f", data up to {after.fingerprint.newest_event[:10]} (before: {known})"
    span = f"{restated[0]}" if len(restated) == 1 else f"{restated[0]} to {restated[-1]}" if restated else ""
    past = counted(len(restated), f"known {after.bucket}")
    if kind == "unchanged":
        return "The data is the same, byte for byte."
    if kind == "schema":
        parts = [f"new columns: {', '.join(added[:5])}"] if added else []
        parts += [f"columns gone: {', '.join(removed[:5])}"] if removed else []
        parts += [f"other type: {', '.join(retyped[:5])}"] if retyped else []
        return f"The columns changed ({'; '.join(parts)}); {amount}{newest}."
    if kind == "replaced":
        return (
            f"Most known {after.bucket}s have other numbers now: the data was replaced or restated; {amount}{newest}."
        )
    if kind == "appended":
        late = f"; {past} ({span}) filled up" if restated else ""
        return f"Data was added: {amount}{newest}{late}."
    if kind == "restated":
        what = f"{past} ({span}) with other numbers now" if restated else "past days were added"
        return f"Past data changed: {what}; {amount}{newest}."
    return f"The file changed: {amount}{newest}."
