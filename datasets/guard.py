"""The border for SQL from outside: DuckDB's own parser says what it is, and only a SELECT over `analysis` passes."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import duckdb

from datasets.errors import UnsafeSQLError

RELATION = "analysis"
"""The one relation that a statement may read, besides its own WITH clauses."""

_MAX_SQL_CHARS = 100_000
_TABLE_FUNCTIONS = frozenset({"range", "generate_series", "unnest"})
_FORBIDDEN_FUNCTIONS = frozenset(
    {
        "read_text", "read_blob", "read_csv", "read_csv_auto", "read_parquet", "parquet_scan", "read_json",
        "read_json_auto", "read_ndjson", "read_json_objects", "sniff_csv", "glob", "getenv", "getvariable",
        "current_setting", "set_config", "query", "query_table", "nextval", "currval", "write_log",
        "json_execute_serialized_sql", "json_serialize_sql", "json_deserialize_sql", "json_serialize_plan",
        "txid_current", "current_database", "current_schema", "current_schemas", "current_catalog", "current_user",
        "session_user", "user", "current_role", "current_query", "current_connection_id", "current_query_id",
        "version", "in_search_path", "which_secret", "add_parquet_key", "force_checkpoint", "checkpoint",
        "pg_get_viewdef", "pg_get_expr", "pg_get_constraintdef", "pg_typeof", "pg_size_pretty", "sleep", "pg_sleep",
        "from_substrait", "get_substrait", "load_aws_credentials", "sleep_ms", "error",
    }
)  # fmt: skip
_GROWING: dict[str, int | None] = {
    "range": None, "generate_series": None, "repeat": 1, "lpad": 1, "rpad": 1, "list_resize": 1, "array_resize": 1,
    "printf": 0, "format": 0,
}  # fmt: skip
"""Functions that make a value larger than their input, and which argument says how large (None: all of them)."""
_MAX_GROWTH = 100_000
_FORBIDDEN_PREFIXES = ("duckdb_", "pragma_", "read_", "pg_", "has_", "http_", "sqlite_", "postgres_", "mysql_")
_SYSTEM_PREFIXES = ("duckdb_", "pragma_", "pg_", "sqlite_", "information_schema")
"""Names of system views: a WITH clause of that name in one place would let another place read the real one."""
_BRANCHES = (dict, list)
_NODES = frozenset({"SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE"})
_FROM_TYPES = frozenset(
    {"BASE_TABLE", "JOIN", "SUBQUERY", "TABLE_FUNCTION", "EMPTY", "EXPRESSION_LIST", "COLUMN_DATA", "PIVOT"}
)


@dataclass(frozen=True)
class Reading:
    """A statement that passed, and what it reads: column names are in lower case."""

    sql: str
    reads_view: bool
    columns: frozenset[str]
    all_columns: bool


def check(con: duckdb.DuckDBPyConnection, sql: str) -> Reading:
    """Parse without running, and pass exactly one SELECT over `analysis` and its own WITH clauses.

    :raises UnsafeSQLError: for anything else.
    """
    try:
        sql.encode("utf-8")
    except UnicodeEncodeError as error:
        raise UnsafeSQLError("the statement holds characters that are not valid text") from error
    if len(sql) > _MAX_SQL_CHARS:
        raise UnsafeSQLError(f"the statement is longer than {_MAX_SQL_CHARS:,} characters")
    try:
        statements = con.extract_statements(sql)
    except duckdb.Error as error:
        raise UnsafeSQLError(f"not a readable SQL statement: {str(error).splitlines()[0]}") from error
    if len(statements) != 1:
        raise UnsafeSQLError(f"exactly one SELECT is allowed; there are {len(statements)} statements")
    text = statements[0].query.strip().rstrip(";").strip()
    if statements[0].type != duckdb.StatementType.SELECT:
        raise UnsafeSQLError(f"only SELECT is allowed, not {statements[0].type.name}")
    return _inspect(text, tree_of(con, text))


def tree_of(con: duckdb.DuckDBPyConnection, text: str) -> dict[str, Any]:
    row = con.execute("SELECT json_serialize_sql(CAST(? AS VARCHAR))", [text]).fetchone()
    tree: dict[str, Any] = json.loads(row[0]) if row else {"error": True}
    if tree.get("error"):
        raise UnsafeSQLError(f"only a plain SELECT is allowed: {tree.get('error_message', 'it cannot be parsed')}")
    if len(tree.get("statements", [])) != 1:
        raise UnsafeSQLError("exactly one SELECT is allowed")
    return tree


def _inspect(text: str, tree: dict[str, Any]) -> Reading:
    nodes = list(walk(tree))
    lazy = {id(node["function"]) for node in nodes if node.get("type") == "TABLE_FUNCTION" and "function" in node}
    ctes = {str(entry["key"]).casefold() for node in nodes for entry in _entries(node.get("cte_map"))}
    for name in ctes:
        if name == RELATION or name.startswith(_SYSTEM_PREFIXES):
            raise UnsafeSQLError(f"a WITH clause cannot be called {name!r}")
    columns: set[str] = set()
    reads_view = all_columns = False
    for node in nodes:
        kind = node.get("type")
        if isinstance(kind, str):
            if kind.endswith("_NODE") and kind not in _NODES:
                raise UnsafeSQLError(f"only SELECT is allowed, not {kind.removesuffix('_NODE').replace('_', ' ')}")
            if "sample" in node and "class" not in node and not kind.endswith("_NODE") and kind not in _FROM_TYPES:
                raise UnsafeSQLError(f"only {RELATION} can be read, not {kind.replace('_', ' ').lower()}")
        if kind == "BASE_TABLE":
            reads_view |= _check_table(node, ctes)
        elif kind == "TABLE_FUNCTION":
            _check_table_function(node)
        elif node.get("class") == "FUNCTION":
            _check_function(node, lazy=id(node) in lazy)
        elif node.get("class") == "COLUMN_REF":
            parts = [str(part).casefold() for part in node.get("column_names", [])]
            columns |= set(parts)
            all_columns |= parts == [RELATION]
        elif kind == "SELECT_NODE":
            all_columns |= _takes_all(node)
        elif node.get("class") == "PARAMETER":
            raise UnsafeSQLError("a statement with parameters is not allowed; write the values into it")
    return Reading(text, reads_view, frozenset(columns), all_columns)


def _takes_all(select: dict[str, Any]) -> bool:
    """Whether a SELECT takes `*` from the view itself; from a subquery or WITH clause it takes what that one names."""
    stars = any("STAR" in (node.get("class"), node.get("type")) for node in walk(select.get("select_list")))
    stack = [select.get("from_table")] if stars else []
    while stack:
        table = stack.pop()
        if isinstance(table, dict) and table.get("type") != "SUBQUERY":
            if table.get("type") == "BASE_TABLE" and str(table.get("table_name")).casefold() == RELATION:
                return True
            stack += [table.get("left"), table.get("right")]
    return False


def walk(value: Any) -> Iterator[dict[str, Any]]:
    """Every node of a tree, which is JSON: dicts, lists and plain values."""
    stack = [value]
    while stack:
        current = stack.pop()
        if type(current) is dict:
            yield current
            stack += [v for v in current.values() if type(v) in _BRANCHES]
        elif type(current) is list:
            stack += [v for v in current if type(v) in _BRANCHES]


def _entries(cte_map: Any) -> list[dict[str, Any]]:
    return list(cte_map.get("map", [])) if isinstance(cte_map, dict) else []


def _check_table(node: dict[str, Any], ctes: set[str]) -> bool:
    """Whether the table is the view; raises for any other that is not a WITH clause of the statement."""
    name = str(node.get("table_name", ""))
    path = [str(p) for p in (node.get("qualified_name") or {}).get("path", [name])]
    if node.get("schema_name") or node.get("catalog_name") or len(path) > 1:
        raise UnsafeSQLError(f"only {RELATION} can be read, not {'.'.join(path)!r}")
    if node.get("at_clause"):
        raise UnsafeSQLError("AT clauses are not allowed")
    if name.casefold() == RELATION:
        return True
    if name.casefold() not in ctes:
        raise UnsafeSQLError(f"only {RELATION} can be read, not {name!r}")
    return False


def _check_table_function(node: dict[str, Any]) -> None:
    name = str((node.get("function") or {}).get("function_name", "")).casefold()
    if name not in _TABLE_FUNCTIONS:
        raise UnsafeSQLError(f"the table function {name!r} is not allowed")


def _check_function(node: dict[str, Any], *, lazy: bool) -> None:
    """Refuse by name; `lazy` functions stand in FROM, where rows are made one after another and limits can act."""
    name = str(node.get("function_name", "")).casefold()
    if node.get("schema") or node.get("catalog"):
        raise UnsafeSQLError(f"the function {name!r} cannot be called by a schema")
    if name in _FORBIDDEN_FUNCTIONS or name.startswith(_FORBIDDEN_PREFIXES):
        raise UnsafeSQLError(f"the function {name!r} is not allowed")
    if name in _GROWING and not lazy:
        _check_growth(name, [dict(a.get("expression") or a) for a in node.get("arguments", [])])


def _check_growth(name: str, arguments: list[dict[str, Any]]) -> None:
    """Refuse values of a size that no time or memory limit would stop in time: one call computes them in one piece."""
    if any(inner.get("function_name") in _GROWING for argument in arguments for inner in walk(argument)):
        raise UnsafeSQLError(f"{name!r} cannot be used inside another function that makes values larger")
    first = _GROWING[name]
    sizes = arguments if first is None else arguments[first : first + 1]
    for size in sizes:
        if name in {"printf", "format"}:
            text = _constant(size)
            if text is None or re.search(r"\d{4}|\*|\{[^}]*\{", text):
                raise UnsafeSQLError(f"{name!r} needs a written-out pattern with a width below 1,000")
        elif not (_constant(size) or "").lstrip("-").isdigit() or abs(int(_constant(size) or 0)) > _MAX_GROWTH:
            raise UnsafeSQLError(f"{name!r} needs a written-out size of at most {_MAX_GROWTH:,}")


def _constant(node: dict[str, Any]) -> str | None:
    """The text of a literal, a minus sign before it included; None for anything else."""
    if node.get("class") == "FUNCTION" and node.get("function_name") == "-" and len(node.get("arguments", [])) == 1:
        inner = node["arguments"][0]
        text = _constant(dict(inner.get("expression") or inner))
        return None if text is None else "-" + text
    if node.get("class") != "CONSTANT":
        return None
    held = node.get("literal") or {}
    return None if held.get("text") is None else str(held["text"])
