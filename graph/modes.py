"""Reading a mode out of whatever a chat face sends as an answer."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from graph.state import MODES, Mode

ANSWER_SCHEMA: dict[str, Any] = {
    "title": "What should I do with what is already known?",
    "type": "object",
    "properties": {
        "mode": {"enum": list(MODES), "title": "Mode", "type": "string"},
        "finding": {
            "title": "Which finding to revalidate, where two fit: its memory_id or its place among the choices",
            "type": ["string", "integer"],
        },
    },
    "required": ["mode"],
}

_LONGEST = 100
_POLITE = re.compile(r"^(?:(?:please|ok(?:ay)?|yes|just|let's|let us|go|do|run|a|it)\b[\s,]*)+", re.I)
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
        if len(answer) > _LONGEST:
            return None
        # "revalidate 2" names a finding as well; "please start fresh" is a mode said politely.
        said = re.sub(r"\s+\d$", "", _POLITE.sub("", answer.strip()))
        return _SPELLINGS.get(re.sub(r"[\s_\-.!]+", "", said).lower())
    if isinstance(answer, dict):
        if "mode" in answer:
            return parse_mode(answer["mode"]) if isinstance(answer["mode"], str) else None
        return parse_mode(answer["args"]) if answer.get("type") in {"response", "edit"} and "args" in answer else None
    if isinstance(answer, list) and len(answer) == 1 and isinstance(answer[0], dict):
        return parse_mode(answer[0])
    return None


def parse_finding(answer: Any, choices: Sequence[Mapping[str, Any]]) -> str | None:
    """Return which of the choices an answer names, by its memory_id or its place from 1; None where it names none."""
    if isinstance(answer, list) and len(answer) == 1:
        return parse_finding(answer[0], choices)
    if isinstance(answer, dict):
        named = answer.get("finding", answer.get("args"))
        return parse_finding(named, choices) if isinstance(named, str | dict) else _nth(named, choices)
    if isinstance(answer, str):
        known = next((str(c["memory_id"]) for c in choices if c["memory_id"] == answer), None)
        place = re.fullmatch(r"\D{0,20}(\d)", answer.strip())
        return known or (_nth(int(place[1]), choices) if place else None)
    return None


def _nth(place: Any, choices: Sequence[Mapping[str, Any]]) -> str | None:
    whole = isinstance(place, int) and not isinstance(place, bool) and 1 <= place <= len(choices)
    return str(choices[place - 1]["memory_id"]) if whole else None


def refusal(answer: Any) -> str:
    """Say in one sentence why an answer was not taken and what is expected."""
    shown = repr(answer)
    shown = shown if len(shown) <= 60 else shown[:57] + "..."
    return f"{shown} is not a mode; answer with one of fresh, extend, revalidate or re-run."
