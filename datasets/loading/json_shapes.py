"""JSON that holds a table in another shape than a list of records, rewritten as records."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_LARGEST_BYTES = 64 << 20
_ALIKE = 0.5

Record = dict[str, Any]


def as_records(path: Path, target: Path) -> str | None:
    """Write the rows of a JSON table to `target`, a record a line; say which shape they had, None where it has none.

    Read are columns by name ({"a": [1, 2], "b": [3, 4]}), rows below their headings ([["a", "b"], [1, 3]]), the two
    apart ({"columns": ["a", "b"], "data": [[1, 3]]}), and records by key ({"x": {"a": 1}, "y": {"a": 2}}). Files of
    more than 64 MiB stay as they are.
    """
    if path.stat().st_size > _LARGEST_BYTES:
        return None
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        return None
    shape, records = _found(value)
    if shape is None:
        return None
    with target.open("w", encoding="utf-8") as out:
        for record in records:
            out.write(json.dumps(record, ensure_ascii=False) + "\n")
    return shape


def _found(value: Any) -> tuple[str | None, Iterator[Record]]:
    if isinstance(value, list) and len(value) > 1 and _is_table(value[0], value[1:]):
        return "rows below their headings", _zipped(value[0], value[1:])
    if not isinstance(value, dict):
        return None, iter(())
    for names, rows in (("columns", "data"), ("fields", "rows"), ("columns", "rows"), ("headers", "rows")):
        if isinstance(value.get(rows), list) and _is_table(value.get(names), value[rows]):
            return "rows apart from their headings", _zipped(value[names], value[rows])
    inner = list(value.values())
    lists = len(inner) > 1 and all(isinstance(v, list) and v and not any(map(_nested, v)) for v in inner)
    if lists and len({len(v) for v in inner}) == 1:
        return "columns by name", (dict(zip(value, row, strict=True)) for row in zip(*inner, strict=True))
    objects = len(inner) > 1 and all(isinstance(v, dict) and v for v in inner)
    if objects and all(list(v) == [str(i) for i in range(len(inner[0]))] for v in inner):
        return "columns by name", ({name: v[k] for name, v in value.items()} for k in inner[0])
    if len(inner) > 2 and objects:
        every = set[str]().union(*inner)
        if all(len(v) >= _ALIKE * len(every) for v in inner) and "key" not in every:
            return "records by key", ({"key": key, **record} for key, record in value.items())
    return None, iter(())


def _is_table(names: Any, rows: list[Any]) -> bool:
    named = isinstance(names, list) and len(names) > 1 and all(isinstance(n, str) for n in names)
    return named and len(set(names)) == len(names) and all(isinstance(r, list) and len(r) <= len(names) for r in rows)


def _zipped(names: list[str], rows: list[list[Any]]) -> Iterator[Record]:
    return (dict(zip(names, [*row, *[None] * (len(names) - len(row))], strict=True)) for row in rows)


def _nested(value: Any) -> bool:
    return isinstance(value, dict | list)
