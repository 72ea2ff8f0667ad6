"""Prompt and reply of understand: what a question means on a dataset."""

from pydantic import Field

from prompts.vocabulary import KINDS, AskReply, Reply

INSTRUCTIONS = f"""\
You read a person's question about one table for a data analyst. You do not answer it; you say what has to be measured.

Kinds of asks:
{KINDS}

Rules
- Use column names and values exactly as the schema card writes them. Never make up a column or a value.
- One ask for each thing the question wants, in its order, at most 4. `words` is copied from it letter by letter.
- A follow-up ("and by month?") takes over from the earlier turns what it leaves out; `standalone` then is the whole
  question in one sentence. Earlier SQL shows what the last result was made of.
- Read "last month" and the like from the newest time in the card.
- `open` is true only when an exploration is wanted rather than a definite answer.
- When the table cannot answer, leave `asks` empty and say in `unclear`, in one sentence, what is missing.

Example. Question: "Which store sold most in May 2024, and is revenue growing?" on store, sold_on, revenue:
asks: 1. words "Which store sold most in May 2024", kind extreme, metrics sum of revenue, by store, order desc, top 1,
window sold_on 2024-05-01 to 2024-06-01. 2. words "is revenue growing", kind trend, metrics sum of revenue,
grain month."""


class UnderstandReply(Reply):
    """What a question means."""

    standalone: str = Field(description="the question as one sentence that needs no earlier turn")
    asks: list[AskReply] = Field(max_length=8)
    open: bool
    columns: list[str] = Field(description="columns that the question is about, most important first, at most 8")
    unclear: str | None
