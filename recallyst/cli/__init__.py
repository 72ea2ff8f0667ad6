"""The command line: `recallyst`."""

from recallyst.cli.app import main

__all__ = ["main"]
