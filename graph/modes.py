"""Reading a mode out of whatever a chat face sends as an answer."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from graph.answers import mode_said
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


def parse_mode(answer: Any, *, suggested: Mode | None = None) -> Mode | None:
    """Return the mode that an answer names, or None.

    Accepted: text as a person answers (see `graph.answers`); the mode's place at the gate, from 1; `{"mode": ...}`;
    and the list of one response that agent inboxes send (`[{"type": "response" | "edit", "args": ...}]`).

    :param suggested: what a mere "yes" agrees to.
    """
    if isinstance(answer, str):
        return mode_said(answer, suggested=suggested)
    if isinstance(answer, int) and not isinstance(answer, bool):
        return MODES[answer - 1] if 1 <= answer <= len(MODES) else None
    if isinstance(answer, dict):
        named = answer.get("mode")
        if "mode" in answer:
            return parse_mode(named, suggested=suggested) if isinstance(named, str) else None
        spoken = answer.get("type") in {"response", "edit"} and "args" in answer
        return parse_mode(answer["args"], suggested=suggested) if spoken else None
    if isinstance(answer, list) and len(answer) == 1 and isinstance(answer[0], dict):
        return parse_mode(answer[0], suggested=suggested)
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


def wanted(mode: str | None, answer: Any, options: Sequence[Mapping[str, Any]]) -> str | None:
    """Return the finding to revalidate, where the question fits two and the answer names one."""
    choices = next((o.get("choices") or [] for o in options if o["mode"] == mode), [])
    return parse_finding(answer, choices)


def _nth(place: Any, choices: Sequence[Mapping[str, Any]]) -> str | None:
    whole = isinstance(place, int) and not isinstance(place, bool) and 1 <= place <= len(choices)
    return str(choices[place - 1]["memory_id"]) if whole else None


def refusal(answer: Any) -> str:
    """Say in one sentence why an answer was not taken and what is expected."""
    shown = repr(answer)
    shown = shown if len(shown) <= 60 else shown[:57] + "..."
    return f"{shown} is not a mode; answer with one of fresh, extend, revalidate or re-run."
