"""Which columns identify a record: the evidence that two equal rows are the same record and not two alike."""

from __future__ import annotations

import re
from itertools import combinations

from datasets.quality._scan import Scan
from datasets.schema import Column
from datasets.sql import ident

_ID_NAME = re.compile(
    r"(^|[_\s\-.])(id|ids|uuid|guid|key|no|nr|num|number|code|ref|reference|serial|ticket|invoice|order|sku|tag)$"
    r"|[a-z](Id|ID|Key|No|Nr|Number|Code|Ref)$",
)
_ID_WORD = re.compile(r"^(id|uuid|guid|number|serial|key|code|ref|reference)$", re.IGNORECASE)
_POSITION_NAME = re.compile(r"(^|_)(line|seq|sequence|pos|position|item|step|attempt)(_|$)", re.IGNORECASE)
_MOST_PAIRS = 10
_CHANCES_TO_COLLIDE = 10
"""A pair has shown nothing if the identifier alone is all but unique already."""


def looks_like_id(column: Column) -> bool:
    """Whether name or role say that the column names a thing rather than measures or groups it."""
    if column.role in {"constant", "empty", "boolean", "time"} or column.sql_type.startswith(("DOUBLE", "FLOAT")):
        return False
    if column.role == "identifier":
        return True
    name = column.name
    return bool(_ID_WORD.match(name) or _ID_NAME.search(name) or _ID_NAME.search(name.lower()))


def record_key(scan: Scan, distinct_rows: int) -> tuple[str, ...] | None:
    """Return the smallest key (one column, else two) with an identifier in it under which every distinct row is unique.

    A key exists only if no two different rows share it, so each repeat of a key is an exact repeat of a row. A customer
    and a day are a key only beside a value that is nearly unique: two like purchases on one day are two purchases.
    """
    columns = [c for c in scan.card.columns if c.role not in {"constant", "empty"} and c.nulls == 0]
    ids = [c for c in columns if looks_like_id(c) and c.distinct > 2]
    single = [c for c in ids if c.distinct == distinct_rows]
    if single:
        return (single[0].name,)
    fine = any(c.distinct >= 0.5 * distinct_rows for c in columns if c not in ids)
    partners = [c for c in columns if c in ids or c.role in {"dimension", "time"} or _POSITION_NAME.search(c.name)]
    pairs = [
        (a, b)
        for a, b in combinations(partners, 2)
        if (a in ids or b in ids)
        and distinct_rows - max(a.distinct, b.distinct) >= _CHANCES_TO_COLLIDE
        and a.distinct * b.distinct >= distinct_rows
        and (fine or not (a.sql_type == "DATE" or b.sql_type == "DATE"))
    ]
    pairs.sort(key=lambda pair: (-sum(c in ids for c in pair), pair[0].distinct + pair[1].distinct))
    pairs = pairs[:_MOST_PAIRS]
    if not pairs:
        return None
    counts = ", ".join(f"count(DISTINCT hash({ident(a.name)}, {ident(b.name)}))" for a, b in pairs)
    for (a, b), count in zip(pairs, scan.one(f"SELECT {counts} FROM analysis"), strict=True):
        if count == distinct_rows:
            order = sorted((a, b), key=lambda c: (c not in ids, -c.distinct))
            return order[0].name, order[1].name
    return None
