"""Calendar units and stretches of time."""

from calendar import monthrange
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Literal

from datasets.measures import Grain, Window

Unit = Literal["day", "week", "month", "quarter", "year"]


MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip


@dataclass(frozen=True)
class Span:
    """A stretch of calendar time in the text: [since, until) between the character places start and end."""

    start: int
    end: int
    since: date | None
    until: date | None
    label: str
    unit: Unit | None = None

    def window(self, column: str) -> Window:
        """The span as a window over a time column."""
        return Window(column=column, start=self.since, end=self.until, label=self.label)

    def before(self) -> "Span | None":
        """The span of the same length that ends where this one begins; whole calendar units stay whole."""
        if self.since is None or self.until is None:
            return None
        if self.unit in {"month", "quarter", "year"}:
            months = (self.until.year - self.since.year) * 12 + self.until.month - self.since.month
            since = add_months(self.since, -months)
        else:
            since = self.since - (self.until - self.since)
        label = f"the {self.unit} before" if self.unit else "the period before"
        if self.unit in {"month", "quarter", "year"} and months == {"month": 1, "quarter": 3, "year": 12}[self.unit]:
            label = period_label(since, self.unit)
        return Span(self.start, self.end, since, self.since, label, self.unit)

    def year_before(self) -> "Span | None":
        """The same span one year earlier."""
        if self.since is None or self.until is None:
            return None
        since, until = add_months(self.since, -12), add_months(self.until, -12)
        return Span(self.start, self.end, since, until, f"{self.label} one year earlier", self.unit)


def period(unit: Unit, day: date) -> tuple[date, date]:
    """First day and the day after the last day of the calendar unit that holds a day."""
    if unit == "day":
        return day, day + timedelta(days=1)
    if unit == "week":
        since = day - timedelta(days=day.weekday())
        return since, since + timedelta(days=7)
    if unit == "month":
        since = day.replace(day=1)
        return since, add_months(since, 1)
    if unit == "quarter":
        since = date(day.year, 3 * ((day.month - 1) // 3) + 1, 1)
        return since, add_months(since, 3)
    return date(day.year, 1, 1), date(day.year + 1, 1, 1)


def period_label(since: date, unit: Grain | Unit) -> str:
    """ "March 2025", "Q4 2024", "2024"; the ISO day for weeks and days."""
    if unit == "month":
        return f"{MONTHS[since.month - 1].title()} {since.year}"
    if unit == "quarter":
        return f"Q{(since.month + 2) // 3} {since.year}"
    return str(since.year) if unit == "year" else since.isoformat()


def add_months(day: date, months: int) -> date:
    """The same day some months later, or the last day of a shorter month."""
    index = day.year * 12 + day.month - 1 + months
    year, month = divmod(index, 12)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def newest_day(text: str | None) -> date | None:
    """The day of a time column's maximum as the schema card writes it."""
    try:
        return datetime.fromisoformat(text.strip()[:26]).date() if text else None
    except ValueError:
        try:
            return date.fromisoformat(text.strip()[:10]) if text else None
        except ValueError:
            return None


def last_complete(unit: Unit, newest: date) -> tuple[date, date]:
    """The latest calendar unit that the data covers to its last day."""
    since, until = period(unit, newest)
    if newest >= until - timedelta(days=1):
        return since, until
    return period(unit, since - timedelta(days=1))
