"""Recallyst: data analysis with an agent that remembers."""

from graph.app import build_graph
from memory import open_memory
from recallyst.api import Recallyst, Turn
from recallyst.document import Document
from recallyst.errors import UserError

__all__ = ["Document", "Recallyst", "Turn", "UserError", "build_graph", "open_memory"]
