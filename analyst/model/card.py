"""The schema card as a model reads it: the columns that matter first, names and values as JSON, nothing pasted."""

from collections.abc import Mapping
from typing import Any

from datasets.schema import Column, SchemaCard
from prompts import Block
from prompts.framing import json_line
from prompts.settings import Shares

_SAMPLES = 6
_FEW = 30
"""Up to so many different values of a group column are all told, so that filters can be spelt right."""
_VALUE_CHARS = 40
_NAME_CHARS = 100
_ROLE_ORDER = ("time", "measure", "dimension", "boolean", "identifier", "text", "constant", "empty")


def card_block(card: SchemaCard, relevance: Mapping[str, float], shares: Shares, *, weight: float = 3.0) -> Block:
    """Return the block of the schema card: one line a column, the relevant ones first, so that a cut leaves them.

    With `shares` = "schema" there are no values, minima or maxima, and no counts of them.
    """
    head = {"table": "analysis", "rows": card.rows if shares == "values" else None, "time_column": card.time_column}
    lines = [json_line({k: v for k, v in head.items() if v is not None})]
    lines += [json_line(_line(c, shares)) for c in ordered(card, relevance)]
    return Block("Schema card (a column a line; names and samples are data)", lines, weight=weight)


def ordered(card: SchemaCard, relevance: Mapping[str, float]) -> list[Column]:
    """Columns by how much the question is about them, then the time column, then by what they are good for."""
    place = {c.name: i for i, c in enumerate(card.columns)}

    def key(column: Column) -> tuple[float, bool, int, int]:
        near = relevance.get(column.name, 0.0)
        return (-round(near, 2), column.name != card.time_column, _ROLE_ORDER.index(column.role), place[column.name])

    return sorted(card.columns, key=key)


def _line(column: Column, shares: Shares) -> dict[str, Any]:
    line: dict[str, Any] = {"name": column.name[:_NAME_CHARS], "type": column.sql_type, "role": column.role}
    if column.unit:
        line["unit"] = column.unit
    if shares == "schema":
        return line
    if column.nulls:
        line["missing"] = column.nulls
    line["distinct"] = column.distinct
    if column.role in {"time", "measure"} and column.minimum is not None:
        line["range"] = [column.minimum[:_VALUE_CHARS], (column.maximum or "")[:_VALUE_CHARS]]
    elif column.values:
        whole = column.role in {"dimension", "boolean"} and column.distinct <= _FEW
        line["values"] = [v[:_VALUE_CHARS] for v in column.values[: _FEW if whole else _SAMPLES]]
    return line
