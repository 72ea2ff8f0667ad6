"""The command line: `recallyst`."""

from recallyst.cli.front import main

__all__ = ["main"]
