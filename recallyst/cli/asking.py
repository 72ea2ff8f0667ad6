"""Asking a person at a terminal: a line with history, and a choice by arrow keys."""

from collections.abc import Sequence
from pathlib import Path

from prompt_toolkit import PromptSession
from prompt_toolkit.history import FileHistory
from prompt_toolkit.shortcuts import choice

LEAVE_OPEN = "leave it open"


def line_reader(history: Path) -> PromptSession[str]:
    """Return a reader of lines that remembers what was typed in earlier talks; the file is its owner's alone.

    Reading raises EOFError at the end of input, and KeyboardInterrupt for Ctrl-C.
    """
    history.parent.mkdir(parents=True, exist_ok=True)
    history.touch(mode=0o600)
    return PromptSession(history=FileHistory(str(history)))


def choose(question: str, options: Sequence[tuple[str, str]], *, default: str) -> str | None:
    """Let a person choose one of (value, text) with the arrow keys or its number; None when they leave it open."""
    shown = [*options, ("", LEAVE_OPEN)]
    try:
        chosen: str = choice(question, options=shown, default=default, symbol="→")
    except (KeyboardInterrupt, EOFError):
        return None
    return chosen or None
