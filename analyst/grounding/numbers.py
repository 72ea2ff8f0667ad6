"""Numbers as sentences write them: digits, signs, units, magnitudes, words; each with how exactly it was written."""

import re
from dataclasses import dataclass
from typing import Literal

Bound = Literal["about", "more", "less"]

_MAGNITUDES = {
    "k": 1e3, "thousand": 1e3, "m": 1e6, "mn": 1e6, "million": 1e6, "bn": 1e9, "b": 1e9, "billion": 1e9,
    "trillion": 1e12,
}  # fmt: skip
_ONES = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
]  # fmt: skip
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_WORDS: dict[str, float] = {w: float(n) for n, w in enumerate(_ONES)} | {w: 10.0 * n for n, w in enumerate(_TENS, 2)}
_WORDS |= {"hundred": 100.0, "dozen": 12.0}
_TIMES = {"twice": 2.0, "double": 2.0, "doubled": 2.0, "doubles": 2.0, "doubling": 2.0, "twofold": 2.0,
          "triple": 3.0, "tripled": 3.0, "triples": 3.0, "thrice": 3.0, "threefold": 3.0, "quadrupled": 4.0,
          "tenfold": 10.0, "halved": 0.5, "halves": 0.5, "halving": 0.5}  # fmt: skip
_PARTS = {"half": 0.5, "halves": 0.5, "third": 1 / 3, "thirds": 1 / 3, "quarter": 0.25, "quarters": 0.25,
          "fifth": 0.2, "fifths": 0.2, "tenth": 0.1, "tenths": 0.1}  # fmt: skip
