"""Phrases for numbers along the rows in time: daily returns, changes from the day before, moving means."""

import re

from analyst.reading.matching import Matcher
from datasets.measures import Measure, Value

_PERIOD = (
    r"(?:day|daily|week|weekly|month|monthly|quarter|quarterly|year|yearly|row|period|trading day|date|observation)"
)
_EACH_DAY = r"(?:daily|day[- ](?:over|to|on)[- ]day|one-day)"
_BEFORE = rf"(?=[^.;]{{0,60}}\b(?:from|since|to) the (?:previous|preceding|prior) {_PERIOD})"
_STEPS: tuple[tuple[str, str], ...] = (
    (
        "moving",
        rf"(?P<n>\d+|two|three|four|five|six|seven|ten|thirty)[- ]{_PERIOD}s? (?:simple )?"
        r"(?:moving|rolling) (?:average|mean)s?",
    ),
    (
        "moving",
        r"(?:moving|rolling) (?:average|mean)s?(?: of [\w ]+?)? (?:over|with|of|using|for) "
        rf"(?:a )?(?:window (?:size )?of )?(?P<m>\d+)(?: |-){_PERIOD}s?",
    ),
    ("change_ln", rf"(?:{_EACH_DAY} )?(?:log(?:arithmic)?|continuously compounded)[- ](?:price )?returns?"),
    ("running", r"(?:cumulative|running) (?:sum|total)s?"),
    (
        "change_pct",
        rf"{_EACH_DAY} (?:percent\w* |relative )?"
        r"(?:returns?|changes? in percent|percent\w* (?:change|gain|return|increase|drop|loss)s?)",
    ),
    ("change_pct", rf"percent\w* changes?{_BEFORE}"),
    ("change", rf"{_EACH_DAY} (?:changes?|gains?|differences?|increases?)"),
    ("change", rf"(?:changes?|differences?){_BEFORE}"),
)
_COMPILED = tuple((how, re.compile(rf"\b(?:{pattern})\b", re.I)) for how, pattern in _STEPS)
_NUMBERS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "ten": 10, "thirty": 30}
_ONE_EACH = 0.99


def steps_in(text: str, matcher: Matcher) -> list[tuple[int, int, Measure]]:
    """Numbers along the rows that a text speaks of, with their places up to the column that they are of.

    None where the rows have no order of their own: several share a time, so that the one before is not known.
    """
    card = matcher.card
    time = next((c for c in card.columns if c.name == card.time_column and c.temporal), None)
    if time is None or time.distinct < _ONE_EACH * max(1, time.rows - time.nulls):
        return []
    numbers = [
        m
        for m in matcher.mentions(text)
        if m.how != "value" and card.column(m.column).numeric and card.column(m.column).role != "identifier"
    ]
    found: list[tuple[int, int, Measure]] = []
    for how, pattern in _COMPILED:
        for match in pattern.finditer(text):
            # A column may be called so itself: "Cumulative trips" is no running total.
            named = [m for m in numbers if not (m.start <= match.start() < m.end and m.how in {"quoted", "name"})]
            if not named or any(match.start() < end and start < match.end() for start, end, _ in found):
                continue
            of = min(named, key=lambda m: (m.start < match.start(), abs(m.start - match.end())))
            values: tuple[Value, ...] = (how,)
            if how == "moving":
                groups = match.groupdict()
                number = groups.get("n") or groups.get("m") or ""
                values = (how, int(number) if number.isdigit() else _NUMBERS[number.lower()])
            measure = Measure(kind="in_order", columns=(of.column, time.name), values=values)
            found.append((min(match.start(), of.start), max(match.end(), of.end), measure))
    return found
