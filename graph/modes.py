"""Reading a mode out of whatever a chat face sends as an answer."""

import re
from typing import Any

from graph.state import MODES, Mode

ANSWER_SCHEMA: dict[str, Any] = {
    "title": "What should I do with what is already known?",
    "type": "object",
    "properties": {"mode": {"enum": list(MODES), "title": "Mode", "type": "string"}},
    "required": ["mode"],
}

_SPELLINGS: dict[str, Mode] = {
    "fresh": "fresh",
    "startfresh": "fresh",
    "extend": "extend",
    "revalidate": "revalidate",
    "rerun": "re-run",
}


def parse_mode(answer: Any) -> Mode | None:
    """Return the mode that an answer names, or None.

    Accepted: the mode as text in any case and with a hyphen, a space or an underscore; `{"mode": ...}`; and the
    list of one response that agent inboxes send (`[{"type": "response" | "edit", "args": ...}]`).
    """
    if isinstance(answer, str):
        return _SPELLINGS.get(re.sub(r"[\s_\-.!]+", "", answer).lower()) if len(answer) <= 100 else None
    if isinstance(answer, dict):
        if "mode" in answer:
            return parse_mode(answer["mode"]) if isinstance(answer["mode"], str) else None
        return parse_mode(answer["args"]) if answer.get("type") in {"response", "edit"} and "args" in answer else None
    if isinstance(answer, list) and len(answer) == 1 and isinstance(answer[0], dict):
        return parse_mode(answer[0])
    return None


def refusal(answer: Any) -> str:
    """Say in one sentence why an answer was not taken and what is expected."""
    shown = repr(answer)
    shown = shown if len(shown) <= 60 else shown[:57] + "..."
    return f"{shown} is not a mode; answer with one of fresh, extend, revalidate or re-run."
