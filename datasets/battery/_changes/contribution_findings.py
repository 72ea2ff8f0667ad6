"""What a change comes from, as a candidate: segments of a total, or mix against rate of an average."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from datasets.battery._changes.contributions import (
    MixAndRate,
    Part,
    additive_parts,
    mix_and_rate,
    read_segments,
    segments_sql,
)
from datasets.battery._changes.measure import Change
from datasets.battery._changes.windows import Pair
from datasets.battery._wording.phrases import capital, is_share, listed, percent_text, points_text
from datasets.battery._wording.scope import Scope
from datasets.charts import Part as Bar
from datasets.charts import waterfall_chart
from datasets.evidence import Candidate, Claim, ClaimValue

if TYPE_CHECKING:
    from datasets.view import AnalysisView

_SHARES_MEAN_SOMETHING = 0.5
_OFFSET = 0.2


def contribution_candidate(
    view: AnalysisView, scope: Scope, pair: Pair, change: Change, dimension: str, *, once_per: str | None = None
) -> Candidate | None:
    """Split a change over a dimension; None for metrics that cannot be split and for a single segment."""
    metric = scope.metric
    sql = segments_sql(view, scope.calendar, metric, scope.filters, pair, dimension, once_per=once_per)
    if metric.additive:
        parts = additive_parts(view, read_segments(view, sql), change, dimension, per_day=not pair.same_length)
        return _of_total(scope, pair, change, dimension, parts, sql) if len(parts) > 1 else None
    if metric.aggregate not in {"mean", "share", "missing_share"}:
        return None
    split = mix_and_rate(view, read_segments(view, sql), dimension)
    return _of_average(scope, pair, change, dimension, split, sql) if split and len(split.parts) > 1 else None


def _of_total(scope: Scope, pair: Pair, change: Change, dimension: str, parts: Sequence[Part], sql: str) -> Candidate:
    per_day = not pair.same_length
    total = sum(p.delta for p in parts)
    first = parts[0]
    caveats = _chance(change)
    if not pair.same_length:
        caveats.append("contributions are per day, because the spans differ in length")
    new, gone = [p for p in parts if p.new], [p for p in parts if p.vanished]
    if new:
        caveats.append(f"new in {pair.after.words}: {_named(scope, new)}")
    if gone:
        caveats.append(f"only in {pair.before.words}: {_named(scope, gone)}")
    start = (change.before.number or 0.0) / (1.0 if pair.same_length else change.before.days)
    return Candidate(
        claim=_claim(scope, pair, dimension, first),
        statement=_total_words(scope, pair, dimension, parts, total, per_day=per_day),
        n=change.before.n + change.after.n,
        interest_0_1=0.35 if _chance(change) else 0.6,
        chart=waterfall_chart(
            [Bar(p.segment, p.delta) for p in parts],
            start=start,
            title=capital(f"{scope.worded(per_day=per_day)}: what changed by {dimension}"),
            value_title=f"{scope.metric.words}{' per day' if per_day else ''}",
            start_name=pair.before.words,
            end_name=pair.after.words,
        ),
        table=_table(parts, total),
        sql=[sql],
        caveats=caveats,
    )


def _total_words(
    scope: Scope, pair: Pair, dimension: str, parts: Sequence[Part], total: float, *, per_day: bool
) -> str:
    what = f"the {scope.worded(per_day=per_day)} from {pair.before.words} to {pair.after.words}"
    gross = sum(abs(p.delta) for p in parts)
    if gross == 0:
        return f"No group of {dimension} contributes to a change of {what}."
    ups, downs = [p for p in parts if p.delta > 0], [p for p in parts if p.delta < 0]
    larger = (gross + abs(total)) / 2
    if abs(total) >= _OFFSET * larger:
        same, against = (ups, downs) if total > 0 else (downs, ups)
        # Where much of the change is undone by other segments, shares of what is left would exceed 100 %.
        whole, of = total, ""
        if abs(total) < _SHARES_MEAN_SOMETHING * gross:
            whole, of = sum(p.delta for p in same), f" of the {'increases' if total > 0 else 'decreases'}"
        shares = [f"{moved} ({percent_text(delta / whole)}{of})" for moved, delta in _all_moved(scope, same, 3)]
        offset = f", against {listed([moved for moved, _ in _all_moved(scope, against, 2)])}" if against else ""
        return f"By {dimension}, the change of {_signed(scope, total)} in {what} comes from {listed(shares)}{offset}."
    rise, fall = (listed([moved for moved, _ in _all_moved(scope, side, 3)]) for side in (ups, downs))
    verb = "is" if len(ups) == 1 else "are"
    return f"By {dimension}, {what} changes by {_signed(scope, total)} net: {rise} {verb} nearly offset by {fall}."


def _moved(scope: Scope, part: Part) -> str:
    return f"{part.name} {_signed(scope, part.delta)}"


def _all_moved(scope: Scope, side: Sequence[Part], named: int) -> list[tuple[str, float]]:
    """The first parts of a side by name and the rest in one sum, so that what is said adds up to the change."""
    rest = side[named:]
    if len(rest) <= 1:
        return [(_moved(scope, p), p.delta) for p in side]
    left = sum(p.delta for p in rest)
    others = (f"{len(rest):,} others {_signed(scope, left)}", left)
    return [*((_moved(scope, p), p.delta) for p in side[:named]), others]


def _of_average(scope: Scope, pair: Pair, change: Change, dimension: str, split: MixAndRate, sql: str) -> Candidate:
    main = "changes within the groups" if abs(split.rate) >= abs(split.mix) else "a shift in the mix of groups"
    statement = (
        f"By {dimension}, the change of {_signed(scope, change.delta)} in the {scope.words} from {pair.before.words} to"
        f" {pair.after.words} comes mostly from {main}: {_signed(scope, split.rate)} from changes within the groups and"
        f" {_signed(scope, split.mix)} from a shift in their mix; the largest single part is {split.parts[0].name}"
        f" ({_signed(scope, split.parts[0].delta)})."
    )
    return Candidate(
        claim=_claim(scope, pair, dimension, split.parts[0]),
        statement=statement,
        n=change.before.n + change.after.n,
        interest_0_1=0.3 if _chance(change) else 0.5,
        chart=waterfall_chart(
            [Bar("within the groups", split.rate), Bar("mix of the groups", split.mix)],
            start=change.before.number or 0.0,
            title=capital(f"{scope.words}: mix and rate by {dimension}"),
            value_title=scope.metric.words,
            start_name=pair.before.words,
            end_name=pair.after.words,
            style="percent" if is_share(scope.metric) else "number",
        ),
        table=_table(split.parts, change.delta),
        sql=[sql],
        caveats=[*_chance(change), "parts after Kitagawa (1955); they add up to the change"],
    )


def _claim(scope: Scope, pair: Pair, dimension: str, first: Part) -> Claim:
    return Claim(
        subject=scope.subject(
            relation="contribution", dimension=dimension, period=pair.after.key, against=pair.before.key
        ),
        value=ClaimValue(
            number=100 * first.delta if is_share(scope.metric) else first.delta,
            unit="percentage points" if is_share(scope.metric) else scope.unit,
            direction="up" if first.delta >= 0 else "down",
            text=first.segment,
        ),
    )


def _chance(change: Change) -> list[str]:
    return ["the change as a whole is no more than chance explains"] if change.p is not None and change.p > 0.05 else []


def _signed(scope: Scope, delta: float) -> str:
    if is_share(scope.metric):
        return f"{points_text(delta, signed=True)} points"
    text = scope.text(round(delta, 2) if scope.metric.aggregate == "sum" else delta)
    return f"+{text}" if delta > 0 else text


def _named(scope: Scope, parts: Sequence[Part]) -> str:
    return listed([f"{p.name} ({_signed(scope, p.delta)})" for p in parts])


def _table(parts: Sequence[Part], total: float) -> list[dict[str, Any]]:
    return [
        {
            "segment": p.segment,
            "before": p.before,
            "after": p.after,
            "rows_before": p.n_before,
            "rows_after": p.n_after,
            "contribution": p.delta,
            "share_of_change": p.delta / total if total else None,
        }
        for p in parts[:50]
    ]
