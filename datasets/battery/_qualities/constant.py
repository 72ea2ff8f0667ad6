"""Columns that carry no information: empty, constant, or constant but for a few rows."""

from typing import Any

from datasets.battery._qualities.params import QualityParams
from datasets.battery._wording.words import listed_and, name_text
from datasets.evidence import Candidate, Claim, ClaimValue
from datasets.plain import plain
from datasets.sql import ident
from datasets.view import AnalysisView

_MOST_EXCEPTIONS, _NEARLY_0_1, _FEWEST_ROWS = 5, 0.95, 20


def constant_columns(view: AnalysisView, params: QualityParams) -> list[Candidate]:
    """Name the columns without information; that there is none is said only when it is asked for."""
    if view.rows < 2:
        return []
    found, sql = _found(view, params)
    if not found and params.what != "constants":
        return []
    kinds = {kind: [f for f in found if f["is"] == kind] for kind in ("empty", "constant", "nearly constant")}
    said = [
        f"{len(columns):,} {kind}: {listed_and([_words(view, column) for column in columns])}"
        for kind, columns in kinds.items()
        if columns
    ]
    statement = f"Columns that carry no information: {'; '.join(said)}." if said else "No column is empty or constant."
    return [
        Candidate(
            claim=Claim(
                subject=params.subject("constant", params.columns[0] if len(params.columns) == 1 else None),
                value=ClaimValue(
                    number=len(found),
                    unit="columns",
                    text=", ".join(str(f["column"]) for f in found) or None,
                    direction=None if found else "none",
                ),
            ),
            statement=statement,
            n=view.rows,
            null=not found,
            interest_0_1=0.3 if found else 0.1,
            table=found[:50],
            sql=sql,
        )
    ]


def _found(view: AnalysisView, params: QualityParams) -> tuple[list[dict[str, Any]], list[str]]:
    """One row of evidence for each such column. The card says which columns hold few values; the view is counted."""
    columns = [
        c
        for c in params.asked(view) or view.card.columns
        if c.distinct <= _MOST_EXCEPTIONS + 1 and not c.sql_type.startswith(("STRUCT", "MAP"))
    ]
    if not columns:
        return [], []
    modes = ", ".join(f"mode({ident(c.name)}) AS v{i}, count({ident(c.name)}) AS n{i}" for i, c in enumerate(columns))
    equal = ", ".join(
        f"any_value(v{i}), any_value(n{i}), count(*) FILTER (WHERE {ident(c.name)} = v{i})"
        for i, c in enumerate(columns)
    )
    sql = f"WITH m AS (SELECT {modes} FROM analysis) SELECT {equal} FROM analysis, m"
    cells = view.query(sql).rows[0]
    found = []
    for column, value, present, same in zip(columns, cells[::3], cells[1::3], cells[2::3], strict=True):
        kind = _kind(int(present or 0), int(same), view.rows)
        if kind:
            found.append(
                {"column": column.name, "is": kind, "value": plain(value), "rows": int(same), "of": int(present or 0)}
            )
    return found, [sql]


def _words(view: AnalysisView, found: dict[str, Any]) -> str:
    value = name_text(view.card, "", found["value"])
    if found["is"] == "empty":
        return str(found["column"])
    if found["is"] == "constant":
        return f"{found['column']} ({value} in all {found['of']:,} values)"
    return f"{found['column']} ({found['rows']:,} of {found['of']:,} values are {value})"


def _kind(present: int, same: int, rows: int) -> str | None:
    if present == 0:
        return "empty"
    if same == present:
        return "constant"
    few = present - same <= _MOST_EXCEPTIONS and same >= _NEARLY_0_1 * present
    return "nearly constant" if few and rows >= _FEWEST_ROWS else None
