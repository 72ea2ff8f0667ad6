"""Whether a query measures: every figure comes from the view, and comes out the same each time."""

from typing import Any

import duckdb

from datasets.errors import UnsafeSQLError
from datasets.guard import Reading, tree_of, walk

_CLOCK = frozenset({"current_timestamp", "current_date", "current_time", "localtime", "localtimestamp"})
_UNSTEADY = _CLOCK | {
    "random", "setseed", "uuid", "uuidv4", "uuidv7", "gen_random_uuid", "now", "today", "transaction_timestamp",
    "get_current_timestamp", "get_current_time", "current_localtime", "current_localtimestamp", "reservoir_quantile",
}  # fmt: skip
_SOURCES = frozenset({"COLUMN_REF", "STAR", "SUBQUERY", "WINDOW"})
_COUNTS = frozenset({"count", "count_star"})


def check_measured(con: duckdb.DuckDBPyConnection, reading: Reading) -> None:
    """Pass a query whose figures are read from the view, and would be read again the same.

    :raises UnsafeSQLError: for one that reads nothing of the view, samples, asks the clock or a random number, or has
        figures written into it.
    """
    if not reading.reads_view:
        raise UnsafeSQLError("the query does not read analysis, so it measures nothing")
    nodes = list(walk(tree_of(con, reading.sql)))
    exists = {id(node["subquery"]["node"]) for node in nodes if node.get("subquery_type") == "EXISTS"}
    for node in nodes:
        names = {str(n).casefold() for n in node.get("column_names") or ()} & _CLOCK
        names |= {str(node.get("function_name", "")).casefold()} & _UNSTEADY
        if names:
            raise UnsafeSQLError(f"{min(names)!r} gives another result each time; read times from the data")
        if node.get("sample") is not None:
            raise UnsafeSQLError("a sample gives another result each time; read all rows")
    for node in nodes:
        if node.get("type") == "EXPRESSION_LIST":
            raise UnsafeSQLError("VALUES are written into the query, not measured; read them from analysis")
        if node.get("type") == "SELECT_NODE" and id(node) not in exists:
            made_up = next((entry for entry in node.get("select_list") or () if not _is_read(entry)), None)
            if made_up is not None:
                name = made_up.get("alias") or "a column"
                raise UnsafeSQLError(f"{name!r} is written into the query, not measured; read it from analysis")


def _is_read(entry: dict[str, Any]) -> bool:
    """Whether a result column is read from somewhere; a plain text is a name, no figure."""
    literal = entry.get("literal") or {}
    if entry.get("class") == "CONSTANT":
        return literal.get("kind") in {"STRING", "NULL", "BOOLEAN"} or "text" not in literal
    return any(
        node.get("class") in _SOURCES or str(node.get("function_name", "")).casefold() in _COUNTS
        for node in walk(entry)
    )
