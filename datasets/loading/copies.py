"""The same table twice: files of the same bytes, and tables of the same rows. Each is read once, and that is said.

A folder fills with copies ("sales (1).csv", the workbook beside its export), and whoever puts them under each other
counts every row twice.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

import duckdb

from datasets.loading.links import stem
from datasets.loading.stacking import Loaded

Thing = TypeVar("Thing")
_FEWEST_ROWS = 2
_MOST_TOLD = 5


def apart_from_copies(
    found: Sequence[Thing],
    identity: Callable[[Thing], object],
    called: Callable[[Thing], str],
    alike: str,
    *,
    wanted: str | None,
) -> tuple[list[Thing], list[str]]:
    """Keep the first of those that are the same, or the one that the catalogue has `wanted`; notes name the others.

    :param identity: what those that are the same share; None where nothing can be the same.
    """
    groups: dict[object, list[Thing]] = {}
    for number, one in enumerate(found):
        same = identity(one)
        groups.setdefault(("apart", number) if same is None else ("same", same), []).append(one)
    kept: list[Thing] = []
    copies: list[str] = []
    for group in groups.values():
        named = (one for one in group if wanted is not None and wanted in {called(one), stem(called(one))})
        first = next(named, group[0])
        kept.append(first)
        copies += [f"{called(o)!r} {alike} {called(first)!r}: read once" for o in group if o is not first]
    more = len(copies) - _MOST_TOLD
    return kept, copies[:_MOST_TOLD] + ([f"{more:,} more of such copies left out"] if more > 0 else [])


def without_copies(
    con: duckdb.DuckDBPyConnection, loaded: Sequence[Loaded], *, wanted: str | None
) -> tuple[list[Loaded], list[str]]:
    """Leave out tables that hold, in any order, the rows of another under the same names.

    Numbers and times count as the same however they are written (1 and 1.00), so that a workbook is known beside its
    export.
    """
    shapes = [(frozenset(n.casefold() for n in p.table.names), p.rows) for p in loaded]

    def identity(part: Loaded) -> object:
        shape = (frozenset(n.casefold() for n in part.table.names), part.rows)
        if part.rows < _FEWEST_ROWS or shapes.count(shape) < 2:
            return None
        return (*shape, _digest(con, part))

    return apart_from_copies(loaded, identity, lambda p: p.name, "holds the same rows as", wanted=wanted)


def _digest(con: duckdb.DuckDBPyConnection, part: Loaded) -> tuple[object, ...]:
    """The sum and the exclusive or of the hashes of all rows, which do not depend on their order."""
    order = sorted(range(len(part.table.names)), key=lambda i: part.table.names[i].casefold())
    texts = [f"trim(c{i}::VARCHAR)" for i in order]
    cells = ", ".join(
        f"coalesce(TRY_CAST({t} AS DOUBLE)::VARCHAR, TRY_CAST({t} AS TIMESTAMP)::VARCHAR, nullif({t}, ''), '')"
        for t in texts
    )
    row = con.execute(
        f"SELECT sum(h::HUGEINT), bit_xor(h) FROM (SELECT hash({cells}) AS h FROM raw_{part.number})"
    ).fetchone()
    return row or ()
