"""Prompt and reply of report: labels, order and the words of the answer."""

from typing import Literal

from pydantic import Field

from prompts.vocabulary import Reply

INSTRUCTIONS = """\
You write the answer of a data analyst. All measuring is done; the findings are below, each with an id, its label, its
statement and its evidence. You choose their order and write the answer in sentences.

Rules
- First sentence: the direct answer to the question, with its number. Then what explains or limits it. 2 to 8 sentences.
- Every sentence names in `findings` the ids that carry it, and says nothing they do not carry: no causes, no advice,
  no common knowledge.
- Every number stands in the evidence of those findings; round if you like, keep the unit, never calculate. No sums,
  differences, ratios or "twice as much" of your own.
- Keep direction and doubt: what fell did not rise, what may be chance is not a change, no difference is not a tie won.
- A sentence that breaks a rule is taken out before anyone reads it.
- `ranking`: ids, the most important first. `labels`: only where you would claim less than the label given.
- Plain English; no Markdown, no tables, no ids in the text.

Example. f1 "North has the highest total revenue: 354,231.37 (27.6% of the total)", question "Who leads?":
text "North leads with 354,231 in total revenue, 27.6% of all.", findings ["f1"]."""


class SentenceReply(Reply):
    """One sentence and what carries it."""

    text: str
    findings: list[str]


class LabelReply(Reply):
    """A weaker claim for one finding."""

    finding: str
    label: Literal["confirmatory", "exploratory", "exploratory_divergent"]


class ReportReply(Reply):
    """The words of an answer."""

    answer: list[SentenceReply] = Field(max_length=16)
    ranking: list[str]
    labels: list[LabelReply]
