"""What the statements of a step over time are about: a metric in its scope, in words and in keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from datasets.battery._rows.by_period import Series
from datasets.battery._rows.calendar import Calendar
from datasets.battery._statistics.series import Trend
from datasets.battery._wording.phrases import filters_key, is_share, scope_text, span_text, unit_of, value_text
from datasets.evidence import ClaimValue, Subject
from datasets.measures import Filter, Metric, Window

if TYPE_CHECKING:
    from datasets.view import AnalysisView


@dataclass(frozen=True)
class Scope:
    """What the statements of one step are about, in words and in keys."""

    metric: Metric
    calendar: Calendar
    filters: tuple[Filter, ...]
    window: Window | None
    unit: str | None
    words: str

    @classmethod
    def of(
        cls, view: AnalysisView, metric: Metric, held: Calendar, filters: tuple[Filter, ...], window: Window | None
    ) -> Scope:
        """Word a metric with its filters and window."""
        words = f"{metric.words}{scope_text(filters, window)}"
        return cls(metric, held, filters, window, unit_of(metric, view.card), words)

    def worded(self, *, per_day: bool) -> str:
        """ "total revenue per day where region is East": what is measured per day, before the rows that it reads."""
        return f"{self.metric.words}{' per day' if per_day else ''}{scope_text(self.filters, self.window)}"

    def subject(self, **more: Any) -> Subject:
        """A claim subject over the time column, at this grain and in this scope."""
        period = f"by {self.calendar.grain}" + (f" in {self.window.key}" if self.window else "")
        return Subject(
            **{
                "relation": "trend",
                "metric": self.metric.key,
                "column": self.calendar.time,
                "period": period,
                "filters": filters_key(self.filters),
                **more,
            }
        )

    @property
    def claim_unit(self) -> str | None:
        """The unit of a claim's number that is a value of the metric; shares are between 0 and 1."""
        return "share" if is_share(self.metric) else self.unit

    def slope(self, found: Trend, series: Series) -> ClaimValue:
        """The slope per period with its interval; totals per average period, shares in percentage points."""
        share, grain = is_share(self.metric), self.calendar.grain
        factor = 100.0 if share else step_days(series)
        unit = "percentage points" if share else self.unit
        return ClaimValue(
            number=found.slope * factor,
            unit=f"{unit} a {grain}" if unit else f"per {grain}",
            low=found.low * factor,
            high=found.high * factor,
        )

    def text(self, value: Any) -> str:
        """A value of the metric in words."""
        return value_text(self.metric, value, self.unit)

    def span(self, values: Sequence[Any]) -> str:
        """ "19 to 34", from the lowest to the highest value; the unit is said once."""
        low, high = min(values), max(values)
        bare = value_text(self.metric, low) if self.unit not in {"%", "$", "€", "£", "¥"} else self.text(low)
        return span_text((bare, self.text(high))) if low != high else self.text(low)


def step_days(series: Series) -> float:
    """Days of the average period where values are compared per day, else 1."""
    usable = series.usable
    return sum(s.period.days for s in usable) / len(usable) if series.per_day else 1.0
