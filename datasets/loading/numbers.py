"""Classes of cell text, and how text that means a number is read."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from datasets.loading.quantities import UNIT
from datasets.sql import literal, literals

MISSING = (
    "n/a", "na", "nan", "null", "none", "nil", "-", "--", "---", "n.a.", "#n/a", "#na", "?", ".", "..", "missing",
    "undefined", "#value!", "#div/0!", "#ref!", "<na>", "(null)", "\\n", "–", "—",
    "#num!", "#name?", "#null!", "0000-00-00", "0000-00-00 00:00:00", "00/00/0000", "00.00.0000",
)  # fmt: skip
"""Words for "no value", compared in lower case; they count only in columns whose other cells are numbers or dates."""

_CODES = (
    "USD|EUR|GBP|CHF|JPY|CAD|AUD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|RON|BGN|TRY|RUB|UAH|INR|CNY|HKD|SGD|KRW|BRL|MXN|ZAR|ILS"
    "|AED|SAR|THB"
)
_CURRENCY = rf"(?:US\$|R\$|A\$|C\$|NZ\$|HK\$|[$€£¥₹₩₽₺₴₦₫₪฿]|{_CODES}|zł|Kč|kr|Rs\.?)"
_SPACE = r"[ \x{a0}\x{202f}\x{2009}'’]"
_MINUS = r"\x{2212}\x{2010}\x{2011}\x{2013}-"

STYLES: tuple[tuple[str, str], ...] = (
    ("int", r"[0-9]{1,18}"),
    ("dotted", r"[1-9][0-9]{0,2}\.[0-9]{3}"),
    ("decimal", r"(?:[0-9]+\.[0-9]*|\.[0-9]+)"),
    ("grouped", r"[1-9][0-9]{0,2},[0-9]{3}"),
    ("groups", r"(?:[1-9][0-9]{0,2}(?:,[0-9]{3}){2,}|[1-9][0-9]?(?:,[0-9]{2})+,[0-9]{3})"),
    ("groups point", r"(?:[0-9]{1,3}(?:,[0-9]{3})+|[1-9][0-9]?(?:,[0-9]{2})+,[0-9]{3})\.[0-9]*"),
    ("dots", r"[1-9][0-9]{0,2}(?:\.[0-9]{3}){2,}"),
    ("comma", r"(?:[1-9][0-9]{0,2}(?:\.[0-9]{3})+|[0-9]*),[0-9]+"),
    ("spaced", rf"[1-9][0-9]{{0,2}}(?:{_SPACE}[0-9]{{3}})+"),
    ("spaced point", rf"[1-9][0-9]{{0,2}}(?:{_SPACE}[0-9]{{3}})+\.[0-9]+"),
    ("spaced comma", rf"[1-9][0-9]{{0,2}}(?:{_SPACE}[0-9]{{3}})+,[0-9]+"),
)
"""How the digits of a number are written. "dotted" (1.234) and "grouped" (1,234) say nothing about the decimal sign."""
_POINT = frozenset({"decimal", "groups", "groups point", "spaced point"})
_COMMA = frozenset({"comma", "dots", "spaced comma"})
_OPEN = frozenset({"dotted", "grouped"})
_WHOLE = {"point": frozenset({"int", "grouped", "groups", "spaced"}), "comma": frozenset({"int", "dotted", "dots"})}

_SCIENTIFIC = r"[+-]?(?:[0-9]*\.?[0-9]+|[0-9]+\.[0-9]*)[eE][+-]?[0-9]{1,3}"
_SCIENTIFIC_COMMA = r"[+-]?[0-9]+,[0-9]+[eE][+-]?[0-9]{1,3}"

_CLASSES: tuple[tuple[str, str], ...] = (
    ("zero", r"[+-]?0[0-9]+"),
    ("int", r"-?[0-9]{1,18}|\+[0-9]{1,6}"),
    ("long", r"[+-]?[0-9]{19,}"),
    ("decimal", _SCIENTIFIC),
    ("comma", _SCIENTIFIC_COMMA),
    ("infinite", r"[+-]?(?i:inf|infinity)"),
    *((name, rf"[+-]?{body}") for name, body in STYLES[1:]),
    ("bool", r"(?i:true|false)"),
    ("missing", rf"{_CURRENCY} *-+"),
)
_BODY = r"[.,]?[0-9](?:[0-9.,'’ \x{a0}\x{202f}\x{2009}]*[0-9.])?"
_GAP = r"[ \x{a0}\x{202f}]?"
_SIGN = rf"[+{_MINUS}]?"
_AFFIXES: tuple[tuple[str, str], ...] = (
    ("signed", rf"[{_MINUS}]{_GAP}{_BODY}|{_BODY}{_GAP}[+{_MINUS}]"),
    ("debit", rf"{_BODY}{_GAP}(?i:dr)\.?"),
    ("credit", rf"{_BODY}{_GAP}(?i:cr)\.?"),
    ("percent", rf"[(]?{_SIGN}{_BODY}{_GAP}%[)]?"),
    ("money", rf"[(]?{_SIGN}{_GAP}{_CURRENCY}{_GAP}{_SIGN}{_BODY}[{_MINUS}]?[)]?"),
    ("money", rf"[(]?{_SIGN}{_BODY}[{_MINUS}]?{_GAP}{_CURRENCY}[)]?"),
    ("paren", rf"[(]{_BODY}[)]"),
    ("quantity", rf"{_SIGN}{_BODY}{_GAP}{UNIT}"),
)
"""What may stand around the digits; the class of such a text is the affix and the style, as in "money comma"."""

NUMERIC = frozenset(
    {name for name, _ in STYLES}
    | {f"{affix} {style}" for affix, _ in _AFFIXES if affix != "quantity" for style, _ in STYLES}
)
Decimal = Literal["comma", "point"]


LARGEST = 1e150
"""A number beyond this, whose square is past the largest one, is no measurement: it counts as unreadable."""


@dataclass(frozen=True)
class NumberReading:
    """How trimmed text becomes a number: SQL of the SQL of the text, the type, and the unit that the cells carry.

    `decimal`: the decimal sign that the cells prove; `open_decimal`: they prove none, and it matters which one is read.
    """

    cast: Callable[[str], str]
    sql_type: str
    unit: str | None
    decimal: Decimal | None = None
    open_decimal: bool = False


def class_sql(v: str) -> str:
    """SQL expression: the class of a trimmed, non-empty text: a style, an affix and a style, or what it is instead."""
    digits = f"WHEN regexp_full_match({v}, '-?(?:0|[1-9][0-9]{{0,17}})') THEN 'int'"
    words = f"WHEN lower({v}) IN {literals(MISSING)} THEN 'missing'"
    quick = (
        f"WHEN regexp_matches({v}, '^[A-Za-z_]') AND NOT regexp_matches({v}, '^(?i:t|f|inf|{_CURRENCY})') THEN 'other'"
    )
    cases = [f"WHEN regexp_full_match({v}, {literal(pattern)}) THEN {literal(name)}" for name, pattern in _CLASSES]
    styles = " ".join(f"WHEN regexp_full_match({_body(v)}, {literal(p)}) THEN {literal(n)}" for n, p in STYLES)
    cases += [
        f"WHEN regexp_full_match({v}, {literal(pattern)}) THEN coalesce('{name} ' || CASE {styles} END, 'other')"
        for name, pattern in _AFFIXES
    ]
    return " ".join(["CASE", digits, words, quick, *cases, "ELSE 'other' END"])


def affix_of(number_class: str) -> str:
    """What stands around the digits of a class of numbers: "money", "percent", "paren", "signed", "quantity" or ""."""
    first = number_class.split(" ")[0]
    return first if any(first == affix for affix, _ in _AFFIXES) else ""


def style_of(number_class: str) -> str:
    """How the digits of a class of numbers are written."""
    return number_class.removeprefix(affix_of(number_class)).strip()


def decimal_sign(classes: Iterable[str], settled: Decimal | None = None) -> tuple[Decimal | None, Decimal | None]:
    """The decimal sign to read these classes by, and the one they prove; (None, None) where they prove both.

    :param settled: the sign where the cells prove none.
    """
    styles = {style_of(c) for c in classes}
    point, comma = bool(styles & _POINT), bool(styles & _COMMA)
    if point and comma:
        return None, None
    proved: Decimal | None = "comma" if comma else "point" if point else None
    return proved or settled or "point", proved


def number_reading(classes: dict[str, int], units: list[str], decimal: Decimal | None = None) -> NumberReading | None:
    """How to read a column of these classes of numbers; None where they contradict each other.

    :param decimal: the decimal sign that a person has settled or other columns prove; 1,234 and 1.234 are read by it.
    """
    affixes = {affix_of(c) for c in classes}
    if "credit" in affixes and "debit" not in affixes:
        return None  # a crore is written so, too
    if "money" in affixes and (len(units) != 1 or "percent" in affixes):
        return None
    sign, proved = decimal_sign(classes, decimal)
    if sign is None:
        return None  # a plain 12.5 beside 12,5: one of the two signs would be misread
    unit = "%" if "percent" in affixes else (units[0] if "money" in affixes else None)
    undecided = proved is None and any(style_of(c) in _OPEN for c in classes)
    whole = affixes == {""} and classes.keys() <= _WHOLE[sign]
    sql_type = "BIGINT" if whole else "DOUBLE"

    def cast(v: str) -> str:
        if classes.keys() == {"int"}:
            return f"CAST({v} AS BIGINT)"
        if sign == "point" and classes.keys() <= {"int", "decimal", "dotted"}:
            return f"TRY_CAST({v} AS DOUBLE)"
        return f"TRY_CAST({_digits(v, sign)} AS {sql_type})" if affixes == {""} else number_sql(v, sign)

    return NumberReading(cast, sql_type, unit, proved, undecided)


def bounded(v: str) -> str:
    """SQL expression: the number, NULL where nothing could be computed with it."""
    return f"(CASE WHEN abs({v}) < {LARGEST!r} THEN {v} END)"


def number_sql(v: str, decimal: Decimal) -> str:
    """SQL expression: the number in a text that may carry signs, units and grouping; in brackets it is negative."""
    plain = f"regexp_full_match({v}, {literal(f'{_SCIENTIFIC}|{_SCIENTIFIC_COMMA}')})"
    number = f"TRY_CAST({_digits(_body(v), decimal)} AS DOUBLE)"
    negative = f"regexp_matches({v}, '[{_MINUS}]') OR (starts_with({v}, '(') AND ends_with({v}, ')'))"
    negative += f" OR regexp_matches({v}, '[0-9][ \\x{{a0}}\\x{{202f}}]?(?i:dr)[.]?$')"
    signed = f"CASE WHEN {negative} THEN -{number} ELSE {number} END"
    return f"CASE WHEN {plain} THEN TRY_CAST({_digits(v, decimal)} AS DOUBLE) ELSE {signed} END"


def _body(v: str) -> str:
    return f"regexp_extract({v}, {literal(_BODY)})"


def _digits(v: str, decimal: Decimal) -> str:
    """SQL expression: a text of digits with its grouping removed and a point as decimal sign."""
    bare = f"regexp_replace({v}, {literal(_SPACE)}, '', 'g')"
    return f"replace({bare}, ',', '')" if decimal == "point" else f"replace(replace({bare}, '.', ''), ',', '.')"


def units_sql(v: str) -> str:
    """SQL expression: the currency sign or code in the text."""
    return f"regexp_extract({v}, '{_CURRENCY}')"
