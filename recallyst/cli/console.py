"""Where a command writes: progress on stderr, results on stdout."""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn

from recallyst.api import Progress as Listener

PHASES = {
    "understand": "reading the question",
    "recall": "recalling what is known",
    "gate": "at the gate",
    "plan": "checking the data, planning",
    "battery": "measuring",
    "report": "writing the report",
    "consolidate": "keeping what deserves it",
    "transcript": "listening to what was said",
}

LEAVE = frozenset({"exit", "quit", "bye", ":q"})


class Output:
    """Where a command writes: a person's terminal, or one JSON document on stdout."""

    def __init__(self, *, as_json: bool, quiet: bool = False) -> None:
        self.as_json, self.quiet = as_json, quiet
        self.stdout = Console(file=sys.stdout, highlight=False, soft_wrap=not sys.stdout.isatty())
        self.stderr = Console(file=sys.stderr, highlight=False)
        self.on_progress: Listener | None = None
        self._bar: Progress | None = None

    @property
    def can_ask(self) -> bool:
        """Whether a person sits at the terminal and can be asked."""
        return not self.as_json and sys.stdin.isatty() and sys.stdout.isatty()

    @contextmanager
    def progress(self) -> Iterator[Listener]:
        """Show phases and steps on stderr while work goes on; nothing where stderr is not a terminal."""
        bar = Progress(
            SpinnerColumn(), TextColumn("{task.description}"), BarColumn(bar_width=24),
            TextColumn("{task.fields[detail]}"), console=self.stderr, transient=True,
            disable=self.quiet or not self.stderr.is_terminal,
        )  # fmt: skip
        task = bar.add_task("starting", total=None, detail="")

        def listen(event: Mapping[str, Any]) -> None:
            if "answer" in event:
                return
            phase = PHASES.get(str(event.get("phase")), str(event.get("phase")))
            if "step" in event:
                detail = escape(f"{event['step']}/{event['steps']} {event.get('reason') or event['kind']}")
                bar.update(task, description=phase, completed=event["step"] - 1, total=event["steps"], detail=detail)
            else:
                bar.update(task, description=phase, completed=0, total=None, detail="")

        self.on_progress, self._bar = listen, bar
        with bar:
            yield listen

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Take the progress away while a person is asked."""
        if self._bar is not None:
            self._bar.stop()
        yield
        if self._bar is not None:
            self._bar.start()

    def print_json(self, document: str) -> None:
        """Write one JSON document on stdout, as it is."""
        sys.stdout.write(document + "\n")

    def say(self, *parts: Any) -> None:
        """Print to stdout; text must be escaped by the caller where it comes from data."""
        self.stdout.print(*parts)
