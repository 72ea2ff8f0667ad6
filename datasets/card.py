"""The schema card: roles and exact counts of every column of a parsed copy."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

import duckdb

from datasets.loading import ROW, TABLE
from datasets.plain import plain
from datasets.schema import Column, Role, SchemaCard
from datasets.sql import ident, literal

_MAX_VALUES = 1_000
_MIN_VALUES = 20
_MAX_VALUES_OF_ALL = 20_000
_MAX_MEASURE_VALUES = 50
_MAX_VALUE_CHARS = 200
_FEW = 20
"""Up to so many different codes serve as groups (stores, regions) rather than as identifiers."""
_ID_NAME = re.compile(
    r"(?i)(^|[_\W])(id|ids|uuid|guid|key|code|number|no|nr|num|ref|reference|fips|zip|zipcode|postcode|sku|isbn|ssn|"
    r"phone|email|token|hash|serial|ticket|tag|index|idx)$|nr\.$|nummer$|(?-i:[a-z](Id|ID|UUID|No|Nr|Code|Key)$)"
)
_ROW_NAME = re.compile(
    r"(?i)^Unnamed: |^(row|rows|line|record|obs|observation|seq|sequence|n|i|#)([_ ]?(no|nr|num|number))?$"
)
_COUNT_NAME = re.compile(r"(?i)(^|[_\W])(number|no\.?|num|nr)[ _]of[ _]|^n_|count|total")
_QUANTITY_NAME = re.compile(
    r"(?i)(^|[_\W])(age|amount|amt|qty|quantity|count|total|sum|price|cost|value|score|stars?|rating|rank|children|"
    r"rooms|hours|days|minutes|seconds|weight|height|size|length|width|distance|revenue|sales|units?|orders|visits|"
    r"points|wins|deaths|cases|parch|sibsp|salary|income|temp\w*|percent\w*|pct|rate|duration|level|spend|profit|cost)"
    r"($|[_\W])"
)
_YEAR_NAME = re.compile(r"(?i)(^|[_\W])(year|yr|jahr|fy)($|[_\W])|(^|[a-z])Year$")
_PERIOD_NAME = re.compile(r"(?i)(^|[_\W])(month|quarter|week|weekday|dow|hour)($|[_\W])")
_TIME_NAME = re.compile(
    r"(?i)(^|[_\W])(time|t|day|date|week|month|quarter|year|hour|minute|second|step|period|round)s?($|[_\W])"
)
_CODE_NAME = re.compile(
    r"(?i)(class|type|status|state|category|cat|group|band|grade|tier|flag|cluster|segment|stage|bin)"
)
_CODE_TEXT = r"\S*(\d\S*[A-Za-z]|[A-Za-z]\S*\d)\S*|0\d+|\d{15,}"
"""Text that looks like a code: letters with digits, leading zeros, very long numbers."""
_UNITS = (
    (re.compile(r"(?i)percent|pct|%"), "%"),
    (re.compile(r"(?i)[_ (](usd|us\$)\)?($|[_ ])"), "USD"),
    (re.compile(r"(?i)[_ (]eur(o|os)?\)?($|[_ ])"), "EUR"),
    (re.compile(r"(?i)[_ (]gbp\)?($|[_ ])"), "GBP"),
    (re.compile(r"(?i)(^|[_ (])days?\)?$"), "days"),
    (re.compile(r"(?i)(^|[_ (])(hours?|hrs?)\)?$"), "hours"),
    (re.compile(r"(?i)(^|[_ (])(minutes|mins?)\)?$"), "minutes"),
    (re.compile(r"(?i)(^|[_ (])(seconds|secs?)\)?$"), "seconds"),
)
_MINIMUM = re.compile(r"(?i)[_ (]+min\)?$")
_STATISTIC = re.compile(r"(?i)[_ (]+(max|median|mean|avg|average)\)?$")
_TIME_FIRST = re.compile(
    r"(?i)(^|[_\W])(date|time|timestamp|ts|day|datetime|opened|open|created|creation|start|started|begin|order|ordered|"
    r"purchased|booked|event|visit|paid|recorded|observed|seen|invoice|sold|issued|reported|hired|signup|joined)"
)
_TIME_LAST = re.compile(
    r"(?i)(^|[_\W])(end|ended|closed|close|updated|update|modified|resolved|finished|due|expir\w*|warranty|processed|"
    r"completed|deleted|delivery|shipped|birth\w*|dob|until|to|deadline|scheduled?)"
)


@dataclass(frozen=True)
class _Look:
    """What the cells of a column look like as text."""

    mean_chars: float
    mean_spaces: float
    code_share_0_1: float


def build_card(
    con: duckdb.DuckDBPyConnection, dataset: str, units: dict[str, str], notes: tuple[str, ...]
) -> SchemaCard:
    """Measure table `store.data` of the connection; all counts are exact."""
    described = con.execute(f"DESCRIBE store.{TABLE}").fetchall()
    types = {str(row[0]): str(row[1]) for row in described if row[0] != ROW}
    row = con.execute(f"SELECT count(*) FROM store.{TABLE}").fetchone()
    rows = int(row[0]) if row else 0
    listed = max(_MIN_VALUES, min(_MAX_VALUES, _MAX_VALUES_OF_ALL // max(1, len(types))))
    columns = tuple(_column(con, name, sql_type, rows, units.get(name), listed) for name, sql_type in types.items())
    columns = tuple(c if c.name in units else _without_minimum(c, types) for c in columns)
    return SchemaCard(dataset=dataset, rows=rows, columns=columns, time_column=time_column(columns), notes=notes)


def time_column(columns: tuple[Column, ...]) -> str | None:
    """The column that tells when the event of a row happened: by name, few gaps, and spread."""
    best: tuple[float, str] | None = None
    for position, column in enumerate(columns):
        if column.role != "time" or column.rows == 0:
            continue
        score = 2.0 * (column.rows - column.nulls) / column.rows
        score += min(1.0, column.distinct / 30)
        score += 1.0 if _TIME_FIRST.search(column.name) else 0.0
        score -= 2.0 if _TIME_LAST.search(column.name) else 0.0
        score -= position / 1_000
        if best is None or score > best[0]:
            best = (score, column.name)
    return best[1] if best else None


def _column(
    con: duckdb.DuckDBPyConnection, name: str, sql_type: str, rows: int, unit: str | None, listed: int
) -> Column:
    """Describe a column from its distinct values, which are gathered in one pass over the rows."""
    c = ident(name)
    nested = sql_type.endswith("]") or sql_type.startswith(("STRUCT", "MAP", "UNION", "VARIANT"))
    value = f"{c}::VARCHAR" if nested else c
    con.execute(
        f"CREATE OR REPLACE TEMP TABLE seen AS SELECT {value} AS v, count(*) AS n FROM store.{TABLE} GROUP BY 1"
    )
    bounds = "min(v)::VARCHAR, max(v)::VARCHAR" if not nested else "NULL, NULL"
    found = con.execute(f"SELECT coalesce(sum(n) FILTER (v IS NULL), 0), count(v), {bounds} FROM seen").fetchone()
    assert found is not None
    nulls, distinct = int(found[0]), int(found[1])
    draft = Column(name=name, sql_type=sql_type, role="text", rows=rows, nulls=nulls, distinct=distinct)
    role = _role(con, draft, nested)
    limit = min(listed, _MAX_MEASURE_VALUES) if role == "measure" else listed
    values = con.execute(
        f"SELECT v::VARCHAR FROM seen WHERE v IS NOT NULL AND length(v::VARCHAR) <= {_MAX_VALUE_CHARS}"
        f" ORDER BY n DESC, 1 LIMIT {limit}"
    ).fetchall()
    card = draft.model_copy(
        update={
            "role": role,
            "values": tuple(str(v) for (v,) in values),
            "minimum": _text(found[2]),
            "maximum": _text(found[3]),
        }
    )
    return card.model_copy(update={"unit": unit or _unit_from_name(name, card)})


def _look(con: duckdb.DuckDBPyConnection) -> _Look:
    found = con.execute(
        f"SELECT sum(n * length(v)) / sum(n), sum(n * (length(v) - length(replace(v, ' ', '')))) / sum(n),"
        f" sum(n) FILTER (regexp_full_match(v, {literal(_CODE_TEXT)})) / sum(n) FROM seen WHERE v IS NOT NULL"
    ).fetchone()
    assert found is not None
    return _Look(float(found[0] or 0.0), float(found[1] or 0.0), float(found[2] or 0.0))


def _text(value: object) -> str | None:
    return None if value is None else str(plain(value))[:_MAX_VALUE_CHARS]


def _role(con: duckdb.DuckDBPyConnection, column: Column, nested: bool) -> Role:
    present = column.rows - column.nulls
    if present == 0:
        return "empty"
    if column.distinct == 1 and column.nulls == 0 and column.rows > 1:
        return "constant"
    if column.sql_type == "BOOLEAN":
        return "boolean"
    if column.temporal:
        return "time"
    if nested or column.sql_type in {"BLOB", "BIT"}:
        return "text"
    if column.sql_type == "UUID":
        return "identifier"
    if column.sql_type.startswith(("INTERVAL", "TIME")):
        return "dimension"
    unique = column.distinct == present
    if column.numeric:
        return _numeric_role(con, column, present, unique)
    return _text_role(column, present, _look(con))


def _numeric_role(con: duckdb.DuckDBPyConnection, column: Column, present: int, unique: bool) -> Role:
    name = column.name
    if not (column.sql_type.endswith(("INT", "INTEGER")) or column.sql_type.endswith(",0)")):
        return "measure"
    quantity = bool(_QUANTITY_NAME.search(name) or _COUNT_NAME.search(name))
    few = column.distinct <= _FEW and column.distinct <= 0.5 * present
    low, high, gapless = _range(con)
    row_name = _ROW_NAME.search(name) and (gapless or name.startswith("Unnamed: "))
    counts_rows = gapless and low in {0, 1} and present > _FEW and not (quantity or _TIME_NAME.search(name))
    if unique and column.nulls == 0 and (row_name or counts_rows) and _rising(con, name):
        return "identifier"
    if _ID_NAME.search(name) and not _COUNT_NAME.search(name):
        return "dimension" if few else "identifier"
    if high >= 10**15 and column.distinct > 0.5 * present:
        return "identifier"
    if _YEAR_NAME.search(name) and low >= 1800 and high <= 2100:
        return "dimension"
    if low == 0 and high == 1:
        return "boolean"
    if quantity:
        return "measure"
    if _PERIOD_NAME.search(name) and low >= 0 and high <= 53:
        return "dimension"
    if column.distinct <= 12 and (present > 100 or _CODE_NAME.search(name)) and few:
        return "dimension"
    return "measure"


def _range(con: duckdb.DuckDBPyConnection) -> tuple[float, float, bool]:
    """Smallest, largest, and whether the values are exactly the whole numbers between them."""
    row = con.execute("SELECT min(v)::DOUBLE, max(v)::DOUBLE, count(v) = max(v) - min(v) + 1 FROM seen").fetchone()
    assert row is not None
    return float(row[0]), float(row[1]), bool(row[2])


def _rising(con: duckdb.DuckDBPyConnection, name: str) -> bool:
    """Whether the numbers grow from row to row, as a row number does after some rows were taken out."""
    c = ident(name)
    row = con.execute(
        f"SELECT count(*) FROM (SELECT {c} AS x, lag({c}) OVER (ORDER BY {ident(ROW)}) AS p FROM store.{TABLE})"
        f" WHERE x <= p"
    ).fetchone()
    return bool(row and row[0] == 0)


def _text_role(column: Column, present: int, look: _Look) -> Role:
    share = column.distinct / present
    if look.mean_chars > 60 and column.distinct > 20:
        return "text"
    many = share > 0.5 or column.distinct > (_FEW if look.code_share_0_1 > 0.9 else 100)
    if _ID_NAME.search(column.name) and look.mean_spaces < 2 and many:
        return "identifier"
    if share > 0.9 and present >= 20 and look.code_share_0_1 > 0.9:
        return "identifier"
    if look.mean_spaces >= 2 and share > 0.5 and column.distinct > 20:
        return "text"
    return "dimension"


def _unit_from_name(name: str, column: Column) -> str | None:
    if not column.numeric:
        return None
    for pattern, unit in _UNITS:
        if pattern.search(name) and (unit != "%" or _beyond_one(column)):
            return unit
    return None


def _without_minimum(column: Column, names: Iterable[str]) -> Column:
    """Take "minutes" off a column whose `min` is a minimum: one that has a sibling with max, median or mean."""
    stem = _MINIMUM.sub("", column.name)
    if column.unit != "minutes" or stem == column.name:
        return column
    siblings = {_STATISTIC.sub("", n) for n in names if _STATISTIC.search(n)}
    return column.model_copy(update={"unit": None}) if stem in siblings else column


def _beyond_one(column: Column) -> bool:
    """Whether a share is written in percent rather than between 0 and 1."""
    return max(abs(float(column.minimum or 0)), abs(float(column.maximum or 0))) > 1.5
