"""Trends of the segments of a dimension: which grow, which stay flat, and whether one leads in every period."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from datasets.battery._kind import measured
from datasets.battery._rows.by_period import Series, by_segment
from datasets.battery._rows.calendar import Calendar
from datasets.battery._rows.periods import MIN_PERIODS
from datasets.battery._statistics.groups import q_values
from datasets.battery._statistics.series import Trend
from datasets.battery._trends.findings import ends_text, fitted
from datasets.battery._trends.flat import room_of, room_text, settled
from datasets.battery._trends.open_records import still_open
from datasets.battery._trends.spikes import spike_candidates
from datasets.battery._wording.phrases import capital, is_share, listed, p_text
from datasets.battery._wording.scope import Scope
from datasets.battery._wording.series_display import points_of, table_of
from datasets.battery._wording.words import name_text
from datasets.charts import line_chart
from datasets.evidence import Candidate, Claim, ClaimValue, Direction, StepResult
from datasets.measures import where
from datasets.sql import ident

if TYPE_CHECKING:
    from datasets.view import AnalysisView

_MOST_SEGMENTS = 12
_DRAWN = 6
_ALPHA = 0.05


@dataclass(frozen=True)
class _Moving:
    """A segment with its trend and the p-value corrected over the segments."""

    name: str
    series: Series
    fit: Trend
    q: float
    still: bool
    """Whether it may be called flat: its level is shown to stay, all segments taken together."""


def segment_candidates(
    view: AnalysisView, held: Calendar, scope: Scope, by: str, *, once_per: str | None = None
) -> StepResult:
    """Compare the trends of the largest segments of `by`."""
    sql = (
        f"SELECT {ident(by)}::VARCHAR AS segment, count(*) AS n FROM analysis"
        f"{where(scope.filters, scope.window, f'{ident(by)} IS NOT NULL')}"
        f" GROUP BY 1 ORDER BY n DESC, segment LIMIT {_MOST_SEGMENTS + 1}"
    )
    names = [str(r[0]) for r in view.query(sql).rows]
    if len(names) < 2:
        return measured((), skipped=f"{by!r} has fewer than two values here, so there are no segments to compare")
    caveats = [p.note for p in held.incomplete]
    if len(names) > _MOST_SEGMENTS:
        names = names[:_MOST_SEGMENTS]
        caveats.append(f"only the {_MOST_SEGMENTS} largest segments of {by}")
    measured_by, sql = by_segment(view, held, scope.metric, scope.filters, by, names, scope.window, once_per)
    found = {name_text(view.card, by, name): series for name, series in measured_by.items()}
    long = {name: s for name, s in found.items() if len(s.usable) >= MIN_PERIODS}
    # A line through zeros says nothing of a segment that is empty in most periods.
    fits = {name: fit for name, s in long.items() if not _mostly_empty(s) and (fit := fitted(s)) is not None}
    if len(fits) < 2:
        grain = held.grain
        return measured((), skipped=f"fewer than two segments of {by!r} have {MIN_PERIODS} complete {grain}s with data")
    corrected = dict(zip(fits, q_values([f.p for f in fits.values()]), strict=True))
    moving = [
        _Moving(name, found[name], fit, corrected[name], settled(found[name], fit, tests=len(fits)))
        for name, fit in fits.items()
    ]
    falling = next((m for m in moving if m.q <= _ALPHA and m.fit.slope < 0), None)
    cut = still_open(view, falling.series, scope) if falling else ""
    candidates = [_trends(moving, scope, by, sql, caveats, cut)]
    leader = _leads_throughout(long, scope, by, sql)
    candidates += [leader] if leader else []
    p_values = [f.p for f in fits.values()]
    for name, series in long.items():
        spikes, more = spike_candidates(series, scope, sql, by=by, segment=name)
        candidates += spikes[:1]
        p_values += more
    return measured(candidates, p_values=p_values)


def _mostly_empty(series: Series) -> bool:
    return series.metric.additive and sum(not s.value for s in series.usable) > len(series.usable) / 2


def _trends(moving: list[_Moving], scope: Scope, by: str, sql: str, caveats: list[str], cut: str) -> Candidate:
    clear = sorted((m for m in moving if m.q <= _ALPHA), key=lambda m: -abs(m.fit.slope))
    flat = [m for m in moving if m.q > _ALPHA]
    ranked = clear + sorted(flat, key=lambda m: m.fit.p)
    first = ranked[0]
    direction: Direction = "flat" if not clear else "up" if first.fit.slope > 0 else "down"
    statement = _none(flat, scope, by) if not clear else _one(first, flat, scope, by) if len(clear) == 1 else ""
    statement = statement or _several(clear, flat, scope, by)
    others = [abs(m.fit.slope) for m in moving if m is not first]
    apart = min(abs(first.fit.low), abs(first.fit.high)) > max(others)
    return Candidate(
        claim=Claim(
            subject=scope.subject(dimension=by),
            value=scope.slope(first.fit, first.series).model_copy(
                update={"direction": direction, "text": first.name if clear else None}
            ),
        ),
        statement=f"{statement}{cut}",
        n=sum(m.series.n for m in moving),
        test="Mann-Kendall per segment",
        p_value=first.fit.p,
        effect=first.fit.tau,
        null=not clear,
        inconclusive=not clear and not all(m.still for m in flat),
        robust=False if cut else (apart or None) if clear else None,
        interest_0_1=0.3 if not clear else 0.9 if len(clear) == 1 else 0.75,
        chart=_chart(ranked, scope, by),
        table=_table(ranked),
        sql=[sql],
        caveats=[*caveats, f"{len(moving)} segments tested, Benjamini-Hochberg over them"],
    )


def _none(flat: list[_Moving], scope: Scope, by: str) -> str:
    smallest = min(m.q for m in flat)
    values = [s.value for m in flat for s in m.series.usable]
    per = f" a {scope.calendar.grain}" if scope.metric.additive else ""
    span = scope.span(values).replace(" to ", " and ", 1)
    still = all(m.still for m in flat)
    verb = "stays flat over time in all" if still else "shows no clear trend over time in any of the"
    return (
        f"{capital(f'the {scope.words}')} {verb} {len(flat)} groups of {by}:"
        f" between {span}{per} (smallest corrected {p_text(smallest)}){_room(flat, scope)}."
    )


def _room(flat: list[_Moving], scope: Scope) -> str:
    """What change of one of them over the whole time is ruled out, or is not, all taken together."""
    widest = max(flat, key=lambda m: room_of(m.series, m.fit, tests=len(flat)))
    size = room_text(widest.series, scope, room_of(widest.series, widest.fit, tests=len(flat)))
    if all(m.still for m in flat):
        return f"; a change of more than {size} over the whole time is ruled out, at 95% confidence"
    return f"; a change of up to {size} over the whole time is not ruled out in {widest.name}, at 95% confidence"


def _one(first: _Moving, flat: list[_Moving], scope: Scope, by: str) -> str:
    verb = "rises" if first.fit.slope > 0 else "falls"
    values = [s.value for m in flat for s in m.series.usable]
    still = "stay flat" if all(m.still for m in flat) else "show no clear trend"
    rest = f"the other {len(flat)} groups of {by} {still}"
    if len(flat) == 1:
        rest = f"{flat[0].name} {still.replace('stay', 'stays').replace('show', 'shows')}"
    contrast = _contrast(first, flat, scope)
    head = f"{first.name} stands out" if contrast else f"Only {first.name} shows a clear trend"
    return (
        f"{head}: the {scope.words} {verb} {_ends(first, scope)}, while {rest} at {scope.span(values)}"
        f" (Mann-Kendall {p_text(first.fit.p)}){contrast}."
    )


def _contrast(first: _Moving, flat: list[_Moving], scope: Scope) -> str:
    """What change the others can have had at most, where that is less than the one that stands out had."""
    widest = max(room_of(m.series, m.fit, tests=len(flat)) for m in flat)
    if widest >= abs(first.fit.slope) * (len(first.series.usable) - 1):
        return ""
    whom = "it" if len(flat) == 1 else "each of them"
    size = room_text(first.series, scope, widest)
    return f"; a change of more than {size} over the whole time is ruled out for {whom}, at 95% confidence"


def _several(clear: list[_Moving], flat: list[_Moving], scope: Scope, by: str) -> str:
    up = [m for m in clear if m.fit.slope > 0]
    down = [m for m in clear if m.fit.slope < 0]
    parts = []
    per = f" a {scope.calendar.grain}" if scope.metric.additive else ""
    for group, noun in ((up, "growth"), (down, "decline")):
        if not group:
            continue
        followers = [f"{m.name} ({_short_ends(m, scope)})" for m in group[1:4]]
        text = f"the {noun} of the {scope.words} is strongest in {group[0].name} ({_short_ends(group[0], scope)}{per})"
        parts.append(text + (f", followed by {listed(followers)}" if followers else ""))
    return capital("; ".join(parts)) + "." + _quiet(flat)


def _quiet(flat: list[_Moving]) -> str:
    """Which of the others stay flat, and which show no clear trend."""
    still = [m.name for m in flat if m.still]
    unclear = [m.name for m in flat if not m.still]
    text = f" {listed(still, most=4)} stay{'s' if len(still) == 1 else ''} flat." if still else ""
    return text + (
        f" {listed(unclear, most=4)} show{'s' if len(unclear) == 1 else ''} no clear trend." if unclear else ""
    )


def _ends(m: _Moving, scope: Scope) -> str:
    return ends_text(m.series, scope, m.fit)


def _short_ends(m: _Moving, scope: Scope) -> str:
    usable = m.series.usable
    return f"from {scope.text(usable[0].value)} to {scope.text(usable[-1].value)}"


def _leads_throughout(found: dict[str, Series], scope: Scope, by: str, sql: str) -> Candidate | None:
    """A segment that has the largest total in every complete period."""
    if not scope.metric.additive or len(found) < 3:
        return None
    columns = list(zip(*(s.spots for s in found.values()), strict=True))
    names = list(found)
    leaders = set()
    values: list[Any] = []
    for spots in columns:
        if not spots[0].period.complete or all(s.value is None for s in spots):
            continue
        best = max(range(len(spots)), key=lambda i: float(spots[i].value or 0))
        leaders.add(names[best])
        values.append(spots[best].value)
    if len(leaders) != 1 or len(values) < MIN_PERIODS:
        return None
    name, grain = leaders.pop(), scope.calendar.grain
    most = "the most rows" if scope.metric.key == "count(*)" else f"the largest {scope.metric.words}"
    where_words = scope.words.removeprefix(scope.metric.words)
    return Candidate(
        claim=Claim(
            subject=scope.subject(relation="extreme", dimension=by),
            value=ClaimValue(number=float(min(values)), unit=scope.claim_unit, direction="higher", text=name),
        ),
        statement=(
            f"{name} has {most} of all groups of {by} in every {grain}{where_words}:"
            f" {scope.span(values)} a {grain} over {len(values)} {grain}s."
        ),
        n=sum(s.n for s in found.values()),
        interest_0_1=0.6,
        chart=_line({k: found[k] for k in [name, *(n for n in names if n != name)][:_DRAWN]}, scope, by),
        table=table_of(found[name], name),
        sql=[sql],
    )


def _chart(ranked: list[_Moving], scope: Scope, by: str) -> dict[str, Any]:
    return _line({m.name: m.series for m in ranked[:_DRAWN]}, scope, by)


def _line(found: dict[str, Series], scope: Scope, by: str) -> dict[str, Any]:
    return line_chart(
        [p for name, series in found.items() for p in points_of(series, name)],
        title=capital(f"{scope.words} by {scope.calendar.grain} and {by}"),
        x_title=scope.calendar.time,
        y_title=scope.metric.words,
        style="percent" if is_share(scope.metric) else "number",
    )


def _table(ranked: list[_Moving]) -> list[dict[str, Any]]:
    rows = []
    for m in ranked:
        usable = m.series.usable
        rows.append(
            {
                "segment": m.name,
                "first": float(usable[0].value),
                "last": float(usable[-1].value),
                "slope": m.fit.slope,
                "p_value": m.fit.p,
                "corrected_p": m.q,
                "rows": m.series.n,
            }
        )
    return rows
