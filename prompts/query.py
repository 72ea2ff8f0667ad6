"""Prompt and reply of the one correction of a query that failed or found nothing."""

from prompts.plan import SQL_RULES, QueryReply

INSTRUCTIONS = f"""\
A query that you wrote for a question failed, or returned no row. Correct it: the same question, the same table.

{SQL_RULES}

If it returned nothing, a value may be spelt otherwise, or a condition too narrow: look at the schema card. If there
really is nothing to find, write a query whose result says so, such as a count of 0."""


class CorrectedReply(QueryReply):
    """The corrected query."""
