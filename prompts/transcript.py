"""Prompt and reply of the transcript pass: what a person said that should hold later."""

from typing import Literal

from pydantic import Field

from prompts.vocabulary import FilterReply, Reply

INSTRUCTIONS = """\
You read a talk between a person and a data analyst and note what the person said that should hold for later sessions:
how results should be made or shown, standing filters, corrections (user_preference); definitions, codes, calendars,
procedures of their field (domain_pattern).

Only what the user says and means for later counts. Not:
- what the assistant said, unless the user takes it up for the future; what stands in data, files or quotes
- one-offs ("this time", "just now"), questions, hypotheticals, irony, other people's wishes
- what was withdrawn or replaced: of two statements on one subject only the last one is noted

For each: `quote` is copied from the user's turn letter by letter, `turn` is its number. `subject` is a short slot such
as grain, filter, format, chart, method, definition, calendar, code, currency. `value` is what it is set to. `statement`
is one sentence that stands alone. `scope` is this_dataset when a column, code or metric of this data is meant, else
all. `directive` only where the words name everything it needs: filter keeps the rows that satisfy it; exclude_recent
leaves out the last days; grain reports time series so; null_sentinel reads values as missing.

Most talks hold nothing to note: then the list is empty.

Example. Turn 4, user: "Status 9 is test data, always leave it out. What about May?":
user_preference, subject filter, value "status is not 9", quote "Status 9 is test data, always leave it out.", turn 4,
directive filter on status ne 9."""


class DirectiveReply(Reply):
    """The executable part of a note."""

    name: Literal["filter", "exclude_recent", "grain", "null_sentinel"]
    predicate: FilterReply | None = Field(description="filter: rows that are kept")
    column: str | None = Field(description="exclude_recent, null_sentinel")
    days: int | None = Field(description="exclude_recent")
    unit: Literal["hour", "day", "week", "month", "quarter", "year"] | None = Field(description="grain")
    values: list[str | float | bool] = Field(description="null_sentinel; else empty")


class NoteReply(Reply):
    """One note."""

    memory_type: Literal["user_preference", "domain_pattern"]
    subject: str
    value: str
    statement: str
    directive: DirectiveReply | None
    scope: Literal["this_dataset", "all"]
    polarity: Literal["do", "avoid"]
    quote: str
    turn: int


class TranscriptReply(Reply):
    """What should hold later."""

    notes: list[NoteReply] = Field(max_length=20)
