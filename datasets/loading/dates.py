"""Text that means a date or a time: which formats a column uses, and whether the day or the month comes first."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import duckdb

from datasets.plain import counted
from datasets.sql import literal

Order = Literal["day first", "month first"]

_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_TIME = re.compile(
    r"(?P<sep>[T _]|, )(?P<h>\d{1,2}):(?P<m>\d{2})(?P<s>:\d{2})?(?P<f>[.,]\d{1,9})?(?P<ap> ?[AaPp][Mm])?"
    r"(?P<zone>_TAI| ?Z| ?UTC| ?GMT| ?[+-]\d{2}(?::?\d{2})?)?"
)
_NUMERIC_ORDER = re.compile(r"(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d{2})")
_MAX_SHAPES = 24
_WEEK = re.compile(r"(19|20)\d\d[- ]?W\d{2}")
_MONDAY = "%G-W%V-%u"
_OFFSET = " ?(?:Z|UTC|GMT|[+-][0-9]{2}(?::?[0-9]{2})?)$"


@dataclass(frozen=True)
class DateReading:
    """How trimmed text becomes a date or a timestamp; without a cast, `note` says why it stays text."""

    cast: Callable[[str], str] | None
    sql_type: str
    order: Order | None = None
    ambiguous: bool = False
    note: str | None = None


@dataclass(frozen=True)
class _Shape:
    formats: tuple[str, ...]
    has_time: bool
    zoned: bool
    ordered: bool


def date_reading(
    con: duckdb.DuckDBPyConnection, total: int, *, prefer: Order | None = None, settled: Order | None = None
) -> DateReading | None:
    """Read the values of temp table `vals(v, n)` as dates; None when fewer than 99.5 % of `total` are dates.

    :param prefer: the order taken where the values themselves allow both.
    :param settled: the order that a person has named; values that do not fit it are not read.
    """
    shapes = _shapes(con)
    if not shapes or sum(n for n, _ in shapes) < 0.995 * total:
        return None
    known = [shape for _, shape in shapes]
    order: Order | None = None
    ambiguous, note = False, None
    if any(shape.ordered for shape in known):
        day_only, month_only, either = _order_evidence(con)
        if settled:
            order = settled
        elif day_only and month_only:
            return DateReading(None, "VARCHAR", note=_mixed(day_only, month_only, either))
        else:
            ambiguous = not day_only and not month_only
            order = prefer or _by_sequence(con) or "day first"
            if not ambiguous:
                order = "day first" if day_only else "month first"
    zoned = any(shape.zoned for shape in known)
    if zoned and not all(shape.zoned for shape in known):
        note = "some values carry a time zone and some do not; those without were read as UTC"
    formats = list(dict.fromkeys(f for shape in known for f in _ordered_formats(shape, order)))
    if _MONDAY in formats:
        note = "weeks of the year (ISO 8601) were read as their Mondays"
    clocks = _local_clock(con) if zoned and note is None else ()
    if clocks:
        zoned, formats = False, [f.removesuffix("|zone") for f in formats]
        note = f"times carry their offset ({' and '.join(clocks)}); days and months are counted on that clock"

    def moment(v: str) -> str:
        return _expression(formats, f"regexp_replace({v}, {literal(_OFFSET)}, '')" if clocks else v, zoned)

    if zoned:
        return DateReading(moment, "TIMESTAMP WITH TIME ZONE", order, ambiguous, note)
    if any(shape.has_time for shape in known) and not _all_midnight(con, moment("v")):
        return DateReading(moment, "TIMESTAMP", order, ambiguous, note)
    return DateReading(lambda v: f"CAST({moment(v)} AS DATE)", "DATE", order, ambiguous, note)


def _local_clock(con: duckdb.DuckDBPyConnection) -> tuple[str, ...]:
    """The offsets of one place: the only one there is, or summer and winter time; empty where places are mixed, or UTC.

    Summer and winter time lie an hour apart and never meet on one day, but for the days when clocks change.
    """
    rows = con.execute(
        f"SELECT trim(regexp_extract(v, {literal(_OFFSET)})) AS zone, list(DISTINCT left(v, 10)) FROM vals"
        f" WHERE class <> 'missing' GROUP BY 1 ORDER BY 1 LIMIT 3"
    ).fetchall()
    days = {str(zone): set(seen) for zone, seen in rows}
    minutes = [_minutes(zone) for zone in days]
    if len(days) == 1:
        return tuple(days) if minutes[0] else ()
    if len(days) != 2 or abs(minutes[0] - minutes[1]) != 60:
        return ()
    one, other = days.values()
    changes = len({day[:4] for day in one | other}) * 2
    return tuple(days) if len(one & other) <= changes else ()


def _minutes(zone: str) -> int:
    """Minutes east of Greenwich of "+02:00", "-0500", "Z"."""
    digits = re.sub(r"\D", "", zone)
    size = int(digits[:2] or 0) * 60 + int(digits[2:] or 0)
    return -size if zone.startswith("-") else size


def _shapes(con: duckdb.DuckDBPyConnection) -> list[tuple[int, _Shape]]:
    rows = con.execute(
        "SELECT regexp_replace(regexp_replace(v, '[0-9]', '9', 'g'), '[A-Za-z]+', 'A', 'g') AS s, sum(n)::BIGINT,"
        " min(v) FROM vals WHERE class IN ('other', 'decimal') GROUP BY s ORDER BY 2 DESC LIMIT 200"
    ).fetchall()
    if len(rows) >= 200:
        return []
    found = [(n, shape) for _, n, example in rows if (shape := _shape(example)) is not None]
    return found if len(found) <= 100 else []


def _shape(text: str) -> _Shape | None:
    found = _TIME.search(text)
    head, clock, zoned = text, "", False
    if found and found.end() == len(text):
        head = text[: found.start()]
        seconds = "%S" if found["s"] else ""
        fraction = ".%f" if found["f"] else ""
        hour = "%I" if found["ap"] else "%H"
        clock = f"{found['sep']}{hour}:%M" + (f":{seconds}" if seconds else "") + fraction
        if found["ap"]:
            clock += (" " if found["ap"][0] == " " else "") + "%p"
        zone = (found["zone"] or "").strip()
        if zone == "_TAI":
            clock += "_TAI"
        elif zone:
            zoned, clock = True, clock + "|zone"
    formats = _date_formats(head)
    if not formats:
        return None
    ordered = bool(_NUMERIC_ORDER.fullmatch(re.sub(r"^[A-Za-z]{3,9},? ", "", head)))
    return _Shape(tuple(f + clock for f in formats), bool(clock), zoned, ordered)


def _date_formats(text: str) -> tuple[str, ...]:
    weekday = ""
    if match := re.match(r"(?i)(mon|tue|wed|thu|fri|sat|sun)([a-z]*)(,? )", text):
        weekday = ("%A" if match[2] else "%a") + match[3]
        text = text[match.end() :]
    if match := re.fullmatch(r"\d{4}([-/.])\d{1,2}\1\d{1,2}", text):
        return (f"{weekday}%Y{match[1]}%m{match[1]}%d",)
    if _WEEK.fullmatch(text):
        return (_MONDAY,)
    if re.fullmatch(r"(1[6-9]|20|21)\d\d-\d{2}", text):
        return (f"{weekday}%Y-%m",)
    if match := _NUMERIC_ORDER.fullmatch(text):
        year = "%Y" if len(match[4]) == 4 else "%y"
        sep = match[2]
        return (f"{weekday}%d{sep}%m{sep}{year}", f"{weekday}%m{sep}%d{sep}{year}")
    if match := re.fullmatch(rf"(?i)\d{{1,2}}(-| |/|\.)(?P<mon>{_MONTH})(\.?,?)\1(?P<y>\d{{4}}|\d{{2}})", text):
        year = "%Y" if len(match["y"]) == 4 else "%y"
        names = ("%b", "%B")
        return tuple(f"{weekday}%d{match[1]}{m}{match[3]}{match[1]}{year}" for m in names)
    if match := re.fullmatch(rf"(?i)(?P<mon>{_MONTH})(\.?) \d{{1,2}}(,?) \d{{4}}", text):
        return tuple(f"{weekday}{m}{match[2]} %d{match[3]} %Y" for m in ("%b", "%B"))
    if match := re.fullmatch(rf"(?i)(?P<mon>{_MONTH})([- ])(?P<y>\d{{4}})", text):
        return tuple(f"{weekday}{m}{match[2]}%Y" for m in ("%b", "%B"))
    if match := re.fullmatch(rf"(?i)(?P<mon>{_MONTH})([-'])(?P<y>\d{{2}})", text):
        return tuple(f"{weekday}{m}{match[2]}%y" for m in ("%b", "%B"))
    return ()


def _ordered_formats(shape: _Shape, order: Order | None) -> tuple[str, ...]:
    if not shape.ordered:
        return shape.formats
    return (shape.formats[0],) if order == "day first" else (shape.formats[1],)


def _expression(formats: list[str], v: str, zoned: bool) -> str:
    text = f"regexp_replace({v}, '[.,]([0-9]{{6}})[0-9]*', '.\\1')" if any(".%f" in f for f in formats) else v
    if _MONDAY in formats:
        text = f"regexp_replace({text}, '^([0-9]{{4}})[- ]?W([0-9]{{2}})$', '\\1-W\\2-1')"
    plain = [f for f in formats if not f.endswith("|zone")]
    with_zone = [f.removesuffix("|zone") for f in formats if f.endswith("|zone")]
    parts = []
    if plain:
        parts.append(f"try_strptime({text}, [{', '.join(literal(f) for f in plain)}])")
    if not zoned:
        return parts[0]
    offset = f"regexp_replace(regexp_replace({text}, ' ?(Z|UTC|GMT)$', '+00'), ' ([+-])', '\\1')"
    if with_zone:
        iso = [f for f in with_zone if f.startswith("%Y-%m-%d")]
        rest = [f for f in with_zone if not f.startswith("%Y-%m-%d")]
        if iso:
            parts.insert(0, f"TRY_CAST({offset} AS TIMESTAMPTZ)")
        if rest:
            parts.append(f"try_strptime({offset}, [{', '.join(literal(f + '%z') for f in rest)}])")
    return "coalesce(" + ", ".join(f"CAST({p} AS TIMESTAMPTZ)" for p in parts) + ")"


def _all_midnight(con: duckdb.DuckDBPyConnection, expression: str) -> bool:
    row = con.execute(
        f"SELECT bool_and(t = date_trunc('day', t)) FROM (SELECT {expression} AS t FROM vals WHERE class <> 'missing')"
    ).fetchone()
    return bool(row and row[0])


_PARTS = r"(?:^|[^0-9])([0-9]{1,2})([/.-])([0-9]{1,2})[/.-]([0-9]{4}|[0-9]{2})(?:[^0-9]|$)"


def _order_evidence(con: duckdb.DuckDBPyConnection) -> tuple[int, int, int]:
    """Rows that fit only day first, only month first, and either."""
    row = con.execute(
        f"SELECT coalesce(sum(n) FILTER (a > 12 AND b <= 12), 0)::BIGINT,"
        f" coalesce(sum(n) FILTER (b > 12 AND a <= 12), 0)::BIGINT,"
        f" coalesce(sum(n) FILTER (a <= 12 AND b <= 12), 0)::BIGINT FROM ("
        f"SELECT n, TRY_CAST(regexp_extract(v, {literal(_PARTS)}, 1) AS INTEGER) AS a,"
        f" TRY_CAST(regexp_extract(v, {literal(_PARTS)}, 3) AS INTEGER) AS b FROM vals WHERE class = 'other')"
    ).fetchone()
    assert row is not None
    return int(row[0]), int(row[1]), int(row[2])


def _by_sequence(con: duckdb.DuckDBPyConnection) -> Order | None:
    """The order in which the values, in file order, never go back; None when both or neither do."""
    steady: list[Order] = []
    orders: tuple[tuple[Order, int, int], ...] = (("day first", 3, 1), ("month first", 1, 3))
    for order, month, day in orders:
        key = (
            f"TRY_CAST(regexp_extract(v, {literal(_PARTS)}, 4) AS INTEGER) * 10000"
            f" + TRY_CAST(regexp_extract(v, {literal(_PARTS)}, {month}) AS INTEGER) * 100"
            f" + TRY_CAST(regexp_extract(v, {literal(_PARTS)}, {day}) AS INTEGER)"
        )
        row = con.execute(
            f"SELECT count(*) FILTER (k > p), count(*) FILTER (k < p) FROM (SELECT k, lag(k) OVER (ORDER BY first_row)"
            f" AS p FROM (SELECT {key} AS k, first_row FROM vals WHERE class = 'other'))"
        ).fetchone()
        if row and (row[0] == 0) != (row[1] == 0) and row[0] + row[1] >= 5:
            steady.append(order)
    return steady[0] if len(steady) == 1 else None


def _mixed(day_only: int, month_only: int, either: int) -> str:
    return (
        f"mixes day-first and month-first dates: {counted(day_only, 'row')} fit only day first, {month_only:,} only"
        f" month first, {either:,} either; kept as text, so no date can be relied on"
    )
