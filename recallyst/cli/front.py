"""What the command line offers, told at once; what its commands do is loaded when one of them is named."""

import os
import sys
from importlib import metadata

import typer

from recallyst.importing import imported

HELP = "Data analysis with an agent that remembers."
NO_COMMAND = 2
OFFERED = {
    "ask": "Ask one question about a dataset.",
    "resume": "Answer an open gate, or finish a turn that was cut off.",
    "sessions": "List your sessions, the last used first.",
    "chat": "Talk about a dataset; an empty line or `exit` ends the talk, and the session can be taken up again.",
    "demo": "Two sessions on a sample dataset, then one by a colleague who inherits the lag and not the findings.",
    "serve": "Serve the page, and the graph for LangGraph Studio, until Ctrl-C.",
    "doctor": "Look at settings, storage, index, models, datasets and sign-in; say what is wrong and what to do.",
    "datasets": "The catalogue of datasets.",
    "memory": "What is remembered: look, search, forget, take along.",
}
"""Every command with the first line of its help; a test holds them against the commands themselves."""


def main() -> None:
    """Run the command line."""
    if completes() or sys.argv[1:] not in ([], ["--help"], ["--version"]):
        imported("recallyst.cli.app").main()
    elif sys.argv[1:] == ["--version"]:
        typer.echo(version())
    else:
        typer.main.get_command(front())(args=["--help"], prog_name="recallyst", standalone_mode=False)
        sys.exit(0 if sys.argv[1:] else NO_COMMAND)


def version() -> str:
    """The name and the version, as `--version` prints them."""
    return f"recallyst {metadata.version('recallyst')}"


def completes() -> bool:
    """Whether a shell asks how a line could go on."""
    return any(name.startswith("_") and name.endswith("_COMPLETE") for name in os.environ)


def front() -> typer.Typer:
    """The commands by name and help alone."""
    app = typer.Typer(name="recallyst", help=HELP, no_args_is_help=True)
    for name, told in OFFERED.items():
        app.command(name, help=told)(_nothing)

    @app.callback()
    def options(_version: bool = typer.Option(False, "--version", help="print the version and stop")) -> None:
        pass

    return app


def _nothing() -> None:
    """What a command does is told by the command itself."""
