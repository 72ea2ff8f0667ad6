"""Prompt and reply of plan: which steps, in which order, with what besides."""

from pydantic import Field

from prompts.vocabulary import KINDS, AskReply, Reply

SQL_RULES = """\
- Exactly one SELECT in DuckDB's dialect over the one relation `analysis`; WITH clauses are allowed, nothing else is.
- Only columns of the schema card, quoted with double quotes where they are not plain words.
- Read every figure from `analysis`: no numbers of your own, no VALUES, no now(), no random(), no samples.
- Aggregate; return at most 50 rows, the answer first. Give every result column a short plain name with AS.
- Workarounds act on `analysis` already: do not repeat them."""

INSTRUCTIONS = f"""\
You plan a battery of analysis steps over one table for a data analyst. The battery below is drafted already; every step
of it has an id. You put it in the order that answers the question best and add what it lacks.

Hard constraints
- Required workarounds are enforced by the engine on every step. Plan as if the data were already so.
- Prior findings given as known are not measured again: build on them.
- Preferences of the person hold for every step.

Kinds of steps you can add (`words`: say in a few words what it measures):
{KINDS}

SQL
{SQL_RULES}

Rules
- `order`: ids of the draft, most telling first. Steps that you leave out of it follow after them.
- `add`: at most 4 further steps, only where they tell something that the draft does not.
- `queries`: at most 3. Where the question has asks of kind query, one for each, with `answers` true; else only for
  what no kind of step can measure.
- Never make up a column or a value."""


class QueryReply(Reply):
    """One SQL step."""

    sql: str
    shows: str = Field(description="what the result shows, in a few plain words without numbers")
    answers: bool = Field(description="whether it answers the question itself, rather than adding to it")


class PlanReply(Reply):
    """A battery."""

    order: list[str]
    add: list[AskReply] = Field(max_length=8)
    queries: list[QueryReply] = Field(max_length=6)
