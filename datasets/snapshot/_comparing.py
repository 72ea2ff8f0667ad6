"""What changed in a dataset between two snapshots."""

from collections.abc import Callable
from datetime import date, timedelta
from statistics import median
from typing import Any

from datasets.snapshot._change import ChangeKind, DataChange, Restated, change_sentence
from datasets.snapshot._taking import Bucket, Snapshot

Days = dict[str, dict[str, Any]]

_TRAILING_BUCKETS = 14
_LONGEST_GROWN_BUCKETS = 7
_SAME_COLUMN_0_1 = 0.9
_NUMBERS = frozenset({"BIGINT", "INTEGER", "HUGEINT", "DOUBLE"})
_SAME_SUM = 1e-9
_FEWEST_ALIKE = 8
_SAME_FACTOR_0_1 = 0.8
_FACTOR_NOISE = 0.03


def compare(before: Snapshot, after: Snapshot) -> DataChange:
    """Say what changed, from the two snapshots alone."""
    added = [c for c in after.columns if c not in before.columns]
    removed = [c for c in before.columns if c not in after.columns]
    retyped = [c for c, kind in before.columns.items() if not _same_type(kind, after.columns.get(c, kind))]
    old, new = _aligned(before, after)
    dated = bool(old and new) and before.time_column == after.time_column
    moved = sorted(d for d in old if _differs(old[d], new.get(d))) if dated else []
    trailing = set(sorted(old)[-_TRAILING_BUCKETS:])
    filled = [d for d in moved if d in trailing and _filled_up(old[d], new.get(d))]
    filled = sorted({*filled, *_grown_at_the_end(old, new, moved)})
    restated = [d for d in moved if d not in filled]
    renamed = _renamed(before, after, old, new, removed, added)
    shared = len(before.columns.keys() & after.columns.keys()) + len(renamed)
    other = 2 * shared < min(len(before.columns), len(after.columns))
    schema = bool(added or removed or retyped)
    kind = "replaced" if other else _kind(before, after, old, new, (restated, filled), dated=dated, schema=schema)
    if kind in {"unchanged", "replaced"}:
        restated, filled = [], []
    change = DataChange(
        kind=kind,
        rows_before=before.fingerprint.rows,
        rows_after=after.fingerprint.rows,
        newest_before=before.fingerprint.newest_event,
        newest_after=after.fingerprint.newest_event,
        columns_added=added,
        columns_removed=removed,
        columns_retyped=retyped,
        retyped={c: (before.columns[c], after.columns[c]) for c in retyped},
        columns_renamed=renamed,
        restated_days=restated,
        restated_by=_restated_by(old, new, restated),
        filled_days=filled,
        summary="",
    )
    return change.model_copy(update={"summary": change_sentence(change, unit=after.bucket)})


def _same_type(before: str, after: str) -> bool:
    """Whether a column kept its type; a number that gained or lost its decimals is a number still."""
    return before == after or {before, after} <= _NUMBERS


