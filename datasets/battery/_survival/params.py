"""What a survival step is asked, and the units of its times."""

from typing import Literal, Self

from pydantic import Field, model_validator

from datasets.battery._kind import StepParams
from datasets.measures import Filter, Window

Unit = Literal["minutes", "hours", "days", "weeks", "months", "years"]
SECONDS: dict[Unit, float] = {
    "minutes": 60.0,
    "hours": 3600.0,
    "days": 86400.0,
    "weeks": 604800.0,
    "months": 30.4375 * 86400.0,
    "years": 365.25 * 86400.0,
}
"""Seconds of each unit; a month and a year are mean ones."""


class SurvivalParams(StepParams):
    """Parameters of a survival step.

    Either `start` and `end`: a row begins at the one time and has the event at the other; without an end it is still
    waiting when the data end. Or `duration` and `event`: how long a row was observed, and whether it had the event by
    then.
    """

    start: str | None = None
    end: str | None = None
    duration: str | None = None
    event: Filter | None = Field(default=None, description="the rows that had the event; with `duration`")
    by: str | None = Field(default=None, description="dimension whose groups are compared")
    at: tuple[float, ...] = Field(default=(), max_length=6, description="times at which the share is told, in `unit`")
    unit: Unit | None = Field(default=None, description="of the times told; None: one that suits the times")
    filters: tuple[Filter, ...] = ()
    window: Window | None = None

    @model_validator(mode="after")
    def _one_of_two(self) -> Self:
        between, observed = self.start and self.end, self.duration and self.event
        if bool(between) == bool(observed):
            raise ValueError("either start and end, or duration and event, are needed")
        return self
