"""A series as table rows and as a chart."""

from typing import Any

from datasets.battery._rows.by_period import Series, Spot
from datasets.battery._statistics.series import Trend
from datasets.battery._wording.phrases import capital, is_share
from datasets.battery._wording.scope import Scope
from datasets.charts import Point, line_chart
from datasets.plain import plain

_ALPHA = 0.05
_MOST_POINTS = 400
_TABLE_ROWS = 50


def table_of(series: Series, segment: str | None = None) -> list[dict[str, Any]]:
    """The newest 50 periods as table rows."""
    named = {} if segment is None else {"segment": segment}
    return [
        {
            **named,
            "period": s.period.label,
            series.metric.key: plain(s.value),
            "rows": s.n,
            "complete": s.period.complete,
        }
        for s in _shown(series)[-_TABLE_ROWS:]
    ]


def points_of(series: Series, name: str | None = None) -> list[Point]:
    """The series as chart points."""
    spots = _shown(series)[-_MOST_POINTS:]
    return [
        Point(
            s.period.start.isoformat() if series.calendar.grain == "hour" else s.period.start.date().isoformat(),
            None if s.value is None else float(s.value),
            name,
            s.period.complete,
        )
        for s in spots
    ]


def chart_of(series: Series, scope: Scope, found: Trend | None) -> dict[str, Any]:
    """A line, incomplete periods dashed, with the fitted trend where it is significant."""
    reference: list[Point] = []
    if found is not None and found.p <= _ALPHA:
        positions = {s.period.start: float(i) for i, s in enumerate(series.spots)}
        ends = [s for s in series.usable if s in series.spots[-_MOST_POINTS:]]
        for spot in (ends[0], ends[-1]):
            y = found.intercept + found.slope * positions[spot.period.start]
            y *= spot.period.days if series.per_day else 1.0
            reference.append(Point(spot.period.start.date().isoformat(), y))
    style = "percent" if is_share(scope.metric) else "count" if scope.metric.aggregate == "count" else "number"
    return line_chart(
        points_of(series),
        title=capital(f"{scope.words} by {series.calendar.grain}"),
        x_title=series.calendar.time,
        y_title=scope.metric.words,
        style=style,  # type: ignore[arg-type]
        reference=reference,
        reference_title="trend",
    )


def _shown(series: Series) -> list[Spot]:
    """The periods to show; those between data at regular intervals are no gaps."""
    return [s for s in series.spots if s.value is not None or not series.calendar.spaced]