def _kind(
    before: Snapshot,
    after: Snapshot,
    old: Days,
    new: Days,
    moved: tuple[list[str], list[str]],
    *,
    dated: bool,
    schema: bool,
) -> ChangeKind:
    if before.fingerprint.content_hash == after.fingerprint.content_hash:
        return "unchanged"
    restated, filled = moved
    if dated and len(restated) + len(filled) > max(3, len(old) // 2) and not _same_rows(old, new):
        return "replaced"
    if schema:
        return "schema"
    if not dated:
        return "changed"
    if restated or any(d not in old and d < max(old) for d in new):
        return "restated"
    return "appended" if filled or any(d > max(old) for d in new) or _more_rows(before, after) else "changed"


def _same_rows(old: Days, new: Days) -> bool:
    """Whether most known days hold the same rows with other numbers: a history restated in net or another currency.

    Told by row counts that are not all alike and still agree day by day, or by a measure that moved by one factor.
    """
    known = [d for d in old if d in new]
    if 2 * len(known) < len(old) or len(known) < _FEWEST_ALIKE:
        return False
    counts = [(old[d]["n"], new[d]["n"]) for d in known]
    if len({n for n, _ in counts}) > 2 and sum(a == b for a, b in counts) >= _SAME_FACTOR_0_1 * len(known):
        return True
    for measure in sorted({m for d in known for m in old[d]["sum"].keys() & new[d]["sum"].keys()}):
        pairs = [(old[d]["sum"].get(measure, 0.0), new[d]["sum"].get(measure, 0.0)) for d in known]
        factors = [b / a for a, b in pairs if a and b / a > 0]
        if len(factors) < max(_FEWEST_ALIKE, _SAME_FACTOR_0_1 * len(known)):
            continue
        usual = median(factors)
        if sum(abs(f / usual - 1) <= _FACTOR_NOISE for f in factors) >= _SAME_FACTOR_0_1 * len(known):
            return True
    return False


def _renamed(
    before: Snapshot, after: Snapshot, old: Days, new: Days, removed: list[str], added: list[str]
) -> dict[str, str]:
    """Pair columns that went with those of the same type that came and hold the same."""
    pairs: dict[str, str] = {}
    for gone in removed:
        for come in added:
            if come in pairs.values() or before.columns[gone] != after.columns[come]:
                continue
            if _same_measure(gone, come, old, new) or _same_groups(before.groups.get(gone), after.groups.get(come)):
                pairs[gone] = come
                break
    return pairs


def _same_measure(gone: str, come: str, old: Days, new: Days) -> bool:
    """Whether nine of ten known days have the same sum and count under both names."""
    known = [d for d in old if gone in old[d]["sum"] and d in new]
    alike = sum(
        _same(old[d]["sum"][gone], new[d]["sum"].get(come)) and old[d]["non_null"][gone] == new[d]["non_null"].get(come)
        for d in known
    )
    return bool(known) and alike >= _SAME_COLUMN_0_1 * len(known)


def _same_groups(gone: list[str] | None, come: list[str] | None) -> bool:
    """Whether both hold the same values, but for one in ten that came or went."""
    if not gone or not come:
        return False
    return len(set(gone) & set(come)) >= _SAME_COLUMN_0_1 * len(set(gone) | set(come))


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


def _filled_up(old: dict[str, Any], new: dict[str, Any] | None) -> bool:
    """Whether rows or values came to a day and none went."""
    if new is None:
        return False
    shared = old["non_null"].keys() & new["non_null"].keys()
    came = [new["n"] - old["n"], *(new["non_null"][m] - old["non_null"][m] for m in shared)]
    return bool(min(came) >= 0 and max(came) > 0)


def _grown_at_the_end(old: Days, new: Days, moved: list[str]) -> list[str]:
    """The newest known days up to the last one where amounts on the same rows grew: corrections that come late.

    Empty where the run is too long to be the edge, or where a newer day is not there to show that time went on.
    """
    days = sorted(old)
    run: list[str] = []
    while len(run) < len(days) and days[-1 - len(run)] in moved and _grew(old, new, days[-1 - len(run)]):
        run.append(days[-1 - len(run)])
    later = bool(new) and bool(days) and max(new) > days[-1]
    return run if later and len(run) <= _LONGEST_GROWN_BUCKETS else []


def _grew(old: Days, new: Days, day: str) -> bool:
    """Whether no row, value or amount went from a day, and one of them came."""
    if day not in new:
        return False
    then, now = old[day], new[day]
    shared = then["non_null"].keys() & now["non_null"].keys()
    if now["n"] < then["n"] or any(now["non_null"][m] < then["non_null"][m] for m in shared):
        return False
    pairs = [(abs(then["sum"].get(m) or 0.0), abs(now["sum"].get(m) or 0.0)) for m in shared]
    moved = [(a, b) for a, b in pairs if not _same(a, b)]
    return bool(moved) and all(b > a for a, b in moved)


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
