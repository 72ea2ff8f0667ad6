"""Missing values."""

from collections.abc import Sequence

from datasets.battery._qualities.params import QualityParams
from datasets.battery._wording.words import listed_and, rows_text
from datasets.evidence import Candidate, Claim, ClaimValue
from datasets.plain import number_text
from datasets.sql import ident
from datasets.view import AnalysisView

_MOST_NAMED = 10


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


def _share(part: int, whole: int) -> str:
    return number_text(round(100 * part / whole, 2), unit="%")
