"""Missing values, and columns that hold one value only."""

from collections.abc import Sequence

from datasets.battery._quality_params import QualityParams
from datasets.battery._words import listed_and, name_text, rows_text
from datasets.evidence import Candidate, Claim, ClaimValue
from datasets.plain import number_text, plain
from datasets.schema import Column
from datasets.sql import ident
from datasets.view import AnalysisView

_MOST_NAMED = 10
_NEARLY_0_1 = 0.95


def missing_values(view: AnalysisView, params: QualityParams) -> list[Candidate]:
    """Count the missing values of each asked column; without asked columns one list of all, most first."""
    columns = params.asked(view) or list(view.card.columns)
    counts = ", ".join(f"count({ident(c.name)})" for c in columns)
    sql = f"SELECT count(*), {counts} FROM analysis"
    rows, *present = (int(v) for v in view.query(sql).rows[0])
    found = [(c.name, rows - n) for c, n in zip(columns, present, strict=True)]
    if params.columns:
        return [_one(params, name, missing, rows, sql) for name, missing in found]
    return [_all(params, [f for f in found if f[1]], len(columns), rows, sql)]


def _one(params: QualityParams, name: str, missing: int, rows: int, sql: str) -> Candidate:
    return Candidate(
        claim=Claim(
            subject=params.subject("missing", name),
            value=ClaimValue(number=missing / rows, unit="share", direction=None if missing else "none"),
        ),
        statement=f"{name}: {missing:,} of {rows_text(rows, 'value')} are missing ({_share(missing, rows)})."
        if missing
        else f"{name}: no value is missing ({rows_text(rows)}).",
        n=rows,
        null=missing == 0,
        interest_0_1=0.4,
        table=[{"column": name, "missing": missing, "rows": rows, "share": missing / rows}],
        sql=[sql],
    )


def _all(params: QualityParams, found: Sequence[tuple[str, int]], columns: int, rows: int, sql: str) -> Candidate:
    ranked = sorted(found, key=lambda f: -f[1])
    if ranked:
        named = [f"{name} {missing:,} ({_share(missing, rows)})" for name, missing in ranked[:_MOST_NAMED]]
        more = f" and {len(ranked) - _MOST_NAMED} more columns" if len(ranked) > _MOST_NAMED else ""
        have = "has" if len(ranked) == 1 else "have"
        statement = (
            f"{len(ranked):,} of {columns:,} columns {have} missing values, of {rows_text(rows)}: "
            f"{', '.join(named) + more if more else listed_and(named)}."
        )
    else:
        statement = f"No values are missing in the {rows_text(columns, 'column')} ({rows_text(rows)})."
    return Candidate(
        claim=Claim(
            subject=params.subject("missing", None),
            value=ClaimValue(
                number=len(ranked),
                unit="columns",
                text=ranked[0][0] if ranked else None,
                direction=None if ranked else "none",
            ),
        ),
        statement=statement,
        n=rows,
        null=not ranked,
        interest_0_1=0.4 if ranked else 0.15,
        table=[{"column": name, "missing": n, "rows": rows, "share": n / rows} for name, n in ranked[:50]],
        sql=[sql],
    )


def constant_columns(view: AnalysisView, params: QualityParams) -> list[Candidate]:
    """Name the columns that are empty, constant, or constant but for a few rows; none is said only when asked for."""
    columns = [c for c in params.asked(view) or view.card.columns if not c.sql_type.startswith(("STRUCT", "MAP"))]
    if not columns or view.rows < 2:
        return []
    parts = ", ".join(f"mode({ident(c.name)}), count({ident(c.name)})" for c in columns)
    sql = f"SELECT {parts} FROM analysis"
    cells = view.query(sql).rows[0]
    modes, present = cells[::2], [int(n) for n in cells[1::2]]
    equal = ", ".join(f"count(*) FILTER (WHERE {ident(c.name)} = m.v{i})" for i, c in enumerate(columns))
    values = ", ".join(f"mode({ident(c.name)}) AS v{i}" for i, c in enumerate(columns))
    counted = f"WITH m AS (SELECT {values} FROM analysis) SELECT {equal} FROM analysis, m"
    alike = [int(n) for n in view.query(counted).rows[0]]
    empty, constant, nearly = [], [], []
    table = []
    for column, value, n, same in zip(columns, modes, present, alike, strict=True):
        kind = _kind(column, n, same, view.rows)
        if kind is None:
            continue
        table.append({"column": column.name, "is": kind, "value": plain(value), "rows": same, "of": view.rows})
        if kind == "empty":
            empty.append(column.name)
        elif kind == "constant":
            constant.append(f"{column.name} ({name_text(view.card, '', value)} in all {n:,} values)")
        else:
            nearly.append(f"{column.name} ({same:,} of {n:,} values are {name_text(view.card, '', value)})")
    if not table and params.what != "constants":
        return []
    said = [f"{len(empty):,} empty: {listed_and(empty)}"] if empty else []
    said += [f"{len(constant):,} constant: {listed_and(constant)}"] if constant else []
    said += [f"{len(nearly):,} nearly constant: {listed_and(nearly)}"] if nearly else []
    statement = f"Columns that carry no information: {'; '.join(said)}." if said else "No column is empty or constant."
    return [
        Candidate(
            claim=Claim(
                subject=params.subject("constant", params.columns[0] if len(params.columns) == 1 else None),
                value=ClaimValue(
                    number=len(table),
                    unit="columns",
                    text=", ".join(str(t["column"]) for t in table) or None,
                    direction=None if table else "none",
                ),
            ),
            statement=statement,
            n=view.rows,
            null=not table,
            interest_0_1=0.3 if table else 0.1,
            table=table[:50],
            sql=[sql, counted],
        )
    ]


def _kind(column: Column, present: int, same: int, rows: int) -> str | None:
    if present == 0:
        return "empty"
    if same == present:
        return "constant"
    return "nearly constant" if same >= _NEARLY_0_1 * present and present - same <= 5 and rows >= 20 else None


def _share(part: int, whole: int) -> str:
    return number_text(round(100 * part / whole, 2), unit="%")
