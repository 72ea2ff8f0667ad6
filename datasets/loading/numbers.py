"""Classes of cell text, and how text that means a number is read."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from datasets.loading.quantities import UNIT
from datasets.sql import literal, literals

MISSING = (
    "n/a", "na", "nan", "null", "none", "nil", "-", "--", "---", "n.a.", "#n/a", "#na", "?", ".", "..", "missing",
    "undefined", "#value!", "#div/0!", "#ref!", "<na>", "(null)", "\\n", "–", "—",
)  # fmt: skip
"""Words for "no value", compared in lower case; they count only in columns whose other cells are numbers or dates."""

_CURRENCY = r"(?:[$€£¥]|USD|EUR|GBP|CHF|JPY|CAD|AUD)"
_GROUPED = r"[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]*)?"
_PLAIN = r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)"

CLASSES: tuple[tuple[str, str], ...] = (
    ("zero", r"[+-]?0[0-9]+"),
    ("int", r"-?[0-9]{1,18}|\+[0-9]{1,6}"),
    ("long", r"[+-]?[0-9]{19,}"),
    ("decimal", r"[+-]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+[eE][+-]?[0-9]{1,3}|[0-9]*\.?[0-9]+[eE][+-]?[0-9]{1,3})"),
    ("decimal", r"[+-]?[0-9]+\.[0-9]*[eE][+-]?[0-9]{1,3}"),
    ("infinite", r"[+-]?(?i:inf|infinity)"),
    ("grouped", rf"[+-]?{_GROUPED}"),
    ("percent", rf"[+-]?(?:{_GROUPED}|{_PLAIN}) ?%"),
    ("money", rf"[(]?[+-]? ?{_CURRENCY} ?[+-]?(?:{_GROUPED}|{_PLAIN})[)]?"),
    ("money", rf"[(]?[+-]?(?:{_GROUPED}|{_PLAIN}) ?{_CURRENCY}[)]?"),
    ("spaced", r"[+-]?[1-9][0-9]{0,2}(?:[ \x{a0}\x{202f}'’][0-9]{3})+(?:[.,][0-9]+)?"),
    ("paren", rf"[(](?:{_GROUPED}|{_PLAIN})[)]"),
    ("comma", r"[+-]?(?:[0-9]{1,3}(?:[.][0-9]{3})+|[0-9]+),[0-9]+"),
    ("bool", r"(?i:true|false)"),
    ("quantity", rf"[+-]?(?:{_GROUPED}|{_PLAIN}) ?{UNIT}"),
)
NUMERIC = frozenset({"int", "decimal", "grouped", "spaced", "percent", "money", "paren", "comma"})


LARGEST = 1e150
"""A number beyond this, whose square is past the largest one, is no measurement: it counts as unreadable."""


@dataclass(frozen=True)
class NumberReading:
    """How trimmed text becomes a number: SQL of the SQL of the text, the type, and the unit that the cells carry."""

    cast: Callable[[str], str]
    sql_type: str
    unit: str | None


def class_sql(v: str) -> str:
    """SQL expression: the class of a trimmed, non-empty text."""
    words = f"WHEN lower({v}) IN {literals(MISSING)} THEN 'missing'"
    quick = (
        f"WHEN regexp_matches({v}, '^[A-Za-z_]') AND NOT regexp_matches({v}, '^(?i:t|f|inf|{_CURRENCY})') THEN 'other'"
    )
    cases = [f"WHEN regexp_full_match({v}, {literal(pattern)}) THEN {literal(name)}" for name, pattern in CLASSES]
    return " ".join(["CASE", words, quick, *cases, "ELSE 'other' END"])


def number_reading(
    classes: dict[str, int], units: list[str], decimal: Literal["comma", "point"] | None = None
) -> NumberReading | None:
    """How to read a column of these classes of numbers; None where they contradict each other.

    :param decimal: the decimal sign that a person has settled; 1,234 and 1.234 are read by it.
    """
    if decimal == "comma" and classes.keys() & {"grouped", "decimal", "comma"}:
        whole = classes.keys() <= {"comma", "int", "grouped", "decimal"}
        return NumberReading(_comma, "DOUBLE", None) if whole else None
    if "money" in classes and (len(units) != 1 or "percent" in classes):
        return None
    unit = "%" if "percent" in classes else (units[0] if "money" in classes else None)
    if set(classes) == {"int"}:
        return NumberReading(lambda v: f"CAST({v} AS BIGINT)", "BIGINT", unit)
    if "comma" in classes:
        if not set(classes) <= {"comma", "int", "grouped"}:
            return None  # a plain 12.5 beside 12,5: one of the two signs would be misread
        return NumberReading(_comma, "DOUBLE", unit)
    if "spaced" in classes:
        if not set(classes) <= {"spaced", "int", "decimal"}:
            return None
        return NumberReading(lambda v: f"TRY_CAST(replace({_unspaced(v)}, ',', '.') AS DOUBLE)", "DOUBLE", unit)
    if set(classes) <= {"int", "decimal"}:
        return NumberReading(lambda v: f"TRY_CAST({v} AS DOUBLE)", "DOUBLE", unit)
    if set(classes) <= {"int", "grouped"}:
        return NumberReading(lambda v: f"TRY_CAST(replace({v}, ',', '') AS BIGINT)", "BIGINT", unit)
    return NumberReading(stripped, "DOUBLE", unit)


def _comma(v: str) -> str:
    return f"TRY_CAST(replace(replace({v}, '.', ''), ',', '.') AS DOUBLE)"


def bounded(v: str) -> str:
    """SQL expression: the number, NULL where nothing could be computed with it."""
    return f"(CASE WHEN abs({v}) < {LARGEST!r} THEN {v} END)"


def _unspaced(v: str) -> str:
    return f"regexp_replace({v}, '[ \\x{{a0}}\\x{{202f}}''’]', '', 'g')"


def stripped(v: str) -> str:
    """SQL expression: the number in a text that carries signs, units and grouping; in brackets it is negative."""
    digits = f"regexp_replace(regexp_replace({v}, '{_CURRENCY}', '', 'g'), '[^0-9.eE+-]', '', 'g')"
    number = f"TRY_CAST({digits} AS DOUBLE)"
    return f"CASE WHEN starts_with({v}, '(') AND ends_with({v}, ')') THEN -{number} ELSE {number} END"


def units_sql(v: str) -> str:
    """SQL expression: the currency sign or code in the text."""
    return f"regexp_extract({v}, '{_CURRENCY}')"
