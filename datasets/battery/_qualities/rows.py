"""Repeated rows, and columns that are keys or fail to be."""

from typing import Any

from datasets.battery._qualities.params import QualityParams
from datasets.battery._wording.words import listed_and, name_text, rows_text
from datasets.evidence import Candidate, Claim, ClaimValue
from datasets.plain import number_text, plain
from datasets.schema import Column
from datasets.sql import ident
from datasets.view import AnalysisView

_TOLD = 5
_MOST_KEYS = 6
_OWN_0_1, _VARIED_0_1 = 0.95, 0.2
_OFTEN, _FEWEST_ROWS = 5, 50


def repeated_rows(view: AnalysisView, params: QualityParams) -> list[Candidate]:
    """Count rows that repeat another one exactly (in the named columns, where there are any)."""
    columns = params.asked(view) or list(view.card.columns)
    named = ", ".join(ident(c.name) for c in columns)
    grouped = f"SELECT {named}, count(*) AS copies FROM analysis GROUP BY {named}"
    sql = (
        f"WITH g AS ({grouped}) SELECT sum(copies), count(*), count(*) FILTER (WHERE copies > 1), "
        f"sum(copies) FILTER (WHERE copies > 1), max(copies) FROM g"
    )
    rows, distinct, groups, involved, most = (int(v or 0) for v in view.query(sql).rows[0])
    extra = rows - distinct
    within = f" in {listed_and(list(params.columns))}" if params.columns else ""
    listing = f"{grouped} HAVING count(*) > 1 ORDER BY copies DESC, {named} LIMIT 10"
    found = view.query(listing).rows if extra else []
    statement = f"No row repeats another one{within}: all {rows:,} rows are different."
    if extra:
        first = _told(view, columns, found[0])
        share = number_text(round(100 * extra / rows, 2), unit="%")
        exact = "exactly" if not params.columns else ""
        repeats = "1 row repeats" if extra == 1 else f"{extra:,} rows repeat"
        statement = f"{repeats} an earlier row {exact}{within}, of {rows:,} rows ({share})".replace("  ", " ")
        if most > 2:
            statement += f"; one row occurs {most:,} times: {most:,} identical rows{first}"
        elif first:
            statement += f"; for example the row{first}, {most} times"
        statement += "."
    copies = [] if extra or params.columns else _but_for_keys(view, params, rows)
    return [
        *copies,
        Candidate(
            claim=Claim(
                subject=params.subject("duplicates", ", ".join(params.columns) or None),
                value=ClaimValue(number=extra, unit="rows", direction=None if extra else "none"),
            ),
            statement=statement,
            n=rows,
            null=extra == 0,
            interest_0_1=0.15 if not extra else min(0.9, 0.45 + 0.5 * involved / rows + (0.2 if most > 9 else 0.0)),
            table=[
                {c.name: plain(v) for c, v in zip(columns, row[:-1], strict=True)} | {"copies": int(row[-1])}
                for row in found
            ],
            sql=[sql, listing] if extra else [sql],
            caveats=[f"only a key would show whether the repeats of {rows_text(groups)} are a fault"] if extra else [],
        ),
    ]