_UNIT = r"%|percent(?:age points?)?|per cent|pp\b|points?\b(?= (?:higher|lower|up|down))"
_DIGITS = re.compile(
    r"(?P<sign>(?<![\w)])[-+\u2212\u2013])?(?P<money>(?:US)?[$€£¥]|\b(?:USD|EUR|GBP) )?"
    r"(?<![\w.])(?P<number>\d{1,3}(?:[,\u00a0\u202f\u2009']\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?P<exp>[eE][-+]?\d+)?"
    r"(?:\s?(?P<size>k|thousand|mn?|million|bn?|billion|trillion)\b)?"
    rf"(?:\s?(?P<unit>{_UNIT})|\s?(?P<after>[€£$]|USD|EUR|GBP|euros?|dollars?|pounds?)(?!\w))?"
    r"(?![\w])",
    re.IGNORECASE,
)
_SPELT = re.compile(
    rf"\b(?P<words>(?:{'|'.join(_TENS)})(?:[- ](?:{'|'.join(_ONES[1:10])}))?|{'|'.join(_ONES[2:])}|hundred|dozen"
    r"|one(?= (?:percent|per cent|hundred|thousand|million|in|out)\b))"
    r"(?:[ -](?P<size>hundred|thousand|million|billion))?"
    rf"(?:[ -](?P<unit>{_UNIT})|[ -](?P<part>halves|thirds?|quarters?|fifths?|tenths?)\b)?(?!\w)",
    re.IGNORECASE,
)
_PART = re.compile(
    r"\b(?:(?P<half>half)(?! (?:a|an|day|year|hour|month)\b)|(?:a|one) (?P<part>third|quarter|fifth|tenth)"
    r"(?= (?:of|the|lower|higher|less|more)\b|[.,;]|$))",
    re.IGNORECASE,
)
_TIMED = re.compile(rf"\b(?P<times>{'|'.join(_TIMES)})\b", re.IGNORECASE)
_ABOUT = re.compile(
    r"(?:\b(?:about|around|roughly|nearly|almost|approximately|approx\.?|some|close to|just)|~)\s*$", re.I
)
_MORE = re.compile(
    r"(?:\b(?:more than|over|above|at least|exceed(?:s|ed|ing)?|no less than|beyond|greater than)|[>≥]=?)\s*$", re.I
)
_LESS = re.compile(
    r"(?:\b(?:less than|under|below|at most|fewer than|no more than|up to|lower than|smaller than)|[<≤]=?)\s*$", re.I
)
_MONEY = {"$": "USD", "us$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "euro": "EUR", "dollar": "USD", "pound": "GBP"}
_MULTIPLE = re.compile(r"^(?:\s(?:and a half )?times\b|-?fold\b|\s?x\b)", re.IGNORECASE)
_SLACK_ABOUT = 0.025


@dataclass(frozen=True)
class Stated:
    """A number of a sentence. `sign` only where one is written; `exact`: whole, with no digit rounded away."""

    start: int
    end: int
    text: str
    value: float
    """Magnitude applied, without a sign."""
    slack: float
    """How far what it stands for may lie from it."""
    sign: int | None = None
    unit: str | None = None
    """"%", "pp" (percentage points), "x" (times as much), a currency code, or None."""
    bound: Bound | None = None
    exact: bool = False


def numbers_in(text: str) -> list[Stated]:
    """Return the numbers of a text in order; words such as "half", "twelve" and "doubled" are numbers too."""
    found = [_digits(match, text) for match in _DIGITS.finditer(text)]
    for pattern, read in ((_SPELT, _spelt), (_PART, _part), (_TIMED, _timed)):
        for match in pattern.finditer(text):
            if not any(match.start() < s.end and s.start < match.end() for s in found):
                found.append(read(match, text))
    return sorted(found, key=lambda s: s.start)


def _digits(match: re.Match[str], text: str) -> Stated:
    plain = re.sub(r"[,\u00a0\u202f\u2009']", "", match["number"])
    size = _MAGNITUDES.get((match["size"] or "").lower(), 1.0)
    power = 10.0 ** int(match["exp"][1:]) if match["exp"] else 1.0
    value = float(plain) * size * power
    places = len(plain.partition(".")[2])
    zeros = 0 if "." in plain or size != 1.0 else len(plain) - len(plain.rstrip("0"))
    slack = 0.5 * 10.0**-places * size * power
    if zeros >= 2 and value:
        slack = max(slack, min(0.5 * 10.0**zeros, 0.02 * value))
    sign = {"-": -1, "\u2212": -1, "\u2013": -1, "+": 1}.get(match["sign"] or "")
    if match["sign"] == "\u2013" and re.search(r"\d\s*$", text[: match.start()]):
        sign = None  # the dash of a range
    unit = _unit(match["unit"]) or _money(match["money"] or match["after"]) or _multiple(text[match.end() :])
    start = match.start("money") if match["money"] else match.start("number")
    whole = places == 0 and size == 1.0 and power == 1.0 and zeros < 2
    return _bounded(Stated(start, match.end(), match.group().strip(), value, slack, sign, unit, exact=whole), text)


def _spelt(match: re.Match[str], text: str) -> Stated:
    value = sum(_WORDS[w] for w in re.split(r"[- ]", match["words"].lower()))
    value *= {"hundred": 100.0, "thousand": 1e3, "million": 1e6, "billion": 1e9}.get((match["size"] or "").lower(), 1.0)
    if match["part"]:
        value *= _PARTS[match["part"].lower()]
        return _bounded(Stated(*match.span(), match.group(), value * 100, 2.0, unit="%"), text)
    unit = _unit(match["unit"]) or _multiple(text[match.end() :])
    return _bounded(Stated(*match.span(), match.group(), value, 0.5, unit=unit, exact=unit is None), text)


def _part(match: re.Match[str], text: str) -> Stated:
    value = 50.0 if match["half"] else 100 * _PARTS[match["part"].lower()]
    return _bounded(Stated(*match.span(), match.group(), value, 2.0, unit="%"), text)


def _timed(match: re.Match[str], text: str) -> Stated:
    return _bounded(Stated(*match.span(), match.group(), _TIMES[match["times"].lower()], 0.05, unit="x"), text)


def _bounded(stated: Stated, text: str) -> Stated:
    before = text[: stated.start].rstrip("-+\u2212 ") + " "
    before = before.rstrip() if not before.strip() else before
    if _MORE.search(before):
        return _with(stated, "more")
    if _LESS.search(before):
        return _with(stated, "less")
    if _ABOUT.search(before):
        return _with(stated, "about")
    return stated


def _with(stated: Stated, bound: Bound) -> Stated:
    slack = max(stated.slack, _SLACK_ABOUT * stated.value) if bound == "about" else stated.slack
    return Stated(
        stated.start, stated.end, stated.text, stated.value, slack, stated.sign, stated.unit, bound,
        stated.exact and bound != "about",
    )  # fmt: skip


def _unit(text: str | None) -> str | None:
    if not text:
        return None
    return "pp" if "point" in text.lower() or text.lower() == "pp" else "%"


def _multiple(after: str) -> str | None:
    return "x" if _MULTIPLE.match(after) else None


def _money(text: str | None) -> str | None:
    if not text:
        return None
    key = text.strip().lower().rstrip("s") if len(text.strip()) > 3 else text.strip().lower()
    return _MONEY.get(key, key.upper())
