"""Numbers as they are written: in words or digits, with scale, unit and the places that were given."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

from memory.identity import lexicon

_SUFFIX = "|".join(sorted((re.escape(name) for name in lexicon.UNITS | lexicon.SCALES), key=len, reverse=True))
_QUANTITY = re.compile(
    rf"([$£€]|\b(?:euro|dollar) )? ?((?:(?<![\w.)])[-+])?\d[\d,]*(?:\.\d+)?)(?:st|nd|rd|th)?"
    rf"(?:[ -]?((?:{_SUFFIX})s?)(?![\w%])(?:[ -]((?:{_SUFFIX})s?)(?![\w%]))?)?(?: (euro|dollar)s?\b)?",
    re.IGNORECASE,
)
_ROUND_FROM = 1000
"""From here on trailing zeros say that a number was rounded; 90 % is not 95 % rounded."""
_ONE_OF = "oneof"
_SECONDS_OF_A_DAY = 86_400
_NEAR = 0.06
_VERY_NEAR = 0.04
_DIGITS = {word: str(number) for number, word in enumerate(lexicon.ONES) if number > 1}
_TENS = re.compile(rf"\b({'|'.join(lexicon.TENS)})(?:[- ]({'|'.join(lexicon.ONES[1:10])}))?\b", re.IGNORECASE)
_ONE_IN = re.compile(rf"\b(?:one|1) (?:in|out of)(?: every)? (\d+|{'|'.join(_DIGITS)})\b", re.IGNORECASE)
_OUT_OF = re.compile(rf"\b(\d+|{'|'.join(_DIGITS)}) out of(?: every)? (\d+|{'|'.join(_DIGITS)})\b", re.IGNORECASE)
_STATISTIC = re.compile(
    r"(?<!\w)(n|p|r|rsquared|rho|beta|f|t|z|d)(?: of| is| about)?(?: ?[=<>≈~])? ?(?:just |about |only )?$",
    re.IGNORECASE,
)
_POINT = re.compile(rf"\b(\d+|one) point ({'|'.join(lexicon.ONES[:10])}|\d)\b", re.IGNORECASE)
_ONES = re.compile(rf"\b({'|'.join(_DIGITS)})\b", re.IGNORECASE)
_SHORT_FORMS = [(re.compile(pattern, re.IGNORECASE), plain) for pattern, plain in lexicon.SHORT_FORMS]


@dataclass(frozen=True)
class Quantity:
    """A number as written: in its base unit, with the decimal places that were given."""

    value: float
    unit: str
    places: int
    approximate: bool
    slack: float = 0.0
    """How far the true value may lie off: "one in six" is said of anything nearer to it than to one in five."""


def spell_out(text: str) -> str:
    """The text with short forms spelled out and numbers in words as digits."""
    for pattern, plain in _SHORT_FORMS:
        text = pattern.sub(plain, text)
    text = _ONE_IN.sub(lambda m: f"{_ONE_OF} {100 / max(1, int(_DIGITS.get(m[1].casefold(), m[1]))):.1f}%", text)
    text = _OUT_OF.sub(_share, text)
    text = _TENS.sub(_ten, text)
    text = _ONES.sub(lambda m: _DIGITS[m[1].casefold()], text)
    return _POINT.sub(_decimal, text)


def quantities(text: str) -> Iterator[tuple[int, int, Quantity]]:
    """The quantities of a text that was spelled out, with their start and end."""
    for match in _QUANTITY.finditer(text):
        digits = match[2].replace(",", "")
        value, unit = float(digits), "money" if match[1] or match[5] else ""
        whole = digits.lstrip("-+")
        places = len(whole.split(".")[1]) if "." in whole else 0
        if not places and float(whole) >= _ROUND_FROM:
            places = len(whole.rstrip("0")) - len(whole)
        factor = 1.0
        for suffix in (match[3], match[4]):
            name = (suffix or "").casefold()
            known = lexicon.UNITS.get(name) or lexicon.UNITS.get(name.removesuffix("s"))
            scale = lexicon.SCALES.get(name) or lexicon.SCALES.get(name.removesuffix("s"))
            if scale is not None and known is None:
                factor *= scale
            elif known is not None:
                unit, factor = known[0] or unit, factor * known[1]
        before = text[max(0, match.start() - 14) : match.start()].casefold().split()
        statistic = _STATISTIC.search(text[max(0, match.start() - 14) : match.start()])
        if statistic and not unit:
            unit = statistic[1].casefold()
        approximate = not lexicon.APPROXIMATE.isdisjoint(before)
        slack = value * value / 180 if _ONE_OF in before else 0.0
        yield (
            match.start(),
            match.end(),
            Quantity(value * factor, unit, places - round(math.log10(factor)), approximate, slack),
        )


def same_quantity(a: Quantity, b: Quantity) -> bool:
    """Whether two quantities are the same: equal, or one of them rounded to the places of the other."""
    if {a.unit, b.unit} == {"s", "day"}:  # 48 hours are two days
        return math.isclose(_seconds(a), _seconds(b), rel_tol=0.002)
    if a.unit and b.unit and a.unit != b.unit and {a.unit, b.unit} != {"%", "pp"}:
        return False
    if math.isclose(a.value, b.value, rel_tol=0.002):
        return True
    size = max(abs(a.value), abs(b.value))
    gap = abs(a.value - b.value)
    if gap <= max(a.slack, b.slack):
        return True
    if a.approximate or b.approximate:
        coarser = min(a.places, b.places)
        # "about 0.9" stands for 0.91 and "about 5,000" for 5,200, but "about 9" not for 9.4 %.
        return gap <= _NEAR * size and (gap <= 0.51 * 10.0**-coarser or gap <= _VERY_NEAR * size)
    return gap <= _NEAR * size and a.places != b.places and gap <= 0.51 * 10.0 ** -min(a.places, b.places)


def _seconds(quantity: Quantity) -> float:
    return quantity.value * (_SECONDS_OF_A_DAY if quantity.unit == "day" else 1)


def _ten(match: re.Match[str]) -> str:
    ones = lexicon.ONES.index(match[2].casefold()) if match[2] else 0
    return str(10 * (lexicon.TENS.index(match[1].casefold()) + 2) + ones)


def _share(match: re.Match[str]) -> str:
    part, whole = (int(_DIGITS.get(group.casefold(), group)) for group in match.groups())
    return f"about {100 * part / whole:.0f}%" if 0 < part < whole <= 10 else match[0]


def _decimal(match: re.Match[str]) -> str:
    word = match[2].casefold()
    whole = "1" if match[1].casefold() == "one" else match[1]
    return f"{whole}.{word if word.isdigit() else lexicon.ONES.index(word)}"