def _but_for_keys(view: AnalysisView, params: QualityParams, rows: int) -> list[Candidate]:
    """The record that occurs most often where rows differ in their numbers only: one claim, filed again and again.

    Columns with a value of its own in nearly every row are left out. What is left must hold an amount that seldom
    repeats, or rows of few categories would be alike by nature.
    """
    kept = [c for c in view.card.columns if c.role not in {"constant", "empty"} and c.distinct < _OWN_0_1 * c.rows]
    own = [c for c in view.card.columns if c.distinct >= _OWN_0_1 * max(1, c.rows - c.nulls) and c not in kept]
    varied = [c for c in kept if c.role == "measure" and c.distinct >= _VARIED_0_1 * rows]
    # Readings may well repeat at another time; a record is filed again under another number.
    numbered = any(c.role == "identifier" for c in own)
    if not numbered or not varied or len(kept) < 2 or rows < _FEWEST_ROWS:
        return []
    named = ", ".join(ident(c.name) for c in kept)
    sql = (
        f"SELECT {named}, count(*) AS copies FROM analysis GROUP BY {named} "
        f"HAVING count(*) >= {_OFTEN} ORDER BY copies DESC, {named} LIMIT 10"
    )
    found = view.query(sql).rows
    if not found:
        return []
    most, involved = int(found[0][-1]), sum(int(r[-1]) for r in found)
    share = number_text(round(100 * most / rows, 2), unit="%")
    return [
        Candidate(
            claim=Claim(
                subject=params.subject("duplicates", ", ".join(c.name for c in kept)),
                value=ClaimValue(number=most - 1, unit="rows"),
            ),
            statement=(
                f"One record occurs {most:,} times under a different {listed_and([c.name for c in own])} each time: "
                f"{most:,} of {rows:,} rows ({share}) are otherwise identical{_told(view, kept, found[0])}."
            ),
            n=rows,
            interest_0_1=min(0.9, 0.6 + 0.5 * involved / rows),
            table=[
                {c.name: plain(v) for c, v in zip(kept, row[:-1], strict=True)} | {"copies": int(row[-1])}
                for row in found
            ],
            sql=[sql],
            caveats=["only a check of the records would show whether the repeats are a fault"],
        )
    ]


def _told(view: AnalysisView, columns: list[Column], row: tuple[Any, ...]) -> str:
    """The row in a few words: its measures first, then its most varied names."""
    order = {"measure": 0, "dimension": 1, "identifier": 2, "time": 3}
    chosen = sorted(
        (i for i, c in enumerate(columns) if c.role in order and row[i] is not None),
        key=lambda i: (order[columns[i].role], -columns[i].distinct),
    )[:_TOLD]
    parts = []
    for i in chosen:
        value = number_text(row[i]) if columns[i].role == "measure" else name_text(view.card, "", row[i])
        parts.append(f"{columns[i].name} {value}")
    return f" ({', '.join(parts)})" if parts else ""


def key_checks(view: AnalysisView, params: QualityParams) -> list[Candidate]:
    """Say of each named column (without names: of each that is called like an identifier) whether it is a key.

    Several named columns are judged together as well.
    """
    columns = params.asked(view)
    chosen = [(c,) for c in columns or view.card.by_role("identifier")[:_MOST_KEYS]]
    groups: list[tuple[Column, ...]] = [*chosen]
    if 2 <= len(columns) <= 4 and params.what == "keys":
        groups.append(tuple(columns))
    return [_key(view, params, group) for group in groups]


def _key(view: AnalysisView, params: QualityParams, group: tuple[Column, ...]) -> Candidate:
    names = listed_and([c.name for c in group])
    named = ", ".join(ident(c.name) for c in group)
    present = " AND ".join(f"{ident(c.name)} IS NOT NULL" for c in group)
    sql = (
        f"WITH g AS (SELECT {named}, count(*) AS n FROM analysis WHERE {present} GROUP BY {named}) "
        f"SELECT count(*), coalesce(sum(n), 0), coalesce(max(n), 0), (SELECT count(*) FROM analysis) FROM g"
    )
    distinct, values, most, rows = (int(v) for v in view.query(sql).rows[0])
    repeats, missing = values - distinct, rows - values
    is_key = repeats == 0 and missing == 0
    lacking = f", {missing:,} missing" if missing else ""
    verb = "is" if len(group) == 1 else "are together"
    if is_key:
        said = f"{names} {verb} a key: {distinct:,} distinct values in {rows:,} rows, none missing."
    else:
        repeated = f", {rows_text(repeats, 'repeat')}" if repeats else ", no repeats"
        said = f"{names} {verb} not a key: {distinct:,} distinct of {values:,} values"
        said += f"{repeated}{lacking}."
        said += f" The most frequent value occurs {most:,} times." if most > 2 else ""
    return Candidate(
        claim=Claim(
            subject=params.subject("keys", ", ".join(c.name for c in group)),
            value=ClaimValue(number=repeats, unit="repeats", text="key" if is_key else "not a key"),
        ),
        statement=said,
        n=rows,
        interest_0_1=0.35 if params.columns else (0.15 if is_key else 0.3),
        table=[{"column": names, "rows": rows, "distinct": distinct, "repeats": repeats, "missing": missing}],
        sql=[sql],
    )
