"""The page and its routes, mounted into the LangGraph server."""

from web.assembly import create_app

__all__ = ["create_app"]
