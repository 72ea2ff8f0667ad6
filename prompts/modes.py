"""Prompt and reply of the mode suggestion at the gate."""

from typing import Literal

from pydantic import Field

from prompts.vocabulary import Reply

INSTRUCTIONS = """\
A person comes back to a dataset that was analysed before. Say which mode fits their question:
- fresh: prior findings are refused, or no longer apply as a whole. A new question on known data is not fresh.
- extend: prior findings are taken as given and the question goes past them, also to a side nobody looked at.
- revalidate: one prior claim is named; does it still hold? New data alone does not make it a re-run.
- re-run: the whole earlier series of steps, unchanged, on new or the same data.

`confidence` is your probability that a careful colleague would choose the same; below 0.6 the person is asked."""


class ModeReply(Reply):
    """A suggested mode."""

    mode: Literal["fresh", "extend", "revalidate", "re-run"]
    confidence: float = Field(ge=0, le=1)
