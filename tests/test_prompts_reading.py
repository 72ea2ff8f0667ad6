"""Replies as models really send them: thoughts, fences and stray commas around one JSON object."""

import pytest
from langchain_core.messages import AIMessage

from prompts.modes import ModeReply
from prompts.reading import read
from prompts.trouble import Rejected

REPLY = '{"mode": "extend", "confidence": 0.7}'


@pytest.mark.parametrize(
    "text",
    [
        f"<think>It could be {{fresh}}.</think>{REPLY}",
        f"They said {{again}}, so extend it.\n</think>\n{REPLY}",
        f"```json\n{REPLY}\n```",
        f"Here it is: {REPLY} Hope this helps!",
        '{"mode": "extend", "confidence": 0.7,}',
    ],
)
def test_what_stands_around_the_object_is_passed_over(text: str) -> None:
    assert read(AIMessage(text), ModeReply) == ModeReply(mode="extend", confidence=0.7)


@pytest.mark.parametrize(
    "text", ["<think>never ends", "{'mode': 'extend'}", "Fortsetzen!", "[" * 5000, "{" * 5000 + "}"]
)
def test_what_holds_no_object_is_rejected(text: str) -> None:
    with pytest.raises(Rejected):
        read(AIMessage(text), ModeReply)
